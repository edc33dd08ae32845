/* Numbers in 1 to 10 bytes, seven bits each, lowest first. Pure. */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define VARINT_MAX 10

/* Write; how many bytes. */
size_t varint_put(uint64_t v, unsigned char out[VARINT_MAX]);
size_t varint_put_i64(int64_t v, unsigned char out[VARINT_MAX]); /* zigzag: small either sign */

/*
 * Read at *p and move it on. False, with *p where it was, when the bytes end too early or hold
 * more than 64 bits.
 */
bool varint_get(const unsigned char **p, const unsigned char *end, uint64_t *v);
bool varint_get_i64(const unsigned char **p, const unsigned char *end, int64_t *v);

void buf_put_varint(struct buf *b, uint64_t v);
void buf_put_varint_i64(struct buf *b, int64_t v);

#endif
