/* The tree: branches, children, common ancestors, diffs, pages (P16-P18, U1-U4). */
#include <stdio.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"

static const char *names(struct test *t, const struct bough_entries *e)
{
    const char *all = "";

    for (size_t i = 0; i < e->n; i++)
        all = arena_printf(t->arena, "%s%s%s", all, i ? " " : "",
                           e->at[i].kind == BOUGH_ENTRY_MESSAGE
                               ? text_of(t, &e->at[i])
                               : bough_entry_kind_name(e->at[i].kind));
    return all;
}

static const char *children(struct test *t, const char *session, const char *entry)
{
    struct bough_entries kids;

    CHECK_OK(bough_tree_children(t->store, t->arena, session, entry, &kids, &t->err));
    return names(t, &kids);
}

static void go(struct test *t, const char *session, const char *entry)
{
    CHECK_OK(bough_head_move(t->store, session, entry, &t->err));
}

/* --- children and roots --- */

STORE_TEST(P17_children_come_in_order_of_time)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *b = agent(t, s, "b");

    go(t, s, a);
    agent(t, s, "b2");
    go(t, s, a);
    agent(t, s, "b3");
    CHECK_STR("b b2 b3", children(t, s, a));
    CHECK_STR("", children(t, s, b));
    CHECK_STR("a", children(t, s, NULL));
    CHECK_STR("a", children(t, s, ""));
}

STORE_TEST(P18_several_roots_are_legal)
{
    const char *s = new_session(t, "");

    CHECK_STR("", children(t, s, NULL));
    user(t, s, "one");
    CHECK_OK(bough_head_reset(t->store, s, &t->err));
    user(t, s, "two");
    CHECK_OK(bough_head_reset(t->store, s, &t->err));
    CHECK_STR("one two", children(t, s, NULL)); /* whatever the head is */
}

STORE_TEST(a_forks_children_are_its_own_and_the_inherited_ones)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *b = agent(t, s, "b"), *f;

    user(t, s, "c");
    f = fork_at(t, s, b);
    user(t, f, "f1");
    go(t, f, a);
    user(t, f, "f2");
    CHECK_STR("b f2", children(t, f, a));
    CHECK_STR("f1", children(t, f, b)); /* c is on no path of the fork */
    CHECK_STR("c", children(t, s, b));  /* f1 is on no path of the parent */
    CHECK_STR("a", children(t, f, NULL));
}

STORE_TEST(a_fork_with_its_head_at_nothing_still_has_its_inherited_root)
{
    const char *s = new_session(t, ""), *f = fork_at(t, s, user(t, s, "a"));

    user(t, f, "b");
    CHECK_OK(bough_head_reset(t->store, f, &t->err));
    CHECK_STR("a", children(t, f, NULL));
}

/* --- leaving a branch with a summary --- */

STORE_TEST(P16_branch_with_summary_keeps_target_and_abandoned_head)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *b = agent(t, s, "b");
    char id[BOUGH_ID_LEN + 1];
    struct bough_entry *e;
    struct bough_branch_with_summary_options how = {
        .target = a, .summary = "tried b", .details = str_of("{\"x\":1}"), .from_hook = true
    };

    CHECK_OK(bough_branch_with_summary(t->store, s, &how, id, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, id, &e, &t->err));
    CHECK_INT(BOUGH_ENTRY_BRANCH_SUMMARY, e->kind);
    CHECK_INT(2, e->at.depth);
    CHECK(strstr(e->data.p, arena_printf(t->arena, "\"fromId\":\"%s\"", a)));
    CHECK(strstr(e->data.p, b));
    CHECK(strstr(e->data.p, "\"summary\":\"tried b\""));
    CHECK(strstr(e->data.p, "\"details\":{\"x\":1}"));
    CHECK(strstr(e->data.p, "\"fromHook\":true"));
    user(t, s, "c");
    CHECK_STR("a c", path_text(t, s));
    CHECK_STR("b branch_summary", children(t, s, a));
}

STORE_TEST(P16_branch_with_summary_to_nothing_is_from_root)
{
    const char *s = new_session(t, "");
    struct bough_branch_with_summary_options how = { .summary = "S" };
    char id[BOUGH_ID_LEN + 1];
    struct bough_entry *e;

    user(t, s, "a");
    CHECK_OK(bough_branch_with_summary(t->store, s, &how, id, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, id, &e, &t->err));
    CHECK_INT(1, e->at.depth);
    CHECK(strstr(e->data.p, "\"fromId\":\"root\""));
    how.target = "nothing";
    CHECK_RC(BOUGH_NOT_FOUND, bough_branch_with_summary(t->store, s, &how, id, &t->err));
}

