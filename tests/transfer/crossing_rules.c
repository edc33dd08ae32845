/* From one tool to another, in the terms of the other: heads, compactions, branches, files; and
 * what comes back into the store that it was exported from. */
#include <stdio.h>

#include <bough/context.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

static const char *add_parts(struct test *t, const char *session, enum bough_role role,
                             const char *parts, const char *data)
{
    struct bough_entry_new e = { .role = role, .data = str_of(data) };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_str *spans;

    CHECK_OK(bough_parts_split(t->arena, str_of(parts), &spans, &e.nparts, &t->err));
    e.parts = spans;
    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return out.ids[0];
}

static const char *add_kind(struct test *t, const char *session, enum bough_entry_kind kind,
                            const char *data)
{
    struct bough_entry_new e = { .kind = kind, .data = str_of(data) };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return out.ids[0];
}

static const char *compact(struct test *t, const char *session, const char *first_kept)
{
    struct bough_compact_options in = { .summary = "SUMMARY", .first_kept = first_kept };
    char *id = bough_arena_alloc(t->arena, BOUGH_ID_LEN + 1);

    CHECK_OK(bough_compact(t->store, session, &in, id, &t->err));
    return id;
}

/* The line of the file with that text, as a tree; nothing if there is none. */
static struct json line_with(struct test *t, struct bough_str file, const char *text)
{
    const char *at = strstr(file.p, text), *from = at, *end;
    struct json j = { 0 };

    if (!at)
        return j;
    while (from > file.p && from[-1] != '\n')
        from--;
    end = strchr(at, '\n');
    CHECK_OK(json_parse(t->arena, str_make(from, (size_t)(end - from)), &j, &t->err));
    return j;
}

static const char *text_in(struct test *t, struct json j, const char *name)
{
    const char *s = json_cstr(t->arena, j, name);

    return s ? s : "";
}

/* ---- heads ---- */

STORE_TEST(claude_code_gets_the_path_that_counts_alone)
{
    const char *s = new_session(t, ""), *fork;
    struct bough_str out;

    user(t, s, "question");
    fork = agent(t, s, "answer");
    user(t, s, "left behind");
    agent(t, s, "not this");
    CHECK_OK(bough_head_move(t->store, s, fork, &t->err));
    user(t, s, "taken");
    out = export_text(t, s, "claude-code");
    CHECK(strstr(out.p, "question") && strstr(out.p, "answer") && strstr(out.p, "taken"));
    CHECK(!strstr(out.p, "left behind") && !strstr(out.p, "not this"));
    CHECK_OK(bough_head_move(t->store, s, fork, &t->err));
    out = export_text(t, s, "claude-code");
    CHECK(strstr(out.p, "answer") && !strstr(out.p, "taken"));
    CHECK_OK(bough_head_reset(t->store, s, &t->err));
    CHECK_SPAN("", export_text(t, s, "claude-code"));
}

#define LINE(parent, uuid, type, message)                                                          \
    "{\"parentUuid\":" parent ",\"isSidechain\":false,\"type\":\"" type "\",\"message\":" message  \
    ",\"uuid\":\"" uuid "\",\"timestamp\":\"2026-11-15T20:00:00.000Z\",\"sessionId\":\"s-1\"}\n"
#define ASK(text) "{\"role\":\"user\",\"content\":\"" text "\"}"
#define TELL(text)                                                                                 \
    "{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}"

