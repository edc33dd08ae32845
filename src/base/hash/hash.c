/* SipHash-1-3 for strings and a keyed multiply for numbers, under one secret per process. */
#include "base/hash/hash.h"

#include <pthread.h>
#include <string.h>

#include "base/env.h"

/* The secret of this process; written once, by pthread_once, before the first read. */
static uint64_t secret[2];
static pthread_once_t secret_once = PTHREAD_ONCE_INIT;

static void draw_secret(void)
{
    env_random(&env_system, secret, sizeof secret);
}

static const uint64_t *get_secret(void)
{
    pthread_once(&secret_once, draw_secret);
    return secret;
}

static inline uint64_t rotl(uint64_t x, int n)
{
    return (x << n) | (x >> (64 - n));
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[1] = rotl(v[1], 13) ^ v[0];
    v[0] = rotl(v[0], 32);
    v[2] += v[3];
    v[3] = rotl(v[3], 16) ^ v[2];
    v[0] += v[3];
    v[3] = rotl(v[3], 21) ^ v[0];
    v[2] += v[1];
    v[1] = rotl(v[1], 17) ^ v[2];
    v[2] = rotl(v[2], 32);
}

uint64_t hash_sip13(const uint64_t key[2], const void *p, size_t n)
{
    const unsigned char *in = p;
    uint64_t last = (uint64_t)n << 56, word;
    uint64_t v[4] = {
        key[0] ^ UINT64_C(0x736f6d6570736575),
        key[1] ^ UINT64_C(0x646f72616e646f6d),
        key[0] ^ UINT64_C(0x6c7967656e657261),
        key[1] ^ UINT64_C(0x7465646279746573),
    };
    size_t i;

    for (; n >= 8; n -= 8, in += 8) {
        memcpy(&word, in, 8);
        v[3] ^= word;
        sip_round(v);
        v[0] ^= word;
    }
    for (i = 0; i < n; i++)
        last |= (uint64_t)in[i] << (8 * i);
    v[3] ^= last;
    sip_round(v);
    v[0] ^= last;
    v[2] ^= 0xff;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t hash_bytes(const void *p, size_t n)
{
    return hash_sip13(get_secret(), p, n);
}

static inline uint64_t multiply(uint64_t a, uint64_t b)
{
    unsigned __int128 m = (unsigned __int128)a * b;

    return (uint64_t)m ^ (uint64_t)(m >> 64);
}

uint64_t hash_u64(uint64_t key)
{
    const uint64_t *s = get_secret();

    /* Multiply twice, so that the low bits, which pick a slot, depend on all bits of the input. */
    return multiply(multiply(key ^ s[0], s[1] | 1) ^ s[0], UINT64_C(0x9e3779b97f4a7c15));
}
