/* Message lists in and out, with or without ids: nothing is doubled, every field comes back. */
#include <stdio.h>
#include <stdlib.h>

#include <bough/context.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

static void ui_comes_back(struct test *t, const char *path)
{
    size_t n;
    const char *text = file_text(t, path, &n);
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str out = export_text(t, in.session, "ai-sdk");

    CHECK_STR("ai-sdk", in.format);
    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    check_same_json(t, str_make(text, n), out);
    fresh_store(t);
    in = import_file(t, file_make(t, "u.json", out.p, out.n));
    CHECK_STR(out.p, export_text(t, in.session, "ai-sdk").p);
    next_store(t);
}

STORE_TEST(ui_messages_of_the_ai_sdk_come_back_the_same)
{
    each_file(t, FILES("ai-sdk/data-parts.json", "ai-sdk/tools.json", "ai-sdk/aborted.json"),
              FILES("ai-7.0.169/aborted.json", "ai-7.0.169/approval-granted.json",
                    "ai-7.0.169/client-tool-continued.json", "ai-7.0.169/data-parts.json",
                    "ai-7.0.169/length.json", "ai-7.0.169/pending-client-tool.json"),
              ui_comes_back);
}

/* In the format that it was found to be; a second import of the same writes nothing. */
static void list_comes_back(struct test *t, const char *path)
{
    size_t n;
    const char *text = file_text(t, path, &n);
    struct bough_import_file_result in = import_file(t, path);

    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    check_same_json(t, str_make(text, n), export_text(t, in.session, in.format));
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, import_file(t, path).status);
    next_store(t);
}

STORE_TEST(lists_of_messages_come_back_the_same)
{
    each_file(t,
              FILES("ai-sdk/tools.model.json", "openai-chat/tools.json", "anthropic/tools.json",
                    "openai-responses/items.json", "openai-responses/agents.json"),
              FILES("ai-7.0.169/aborted.model.json", "ai-7.0.169/approval-granted.model.json",
                    "ai-7.0.169/client-tool-continued.model.json",
                    "ai-7.0.169/data-parts.model.json", "ai-7.0.169/length.model.json",
                    "ai-7.0.169/pending-client-tool.model.json"),
              list_comes_back);
}

/* Items were taken for chat messages: calls got the role `other`, and vanished in other exports. */
STORE_TEST(sessions_of_openais_agents_are_items_and_their_calls_reach_other_tools)
{
    static const char *const files[] = { "openai-responses/items.json",
                                         "openai-responses/agents.json" };

    for (size_t i = 0; i < 2; i++) {
        struct bough_import_file_result in = import_file(t, data_path(t, files[i]));
        struct bough_context_options how = { .dialect = "openai-chat", .trailing = true };
        struct bough_context_result c;
        struct bough_entry *e;

        CHECK_STR("openai-responses", in.format);
        CHECK_STR("", in.nproblems ? in.problems[0].text : "");
        CHECK_OK(bough_entry_by_number(t->store, t->arena, in.session, 2, &e, &t->err));
        CHECK_INT(BOUGH_ROLE_ASSISTANT, e->role);
        CHECK_OK(bough_context(t->store, t->arena, in.session, &how, &c, &t->err));
        CHECK(strstr(c.messages.p, "\"tool_call_id\":\"call_1\"") &&
              !strstr(c.messages.p, "interrupted"));
        CHECK(strstr(export_text(t, in.session, "claude-code").p, "\"name\":\"count\""));
        CHECK(strstr(export_text(t, in.session, "pi").p, "\"toolName\":\"count\""));
        next_store(t);
    }
}

static const char openai[] =
    "{\"model\":\"gpt-x\",\"messages\":[\n"
    "{\"role\":\"system\",\"content\":\"Be brief.\"},\n"
    "{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Look\"},{\"type\":\"image_url\","
    "\"image_url\":{\"url\":\"data:image/png;base64,iVBO\",\"detail\":\"low\"}}],\"name\":\"u\"},\n"
    "{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"c1\",\"type\":\"function\","
    "\"function\":{\"name\":\"ls\",\"arguments\":\"{\\\"a\\\":1}\"}}],\"refusal\":null},\n"
    "{\"role\":\"tool\",\"tool_call_id\":\"c1\",\"content\":\"a b\"},\n"
    "{\"role\":\"assistant\",\"content\":\"Two "
    "files.\",\"annotations\":[]}],\"temperature\":0.5}\n";

