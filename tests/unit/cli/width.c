/* Display width of wide characters, combining marks, emoji and flags, as terminals draw them. */
#include "cli/term/width.h"

#include "base/text/str.h"
#include "lib/test.h"

#define WIDE(text) ((int64_t)width_of(str_of(text)))

static const char *cut(struct test *t, const char *text, size_t cols)
{
    struct bough_str s = width_cut(t->arena, str_of(text), cols);

    CHECK(width_of(s) <= cols);
    return s.p;
}

TEST(letters_take_one_column_and_ideographs_two)
{
    CHECK_INT(0, WIDE(""));
    CHECK_INT(5, WIDE("gr\u00fc\u00dfe"));
    CHECK_INT(6, WIDE("\u65e5\u672c\u8a9e"));
}

TEST(combining_marks_take_no_column)
{
    CHECK_INT(1, WIDE("e\u0301"));
    CHECK_INT(2, WIDE("e\u0301\u0302x"));
}

TEST(emoji_flags_and_keycaps_take_two_columns)
{
    CHECK_INT(2, WIDE("\U0001f600"));
    CHECK_INT(2, WIDE("\U0001f468\u200d\U0001f469\u200d\U0001f467")); /* a family emoji */
    CHECK_INT(2, WIDE("\u2764\ufe0f"));
    CHECK_INT(2, WIDE("1\ufe0f\u20e3"));
    CHECK_INT(2, WIDE("\U0001f1e9\U0001f1ea"));
    CHECK_INT(4, WIDE("\U0001f1e9\U0001f1ea\U0001f1eb\U0001f1f7"));
}

TEST(a_text_that_fits_is_not_cut)
{
    CHECK_STR("abc", cut(t, "abc", 3));
    CHECK_STR("", cut(t, "", 0));
}

TEST(a_text_is_cut_between_characters_with_an_ellipsis)
{
    CHECK_STR("ab\u2026", cut(t, "abcdef", 3));
    CHECK_STR("\u65e5\u2026", cut(t, "\u65e5\u672c\u8a9e", 4));
    CHECK_STR("\u2026", cut(t, "\U0001f468\u200d\U0001f469\u200d\U0001f467x", 2));
    CHECK_STR("a\u2026", cut(t, "a bc", 3)); /* no blank before the ellipsis */
}

TEST(white_space_becomes_one_blank_and_what_is_unsafe_is_spelled_out)
{
    CHECK_STR("a b", cut(t, "  a\n\t b \r\n", 10));
    CHECK_STR("\\x1b[1mx", cut(t, "\033[1mx", 10));
    CHECK_STR("\\x1b\u2026", cut(t, "\033[1mx", 5));
}

TEST(fitting_counts_whole_characters)
{
    CHECK_INT(3, (int64_t)width_fit(str_of("\u65e5\u672c"), 3));
    CHECK_INT(0, (int64_t)width_fit(str_of("\u65e5"), 1));
}
