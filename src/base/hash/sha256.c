/* SHA-256 over libcrypto. It fails only without memory or with a broken install: both abort. */
#include "base/hash/sha256.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void must(int ok)
{
    if (ok != 1) {
        fputs("bough: libcrypto cannot do SHA-256\n", stderr);
        abort();
    }
}

static EVP_MD *kept;

static void fetch(void)
{
    kept = EVP_MD_fetch(NULL, "SHA256", NULL);
    must(kept != NULL);
}

/* Fetched once: with EVP_sha256() libcrypto searches its providers for every hash, locked. */
static const EVP_MD *method(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, fetch);
    return kept;
}

void sha256(const void *p, size_t n, unsigned char out[SHA256_LEN])
{
    must(EVP_Digest(p, n, out, NULL, method(), NULL));
}

void sha256_init(struct sha256 *s)
{
    s->ctx = EVP_MD_CTX_new();
    must(s->ctx != NULL);
    must(EVP_DigestInit_ex(s->ctx, method(), NULL));
}

void sha256_update(struct sha256 *s, const void *p, size_t n)
{
    must(EVP_DigestUpdate(s->ctx, p, n));
}

void sha256_copy(struct sha256 *to, const struct sha256 *from)
{
    to->ctx = EVP_MD_CTX_new();
    must(to->ctx != NULL);
    must(EVP_MD_CTX_copy_ex(to->ctx, from->ctx));
}

void sha256_final(struct sha256 *s, unsigned char out[SHA256_LEN])
{
    must(EVP_DigestFinal_ex(s->ctx, out, NULL));
    sha256_finish(s);
}

void sha256_finish(struct sha256 *s)
{
    EVP_MD_CTX_free(s->ctx);
    s->ctx = NULL;
}

void sha256_hex(const unsigned char in[SHA256_LEN], char out[2 * SHA256_LEN + 1])
{
    static const char hex[] = "0123456789abcdef";
    int i;

    for (i = 0; i < SHA256_LEN; i++) {
        out[2 * i] = hex[in[i] >> 4];
        out[2 * i + 1] = hex[in[i] & 15];
    }
    out[2 * SHA256_LEN] = '\0';
}
