/* opencode's exports in and out: nothing is lost, order is by time, summaries and reverts count. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

static void comes_back(struct test *t, const char *path)
{
    size_t n;
    const char *text = file_text(t, path, &n);
    struct bough_str out = check_round(t, path, "opencode");

    check_same_json(t, str_make(text, n), out);
    next_store(t);
}

STORE_TEST_SECONDS(every_opencode_export_comes_back_the_same, 60)
{
    each_file(t,
              FILES("opencode/tools.json", "opencode/tools-child.json", "opencode/compacted.json",
                    "opencode/content.json"),
              FILES("opencode-1.18.33/tools.json", "opencode-1.18.33/tools-child1.json",
                    "opencode-1.18.33/compacted.json", "opencode-1.18.33/content.json",
                    "opencode-1.18.33/chain.json", "opencode-1.18.33/fork-at.json",
                    "opencode-1.18.33/fork-parent.json", "opencode-1.1.65/content.json"),
              comes_back);
}

static void check_lines(struct test *t, const char *path)
{
    static const char *const formats[] = { "pi", "claude-code", "codex", "bough" };
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str before = export_text(t, in.session, "opencode"), all = { 0 };

    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        all = export_text(t, in.session, formats[i]);
        for (const char *p = all.p, *end; p < all.p + all.n; p = end + 1) {
            end = memchr(p, '\n', all.n - (size_t)(p - all.p));
            CHECK(end);
            CHECK_OK(json_check(str_make(p, (size_t)(end - p)), LIMIT_JSON_DEPTH, &t->err));
        }
    }
    CHECK(strstr(before.p, "\n"));
    fresh_store(t);
    in = import_file(
        t, file_make(t, "lines.jsonl", all.p, all.n)); /* our own format restores every byte */
    CHECK_INT(0, in.nproblems);
    CHECK_SPAN(before.p, export_text(t, in.session, "opencode"));
    next_store(t);
}

/* opencode writes its export for people, with line breaks inside every part. */
STORE_TEST(raw_json_with_line_breaks_is_one_line_in_every_format_of_lines)
{
    each_file(t, FILES("opencode/tools.json"), FILES("opencode-1.18.33/tools.json"), check_lines);
}

STORE_TEST(an_opencode_session_has_its_cost_model_and_subagents)
{
    struct bough_import_file_result in = import_file(t, data_path(t, "opencode/tools.json")),
                                    sub = import_file(t, data_path(t, "opencode/tools-child.json"));
    const struct bough_session *s = get(t, in.session);

    CHECK_STR("Rye without a price", s->title);
    CHECK_STR("/srv/bakery", s->project);
    CHECK_STR("test-large", s->model_name);
    CHECK_STR("build", s->role_name);
    CHECK_INT(101 + 102 + 104 + 105, s->own.input);
    CHECK_INT(200, s->own.cache_read);
    CHECK_INT(1000000000, s->own.cost);
    CHECK_STR(in.session, get(t, sub.session)->parent);
    CHECK_INT(1500000000, get(t, in.session)->rolled.cost);
    if (!corpora_here())
        return;
    in = import_file(t, corpus_path(t, "opencode-1.18.33/tools.json"));
    sub = import_file(t, corpus_path(t, "opencode-1.18.33/tools-child1.json"));
    s = get(t, in.session);
    CHECK_STR("Session about parallel", s->title);
    CHECK_STR("/srv/agent-ws/octoy", s->project);
    CHECK_STR("fake-large", s->model_name);
    CHECK_STR("build", s->role_name);
    CHECK_INT(20267, s->own.input);
    CHECK_INT(20263, s->own.cache_read);
    CHECK_INT(52361500, s->own.cost);
    CHECK_STR(in.session, get(t, sub.session)->parent);
    CHECK_INT(52361500 + 6272000, get(t, in.session)->rolled.cost);
}

static void check_summary(struct test *t, const char *path, const char *summed)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_context_options how = { .dialect = "pi" };
    struct bough_context_result c;
    struct bough_entry *marker;

    CHECK_OK(bough_marker_latest(t->store, t->arena, in.session, false, &marker, &t->err));
    CHECK(marker != NULL);
    CHECK_OK(bough_context(t->store, t->arena, in.session, &how, &c, &t->err));
    CHECK(!strstr(c.messages.p, summed));
    CHECK(strstr(c.messages.p, "## Progress") || strstr(c.messages.p, "## Goal"));
    next_store(t);
}