/* --- common ancestors and diffs --- */

STORE_TEST(common_ancestor_of_two_branches)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *b = agent(t, s, "b"), *c, *d, *root;
    struct bough_entry *e;

    c = user(t, s, "c");
    go(t, s, b);
    d = user(t, s, "d");
    CHECK_OK(bough_tree_common(t->store, t->arena, s, c, d, &e, &t->err));
    CHECK_STR(b, e->id);
    CHECK_OK(bough_tree_common(t->store, t->arena, s, a, d, &e, &t->err)); /* an ancestor */
    CHECK_STR(a, e->id);
    CHECK_OK(bough_tree_common(t->store, t->arena, s, d, d, &e, &t->err));
    CHECK_STR(d, e->id);
    CHECK_OK(bough_head_reset(t->store, s, &t->err));
    root = user(t, s, "other root");
    CHECK_RC(BOUGH_NOT_FOUND, bough_tree_common(t->store, t->arena, s, d, root, &e, &t->err));
}

STORE_TEST(diff_of_two_branches_shows_what_each_adds)
{
    const char *s = new_session(t, ""), *b, *c, *d;
    struct bough_tree_diff_result diff;

    user(t, s, "a");
    b = agent(t, s, "b");
    user(t, s, "c1");
    c = user(t, s, "c2");
    go(t, s, b);
    d = user(t, s, "d");
    CHECK_OK(bough_tree_diff(
        t->store, t->arena, &(struct bough_tree_diff_options){ .session = s, .one = c, .other = d },
        &diff, &t->err));
    CHECK_STR(b, diff.common->id);
    CHECK_STR("c1 c2", names(t, &diff.one));
    CHECK_STR("d", names(t, &diff.other));
}

STORE_TEST(diff_of_two_sessions_and_their_usage)
{
    const char *s = new_session(t, ""), *f, *stranger = new_session(t, "");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .text = "costly",
                                 .usage = &(struct bough_totals){ .input = 5, .cost = 9 } };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_tree_diff_result diff;

    user(t, s, "a");
    f = fork_at(t, s, NULL);
    CHECK_OK(bough_append(t->store, t->arena, f, &in, &out, &t->err));
    user(t, s, "b");
    CHECK_OK(bough_tree_diff(t->store, t->arena,
                             &(struct bough_tree_diff_options){ .session = s, .other_session = f },
                             &diff, &t->err));
    CHECK_STR("a", text_of(t, diff.common));
    CHECK_STR("b", names(t, &diff.one));
    CHECK_STR("costly", names(t, &diff.other));
    CHECK_INT(0, diff.one_used.input);
    CHECK_INT(9, diff.other_used.cost);
    user(t, stranger, "x");
    CHECK_OK(bough_tree_diff(
        t->store, t->arena,
        &(struct bough_tree_diff_options){ .session = s, .other_session = stranger }, &diff,
        &t->err));
    CHECK(!diff.common);
    CHECK_STR("a b", names(t, &diff.one));
    CHECK_STR("x", names(t, &diff.other));
}

/* --- branches and pages --- */

STORE_TEST(branches_in_order_of_creation_then_the_inherited_ones)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *f;
    struct bough_branches b;

    agent(t, s, "b");
    go(t, s, a);
    agent(t, s, "c");
    f = fork_at(t, s, NULL);
    user(t, f, "d");
    CHECK_OK(bough_tree_branches(t->store, t->arena, s, &b, &t->err));
    CHECK_INT(2, b.n);
    CHECK_INT(0, b.at[0].base.branch);
    CHECK_INT(2, b.at[0].tip);
    CHECK_INT(b.at[0].number, b.at[1].base.branch);
    CHECK_INT(1, b.at[1].base.depth);
    CHECK_INT(2, b.at[1].tip);
    CHECK_OK(bough_tree_branches(t->store, t->arena, f, &b, &t->err));
    CHECK_INT(3, b.n);
    CHECK_STR(f, b.at[0].session);
    CHECK_STR(s, b.at[1].session);
    CHECK_INT(3, b.at[0].tip);
}

