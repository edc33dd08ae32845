/* Base64 encoding and strict decoding. */
#include "base/text/base64.h"

#include <stdint.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_encode(const void *p, size_t n, char *out)
{
    const unsigned char *in = p;

    for (; n >= 3; n -= 3, in += 3) {
        uint32_t v = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];

        *out++ = letters[v >> 18];
        *out++ = letters[v >> 12 & 63];
        *out++ = letters[v >> 6 & 63];
        *out++ = letters[v & 63];
    }
    if (n) {
        uint32_t v = (uint32_t)in[0] << 16 | (n > 1 ? (uint32_t)in[1] << 8 : 0);

        *out++ = letters[v >> 18];
        *out++ = letters[v >> 12 & 63];
        *out++ = n > 1 ? letters[v >> 6 & 63] : '=';
        *out = '=';
    }
}

enum { BAD = 0xff };

#define B BAD
/* clang-format off */
static const unsigned char values[256] = {
    B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B,
    B, B, B, B, B, B, B, B, B, B, B, 62, B, B, B, 63,
    52, 53, 54, 55, 56, 57, 58, 59, 60, 61, B, B, B, B, B, B,
    B, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25,
    B, B, B, B, B,
    B, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48,
    49, 50, 51, B, B, B, B, B,
    B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B,
    B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B,
    B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B,
    B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B, B,
};
/* clang-format on */

/* Decode the last four characters, of which one or two are padding. Unused bits must be zero. */
static bool decode_end(const unsigned char *in, unsigned char *out, size_t *n)
{
    unsigned a = values[in[0]], b = values[in[1]], c = values[in[2]];

    if ((a | b) & 0xc0)
        return false;
    out[(*n)++] = (unsigned char)(a << 2 | b >> 4);
    if (in[2] == '=')
        return (b & 15) == 0;
    if (c & 0xc0)
        return false;
    out[(*n)++] = (unsigned char)(b << 4 | c >> 2);
    return (c & 3) == 0;
}

bool base64_decode(const char *p, size_t n, unsigned char *out, size_t *bytes)
{
    const unsigned char *in = (const unsigned char *)p, *end = in + n;
    size_t k = 0;

    *bytes = 0;
    if (n % 4)
        return false;
    for (; in < end; in += 4) {
        unsigned a = values[in[0]], b = values[in[1]], c = values[in[2]], d = values[in[3]];

        if ((a | b | c | d) & 0xc0) {
            if (in[3] != '=' || in + 4 != end || !decode_end(in, out, &k))
                return false;
            break;
        }
        out[k++] = (unsigned char)(a << 2 | b >> 4);
        out[k++] = (unsigned char)(b << 4 | c >> 2);
        out[k++] = (unsigned char)(c << 6 | d);
    }
    *bytes = k;
    return true;
}
