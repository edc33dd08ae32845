/* Exports are whole: forks with what they inherit, each session once. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/str.h"
#include "corpus.h"

static const char *const all_written[] = { "bough",    "pi",     "claude-code", "codex",
                                           "opencode", "ai-sdk", "openai-chat", "anthropic",
                                           "markdown", "html" };

static int count(const char *text, const char *what)
{
    int n = 0;

    for (; (text = strstr(text, what)) != NULL; text++)
        n++;
    return n;
}

static void purge(struct test *t, const char *session)
{
    CHECK_OK(bough_session_purge(t->store, t->arena, session, NULL, &t->err));
}

/* Sessions a-b, a fork of it at a with c, and a fork of that at c with d. */
struct forks {
    const char *first, *second, *third;
};

static struct forks make_forks(struct test *t)
{
    struct forks f = { .first = new_session(t, "First") };
    const char *a = user(t, f.first, "text a");

    agent(t, f.first, "text b");
    f.second = fork_at(t, f.first, a);
    f.third = fork_at(t, f.second, agent(t, f.second, "text c"));
    user(t, f.third, "text d");
    return f;
}

static bool put(void *user, struct bough_str bytes)
{
    buf_put_str(user, bytes);
    return true;
}

static struct bough_str export_many(struct test *t, const char *const *ids, size_t n)
{
    struct buf b;
    struct bough_export_options how = { .format = "bough", .write = put, .user = &b };
    struct bough_str out;

    buf_init(&b, 1 << 20);
    CHECK_OK(bough_export_sessions(t->store, ids, n, &how, &t->err));
    out = str_make(arena_strndup(t->arena, b.p, b.n), b.n);
    buf_finish(&b);
    return out;
}

STORE_TEST(a_fork_whose_parent_was_purged_is_exported_with_what_it_inherits)
{
    struct forks f = make_forks(t);

    purge(t, f.first);
    for (size_t i = 0; i < sizeof all_written / sizeof *all_written; i++) {
        struct bough_str out = export_text(t, f.second, all_written[i]);

        CHECK_STR("text a text c", path_text(t, f.second));
        CHECK(strstr(out.p, "text a"));
        CHECK_INT(0, count(out.p, "text b"));
        CHECK(strstr(out.p, "text c"));
        out = export_text(t, f.third, all_written[i]);
        CHECK(strstr(out.p, "text a"));
        CHECK(strstr(out.p, "text c"));
        CHECK(strstr(out.p, "text d"));
    }
    purge(t, f.second);
    for (size_t i = 0; i < sizeof all_written / sizeof *all_written; i++) {
        struct bough_str out = export_text(t, f.third, all_written[i]);

        CHECK(strstr(out.p, "text a"));
        CHECK(strstr(out.p, "text c"));
        CHECK(strstr(out.p, "text d"));
    }
}

STORE_TEST(a_fork_whose_parent_was_purged_comes_back_whole_and_is_known_here)
{
    struct forks f = make_forks(t);
    const char *path;
    struct bough_str out;

    purge(t, f.first);
    out = export_text(t, f.third, "bough");
    path = file_make(t, "third.jsonl", out.p, out.n);
    CHECK_INT(0, import_file(t, path).added);
    CHECK_STR("text a text c text d", path_text(t, f.third));
    next_store(t);
    CHECK_INT(3, import_file(t, path).added);
    CHECK_STR("text a text c text d", path_text(t, f.third));
    CHECK_STR("text a text c", path_text(t, f.second));
    CHECK_STR(get(t, f.second)->id, get(t, f.third)->parent);
    CHECK_INT(0, import_file(t, path).nproblems);
}

STORE_TEST(what_a_fork_inherits_from_a_purged_parent_is_deleted_labelled_and_compacted_as_it_was)
{
    const char *first = new_session(t, "First"), *a = user(t, first, "text a"), *b, *fork, *path;
    struct bough_compact_options c = { .summary = "so far", .first_kept = "" };
    char id[BOUGH_ID_LEN + 1];
    struct bough_entries_read_options how = { .what = BOUGH_ENTRIES_SINCE_MARKER,
                                              .inherit = true,
                                              .messages = true };
    struct bough_str out;
    struct bough_labels labels;

    b = user(t, first, "text b");
    c.first_kept = user(t, first, "text c");
    CHECK_OK(bough_compact(t->store, first, &c, id, &t->err));
    fork = fork_at(t, first, id);
    CHECK_OK(bough_entry_delete(t->store, first, a, &t->err));
    CHECK_OK(bough_label_set(t->store, fork, b, "here", &t->err));
    user(t, fork, "text d");
    purge(t, first);
    CHECK_STR("text c text d", read_text(t, fork, &how));
    out = export_text(t, fork, "bough");
    path = file_make(t, "fork.jsonl", out.p, out.n);
    next_store(t);
    import_file(t, path);
    CHECK_STR("text b text c text d", path_text(t, fork));
    CHECK_STR("text c text d", read_text(t, fork, &how));
    CHECK_OK(bough_label_list(t->store, t->arena, fork, &labels, &t->err));
    CHECK_INT(1, labels.n);
}

STORE_TEST(an_export_of_many_sessions_writes_each_once_and_parents_first)
{
    struct forks f = make_forks(t);
    const char *other = fork_at(t, f.first, NULL), *ids[] = { f.third, other, f.second };
    struct bough_str some = export_many(t, ids, 3), all = export_many(t, NULL, 0);

    CHECK_INT(4, count(some.p, "\"type\":\"session\""));
    CHECK_INT(4, count(all.p, "\"type\":\"session\""));
    CHECK_INT(1, count(all.p, "text a"));
    next_store(t);
    CHECK_INT(0, import_file(t, file_make(t, "all.jsonl", all.p, all.n)).nproblems);
    CHECK_STR("text a text c text d", path_text(t, f.third));
    CHECK_STR("text a text b", path_text(t, other));
    CHECK(strstr(export_many(t, NULL, 0).p, "text d"));
}