STORE_TEST(a_moved_head_of_a_claude_code_session_is_a_leaf_that_claude_code_goes_on_at)
{
    static const char file[] =
        LINE("null", "u-1", "user", ASK("one")) LINE("\"u-1\"", "u-2", "assistant", TELL("two"))
            LINE("\"u-2\"", "u-3", "user", ASK("three"));
    struct bough_import_file_result in =
        import_file(t, file_make(t, "s-1.jsonl", file, sizeof file - 1));
    struct bough_str out;
    struct json leaf, names;

    CHECK_OK(bough_head_move(t->store, in.session, "u-2", &t->err));
    out = export_text(t, in.session, "claude-code");
    leaf = line_with(t, out, "\"subtype\":\"bough.head\"");
    names = line_with(t, out, "\"type\":\"last-prompt\"");
    CHECK_STR("u-2", text_in(t, leaf, "parentUuid"));
    CHECK_STR(text_in(t, leaf, "uuid"), text_in(t, names, "leafUuid"));
    fresh_store(t);
    in = import_file(t, file_make(t, "again.jsonl", out.p, out.n));
    CHECK_STR("one two", path_text(t, in.session));
    CHECK_INT(3, in.added);
    check_same_lines(t, out, export_text(t, in.session, "claude-code"));
    /* what Claude Code adds hangs on that leaf, and so on the head */
    out = str_of(arena_printf(
        t->arena,
        "%s"
        "{\"parentUuid\":\"%s\",\"isSidechain\":false,\"type\":\"user\","
        "\"message\":" ASK("four") ",\"uuid\":\"u-4\",\"timestamp\":"
                                   "\"2026-11-15T20:00:01.000Z\",\"sessionId\":\"s-1\"}\n",
        out.p, text_in(t, leaf, "uuid")));
    in = import_file(t, file_make(t, "again.jsonl", out.p, out.n));
    CHECK_INT(1, in.added);
    CHECK_STR("one two four", path_text(t, in.session));
}

STORE_TEST(a_reverted_session_of_opencode_goes_out_without_what_is_hidden) /* A22 */
{
    static const char file[] =
        "{\"info\":{\"id\":\"ses_1\",\"time\":{\"created\":1,\"updated\":1},\"revert\":{"
        "\"messageID\":"
        "\"msg_3\"}},\"messages\":["
        "{\"info\":{\"id\":\"msg_1\",\"role\":\"user\",\"time\":{\"created\":1}},\"parts\":[{"
        "\"type\":"
        "\"text\",\"text\":\"shown\"}]},"
        "{\"info\":{\"id\":\"msg_2\",\"role\":\"assistant\",\"time\":{\"created\":2}},\"parts\":[{"
        "\"type\":\"text\",\"text\":\"too\"}]},"
        "{\"info\":{\"id\":\"msg_3\",\"role\":\"user\",\"time\":{\"created\":3}},\"parts\":[{"
        "\"type\":"
        "\"text\",\"text\":\"hidden\"}]}]}";
    static const char *const formats[] = { "claude-code", "codex", "openai-chat", "anthropic",
                                           "ai-sdk" };
    struct bough_import_file_result in =
        import_file(t, file_make(t, "o.json", file, sizeof file - 1));

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct bough_str out = export_text(t, in.session, formats[i]);

        if (!strstr(out.p, "shown") || !strstr(out.p, "too") || strstr(out.p, "hidden"))
            FAIL("%s: %s", formats[i], out.p);
    }
    CHECK(
        strstr(export_text(t, in.session, "opencode").p, "hidden")); /* opencode hides it itself */
}

STORE_TEST(a_fresh_fork_exports_whole)
{
    static const char *const formats[] = { "pi",        "claude-code", "codex",
                                           "opencode",  "bough",       "openai-chat",
                                           "anthropic", "ai-sdk",      "openai-responses",
                                           "markdown",  "html" };
    const char *s = new_session(t, ""), *fork, *again;

    user(t, s, "alpha");
    fork = fork_at(t, s, agent(t, s, "beta"));
    again = fork_at(t, fork, NULL);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        for (int k = 0; k < 2; k++) {
            struct bough_str out = export_text(t, k ? again : fork, formats[i]);

            if (!strstr(out.p, "alpha") || !strstr(out.p, "beta"))
                FAIL("%s of a fresh fork: %s", formats[i], out.p);
        }
    }
    CHECK(!strstr(export_text(t, again, "pi").p, "bough.head")); /* its head is the last line */
}

/* ---- compactions and branches ---- */

/* A session of four messages whose last two are kept, and one more. */
static const char *compacted(struct test *t)
{
    const char *s = new_session(t, ""), *kept;

    user(t, s, "old question");
    agent(t, s, "old answer");
    kept = user(t, s, "kept question");
    agent(t, s, "kept answer");
    compact(t, s, kept);
    user(t, s, "new question");
    return s;
}

