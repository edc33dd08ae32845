/* Variable-length integers: reading and writing. */
#include "base/memory/varint.h"

static uint64_t zigzag(int64_t v)
{
    return (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
}

size_t varint_put(uint64_t v, unsigned char out[VARINT_MAX])
{
    size_t n = 0;

    while (v >= 0x80) {
        out[n++] = (unsigned char)(v | 0x80);
        v >>= 7;
    }
    out[n++] = (unsigned char)v;
    return n;
}

size_t varint_put_i64(int64_t v, unsigned char out[VARINT_MAX])
{
    return varint_put(zigzag(v), out);
}

bool varint_get(const unsigned char **p, const unsigned char *end, uint64_t *v)
{
    const unsigned char *s = *p;
    uint64_t got = 0;
    int shift;

    for (shift = 0; shift < 64; shift += 7) {
        if (s == end)
            return false;
        if (shift == 63 && *s > 1)
            return false; /* the tenth byte has room for one bit */
        got |= (uint64_t)(*s & 0x7f) << shift;
        if (*s++ < 0x80) {
            *p = s;
            *v = got;
            return true;
        }
    }
    return false;
}

bool varint_get_i64(const unsigned char **p, const unsigned char *end, int64_t *v)
{
    uint64_t u;

    if (!varint_get(p, end, &u))
        return false;
    *v = (int64_t)(u >> 1 ^ (u & 1 ? UINT64_MAX : 0));
    return true;
}

void buf_put_varint(struct buf *b, uint64_t v)
{
    unsigned char out[VARINT_MAX];

    buf_put(b, out, varint_put(v, out));
}

void buf_put_varint_i64(struct buf *b, int64_t v)
{
    buf_put_varint(b, zigzag(v));
}
