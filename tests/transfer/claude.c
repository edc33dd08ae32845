/* Claude Code's files in and out: every line comes back, usage counts once, forks share. */
#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "base/str.h"
#include "corpus.h"

STORE_TEST(every_line_of_claude_code_s_files_comes_back)
{
    static const char *const files[] = { "resumed", "content", "compacted", "delegated",
                                         "delegated-agent2" };

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        const char *path =
            corpus_path(t, arena_printf(t->arena, "claude-code-2.1.325/%s.jsonl", files[i]));
        size_t n;
        const char *text = file_text(t, path, &n);
        struct bough_str out = check_round(t, path, "claude-code");

        check_same_lines(t, str_make(text, n), out);
        fresh_store(t);
    }
}

static const char *corpus_text(struct test *t, const char *name, size_t *n)
{
    return file_text(t, corpus_path(t, arena_printf(t->arena, "claude-code-2.1.325/%s", name)), n);
}

STORE_TEST(usage_of_a_claude_code_response_is_counted_once)
{
    struct bough_session *s;
    struct bough_imported in = import_file(t, corpus_path(t, "claude-code-2.1.325/resumed.jsonl"));

    s = get(t, in.session);
    CHECK_INT(11, s->calls);
    CHECK_STR("/srv/agent-ws/cctoy", s->project);
    CHECK(s->own.output > 38 && s->own.output < 2000);
    CHECK_STR("fake-reasoner", s->last_model);
}

STORE_TEST(results_of_calls_that_claude_code_made_at_once_are_all_on_the_path)
{
    struct bough_imported in = import_file(t, corpus_path(t, "claude-code-2.1.325/resumed.jsonl"));
    struct bough_branches branches;
    const char *at;
    struct bough_context_options how = { .dialect = "pi" };
    struct bough_context c;

    CHECK_OK(bough_tree_branches(t->store, t->arena, in.session, &branches, &t->err));
    CHECK_INT(1, branches.n);
    CHECK_OK(bough_context(t->store, t->arena, in.session, &how, &c, &t->err));
    at = strstr(c.messages.p, "toolu_2ca42b52881222041467e842");
    CHECK(at && strstr(at + 1, "toolu_2ca42b52881222041467e842")); /* the call, then its result */
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
    struct bough_imported in = import_file(t, file_make(t, "u.jsonl", text, strlen(text)));

    CHECK_INT(10, get(t, in.session)->own.input);
    CHECK_INT(7, get(t, in.session)->own.output);
    text = arena_printf(t->arena, "%s{\"type\":\"summary\",\"summary\":\"A title\"}\n", text);
    in = import_file(t, file_make(t, "u.jsonl", text, strlen(text)));
    CHECK_INT(1, in.added);
    CHECK_INT(7, get(t, in.session)->own.output);
    CHECK_STR("A title", get(t, in.session)->title);
}