STORE_TEST(claude_code_gets_a_boundary_a_summary_and_the_segment_that_is_kept)
{
    struct bough_str out = export_text(t, compacted(t), "claude-code");
    struct json boundary = line_with(t, out, "compact_boundary");
    struct json segment = json_member(json_member(boundary, "compactMetadata"), "preservedSegment");
    struct json summary = line_with(t, out, "SUMMARY");

    CHECK(json_type(json_member(boundary, "parentUuid")) == JSON_NULL);
    CHECK_STR(text_in(t, line_with(t, out, "kept question"), "uuid"),
              text_in(t, segment, "headUuid"));
    CHECK_STR(text_in(t, line_with(t, out, "kept answer"), "uuid"),
              text_in(t, segment, "tailUuid"));
    CHECK_STR(text_in(t, summary, "uuid"), text_in(t, segment, "anchorUuid"));
    CHECK_STR(text_in(t, boundary, "uuid"), text_in(t, summary, "parentUuid"));
    CHECK_STR(text_in(t, summary, "uuid"),
              text_in(t, line_with(t, out, "new question"), "parentUuid"));
}

STORE_TEST(codex_gets_the_history_that_replaces_what_came_before)
{
    struct bough_str out = export_text(t, compacted(t), "codex");
    struct json payload = json_member(line_with(t, out, "\"compacted\""), "payload");
    struct bough_str history = json_raw(json_member(payload, "replacement_history"));
    const char *text = arena_strndup(t->arena, history.p, history.n);

    CHECK_STR("SUMMARY", text_in(t, payload, "message"));
    CHECK_INT(3, json_count(json_member(payload, "replacement_history")));
    CHECK(strstr(text, "SUMMARY") && strstr(text, "kept question") && strstr(text, "kept answer"));
    CHECK(!strstr(text, "old"));
}

STORE_TEST(opencode_gets_a_request_an_answer_and_where_the_tail_begins) /* A21 */
{
    struct bough_str out = export_text(t, compacted(t), "opencode");
    const char *tail, *kept;
    char id[40];

    CHECK(strstr(out.p, "\"summary\":true") && strstr(out.p, "\"text\":\"SUMMARY\""));
    tail = strstr(out.p, "\"tail_start_id\":\"");
    CHECK(tail != NULL);
    snprintf(id, sizeof id, "%.30s", tail + strlen("\"tail_start_id\":\""));
    kept = strstr(out.p, "kept question");
    CHECK(kept && strstr(kept, id) && strstr(kept, id) < strstr(kept, "kept answer"));
}

STORE_TEST(summaries_of_branches_and_custom_messages_reach_every_tool)
{
    static const char *const formats[] = { "claude-code", "codex",     "opencode",
                                           "openai-chat", "anthropic", "ai-sdk" };
    const char *s = new_session(t, "");

    user(t, s, "question");
    add_kind(t, s, BOUGH_ENTRY_BRANCH_SUMMARY, "{\"summary\":\"tried rye\",\"fromId\":\"x\"}");
    add_kind(t, s, BOUGH_ENTRY_CUSTOM_MESSAGE,
             "{\"customType\":\"hint\",\"content\":\"bake slowly\",\"display\":false}");
    agent(t, s, "answer");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct bough_str out = export_text(t, s, formats[i]);

        if (!strstr(out.p, "tried rye") || !strstr(out.p, "bake slowly"))
            FAIL("%s: %s", formats[i], out.p);
    }
}

/* ---- files, keys, unknown parts ---- */

#define IMAGE "iVBORw0KGgo="

