/* UTF-8: checking, cutting at a character, one code point at a time. Pure. */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The offset of the first byte that is not part of valid UTF-8, or n when all is well. */
size_t utf8_valid(const char *p, size_t n);

/* The largest length <= max (and <= n) that does not cut a character of valid UTF-8. */
size_t utf8_cut(const char *p, size_t n, size_t max);

/* Write a code point; how many bytes. Surrogates and values past 10FFFF become U+FFFD. */
size_t utf8_put(uint32_t cp, char out[4]);

/* Read one code point; how many bytes it takes, 0 when there is no valid one at p. */
size_t utf8_get(const char *p, size_t n, uint32_t *cp);

#endif
