/* The rules for everything that goes to a provider, one by one. The numbers are those of the twelve
 * rules in docs/turns.md. */
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "turns_build.h"

/* ---- 1: since the marker ---- */

TEST(a_compaction_is_a_message_of_the_user_before_what_it_keeps)
{
    struct path p = { .t = t };
    struct bough_entry *marker;
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"kept\"", NULL);
    marker = add_entry(&p, "compaction", "{\"summary\":\"so far\"}");
    add_message(&p, BOUGH_ROLE_USER, "\"next\"", NULL);
    c = BUILD(&p, "openai-chat", .marker = marker);
    CHECK(strstr(c.messages.p,
                 "<summary>\\nso far\\n</summary>\"},"
                 "{\"role\":\"assistant\",\"content\":\"kept\"}," SAID("user", "next")));
    CHECK_INT(1, notes_about(&c, marker, "summarised"));
}

TEST(a_summary_that_is_an_answer_on_the_path_is_not_told_twice) /* A21 */
{
    struct path p = { .t = t };
    struct bough_entry *marker;
    struct bough_context_result c;

    marker = add_entry(&p, "compaction", "{\"tokensBefore\":1}");
    add_message(&p, BOUGH_ROLE_USER, "[{\"type\":\"compaction\",\"auto\":true}]", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"what happened\"", "{\"summary\":true}");
    add_message(&p, BOUGH_ROLE_USER, "\"next\"", NULL);
    c = BUILD(&p, "openai-chat", .marker = marker);
    CHECK_INT(2, c.count);
    CHECK(strstr(c.messages.p, "<summary>\\nwhat happened\\n</summary>\"}," SAID("user", "next")));
}

TEST(summaries_of_branches_commands_and_custom_messages_are_the_users) /* P26 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_entry(&p, "branch_summary", "{\"summary\":\"tried it\"}");
    add_message(&p, BOUGH_ROLE_BASH, NULL,
                "{\"role\":\"bashExecution\",\"command\":\"ls\",\"output\":\"a\",\"exitCode\":1}");
    add_message(&p, BOUGH_ROLE_BASH, NULL,
                "{\"role\":\"bashExecution\",\"command\":\"id\",\"excludeFromContext\":true}");
    add_entry(&p, "custom_message", "{\"customType\":\"x\",\"content\":\"note\"}");
    add_message(&p, BOUGH_ROLE_CUSTOM, "\"hook\"", "{\"role\":\"custom\"}");
    c = BUILD(&p, "openai-chat");
    CHECK_INT(4, c.count);
    CHECK(strstr(c.messages.p, "<summary>\\ntried it\\n</summary>") != NULL);
    CHECK(strstr(c.messages.p, "Ran `ls`") && strstr(c.messages.p, "code 1") &&
          !strstr(c.messages.p, "Ran `id`"));
    CHECK(strstr(c.messages.p, SAID("user", "note") "," SAID("user", "hook")) != NULL);
}

/* ---- 2: left out, corrected ---- */

TEST(open_deleted_and_failed_messages_are_left_out_and_corrections_applied) /* A13, U13 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"ask\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"half\"", "{\"stopReason\":\"error\"}");
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"API Error\"", "{\"model\":\"<synthetic>\"}");
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"cut\"", "{\"stopReason\":\"aborted\"}");
    add_message(&p, BOUGH_ROLE_USER, "\"gone\"", NULL)->deleted = 1;
    add_message(&p, BOUGH_ROLE_ASSISTANT, NULL, NULL)->open = true;
    add_entry(&p, "custom",
              "{\"customType\":\"bough.amend\",\"data\":{\"target\":"
              "\"00000000000000000000000001\",\"parts\":[" TEXT("more") "]}}");
    add_entry(
        &p, "context_edit",
        "{\"targetId\":\"00000000000000000000000004\",\"replacement\":{\"content\":\"now\"}}");
    c = BUILD(&p, "openai-chat");
    CHECK_STR("[{\"role\":\"user\",\"content\":[" TEXT("ask") "," TEXT("more") "]}," SAID(
                  "assistant", "now") "]",
              c.messages.p);
    for (size_t i = 1; i < 6; i++)
        CHECK_INT(i != 3, notes_about(&c, &p.at[i], "omitted"));
}

/* ---- 3, 4: calls and results ---- */

