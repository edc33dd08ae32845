/* Contexts in the hygge dialect. */
#include "base/text/str.h"
#include "build.h"

TEST(hygge_parts_come_out_as_they_went_in) /* H18, H20 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "[{\"type\":\"text\", \"text\":\"a\"}]", NULL)->origin = "m1";
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"ls\",\"input\":{ \"x\":1e2}}]",
                NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"o\"}]", NULL);
    c = context_of(&p, "hygge", NULL);
    CHECK_SPAN("[{\"id\":\"m1\",\"role\":\"user\",\"parts\":[{\"type\":\"text\", \"text\":\"a\"}]},"
               "{\"id\":\"00000000000000000000000002\",\"role\":\"assistant\",\"parts\":"
               "[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"ls\",\"input\":{ \"x\":1e2}}]},"
               "{\"id\":\"00000000000000000000000003\",\"role\":\"tool\",\"parts\":"
               "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"o\"}]}]",
               c.messages);
    CHECK_INT(0, c.nnotes);
    CHECK_INT(3, c.count);
}

TEST(messages_since_the_marker_begin_after_the_last_summarised_one) /* H30 */
{
    struct path p = { .t = t };
    struct bough_entry *marker;
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"a\"", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"b\"", NULL);
    marker = add_entry(&p, "compaction", "{\"summary\":\"s\"}");
    marker->keep_from = 2; /* before = a */
    add_message(&p, BOUGH_ROLE_USER, "\"c\"", NULL);
    c = context_of(&p, "hygge", marker);
    CHECK_INT(2, c.count);
    CHECK_STR(p.at[1].id, c.sources[0]);
    CHECK_STR(p.at[3].id, c.sources[1]);
    CHECK(c.marker == marker);
    CHECK_INT(1, notes_about(&c, marker, "summarised"));
    marker->keep_from = 0;
    c = context_of(&p, "hygge", marker);
    CHECK_INT(1, c.count);
    c = context_of(&p, "hygge", NULL); /* without a marker: all messages */
    CHECK_INT(3, c.count);
    marker->keep_from = 1; /* nothing stands before it: it is told all the same */
    c = context_of(&p, "hygge", marker);
    CHECK_INT(3, c.count);
    CHECK_INT(1, notes_about(&c, marker, "summarised"));
    marker->keep_from = 9; /* newer than every entry */
    c = context_of(&p, "hygge", marker);
    CHECK_INT(0, c.count);
}

TEST(other_words_become_hygge_s_and_tools_unfold) /* U11, U12 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(
        &p, BOUGH_ROLE_ASSISTANT,
        "[{\"type\":\"step-start\"},{\"type\":\"reasoning\",\"text\":\"hm\"},"
        "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"ls\",\"state\":{\"status\":\"error\","
        "\"input\":{\"a\":1},\"error\":\"bad\",\"time\":{\"start\":1,\"end\":2}}},"
        "{\"type\":\"text\",\"text\":\"so\",\"time\":{\"start\":1}},"
        "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"data:image/png;base64,aGk=\"},"
        "{\"type\":\"file\",\"mime\":\"text/html\",\"url\":\"https://a\"},"
        "{\"type\":\"file\",\"mime\":\"text/html\",\"url\":\"data:text/html;base64,aGk=\"},"
        "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"https://a\"}]",
        NULL);
    c = context_of(&p, "hygge", NULL);
#define ID "\"id\":\"00000000000000000000000001\""
    CHECK_SPAN(
        "[{" ID ",\"role\":\"assistant\",\"parts\":[{\"type\":\"thinking\",\"text\":\"hm\"},"
        "{\"type\":\"tool_use\",\"id\":\"c\",\"name\":\"ls\",\"input\":{\"a\":1}}]},"
        "{\"id\":\"00000000000000000000000001/2\",\"role\":\"tool\",\"parts\":["
        "{\"type\":\"tool_result\","
        "\"tool_use_id\":\"c\",\"content\":\"bad\",\"is_error\":true}]},"
        "{\"id\":\"00000000000000000000000001/3\",\"role\":\"assistant\",\"parts\":["
        "{\"type\":\"text\",\"text\":\"so\"},"
        "{\"type\":\"image\",\"image_mime_type\":\"image/png\",\"image_base64\":\"aGk=\"}]}]",
        c.messages);
    /* The step, two web pages, and an image that is elsewhere. */
    CHECK_INT(4, notes_about(&c, &p.at[0], "omitted"));
    CHECK_INT(1, notes_about(&c, &p.at[0], "converted"));
    CHECK_INT(1, notes_about(&c, &p.at[0], "split"));
}

TEST(a_message_with_a_result_and_text_is_two_messages_with_ids_of_their_own_and_a_note)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"o\"},"
                "{\"type\":\"text\",\"text\":\"and now?\"}]",
                NULL);
    c = context_of(&p, "hygge", NULL);
    CHECK_INT(2, c.count);
    CHECK(strstr(c.messages.p, "{\"id\":\"00000000000000000000000001\",\"role\":\"tool\""));
    CHECK(strstr(c.messages.p, "{\"id\":\"00000000000000000000000001/2\",\"role\":\"user\""));
    CHECK_INT(1, notes_about(&c, &p.at[0], "split"));
}

TEST(roles_hygge_does_not_have_are_the_user_s) /* H32 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_BASH, NULL, "{\"role\":\"bashExecution\",\"command\":\"ls\"}");
    add_entry(&p, "custom_message", "{\"customType\":\"x\",\"content\":\"c\"}");
    add_message(&p, BOUGH_ROLE_OTHER, "\"o\"", "{\"role\":\"narrator\"}");
    add_entry(&p, "branch_summary", "{\"summary\":\"s\"}");
    c = context_of(&p, "hygge", NULL);
    CHECK_SPAN("[{" ID ",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":"
               "\"Ran `ls`\\n(no output)\"}]},"
               "{\"id\":\"00000000000000000000000002\",\"role\":\"user\",\"parts\":"
               "[{\"type\":\"text\",\"text\":\"c\"}]},"
               "{\"id\":\"00000000000000000000000003\",\"role\":\"user\",\"parts\":"
               "[{\"type\":\"text\",\"text\":\"o\"}]}]",
               c.messages);
    CHECK_INT(1, notes_about(&c, &p.at[0], "converted"));
    CHECK_STR("hygge has no role \"bashExecution\": it is shown as the user's", c.notes[0].why);
    CHECK_INT(1, notes_about(&c, &p.at[1], "converted"));
    CHECK_STR("hygge has no role \"custom\": it is shown as the user's", c.notes[1].why);
    CHECK_INT(1, notes_about(&c, &p.at[2], "converted"));
    CHECK_INT(1, notes_about(&c, &p.at[3], "omitted"));
}

TEST(images_in_results_are_no_json_text_for_hygge_and_images_for_pi)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"look\",\"input\":{}}]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[{\"type\":\"text\","
                "\"text\":\"a dot\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\","
                "\"media_type\":\"image/png\",\"data\":\"iVBORw0KGgo=\"}}]}]",
                NULL);
    c = context_of(&p, "hygge", NULL);
    CHECK(strstr(c.messages.p, "\"content\":\"a dot\\n[file: image/png, 8 bytes]\"") != NULL);
    c = context_of(&p, "pi", NULL);
    CHECK(strstr(c.messages.p,
                 "\"content\":[{\"type\":\"text\",\"text\":\"a dot\"},{\"type\":"
                 "\"image\",\"data\":\"iVBORw0KGgo=\",\"mimeType\":\"image/png\"}]") != NULL);
}
