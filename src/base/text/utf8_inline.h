/* UTF-8: two low-level functions that the JSON code needs inlined. Private to base/. */
#ifndef BASE_TEXT_UTF8_INLINE_H
#define BASE_TEXT_UTF8_INLINE_H

#include <stddef.h>
#include <stdint.h>

/*
 * The length of the well-formed sequence of two to four bytes at p, or 0. Requires p < end and
 * *p >= 0x80. The ranges are those of table 3-7 of the Unicode standard: no overlong forms, no
 * surrogates, no value past 10FFFF.
 */
static inline size_t utf8_sequence(const unsigned char *p, const unsigned char *end)
{
    size_t left = (size_t)(end - p);
    unsigned c = p[0];

    if (c >= 0xe0 && c < 0xf0) {
        if (left < 3 || (p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80)
            return 0;
        return (c == 0xe0 && p[1] < 0xa0) || (c == 0xed && p[1] > 0x9f) ? 0 : 3;
    }
    if (c >= 0xc2 && c < 0xe0)
        return left >= 2 && (p[1] & 0xc0) == 0x80 ? 2 : 0;
    if (c < 0xf0 || c > 0xf4 || left < 4)
        return 0;
    if ((p[1] & 0xc0) != 0x80 || (p[2] & 0xc0) != 0x80 || (p[3] & 0xc0) != 0x80)
        return 0;
    return (c == 0xf0 && p[1] < 0x90) || (c == 0xf4 && p[1] > 0x8f) ? 0 : 4;
}

/*
 * Write any value below 110000 hex, surrogates included: JSON escapes may encode lone ones.
 * Returns the number of bytes.
 */
static inline size_t utf8_put_any(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xc0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3f));
        return 2;
    }
    if (cp < 0x10000) {
        out[0] = (char)(0xe0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3f));
        out[2] = (char)(0x80 | (cp & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | cp >> 18);
    out[1] = (char)(0x80 | (cp >> 12 & 0x3f));
    out[2] = (char)(0x80 | (cp >> 6 & 0x3f));
    out[3] = (char)(0x80 | (cp & 0x3f));
    return 4;
}

#endif
