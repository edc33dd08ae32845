/* Markdown on a terminal: wrapping, nesting, and no control sequences from the text. */
#include "cli/term/markdown.h"

#include <stdlib.h>

#include "base/text/str.h"
#include "lib/test.h"

static const char *rendered(struct test *t, const char *text, size_t width, bool colour)
{
    const struct markdown how = { .width = width, .colour = colour };
    char *out = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&out, &n);
    const char *copy;

    CHECK(f != NULL);
    markdown_print(f, str_of(text), &how);
    CHECK_INT(0, fclose(f));
    copy = bough_arena_strdup(t->arena, out);
    free(out);
    return copy;
}

#define PLAIN(text) rendered(t, text, 40, false)

TEST(paragraphs_are_wrapped_between_words)
{
    CHECK_STR("one two three four\nfive six\n",
              rendered(t, "one two three four five six", 20, false));
    CHECK_STR("a\n\nb\n", PLAIN("a\n\n\nb"));
    CHECK_STR("line\nbreak\n", PLAIN("line  \nbreak"));
}

TEST(a_word_longer_than_the_line_stands_alone)
{
    CHECK_STR("a\n0123456789012345678901234\nb\n",
              rendered(t, "a 0123456789012345678901234 b", 20, false));
}

TEST(wide_characters_are_wrapped_by_their_columns)
{
    CHECK_STR(
        "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5\u672c\n\u65e5\u672c\n",
        rendered(t, "\u65e5\u672c\u8a9e\u65e5\u672c\u8a9e\u65e5\u672c \u65e5\u672c", 20, false));
}

TEST(lists_keep_their_marks_and_indentation)
{
    CHECK_STR("- a\n- b\n  - c\n\nx\n", PLAIN("- a\n- b\n  - c\n\nx"));
    CHECK_STR("3. a\n4. b\n", PLAIN("3. a\n4. b"));
    CHECK_STR("- [x] a\n- [ ] b\n", PLAIN("- [x] a\n- [ ] b"));
    CHECK_STR("- \n- b\n", PLAIN("-\n- b"));
}

TEST(code_is_kept_as_it_is)
{
    CHECK_STR("    a  b\n      c\n", PLAIN("```\na  b\n  c\n```"));
    CHECK_STR("`x`\n", PLAIN("`x`"));
}

TEST(quotes_and_rules)
{
    CHECK_STR("> a\n", PLAIN("> a"));
    CHECK_STR("a\n\n----------------------------------------\n\nb\n", PLAIN("a\n\n---\n\nb"));
}

TEST(links_show_where_they_go)
{
    CHECK_STR("a (http://x)\n", PLAIN("[a](http://x)"));
    CHECK_STR("http://x.y\n", PLAIN("<http://x.y>"));
    CHECK_STR("pic (p.png)\n", PLAIN("![pic](p.png)"));
}

TEST(tables_line_up)
{
    CHECK_STR("a    | b\n-----+--\n\u65e5\u672c | c\n",
              PLAIN("|a|b|\n|---|---|\n|\u65e5\u672c|c|"));
}

TEST(styles_are_written_only_with_colour)
{
    CHECK(strchr(PLAIN("# a *b* **c** `d` ~~e~~"), '\033') == NULL);
    CHECK_STR("\033[0;1mb\033[0m\n\033[0m", rendered(t, "**b**", 40, true));
}

TEST(nothing_of_the_text_is_obeyed)
{
    CHECK_STR("\\x1b[31mx \\u{9b}y &#27; &#x1b;\n", PLAIN("\033[31mx \xc2\x9b"
                                                          "y &#27; &#x1b;"));
    CHECK_STR("    \\x1b[0m\n", PLAIN("```\n\033[0m\n```"));
    CHECK_STR("a (\\x1b)\n", PLAIN("[a](\033)"));
}

TEST(containers_may_nest_deeper_than_is_shown)
{
    char text[400];

    memset(text, '>', 200);
    memcpy(text + 200, " x", 3);
    CHECK(strstr(PLAIN(text), "> x\n") != NULL);
}