STORE_TEST(images_in_prompts_and_results_reach_every_tool_as_images)
{
    static const struct {
        const char *format, *of_user, *of_result;
    } rows[] = {
        { "pi", "{\"type\":\"image\",\"data\":\"" IMAGE "\"", "\"toolResult\"" },
        { "claude-code", "\"media_type\":\"image/png\",\"data\":\"" IMAGE "\"", "\"tool_result\"" },
        { "codex", "\"image_url\":\"data:image/png;base64," IMAGE "\"", "function_call_output" },
        { "opencode", "\"url\":\"data:image/png;base64," IMAGE "\"", "\"attachments\"" },
        { "openai-chat", "\"url\":\"data:image/png;base64," IMAGE "\"", "\"role\":\"tool\"" },
        { "anthropic", "\"media_type\":\"image/png\",\"data\":\"" IMAGE "\"", "\"tool_result\"" },
        { "ai-sdk", "\"url\":\"data:image/png;base64," IMAGE "\"", "\"output-available\"" },
    };
    const char *s = new_session(t, "");

    add_parts(t, s, BOUGH_ROLE_USER,
              "[{\"type\":\"file\",\"mime\":\"image/png\",\"url\":\"data:image/png;base64," IMAGE
              "\"}]",
              NULL);
    add_parts(t, s, BOUGH_ROLE_ASSISTANT,
              "[{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"look\",\"input\":{}}]", NULL);
    add_parts(t, s, BOUGH_ROLE_TOOL,
              "[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\",\"content\":[{\"type\":\"text\","
              "\"text\":\"a dot\"},{\"type\":\"image\",\"source\":{\"type\":\"base64\","
              "\"media_type\":\"image/png\",\"data\":\"" IMAGE "\"}}]}]",
              NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *out = export_text(t, s, rows[i].format).p;
        const char *first = strstr(out, rows[i].of_user);
        const char *result = strstr(out, rows[i].of_result);

        if (!first || !result || !strstr(out, "a dot") || strstr(out, "\\\"" IMAGE))
            FAIL("%s: %s", rows[i].format, out);
        if (!strstr(first + 1, rows[i].of_user))
            FAIL("%s has one image: %s", rows[i].format, out);
    }
}

STORE_TEST(no_key_of_one_tool_reaches_another)
{
    static const char *const keys[] = { "sessionID", "messageID", "textSignature",
                                        "providerMetadata", "\"time\":{\"start\"" };
    static const char *const formats[] = { "claude-code", "codex", "anthropic", "openai-chat",
                                           "openai-responses" };
    const char *s = new_session(t, "");

    user(t, s, "question");
    add_parts(t, s, BOUGH_ROLE_ASSISTANT,
              "[{\"type\":\"text\",\"text\":\"answer\",\"id\":\"prt_1\",\"sessionID\":\"ses_1\","
              "\"messageID\":\"msg_1\",\"time\":{\"start\":1},\"textSignature\":\"x\","
              "\"providerMetadata\":{}}]",
              NULL);
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            if (strstr(export_text(t, s, formats[i]).p, keys[k]))
                FAIL("%s has %s", formats[i], keys[k]);
}

STORE_TEST(texts_of_an_ai_sdk_user_reach_pi_and_unknown_parts_do_not)
{
    static const char file[] =
        "[{\"id\":\"m1\",\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"text\":\"please\"}]},"
        "{\"id\":\"m2\",\"role\":\"assistant\",\"parts\":[{\"type\":\"data-weather\",\"data\":{"
        "\"c\":1}},"
        "{\"type\":\"source-url\",\"sourceId\":\"s\",\"url\":\"https://x\"},{\"type\":\"text\","
        "\"text\":\"sunny\",\"state\":\"done\"}]}]";
    struct bough_import_file_result in =
        import_file(t, file_make(t, "ui.json", file, sizeof file - 1));
    struct bough_str out = export_text(t, in.session, "pi");
    struct json asked = json_member(line_with(t, out, "please"), "message");
    struct json told = json_member(line_with(t, out, "sunny"), "message");

    CHECK_SPAN("[{\"type\":\"text\",\"text\":\"please\"}]",
               json_raw(json_member(asked, "content")));
    CHECK_SPAN("[{\"type\":\"text\",\"text\":\"sunny\"}]", json_raw(json_member(told, "content")));
    fresh_store(t);
    in = import_file(t, file_make(t, "ui.jsonl", out.p, out.n));
    CHECK_SPAN(arena_printf(t->arena, "%s\n", file), export_text(t, in.session, "ai-sdk"));
}

/* ---- coming back ---- */

