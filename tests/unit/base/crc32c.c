/* CRC-32C: the vectors of RFC 3720, and that both implementations agree. */
#include "lib/test.h"

#include "base/hash/crc32c.h"

static void both(uint32_t want, const void *p, size_t n)
{
    CHECK_INT(want, crc32c(0, p, n));
    CHECK_INT(want, crc32c_soft(0, p, n));
}

TEST(crc_of_known_inputs)
{
    unsigned char b[32];
    int i;

    both(0, "", 0);
    both(0xe3069283, "123456789", 9);
    both(0xc1d04330, "a", 1);
    memset(b, 0, sizeof b);
    both(0x8a9136aa, b, 32);
    memset(b, 0xff, sizeof b);
    both(0x62a8ab43, b, 32);
    for (i = 0; i < 32; i++)
        b[i] = (unsigned char)i;
    both(0x46dd794e, b, 32);
    for (i = 0; i < 32; i++)
        b[i] = (unsigned char)(31 - i);
    both(0x113fdb5c, b, 32);
}

TEST(crc_in_hardware_equals_software_at_every_length_and_offset)
{
    unsigned char b[600];
    size_t n, off;

    env_random(&t->env.env, b, sizeof b);
    for (n = 0; n < 300; n++)
        for (off = 0; off < 16; off++)
            CHECK_INT(crc32c_soft(7, b + off, n), crc32c(7, b + off, n));
}

TEST(crc_in_pieces_equals_crc_at_once)
{
    unsigned char b[300];
    size_t cut;

    env_random(&t->env.env, b, sizeof b);
    for (cut = 0; cut <= sizeof b; cut++) {
        CHECK_INT(crc32c(0, b, sizeof b), crc32c(crc32c(0, b, cut), b + cut, sizeof b - cut));
        CHECK_INT(crc32c(0, b, sizeof b),
                  crc32c_soft(crc32c_soft(0, b, cut), b + cut, sizeof b - cut));
    }
}

TEST(crc_changes_with_any_single_bit)
{
    unsigned char b[40] = { 0 };
    uint32_t whole = crc32c(0, b, sizeof b);
    size_t bit;

    for (bit = 0; bit < 8 * sizeof b; bit++) {
        b[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK(crc32c(0, b, sizeof b) != whole);
        b[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
}
