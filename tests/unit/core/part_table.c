/* The table of part shapes, also checked with real files of other tools. */
#include "core/part/part.h"

#include <stdio.h>

#include "base/json/json.h"
#include "base/text/str.h"
#include "pi_corpus.h"

static void takes(struct test *t, enum bough_part_type want, const char *json)
{
    enum bough_part_type type;

    CHECK_OK(bough_part_check(str_of(json), &type, &t->err));
    CHECK_INT(want, type);
}

/* The part must be refused with a message that names `field`. */
static void blames(struct test *t, const char *field, const char *json)
{
    enum bough_part_type type;

    CHECK_RC(BOUGH_INVALID_PART, bough_part_check(str_of(json), &type, &t->err));
    if (!strstr(t->err.msg, field))
        FAIL("\"%s\" does not name %s", t->err.msg, field);
}

TEST(canonical_parts_have_their_required_fields) /* A9 */
{
    takes(t, BOUGH_PART_TEXT, "{\"type\":\"text\",\"text\":\"\"}");
    blames(t, "text part: text", "{\"type\":\"text\"}");
    blames(t, "text part: text", "{\"type\":\"text\",\"text\":null}");
    takes(t, BOUGH_PART_REASONING,
          "{\"type\":\"reasoning\",\"text\":\"r\",\"time\":{\"start\":1}}");
    blames(t, "reasoning part: text", "{\"type\":\"reasoning\"}");
    takes(t, BOUGH_PART_STEP_START, "{\"type\":\"step-start\"}");
    takes(t, BOUGH_PART_STEP_FINISH,
          "{\"type\":\"step-finish\",\"reason\":\"stop\",\"tokens\":{\"input\":1,\"output\":2}}");
    blames(t, "reason", "{\"type\":\"step-finish\",\"tokens\":{}}");
    blames(t, "tokens.output",
           "{\"type\":\"step-finish\",\"reason\":\"stop\",\"tokens\":{\"input\":1}}");
    takes(t, BOUGH_PART_PATCH, "{\"type\":\"patch\",\"hash\":\"h\",\"files\":[\"a\",\"b\"]}");
    blames(t, "files", "{\"type\":\"patch\",\"hash\":\"h\",\"files\":[\"a\",1]}");
    blames(t, "hash", "{\"type\":\"patch\",\"files\":[]}");
    takes(t, BOUGH_PART_SNAPSHOT, "{\"type\":\"snapshot\",\"snapshot\":\"h\"}");
    blames(t, "snapshot", "{\"type\":\"snapshot\"}");
    takes(t, BOUGH_PART_AGENT, "{\"type\":\"agent\",\"name\":\"reviewer\"}");
    blames(t, "source.start", "{\"type\":\"agent\",\"name\":\"r\",\"source\":{\"value\":\"@r\"}}");
    takes(t, BOUGH_PART_COMPACTION, "{\"type\":\"compaction\",\"auto\":false}");
    blames(t, "auto", "{\"type\":\"compaction\",\"auto\":\"yes\"}");
    takes(t, BOUGH_PART_SUBTASK,
          "{\"type\":\"subtask\",\"prompt\":\"p\",\"description\":\"d\",\"agent\":\"a\"}");
    blames(t, "agent", "{\"type\":\"subtask\",\"prompt\":\"p\",\"description\":\"d\"}");
    takes(t, BOUGH_PART_RETRY, "{\"type\":\"retry\",\"attempt\":1,\"error\":{},\"time\":{}}");
    blames(t, "attempt", "{\"type\":\"retry\",\"error\":{}}");
}

#define TOOL(state) "{\"type\":\"tool\",\"callID\":\"c\",\"tool\":\"ls\",\"state\":" state "}"

