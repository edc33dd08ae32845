/* UTF-8: validation, truncation, single code points. */
#include "base/text/utf8.h"

#include "base/text/utf8_inline.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#else
#include <string.h>
#endif

/* How many leading bytes are ASCII, counted in whole blocks; the caller checks the rest. */
static size_t skip_ascii(const unsigned char *p, size_t n)
{
    size_t i = 0;

#if defined(__SSE2__)
    while (n - i >= 16 && !_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(p + i))))
        i += 16;
#else
    uint64_t w;

    while (n - i >= 8) {
        memcpy(&w, p + i, 8);
        if (w & UINT64_C(0x8080808080808080))
            break;
        i += 8;
    }
#endif
    return i;
}

size_t utf8_valid(const char *p, size_t n)
{
    const unsigned char *s = (const unsigned char *)p;
    size_t i = 0;

    while (i < n) {
        size_t k;

        i += skip_ascii(s + i, n - i);
        while (i < n && s[i] < 0x80)
            i++;
        for (; i < n && s[i] >= 0x80; i += k) {
            k = utf8_sequence(s + i, s + n);
            if (!k)
                return i;
        }
    }
    return n;
}

size_t utf8_cut(const char *p, size_t n, size_t max)
{
    size_t back;

    if (n <= max)
        return n;
    /* A character has at most four bytes, so in valid text its start is at most three back. */
    for (back = 0; back < 4 && back <= max; back++)
        if (((unsigned char)p[max - back] & 0xc0) != 0x80)
            return max - back;
    return max;
}

size_t utf8_put(uint32_t cp, char out[4])
{
    if ((cp >= 0xd800 && cp < 0xe000) || cp > 0x10ffff)
        cp = 0xfffd;
    return utf8_put_any(cp, out);
}

size_t utf8_get(const char *p, size_t n, uint32_t *cp)
{
    const unsigned char *s = (const unsigned char *)p;
    size_t k;

    if (n == 0)
        return 0;
    if (s[0] < 0x80) {
        *cp = s[0];
        return 1;
    }
    k = utf8_sequence(s, s + n);
    if (k == 2)
        *cp = (s[0] & 0x1fu) << 6 | (s[1] & 0x3fu);
    else if (k == 3)
        *cp = (s[0] & 0x0fu) << 12 | (s[1] & 0x3fu) << 6 | (s[2] & 0x3fu);
    else if (k == 4)
        *cp = (s[0] & 0x07u) << 18 | (s[1] & 0x3fu) << 12 | (s[2] & 0x3fu) << 6 | (s[3] & 0x3fu);
    return k;
}

bool utf8_is_space(uint32_t cp)
{
    return cp == ' ' || (cp >= '\t' && cp <= '\r') || cp == 0x85 || cp == 0xa0 || cp == 0x1680 ||
           (cp >= 0x2000 && cp <= 0x200a) || cp == 0x2028 || cp == 0x2029 || cp == 0x202f ||
           cp == 0x205f || cp == 0x3000;
}
