/* Progress bars: they fit the terminal and show how far the work is. */
#include "cli/kit/progress.h"

#include "lib/test.h"

static const char *line(struct test *t, struct progress p, int64_t done, int64_t total,
                        size_t width)
{
    char out[256];

    progress_line(&p, done, total, width, out, sizeof out);
    return bough_arena_strdup(t->arena, out);
}

TEST(a_bar_fills_up)
{
    const struct progress p = { .what = "Go" };

    CHECK_STR("Go [        ]   0% 0", line(t, p, 0, 10, 23));
    CHECK_STR("Go [####    ]  50% 5", line(t, p, 5, 10, 23));
    CHECK_STR("Go [#######] 100% 10", line(t, p, 10, 10, 23));
}

TEST(bytes_are_told_in_words_and_an_unknown_total_has_no_bar)
{
    const struct progress p = { .what = "Copying", .bytes = true };

    CHECK_STR("Copying 2 KB", line(t, p, 2048, 0, 80));
    CHECK_STR("Copying 20 MB", line(t, p, 20 << 20, 0, 80));
}

TEST(a_bar_fits_a_narrow_terminal)
{
    const struct progress p = { .what = "Go" };

    CHECK(strlen(line(t, p, 5, 10, 5)) < 24);
    CHECK(strlen(line(t, p, 5, 10, 500)) < 70);
}
