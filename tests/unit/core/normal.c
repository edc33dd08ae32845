/* The normal form: the same conversation in five vocabularies. */
#include "core/context/normal.h"

#include "base/text/str.h"
#include "build.h"
#include "core/model/text.h"

static const char *lines(struct test *t, struct path *p)
{
    struct bough_str s;
    struct buf b;
    size_t i;

    buf_init(&b, 1 << 20);
    for (i = 0; i < p->n; i++)
        normal_message(&b, &p->at[i]);
    s = text_keep(t->arena, &b);
    buf_finish(&b);
    return s.p;
}

static const char expected[] = "[\"user\",[[\"text\",\"list\"]]]\n"
                               "[\"assistant\",[[\"reasoning\",\"hm\"],[\"text\",\"ok\"],"
                               "[\"call\",\"ls\",{\"a\":1,\"b\":[2]}]]]\n"
                               "[\"tool\",\"x\\ny\",false]\n"
                               "[\"assistant\",[[\"text\",\"done\"]]]\n";

TEST(a_conversation_is_normal_in_hygge_s_words)
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, "[{\"type\":\"text\",\"text\":\"list\"}]", NULL);
    add_message(
        &p, BOUGH_ROLE_ASSISTANT,
        "[{\"type\":\"thinking\",\"text\":\"hm\"},{\"type\":\"text\",\"text\":\"ok\"},"
        "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"ls\",\"input\":{\"b\":[2],\"a\":1}}]",
        NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"x\\ny\"}]", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[{\"type\":\"text\",\"text\":\"done\"}]", NULL);
    CHECK_STR(expected, lines(t, &p));
}

TEST(a_conversation_is_normal_in_pi_s_words)
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, "\"list\"", "{\"bough.content\":\"string\",\"timestamp\":1}");
    add_entry(&p, "model_change", "{\"provider\":\"x\",\"modelId\":\"y\"}");
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"thinkingSignature\":\"zz\"},"
                "{\"type\":\"text\",\"text\":\"ok\"},{\"type\":\"toolCall\",\"id\":\"q\","
                "\"name\":\"ls\",\"arguments\":{\"a\":1.0,\"b\":[2]}}]",
                "{\"provider\":\"x\",\"model\":\"y\",\"usage\":{\"input\":5}}");
    add_message(
        &p, BOUGH_ROLE_TOOL,
        "[{\"type\":\"text\",\"text\":\"x\"},{\"type\":\"text\",\"text\":\"y\"}]",
        "{\"role\":\"toolResult\",\"toolCallId\":\"q\",\"toolName\":\"ls\",\"isError\":false}");
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[{\"type\":\"text\",\"text\":\"done\"}]", NULL);
    CHECK_STR(expected, lines(t, &p));
}

TEST(a_conversation_is_normal_in_openai_s_words)
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, "\"list\"", NULL);
    add_message(
        &p, BOUGH_ROLE_ASSISTANT,
        "[{\"type\":\"reasoning\",\"summary\":[{\"type\":\"summary_text\",\"text\":\"hm\"}]},"
        "{\"type\":\"output_text\",\"text\":\"ok\"},{\"id\":\"f\",\"type\":\"function\","
        "\"function\":{\"name\":\"ls\",\"arguments\":\"{\\\"b\\\": [2], \\\"a\\\": 1}\"}}]",
        NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "\"x\\ny\"", "{\"tool_call_id\":\"f\"}");
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"done\"", NULL);
    CHECK_STR(expected, lines(t, &p));
}

TEST(a_conversation_is_normal_in_anthropic_s_words)
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, "\"list\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":\"s\"},"
                "{\"type\":\"redacted_thinking\",\"data\":\"zz\"},"
                "{\"type\":\"text\",\"text\":\"ok\"},{\"type\":\"tool_use\",\"id\":\"t\","
                "\"name\":\"ls\",\"input\":{\"a\":1,\"b\":[2]}}]",
                NULL);
    add_message(&p, BOUGH_ROLE_USER,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":[{\"type\":\"text\","
                "\"text\":\"x\\ny\"}]}]",
                NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"done\"", NULL);
    CHECK_STR(expected, lines(t, &p));
}

TEST(a_conversation_is_normal_in_canonical_words)
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, "[{\"type\":\"text\",\"text\":\"list\",\"id\":\"prt_1\"}]",
                "{\"time\":{\"created\":1}}");
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"step-start\"},{\"type\":\"reasoning\",\"text\":\"hm\","
                "\"time\":{\"start\":1}},{\"type\":\"text\",\"text\":\"ok\"},{\"type\":\"tool\","
                "\"callID\":\"z\",\"tool\":\"ls\",\"state\":{\"status\":\"completed\",\"input\":"
                "{\"a\":1,\"b\":[2]},\"output\":\"x\\ny\",\"title\":\"\",\"metadata\":{},"
                "\"time\":{\"start\":1,\"end\":2}}},{\"type\":\"step-finish\",\"reason\":\"t\","
                "\"tokens\":{\"input\":1,\"output\":1}},{\"type\":\"step-start\"},"
                "{\"type\":\"text\",\"text\":\"done\"}]",
                NULL);
    CHECK_STR(expected, lines(t, &p));
}

