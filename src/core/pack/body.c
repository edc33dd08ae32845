/* Bodies: packing a struct into bytes and back, driven by a table of its fields. Pure. */
#include "core/pack/body.h"

#include <string.h>

#include "base/hash/crc32c.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/memory/varint.h"
#include "base/text/str.h"

enum { SUM = 4 };

static struct bough_str bytes_of(const struct body_field *f, const void *from)
{
    const char *at = (const char *)from + f->offset;

    if (f->type == FIELD_STR)
        return *(const struct bough_str *)(const void *)at;
    return str_of(*(const char *const *)(const void *)at);
}

static int64_t number_of(const struct body_field *f, const void *from)
{
    const char *at = (const char *)from + f->offset;

    if (f->type == FIELD_BOOL)
        return *(const bool *)at;
    return *(const int64_t *)(const void *)at;
}

static bool is_bytes(const struct body_field *f)
{
    return f->type == FIELD_CSTR || f->type == FIELD_STR;
}

static size_t size_of(const struct body_field *table, const void *from)
{
    size_t n = SUM;

    for (const struct body_field *f = table; f->tag; f++)
        n += 2 * VARINT_MAX + 1 + (is_bytes(f) ? bytes_of(f, from).n : 0);
    return n;
}

static unsigned char *put_bytes(unsigned char *p, int tag, struct bough_str s)
{
    p += varint_put((uint64_t)tag * 2 + 1, p);
    p += varint_put(s.n, p);
    memcpy(p, s.p, s.n);
    p[s.n] = 0;
    return p + s.n + 1;
}

struct bough_str body_pack(struct bough_arena *a, const struct body_field *table, const void *from)
{
    unsigned char *start = arena_alloc(a, size_of(table, from)), *p = start + SUM;
    uint32_t sum;

    for (const struct body_field *f = table; f->tag; f++) {
        if (is_bytes(f)) {
            struct bough_str s = bytes_of(f, from);

            if (s.n)
                p = put_bytes(p, f->tag, s);
            continue;
        }
        if (number_of(f, from)) {
            p += varint_put((uint64_t)f->tag * 2, p);
            p += varint_put_i64(number_of(f, from), p);
        }
    }
    sum = crc32c(0, start + SUM, (size_t)(p - start) - SUM);
    for (int i = 0; i < SUM; i++)
        start[i] = (unsigned char)(sum >> (8 * i));
    return str_make((char *)start, (size_t)(p - start));
}

void body_clear(const struct body_field *table, void *to)
{
    for (const struct body_field *f = table; f->tag; f++) {
        char *at = (char *)to + f->offset;

        switch (f->type) {
        case FIELD_I64:
            *(int64_t *)(void *)at = 0;
            break;
        case FIELD_BOOL:
            *(bool *)at = false;
            break;
        case FIELD_CSTR:
            *(const char **)(void *)at = "";
            break;
        case FIELD_STR:
            *(struct bough_str *)(void *)at = str_of("");
            break;
        }
    }
}

/* Bodies are written in table order, so the next tag is usually found right after the last. */
static const struct body_field *find(const struct body_field *table, const struct body_field *from,
                                     int tag)
{
    for (const struct body_field *f = from; f->tag; f++)
        if (f->tag == tag)
            return f;
    for (const struct body_field *f = table; f != from; f++)
        if (f->tag == tag)
            return f;
    return NULL;
}

static void set_number(const struct body_field *f, void *to, int64_t v)
{
    char *at = (char *)to + f->offset;

    if (f->type == FIELD_I64)
        *(int64_t *)(void *)at = v;
    else if (f->type == FIELD_BOOL)
        *(bool *)at = v != 0;
}

static void set_bytes(const struct body_field *f, void *to, const char *p, size_t n)
{
    char *at = (char *)to + f->offset;

    if (f->type == FIELD_CSTR)
        *(const char **)(void *)at = p;
    else if (f->type == FIELD_STR)
        *(struct bough_str *)(void *)at = str_make(p, n);
}

static bool read_one(const struct body_field *table, const struct body_field **last,
                     const unsigned char **p, const unsigned char *end, void *to)
{
    const struct body_field *f;
    uint64_t head, n;
    int64_t v;

    if (!varint_get(p, end, &head))
        return false;
    f = find(table, *last, (int)(head / 2));
    if (f)
        *last = f;
    if (!(head & 1)) {
        if (!varint_get_i64(p, end, &v))
            return false;
        if (f)
            set_number(f, to, v);
        return true;
    }
    if (!varint_get(p, end, &n) || n >= (uint64_t)(end - *p) || (*p)[n])
        return false;
    if (f)
        set_bytes(f, to, (const char *)*p, (size_t)n);
    *p += n + 1;
    return true;
}

enum bough_rc body_read(const struct body_field *table, struct bough_str body, void *to,
                        struct bough_error *err)
{
    const unsigned char *p = (const unsigned char *)body.p, *end = p + body.n;
    const struct body_field *last = table;
    uint32_t sum = 0;

    body_clear(table, to);
    if (body.n < SUM)
        return bough_fail(err, BOUGH_CORRUPT, "a stored row is cut short");
    for (int i = SUM - 1; i >= 0; i--)
        sum = sum << 8 | p[i];
    p += SUM;
    if (sum != crc32c(0, p, (size_t)(end - p)))
        return bough_fail(err, BOUGH_CORRUPT, "a stored row does not match its checksum");
    while (p < end)
        if (!read_one(table, &last, &p, end, to))
            return bough_fail(err, BOUGH_CORRUPT, "a stored row cannot be read");
    return BOUGH_OK;
}

struct bough_str body_json(struct bough_arena *a, const struct body_field *table, const void *from)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, 4 * size_of(table, from) + 4096);
    jw_init(&w, &b);
    jw_obj(&w);
    for (const struct body_field *f = table; f->tag; f++) {
        if (f->type == FIELD_STR)
            jw_opt_raw(&w, f->name, bytes_of(f, from));
        else if (f->type == FIELD_CSTR)
            jw_opt_str(&w, f->name, bytes_of(f, from));
        else
            jw_opt_i64(&w, f->name, number_of(f, from));
    }
    jw_end_obj(&w);
    out = b.over ? str_of("{}") : str_make(arena_strndup(a, b.p, b.n), b.n);
    buf_finish(&b);
    return out;
}
