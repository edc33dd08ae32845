/* CRC-32C (Castagnoli): the checksum on stored rows. */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Start with seed 0; to go on over more bytes pass the last result. */
uint32_t crc32c(uint32_t seed, const void *p, size_t n);

/* The portable half, whatever the CPU can do; the tests compare the two. */
uint32_t crc32c_soft(uint32_t seed, const void *p, size_t n);

#endif
