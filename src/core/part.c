/* Parts: check, split, join, and what a person reads of them. Pure. */
#include "core/part.h"

#include <stdio.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"
#include "core/text.h"
#include "core/view.h"

/* ---- checking ---- */

/* Does the word, raw with its quotes and without escapes, name this row? */
static bool names(struct bough_str word, const struct part_shape *row)
{
    size_t n;

    if (row->word[0] != word.p[0])
        return false;
    n = strlen(row->word);
    if (row->prefix)
        return word.n > n && memcmp(word.p, row->word, n) == 0;
    return word.n == n && memcmp(word.p, row->word, n) == 0;
}

static bool has_any(const struct part_shape *row, struct fields *f)
{
    size_t i;

    for (i = 0; i < sizeof row->need / sizeof *row->need && row->need[i].name; i++) {
        if (fields_get(f, row->need[i].name))
            return true;
    }
    return false;
}

static enum bough_rc check_shape(struct bough_str word, struct fields *f,
                                 enum bough_part_type *type, struct bough_error *err)
{
    const struct part_shape *row, *blame = NULL;
    bool near = false;
    char name[64];

    for (row = part_shapes; row->word; row++) {
        if (!names(word, row))
            continue;
        *type = row->type;
        if (!part_shape_lacks(row, f)) {
            if (!row->deeper)
                return BOUGH_OK;
            snprintf(name, sizeof name, "%.*s", (int)word.n, word.p);
            return row->deeper(f, name, err);
        }
        if (!blame || (!near && has_any(row, f))) {
            blame = row;
            near = has_any(row, f);
        }
    }
    if (!blame) {
        *type = BOUGH_PART_OTHER;
        return BOUGH_OK;
    }
    snprintf(name, sizeof name, "%.*s", (int)word.n, word.p);
    return part_needs(f, part_shape_lacks(blame, f), 1, name, "", err);
}

enum bough_rc bough_part_check(struct bough_str json, enum bough_part_type *type,
                               struct bough_error *err)
{
    struct bough_error why = { 0 };
    struct bough_arena *tmp = NULL;
    struct bough_str word;
    struct fields f;
    enum bough_rc rc;

    if (json.n > (size_t)LIMIT_MESSAGE_BYTES)
        return bough_fail(err, BOUGH_TOO_LARGE, "a part of %zu bytes is more than %lld", json.n,
                          LIMIT_MESSAGE_BYTES);
    rc = fields_read(&f, json, &why);
    if (rc)
        return bough_fail(err, rc == BOUGH_INVALID ? BOUGH_INVALID_PART : rc, "a part: %s",
                          why.msg);
    word = fields_raw(&f, "type", JSON_STRING);
    if (word.n <= 2)
        return bough_fail(err, BOUGH_INVALID_PART, "a part needs a \"type\" that is a word");
    word = str_make(word.p + 1, word.n - 2);
    if (memchr(word.p, '\\', word.n)) {
        tmp = bough_arena_create();
        word = json_span_str(tmp, str_make(word.p - 1, word.n + 2));
    }
    rc = check_shape(word, &f, type, err);
    bough_arena_destroy(tmp);
    return rc;
}

/* ---- splitting and joining ---- */

static struct bough_str text_part(struct bough_arena *a, struct bough_str raw_string)
{
    static const char head[] = "{\"type\":\"text\",\"text\":";
    size_t n = sizeof head - 1 + raw_string.n + 1;
    char *p = arena_alloc(a, n + 1);

    memcpy(p, head, sizeof head - 1);
    memcpy(p + sizeof head - 1, raw_string.p, raw_string.n);
    p[n - 1] = '}';
    p[n] = '\0';
    return str_make(p, n);
}

struct bough_str bough_part_text(struct bough_arena *a, struct bough_str text)
{
    struct bough_str part;
    struct json_writer w;
    struct buf b;

    buf_init(&b, 6 * text.n + 16);
    jw_init(&w, &b);
    jw_str(&w, text);
    part = text_part(a, buf_str(&b));
    buf_finish(&b);
    return part;
}

/* Spans of the elements behind `[`. */
static enum bough_rc split_array(struct bough_arena *a, struct json_pull *p,
                                 struct bough_str **parts, size_t *n, struct bough_error *err)
{
    struct bough_str *at = NULL;
    struct json_event ev;
    size_t cap = 0;
    enum bough_rc rc;

    for (;;) {
        rc = json_pull_next(p, &ev, err);
        if (rc)
            return rc;
        if (ev.type == JSON_END)
            break;
        if (ev.type != JSON_BEGIN || ev.value != JSON_OBJECT)
            return bough_fail(err, BOUGH_INVALID, "part %zu must be an object", *n);
        if (*n == LIMIT_PARTS)
            return bough_fail(err, BOUGH_TOO_LARGE, "more than %d parts in a message", LIMIT_PARTS);
        if (*n == cap) {
            at = arena_resize(a, at, cap * sizeof *at, (cap ? 2 * cap : 8) * sizeof *at);
            cap = cap ? 2 * cap : 8;
        }
        rc = json_pull_skip(p, &ev, &at[*n], err);
        if (rc)
            return rc;
        ++*n;
    }
    *parts = at;
    return json_pull_next(p, &ev, err);
}

