/* Hashes for tables in memory, keyed with a secret so that chosen keys cannot make them slow. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The same within one process only: never store one. */
uint64_t hash_u64(uint64_t key);
uint64_t hash_bytes(const void *p, size_t n); /* SipHash-1-3 */

/* SipHash-1-3 under a given key; the tests compare it with known values. */
uint64_t hash_sip13(const uint64_t key[2], const void *p, size_t n);

#endif
