/* JSON: what is inside raw spans: texts that are blank, halves of surrogate pairs. */
#include "base/json/span.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "base/memory/arena.h"
#include "base/text/utf8.h"

struct bough_str json_span_text(struct bough_arena *a, struct bough_str string)
{
    return string.n < 2 ? (struct bough_str){ "", 0 } : json_span_str(a, string);
}

bool json_span_blank(struct bough_str string)
{
    const unsigned char *p = (const unsigned char *)string.p + 1, *end;
    uint32_t c;

    if (string.n <= 2)
        return true;
    end = (const unsigned char *)string.p + string.n - 1;
    while (p < end) {
        if (*p == '\\') {
            c = json_take_escape(&p, end);
        } else if (*p < 0x80) {
            c = *p++;
        } else {
            size_t k = utf8_get((const char *)p, (size_t)(end - p), &c);

            p += k ? k : 1;
        }
        if (!utf8_is_space(c) && (c < 0x1c || c > 0x1f))
            return false;
    }
    return true;
}

/* ---- surrogates ---- */

static unsigned hex4(const unsigned char *p)
{
    unsigned v = 0;

    for (int i = 0; i < 4; i++)
        v = v << 4 | (p[i] <= '9' ? p[i] - '0' : (p[i] | 0x20) - 'a' + 10);
    return v;
}

/* At a backslash: is this \uXXXX in the given 1024 values? */
static bool escaped_in(const unsigned char *p, const unsigned char *end, unsigned base)
{
    return end - p >= 6 && p[0] == '\\' && p[1] == 'u' && (hex4(p + 2) & 0xfc00) == base;
}

#if defined(__SSE2__)
/* A byte of all ones for each of 16 positions at which "\u" begins. */
static inline __m128i escapes(const char *p, __m128i slash, __m128i u)
{
    return _mm_and_si128(_mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)p), slash),
                         _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(p + 1)), u));
}
#endif

/* The next "\u" at or behind p, or NULL. */
static const char *next_escape(const char *p, const char *end)
{
#if defined(__SSE2__)
    const __m128i slash = _mm_set1_epi8('\\'), u = _mm_set1_epi8('u');

    for (; end - p >= 65; p += 64) { /* one branch for 64 bytes */
        __m128i one = escapes(p, slash, u), two = escapes(p + 16, slash, u);
        __m128i three = escapes(p + 32, slash, u), four = escapes(p + 48, slash, u);

        if (_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(one, two), _mm_or_si128(three, four))))
            break;
    }
    for (; end - p >= 17; p += 16)
        if (_mm_movemask_epi8(escapes(p, slash, u)))
            break;
#endif
    for (; end - p >= 2; p++)
        if (p[0] == '\\' && p[1] == 'u')
            return p;
    return NULL;
}

bool json_span_surrogates(struct bough_str span)
{
    const char *p = span.n ? memchr(span.p, '\\', span.n) : NULL, *end = span.p + span.n;

    while (p && (p = next_escape(p, end)) != NULL) {
        if (end - p >= 6 && (p[2] | 0x20) == 'd' && p[3] >= '8')
            return true;
        p += 2;
    }
    return false;
}

struct bough_str json_span_mend(struct bough_arena *a, struct bough_str span)
{
    const unsigned char *p = (const unsigned char *)span.p, *end = p + span.n;
    char *out = NULL;

    while (p && (p = memchr(p, '\\', (size_t)(end - p))) != NULL) {
        bool high = escaped_in(p, end, 0xd800);

        if (high && escaped_in(p + 6, end, 0xdc00)) {
            p += 12;
            continue;
        }
        if (high || escaped_in(p, end, 0xdc00)) {
            size_t at = (size_t)(p - (const unsigned char *)span.p);

            if (!out) { /* the replacement is as long as the escape */
                out = arena_dup(a, span.p, span.n);
                span.p = out;
                p = (const unsigned char *)out + at;
                end = (const unsigned char *)out + span.n;
            }
            memcpy(out + at, "\\ufffd", 6);
        }
        p += 2;
    }
    return span;
}
