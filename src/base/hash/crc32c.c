/* CRC-32C: the SSE4.2 instruction if the CPU has it, else eight table look-ups per 8 bytes. */
#include "base/hash/crc32c.h"

#include <string.h>

#include "base/hash/crc32c_table.h"

uint32_t crc32c_soft(uint32_t seed, const void *p, size_t n)
{
    const unsigned char *s = p;
    uint32_t c = ~seed;

    for (; n >= 8; n -= 8, s += 8) {
        uint32_t lo = c ^ ((uint32_t)s[0] | (uint32_t)s[1] << 8 | (uint32_t)s[2] << 16 |
                           (uint32_t)s[3] << 24);

        c = crc32c_table[7][lo & 255] ^ crc32c_table[6][lo >> 8 & 255] ^
            crc32c_table[5][lo >> 16 & 255] ^ crc32c_table[4][lo >> 24] ^ crc32c_table[3][s[4]] ^
            crc32c_table[2][s[5]] ^ crc32c_table[1][s[6]] ^ crc32c_table[0][s[7]];
    }
    for (; n > 0; n--)
        c = c >> 8 ^ crc32c_table[0][(c ^ *s++) & 255];
    return ~c;
}

#if defined(__x86_64__)
#include <nmmintrin.h>

__attribute__((target("sse4.2"))) static uint32_t crc32c_hard(uint32_t seed, const void *p,
                                                              size_t n)
{
    const unsigned char *s = p;
    uint64_t c = ~seed;

    for (; n >= 8; n -= 8, s += 8) {
        uint64_t w;

        memcpy(&w, s, 8);
        c = _mm_crc32_u64(c, w);
    }
    for (; n > 0; n--)
        c = _mm_crc32_u8((uint32_t)c, *s++);
    return ~(uint32_t)c;
}

uint32_t crc32c(uint32_t seed, const void *p, size_t n)
{
    if (__builtin_cpu_supports("sse4.2"))
        return crc32c_hard(seed, p, n);
    return crc32c_soft(seed, p, n);
}
#else
uint32_t crc32c(uint32_t seed, const void *p, size_t n)
{
    return crc32c_soft(seed, p, n);
}
#endif
