/* Codex's files: every line comes back, usage counts once, forks are by reference. */
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

static void comes_back(struct test *t, const char *path)
{
    size_t n;
    const char *text = file_text(t, path, &n);
    struct bough_str out = check_round(t, path, "codex");

    check_same_lines(t, str_make(text, n), out);
    next_store(t);
}

STORE_TEST(every_line_of_codex_files_comes_back)
{
    each_file(t, FILES("codex/tools.jsonl", "codex/content.jsonl"),
              FILES("codex-0.166.0/resumed.jsonl", "codex-0.166.0/content.jsonl",
                    "codex-0.166.0/long.jsonl"),
              comes_back);
}

STORE_TEST(usage_that_codex_tells_twice_is_counted_once)
{
    struct bough_import_file_result in = import_file(t, data_path(t, "codex/tools.jsonl"));
    const struct bough_session *s = get(t, in.session);

    CHECK_INT(4, s->calls);
    CHECK_STR("gpt-test", s->last_model);
    CHECK_STR("testhost", s->last_provider);
    CHECK_STR("/srv/bakery", s->project);
    CHECK_INT(2450, s->own.input + s->own.cache_read); /* what the last token_count sums up */
    CHECK_INT(1950, s->own.cache_read);
    CHECK_INT(70, s->own.output);
    if (!corpora_here())
        return;
    in = import_file(t, corpus_path(t, "codex-0.166.0/resumed.jsonl"));
    s = get(t, in.session);
    CHECK_INT(12, s->calls);
    CHECK_STR("fake-large", s->last_model);
    CHECK_STR("fake", s->last_provider);
    CHECK_STR("/srv/agent-ws/cxtoy", s->project);
    /* the totals of the file's last token_count */
    CHECK_INT(74301, s->own.input + s->own.cache_read);
    CHECK_INT(265, s->own.output);
}

#define META                                                                                       \
    "{\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{\"id\":"   \
    "\"%s\","                                                                                      \
    "\"timestamp\":\"2026-01-01T00:00:00.000Z\",\"cwd\":\"/p\"%s}}\n"

static const char *count_line(struct test *t, int in, int out)
{
    return arena_printf(t->arena,
                        "{\"timestamp\":\"2026-01-01T00:00:01.000Z\",\"type\":\"event_msg\","
                        "\"payload\":{\"type\":\"token_count\",\"info\":{\"total_token_usage\":{"
                        "\"input_tokens\":%d,\"cached_input_tokens\":0,\"output_tokens\":%d}}}}\n",
                        in, out);
}

STORE_TEST(sums_of_older_codex_files_are_counted_by_their_differences)
{
    const char *text =
        arena_printf(t->arena, META "%s%s%s%s", "s-old", "", count_line(t, 10, 1),
                     count_line(t, 10, 1), count_line(t, 25, 3), count_line(t, 5, 1));
    struct bough_import_file_result in =
        import_file(t, file_make(t, "old.jsonl", text, strlen(text)));

    CHECK_INT(30, get(t, in.session)->own.input);
    CHECK_INT(4, get(t, in.session)->own.output);
    CHECK_INT(3, get(t, in.session)->calls);
    CHECK_STR(text, export_text(t, in.session, "codex").p);
}

static const char *said(struct test *t, int ordinal, const char *role, const char *text)
{
    return arena_printf(t->arena,
                        "{\"timestamp\":\"2026-01-01T00:00:01.000Z\",\"ordinal\":%d,\"type\":"
                        "\"response_item\",\"payload\":{\"type\":\"message\",\"role\":\"%s\","
                        "\"content\":[{\"type\":\"%s_text\",\"text\":\"%s\"}]}}\n",
                        ordinal, role, *role == 'u' ? "input" : "output", text);
}

