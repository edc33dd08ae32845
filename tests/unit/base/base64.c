/* Base64: the examples of RFC 4648, and strict decoding. */
#include "base/text/base64.h"

#include "base/memory/arena.h"
#include "lib/test.h"

TEST(base64_encodes_and_decodes_the_examples_of_rfc_4648)
{
    const char *const pairs[][2] = { { "", "" },
                                     { "f", "Zg==" },
                                     { "fo", "Zm8=" },
                                     { "foo", "Zm9v" },
                                     { "foob", "Zm9vYg==" },
                                     { "fooba", "Zm9vYmE=" },
                                     { "foobar", "Zm9vYmFy" } };
    unsigned char bytes[16];
    char text[16];
    size_t n;

    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        base64_encode(pairs[i][0], strlen(pairs[i][0]), text);
        CHECK_INT(strlen(pairs[i][1]), base64_length(strlen(pairs[i][0])));
        CHECK_MEM(pairs[i][1], text, strlen(pairs[i][1]));
        CHECK(base64_decode(pairs[i][1], strlen(pairs[i][1]), bytes, &n));
        CHECK_INT(strlen(pairs[i][0]), n);
        CHECK_MEM(pairs[i][0], bytes, n);
    }
}

TEST(base64_refuses_what_it_would_not_write)
{
    const char *const bad[] = { "Zg=",  "Zg",   "Zh==",  "Zm9=", "Z===", "====", "Zg==Zg==",
                                "Zm9-", "Zm9_", "Zm9\n", "Zm 9", "=Zm9", "Zm=v", "Zm9v=" };
    unsigned char bytes[16];
    size_t n;

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        if (base64_decode(bad[i], strlen(bad[i]), bytes, &n))
            FAIL("%s was taken", bad[i]);
}

TEST(base64_of_every_byte_comes_back)
{
    unsigned char all[256], back[258];
    char text[352];
    size_t n;

    for (int i = 0; i < 256; i++)
        all[i] = (unsigned char)i;
    for (size_t k = 0; k <= sizeof all; k++) {
        base64_encode(all, k, text);
        CHECK(base64_decode(text, base64_length(k), back, &n));
        CHECK_INT(k, n);
        CHECK_MEM(all, back, k);
    }
}
