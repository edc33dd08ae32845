/* JSON: the canonical form, in which equal values are equal texts. */
#include "base/json/tree.h"

#include <math.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"

struct member {
    struct bough_str key; /* escapes decoded; a lone surrogate is three bytes */
    struct json value;
};

static void put_number(struct buf *out, struct bough_str raw)
{
    char text[32];
    int64_t i;
    double v;

    if (json_span_i64(raw, &i)) {
        buf_printf(out, "%lld", (long long)i);
        return;
    }
    if (!json_number(raw, &v)) {
        buf_put_str(out, raw);
        return;
    }
    /* 2^63 itself does not fit, hence the strict bound. */
    if (v == floor(v) && v >= -9223372036854775808.0 && v < 9223372036854775808.0)
        buf_printf(out, "%lld", (long long)v);
    else
        buf_put(out, text, json_number_text(v, text));
}

static bool surrogate(const char *p, size_t left)
{
    return left >= 3 && (unsigned char)p[0] == 0xed && (unsigned char)p[1] >= 0xa0;
}

/* Escapes only what RFC 8259 requires, and lone surrogates. */
static void put_text(struct buf *out, struct bough_str s)
{
    size_t i;

    buf_putc(out, '"');
    for (i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];

        if (c == '"' || c == '\\') {
            buf_putc(out, '\\');
            buf_putc(out, (char)c);
        } else if (c < 0x20) {
            buf_printf(out, "\\u%04x", c);
        } else if (surrogate(s.p + i, s.n - i)) {
            buf_printf(out, "\\u%04x",
                       0xd000u | ((unsigned char)s.p[i + 1] & 0x3fu) << 6 |
                           ((unsigned char)s.p[i + 2] & 0x3fu));
            i += 2;
        } else {
            buf_putc(out, (char)c);
        }
    }
    buf_putc(out, '"');
}

static struct bough_str decode(struct bough_arena *a, struct json j)
{
    struct bough_str raw = json_raw(j);
    char *out;

    if (!json_node(j)->escaped)
        return (struct bough_str){ raw.p + 1, raw.n - 2 };
    out = arena_alloc(a, raw.n);
    return (struct bough_str){ out, json_unescape(out, raw.p + 1, raw.n - 2) };
}

/* By name, then by position: put_object() keeps the last of equal names. */
static int by_key(const void *x, const void *y)
{
    const struct member *a = x, *b = y;
    int c = str_cmp(a->key, b->key);

    return c ? c : (a->value.at > b->value.at) - (a->value.at < b->value.at);
}

static void put_value(struct buf *out, struct bough_arena *a, struct json j);

static void put_object(struct buf *out, struct bough_arena *a, struct json j)
{
    struct json_iter it = json_iter(j);
    uint32_t n = json_count(j), i = 0;
    struct member *all = arena_array(a, n, sizeof *all);
    const char *comma = "";

    while (json_next(&it))
        all[i++] = (struct member){ decode(a, it.key), it.value };
    qsort(all, n, sizeof *all, by_key);
    buf_putc(out, '{');
    for (i = 0; i < n; i++) {
        if (i + 1 < n && str_eq(all[i].key, all[i + 1].key))
            continue;
        buf_puts(out, comma);
        put_text(out, all[i].key);
        buf_putc(out, ':');
        put_value(out, a, all[i].value);
        comma = ",";
    }
    buf_putc(out, '}');
}

static void put_array(struct buf *out, struct bough_arena *a, struct json j)
{
    struct json_iter it = json_iter(j);
    const char *comma = "";

    buf_putc(out, '[');
    while (json_next(&it)) {
        buf_puts(out, comma);
        put_value(out, a, it.value);
        comma = ",";
    }
    buf_putc(out, ']');
}

/* Recursion is bounded: json_parse() accepts at most LIMIT_JSON_DEPTH levels. */
static void put_value(struct buf *out, struct bough_arena *a, struct json j)
{
    struct arena_mark mark = arena_mark(a);

    switch (json_type(j)) {
    case JSON_NULL:
        buf_puts(out, "null");
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        buf_put_str(out, json_raw(j));
        break;
    case JSON_NUMBER:
        put_number(out, json_raw(j));
        break;
    case JSON_STRING:
        put_text(out, decode(a, j));
        break;
    case JSON_ARRAY:
        put_array(out, a, j);
        break;
    case JSON_OBJECT:
        put_object(out, a, j);
        break;
    }
    arena_rewind(a, mark);
}

void json_canon(struct buf *out, struct json j)
{
    struct bough_arena *a = bough_arena_create();

    put_value(out, a, j);
    bough_arena_destroy(a);
}
