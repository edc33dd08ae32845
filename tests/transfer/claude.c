/* Claude Code's files: every line comes back, usage counts once, forks share entries. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

static void comes_back(struct test *t, const char *path)
{
    size_t n;
    const char *text = file_text(t, path, &n);
    struct bough_str out = check_round(t, path, "claude-code");

    check_same_lines(t, str_make(text, n), out);
    next_store(t);
}

STORE_TEST(every_line_of_claude_code_s_files_comes_back)
{
    each_file(t,
              FILES("claude-code/tools.jsonl", "claude-code/content.jsonl",
                    "claude-code/compacted.jsonl", "claude-code/delegated.jsonl",
                    "claude-code/delegated-agent.jsonl"),
              FILES("claude-code-2.1.325/resumed.jsonl", "claude-code-2.1.325/content.jsonl",
                    "claude-code-2.1.325/compacted.jsonl", "claude-code-2.1.325/delegated.jsonl",
                    "claude-code-2.1.325/delegated-agent2.jsonl"),
              comes_back);
}

STORE_TEST(usage_of_a_claude_code_response_is_counted_once)
{
    struct bough_import_file_result in = import_file(t, data_path(t, "claude-code/tools.jsonl"));
    struct bough_session *s = get(t, in.session);

    CHECK_INT(5, s->calls);
    CHECK_INT(40 + 30 + 25 + 35 + 15, s->own.output);
    CHECK_INT(900 + 1000 + 1100 + 1200 + 1300, s->own.input);
    CHECK_INT(300 + 900 + 1000 + 1100 + 1200, s->own.cache_read);
    CHECK_INT(20, s->own.cache_write);
    CHECK_STR("/srv/bakery", s->project);
    CHECK_STR("claude-test-1", s->last_model);
    CHECK_STR("A loaf without a price", s->title);
    if (!corpora_here())
        return;
    in = import_file(t, corpus_path(t, "claude-code-2.1.325/resumed.jsonl"));
    s = get(t, in.session);
    CHECK_INT(11, s->calls);
    CHECK_STR("/srv/agent-ws/cctoy", s->project);
    CHECK(s->own.output > 38 && s->own.output < 2000);
    CHECK_STR("fake-reasoner", s->last_model);
}

/* On one path, in this order: the call with this id, then its result. */
static void check_paired(struct test *t, const char *path, const char *id)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_branches branches;
    const char *at;
    struct bough_context_options how = { .dialect = "pi" };
    struct bough_context_result c;

    CHECK_OK(bough_tree_branches(t->store, t->arena, in.session, &branches, &t->err));
    CHECK_INT(1, branches.n);
    CHECK_OK(bough_context(t->store, t->arena, in.session, &how, &c, &t->err));
    at = strstr(c.messages.p, id);
    CHECK(at && strstr(at + 1, id));
    next_store(t);
}

STORE_TEST(results_of_calls_that_claude_code_made_at_once_are_all_on_the_path)
{
    check_paired(t, data_path(t, "claude-code/tools.jsonl"), "toolu_a");
    check_paired(t, data_path(t, "claude-code/tools.jsonl"), "toolu_b");
    if (corpora_here())
        check_paired(t, corpus_path(t, "claude-code-2.1.325/resumed.jsonl"),
                     "toolu_2ca42b52881222041467e842");
}

STORE_TEST(later_blocks_of_a_claude_code_response_add_only_what_is_more)
{
    const char *text =
        "{\"parentUuid\":null,\"type\":\"assistant\",\"uuid\":\"u1\",\"sessionId\":\"s\",\"cwd\":"
        "\"/p\","
        "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"message\":{\"id\":\"m\",\"role\":"
        "\"assistant\","
        "\"model\":\"x\",\"content\":[],\"usage\":{\"input_tokens\":10,\"output_tokens\":1}}}\n"
        "{\"parentUuid\":\"u1\",\"type\":\"assistant\",\"uuid\":\"u2\",\"sessionId\":\"s\","
        "\"timestamp\":\"2026-01-01T00:00:01.000Z\",\"message\":{\"id\":\"m\",\"role\":"
        "\"assistant\","
        "\"model\":\"x\",\"content\":[],\"usage\":{\"input_tokens\":10,\"output_tokens\":7}}}\n";
    struct bough_import_file_result in =
        import_file(t, file_make(t, "u.jsonl", text, strlen(text)));

    CHECK_INT(10, get(t, in.session)->own.input);
    CHECK_INT(7, get(t, in.session)->own.output);
    text = arena_printf(t->arena, "%s{\"type\":\"summary\",\"summary\":\"A title\"}\n", text);
    in = import_file(t, file_make(t, "u.jsonl", text, strlen(text)));
    CHECK_INT(1, in.added);
    CHECK_INT(7, get(t, in.session)->own.output);
    CHECK_STR("A title", get(t, in.session)->title);
}

