/* Parts: checking, splitting, plain text, pairing keys. */
#include <bough/part.h>

#include <stdio.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/part/part.h"
#include "lib/test.h"

static enum bough_part_type type_of(struct test *t, const char *json)
{
    enum bough_part_type type = BOUGH_PART_OTHER;

    CHECK_OK(bough_part_check(str_of(json), &type, &t->err));
    return type;
}

TEST(parts_must_be_json_objects_with_a_type)
{
    enum bough_part_type type;
    static const char *const bad[] = { "",
                                       "null",
                                       "[]",
                                       "\"text\"",
                                       "{}",
                                       "{\"type\":1}",
                                       "{\"type\":\"\"}",
                                       "{\"type\":\"text\",\"text\":\"a\"",
                                       "{\"type\":\"text\",\"text\":\"\xff\"}" };
    size_t i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_RC(BOUGH_INVALID_PART, bough_part_check(str_of(bad[i]), &type, &t->err));
}

TEST(parts_that_nest_too_deep_or_are_too_large_say_so)
{
    enum bough_part_type type;
    char *deep = arena_alloc(t->arena, 4096);
    size_t n = (size_t)snprintf(deep, 4096, "{\"type\":\"x\",\"a\":");

    memset(deep + n, '[', 1000);
    memset(deep + n + 1000, ']', 1000);
    deep[n + 2000] = '}';
    CHECK_RC(BOUGH_TOO_DEEP, bough_part_check(str_make(deep, n + 2001), &type, &t->err));
    CHECK_RC(BOUGH_TOO_LARGE,
             bough_part_check(str_make(deep, (size_t)LIMIT_MESSAGE_BYTES + 1), &type, &t->err));
}

TEST(unknown_words_are_kept_as_other) /* U12, A16 */
{
    CHECK_INT(BOUGH_PART_OTHER, type_of(t, "{\"type\":\"hologram\",\"x\":[1,2]}"));
    CHECK_INT(BOUGH_PART_OTHER, type_of(t, "{\"type\":\"data-note\",\"data\":[\"kept\"]}"));
    CHECK_INT(BOUGH_PART_OTHER, type_of(t, "{\"type\":\"source-url\",\"url\":\"u\"}"));
}

TEST(a_word_with_escapes_is_the_same_word)
{
    CHECK_INT(BOUGH_PART_TEXT, type_of(t, "{\"t\\u0079pe\":\"te\\u0078t\",\"text\":\"\"}"));
    CHECK_INT(BOUGH_PART_TOOL, type_of(t, "{\"type\":\"tool\\u002dbash\",\"toolCallId\":\"c\","
                                          "\"state\":\"input-available\"}"));
}

TEST(arrays_split_into_spans_as_they_came)
{
    struct bough_str *parts;
    size_t n;

    CHECK_OK(bough_parts_split(t->arena, str_of(" [ {\"a\" : 1.0} ,{\"b\":[{}]}]"), &parts, &n,
                               &t->err));
    CHECK_INT(2, n);
    CHECK_SPAN("{\"a\" : 1.0}", parts[0]);
    CHECK_SPAN("{\"b\":[{}]}", parts[1]);
    CHECK_OK(bough_parts_split(t->arena, str_of("[]"), &parts, &n, &t->err));
    CHECK_INT(0, n);
    CHECK_OK(bough_parts_split(t->arena, str_of("null"), &parts, &n, &t->err));
    CHECK_INT(0, n);
}

TEST(a_string_splits_into_one_text_part) /* U12 */
{
    struct bough_str *parts;
    size_t n;

    CHECK_OK(bough_parts_split(t->arena, str_of("\"a\\ud800\\n\""), &parts, &n, &t->err));
    CHECK_INT(1, n);
    CHECK_SPAN("{\"type\":\"text\",\"text\":\"a\\ud800\\n\"}", parts[0]);
}

