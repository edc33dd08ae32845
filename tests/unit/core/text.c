/* Previews, titles, folding. */
#include "core/text.h"

#include "base/str.h"
#include "base/utf8.h"
#include "build.h"

static const char *preview(struct test *t, const char *content, size_t max)
{
    struct path p = { .t = t };
    const struct bough_entry *e = add_message(&p, BOUGH_ROLE_USER, content, NULL);

    return text_preview(t->arena, e->parts, e->nparts, max);
}

TEST(a_preview_is_the_first_text_that_is_not_empty) /* H17, H17b */
{
    CHECK_STR("two",
              preview(t,
                      "[{\"type\":\"tool_result\",\"tool_use_id\":\"1\",\"content\":\"no\"},"
                      "{\"type\":\"thinking\",\"text\":\"no\"},"
                      "{\"type\":\"text\",\"text\":\"\"},{\"type\":\"text\",\"text\":\"two\"},"
                      "{\"type\":\"text\",\"text\":\"three\"}]",
                      256));
    CHECK_STR("",
              preview(t, "[{\"type\":\"image\",\"data\":\"a\",\"mimeType\":\"image/png\"}]", 256));
    CHECK_STR("", preview(t, "[]", 256));
    CHECK_STR(" ", preview(t, "\" \"", 256));
}

TEST(a_preview_is_cut_at_a_character) /* H17, U18 */
{
    CHECK_STR("abc", preview(t, "\"abcdef\"", 3));
    CHECK_STR("a", preview(t, "\"a\xc3\xa9\"", 2));
    CHECK_STR("a\xc3\xa9", preview(t, "\"a\xc3\xa9z\"", 3));
    CHECK_STR("a", preview(t, "\"a\\ud83d\\ude00\"", 4));
    CHECK_STR("a\xf0\x9f\x98\x80", preview(t, "\"a\\ud83d\\ude00\"", 5));
}

TEST(a_preview_undoes_escapes_and_survives_garbage) /* H17 */
{
    CHECK_STR("a\"\\/\b\f\n\r\t!", preview(t, "\"a\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0021\"", 256));
    CHECK_STR("x\xef\xbf\xbdy", preview(t, "\"x\\ud800y\"", 256));
    CHECK_STR("x\xef\xbf\xbd\xef\xbf\xbd", preview(t, "\"x\\ud800\\ud800\"", 256));
    CHECK_STR("x y", preview(t, "\"x\\u0000y\"", 256));
}

TEST(trimming_knows_unicode_s_white_space)
{
    CHECK_SPAN("a b", text_trim(str_of("\xe3\x80\x80 \t a b\r\n\xc2\xa0")));
    CHECK_SPAN("", text_trim(str_of(" \n ")));
    CHECK_SPAN("\xff", text_trim(str_of(" \xff ")));
}

TEST(titles_lose_quotes_and_runs_of_space) /* H39 */
{
    CHECK_STR("Fix the parser", text_title(t->arena, str_of("  \"Fix \n\n the\tparser\" ")));
    CHECK_STR("it's", text_title(t->arena, str_of("'`it's`'")));
    CHECK_STR("a", text_title(t->arena, str_of("\xe2\x80\x9c"
                                               "a"
                                               "\xe2\x80\x9d")));
    CHECK_STR("", text_title(t->arena, str_of(" \" ' ")));
    CHECK_STR("a\xef\xbf\xbd"
              "b",
              text_title(t->arena, str_of("a\xff"
                                          "b")));
}

TEST(long_titles_end_in_an_ellipsis) /* H39 */
{
    struct buf b;
    const char *title;
    int i;

    buf_init(&b, 1000);
    for (i = 0; i < TEXT_TITLE_CHARS; i++)
        buf_puts(&b, "\xc3\xa9");
    CHECK_STR(b.p, text_title(t->arena, buf_str(&b)));
    buf_puts(&b, "z");
    title = text_title(t->arena, buf_str(&b));
    CHECK_INT(2 * (TEXT_TITLE_CHARS - 1) + 3, strlen(title));
    CHECK_STR("\xe2\x80\xa6", title + 2 * (TEXT_TITLE_CHARS - 1));
    buf_finish(&b);
}

TEST(the_title_of_a_message_joins_its_texts) /* H39 */
{
    struct path p = { .t = t };
    const struct bough_entry *e =
        add_message(&p, BOUGH_ROLE_USER,
                    "[{\"type\":\"text\",\"text\":\" one \"},{\"type\":\"text\",\"text\":\"  \"},"
                    "{\"type\":\"thinking\",\"text\":\"no\"},{\"type\":\"text\",\"text\":\"two\"}]",
                    NULL);

    CHECK_STR("one two", text_title_of(t->arena, e->parts, e->nparts));
}

TEST(folding_makes_case_width_and_accents_alike) /* U18 */
{
    struct bough_str a = text_fold(t->arena, str_of("Stra\xc3\x9f"
                                                    "e \xef\xbc\xa1 \xc3\x89"));

    CHECK_SPAN("strasse a \xc3\xa9", a);
    CHECK_SPAN("\xc3\xa9", text_fold(t->arena, str_of("E\xcc\x81")));
    CHECK_SPAN("", text_fold(t->arena, str_of("")));
    CHECK_SPAN("a\xef\xbf\xbd", text_fold(t->arena, str_of("A\xc3")));
}