static const char anthropic[] =
    "[{\"role\":\"user\",\"content\":\"Look\"},"
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"hm\",\"signature\":"
    "\"c2ln\"},{\"type\":\"redacted_thinking\",\"data\":\"xx\"},{\"type\":\"tool_use\",\"id\":"
    "\"t1\","
    "\"name\":\"ls\",\"input\":{\"a\":1}}]},"
    "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":"
    "[{\"type\":\"text\",\"text\":\"a b\"}],\"is_error\":false,\"cache_control\":{\"type\":"
    "\"ephemeral\"}}]},"
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"Two files.\"}]}]";

static void check_list(struct test *t, const char *text, const char *format, int64_t messages)
{
    struct bough_import_file_result in = import_file(t, file_make(t, "m.json", text, strlen(text)));
    const char *session = in.session;
    struct bough_str out = export_text(t, session, format);
    const char *grown;

    CHECK_STR(format, in.format);
    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    CHECK_INT(messages, in.added);
    check_same_json(t, str_of(text), out);
    in = import_file(t, file_make(t, "m.json", out.p, out.n)); /* same messages, other bytes */
    CHECK_STR(session, in.session);
    CHECK_INT(0, in.added);
    CHECK_INT(messages, in.known);
    grown = arena_printf(t->arena, "{\"messages\":%.*s,{\"role\":\"user\",\"content\":\"More\"}]}",
                         (int)(strrchr(text, ']') - text) - (text[0] == '{' ? 25 : 0),
                         text + (text[0] == '{' ? 25 : 0));
    if (text[0] == '{')
        grown = arena_printf(t->arena, "%.*s,{\"role\":\"user\",\"content\":\"More\"}]}",
                             (int)(strstr(text, "],\"temp") - text), text);
    in = import_file(t, file_make(t, "m.json", grown, strlen(grown)));
    CHECK_INT(1, in.added);
    CHECK_INT(BOUGH_IMPORT_GREW, in.status);
    CHECK_INT(messages, get(t, session)->messages - 1);
}

STORE_TEST(openai_chat_messages_come_back_and_are_not_doubled)
{
    check_list(t, openai, "openai-chat", 5);
}

STORE_TEST(anthropic_messages_come_back_and_are_not_doubled)
{
    check_list(t, anthropic, "anthropic", 4);
}

STORE_TEST(an_edited_list_of_messages_becomes_a_branch)
{
    const char
        *one = "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"b\"}]",
        *two = "[{\"role\":\"user\",\"content\":\"a\"},{\"role\":\"assistant\",\"content\":\"c\"}]";
    struct bough_import_file_result in;

    CHECK_INT(2, import_file(t, file_make(t, "m.json", one, strlen(one))).added);
    in = import_file(t, file_make(t, "m.json", two, strlen(two)));
    CHECK_INT(1, in.added);
    CHECK_STR("a c", path_text(t, in.session));
    CHECK_INT(3, get(t, in.session)->messages);
    in = import_file(t, file_make(t, "m.json", one, strlen(one)));
    CHECK_INT(0, in.added);
}

static void becomes_any_list(struct test *t, const char *path)
{
    static const char *const to[] = { "ai-sdk", "openai-chat", "anthropic" };

    for (size_t k = 0; k < 3; k++) {
        struct bough_import_file_result in = import_file(t, path);
        struct bough_str out = export_text(t, in.session, to[k]);
        struct bough_import_file_options how = { .format = to[k] };

        fresh_store(t);
        CHECK_OK(bough_import_file(t->store, t->arena, file_make(t, "x.json", out.p, out.n), &how,
                                   &in, &t->err));
        CHECK_STR("", in.nproblems ? in.problems[0].text : "");
        CHECK(in.added > 1);
        CHECK_STR(out.p, export_text(t, in.session, to[k]).p);
        next_store(t);
    }
}

/* One conversation, from each tool into each list, and back in. */
STORE_TEST_SECONDS(any_session_becomes_any_list_of_messages, 60)
{
    each_file(t,
              FILES("pi/multiturn.jsonl", "pi/v1.jsonl", "claude-code/tools.jsonl",
                    "codex/tools.jsonl", "opencode/tools.json", "ai-sdk/tools.json",
                    "openai-chat/tools.json", "anthropic/tools.json"),
              FILES("pi-1.5.0/print-multiturn.jsonl", "claude-code-2.1.325/resumed.jsonl",
                    "codex-0.166.0/resumed.jsonl", "opencode-1.18.33/tools.json",
                    "ai-7.0.169/approval-granted.json"),
              becomes_any_list);
}

STORE_TEST_SECONDS(lists_of_messages_cut_after_any_byte_give_what_was_whole, 120)
{
    size_t n;
    const char *ui = file_text(t, data_path(t, "ai-sdk/data-parts.json"), &n);

    check_cuts(t, "cut.json", str_make(ui, n), 2);
    check_cuts(t, "cut2.json", str_of(openai), 5);
    check_cuts(t, "cut3.json", str_of(anthropic), 4);
}
