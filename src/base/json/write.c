/* JSON: the writer behind json_write.h. */
#include "base/json/write.h"

#include <math.h>
#include <string.h>

#include "base/json/lex.h"
#include "base/json/tree.h"
#include "base/text/str.h"

void jw_init(struct json_writer *w, struct buf *out)
{
    *w = (struct json_writer){ .out = out, .start = out->n };
}

bool jw_has_breaks(const struct json_writer *w)
{
    const char *p = w->out->p + w->start;
    size_t n = w->out->n - w->start;

    return n && (memchr(p, '\n', n) || memchr(p, '\r', n));
}

void jw_drop_breaks(struct json_writer *w)
{
    size_t to = w->start;

    if (!jw_has_breaks(w))
        return;
    for (size_t i = w->start; i < w->out->n; i++)
        if (w->out->p[i] != '\n' && w->out->p[i] != '\r')
            w->out->p[to++] = w->out->p[i];
    w->out->n = to;
}

static inline void before(struct json_writer *w)
{
    if (w->comma)
        buf_putc(w->out, ',');
    w->comma = true;
}

static void begin(struct json_writer *w, char c)
{
    before(w);
    buf_putc(w->out, c);
    w->comma = false;
}

static void end(struct json_writer *w, char c)
{
    buf_putc(w->out, c);
    w->comma = true;
}

void jw_obj(struct json_writer *w)
{
    begin(w, '{');
}

void jw_end_obj(struct json_writer *w)
{
    end(w, '}');
}

void jw_arr(struct json_writer *w)
{
    begin(w, '[');
}

void jw_end_arr(struct json_writer *w)
{
    end(w, ']');
}

/* Write a quote, a backslash or a control character as an escape. */
static void put_escape(struct buf *out, unsigned char c)
{
    static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
    const char *at = c ? strchr(from, c) : NULL;

    if (at)
        buf_printf(out, "\\%c", to[at - from]);
    else
        buf_printf(out, "\\u%04x", c);
}

/* Write the character at p, where scan_plain() stopped. Returns how many bytes were consumed. */
static size_t put_special(struct buf *out, const unsigned char *p, const unsigned char *stop)
{
    size_t k;

    if (*p < 0x80) {
        put_escape(out, *p);
        return 1;
    }
    k = utf8_sequence(p, stop);
    if (!k) {
        buf_put(out, "\xef\xbf\xbd", 3);
        return 1;
    }
    /* U+2028 and U+2029 end lines in older JavaScript; escaped, the output is valid in a script. */
    if (k == 3 && p[0] == 0xe2 && p[1] == 0x80 && (p[2] & 0xfe) == 0xa8)
        buf_puts(out, p[2] == 0xa8 ? "\\u2028" : "\\u2029");
    else
        buf_put(out, p, k);
    return k;
}

void json_escape(struct buf *out, struct bough_str s)
{
    const unsigned char *p = (const unsigned char *)s.p, *stop = p + s.n;

    while (p != stop) {
        const unsigned char *plain = scan_plain(p, stop);

        buf_put(out, p, (size_t)(plain - p));
        p = plain;
        if (p != stop)
            p += put_special(out, p, stop);
    }
}

static void put_string(struct buf *out, struct bough_str s)
{
    const unsigned char *p = (const unsigned char *)s.p;
    char *to;

    /* Fast path: nearly every string is short and needs no escape. */
    if (s.n <= 64 && scan_plain(p, p + s.n) == p + s.n && (to = buf_reserve(out, s.n + 2))) {
        to[0] = '"';
        if (s.n)
            memcpy(to + 1, p, s.n);
        to[s.n + 1] = '"';
        out->n += s.n + 2;
        buf_end(out);
        return;
    }
    buf_putc(out, '"');
    json_escape(out, s);
    buf_putc(out, '"');
}

void jw_key_str(struct json_writer *w, struct bough_str key)
{
    before(w);
    put_string(w->out, str_make(key.p, key.n));
    buf_putc(w->out, ':');
    w->comma = false;
}

void jw_key(struct json_writer *w, const char *key)
{
    jw_key_str(w, str_of(key));
}

void jw_str(struct json_writer *w, struct bough_str s)
{
    before(w);
    put_string(w->out, str_make(s.p, s.n));
}

void jw_cstr(struct json_writer *w, const char *s)
{
    if (s)
        jw_str(w, str_of(s));
    else
        jw_null(w);
}

void jw_u64(struct json_writer *w, uint64_t v)
{
    char digits[20];
    size_t at = sizeof digits;

    before(w);
    do {
        digits[--at] = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    buf_put(w->out, digits + at, sizeof digits - at);
}

void jw_i64(struct json_writer *w, int64_t v)
{
    if (v >= 0) {
        jw_u64(w, (uint64_t)v);
        return;
    }
    before(w);
    buf_putc(w->out, '-');
    w->comma = false;
    jw_u64(w, 0 - (uint64_t)v);
}

void jw_f64(struct json_writer *w, double v)
{
    char text[32];

    if (!isfinite(v)) {
        jw_null(w); /* JSON has no infinity or NaN */
        return;
    }
    before(w);
    buf_put(w->out, text, json_number_text(v, text));
}

void jw_bool(struct json_writer *w, bool v)
{
    before(w);
    buf_puts(w->out, v ? "true" : "false");
}

void jw_null(struct json_writer *w)
{
    before(w);
    buf_puts(w->out, "null");
}

void jw_raw(struct json_writer *w, struct bough_str json)
{
    if (str_empty(json)) {
        jw_null(w);
        return;
    }
    before(w);
    buf_put_str(w->out, json);
}

void jw_kv_cstr(struct json_writer *w, const char *key, const char *s)
{
    jw_key(w, key);
    jw_cstr(w, s);
}

void jw_kv_str(struct json_writer *w, const char *key, struct bough_str s)
{
    jw_key(w, key);
    jw_str(w, s);
}

void jw_kv_i64(struct json_writer *w, const char *key, int64_t v)
{
    jw_key(w, key);
    jw_i64(w, v);
}

void jw_kv_bool(struct json_writer *w, const char *key, bool v)
{
    jw_key(w, key);
    jw_bool(w, v);
}

void jw_kv_raw(struct json_writer *w, const char *key, struct bough_str json)
{
    jw_key(w, key);
    jw_raw(w, json);
}

void jw_opt_cstr(struct json_writer *w, const char *key, const char *s)
{
    if (!cstr_empty(s))
        jw_kv_cstr(w, key, s);
}

void jw_opt_str(struct json_writer *w, const char *key, struct bough_str s)
{
    if (!str_empty(s))
        jw_kv_str(w, key, s);
}

void jw_opt_i64(struct json_writer *w, const char *key, int64_t v)
{
    if (v)
        jw_kv_i64(w, key, v);
}

void jw_opt_raw(struct json_writer *w, const char *key, struct bough_str json)
{
    if (!str_empty(json))
        jw_kv_raw(w, key, json);
}