TEST(lines_of_one_response_are_one_turn_and_results_follow_all_their_calls)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" TEXT("ok") "]", "{\"id\":\"msg_1\"}");
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("a") "]", "{\"id\":\"msg_1\"}");
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("a", "1") "]", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("b") "]", "{\"id\":\"msg_1\"}");
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("b", "2") "]", NULL);
    c = BUILD(&p, "anthropic");
    CHECK_STR("[{\"role\":\"user\",\"content\":[" TEXT(
                  "go") "]},{\"role\":\"assistant\","
                        "\"content\":[" TEXT("ok") "," USE("a") "," USE(
                            "b") "]},{\"role\":\"user\","
                                 "\"content\":[" RESULT("a", "1") "," RESULT("b", "2") "]}]",
              c.messages.p);
}

TEST(items_of_one_response_are_one_turn)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT, "[{\"type\":\"output_text\",\"text\":\"ok\"}]", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\",\"arguments\":"
                "\"{}\"}]",
                NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"function_call\",\"call_id\":\"b\",\"name\":\"f\",\"arguments\":"
                "\"{}\"}]",
                NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"function_call_output\",\"call_id\":\"b\",\"output\":\"2\"}]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL,
                "[{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":\"1\"}]", NULL);
    c = BUILD(&p, "openai-chat");
    CHECK_STR("[{\"role\":\"assistant\",\"content\":\"ok\",\"tool_calls\":[" CALL("a") "," CALL(
                  "b") "]}," TOOL("a", "1") "," TOOL("b", "2") "]",
              c.messages.p);
}

#define UI(name, id)                                                                               \
    "{\"type\":\"tool-" name "\",\"toolCallId\":\"" id                                             \
    "\",\"state\":\"output-available\",\"input\":{},\"output\":\"r\"}"

TEST(steps_of_one_message_are_turns_and_its_parallel_calls_one) /* A16, U11 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"step-start\"}," UI("f", "a") "," UI(
                    "f", "b") ","
                              "{\"type\":\"step-start\"}," UI("f", "c") "," TEXT("done") "]",
                NULL);
    c = BUILD(&p, "openai-chat");
    CHECK_STR("[" CALLS(CALL("a") "," CALL("b")) "," TOOL("a", "r") "," TOOL("b", "r") "," CALLS(
                  CALL("c")) "," TOOL("c", "r") "," SAID("assistant", "done") "]",
              c.messages.p);
}

TEST(a_result_belongs_to_the_nearest_call_with_its_id_and_else_to_the_one_that_waits)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("call_0") "]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("call_0", "first") "]", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("call_0") "]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("call_0", "second") "]", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("x") "]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" TEXT("no id") "]", NULL);
    c = BUILD(&p, "openai-chat");
    CHECK(strstr(c.messages.p, CALLS(CALL("call_0")) "," TOOL("call_0", "first")) != NULL);
    CHECK(strstr(c.messages.p, "\"content\":\"second\"") != NULL);
    CHECK(strstr(c.messages.p, CALLS(CALL("x")) "," TOOL("x", "no id")) != NULL);
}

TEST(results_come_right_behind_their_call_whatever_was_said_in_between) /* P27 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("a") "]", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"wait\"", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("a", "1") "]", NULL);
    c = BUILD(&p, "openai-chat");
    CHECK_STR(
        "[" SAID("user", "go") "," CALLS(CALL("a")) "," TOOL("a", "1") "," SAID("user", "wait") "]",
        c.messages.p);
}

TEST(a_missing_result_is_an_interruption_an_orphan_is_dropped_and_the_last_of_two_counts) /* H32 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("lost", "x") "]", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("a") "," USE("b") "]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("b", "one") "]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("b", "two") "]", NULL);
    c = BUILD(&p, "anthropic");
    CHECK(strstr(c.messages.p,
                 "{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":"
                 "\"[Tool execution was interrupted]\",\"is_error\":true}," RESULT("b", "two")));
    CHECK(!strstr(c.messages.p, "lost") && !strstr(c.messages.p, "\"one\""));
    CHECK_INT(1, notes_about(&c, &p.at[0], "omitted"));
    CHECK_INT(1, notes_about(&c, &p.at[2], "added"));
    CHECK_INT(1, notes_about(&c, &p.at[3], "omitted"));
}

TEST(an_interrupted_tool_shows_what_it_had_written_and_a_compacted_one_that_it_is_gone) /* A13 */
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"tool\",\"callID\":\"a\",\"tool\":\"f\",\"state\":{\"status\":"
                "\"error\",\"input\":{},\"error\":\"aborted\",\"metadata\":{\"interrupted\":true,"
                "\"output\":\"half\"},\"time\":{\"start\":1,\"end\":2}}},"
                "{\"type\":\"tool\",\"callID\":\"b\",\"tool\":\"f\",\"state\":{\"status\":"
                "\"completed\",\"input\":{},\"output\":\"long\",\"title\":\"\",\"metadata\":{},"
                "\"time\":{\"start\":1,\"end\":2,\"compacted\":3}}}]",
                NULL);
    c = BUILD(&p, "openai-chat");
    CHECK(strstr(c.messages.p, TOOL("a", "half") "," TOOL("b", "[Old tool result content "
                                                               "cleared]")));
}

