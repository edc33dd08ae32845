/* JSON: reading values: strings with escapes decoded, numbers, comparisons. */
#include "base/json/tree.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8_inline.h"

static unsigned hex4(const unsigned char *p)
{
    unsigned v = 0;
    int i;

    for (i = 0; i < 4; i++)
        v = v << 4 | (p[i] <= '9' ? (unsigned)p[i] - '0' : (p[i] | 0x20u) - 'a' + 10);
    return v;
}

uint32_t json_take_escape(const unsigned char **p, const unsigned char *end)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    const unsigned char *s = *p;
    unsigned hi, lo;

    if (s[1] != 'u') {
        *p += 2;
        return (unsigned char)to[strchr(from, s[1]) - from];
    }
    hi = hex4(s + 2);
    *p += 6;
    if (hi < 0xd800 || hi >= 0xdc00 || end - s < 12 || s[6] != '\\' || s[7] != 'u')
        return hi;
    lo = hex4(s + 8);
    if (lo < 0xdc00 || lo >= 0xe000)
        return hi;
    *p += 6;
    return 0x10000 + ((hi - 0xd800) << 10) + (lo - 0xdc00);
}

size_t json_unescape(char *out, const char *p, size_t n)
{
    const unsigned char *s = (const unsigned char *)p, *end = s + n;
    char *o = out;

    while (s < end) {
        const unsigned char *slash = memchr(s, '\\', (size_t)(end - s));
        size_t plain = (size_t)((slash ? slash : end) - s);

        memcpy(o, s, plain);
        o += plain;
        s += plain;
        if (slash)
            o += utf8_put_any(json_take_escape(&s, end), o);
    }
    return (size_t)(o - out);
}

/* Replace lone surrogates by U+FFFD in place: json_unescape() writes them as three bytes, too. */
static void replace_surrogates(char *p, size_t n)
{
    size_t i;

    for (i = 0; i + 2 < n; i++) {
        if ((unsigned char)p[i] == 0xed && (unsigned char)p[i + 1] >= 0xa0) {
            memcpy(p + i, "\xef\xbf\xbd", 3);
            i += 2;
        }
    }
}

struct bough_str json_span_str(struct bough_arena *a, struct bough_str raw)
{
    const char *in = raw.p + 1;
    size_t n = raw.n - 2, used;
    char *out;

    if (!memchr(in, '\\', n))
        return (struct bough_str){ arena_strndup(a, in, n), n };
    out = arena_alloc(a, n + 1);
    used = json_unescape(out, in, n);
    replace_surrogates(out, used);
    out[used] = '\0';
    return (struct bough_str){ arena_resize(a, out, n + 1, used + 1), used };
}

bool json_str(struct bough_arena *a, struct json j, struct bough_str *out)
{
    if (json_type(j) != JSON_STRING)
        return false;
    *out = json_span_str(a, json_raw(j));
    return true;
}

const char *json_cstr(struct bough_arena *a, struct json j, const char *key)
{
    struct bough_str s;
    struct json v;

    if (!json_get(j, key, &v) || !json_str(a, v, &s) || strlen(s.p) != s.n)
        return NULL;
    return s.p;
}

/* Decodes escapes while comparing, so that no memory is needed. */
bool json_span_is(struct bough_str raw, const char *s)
{
    const unsigned char *p = (const unsigned char *)raw.p + 1;
    const unsigned char *end = (const unsigned char *)raw.p + raw.n - 1;

    if (raw.n < 2) /* no quotes: not a string */
        return false;
    if (!memchr(p, '\\', (size_t)(end - p)))
        return strncmp((const char *)p, s, (size_t)(end - p)) == 0 && !s[end - p];
    while (p < end) {
        char one[4];
        size_t k = 1;

        if (*p == '\\')
            k = utf8_put_any(json_take_escape(&p, end), one);
        else
            one[0] = (char)*p++;
        if (one[0] == '\0' || strncmp(one, s, k) != 0)
            return false;
        s += k;
    }
    return *s == '\0';
}

bool json_is(struct json j, const char *s)
{
    const struct json_node *n = json_node(j);

    if (n->type != JSON_STRING)
        return false;
    if (n->escaped)
        return json_span_is(json_raw(j), s);
    if (*s && j.doc->text[n->off + 1] != *s) /* most names differ in their first byte */
        return false;
    return strlen(s) == n->len - 2 && memcmp(j.doc->text + n->off + 1, s, n->len - 2) == 0;
}

bool json_span_i64(struct bough_str raw, int64_t *v)
{
    bool minus = raw.n > 0 && raw.p[0] == '-';
    uint64_t u = 0;
    size_t i;

    if (raw.n == minus)
        return false;
    for (i = minus; i < raw.n; i++) {
        unsigned d = (unsigned char)raw.p[i] - '0';

        if (d > 9 || __builtin_mul_overflow(u, 10, &u) || __builtin_add_overflow(u, d, &u))
            return false;
    }
    if (u > (uint64_t)INT64_MAX + minus)
        return false;
    *v = minus ? (int64_t)(0 - u) : (int64_t)u;
    return true;
}

bool json_span_f64(struct bough_str raw, double *v)
{
    return json_number(raw, v);
}

bool json_i64(struct json j, int64_t *v)
{
    return json_type(j) == JSON_NUMBER && json_span_i64(json_raw(j), v);
}

bool json_f64(struct json j, double *v)
{
    return json_type(j) == JSON_NUMBER && json_number(json_raw(j), v);
}

bool json_bool(struct json j, bool *v)
{
    enum json_type type = json_type(j);

    if (type != JSON_TRUE && type != JSON_FALSE)
        return false;
    *v = type == JSON_TRUE;
    return true;
}