/* A fork of a fork with branches. Entries of another session are written in between. */
static const char *forked(struct test *t)
{
    const char *g = new_session(t, "g"), *p, *c, *noise = new_session(t, "noise"), *back;

    for (int i = 1; i <= 3; i++) {
        user(t, g, arena_printf(t->arena, "g%d", i));
        user(t, noise, "n");
    }
    p = fork_at(t, g, NULL);
    user(t, g, "g4");
    user(t, p, "p1");
    back = agent(t, p, "p2");
    agent(t, p, "p3");
    go(t, p, back);
    agent(t, p, "p4");
    c = fork_at(t, p, NULL);
    user(t, p, "p5");
    for (int i = 1; i <= 4; i++)
        user(t, c, arena_printf(t->arena, "c%d", i));
    return c;
}

static void check_pages(struct test *t, const char *session, struct bough_entries_read_options how,
                        const char *want)
{
    for (how.limit = 1; how.limit <= 7; how.limit++) {
        const char *all = "";
        struct bough_entries_read_result path;
        int pages = 0;

        how.cursor = NULL;
        do {
            const char *page;

            CHECK_OK(bough_entries_read(t->store, t->arena, session, &how, &path, &t->err));
            page = names(t, &path.entries);
            CHECK(path.entries.n <= (size_t)how.limit);
            CHECK(path.entries.n || !*path.entries.next);
            all = !*all        ? page
                  : !*page     ? all
                  : how.newest ? arena_printf(t->arena, "%s %s", page, all)
                               : arena_printf(t->arena, "%s %s", all, page);
            how.cursor = path.entries.next;
            CHECK(++pages < 30);
        } while (*path.entries.next);
        if (strcmp(all, want) != 0)
            FAIL("pages of %lld%s give \"%s\", not \"%s\"", (long long)how.limit,
                 how.newest ? " from the end" : "", all, want);
    }
}

STORE_TEST(pages_of_a_forked_path_have_no_gap_and_nothing_twice)
{
    const char *c = forked(t);

    check_pages(t, c, (struct bough_entries_read_options){ 0 }, "g1 g2 g3 p1 p2 p4 c1 c2 c3 c4");
    check_pages(t, c, (struct bough_entries_read_options){ .newest = true },
                "g1 g2 g3 p1 p2 p4 c1 c2 c3 c4");
    check_pages(t, c, (struct bough_entries_read_options){ .user = true },
                "g1 g2 g3 p1 c1 c2 c3 c4");
    check_pages(t, c, (struct bough_entries_read_options){ .user = true, .newest = true },
                "g1 g2 g3 p1 c1 c2 c3 c4");
}

STORE_TEST(pages_leave_deleted_entries_out)
{
    const char *c = forked(t);
    struct bough_entries_read_result path;

    CHECK_OK(bough_entries_read(t->store, t->arena, c, NULL, &path, &t->err));
    CHECK_OK(bough_entry_delete(t->store, c, path.entries.at[7].id, &t->err));
    CHECK_OK(bough_entry_delete(t->store, c, path.entries.at[9].id, &t->err));
    check_pages(t, c, (struct bough_entries_read_options){ 0 }, "g1 g2 g3 p1 p2 p4 c1 c3");
    check_pages(t, c, (struct bough_entries_read_options){ .newest = true },
                "g1 g2 g3 p1 p2 p4 c1 c3");
    check_pages(t, c, (struct bough_entries_read_options){ .deleted = true },
                "g1 g2 g3 p1 p2 p4 c1 c2 c3 c4");
}

STORE_TEST(pages_of_what_a_session_wrote_itself)
{
    const char *c = forked(t);
    struct bough_entries_read_result path;

    CHECK_OK(bough_entries_read(t->store, t->arena, c,
                                &(struct bough_entries_read_options){ .what = BOUGH_ENTRIES_OWN },
                                &path, &t->err));
    CHECK_STR("c1 c2 c3 c4", names(t, &path.entries));
    check_pages(t, c, (struct bough_entries_read_options){ .what = BOUGH_ENTRIES_OWN },
                "c1 c2 c3 c4");
    check_pages(t, c,
                (struct bough_entries_read_options){ .what = BOUGH_ENTRIES_OWN, .newest = true },
                "c1 c2 c3 c4");
}