/* A session to fork: its id, its first message, the entry to go on from, how many lines to copy. */
struct forked {
    const char *session, *first, *from;
    int lines;
};

/* As --fork-session writes it: the old uuids under a new session id, other lines between. */
static void check_fork(struct test *t, const char *path, const struct forked *f)
{
    size_t n;
    const char *text = file_text(t, path, &n), *p;
    struct bough_import_file_result parent = import_file(t, path), fork;
    char *copy = arena_strndup(t->arena, text, n), *line = copy;
    struct bough_session *s;
    struct bough_str out;
    int64_t before = get(t, parent.session)->own.output;

    while ((p = strstr(copy, f->session)) != NULL)
        memcpy(copy + (p - copy), "99999999", 8);
    copy = line;
    for (int i = 0; i < f->lines; i++)
        line = strchr(line, '\n') + 1;
    *line = '\0';
    copy = arena_printf(t->arena,
                        "%s{\"parentUuid\":\"%s\",\"type\":\"user\",\"uuid\":\"new-1\","
                        "\"sessionId\":\"99999999%s\",\"timestamp\":"
                        "\"2026-11-15T21:00:00.000Z\",\"message\":{\"role\":\"user\",\"content\":"
                        "\"another way\"}}\n",
                        copy, f->from, f->session + 8);
    fork = import_file(t, file_make(t, "fork.jsonl", copy, strlen(copy)));
    s = get(t, fork.session);
    CHECK_STR(parent.session, s->parent);
    CHECK(*s->fork_entry);
    CHECK_INT(1, s->messages);
    CHECK_INT(0, s->own.output);
    CHECK_INT(before, get(t, parent.session)->own.output);
    out = export_text(t, fork.session, "claude-code");
    CHECK(strstr(out.p, "another way") && strstr(out.p, f->first));
    CHECK(!strstr(out.p, f->session));
    fork = import_file(t, file_make(t, "fork2.jsonl", copy, strlen(copy)));
    CHECK_INT(0, fork.added);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, fork.status);
    next_store(t);
}

STORE_TEST(a_claude_code_fork_shares_the_lines_of_the_session_it_copies)
{
    static const struct forked ours = { "6a2aac6d-80da-4f6a-80a0-8d50fd4e714e",
                                        "362392e8-73fe-47c5-898f-ada1a06d70ae",
                                        "282f768f-402e-4ba8-8cef-3af60bd384d8", 15 },
                               corpus = { "371e685c-91c1-4617-8c3b-762ec17c981d",
                                          "28588fb0-7c52-4b3d-a9c6-7d97ffa32143",
                                          "40371fbc-7047-4a7c-9b83-9bc61684f8a5", 40 };

    check_fork(t, data_path(t, "claude-code/tools.jsonl"), &ours);
    if (corpora_here())
        check_fork(t, corpus_path(t, "claude-code-2.1.325/resumed.jsonl"), &corpus);
}

static void check_agent(struct test *t, const char *path, const char *agent)
{
    struct bough_import_file_result in = import_file(t, path), sub = import_file(t, agent);

    CHECK_STR(in.session, get(t, sub.session)->parent);
    CHECK_INT(BOUGH_SUBAGENT, get(t, sub.session)->kind);
    CHECK_INT(get(t, in.session)->own.output + get(t, sub.session)->own.output,
              get(t, in.session)->rolled.output);
    next_store(t);
}

STORE_TEST(a_claude_code_sub_agent_is_a_subagent_of_the_session_that_spawned_it)
{
    check_agent(t, data_path(t, "claude-code/delegated.jsonl"),
                data_path(t, "claude-code/delegated-agent.jsonl"));
    if (corpora_here())
        check_agent(t, corpus_path(t, "claude-code-2.1.325/delegated.jsonl"),
                    corpus_path(t, "claude-code-2.1.325/delegated-agent2.jsonl"));
}

