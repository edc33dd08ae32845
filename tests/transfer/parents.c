/* Parents and children in any order: a subagent that comes first gets its parent when that comes,
 * and a run over many files imports parents first. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "corpus.h"

/* ---- the child first, each file on its own ---- */

struct pair {
    const char *parent, *child, *format;
};

/* The same two sessions as in the right order: kind, parent, times, totals and exports. */
static void check_pair(struct test *t, const struct pair *p)
{
    const char *parent_path = data_path(t, p->parent), *child_path = data_path(t, p->child);
    struct bough_import_file_result parent = import_file(t, parent_path),
                                    child = import_file(t, child_path);
    struct bough_session right = *get(t, parent.session), late;
    struct bough_str out = export_text(t, parent.session, p->format);
    struct bough_sessions list;

    CHECK_INT(BOUGH_SUBAGENT, get(t, child.session)->kind);
    next_store(t);
    child = import_file(t, child_path);
    CHECK_INT(1, child.sessions);
    CHECK_INT(BOUGH_SUBAGENT, get(t, child.session)->kind);
    CHECK(*get(t, child.session)->parent);
    parent = import_file(t, parent_path);
    CHECK_INT(1, parent.sessions);
    CHECK_INT(0, parent.nproblems);
    CHECK_STR(parent.session, get(t, child.session)->parent);
    late = *get(t, parent.session);
    CHECK_STR(right.title, late.title);
    CHECK_INT(right.created, late.created);
    CHECK_INT(right.messages, late.messages);
    CHECK_INT(right.calls, late.calls);
    CHECK_INT(right.rolled.input, late.rolled.input);
    CHECK_INT(right.rolled.output, late.rolled.output);
    CHECK_STR(arena_strndup(t->arena, out.p, out.n), export_text(t, parent.session, p->format).p);
    CHECK_INT(0, import_file(t, parent_path).added);
    CHECK_INT(0, import_file(t, child_path).added);
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
    CHECK_INT(2, list.n);
}

STORE_TEST(a_subagent_of_claude_code_that_comes_first_gets_its_parent_when_that_comes)
{
    check_pair(t, &(struct pair){ "claude-code/delegated.jsonl",
                                  "claude-code/delegated-agent.jsonl", "claude-code" });
}

STORE_TEST(a_child_session_of_opencode_that_comes_first_gets_its_parent_when_that_comes)
{
    check_pair(t, &(struct pair){ "opencode/tools.json", "opencode/tools-child.json", "opencode" });
}

/* ---- many files, parents first ---- */

static const char *codex(struct test *t, const char *id, const char *more)
{
    const char *text = arena_printf(
        t->arena,
        "{\"timestamp\":\"2026-11-15T20:00:00.000Z\",\"type\":\"session_meta\",\"payload\":{\"id\":"
        "\"%s\",\"timestamp\":\"2026-11-15T20:00:00.000Z\",\"cwd\":\"/"
        "srv\",\"originator\":\"codex\","
        "\"cli_version\":\"0.166.0\",\"model_provider\":\"p\"%s}}\n"
        "{\"ordinal\":1,\"timestamp\":\"2026-11-15T20:00:01.000Z\",\"type\":\"response_item\","
        "\"payload\":{"
        "\"type\":"
        "\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"I am "
        "%s\"}]}}\n",
        id, more, id);

    return file_make(t, arena_printf(t->arena, "%s.jsonl", id), text, strlen(text));
}

static const char *spawned(struct test *t, const char *by)
{
    return arena_printf(
        t->arena, ",\"source\":{\"subagent\":{\"thread_spawn\":{\"parent_thread_id\":\"%s\"}}}",
        by);
}

static enum bough_rc with_parent(struct test *t, const char *path,
                                 struct bough_import_file_result *out)
{
    struct bough_import_file_options how = { .parent_first = 1 };

    return bough_import_file(t->store, t->arena, path, &how, out, &t->err);
}

STORE_TEST(a_file_can_wait_for_the_parent_of_its_session_and_writes_nothing_until_then)
{
    const char *one = codex(t, "s-1", ""), *two = codex(t, "s-2", spawned(t, "s-1")),
               *three = codex(t, "s-3", spawned(t, "s-2")),
               *fork = codex(t, "s-4",
                             ",\"forked_from_id\":\"s-1\",\"forked_from_ordinal_exclusive\":2");
    struct bough_import_file_result in;
    struct bough_sessions list;

    CHECK_RC(BOUGH_NOT_FOUND, with_parent(t, three, &in));
    CHECK_STR("s-2", in.waits_for);
    CHECK_RC(BOUGH_NOT_FOUND, with_parent(t, two, &in));
    CHECK_STR("s-1", in.waits_for);
    CHECK_RC(BOUGH_NOT_FOUND, with_parent(t, fork, &in));
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
    CHECK_INT(0, list.n);
    CHECK_OK(with_parent(t, one, &in));
    CHECK(in.waits_for == NULL);
    CHECK_RC(BOUGH_NOT_FOUND, with_parent(t, three, &in));
    CHECK_OK(with_parent(t, two, &in));
    CHECK_OK(with_parent(t, three, &in));
    CHECK_OK(with_parent(t, fork, &in));
    CHECK_STR(get(t, "s-1")->id, get(t, "s-2")->parent);
    CHECK_STR(get(t, "s-2")->id, get(t, "s-3")->parent);
    CHECK_STR(get(t, "s-1")->id, get(t, "s-4")->parent);
    CHECK(*get(t, "s-4")->fork_entry);
}

STORE_TEST(a_fork_waits_until_its_parent_has_the_entry_that_it_was_forked_at)
{
    const char *whole = codex(t, "s-1", "");
    size_t n;
    const char *text = file_text(t, whole, &n);
    const char *begun = file_make(t, "begun.jsonl", text, (size_t)(strchr(text, '\n') - text) + 1);
    const char *fork =
        codex(t, "s-2", ",\"forked_from_id\":\"s-1\",\"forked_from_ordinal_exclusive\":2");
    struct bough_import_file_result in;

    CHECK_OK(with_parent(t, begun, &in)); /* another process has created it, and goes on */
    CHECK_RC(BOUGH_NOT_FOUND, with_parent(t, fork, &in));
    CHECK_STR("s-1", in.waits_for);
    CHECK_OK(with_parent(t, whole, &in));
    CHECK_OK(with_parent(t, fork, &in));
    CHECK_STR(get(t, "s-1")->id, get(t, "s-2")->parent);
}

/* ---- a parent that is there in another way ---- */

STORE_TEST(a_parent_that_was_filled_is_not_filled_again)
{
    const char *child = data_path(t, "claude-code/delegated-agent.jsonl"),
               *path = data_path(t, "claude-code/delegated.jsonl");
    struct bough_import_file_result parent;
    size_t n;
    char *text = file_text(t, path, &n);

    (void)import_file(t, child);
    parent = import_file(t, path);
    CHECK_OK(bough_session_rename(t->store, parent.session, "named here", &t->err));
    (void)import_file(t, file_make(t, "copy.jsonl", text, n));
    CHECK_STR("named here", get(t, parent.session)->title);
}
