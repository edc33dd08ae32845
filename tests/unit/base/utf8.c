/* UTF-8: every class of invalid bytes at every offset, cutting, code points. */
#include "lib/test.h"

#include <stdlib.h>

#include "base/text/utf8.h"

struct sample {
    const char *p;
    size_t n;
    size_t bad; /* offset of the first invalid byte; n if there is none */
};

#define GOOD(s)                                                                                    \
    {                                                                                              \
        s, sizeof(s) - 1, sizeof(s) - 1                                                            \
    }
#define BAD(s, at)                                                                                 \
    {                                                                                              \
        s, sizeof(s) - 1, at                                                                       \
    }

/* clang-format off */
static const struct sample samples[] = {
    GOOD(""), GOOD("a"), GOOD("\0"), GOOD("\x7f"), GOOD("\xc2\x80"), GOOD("\xdf\xbf"),
    GOOD("\xe0\xa0\x80"), GOOD("\xed\x9f\xbf"), GOOD("\xee\x80\x80"), GOOD("\xef\xbf\xbf"),
    GOOD("\xf0\x90\x80\x80"), GOOD("\xf4\x8f\xbf\xbf"), GOOD("a\xc3\xa9" "b"),
    /* stray continuation and impossible bytes */
    BAD("\x80", 0), BAD("a\xbf", 1), BAD("\xfe", 0), BAD("\xff", 0), BAD("\xc3\xa9\x80", 2),
    /* overlong */
    BAD("\xc0\x80", 0), BAD("\xc1\xbf", 0), BAD("\xe0\x80\x80", 0), BAD("\xe0\x9f\xbf", 0),
    BAD("\xf0\x80\x80\x80", 0), BAD("\xf0\x8f\xbf\xbf", 0),
    /* surrogates */
    BAD("\xed\xa0\x80", 0), BAD("\xed\xbf\xbf", 0), BAD("x\xed\xb0\x80", 1),
    /* above 10FFFF, and the old forms of five and six bytes */
    BAD("\xf4\x90\x80\x80", 0), BAD("\xf5\x80\x80\x80", 0), BAD("\xf8\x88\x80\x80\x80", 0),
    BAD("\xfc\x84\x80\x80\x80\x80", 0),
    /* truncated, at the end and before other bytes */
    BAD("\xc3", 0), BAD("\xe2\x82", 0), BAD("\xf0\x9f\x98", 0), BAD("ab\xf0", 2), BAD("\xe2", 0),
    BAD("\xc3" "a", 0), BAD("\xe2\x82" "a", 0), BAD("\xe2" "a\xac", 0), BAD("\xf0\x9f\x98" "a", 0),
    BAD("\xf0\x9f" "a\x80", 0), BAD("\xf0" "a\x98\x80", 0), BAD("\xe2\x82\xc3\xa9", 0),
};
/* clang-format on */

TEST(validity_is_found_at_every_distance_from_a_block)
{
    size_t i, pad;

    for (i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        for (pad = 0; pad < 40; pad++) {
            size_t n = pad + samples[i].n;
            char *p = malloc(n + 1); /* exact for n > 0: ASan detects a read past the end */

            CHECK(p != NULL);
            memset(p, 'x', pad);
            memcpy(p + pad, samples[i].p, samples[i].n);
            if (utf8_valid(p, n) != pad + samples[i].bad)
                FAIL("sample %zu after %zu bytes: %zu", i, pad, utf8_valid(p, n));
            free(p);
        }
    }
}

TEST(every_code_point_survives_the_round_trip)
{
    uint32_t cp, back = 0;
    char out[4];

    for (cp = 0; cp <= 0x10ffff; cp++) {
        size_t n = utf8_put(cp, out);

        if (cp >= 0xd800 && cp < 0xe000) {
            CHECK_INT(3, n);
            CHECK_MEM("\xef\xbf\xbd", out, 3);
            continue;
        }
        if (utf8_valid(out, n) != n || utf8_get(out, n, &back) != n || back != cp)
            FAIL("U+%04X", (unsigned)cp);
    }
    CHECK_INT(3, utf8_put(0x110000, out));
    CHECK_INT(3, utf8_put(UINT32_MAX, out));
}

TEST(reading_a_code_point_refuses_what_is_not_valid)
{
    uint32_t cp = 7;
    size_t i;

    CHECK_INT(0, utf8_get("", 0, &cp));
    for (i = 0; i < sizeof samples / sizeof samples[0]; i++)
        if (samples[i].bad == 0 && samples[i].n)
            CHECK_INT(0, utf8_get(samples[i].p, samples[i].n, &cp));
    CHECK_INT(7, cp);
}

TEST(cutting_never_splits_a_character)
{
    static const char s[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z";
    static const size_t want[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };
    size_t max;

    for (max = 0; max < sizeof want / sizeof want[0]; max++)
        CHECK_INT(want[max], utf8_cut(s, 11, max));
    CHECK_INT(0, utf8_cut("\xf0\x9f\x98\x80", 4, 3));
    CHECK_INT(0, utf8_cut("", 0, 5));
}

TEST(cutting_bytes_that_are_not_utf8_still_cuts)
{
    char junk[100];
    size_t max;

    memset(junk, 0x80, sizeof junk);
    for (max = 0; max < sizeof junk; max++)
        CHECK(utf8_cut(junk, sizeof junk, max) <= max);
    CHECK_INT(50, utf8_cut(junk, sizeof junk, 50));
}