TEST(tool_parts_bring_what_their_status_needs) /* A9, A11 */
{
    takes(t, BOUGH_PART_TOOL, TOOL("{\"status\":\"pending\",\"input\":{},\"raw\":\"\"}"));
    takes(t, BOUGH_PART_TOOL, TOOL("{\"status\":\"running\",\"input\":{},\"time\":{\"start\":1}}"));
    takes(t, BOUGH_PART_TOOL,
          TOOL("{\"status\":\"completed\",\"input\":{},\"output\":\"\",\"title\":\"\","
               "\"metadata\":{},\"time\":{\"start\":1,\"end\":2,\"compacted\":3}}"));
    takes(t, BOUGH_PART_TOOL,
          TOOL("{\"status\":\"error\",\"input\":{},\"error\":\"e\","
               "\"time\":{\"start\":1,\"end\":2}}"));
    blames(t, "callID", "{\"type\":\"tool\",\"tool\":\"ls\",\"state\":{}}");
    blames(t, "tool part: tool", "{\"type\":\"tool\",\"callID\":\"c\",\"state\":{}}");
    blames(t, "state", TOOL("\"pending\""));
    blames(t, "state.status", TOOL("{\"status\":\"done\",\"input\":{}}"));
    blames(t, "state.status", TOOL("{\"input\":{}}"));
    blames(t, "state.raw", TOOL("{\"status\":\"pending\",\"input\":{}}"));
    blames(t, "state.input", TOOL("{\"status\":\"pending\",\"input\":\"x\",\"raw\":\"\"}"));
    blames(t, "state.time.start", TOOL("{\"status\":\"running\",\"input\":{},\"time\":{}}"));
    blames(t, "state.title",
           TOOL("{\"status\":\"completed\",\"input\":{},\"output\":\"\",\"metadata\":{},"
                "\"time\":{\"start\":1,\"end\":2}}"));
    blames(t, "state.time.end",
           TOOL("{\"status\":\"error\",\"input\":{},\"error\":\"e\",\"time\":{\"start\":1}}"));
}

#define SOURCE_FILE(source)                                                                        \
    "{\"type\":\"file\",\"mime\":\"text/x-c\",\"url\":\"file:///a.c\",\"source\":" source "}"
#define RANGE "\"text\":{\"value\":\"@a\",\"start\":0,\"end\":2}"

TEST(files_may_say_where_they_come_from) /* A9 */
{
    takes(t, BOUGH_PART_FILE, SOURCE_FILE("null"));
    takes(t, BOUGH_PART_FILE, SOURCE_FILE("{\"type\":\"file\",\"path\":\"a.c\"," RANGE "}"));
    takes(t, BOUGH_PART_FILE,
          SOURCE_FILE("{\"type\":\"symbol\",\"path\":\"a.c\",\"name\":\"f\",\"kind\":12,"
                      "\"range\":{}," RANGE "}"));
    takes(t, BOUGH_PART_FILE,
          SOURCE_FILE("{\"type\":\"resource\",\"clientName\":\"m\",\"uri\":\"u\"," RANGE "}"));
    blames(t, "source.type", SOURCE_FILE("{\"type\":\"web\"," RANGE "}"));
    blames(t, "source.path", SOURCE_FILE("{\"type\":\"file\"," RANGE "}"));
    blames(
        t, "source.kind",
        SOURCE_FILE("{\"type\":\"symbol\",\"path\":\"a\",\"name\":\"f\",\"range\":{}," RANGE "}"));
    blames(t, "source.uri", SOURCE_FILE("{\"type\":\"resource\",\"clientName\":\"m\"," RANGE "}"));
    blames(t, "source.text.end",
           SOURCE_FILE("{\"type\":\"file\",\"path\":\"a\",\"text\":{\"value\":\"\",\"start\":1}}"));
    blames(t, "source", SOURCE_FILE("[]"));
    blames(t, "file part: url", "{\"type\":\"file\",\"mime\":\"image/png\"}");
}