/* ---- 5: ids and names ---- */

TEST(ids_are_kept_when_valid_and_else_derived_so_that_they_stay)
{
    struct path p = { .t = t };
    struct bough_context_result c, again;

    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("a|b") "," USE("good_1") "]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("a|b", "1") "," RESULT("good_1", "2") "]", NULL);
    c = BUILD(&p, "anthropic");
    CHECK(!strstr(c.messages.p, "a|b") && strstr(c.messages.p, "\"id\":\"good_1\""));
    CHECK(strstr(c.messages.p, "\"id\":\"ccmds06q8\"") != NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"next\"", NULL);
    again = BUILD(&p, "anthropic");
    CHECK(memcmp(c.messages.p, again.messages.p, c.messages.n - 3) == 0); /* an open end */
    c = BUILD(&p, "openai-chat");
    CHECK(strstr(c.messages.p, "a|b") != NULL); /* chat takes it */
}

TEST(names_of_tools_are_made_valid)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"toolCall\",\"id\":\"1\",\"name\":\"srv.do it\",\"arguments\":{}},"
                "{\"type\":\"toolCall\",\"id\":\"2\",\"name\":\"9x\",\"arguments\":{}},"
                "{\"type\":\"toolCall\",\"id\":\"3\",\"name\":\"\",\"arguments\":{}}]",
                NULL);
    c = BUILD(&p, "gemini");
    CHECK(strstr(c.messages.p, "\"name\":\"srv_do_it\"") &&
          strstr(c.messages.p, "\"name\":\"_9x\"") && strstr(c.messages.p, "\"name\":\"unknown\""));
    CHECK_INT(3, notes_about(&c, &p.at[0], "converted"));
    c = BUILD(&p, "openai-chat");
    CHECK(strstr(c.messages.p, "\"name\":\"9x\"") != NULL);
}

TEST(arguments_are_an_object_whatever_was_given)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(
        &p, BOUGH_ROLE_ASSISTANT,
        "[{\"type\":\"function\",\"id\":\"1\",\"function\":{\"name\":\"f\",\"arguments\":"
        "\"{\\\"a\\\":1}\"}},"
        "{\"type\":\"function\",\"id\":\"2\",\"function\":{\"name\":\"f\",\"arguments\":"
        "\"{broken\"}},"
        "{\"type\":\"custom_tool_call\",\"call_id\":\"3\",\"name\":\"f\",\"input\":\"free\"},"
        "{\"type\":\"toolCall\",\"id\":\"4\",\"name\":\"f\",\"arguments\":[1]}]",
        NULL);
    c = BUILD(&p, "anthropic");
    CHECK(strstr(c.messages.p, "\"input\":{\"a\":1}}") != NULL);
    CHECK(strstr(c.messages.p, "\"input\":{\"input\":\"{broken\"}}") != NULL);
    CHECK(strstr(c.messages.p, "\"input\":{\"input\":\"free\"}}") != NULL);
    CHECK(strstr(c.messages.p, "\"input\":{\"input\":[1]}}") != NULL);
    c = BUILD(&p, "openai-responses");
    CHECK(strstr(c.messages.p, "\"arguments\":\"{\\\"a\\\":1}\"") != NULL);
    CHECK(strstr(c.messages.p, "{\"type\":\"custom_tool_call\",\"call_id\":\"3\",\"name\":\"f\","
                               "\"input\":\"free\"}") != NULL);
    CHECK(strstr(c.messages.p, "{\"type\":\"custom_tool_call_output\",\"call_id\":\"3\"") != NULL);
}

