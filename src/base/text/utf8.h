/* UTF-8: validation, truncation at a character, reading and writing code points. Pure. */
#ifndef BASE_TEXT_UTF8_H
#define BASE_TEXT_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The offset of the first byte that is not part of valid UTF-8, or n when all n bytes are valid. */
size_t utf8_valid(const char *p, size_t n);

/* The largest length <= max (and <= n) that does not cut a character; p must be valid UTF-8. */
size_t utf8_cut(const char *p, size_t n, size_t max);

/*
 * Write a code point, no NUL; returns the number of bytes. Surrogates and values past 10FFFF
 * become U+FFFD.
 */
size_t utf8_put(uint32_t cp, char out[4]);

/* Read one code point; returns its length in bytes, or 0 when there is no valid one at p. */
size_t utf8_get(const char *p, size_t n, uint32_t *cp);

/* Is it white space of Unicode? */
bool utf8_is_space(uint32_t cp);

#endif