STORE_TEST(sidechains_inside_a_claude_code_file_become_subagents)
{
    static const char *const lines[] = {
        "{\"parentUuid\":null,\"isSidechain\":false,\"type\":\"user\",\"uuid\":\"a\"",
        "{\"parentUuid\":null,\"isSidechain\":true,\"type\":\"user\",\"uuid\":\"x\"",
        "{\"parentUuid\":\"a\",\"isSidechain\":false,\"type\":\"user\",\"uuid\":\"b\"",
        "{\"parentUuid\":\"x\",\"isSidechain\":true,\"type\":\"user\",\"uuid\":\"y\"",
    };
    const char *text = "";
    struct bough_import_file_result in;
    struct bough_sessions list;
    struct bough_session_list_options filter = { .kinds = BOUGH_KINDS_SUBAGENT };

    for (size_t i = 0; i < 4; i++)
        text =
            arena_printf(t->arena,
                         "%s%s,\"sessionId\":\"s-1\",\"timestamp\":\"2026-01-01T00:00:0%zu.000Z\","
                         "\"message\":{\"role\":\"user\",\"content\":\"t%zu\"}}\n",
                         text, lines[i], i, i);
    in = import_file(t, file_make(t, "side.jsonl", text, strlen(text)));
    CHECK_INT(2, in.sessions);
    CHECK_INT(4, in.added);
    CHECK_STR("t0 t2", path_text(t, in.session));
    CHECK_OK(bough_session_list(t->store, t->arena, &filter, &list, &t->err));
    CHECK_INT(1, list.n);
    CHECK_STR("t1 t3", path_text(t, list.at[0].id));
    CHECK_STR(in.session, list.at[0].parent);
    in = import_file(t, file_make(t, "copy.jsonl", text, strlen(text)));
    CHECK_INT(0, in.added);
}

/* The summary is in the context, what was summed up is not. */
static void check_compaction(struct test *t, const char *path, const char *summed)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_entry *marker;
    struct bough_context_options how = { .dialect = "pi" };
    struct bough_context_result c;

    CHECK_OK(bough_marker_latest(t->store, t->arena, in.session, false, &marker, &t->err));
    CHECK(marker && marker->keep_from > 0 && marker->keep_from < marker->at.depth);
    CHECK_OK(bough_context(t->store, t->arena, in.session, &how, &c, &t->err));
    CHECK(strstr(c.messages.p, "This session is being continued"));
    CHECK(!strstr(c.messages.p, summed));
    next_store(t);
}

STORE_TEST(a_compact_boundary_is_a_compaction_on_the_path)
{
    check_compaction(t, data_path(t, "claude-code/compacted.jsonl"), "Step 1 of the harvest");
    if (corpora_here())
        check_compaction(t, corpus_path(t, "claude-code-2.1.325/compacted.jsonl"), "[s:fill2]");
}

static void pi_to_claude(struct test *t, const char *path)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str out = export_text(t, in.session, "claude-code");
    int64_t spent = get(t, in.session)->own.output;

    fresh_store(t);
    in = import_file(t, file_make(t, "c.jsonl", out.p, out.n));
    CHECK_STR("claude-code", in.format);
    CHECK_INT(0, in.nproblems);
    CHECK_INT(spent, get(t, in.session)->own.output);
    CHECK_STR(out.p, export_text(t, in.session, "claude-code").p);
    next_store(t);
}

STORE_TEST(a_pi_session_becomes_a_claude_code_file_that_reads_as_the_same_conversation)
{
    each_file(t, FILES("pi/multiturn.jsonl", "pi/v2.jsonl"),
              FILES("pi-1.5.0/print-multiturn.jsonl"), pi_to_claude);
}

STORE_TEST_SECONDS(a_claude_code_file_cut_after_any_byte_gives_what_was_whole, 240)
{
    size_t n;
    const char *text = file_text(t, data_path(t, "claude-code/delegated.jsonl"), &n);

    check_cuts(t, "cut.jsonl", str_make(text, n), 5);
    if (!corpora_here())
        return;
    text = file_text(t, corpus_path(t, "claude-code-2.1.325/delegated.jsonl"), &n);
    check_cuts(t, "cut.jsonl", str_make(text, n), 30);
}