/* ---- 8, 9: empty messages, the order of roles ---- */

TEST(empty_texts_are_left_out_and_a_message_stands_only_where_the_order_needs_one)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"one\"", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\" \"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"two\"", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"\"", NULL);
    c = BUILD(&p, "anthropic");
    CHECK_INT(4, c.count);
    CHECK(strstr(c.messages.p, TEXT("(no content)")) != NULL);
    c = BUILD(&p, "openai-chat");
    CHECK_INT(3, c.count);
}

TEST(equal_roles_are_merged_and_a_first_turn_of_the_model_gets_one_of_the_user)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"one\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"two\"", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"a\"", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"b\"", NULL);
    c = BUILD(&p, "anthropic");
    CHECK_STR("[{\"role\":\"user\",\"content\":[" TEXT(
                  "(continued)") "]},{\"role\":\"assistant\","
                                 "\"content\":[" TEXT("one") "," TEXT(
                                     "two") "]},{\"role\":\"user\",\"content\":"
                                            "[" TEXT("a") "," TEXT("b") "]}]",
              c.messages.p);
    c = BUILD(&p, "openai-chat");
    CHECK_INT(4, c.count);
}

/* ---- 10: system ---- */

TEST(leading_system_messages_are_the_system_text_and_later_ones_never_are)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_SYSTEM, "\"be kind\"", NULL);
    add_message(&p, BOUGH_ROLE_SYSTEM, "\"be short\"", "{\"role\":\"developer\"}");
    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_SYSTEM, "\"new rule\"", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"on\"", NULL);
    c = BUILD(&p, "openai-chat");
    CHECK_STR("[" SAID("system", "be kind\\n\\nbe short") "," SAID("user", "go") "," SAID(
                  "system", "new rule") "," SAID("user", "on") "]",
              c.messages.p);
    c = BUILD(&p, "anthropic");
    CHECK_SPAN("[{\"type\":\"text\",\"text\":\"be kind\\n\\nbe short\"}]", c.system);
    CHECK(strstr(c.messages.p, TEXT("<system-reminder>\\nnew rule\\n</system-reminder>")) != NULL);
    c = BUILD(&p, "gemini");
    CHECK_SPAN("{\"parts\":[{\"text\":\"be kind\\n\\nbe short\"}]}", c.system);
    p.at[0].deleted = 1;
    c = BUILD(&p, "openai-responses");
    CHECK(strstr(c.messages.p, "\"role\":\"developer\"") != NULL);
}

TEST(the_prompt_of_the_session_and_memories_are_part_of_the_system_text) /* C7 */
{
    struct bough_memory memory = { .content = "likes tea" };
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    c = BUILD(&p, "anthropic", .prompt = "be kind", .memories = &memory, .nmemories = 1);
    CHECK_SPAN("[{\"type\":\"text\",\"text\":\"be kind\\n\\nRemember:\\n\\n- likes tea\"}]",
               c.system);
    CHECK_INT(2, c.nnotes);
    p.n = 0;
    add_message(&p, BOUGH_ROLE_SYSTEM, "\"own\"", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    c = BUILD(&p, "anthropic", .prompt = "be kind");
    CHECK_SPAN("[{\"type\":\"text\",\"text\":\"own\"}]", c.system);
}

TEST(a_compaction_of_pi_may_bring_its_own_system_message)
{
    struct path p = { .t = t };
    struct bough_entry *marker;
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_SYSTEM, "\"old\"", NULL);
    add_message(&p, BOUGH_ROLE_USER, "\"kept\"", NULL);
    marker = add_entry(&p, "compaction",
                       "{\"summary\":\"s\",\"systemMessage\":{\"role\":\"system\",\"content\":"
                       "\"new\"}}");
    add_message(&p, BOUGH_ROLE_USER, "\"next\"", NULL);
    c = BUILD(&p, "anthropic", .marker = marker);
    CHECK_SPAN("[{\"type\":\"text\",\"text\":\"new\"}]", c.system);
    CHECK(!strstr(c.messages.p, "old"));
}

/* ---- 11: tools of the provider, unknown parts ---- */