STORE_TEST(a_chain_of_a_hundred_forks_is_exported_whole)
{
    const char *at = new_session(t, "0"), *last = at;
    struct bough_str out;

    user(t, at, "m0");
    for (int i = 1; i <= 100; i++) {
        last = fork_at(t, last, NULL);
        user(t, last, arena_printf(t->arena, "m%d", i));
    }
    out = export_text(t, last, "bough");
    CHECK_INT(101, count(out.p, "\"type\":\"session\""));
    next_store(t);
    CHECK_INT(101, import_file(t, file_make(t, "chain.jsonl", out.p, out.n)).sessions);
    CHECK_INT(101, get(t, last)->head.depth);
}

STORE_TEST(a_deleted_message_is_in_no_export_for_another_tool)
{
    const char *s = new_session(t, "x"), *b;

    user(t, s, "text a");
    b = agent(t, s, "text b");
    user(t, s, "text c");
    CHECK_OK(bough_label_set(t->store, s, b, "label of b", &t->err));
    CHECK_OK(bough_entry_delete(t->store, s, b, &t->err));
    for (size_t i = 0; i < sizeof all_written / sizeof *all_written; i++) {
        struct bough_str out = export_text(t, s, all_written[i]);
        bool marks = strcmp(all_written[i], "bough") == 0;

        CHECK_INT(marks, count(out.p, "text b"));
        CHECK_INT(marks || strcmp(all_written[i], "html") == 0, count(out.p, "label of b"));
        CHECK(strstr(out.p, "text c"));
    }
    b = export_text(t, s, "pi").p;
    next_store(t);
    import_file(t, file_make(t, "s.jsonl", b, strlen(b)));
    CHECK_STR("text a text c", path_text(t, s));
}

STORE_TEST(a_fork_without_messages_of_its_own_is_left_where_it_was)
{
    static const char *const trees[] = { "bough", "pi", "claude-code" };

    for (size_t i = 0; i < sizeof trees / sizeof *trees; i++) {
        const char *first = new_session(t, "First"), *fork;
        struct bough_str out;

        user(t, first, "text a");
        fork = fork_at(t, first, agent(t, first, "text b"));
        user(t, first, "text c");
        out = export_text(t, fork, trees[i]);
        next_store(t);
        fork = import_file(t, file_make(t, "fork.jsonl", out.p, out.n)).session;
        CHECK_STR("text a text b", path_text(t, fork));
        next_store(t);
    }
}

STORE_TEST(a_fork_at_a_deleted_message_keeps_what_was_before_it)
{
    const char *first = new_session(t, "First"), *b, *fork;
    struct bough_str out;

    user(t, first, "text a");
    b = agent(t, first, "text b");
    fork = fork_at(t, first, b);
    user(t, fork, "text c");
    CHECK_OK(bough_entry_delete(t->store, first, b, &t->err));
    out = export_text(t, fork, "pi");
    CHECK(!strstr(out.p, "text b"));
    next_store(t);
    fork = import_file(t, file_make(t, "fork.jsonl", out.p, out.n)).session;
    CHECK_STR("text a text c", path_text(t, fork));
}

STORE_TEST(a_subagent_whose_parent_was_purged_is_a_subagent_after_a_round_trip)
{
    struct bough_session_create_options in = { .kind = BOUGH_SUBAGENT, .id = "sub" };
    const char *first = new_session(t, "First");
    struct bough_session *sub;
    struct bough_str out;

    in.parent = first;
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &sub, &t->err));
    user(t, "sub", "text a");
    purge(t, first);
    out = export_text(t, "sub", "bough");
    next_store(t);
    import_file(t, file_make(t, "sub.jsonl", out.p, out.n));
    CHECK_INT(BOUGH_SUBAGENT, get(t, "sub")->kind);
    CHECK_STR("text a", path_text(t, "sub"));
}

/* A fork of a session with a message that cost something; `copy`: it has a copy of the message. */
static const char *costly_fork(struct test *t, bool copy)
{
    const char *first = new_session(t, "First");
    struct bough_totals used = { .input = 100, .cost = 5000 };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "text a", .usage = &used };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_session *fork;

    CHECK_OK(bough_append(t->store, t->arena, first, &in, &out, &t->err));
    CHECK_OK(bough_session_fork(t->store, t->arena, first,
                                &(struct bough_session_fork_options){ .copy = copy }, &fork,
                                &t->err));
    CHECK_OK(bough_append(t->store, t->arena, fork->id, &in, &out, &t->err));
    purge(t, first);
    return fork->id;
}

STORE_TEST(what_a_fork_inherits_or_copies_costs_nothing_after_a_round_trip_either)
{
    for (int copy = 0; copy < 2; copy++) {
        const char *fork = costly_fork(t, copy);
        struct bough_str out = export_text(t, fork, "bough");
        struct bough_entries_read_result path;

        CHECK_INT(5000, get(t, fork)->own.cost);
        next_store(t);
        import_file(t, file_make(t, "fork.jsonl", out.p, out.n));
        CHECK_INT(5000, get(t, fork)->own.cost);
        CHECK_INT(1, get(t, fork)->calls);
        CHECK_OK(bough_entries_read(t->store, t->arena, fork, NULL, &path, &t->err));
        CHECK_INT(2, path.entries.n);
        CHECK_INT(5000, path.entries.at[0].usage->cost); /* the message still says what it cost */
        next_store(t);
    }
}
