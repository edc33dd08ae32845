/* Base64 as RFC 4648 writes it, with padding and without line breaks; nothing else is accepted. */
#ifndef BASE_BASE64_H
#define BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

static inline size_t base64_length(size_t bytes)
{
    return (bytes + 2) / 3 * 4;
}

/* Writes base64_length(n) characters, no NUL. */
void base64_encode(const void *p, size_t n, char *out);

/*
 * Into `out`, which has room for n / 4 * 3 bytes; *bytes is how many there are. False unless
 * encoding them again gives the very same text.
 */
bool base64_decode(const char *p, size_t n, unsigned char *out, size_t *bytes);

#endif
