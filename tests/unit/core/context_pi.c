/* Contexts in the pi dialect, rule by rule. */
#include "base/json/json.h"
#include "base/text/str.h"
#include "build.h"

TEST(pi_messages_come_out_as_they_went_in) /* P25 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"h\\u0069\"",
                "{\"role\":\"user\",\"timestamp\":1,\"bough.content\":\"string\"}");
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[{\"type\":\"text\",\"text\":\"yo\",\"x\":1.0}]",
                "{\"role\":\"assistant\",\"api\":\"z\",\"timestamp\":2}");
    add_message(&p, BOUGH_ROLE_BASH, NULL,
                "{\"role\":\"bashExecution\",\"command\":\"ls\",\"timestamp\":3,"
                "\"bough.content\":\"none\"}");
    c = context_of(&p, "pi", NULL);
    CHECK_SPAN("[{\"role\":\"user\",\"timestamp\":1,\"content\":\"h\\u0069\"},"
               "{\"role\":\"assistant\",\"api\":\"z\",\"timestamp\":2,"
               "\"content\":[{\"type\":\"text\",\"text\":\"yo\",\"x\":1.0}]},"
               "{\"role\":\"bashExecution\",\"command\":\"ls\",\"timestamp\":3}]",
               c.messages);
    CHECK_INT(0, c.nnotes);
}

TEST(missing_content_becomes_empty_content) /* pi 1.5 */
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, NULL, "{\"timestamp\":1,\"bough.content\":\"null\"}");
    add_message(&p, BOUGH_ROLE_SYSTEM, NULL, "{\"timestamp\":1,\"bough.content\":\"none\"}");
    CHECK_SPAN("[{\"role\":\"user\",\"timestamp\":1,\"content\":[]},"
               "{\"role\":\"system\",\"timestamp\":1,\"content\":\"\"}]",
               context_of(&p, "pi", NULL).messages);
}

TEST(other_entries_of_pi_say_what_pi_says) /* P25 */
{
    struct path p = { .t = t };

    add_entry(&p, "custom_message", "{\"customType\":\"x\",\"content\":\"c\",\"display\":true}");
    add_entry(&p, "custom_message",
              "{\"customType\":\"x\",\"content\":[],\"display\":false,\"details\":{\"a\":1}}");
    add_entry(&p, "branch_summary", "{\"fromId\":\"f\",\"summary\":\"s\"}");
    add_entry(&p, "branch_summary", "{\"fromId\":\"f\",\"summary\":\"\"}");
    add_entry(&p, "custom", "{\"customType\":\"x\",\"data\":1}");
    add_entry(&p, "label", "{\"targetId\":\"f\",\"label\":\"l\"}");
    add_entry(&p, "usage", "{}");
    CHECK_SPAN(
        "[{\"role\":\"custom\",\"customType\":\"x\",\"display\":true,\"content\":\"c\","
        "\"timestamp\":1001},"
        "{\"role\":\"custom\",\"customType\":\"x\",\"display\":false,\"details\":{\"a\":1},"
        "\"content\":[],\"timestamp\":1002},"
        "{\"role\":\"branchSummary\",\"summary\":\"s\",\"fromId\":\"f\",\"timestamp\":1003}]",
        context_of(&p, "pi", NULL).messages);
}

/* The texts of a context, one letter per message; S for a summary. */
static const char *letters(struct test *t, const struct bough_context_result *c)
{
    static char out[64];
    struct json_iter it;
    struct json root;
    size_t n = 0;

    CHECK_OK(json_parse(t->arena, c->messages, &root, &t->err));
    for (it = json_iter(root); json_next(&it) && n < sizeof out - 1;) {
        struct json m = json_member(it.value, "content");
        struct bough_str s;

        if (!json_str(t->arena, m, &s))
            s = str_of("S");
        out[n++] = *(s.n ? s.p : "-");
    }
    out[n] = '\0';
    return out;
}

#define STRING "{\"timestamp\":1,\"bough.content\":\"string\"}"

static struct bough_entry *say(struct path *p, const char *letter)
{
    return add_message(p, BOUGH_ROLE_USER, letter, STRING);
}

