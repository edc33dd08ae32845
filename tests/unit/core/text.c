/* Text helpers: titles, folding. */
#include "core/model/text.h"

#include "base/text/str.h"
#include "base/text/utf8.h"
#include "build.h"

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

TEST(folding_makes_case_width_and_accents_alike) /* U18 */
{
    struct bough_str a = text_fold(t->arena, str_of("Stra\xc3\x9f"
                                                    "e \xef\xbc\xa1 \xc3\x89"));

    CHECK_SPAN("strasse a \xc3\xa9", a);
    CHECK_SPAN("\xc3\xa9", text_fold(t->arena, str_of("E\xcc\x81")));
    CHECK_SPAN("", text_fold(t->arena, str_of("")));
    CHECK_SPAN("a\xef\xbf\xbd", text_fold(t->arena, str_of("A\xc3")));
}