/* As --fork-session writes it: the old uuids under a new session id, other lines between. */
STORE_TEST(a_claude_code_fork_shares_the_lines_of_the_session_it_copies)
{
    size_t n;
    const char *old = "371e685c-91c1-4617-8c3b-762ec17c981d";
    const char *text = corpus_text(t, "resumed.jsonl", &n), *p;
    struct bough_imported parent =
                              import_file(t, corpus_path(t, "claude-code-2.1.325/resumed.jsonl")),
                          fork;
    char *copy = arena_strndup(t->arena, text, n), *line = copy;
    struct bough_session *s;
    struct bough_str out;
    int64_t before = get(t, parent.session)->own.output;

    while ((p = strstr(copy, old)) != NULL)
        memcpy(copy + (p - copy), "999e685c", 8);
    copy = line;
    for (int i = 0; i < 40; i++)
        line = strchr(line, '\n') + 1;
    *line = '\0';
    copy = arena_printf(t->arena,
                        "%s{\"parentUuid\":\"40371fbc-7047-4a7c-9b83-9bc61684f8a5\",\"type\":"
                        "\"user\",\"uuid\":\"new-1\","
                        "\"sessionId\":\"999e685c-91c1-4617-8c3b-762ec17c981d\",\"timestamp\":"
                        "\"2026-11-15T21:00:00.000Z\",\"message\":{\"role\":\"user\",\"content\":"
                        "\"another way\"}}\n",
                        copy);
    fork = import_file(t, file_make(t, "fork.jsonl", copy, strlen(copy)));
    s = get(t, fork.session);
    CHECK_STR(parent.session, s->parent);
    CHECK(*s->fork_entry);
    CHECK_INT(1, s->messages);
    CHECK_INT(0, s->own.output);
    CHECK_INT(before, get(t, parent.session)->own.output);
    out = export_text(t, fork.session, "claude-code");
    CHECK(strstr(out.p, "another way") && strstr(out.p, "28588fb0-7c52-4b3d-a9c6-7d97ffa32143"));
    CHECK(!strstr(out.p, "371e685c"));
    fork = import_file(t, file_make(t, "fork2.jsonl", copy, strlen(copy)));
    CHECK_INT(0, fork.added);
    CHECK_INT(BOUGH_IMPORT_UNCHANGED, fork.status);
}

STORE_TEST(a_claude_code_sub_agent_is_a_subagent_of_the_session_that_spawned_it)
{
    struct bough_imported in =
        import_file(t, corpus_path(t, "claude-code-2.1.325/delegated.jsonl"));
    struct bough_imported sub =
        import_file(t, corpus_path(t, "claude-code-2.1.325/delegated-agent2.jsonl"));

    CHECK_STR(in.session, get(t, sub.session)->parent);
    CHECK_INT(BOUGH_SUBAGENT, get(t, sub.session)->kind);
    CHECK_INT(get(t, in.session)->own.output + get(t, sub.session)->own.output,
              get(t, in.session)->rolled.output);
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
    struct bough_imported in;
    struct bough_sessions list;
    struct bough_list filter = { .kind_primary = BOUGH_NOT };

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

STORE_TEST(a_compact_boundary_is_a_compaction_on_the_path)
{
    struct bough_imported in =
        import_file(t, corpus_path(t, "claude-code-2.1.325/compacted.jsonl"));
    struct bough_entry *marker;
    struct bough_context_options how = { .dialect = "pi" };
    struct bough_context c;

    CHECK_OK(bough_marker_latest(t->store, t->arena, in.session, false, &marker, &t->err));
    CHECK(marker && marker->keep_from > 0 && marker->keep_from < marker->at.depth);
    CHECK_OK(bough_context(t->store, t->arena, in.session, &how, &c, &t->err));
    CHECK(strstr(c.messages.p, "This session is being continued"));
    CHECK(!strstr(c.messages.p, "[s:fill2]"));
}

STORE_TEST(a_pi_session_becomes_a_claude_code_file_that_reads_as_the_same_conversation)
{
    struct bough_imported in = import_file(t, corpus_path(t, "pi-1.5.0/print-multiturn.jsonl"));
    struct bough_str out = export_text(t, in.session, "claude-code");
    int64_t spent = get(t, in.session)->own.output;

    fresh_store(t);
    in = import_file(t, file_make(t, "c.jsonl", out.p, out.n));
    CHECK_STR("claude-code", in.format);
    CHECK_INT(0, in.nproblems);
    CHECK_INT(spent, get(t, in.session)->own.output);
    CHECK_STR(out.p, export_text(t, in.session, "claude-code").p);
}

STORE_TEST_SECONDS(a_claude_code_file_cut_after_any_byte_gives_what_was_whole, 240)
{
    size_t n;
    const char *text = corpus_text(t, "delegated.jsonl", &n);

    check_cuts(t, "cut.jsonl", str_make(text, n), 30);
}
