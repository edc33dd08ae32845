/* SHA-256: the vectors of FIPS 180, at once and in pieces. */
#include "lib/test.h"

#include "base/hash/sha256.h"

static void check_hash(const char *want, const unsigned char *got)
{
    char hex[2 * SHA256_LEN + 1];

    sha256_hex(got, hex);
    CHECK_STR(want, hex);
}

TEST(sha256_of_known_inputs)
{
    unsigned char out[SHA256_LEN];

    sha256("", 0, out);
    check_hash("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", out);
    sha256("abc", 3, out);
    check_hash("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad", out);
    sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56, out);
    check_hash("248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1", out);
}

TEST(sha256_of_a_million_letters_in_pieces)
{
    unsigned char out[SHA256_LEN];
    char block[1000];
    struct sha256 s;
    int i;

    memset(block, 'a', sizeof block);
    sha256_init(&s);
    for (i = 0; i < 1000; i++)
        sha256_update(&s, block, sizeof block);
    sha256_final(&s, out);
    check_hash("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0", out);
    sha256_finish(&s);
}

TEST(an_unfinished_sha256_can_be_given_up)
{
    struct sha256 s;

    sha256_init(&s);
    sha256_update(&s, "x", 1);
    sha256_finish(&s);
}
