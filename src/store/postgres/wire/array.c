/* Build PostgreSQL arrays from numbers and from columns of rows. */
#include "store/postgres/wire/array.h"

#include <string.h>

#include "base/text/str.h"

char *put_u32(char *p, uint32_t v)
{
    for (int i = 3; i >= 0; i--, v >>= 8)
        p[i] = (char)v;
    return p + 4;
}

size_t array_head(char *p, uint32_t oid, size_t n, bool nulls)
{
    p = put_u32(p, n > 0); /* dimensions */
    p = put_u32(p, nulls);
    p = put_u32(p, oid);
    p = put_u32(p, (uint32_t)n);
    put_u32(p, 1); /* lower bound */
    return n ? ARRAY_HEAD : 12;
}

/* One column of n rows as an array. */
static struct bough_str column(struct bough_arena *a, const struct args *rows, size_t n, int col,
                               uint32_t oid)
{
    size_t size = ARRAY_HEAD + 4 * n;
    bool nulls = false;
    char *out, *p;

    for (size_t i = 0; i < n; i++) {
        size += rows[i].p[col] ? (size_t)rows[i].len[col] : 0;
        nulls |= !rows[i].p[col];
    }
    out = arena_alloc(a, size);
    p = out + array_head(out, oid, n, nulls);
    for (size_t i = 0; i < n; i++) {
        size_t len = rows[i].p[col] ? (size_t)rows[i].len[col] : 0;

        p = put_u32(p, rows[i].p[col] ? (uint32_t)len : (uint32_t)ARRAY_NULL);
        if (len)
            memcpy(p, rows[i].p[col], len);
        p += len;
    }
    return str_make(out, (size_t)(p - out));
}

struct bough_str array_of_numbers(struct bough_arena *a, const int64_t *at, size_t n)
{
    char *out = arena_alloc(a, ARRAY_HEAD + 12 * n);
    char *p = out + array_head(out, OID_BIGINT, n, false);

    for (size_t i = 0; i < n; i++) {
        p = put_u32(p, 8);
        p = put_u32(p, (uint32_t)((uint64_t)at[i] >> 32));
        p = put_u32(p, (uint32_t)at[i]);
    }
    return str_make(out, (size_t)(p - out));
}

void args_columns(struct bough_arena *a, struct args *out, const struct args *rows, size_t n,
                  const char *types)
{
    for (int col = 0; types[col]; col++)
        args_str(out, column(a, rows, n, col,
                             types[col] == 'I'   ? OID_BIGINT
                             : types[col] == 'B' ? OID_BYTEA
                                                 : OID_TEXT));
}
