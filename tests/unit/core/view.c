/* Views of single parts in every vocabulary. */
#include "core/part/view.h"

#include "base/text/str.h"
#include "build.h"

static struct part_view view(struct test *t, const char *json)
{
    struct bough_part part = { BOUGH_PART_OTHER, str_of(json) };
    struct part_view v;

    CHECK_OK(bough_part_check(part.json, &part.type, &t->err));
    view_part(t->arena, &part, &v);
    return v;
}

TEST(arguments_are_json_also_when_they_came_as_a_string)
{
    struct part_view v = view(t, "{\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                                 "\"arguments\":\"{\\\"a\\\":1}\"}}");

    CHECK_INT(VIEW_CALL, v.kind);
    CHECK_SPAN("{\"a\":1}", v.input);
    v = view(t, "{\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                "\"arguments\":\"{broken\"}}");
    CHECK_SPAN("\"{broken\"", v.input);
    v = view(t, "{\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\","
                "\"arguments\":\"\"}}");
    CHECK_SPAN("{}", v.input);
}

TEST(calls_and_outputs_of_openai_responses_are_seen)
{
    struct part_view v = view(t, "{\"type\":\"function_call\",\"call_id\":\"c\",\"name\":\"f\","
                                 "\"arguments\":\"{\\\"a\\\":1}\"}");

    CHECK_INT(VIEW_CALL, v.kind);
    CHECK_STR("c", v.call);
    CHECK_SPAN("{\"a\":1}", v.input);
    v = view(t, "{\"type\":\"function_call_output\",\"call_id\":\"c\",\"output\":\"o\"}");
    CHECK_INT(VIEW_RESULT, v.kind);
    CHECK_SPAN("\"o\"", v.output);
    v = view(t, "{\"type\":\"custom_tool_call\",\"call_id\":\"c\",\"name\":\"f\",\"input\":\"x\"}");
    CHECK_INT(VIEW_CALL, v.kind);
    CHECK_SPAN("\"x\"", v.input);
}

TEST(files_are_seen_alike_in_every_vocabulary) /* U12 */
{
    static const char anthropic[] = "{\"type\":\"image\",\"source\":{\"type\":\"base64\","
                                    "\"media_type\":\"image/png\",\"data\":\"aGk=\"}}";
    static const char *const same[] = {
        "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"data:image/png;base64,aGk=\"}",
        "{\"type\":\"file\",\"mediaType\":\"image/png\",\"url\":\"data:image/png;base64,aGk=\"}",
        "{\"type\":\"image\",\"image_mime_type\":\"image/png\",\"image_base64\":\"aGk=\"}",
        "{\"type\":\"image\",\"data\":\"aGk=\",\"mimeType\":\"image/png\"}",
        anthropic,
        "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:image/png;base64,aGk=\"}}",
        "{\"type\":\"input_image\",\"image_url\":\"data:image/png;base64,aGk=\"}",
    };
    size_t i;

    for (i = 0; i < sizeof same / sizeof *same; i++) {
        struct part_view v = view(t, same[i]);

        CHECK_INT(VIEW_FILE, v.kind);
        CHECK_STR("image/png", v.mime);
        CHECK_SPAN("aGk=", v.base64);
        CHECK_SPAN("data:image/png;base64,aGk=", view_url(t->arena, &v));
    }
}

TEST(addresses_that_hold_no_bytes_stay_addresses)
{
    struct part_view v = view(t, "{\"type\":\"file\",\"mime\":\"text/html\",\"url\":\"data:,x\","
                                 "\"filename\":\"a.html\"}");

    CHECK_SPAN("", v.base64);
    CHECK_SPAN("data:,x", view_url(t->arena, &v));
    CHECK_STR("a.html", v.filename);
    v = view(t, "{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://a/b\"}}");
    CHECK_SPAN("https://a/b", view_url(t->arena, &v));
    v = view(t, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"data:;base64,aGk=\"}}");
    CHECK_SPAN("aGk=", v.base64); /* bytes of nobody knows what */
    CHECK_STR("", v.mime);
}

TEST(tool_parts_of_the_ai_sdk_are_told_apart_by_their_word)
{
    struct part_view v = view(t, "{\"type\":\"dynamic-tool\",\"toolName\":\"ls\",\"toolCallId\":"
                                 "\"c\",\"state\":\"output-available\",\"input\":{},\"output\":1}");

    CHECK_INT(VIEW_TOOL, v.kind);
    CHECK_INT(BOUGH_TOOL_COMPLETED, v.state);
    CHECK_SPAN("1", v.output);
    v = view(t, "{\"type\":\"tool-call\",\"toolName\":\"ls\",\"toolCallId\":\"c\",\"input\":{}}");
    CHECK_INT(VIEW_CALL, v.kind);
    v = view(t, "{\"type\":\"tool-result\",\"toolName\":\"ls\",\"toolCallId\":\"c\",\"output\":"
                "{\"type\":\"error-text\",\"value\":\"no\"}}");
    CHECK_INT(VIEW_RESULT, v.kind);
    CHECK(v.failed);
    CHECK_SPAN("\"no\"", v.output);
    v = view(t, "{\"type\":\"tool-call\",\"toolCallId\":\"c\",\"state\":\"input-available\"}");
    CHECK_INT(VIEW_TOOL, v.kind); /* a tool called "call", of a UI message */
    CHECK_STR("call", v.tool);
}

TEST(outputs_are_text_a_person_can_read)
{
    CHECK_SPAN("a", view_output_text(t->arena, str_of("\"a\"")));
    CHECK_SPAN("a\nb", view_output_text(t->arena, str_of("[{\"type\":\"text\",\"text\":\"a\"},"
                                                         "{\"type\":\"text\",\"text\":\"b\"}]")));
    CHECK_SPAN("{\"x\":1}", view_output_text(t->arena, str_of("{\"x\":1}")));
    CHECK_SPAN("", view_output_text(t->arena, str_of("null")));
    CHECK_SPAN("", view_output_text(t->arena, str_of("")));
}

TEST(a_part_that_is_no_json_is_seen_as_other)
{
    struct bough_part part = { BOUGH_PART_TEXT, str_of("{broken") };
    struct part_view v;

    view_part(t->arena, &part, &v);
    CHECK_INT(VIEW_OTHER, v.kind);
    CHECK_STR("", v.word);
}