STORE_TEST(a_codex_fork_is_a_fork_by_reference)
{
    const char *text = arena_printf(t->arena, META "%s%s%s", "s-1", "", said(t, 1, "user", "one"),
                                    said(t, 2, "assistant", "two"), said(t, 3, "user", "three"));
    const char *fork =
        arena_printf(t->arena, META "%s%s", "s-2",
                     ",\"forked_from_id\":\"s-1\",\"forked_from_ordinal_exclusive\":3",
                     said(t, 3, "user", "other"), said(t, 4, "assistant", "way"));
    struct bough_import_file_result parent =
                                        import_file(t, file_make(t, "a.jsonl", text, strlen(text))),
                                    child =
                                        import_file(t, file_make(t, "b.jsonl", fork, strlen(fork)));

    CHECK_INT(0, child.nproblems);
    CHECK_INT(2, child.added);
    CHECK_STR(parent.session, get(t, child.session)->parent);
    CHECK_STR("one two other way", path_text(t, child.session));
    check_same_lines(t, str_of(fork), export_text(t, child.session, "codex"));
    child = import_file(t, file_make(t, "copy.jsonl", fork, strlen(fork)));
    CHECK_INT(0, child.added);
    fresh_store(t);
    child = import_file(t, file_make(t, "b.jsonl", fork, strlen(fork)));
    CHECK(child.nproblems > 0);
    CHECK_STR("other way", path_text(t, child.session));
}

STORE_TEST(a_codex_compaction_and_a_subagent_are_what_they_are)
{
    const char *meta =
        ",\"source\":{\"subagent\":{\"thread_spawn\":{\"parent_thread_id\":\"s-1\"}}}";
    const char *text =
        arena_printf(t->arena,
                     META "%s{\"timestamp\":\"2026-01-01T00:00:02.000Z\",\"ordinal\":2,\"type\":"
                          "\"compacted\",\"payload\":{\"message\":\"so far\"}}\n%s",
                     "s-1", "", said(t, 1, "user", "one"), said(t, 3, "user", "two"));
    const char *sub = arena_printf(t->arena, META "%s", "s-2", meta, said(t, 1, "user", "task"));
    struct bough_import_file_result in =
        import_file(t, file_make(t, "a.jsonl", text, strlen(text)));
    struct bough_entry *marker;

    CHECK_OK(bough_marker_latest(t->store, t->arena, in.session, false, &marker, &t->err));
    CHECK(marker && strstr(marker->data.p, "so far"));
    CHECK_INT(0, marker->keep_from);
    in = import_file(t, file_make(t, "b.jsonl", sub, strlen(sub)));
    CHECK_INT(BOUGH_SUBAGENT, get(t, in.session)->kind);
}

static void claude_to_codex(struct test *t, const char *path)
{
    struct bough_import_file_result in = import_file(t, path);
    struct bough_str out = export_text(t, in.session, "codex");
    int64_t spent = get(t, in.session)->own.output;

    CHECK(strstr(out.p, "\"type\":\"function_call\"") && strstr(out.p, "\"user_message\""));
    fresh_store(t);
    in = import_file(t, file_make(t, "c.jsonl", out.p, out.n));
    CHECK_STR("codex", in.format);
    CHECK_STR("", in.nproblems ? in.problems[0].text : "");
    CHECK_INT(spent, get(t, in.session)->own.output);
    check_same_lines(t, out, export_text(t, in.session, "codex"));
    next_store(t);
}

STORE_TEST(a_claude_code_session_becomes_a_codex_file)
{
    each_file(t, FILES("claude-code/tools.jsonl"), FILES("claude-code-2.1.325/resumed.jsonl"),
              claude_to_codex);
}

STORE_TEST_SECONDS(a_codex_file_cut_after_any_byte_gives_what_was_whole, 240)
{
    size_t n;
    const char *text = file_text(t, data_path(t, "codex/tools.jsonl"), &n);

    check_cuts(t, "cut.jsonl", str_make(text, n), 28);
    if (!corpora_here())
        return;
    text = file_text(t, corpus_path(t, "codex-0.166.0/resumed.jsonl"), &n);
    check_cuts(t, "cut.jsonl", str_make(text, n), 90);
}
