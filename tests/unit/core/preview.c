/* Previews and titles of messages. */
#include "core/part/part.h"

#include "build.h"

static const char *preview(struct test *t, const char *content, size_t max)
{
    struct path p = { .t = t };
    const struct bough_entry *e = add_message(&p, BOUGH_ROLE_USER, content, NULL);

    return preview_text(t->arena, e->parts, e->nparts, max);
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
    CHECK_STR("\xf0\x90\x80\x80", preview(t, "\"\\ud800\\udc00\"", 256));
    CHECK_STR("\xf4\x8f\xbf\xbf", preview(t, "\"\\udbff\\udfff\"", 256));
    CHECK_STR("x\xef\xbf\xbdy", preview(t, "\"x\\ud800y\"", 256));
    CHECK_STR("x\xef\xbf\xbd\xef\xbf\xbd", preview(t, "\"x\\ud800\\ud800\"", 256));
    CHECK_STR("x y", preview(t, "\"x\\u0000y\"", 256));
}

TEST(the_title_of_a_message_joins_its_texts) /* H39 */
{
    struct path p = { .t = t };
    const struct bough_entry *e =
        add_message(&p, BOUGH_ROLE_USER,
                    "[{\"type\":\"text\",\"text\":\" one \"},{\"type\":\"text\",\"text\":\"  \"},"
                    "{\"type\":\"thinking\",\"text\":\"no\"},{\"type\":\"text\",\"text\":\"two\"}]",
                    NULL);

    CHECK_STR("one two", preview_title(t->arena, e->parts, e->nparts));
}
