/* Hashes for tables in memory, keyed with a secret so that chosen keys cannot force collisions. */
#ifndef BASE_HASH_HASH_H
#define BASE_HASH_HASH_H

#include <stddef.h>
#include <stdint.h>

/* The secret is random per process: never store or send these hashes. */
uint64_t hash_u64(uint64_t key);
uint64_t hash_bytes(const void *p, size_t n); /* SipHash-1-3 */

/* SipHash-1-3 under the caller's key: the same value in every process. */
uint64_t hash_sip13(const uint64_t key[2], const void *p, size_t n);

#endif