STORE_TEST(tree_entries_page_in_order_of_time_over_all_branches)
{
    const char *s = new_session(t, ""), *a = user(t, s, "a"), *b = agent(t, s, "b"), *want;

    go(t, s, a);
    agent(t, s, "c");
    go(t, s, b);
    user(t, s, "d");
    CHECK_OK(bough_head_reset(t->store, s, &t->err));
    user(t, s, "e");
    want = "a b c d e";
    for (int64_t limit = 1; limit <= 7; limit++) {
        struct bough_entries page;
        const char *all = "";
        struct bough_tree_entries_options how = { .limit = limit };

        do {
            CHECK_OK(bough_tree_entries(t->store, t->arena, s, &how, &page, &t->err));
            CHECK(page.n);
            all = *all ? arena_printf(t->arena, "%s %s", all, names(t, &page)) : names(t, &page);
            how.cursor = page.next;
        } while (*page.next);
        CHECK_STR(want, all);
    }
}

STORE_TEST(from_begins_with_an_entry_of_the_path)
{
    const char *s = new_session(t, ""), *b, *d;
    struct bough_entries_read_options how = { .limit = 2 };
    struct bough_entries_read_result path;

    user(t, s, "a");
    b = agent(t, s, "b");
    user(t, s, "c");
    d = agent(t, s, "d");
    go(t, s, b);
    user(t, s, "e");
    user(t, s, "f");
    how.from = b;
    check_pages(t, s, how, "b e f");
    how.newest = true;
    check_pages(t, s, how, "b e f");
    how.what = BOUGH_ENTRIES_OWN;
    check_pages(t, s, how, "b c d e f");
    how = (struct bough_entries_read_options){ .from = d };
    CHECK_RC(BOUGH_INVALID, bough_entries_read(t->store, t->arena, s, &how, &path, &t->err));
    CHECK(strstr(t->err.msg, "not on the path"));
    how.from = "nothing";
    CHECK_RC(BOUGH_NOT_FOUND, bough_entries_read(t->store, t->arena, s, &how, &path, &t->err));
}

STORE_TEST(a_page_goes_on_when_the_entry_of_its_cursor_was_deleted)
{
    const char *s = new_session(t, ""), *c;
    struct bough_entries_read_options how = { .limit = 2 };
    struct bough_entries_read_result path;

    for (how.what = BOUGH_ENTRIES_PATH; how.what <= BOUGH_ENTRIES_OWN; how.what++) {
        CHECK_OK(bough_head_reset(t->store, s, &t->err));
        how.from = user(t, s, "a");
        agent(t, s, "b");
        c = user(t, s, "c");
        agent(t, s, "d");
        how.cursor = NULL;
        CHECK_OK(bough_entries_read(t->store, t->arena, s, &how, &path, &t->err));
        CHECK_STR("a b", names(t, &path.entries));
        CHECK_OK(bough_entry_delete(t->store, s, c, &t->err));
        how.cursor = path.entries.next;
        CHECK_OK(bough_entries_read(t->store, t->arena, s, &how, &path, &t->err));
        CHECK_STR("d", names(t, &path.entries));
        CHECK_STR("", path.entries.next);
    }
}

STORE_TEST(a_cursor_that_the_list_did_not_give_is_invalid)
{
    static const char *const bad[] = { "x", "1.x", "1", "1.2.3.4", "-1.1", "0.0", "1.", ".1", " " };
    const char *s = new_session(t, "");
    struct bough_entries_read_options read = { 0 };
    struct bough_tree_entries_options tree = { 0 };
    struct bough_session_list_options list = { 0 };
    struct bough_store_log_options log = { 0 };
    struct bough_search_options search = { .query = "a" };
    struct bough_entries_read_result path;
    struct bough_entries entries;
    struct bough_sessions sessions;
    struct bough_changes changes;
    struct bough_hits hits;

    user(t, s, "a");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        read.cursor = list.cursor = bad[i];
        CHECK_RC(BOUGH_INVALID, bough_entries_read(t->store, t->arena, s, &read, &path, &t->err));
        CHECK_STR("this cursor belongs to another list", t->err.msg);
        CHECK_RC(BOUGH_INVALID, bough_session_list(t->store, t->arena, &list, &sessions, &t->err));
        tree.cursor = log.cursor = search.cursor = strcmp(bad[i], "1") == 0 ? "1.1" : bad[i];
        CHECK_RC(BOUGH_INVALID,
                 bough_tree_entries(t->store, t->arena, s, &tree, &entries, &t->err));
        CHECK_RC(BOUGH_INVALID, bough_store_log(t->store, t->arena, &log, &changes, &t->err));
        CHECK_RC(BOUGH_INVALID, bough_search(t->store, t->arena, &search, &hits, &t->err));
    }
    read.cursor = tree.cursor = list.cursor = log.cursor = search.cursor = "";
    CHECK_OK(bough_entries_read(t->store, t->arena, s, &read, &path, &t->err));
    CHECK_OK(bough_tree_entries(t->store, t->arena, s, &tree, &entries, &t->err));
    CHECK_OK(bough_session_list(t->store, t->arena, &list, &sessions, &t->err));
    CHECK_OK(bough_store_log(t->store, t->arena, &log, &changes, &t->err));
    CHECK_OK(bough_search(t->store, t->arena, &search, &hits, &t->err));
    CHECK_INT(1, hits.n);
    CHECK_STR("", hits.next);
    CHECK_STR("", changes.next);
}