TEST(parts_that_are_not_an_array_are_refused)
{
    static const char *const bad[] = { "", "{}", "3", "[1]", "[{}", "[\"a\"]", "\"a\" 1", "[{}]]" };
    struct bough_str *parts;
    size_t n, i;

    for (i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_RC(BOUGH_INVALID_PART,
                 bough_parts_split(t->arena, str_of(bad[i]), &parts, &n, &t->err));
}

TEST(more_parts_than_a_message_may_have_are_refused)
{
    char *text = arena_alloc(t->arena, 3 * (LIMIT_PARTS + 2) + 2);
    struct bough_str *parts;
    size_t n, i, len = 0;

    text[len++] = '[';
    for (i = 0; i <= LIMIT_PARTS; i++) {
        memcpy(text + len, i ? ",{}" : "{}", 3);
        len += i ? 3 : 2;
    }
    text[len++] = ']';
    CHECK_RC(BOUGH_TOO_LARGE,
             bough_parts_split(t->arena, str_make(text, len), &parts, &n, &t->err));
}

TEST(plain_text_becomes_a_part_and_back)
{
    struct bough_str text = { "a\"b\n\0c", 6 };
    struct bough_part part = { BOUGH_PART_TEXT, bough_part_text(t->arena, text) };
    struct bough_str back;

    CHECK_INT(BOUGH_PART_TEXT, type_of(t, part.json.p));
    back = bough_part_plain(t->arena, &part);
    CHECK_INT(6, back.n);
    CHECK_MEM(text.p, back.p, 6);
}

static struct bough_str plain(struct test *t, const char *json)
{
    struct bough_part part = { BOUGH_PART_OTHER, str_of(json) };

    CHECK_OK(bough_part_check(part.json, &part.type, &t->err));
    return bough_part_plain(t->arena, &part);
}

TEST(people_read_the_text_of_text_and_reasoning_in_any_vocabulary) /* U12 */
{
    CHECK_SPAN("a", plain(t, "{\"type\":\"text\",\"text\":\"a\"}"));
    CHECK_SPAN("b", plain(t, "{\"type\":\"output_text\",\"text\":\"b\"}"));
    CHECK_SPAN("no", plain(t, "{\"type\":\"refusal\",\"refusal\":\"no\"}"));
    CHECK_SPAN("c", plain(t, "{\"type\":\"thinking\",\"thinking\":\"c\",\"signature\":\"s\"}"));
    CHECK_SPAN("d", plain(t, "{\"type\":\"thinking\",\"text\":\"d\"}"));
    CHECK_SPAN("e\nf", plain(t, "{\"type\":\"reasoning\",\"summary\":[{\"text\":\"e\"},"
                                "{\"text\":\"f\"}]}"));
    CHECK_SPAN("", plain(t, "{\"type\":\"redacted_thinking\",\"data\":\"xx\"}"));
    CHECK_SPAN("", plain(t, "{\"type\":\"tool_use\",\"id\":\"1\",\"name\":\"n\"}"));
}

static void pairs(struct test *t, const char *json, const char *id, const char *name)
{
    struct bough_part part = { BOUGH_PART_OTHER, str_of(json) };

    CHECK_OK(bough_part_check(part.json, &part.type, &t->err));
    CHECK_INT(BOUGH_PART_TOOL, part.type);
    CHECK_STR(id, part_call_id(t->arena, &part));
    CHECK_STR(name, part_tool_name(t->arena, &part));
}

TEST(calls_and_results_have_a_pairing_key_in_every_vocabulary) /* U11 */
{
    pairs(t, "{\"type\":\"tool_use\",\"id\":\"c1\",\"name\":\"ls\",\"input\":{}}", "c1", "ls");
    pairs(t, "{\"type\":\"tool_result\",\"tool_use_id\":\"c1\"}", "c1", "");
    pairs(t, "{\"type\":\"toolCall\",\"id\":\"c2\",\"name\":\"ls\",\"arguments\":{}}", "c2", "ls");
    pairs(t, "{\"id\":\"c3\",\"type\":\"function\",\"function\":{\"name\":\"ls\"}}", "c3", "ls");
    pairs(t,
          "{\"type\":\"function_call\",\"id\":\"x\",\"call_id\":\"c4\",\"name\":\"ls\","
          "\"arguments\":\"{}\"}",
          "c4", "ls");
    pairs(t, "{\"type\":\"function_call_output\",\"call_id\":\"c4\",\"output\":\"o\"}", "c4", "");
    pairs(t, "{\"type\":\"tool-bash\",\"toolCallId\":\"c5\",\"state\":\"input-available\"}", "c5",
          "bash");
    pairs(t,
          "{\"type\":\"dynamic-tool\",\"toolName\":\"ls\",\"toolCallId\":\"c6\","
          "\"state\":\"input-streaming\"}",
          "c6", "ls");
    pairs(t, "{\"type\":\"tool-call\",\"toolCallId\":\"c7\",\"toolName\":\"ls\",\"input\":{}}",
          "c7", "ls");
    pairs(t,
          "{\"type\":\"tool\",\"callID\":\"c8\",\"tool\":\"ls\",\"state\":{\"status\":"
          "\"pending\",\"input\":{},\"raw\":\"\"}}",
          "c8", "ls");
}
