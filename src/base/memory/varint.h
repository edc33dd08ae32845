/* Variable-length integers: 1 to 10 bytes of seven bits each, lowest bits first. Pure. */
#ifndef BASE_MEMORY_VARINT_H
#define BASE_MEMORY_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/buf.h"

#define VARINT_MAX 10

/* Write a number; returns the number of bytes. */
size_t varint_put(uint64_t v, unsigned char out[VARINT_MAX]);
size_t varint_put_i64(int64_t v, unsigned char out[VARINT_MAX]); /* zigzag: short for either sign */

/*
 * Read a number at *p and advance *p. False, with *p and *v untouched, when the bytes end too
 * early or hold more than 64 bits. Padded encodings are accepted.
 */
bool varint_get(const unsigned char **p, const unsigned char *end, uint64_t *v);
bool varint_get_i64(const unsigned char **p, const unsigned char *end, int64_t *v);

void buf_put_varint(struct buf *b, uint64_t v);
void buf_put_varint_i64(struct buf *b, int64_t v);

#endif