STORE_TEST(the_tool_filter_gives_only_entries_with_a_tool)
{
    const char *s = new_session(t, "");
    struct bough_str part =
        str_of("{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"ls\",\"input\":{}}");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .parts = &part, .nparts = 1 };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_entries_read_result path;

    user(t, s, "a");
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    user(t, s, "b");
    CHECK_OK(bough_entries_read(t->store, t->arena, s,
                                &(struct bough_entries_read_options){ .tool = true }, &path,
                                &t->err));
    CHECK_INT(1, path.entries.n);
    CHECK_STR(out.ids[0], path.entries.at[0].id);
    CHECK_OK(bough_entries_read(t->store, t->arena, s,
                                &(struct bough_entries_read_options){ .tool = true, .user = true },
                                &path, &t->err));
    CHECK_INT(0, path.entries.n); /* no user message has a tool */
}

STORE_TEST(H27_more_forks_than_asked_for_are_too_deep)
{
    const char *c = forked(t);
    struct bough_entries_read_result path;

    CHECK_RC(BOUGH_TOO_DEEP,
             bough_entries_read(t->store, t->arena, c,
                                &(struct bough_entries_read_options){ .max_forks = 1 }, &path,
                                &t->err));
    CHECK_OK(bough_entries_read(t->store, t->arena, c,
                                &(struct bough_entries_read_options){ .max_forks = 2 }, &path,
                                &t->err));
    CHECK_INT(10, path.entries.n);
}

/* --- hashes --- */

STORE_TEST(equal_conversations_hash_equal_wherever_they_are)
{
    const char *s = new_session(t, "one"), *o = new_session(t, "two"), *f;
    struct bough_store *mine = t->store, *other = NULL;
    char one[65], two[65], three[65], four[65];

    user(t, s, "hello");
    agent(t, s, "hi");
    user(t, o, "hello");
    f = fork_at(t, o, NULL);
    agent(t, f, "hi");
    CHECK_OK(bough_path_hash(t->store, s, NULL, one, &t->err));
    CHECK_OK(bough_path_hash(t->store, f, NULL, two, &t->err));
    CHECK_STR(one, two);
    CHECK_OK(bough_store_open(&other, "memory:", NULL, &t->err));
    t->store = other;
    o = new_session(t, "elsewhere");
    user(t, o, "hello");
    agent(t, o, "hi");
    CHECK_OK(bough_path_hash(t->store, o, NULL, three, &t->err));
    agent(t, o, "more");
    CHECK_OK(bough_path_hash(t->store, o, NULL, four, &t->err));
    t->store = mine;
    bough_store_close(&other);
    CHECK_STR(one, three);
    CHECK(strcmp(one, four) != 0);
    CHECK_INT(64, strlen(one));
}

STORE_TEST(lineage_and_root_go_up_to_the_first_session)
{
    const char *s = new_session(t, "top"), *f = fork_at(t, s, user(t, s, "a"));
    struct bough_session_create_options in = { .kind = BOUGH_SUBAGENT, .parent = f };
    struct bough_session *sub;
    struct bough_sessions line;
    char root[BOUGH_ID_LEN + 1];

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &sub, &t->err));
    CHECK_OK(bough_session_root(t->store, sub->id, root, &t->err));
    CHECK_STR(s, root);
    CHECK_OK(bough_tree_lineage(t->store, t->arena, sub->id, &line, &t->err));
    CHECK_INT(3, line.n);
    CHECK_STR(sub->id, line.at[0].id);
    CHECK_STR(f, line.at[1].id);
    CHECK_STR(s, line.at[2].id);
}
