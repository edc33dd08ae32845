/* Lower half of the JSON scanner: white space, strings and numbers. All functions are inlined. */
#ifndef BASE_JSON_LEX_H
#define BASE_JSON_LEX_H

#include <string.h>

#include "base/json/pull.h"
#include "base/text/utf8_inline.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#define SCAN_INLINE static inline __attribute__((always_inline))
#define SCAN_RARE(x) __builtin_expect(!!(x), 0)

/* The byte at p, or 0 at the end: a NUL is valid nowhere in JSON. */
SCAN_INLINE unsigned scan_peek(const struct json_scan *s)
{
    return SCAN_RARE(s->p == s->end) ? 0 : *s->p;
}

SCAN_INLINE bool scan_is_space(unsigned c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

SCAN_INLINE void scan_space(struct json_scan *s)
{
    while (s->p != s->end && *s->p <= ' ' && scan_is_space(*s->p))
        s->p++;
}

/*
 * The first byte at or after p that needs attention inside a string: a quote, a backslash, a
 * control character, or a byte beyond ASCII; `end` if there is none.
 */
SCAN_INLINE const unsigned char *scan_plain(const unsigned char *p, const unsigned char *end)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"'), slash = _mm_set1_epi8('\\');
    const __m128i space = _mm_set1_epi8(' ');

    for (; end - p >= 16; p += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)p);
        __m128i stop = _mm_or_si128(_mm_cmpeq_epi8(x, quote), _mm_cmpeq_epi8(x, slash));
        unsigned mask; /* the signed comparison also catches bytes from 0x80 on */

        mask = (unsigned)_mm_movemask_epi8(_mm_or_si128(stop, _mm_cmplt_epi8(x, space)));
        if (mask)
            return p + __builtin_ctz(mask);
    }
#else
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;

    for (; end - p >= 8; p += 8) {
        uint64_t x, quote, slash;

        memcpy(&x, p, 8);
        quote = x ^ (ones * '"');
        slash = x ^ (ones * '\\');
        /* May stop too early (borrow from a lower byte), never too late; the loop below checks. */
        if (((x - ones * ' ') | x | (quote - ones) | (slash - ones)) & high)
            break;
    }
#endif
    while (p != end && *p >= ' ' && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return p;
}

SCAN_INLINE bool scan_hex4(const unsigned char *p)
{
    int i;

    for (i = 0; i < 4; i++) {
        unsigned c = p[i] | 0x20u;

        if (!((p[i] >= '0' && p[i] <= '9') || (c >= 'a' && c <= 'f')))
            return false;
    }
    return true;
}

/* At a backslash: move past the escape, or return false. Accepts lone surrogates in \uXXXX. */
SCAN_INLINE bool scan_escape(struct json_scan *s)
{
    if (s->end - s->p < 2)
        return false;
    switch (s->p[1]) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't':
        s->p += 2;
        return true;
    case 'u':
        if (s->end - s->p < 6 || !scan_hex4(s->p + 2))
            return false;
        s->p += 6;
        return true;
    default:
        return false;
    }
}

/* At the opening quote: move past the closing one. On failure set `why` and return false. */
SCAN_INLINE bool scan_string(struct json_scan *s, bool *escaped)
{
    *escaped = false;
    s->p++;
    for (;;) {
        s->p = scan_plain(s->p, s->end);
        if (SCAN_RARE(s->p == s->end)) {
            s->why = "the string does not end";
            return false;
        }
        if (*s->p == '"') {
            s->p++;
            return true;
        }
        if (*s->p == '\\') {
            *escaped = true;
            if (SCAN_RARE(!scan_escape(s))) {
                s->why = "there is no such escape";
                return false;
            }
        } else if (SCAN_RARE(*s->p < 0x80)) {
            s->why = "a control character must be escaped";
            return false;
        } else {
            size_t k;

            /* Characters beyond ASCII come in runs: stay in this loop for the whole run. */
            do {
                k = utf8_sequence(s->p, s->end);
                s->p += k;
            } while (k && s->p != s->end && *s->p >= 0x80);
            if (SCAN_RARE(!k)) {
                s->why = "these bytes are not UTF-8";
                return false;
            }
        }
    }
}

SCAN_INLINE bool scan_digits(struct json_scan *s)
{
    const unsigned char *from = s->p;

    while (s->p != s->end && (unsigned)(*s->p - '0') < 10)
        s->p++;
    return s->p != from;
}

/* At a minus or a digit: move past the number, or return false. */
SCAN_INLINE bool scan_number(struct json_scan *s)
{
    if (*s->p == '-')
        s->p++;
    if (scan_peek(s) == '0')
        s->p++; /* no digit may follow a leading zero */
    else if (!scan_digits(s))
        return false;
    if (scan_peek(s) == '.') {
        s->p++;
        if (!scan_digits(s))
            return false;
    }
    if ((scan_peek(s) | 0x20) == 'e') {
        s->p++;
        if (scan_peek(s) == '+' || scan_peek(s) == '-')
            s->p++;
        return scan_digits(s);
    }
    return true;
}

#endif