TEST(a_failed_result_a_file_and_an_unknown_part_are_significant)
{
    struct path p = { .t = t };

    add_message(
        &p, BOUGH_ROLE_TOOL,
        "[{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"no\",\"is_error\":true}]",
        NULL);
    add_message(&p, BOUGH_ROLE_USER,
                "[{\"type\":\"file\",\"mime\":\"text/html\",\"url\":\"https://a\"},"
                "{\"type\":\"hologram\",\"b\":1,\"a\":2}]",
                NULL);
    CHECK_STR("[\"tool\",\"no\",true]\n"
              "[\"user\",[[\"file\",\"text/html\",\"https://a\"],"
              "[\"other\",{\"a\":2,\"b\":1,\"type\":\"hologram\"}]]]\n",
              lines(t, &p));
}

TEST(a_message_that_says_nothing_counts_and_an_empty_end_of_one_does_not)
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, "[]", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"tool\",\"callID\":\"z\",\"tool\":\"ls\",\"state\":{\"status\":"
                "\"error\",\"input\":{},\"error\":\"e\",\"time\":{\"start\":1,\"end\":2}}},"
                "{\"type\":\"step-start\"}]",
                NULL);
    CHECK_STR("[\"user\",[]]\n"
              "[\"assistant\",[[\"call\",\"ls\",{}]]]\n"
              "[\"tool\",\"e\",true]\n",
              lines(t, &p));
}

TEST(the_bytes_of_a_file_count_not_how_they_came)
{
    struct path p = { .t = t };
    unsigned char one[SHA256_LEN], two[SHA256_LEN];

    normal_message_hash(add_message(&p, BOUGH_ROLE_USER,
                                    "[{\"type\":\"image\",\"data\":\"aGk=\","
                                    "\"mimeType\":\"image/png\"}]",
                                    NULL),
                        one);
    normal_message_hash(add_message(&p, BOUGH_ROLE_USER,
                                    "[{\"type\":\"file\",\"mime\":\"image/png\","
                                    "\"url\":\"data:image/png;base64,aGk=\"}]",
                                    NULL),
                        two);
    CHECK_MEM(one, two, SHA256_LEN);
    normal_message_hash(add_message(&p, BOUGH_ROLE_USER,
                                    "[{\"type\":\"image\",\"data\":\"aGo=\","
                                    "\"mimeType\":\"image/png\"}]",
                                    NULL),
                        two);
    CHECK(memcmp(one, two, SHA256_LEN) != 0);
}

TEST(deleted_entries_and_entries_that_are_no_messages_add_nothing)
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, "\"gone\"", NULL)->deleted = 5;
    add_entry(&p, "compaction", "{\"summary\":\"s\"}");
    add_entry(&p, "custom", "{}");
    CHECK_STR("", lines(t, &p));
    add_entry(&p, "custom_message", "{\"customType\":\"x\",\"content\":\"hi\",\"display\":true}");
    add_message(&p, BOUGH_ROLE_BASH, NULL, "{\"command\":\"ls\",\"output\":\"o\"}");
    CHECK_STR("[\"custom\",[[\"text\",\"hi\"]]]\n[\"bash\",\"ls\",\"o\"]\n", lines(t, &p));
}

TEST(a_path_has_one_hash_in_any_vocabulary)
{
    struct path a = { .t = t }, b = { .t = t };
    struct normal_hash h;
    char one[65], two[65];
    size_t i;

    add_message(&a, BOUGH_ROLE_USER, "\"hi\"", NULL);
    add_message(&a, BOUGH_ROLE_USER,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"1\"},"
                "{\"type\":\"tool_result\",\"tool_use_id\":\"2\"}]",
                NULL);
    add_message(&b, BOUGH_ROLE_USER, "[{\"type\":\"input_text\",\"text\":\"hi\"}]", NULL);
    add_message(&b, BOUGH_ROLE_TOOL, "[]", "{\"tool_call_id\":\"3\"}");
    add_message(&b, BOUGH_ROLE_TOOL, "[]", "{\"tool_call_id\":\"4\"}");
    normal_hash_init(&h);
    for (i = 0; i < a.n; i++)
        normal_hash_add(&h, &a.at[i]);
    normal_hash_final(&h, one);
    normal_hash_init(&h);
    for (i = 0; i < b.n; i++)
        normal_hash_add(&h, &b.at[i]);
    normal_hash_final(&h, two);
    CHECK_STR(one, two);
    CHECK_INT(64, strlen(one));
    normal_hash_init(&h);
    normal_hash_add(&h, &a.at[0]);
    normal_hash_final(&h, two);
    CHECK(strcmp(one, two) != 0);
    normal_hash_finish(&h);
}
