/* CRC-32C (Castagnoli): the checksum on stored rows. */
#ifndef BASE_HASH_CRC32C_H
#define BASE_HASH_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Start with seed 0. To continue over more bytes, pass the previous result as the seed. */
uint32_t crc32c(uint32_t seed, const void *p, size_t n);

/* The portable implementation, for CPUs without the instruction and for the tests. */
uint32_t crc32c_soft(uint32_t seed, const void *p, size_t n);

#endif
