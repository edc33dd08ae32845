/* SHA-256, a thin layer over libcrypto. Failures of libcrypto abort. */
#ifndef BASE_HASH_SHA256_H
#define BASE_HASH_SHA256_H

#include <stddef.h>

#define SHA256_LEN 32

void sha256(const void *p, size_t n, unsigned char out[SHA256_LEN]);

/* Incremental: init, update as often as needed, then final (which also frees) or finish. */
struct sha256 {
    void *ctx;
};

void sha256_init(struct sha256 *s);
void sha256_update(struct sha256 *s, const void *p, size_t n);
void sha256_copy(struct sha256 *to, const struct sha256 *from); /* initialises `to` */
void sha256_final(struct sha256 *s, unsigned char out[SHA256_LEN]);
void sha256_finish(struct sha256 *s); /* frees without a result; allowed after final */

/* 64 lower-case hex digits and a NUL. */
void sha256_hex(const unsigned char in[SHA256_LEN], char out[2 * SHA256_LEN + 1]);

#endif
