/* Base64 of RFC 4648, strict: padding is required, line breaks and other characters are errors. */
#ifndef BASE_TEXT_BASE64_H
#define BASE_TEXT_BASE64_H

#include <stdbool.h>
#include <stddef.h>

static inline size_t base64_length(size_t bytes)
{
    return (bytes + 2) / 3 * 4;
}

/* Writes base64_length(n) characters to `out`, no NUL. */
void base64_encode(const void *p, size_t n, char *out);

/*
 * Decode n characters into `out`, which must have room for n / 4 * 3 bytes; *bytes is set to the
 * number written. Returns false, with *bytes 0, unless encoding the result gives exactly the same
 * text (so the unused bits of the last character must be zero).
 */
bool base64_decode(const char *p, size_t n, unsigned char *out, size_t *bytes);

#endif