/* What the tool adds to an export goes into the session that it was made of. */
STORE_TEST(what_claude_code_adds_to_an_export_comes_back_into_the_session)
{
    const char *s = compacted(t), *more;
    struct bough_str out = export_text(t, s, "claude-code");
    struct bough_import_file_result in;
    struct json last = line_with(t, out, "new question");

    in = import_file(t, file_make(t, "c.jsonl", out.p, out.n));
    CHECK_INT(0, in.added);
    CHECK_STR(s, in.session);
    more = arena_printf(
        t->arena,
        "%s{\"parentUuid\":\"%s\",\"isSidechain\":false,\"type\":\"assistant\",\"message\":"
        "{\"id\":\"msg_9\",\"model\":\"m\",\"role\":\"assistant\",\"usage\":{\"input_tokens\":7,"
        "\"output_tokens\":5},\"content\":[{\"type\":\"text\",\"text\":\"new answer\"}]},\"uuid\":"
        "\"u-9\",\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"sessionId\":\"%s\"}\n",
        out.p, text_in(t, last, "uuid"), text_in(t, last, "sessionId"));
    in = import_file(t, file_make(t, "c.jsonl", more, strlen(more)));
    CHECK_STR(s, in.session);
    CHECK_INT(2, in.added); /* the answer, and the model that gave it */
    CHECK_INT(0, in.nproblems);
    CHECK_STR("old question old answer kept question kept answer new question new answer",
              path_text(t, s));
    CHECK_INT(5, get(t, s)->own.output);
    /* again from the beginning, and following the file */
    CHECK_INT(0, import_file(t, file_make(t, "d.jsonl", more, strlen(more))).added);
    CHECK_INT(0, follow_file(t, file_make(t, "c.jsonl", more, strlen(more))).added);
    CHECK_STR(out.p, arena_strndup(t->arena, export_text(t, s, "claude-code").p, out.n));
}

STORE_TEST(a_copy_that_claude_code_makes_of_an_export_is_a_fork)
{
    const char *s = new_session(t, ""), *id;
    struct bough_import_file_result in;
    struct bough_str out;
    struct json last;
    char *copy, *at;

    user(t, s, "question");
    agent(t, s, "answer");
    out = export_text(t, s, "claude-code");
    last = line_with(t, out, "answer");
    copy =
        arena_printf(t->arena,
                     "%s{\"parentUuid\":\"%s\",\"isSidechain\":false,\"type\":\"user\",\"message\":"
                     "{\"role\":\"user\",\"content\":\"elsewhere\"},\"uuid\":\"u-9\",\"timestamp\":"
                     "\"2026-11-15T20:00:01.000Z\",\"sessionId\":\"%s\"}\n",
                     out.p, text_in(t, last, "uuid"), text_in(t, last, "sessionId"));
    id = arena_printf(t->arena, "\"sessionId\":\"%s\"", text_in(t, last, "sessionId"));
    while ((at = strstr(copy, id)) != NULL) /* as long as the other one */
        memcpy(at, "\"sessionId\":\"00000000-0000-4000-8000-000000000000\"", strlen(id));
    in = import_file(t, file_make(t, "copy.jsonl", copy, strlen(copy)));
    CHECK(strcmp(s, in.session) != 0);
    CHECK_STR(s, get(t, in.session)->parent);
    CHECK_INT(1, in.added);
    CHECK_STR("question answer elsewhere", path_text(t, in.session));
    CHECK_STR("question answer", path_text(t, s));
}

/* Exports of a copy of the store, and of a store that was moved, are known in the first one. */
STORE_TEST(exports_of_a_restored_backup_are_known_in_the_store_that_was_backed_up)
{
    static const char *const formats[] = { "bough", "pi", "claude-code", "codex", "opencode" };
    const char *s = compacted(t), *text;
    struct bough_str moved, out;
    struct bough_store *first = t->store;
    struct bough_import_file_result in;

    CHECK_OK(bough_entry_delete(t->store, s, user(t, s, "deleted"), &t->err));
    agent(t, s, "last");
    text = path_text(t, s);
    moved = export_text(t, s, "bough");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        CHECK_OK(bough_store_open(&t->store, "memory:", NULL, &t->err));
        in = import_file(t, file_make(t, "moved.jsonl", moved.p, moved.n));
        out = export_text(t, in.session, formats[i]);
        bough_store_close(&t->store);
        t->store = first;
        in = import_file(t, file_make(t, "back.json", out.p, out.n));
        if (in.added || strcmp(in.session, s) != 0)
            FAIL("%s: %lld added", formats[i], (long long)in.added);
        CHECK_STR(text, path_text(t, s));
    }
}
