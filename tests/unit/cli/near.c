/* The nearest word: typing errors, parts of a name, and words that are not near. */
#include "base/text/near.h"

#include "cli/term/out.h"
#include "lib/test.h"

static const char *nearest(const char *word)
{
    static const char *const words[] = { "ls",      "show", "search", "why-is-the-cache-stale",
                                         "restore", NULL };
    struct near n = near_begin(word);

    for (size_t i = 0; words[i]; i++)
        near_try(&n, words[i]);
    return near_best(&n);
}

TEST(the_nearest_word_is_found_by_few_edits_or_by_a_part_of_it)
{
    CHECK_STR("show", nearest("shwo"));
    CHECK_STR("search", nearest("serach"));
    CHECK_STR("restore", nearest("restor"));
    CHECK_STR("why-is-the-cache-stale", nearest("cache"));
    CHECK_STR("why-is-the-cache-stale", nearest("why-is-teh-cahce-stale"));
    CHECK_STR("ls", nearest("la"));
    CHECK(!nearest("frobnicate"));
    CHECK(!nearest(""));
    CHECK(!nearest("x"));
}

TEST(counts_have_commas_and_their_noun)
{
    char text[OUT_COUNT_SIZE];

    out_count(1234567, text);
    CHECK_STR("1,234,567", text);
    out_count(-100, text);
    CHECK_STR("-100", text);
    CHECK_STR("1 entry", out_things(t->arena, 1, "entry"));
    CHECK_STR("0 entries", out_things(t->arena, 0, "entry"));
    CHECK_STR("2 branches", out_things(t->arena, 2, "branch"));
    CHECK_STR("3 days", out_things(t->arena, 3, "day"));
    CHECK_STR("2,000 sessions", out_things(t->arena, 2000, "session"));
}