TEST(hygge_parts_have_their_required_fields) /* H18 */
{
    takes(t, BOUGH_PART_REASONING, "{\"type\":\"thinking\",\"text\":\"\"}");
    takes(t, BOUGH_PART_TOOL, "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"n\"}");
    blames(t, "tool_use part: id", "{\"type\":\"tool_use\",\"name\":\"n\"}");
    blames(t, "tool_use part: name", "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"\"}");
    takes(t, BOUGH_PART_TOOL, "{\"type\":\"tool_result\",\"tool_use_id\":\"1\"}");
    blames(t, "tool_use_id", "{\"type\":\"tool_result\",\"content\":\"x\"}");
    takes(t, BOUGH_PART_FILE,
          "{\"type\":\"image\",\"image_mime_type\":\"image/png\",\"image_base64\":\"aGk=\"}");
    blames(t, "image_base64", "{\"type\":\"image\",\"image_mime_type\":\"image/png\"}");
    blames(t, "image_mime_type", "{\"type\":\"image\"}");
}

TEST(one_word_may_name_several_shapes) /* U12 */
{
    takes(t, BOUGH_PART_FILE, "{\"type\":\"image\",\"data\":\"aGk=\",\"mimeType\":\"image/png\"}");
    takes(t, BOUGH_PART_FILE,
          "{\"type\":\"image\",\"source\":{\"type\":\"base64\",\"data\":\"\"}}");
    takes(t, BOUGH_PART_FILE, "{\"type\":\"image\",\"image\":\"https://a/b.png\"}");
    blames(t, "mimeType", "{\"type\":\"image\",\"data\":\"aGk=\"}");
    blames(t, "source.type", "{\"type\":\"image\",\"source\":{}}");
    takes(t, BOUGH_PART_REASONING, "{\"type\":\"thinking\",\"thinking\":\"t\"}");
    blames(t, "thinking part", "{\"type\":\"thinking\",\"thinking\":1}");
    takes(t, BOUGH_PART_FILE, "{\"type\":\"file\",\"mediaType\":\"a/b\",\"url\":\"u\"}");
    takes(t, BOUGH_PART_FILE, "{\"type\":\"file\",\"file\":{\"file_id\":\"f\"}}");
    blames(t, "url", "{\"type\":\"file\",\"mediaType\":\"a/b\"}");
    takes(t, BOUGH_PART_REASONING, "{\"type\":\"reasoning\",\"summary\":[]}");
    takes(t, BOUGH_PART_COMPACTION, "{\"type\":\"compaction\",\"content\":\"what was said\"}");
}

TEST(openai_and_anthropic_shapes_are_known)
{
    takes(t, BOUGH_PART_FILE, "{\"type\":\"image_url\",\"image_url\":{\"url\":\"u\"}}");
    takes(t, BOUGH_PART_FILE, "{\"type\":\"input_image\",\"image_url\":\"u\"}");
    blames(t, "image_url.url", "{\"type\":\"image_url\",\"image_url\":{}}");
    takes(t, BOUGH_PART_TEXT, "{\"type\":\"input_text\",\"text\":\"a\"}");
    takes(t, BOUGH_PART_TEXT, "{\"type\":\"refusal\",\"refusal\":\"no\"}");
    blames(t, "refusal", "{\"type\":\"refusal\"}");
    takes(t, BOUGH_PART_TOOL, "{\"id\":\"1\",\"type\":\"function\",\"function\":{\"name\":\"f\"}}");
    blames(t, "function.name", "{\"id\":\"1\",\"type\":\"function\",\"function\":{}}");
    blames(t, "arguments", "{\"type\":\"function_call\",\"call_id\":\"1\",\"name\":\"f\"}");
    takes(t, BOUGH_PART_FILE, "{\"type\":\"document\",\"source\":{\"type\":\"url\"}}");
    takes(t, BOUGH_PART_REASONING, "{\"type\":\"redacted_thinking\",\"data\":\"x\"}");
}

