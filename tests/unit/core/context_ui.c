/* Contexts in the UIMessage dialect, also with real UIMessages. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "build.h"
#include "pi_corpus.h"

/* The parts of the only message. */
static const char *parts(struct test *t, enum bough_role role, const char *content)
{
    struct path p = { .t = t };
    struct bough_context_result c;
    struct json root;
    struct json_iter it;

    add_message(&p, role, content, NULL);
    c = context_of(&p, "ui", NULL);
    CHECK_INT(1, c.count);
    CHECK_OK(json_parse(t->arena, c.messages, &root, &t->err));
    it = json_iter(root);
    json_next(&it);
    return arena_strndup(t->arena, json_raw(json_member(it.value, "parts")).p,
                         json_raw(json_member(it.value, "parts")).n);
}

TEST(text_reasoning_steps_and_files_map_by_the_table) /* A15 */
{
    CHECK_STR("[{\"type\":\"text\",\"text\":\"a\"}]",
              parts(t, BOUGH_ROLE_USER,
                    "[{\"type\":\"text\",\"text\":\"a\",\"synthetic\":true},"
                    "{\"type\":\"text\",\"text\":\"b\",\"ignored\":true}]"));
    CHECK_STR("[{\"type\":\"reasoning\",\"text\":\"r\"},{\"type\":\"reasoning\",\"text\":\"q\"},"
              "{\"type\":\"step-start\"}]",
              parts(t, BOUGH_ROLE_ASSISTANT,
                    "[{\"type\":\"reasoning\",\"text\":\"r\",\"time\":{\"start\":1}},"
                    "{\"type\":\"thinking\",\"thinking\":\"q\"},"
                    "{\"type\":\"step-start\",\"snapshot\":\"h\"}]"));
    CHECK_STR("[{\"type\":\"file\",\"url\":\"u\",\"mediaType\":\"image/png\",\"filename\":\"f\"}]",
              parts(t, BOUGH_ROLE_USER,
                    "[{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"u\",\"filename\":\"f\"},"
                    "{\"type\":\"file\",\"mime\":\"text/plain\",\"url\":\"u\"},"
                    "{\"type\":\"file\",\"mime\":\"application/x-directory\",\"url\":\"u\"}]"));
}

#define TOOL(state) "[{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"ls\",\"state\":" state "}]"
#define UI(state) "[{\"type\":\"tool-ls\",\"toolCallId\":\"c\",\"state\":" state "}]"

TEST(tool_states_map_by_the_table) /* A11, A15, A16 */
{
    CHECK_STR(
        UI("\"input-streaming\",\"input\":{}"),
        parts(t, BOUGH_ROLE_ASSISTANT, TOOL("{\"status\":\"pending\",\"input\":{},\"raw\":\"\"}")));
    CHECK_STR(UI("\"input-available\",\"input\":{\"a\":1}"),
              parts(t, BOUGH_ROLE_ASSISTANT,
                    TOOL("{\"status\":\"running\",\"input\":{\"a\":1},\"time\":{\"start\":1}}")));
    CHECK_STR(UI("\"output-available\",\"input\":{},\"output\":\"o\""),
              parts(t, BOUGH_ROLE_ASSISTANT,
                    TOOL("{\"status\":\"completed\",\"input\":{},\"output\":\"o\",\"title\":\"\","
                         "\"metadata\":{},\"time\":{\"start\":1,\"end\":2}}")));
    CHECK_STR(UI("\"output-error\",\"input\":{},\"errorText\":\"e\""),
              parts(t, BOUGH_ROLE_ASSISTANT,
                    TOOL("{\"status\":\"error\",\"input\":{},\"error\":\"e\","
                         "\"time\":{\"start\":1,\"end\":2}}")));
}

TEST(five_part_types_are_not_shown_but_noted) /* A14, A15 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"step-finish\",\"reason\":\"\",\"tokens\":{\"input\":1,\"output\":1}},"
                "{\"type\":\"patch\",\"hash\":\"h\",\"files\":[]},"
                "{\"type\":\"snapshot\",\"snapshot\":\"h\"},{\"type\":\"agent\",\"name\":\"n\"},"
                "{\"type\":\"compaction\",\"auto\":true}]",
                NULL);
    c = context_of(&p, "ui", NULL);
    CHECK_INT(1, c.count); /* no message is dropped */
    /* the AI SDK refuses a message without parts */
    CHECK(strstr(c.messages.p, "\"parts\":[{\"type\":\"text\",\"text\":\"\"}]") != NULL);
    CHECK_INT(1, notes_about(&c, &p.at[0], "converted"));
    CHECK_INT(5, notes_about(&c, &p.at[0], "omitted"));
}