TEST(blocks_of_a_providers_own_tools_go_only_to_it)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT,
                "[{\"type\":\"server_tool_use\",\"id\":\"s1\",\"name\":\"web_search\",\"input\":"
                "{\"query\":\"q\"}},{\"type\":\"web_search_tool_result\",\"tool_use_id\":\"s1\","
                "\"content\":[]}," TEXT("found") "]",
                NULL);
    c = BUILD(&p, "anthropic");
    CHECK(strstr(c.messages.p, "[{\"type\":\"server_tool_use\",\"id\":\"s1\"") != NULL);
    c = BUILD(&p, "openai-chat");
    CHECK(strstr(c.messages.p, "[web_search: {\\\"query\\\":\\\"q\\\"}]") != NULL);
    CHECK_INT(2, notes_about(&c, &p.at[1], "converted"));
}

TEST(unknown_parts_are_text_if_they_have_some_and_else_left_out_with_a_note)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER,
                "[{\"type\":\"odd\",\"text\":\"said\"},{\"type\":\"data-x\",\"data\":1},"
                "{\"type\":\"source-url\",\"sourceId\":\"1\",\"url\":\"https://x\"}]",
                NULL);
    c = BUILD(&p, "anthropic");
    CHECK_STR("[{\"role\":\"user\",\"content\":[" TEXT("said") "]}]", c.messages.p);
    CHECK_INT(2, notes_about(&c, &p.at[0], "omitted"));
}

/* ---- 12: the end ---- */

TEST(a_turn_of_the_model_is_the_last_one_only_on_request)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "\"done \\n\"", NULL);
    c = BUILD(&p, "openai-chat", .no_trailing = true);
    CHECK_STR("[" SAID("user", "go") "]", c.messages.p);
    CHECK_INT(1, notes_about(&c, &p.at[1], "omitted"));
    c = BUILD(&p, "anthropic");
    CHECK(strstr(c.messages.p, TEXT("done")) != NULL); /* no white space behind it */
    c = BUILD(&p, "openai-chat");
    CHECK(strstr(c.messages.p, "done \\n") != NULL);
}

/* ---- all ---- */

TEST(only_keys_that_the_provider_knows_are_sent)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER,
                "[{\"type\":\"text\",\"text\":\"a\",\"id\":\"prt_1\",\"sessionID\":\"s\","
                "\"messageID\":\"m\",\"time\":{\"start\":1},\"textSignature\":\"x\","
                "\"state\":\"done\"}]",
                NULL);
    c = BUILD(&p, "anthropic");
    CHECK_STR("[{\"role\":\"user\",\"content\":[" TEXT("a") "]}]", c.messages.p);
}

TEST(every_message_names_the_entry_it_comes_from)
{
    struct path p = { .t = t };
    struct bough_context_result c;

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" TEXT("ok") "," USE("a") "]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("a", "1") "]", NULL);
    c = BUILD(&p, "openai-responses");
    CHECK_INT(4, c.count);
    CHECK_STR(p.at[0].id, c.sources[0]);
    CHECK_STR(p.at[1].id, c.sources[1]);
    CHECK_STR(p.at[1].id, c.sources[2]);
    CHECK_STR(p.at[2].id, c.sources[3]);
}

TEST(what_was_sent_before_is_the_same_when_the_conversation_goes_on)
{
    static const char *const dialects[] = { "openai-chat", "openai-responses", "anthropic",
                                            "gemini" };
    struct path p = { .t = t };

    add_message(&p, BOUGH_ROLE_USER, "\"go\"", NULL);
    add_message(&p, BOUGH_ROLE_ASSISTANT, "[" TEXT("ok") "," USE("a b") "]", NULL);
    add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("a b", "1") "]", NULL);
    for (size_t i = 0; i < 4; i++) {
        struct bough_context_result before = BUILD(&p, dialects[i], .no_trailing = true), after;

        add_message(&p, BOUGH_ROLE_ASSISTANT, "[" USE("a b") "]", NULL);
        add_message(&p, BOUGH_ROLE_TOOL, "[" RESULT("a b", "2") "]", NULL);
        after = BUILD(&p, dialects[i], .no_trailing = true);
        p.n -= 2;
        if (memcmp(before.messages.p, after.messages.p, before.messages.n - 1) != 0)
            FAIL("%s: %s, then %s", dialects[i], before.messages.p, after.messages.p);
    }
}