STORE_TEST(A21_a_summary_that_was_asked_for_replaces_what_was_before_the_request)
{
    check_summary(t, data_path(t, "opencode/compacted.json"), "filler words");
    if (corpora_here())
        check_summary(t, corpus_path(t, "opencode-1.18.33/compacted.json"), "[s:fill1]");
}

static const char *message(struct test *t, const char *id, const char *role, int time,
                           const char *more)
{
    return arena_printf(
        t->arena,
        "{\"info\":{\"role\":\"%s\",\"time\":{\"created\":%d},\"id\":\"%s\",\"sessionID\":"
        "\"ses_1\"%s},\"parts\":[{\"type\":\"text\",\"text\":\"%s\"}]}",
        role, time, id, more, id);
}

#define DOC "{\"info\":{\"id\":\"ses_1\",\"title\":\"T\"%s},\"messages\":[%s]}"

static struct bough_import_file_result import_text(struct test *t, const char *text)
{
    return import_file(t, file_make(t, "o.json", text, strlen(text)));
}

STORE_TEST(A25_messages_are_in_order_of_time_then_of_the_file_never_of_ids)
{
    const char *list =
        arena_printf(t->arena, "%s,%s,%s,%s", message(t, "msg_c", "user", 30, ""),
                     message(t, "msg_z", "user", 10, ""), message(t, "msg_b", "user", 20, ""),
                     message(t, "msg_a", "user", 20, ""));
    struct bough_import_file_result in = import_text(t, arena_printf(t->arena, DOC, "", list));

    CHECK_STR("msg_z msg_b msg_a msg_c", path_text(t, in.session));
}

STORE_TEST(A22_a_pending_revert_puts_the_head_before_what_it_hides_and_comes_back)
{
    const char *revert = ",\"revert\":{\"messageID\":\"msg_b\"}";
    const char *list =
        arena_printf(t->arena, "%s,%s,%s", message(t, "msg_a", "user", 1, ""),
                     message(t, "msg_b", "user", 2, ""), message(t, "msg_c", "assistant", 3, ""));
    const char *text = arena_printf(t->arena, DOC, revert, list);
    struct bough_import_file_result in = import_text(t, text);

    CHECK_STR("msg_a", path_text(t, in.session));
    check_same_json(t, str_of(text), export_text(t, in.session, "opencode"));
    user(t, in.session, "another way");
    CHECK_STR("msg_a another way", path_text(t, in.session));
    CHECK(!strstr(export_text(t, in.session, "opencode").p, "revert"));
    CHECK(!strstr(export_text(t, in.session, "opencode").p, "\"msg_b\""));
}

STORE_TEST(an_opencode_export_that_grew_adds_only_what_is_new)
{
    const char *one = message(t, "msg_a", "user", 1, ""), *two = message(t, "msg_b", "user", 2, "");
    struct bough_import_file_result in;

    CHECK_INT(1, import_text(t, arena_printf(t->arena, DOC, "", one)).added);
    in = import_text(t, arena_printf(t->arena, DOC, "", arena_printf(t->arena, "%s,%s", one, two)));
    CHECK_INT(BOUGH_IMPORT_GREW, in.status);
    CHECK_INT(1, in.added);
    CHECK_INT(1, in.known);
    CHECK_STR("msg_a msg_b", path_text(t, in.session));
}

STORE_TEST(every_part_type_of_opencode_is_kept_and_a_broken_one_too)
{
    const char *parts =
        "[{\"type\":\"subtask\",\"prompt\":\"p\",\"description\":\"d\",\"agent\":\"a\"},"
        "{\"type\":\"retry\",\"attempt\":1,\"error\":{\"name\":\"x\"}},{\"type\":\"snapshot\","
        "\"snapshot\":"
        "\"s\"},{\"type\":\"agent\",\"name\":\"n\"},{\"type\":\"tool\",\"callID\":\"c\",\"tool\":"
        "\"t\","
        "\"state\":{\"status\":\"pending\",\"input\":{},\"raw\":\"\"}},{\"type\":\"tool\"},7]";
    const char *text = arena_printf(
        t->arena, DOC, "",
        arena_printf(t->arena,
                     "{\"info\":{\"role\":\"assistant\",\"time\":{\"created\":5},\"id\":\"msg_1\","
                     "\"sessionID\":\"ses_1\",\"error\":{\"name\":\"E\"}},\"parts\":%s,\"x\":[1]}",
                     parts));
    struct bough_import_file_result in = import_text(t, text);

    CHECK_INT(1, in.added);
    CHECK_INT(2, in.nproblems);
    check_same_json(t, str_of(text), export_text(t, in.session, "opencode"));
}