enum bough_rc bough_parts_split(struct bough_arena *a, struct bough_str json,
                                struct bough_str **parts, size_t *n, struct bough_error *err)
{
    struct bough_error why = { 0 };
    struct json_event ev;
    struct json_pull p;
    enum bough_rc rc;

    *parts = NULL;
    *n = 0;
    json_pull_init(&p, json);
    rc = json_pull_next(&p, &ev, &why);
    if (!rc && ev.type == JSON_BEGIN && ev.value == JSON_ARRAY) {
        rc = split_array(a, &p, parts, n, &why);
    } else if (!rc && ev.type == JSON_VALUE && ev.value == JSON_STRING) {
        *parts = arena_alloc(a, sizeof **parts);
        (*parts)[0] = text_part(a, ev.raw);
        *n = 1;
        rc = json_pull_next(&p, &ev, &why);
    } else if (!rc && ev.type == JSON_VALUE && ev.value == JSON_NULL) {
        rc = json_pull_next(&p, &ev, &why);
    } else if (!rc) {
        rc = bough_fail(&why, BOUGH_INVALID, "not an array, a string or null");
    }
    if (rc)
        return bough_fail(err, rc == BOUGH_INVALID ? BOUGH_INVALID_PART : rc, "parts: %s", why.msg);
    return BOUGH_OK;
}

/* ---- reading ---- */

struct bough_str bough_part_plain(struct bough_arena *a, const struct bough_part *part)
{
    struct part_view v;

    if (part->type != BOUGH_PART_TEXT && part->type != BOUGH_PART_REASONING)
        return str_make(NULL, 0);
    view_part(a, part, &v);
    return v.text;
}

const char *part_call_id(struct bough_arena *a, const struct bough_part *part)
{
    struct part_view v;

    view_part(a, part, &v);
    return v.call;
}

const char *part_tool_name(struct bough_arena *a, const struct bough_part *part)
{
    struct part_view v;

    view_part(a, part, &v);
    return v.tool;
}

static int hex(char c)
{
    return c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10;
}

static uint32_t hex4(const char *p)
{
    return (uint32_t)(hex(p[0]) << 12 | hex(p[1]) << 8 | hex(p[2]) << 4 | hex(p[3]));
}

/* One character of a valid raw string into `out`; how many raw bytes it took. */
static size_t decode_one(const char *p, size_t n, char out[4], size_t *len)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *known;
    uint32_t cp, low;
    size_t k;

    if (p[0] != '\\') {
        k = utf8_get(p, n, &cp);
        k = k ? k : 1;
        memcpy(out, p, k);
        *len = k;
        return k;
    }
    if (p[1] != 'u') {
        known = strchr(from, p[1]);
        out[0] = p[1];
        if (known)
            out[0] = to[known - from];
        *len = 1;
        return 2;
    }
    cp = hex4(p + 2);
    k = 6;
    if (cp >= 0xd800 && cp < 0xdc00 && n >= 12 && p[6] == '\\' && p[7] == 'u') {
        low = hex4(p + 8);
        if (low >= 0xdc00 && low < 0xe000) {
            cp = 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00);
            k = 12;
        }
    }
    *len = utf8_put(cp, out);
    return k;
}

/* The beginning of a raw string: a preview must not pay for the whole of a long message. */
static struct bough_str decode_some(struct bough_arena *a, struct bough_str raw, size_t max)
{
    char *out = arena_alloc(a, max + 1);
    size_t n = 0, i = 1, len;
    char c[4];

    while (i < raw.n - 1) {
        if (raw.p[i] != '\\' && (unsigned char)raw.p[i] < 0x80 && n < max) {
            out[n++] = raw.p[i++]; /* as nearly all are */
            continue;
        }
        i += decode_one(raw.p + i, raw.n - 1 - i, c, &len);
        if (n + len > max)
            break;
        if (len == 1 && c[0] == '\0')
            c[0] = ' ';
        memcpy(out + n, c, len);
        n += len;
    }
    out[n] = '\0';
    return str_make(out, n);
}

struct bough_str part_text_first(struct bough_arena *a, const struct bough_part *parts, size_t n,
                                 size_t max)
{
    struct bough_str raw;
    struct fields f;
    size_t i;

    for (i = 0; i < n; i++) {
        if (parts[i].type != BOUGH_PART_TEXT || fields_read(&f, parts[i].json, NULL) != BOUGH_OK)
            continue;
        raw = fields_raw(&f, "text", JSON_STRING);
        if (!raw.n)
            raw = fields_raw(&f, "refusal", JSON_STRING);
        if (raw.n > 2)
            return decode_some(a, raw, max);
    }
    return str_make(NULL, 0);
}