TEST(a_compaction_shows_its_summary_then_the_kept_then_the_rest) /* P24, U14 */
{
    struct path p = { .t = t };
    struct bough_entry *marker;
    struct bough_context_result c;

    say(&p, "\"a\"");
    say(&p, "\"b\"");
    marker = add_entry(&p, "compaction", "{\"summary\":\"s\",\"tokensBefore\":7}");
    marker->keep_from = 2;
    say(&p, "\"c\"");
    c = context_of(&p, "pi", NULL);
    CHECK_STR("Sbc", letters(t, &c));
    CHECK(strstr(c.messages.p, "{\"role\":\"compactionSummary\",\"summary\":\"s\","
                               "\"tokensBefore\":7,\"timestamp\":1003}") == c.messages.p + 1);
    CHECK(c.marker == marker);
    CHECK_INT(1, notes_about(&c, marker, "summarised"));
    marker->keep_from = 0;
    c = context_of(&p, "pi", NULL);
    CHECK_STR("Sc", letters(t, &c));
}

TEST(what_is_kept_may_also_be_named_by_id) /* P24 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    say(&p, "\"a\"")->origin = "aaaa";
    say(&p, "\"b\"")->origin = "bbbb";
    add_entry(&p, "compaction", "{\"summary\":\"s\",\"firstKeptEntryId\":\"bbbb\"}");
    c = context_of(&p, "pi", NULL);
    CHECK_STR("Sb", letters(t, &c));
    p.at[2].data = str_of("{\"summary\":\"s\",\"firstKeptEntryId\":\"nobody\"}");
    c = context_of(&p, "pi", NULL);
    CHECK_STR("S", letters(t, &c));
}

TEST(the_latest_compaction_wins_even_when_it_opens_the_window_again) /* P24, U14 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    say(&p, "\"a\"");
    say(&p, "\"b\"");
    add_entry(&p, "compaction", "{\"summary\":\"s\"}");
    say(&p, "\"c\"");
    add_entry(&p, "compaction", "{\"summary\":\"t\"}")->keep_from = 1;
    say(&p, "\"d\"");
    c = context_of(&p, "pi", NULL);
    CHECK_STR("Sabcd", letters(t, &c));
    CHECK(c.marker == &p.at[4]);
    p.at[4].deleted = 1;
    c = context_of(&p, "pi", NULL);
    CHECK_STR("Scd", letters(t, &c));
}

TEST(a_compaction_brings_its_system_message_and_replaces_kept_ones) /* pi 1.5 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_SYSTEM, "\"x\"", STRING);
    say(&p, "\"a\"");
    add_entry(&p, "compaction",
              "{\"summary\":\"s\",\"systemMessage\":{\"role\":\"system\",\"content\":\"p\"}}")
        ->keep_from = 1;
    add_message(&p, BOUGH_ROLE_SYSTEM, "\"y\"", STRING);
    c = context_of(&p, "pi", NULL);
    CHECK_STR("pSay", letters(t, &c));
    CHECK_STR(p.at[2].id, c.sources[0]);
    CHECK_STR(p.at[2].id, c.sources[1]);
    CHECK_INT(1, notes_about(&c, &p.at[0], "omitted"));
}

TEST(the_latest_context_edit_wins) /* pi 1.5 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    say(&p, "\"a\"")->origin = "aaaa";
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[]", "{\"timestamp\":1}");
    say(&p, "\"c\"");
    add_entry(&p, "context_edit", "{\"targetId\":\"aaaa\",\"replacement\":null}");
    add_entry(&p, "context_edit", "{\"targetId\":\"aaaa\",\"replacement\":{\"content\":\"e\"}}");
    add_entry(&p, "context_edit",
              "{\"targetId\":\"00000000000000000000000002\",\"replacement\":{\"content\":\"f\"}}");
    add_entry(&p, "context_edit",
              "{\"targetId\":\"00000000000000000000000003\",\"replacement\":null}");
    add_entry(&p, "context_edit", "{\"targetId\":\"nobody\",\"replacement\":null}");
    c = context_of(&p, "pi", NULL);
    CHECK_SPAN("[{\"role\":\"user\",\"timestamp\":1,\"content\":\"e\"},"
               "{\"role\":\"assistant\",\"timestamp\":1,\"content\":[{\"type\":\"text\","
               "\"text\":\"f\"}]}]",
               c.messages);
    CHECK_INT(1, notes_about(&c, &p.at[0], "edited"));
    CHECK_INT(1, notes_about(&c, &p.at[2], "omitted"));
}

TEST(a_context_edit_before_what_is_kept_does_not_count) /* pi 1.5 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    say(&p, "\"a\"")->origin = "aaaa";
    add_entry(&p, "context_edit", "{\"targetId\":\"bbbb\",\"replacement\":null}");
    say(&p, "\"b\"")->origin = "bbbb";
    add_entry(&p, "compaction", "{\"summary\":\"s\"}")->keep_from = 3;
    c = context_of(&p, "pi", NULL);
    CHECK_STR("Sb", letters(t, &c));
}

TEST(messages_in_other_words_become_pi_s) /* U11, U12 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"thinking\",\"text\":\"hm\"},{\"type\":\"tool_use\",\"id\":\"t1\","
                "\"name\":\"ls\",\"input\":{\"a\":1.0}},{\"type\":\"step-start\"}]",
                NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":\"x\"}]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "\"y\"", "{\"tool_call_id\":\"t1\"}");
    add_message(
        &p, BOUGH_ROLE_USER,
        "[{\"type\":\"image\",\"image_mime_type\":\"image/png\",\"image_base64\":\"aGk=\"}]", NULL);
    c = context_of(&p, "pi", NULL);
    CHECK_SPAN("[{\"role\":\"assistant\",\"timestamp\":1001,\"content\":[{\"type\":\"thinking\","
               "\"thinking\":\"hm\"},{\"type\":\"toolCall\",\"id\":\"t1\",\"name\":\"ls\","
               "\"arguments\":{\"a\":1.0}}]},"
               "{\"role\":\"toolResult\",\"toolCallId\":\"t1\",\"toolName\":\"ls\",\"content\":"
               "[{\"type\":\"text\",\"text\":\"x\"}],\"isError\":false,\"timestamp\":1002},"
               "{\"role\":\"toolResult\",\"toolCallId\":\"t1\",\"toolName\":\"ls\",\"content\":"
               "[{\"type\":\"text\",\"text\":\"y\"}],\"isError\":false,\"timestamp\":1003},"
               "{\"role\":\"user\",\"timestamp\":1004,\"content\":[{\"type\":\"image\","
               "\"data\":\"aGk=\",\"mimeType\":\"image/png\"}]}]",
               c.messages);
    CHECK_INT(1, notes_about(&c, &p.at[0], "converted"));
    CHECK_INT(1, notes_about(&c, &p.at[0], "omitted"));
    CHECK_INT(1, notes_about(&c, &p.at[1], "converted"));
}

TEST(only_images_that_bring_their_bytes_become_blocks_of_pi)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER,
                "[{\"type\":\"file\",\"mime\":\"text/html\",\"url\":\"data:;base64,aGk=\"},"
                "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"https://a\"},"
                "{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"data:;base64,aGk=\"}]",
                "{\"timestamp\":1}");
    c = context_of(&p, "pi", NULL);
    CHECK_SPAN("[{\"role\":\"user\",\"timestamp\":1,\"content\":[{\"type\":\"image\",\"data\":"
               "\"aGk=\",\"mimeType\":\"image/png\"}]}]",
               c.messages);
    CHECK_INT(2, notes_about(&c, &p.at[0], "omitted"));
}

TEST(a_result_without_a_call_has_no_tool_name)
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_TOOL, "\"y\"", "{\"tool_call_id\":\"t9\"}");
    CHECK_SPAN("[{\"role\":\"toolResult\",\"toolCallId\":\"t9\",\"toolName\":\"\",\"content\":"
               "[{\"type\":\"text\",\"text\":\"y\"}],\"isError\":false,\"timestamp\":1001}]",
               context_of(&p, "pi", NULL).messages);
}

TEST(unknown_blocks_go_back_to_pi_untouched)
{
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, "[{\"type\":\"hologram\", \"x\":1}]", "{\"timestamp\":1}");
    CHECK_SPAN("[{\"role\":\"user\",\"timestamp\":1,\"content\":[{\"type\":\"hologram\", "
               "\"x\":1}]}]",
               context_of(&p, "pi", NULL).messages);
}