TEST(ai_sdk_tool_parts_need_a_call_and_a_known_state) /* A16 */
{
    takes(t, BOUGH_PART_TOOL,
          "{\"type\":\"tool-call\",\"toolCallId\":\"1\",\"state\":\"input-available\"}");
    blames(t, "toolCallId", "{\"type\":\"tool-bash\",\"state\":\"input-available\"}");
    blames(t, "unknown state",
           "{\"type\":\"tool-bash\",\"toolCallId\":\"1\",\"state\":\"thinking\"}");
    CHECK_STR("tool-bash part: unknown state \"thinking\"", t->err.msg);
    blames(t, "unknown state \"0123456789012345678901234567890123456",
           "{\"type\":\"tool-bash\",\"toolCallId\":\"1\",\"state\":"
           "\"01234567890123456789012345678901234567890123456789\"}");
    CHECK_INT(strlen("tool-bash part: unknown state ") + 40, strlen(t->err.msg));
    blames(t, "toolName",
           "{\"type\":\"dynamic-tool\",\"toolCallId\":\"1\",\"state\":\"output-error\"}");
    takes(t, BOUGH_PART_TOOL,
          "{\"type\":\"tool-invocation\",\"toolInvocation\":{\"toolCallId\":\"1\","
          "\"toolName\":\"f\",\"state\":\"call\"}}");
    takes(t, BOUGH_PART_OTHER, "{\"type\":\"tool-\"}");
}

/* ---- real files ---- */

static size_t check_all(struct test *t, struct json parts)
{
    struct json_iter it = json_iter(parts);
    enum bough_part_type type;
    size_t n;

    for (n = 0; json_next(&it); n++) {
        CHECK_OK(bough_part_check(json_raw(it.value), &type, &t->err));
        if (type == BOUGH_PART_OTHER)
            FAIL("not known: %.*s", (int)json_raw(it.value).n, json_raw(it.value).p);
    }
    return n;
}

TEST(every_part_type_has_a_row_under_its_own_name)
{
    for (int type = 0; type <= BOUGH_PART_LAST; type++) {
        const struct part_shape *row = part_shapes;
        const char *name = bough_part_type_name((enum bough_part_type)type);

        while (row->word && (strcmp(row->word, name) != 0 || (int)row->type != type))
            row++;
        if (!row->word && type != BOUGH_PART_OTHER)
            FAIL("no row of part_shapes says which parts are %s", name);
    }
}

static size_t parts_in(struct test *t, const char *file)
{
    size_t n = 0, parts = 0;
    const char *text = corpus_text(t, file, &n);
    struct json_iter it;
    struct json root;

    CHECK(text != NULL);
    CHECK_OK(json_parse(t->arena, str_make(text, n), &root, &t->err));
    for (it = json_iter(json_member(root, "messages")); json_next(&it);)
        parts += check_all(t, json_member(it.value, "parts"));
    return parts;
}

TEST(every_part_opencode_wrote_is_taken) /* A9 */
{
    CHECK(parts_in(t, "tests/data/opencode/content.json") >= 8);
    CHECK(parts_in(t, "tests/data/opencode/tools.json") >= 20);
    CHECK(parts_in(t, "tests/data/opencode/compacted.json") >= 15);
    if (corpora_here())
        CHECK(parts_in(t, "opencode-1.18.33/content.json") +
                  parts_in(t, "opencode-1.18.33/tools.json") +
                  parts_in(t, "opencode-1.18.33/compacted.json") +
                  parts_in(t, "opencode-1.1.65/content.json") >
              100);
}

static size_t blocks_in(struct test *t, const char *file)
{
    size_t n = 0, blocks = 0;
    const char *end, *text = corpus_text(t, file, &n);
    struct json line, content;

    CHECK(text != NULL);
    for (; n; n -= (size_t)(end + 1 - text), text = end + 1) {
        end = memchr(text, '\n', n);
        if (!end)
            FAIL("the last line has no end");
        CHECK_OK(json_parse(t->arena, str_make(text, (size_t)(end - text)), &line, &t->err));
        content = json_member(json_member(line, "message"), "content");
        if (json_type(content) == JSON_ARRAY)
            blocks += check_all(t, content);
    }
    return blocks;
}

TEST(every_block_claude_code_wrote_is_taken)
{
    CHECK(blocks_in(t, "tests/data/claude-code/content.jsonl") > 10);
    CHECK(blocks_in(t, "tests/data/claude-code/tools.jsonl") > 10);
    if (corpora_here())
        CHECK(blocks_in(t, "claude-code-2.1.325/content.jsonl") > 10);
}