STORE_TEST(a_list_of_opencode_s_messages_is_a_session_too)
{
    struct bough_import_file_result in = import_file(t, data_path(t, "opencode/messages.json"));

    CHECK_STR("opencode", in.format);
    CHECK_STR("ses_aa05bakelist", get(t, in.session)->origin);
    CHECK_INT(4, in.added);
    if (!corpora_here())
        return;
    in = import_file(t, corpus_path(t, "opencode-1.18.33/messages-content.json"));
    CHECK_STR("opencode", in.format);
    CHECK_STR("ses_e1f2c27f6ffe0IHp5gpjCxkVVf", get(t, in.session)->origin);
    CHECK(in.added > 10);
}

/* A session in a folder of opencode's storage, its subagent, what each has, its first todo. */
struct stored {
    const char *id, *sub;
    int64_t added, sub_added;
    const char *todo;
};

static void check_storage(struct test *t, const char *dir, const struct stored *want)
{
    const char *path = arena_printf(t->arena, "%s/%s.json", dir, want->id);
    struct bough_import_file_result in = import_file(t, path);
    struct bough_import_file_result sub =
        import_file(t, arena_printf(t->arena, "%s/%s.json", dir, want->sub));
    struct bough_todos todos;
    struct bough_str out;

    CHECK_STR("opencode", in.format);
    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    CHECK_INT(want->added, in.added);
    CHECK_INT(want->sub_added, sub.added);
    CHECK_STR(in.session, get(t, sub.session)->parent);
    CHECK_OK(bough_todo_get(t->store, t->arena, in.session, &todos, &t->err));
    CHECK(todos.n >= 2);
    CHECK_STR(want->todo, todos.at[0].content);
    in = import_file(t, path);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, in.status);
    out = export_text(t, in.session, "opencode");
    CHECK(strstr(out.p, "\"step-start\"") &&
          strstr(out.p, arena_printf(t->arena, "\"%s\"", want->id)));
    next_store(t);
}

STORE_TEST(a_session_in_opencode_s_storage_is_read_from_all_its_files)
{
    static const struct stored ours = { "ses_aa06bakestore", "ses_aa07bakestorechild", 3, 2,
                                        "Knead the dough" },
                               corpus = { "ses_e1f2ac8adffeApw2zIxzzkn6Wt",
                                          "ses_e1f2ac375ffe1zkkoGkrH5kSZB", 18, 3,
                                          "Read the code" };

    check_storage(t,
                  data_path(t, "opencode/storage/session/144ac86d05c00f559949c5db9d12a6c477292f69"),
                  &ours);
    if (corpora_here())
        check_storage(
            t,
            corpus_path(t,
                        "opencode-1.1.65/storage/session/6237e187166a09bddcad371f4f4cd7023a58386d"),
            &corpus);
}

static void pi_to_opencode(struct test *t, const char *path)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str out = export_text(t, in.session, "opencode");
    int64_t cost = get(t, in.session)->own.cost;

    CHECK(strstr(out.p, "\"status\":\"completed\""));
    fresh_store(t);
    in = import_file(t, file_make(t, "p.json", out.p, out.n));
    CHECK_STR("opencode", in.format);
    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    CHECK_INT(cost, get(t, in.session)->own.cost);
    check_same_json(t, out, export_text(t, in.session, "opencode"));
    next_store(t);
}

STORE_TEST(a_pi_session_becomes_an_opencode_export_with_its_tools_answered)
{
    each_file(t, FILES("pi/multiturn.jsonl"), FILES("pi-1.5.0/print-multiturn.jsonl"),
              pi_to_opencode);
}

STORE_TEST_SECONDS(an_opencode_export_cut_after_any_byte_gives_what_was_whole, 240)
{
    size_t n;
    const char *text = file_text(t, data_path(t, "opencode/tools-child.json"), &n);

    check_cuts(t, "cut.json", str_make(text, n), 3);
    if (!corpora_here())
        return;
    text = file_text(t, corpus_path(t, "opencode-1.18.33/tools-child1.json"), &n);
    check_cuts(t, "cut.json", str_make(text, n), 3);
}

/* Opening a pipe waits for a writer: an import would never end. */
STORE_TEST(a_pipe_among_the_files_is_refused_and_nothing_waits)
{
    const char *pipe = test_path(t, "pipe.jsonl");
    struct bough_import_file_result in;

    CHECK_INT(0, mkfifo(pipe, 0600));
    CHECK_RC(BOUGH_INVALID, import_rc(t, pipe, &in));
    CHECK(strstr(t->err.msg, "not a file"));
}
