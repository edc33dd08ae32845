/* Output for terminals: control sequences in transcripts are escaped, colours only if wanted. */
#include "cli/term/print.h"

#include <stdlib.h>

#include "base/text/str.h"
#include "lib/test.h"

/* The output of print_safe for n bytes at p. */
static const char *shown(struct test *t, const char *p, size_t n, enum print_mode mode)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);
    char *copy;

    CHECK(f != NULL);
    print_safe(f, str_make(p, n), mode);
    CHECK_INT(0, fclose(f));
    copy = bough_arena_strdup(t->arena, text);
    free(text);
    return copy;
}

#define LINE(text) shown(t, text, sizeof(text) - 1, PRINT_LINE)
#define TEXT(text) shown(t, text, sizeof(text) - 1, PRINT_TEXT)

TEST(plain_text_passes_untouched)
{
    CHECK_STR("", LINE(""));
    CHECK_STR("a b ~ \\ \" %s", LINE("a b ~ \\ \" %s"));
    CHECK_STR("gr\u00fc\u00df \u65e5\u672c \U0001f600",
              LINE("gr\u00fc\u00df \u65e5\u672c \U0001f600"));
}

TEST(control_characters_are_spelled_out)
{
    CHECK_STR("\\x1b[31mred\\x07", LINE("\033[31mred\a"));
    CHECK_STR("a\\x00b\\x7f", LINE("a\0b\x7f"));
    CHECK_STR("\\u{9b}2J", LINE("\xc2\x9b"
                                "2J")); /* C1 CSI */
    CHECK_STR("over\\x0dwritten", TEXT("over\rwritten"));
}

TEST(newline_and_tab_pass_only_in_running_text)
{
    CHECK_STR("a\\nb\\tc", LINE("a\nb\tc"));
    CHECK_STR("a\nb\tc", TEXT("a\nb\tc"));
}

TEST(reordering_and_invisible_characters_are_spelled_out)
{
    CHECK_STR("\\u{202e}x\\u{2069}", LINE("\u202ex\u2069"));
    CHECK_STR("a\\u{200b}b\\u{feff}\\u{2028}", LINE("a\u200bb\ufeff\u2028"));
    CHECK_STR("\\u{e0041}\\u{ad}", LINE("\U000e0041\u00ad"));
}

TEST(a_joiner_passes_only_between_pictures)
{
    CHECK_STR("\U0001f468\u200d\U0001f469", LINE("\U0001f468\u200d\U0001f469"));
    CHECK_STR("\u2764\ufe0f\u200d\U0001f525", LINE("\u2764\ufe0f\u200d\U0001f525"));
    CHECK_STR("a\\u{200d}b", LINE("a\u200db"));
    CHECK_STR("\U0001f468\\u{200d}", LINE("\U0001f468\u200d"));
    CHECK_STR("\\u{200d}\U0001f468", LINE("\u200d\U0001f468"));
}

TEST(json_for_a_terminal_stays_json)
{
    char *text = NULL;
    size_t len = 0;
    FILE *f = open_memstream(&text, &len);

    CHECK(f != NULL);
    print_json(f, str_of("{\"a\":\"\xc2\x9b\u202e\U000e0041\u65e5\",\n\t\"b\":1}"));
    CHECK_INT(0, fclose(f));
    CHECK_STR("{\"a\":\"\\u009b\\u202e\\udb40\\udc41\u65e5\",\n\t\"b\":1}",
              bough_arena_strdup(t->arena, text));
    free(text);
}

TEST(bytes_that_are_not_utf8_are_spelled_out)
{
    CHECK_STR("\\xff\\xc3", LINE("\xff\xc3"));
    CHECK_STR("\\xc0\\xafx", LINE("\xc0\xafx"));
    CHECK_STR("\\xed\\xa0\\x80", LINE("\xed\xa0\x80")); /* a surrogate */
}

TEST(colour_needs_a_terminal_and_no_objection)
{
    CHECK(print_colour_wanted(NULL, NULL, "xterm", true));
    CHECK(!print_colour_wanted(NULL, NULL, "xterm", false));
    CHECK(!print_colour_wanted(NULL, NULL, "dumb", true));
    CHECK(!print_colour_wanted(NULL, NULL, NULL, true));
}

TEST(no_color_beats_force_which_beats_the_terminal)
{
    CHECK(!print_colour_wanted("1", "1", "xterm", true));
    CHECK(print_colour_wanted("", "1", "dumb", false)); /* an empty NO_COLOR is ignored */
    CHECK(!print_colour_wanted(NULL, "0", "xterm", false));
}