TEST(tool_messages_fold_into_the_calls_they_answer) /* U11 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"ls\",\"input\":{\"x\":1}},"
                "{\"type\":\"toolCall\",\"id\":\"b\",\"name\":\"cat\",\"arguments\":{}},"
                "{\"id\":\"d\",\"type\":\"function\",\"function\":{\"name\":\"rm\"}}]",
                NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"one\"}]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[{\"type\":\"text\",\"text\":\"two\"}]",
                "{\"role\":\"toolResult\",\"toolCallId\":\"b\",\"isError\":true}");
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"fin\"", NULL);
    c = context_of(&p, "ui", NULL);
    CHECK_SPAN("[{\"id\":\"00000000000000000000000001\",\"role\":\"assistant\",\"parts\":["
               "{\"type\":\"tool-ls\",\"toolCallId\":\"a\",\"state\":\"output-available\","
               "\"input\":{\"x\":1},\"output\":\"one\"},"
               "{\"type\":\"tool-cat\",\"toolCallId\":\"b\",\"state\":\"output-error\","
               "\"input\":{},\"errorText\":\"two\"},"
               "{\"type\":\"tool-rm\",\"toolCallId\":\"d\",\"state\":\"input-available\","
               "\"input\":{}}]},"
               "{\"id\":\"00000000000000000000000004\",\"role\":\"assistant\",\"parts\":["
               "{\"type\":\"text\",\"text\":\"fin\"}]}]",
               c.messages);
    CHECK_INT(2, c.count);
    CHECK_INT(1, notes_about(&c, &p.at[1], "folded"));
    CHECK_INT(1, notes_about(&c, &p.at[2], "folded"));
}

TEST(the_nearest_earlier_call_gets_the_result) /* U11 */
{
    struct path p = { .t = t };
    const char *call = "[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"ls\"}]";
    const char *first, *second;
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT, call, NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, call, NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[{\"type\":\"tool_result\",\"tool_use_id\":\"a\"}]", NULL);
    c = context_of(&p, "ui", NULL);
    first = strstr(c.messages.p, "input-available");
    second = strstr(c.messages.p, "output-available");
    CHECK(first && second && first < second);
}

TEST(a_call_takes_one_result_and_a_second_one_stands_alone) /* U11 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT, "[{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"ls\"}]",
                NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"one\"}]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":\"two\"}]", NULL);
    c = context_of(&p, "ui", NULL);
    CHECK_INT(2, c.count);
    CHECK_INT(1, notes_about(&c, &p.at[1], "folded"));
    CHECK_INT(0, notes_about(&c, &p.at[2], "folded"));
    CHECK(strstr(c.messages.p, "\"output\":\"one\""));
    CHECK(strstr(c.messages.p, "\"two\""));
}

TEST(a_result_without_a_call_is_shown_and_noted) /* A15: no message is dropped */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_TOOL, "\"lost\"", "{\"tool_call_id\":\"z\",\"name\":\"ls\"}");
    c = context_of(&p, "ui", NULL);
    CHECK_SPAN("[{\"id\":\"00000000000000000000000001\",\"role\":\"assistant\",\"parts\":["
               "{\"type\":\"tool-ls\",\"toolCallId\":\"z\",\"state\":\"output-available\","
               "\"input\":{},\"output\":\"lost\"}]}]",
               c.messages);
    CHECK_INT(2, notes_about(&c, &p.at[0], "converted"));
}

TEST(unknown_parts_are_noted_and_roles_are_the_user_s)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_OTHER, "[{\"type\":\"hologram\"}]", "{\"role\":\"narrator\"}");
    add_message(&p, BOUGH_ROLE_BASH, NULL, "{\"command\":\"ls\",\"output\":\"\"}");
    add_entry(&p, "custom_message", "{\"content\":\"shown\",\"display\":true}");
    add_entry(&p, "custom_message", "{\"content\":\"hidden\",\"display\":false}");
    c = context_of(&p, "ui", NULL);
    CHECK_INT(3, c.count);
    CHECK_INT(1, notes_about(&c, &p.at[0], "omitted"));
    CHECK_INT(2, notes_about(&c, &p.at[0], "converted")); /* its role, and that it shows nothing */
    CHECK_INT(1, notes_about(&c, &p.at[3], "omitted"));
    CHECK(strstr(c.messages.p, "Ran `ls`") && strstr(c.messages.p, "\"shown\"") &&
          !strstr(c.messages.p, "hidden"));
}

/* ---- real files ---- */

static void round_trip(struct test *t, const char *file)
{
    struct path p = { .t = t };
    struct bough_context_result c;
    struct json_iter it;
    char one[65], two[65];
    struct json root;
    size_t n = 0;
    const char *text = corpus_text(t, file, &n);

    CHECK(text != NULL);
    CHECK_OK(json_parse(t->arena, str_make(text, n), &root, &t->err));
    for (it = json_iter(root); json_next(&it);) {
        struct bough_str raw = json_raw(json_member(it.value, "parts"));
        struct bough_entry *e =
            add_message(&p, bough_role_parse(json_cstr(t->arena, it.value, "role")),
                        arena_strndup(t->arena, raw.p, raw.n), NULL);

        e->origin = json_cstr(t->arena, it.value, "id");
        e->metadata = json_raw(json_member(it.value, "metadata"));
    }
    c = context_of(&p, "ui", NULL);
    pi_corpus_hash(str_make(text, n), one);
    pi_corpus_hash(c.messages, two);
    if (strcmp(one, two) != 0 || c.nnotes)
        FAIL("%s comes out otherwise: %s", file, c.messages.p);
}

TEST(every_message_the_ai_sdk_stored_comes_out_verbatim) /* A16 */
{
    static const char *const files[] = { "aborted",    "approval-granted", "client-tool-continued",
                                         "data-parts", "length",           "pending-client-tool" };
    size_t i;

    round_trip(t, "tests/data/ai-sdk/data-parts.json");
    round_trip(t, "tests/data/ai-sdk/tools.json");
    round_trip(t, "tests/data/ai-sdk/aborted.json");
    for (i = 0; corpora_here() && i < sizeof files / sizeof *files; i++)
        round_trip(t, arena_printf(t->arena, "ai-7.0.169/%s.json", files[i]));
}

TEST(metadata_of_an_imported_ui_message_comes_back)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"hi\"", "{\"metadata\":{\"n\":1.0}}");
    c = context_of(&p, "ui", NULL);
    CHECK(strstr(c.messages.p, "\"metadata\":{\"n\":1.0}"));
}
