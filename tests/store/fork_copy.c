/* Forks: branches and numbers (U1-U7), what a purge keeps (U6d, H15), copies (U15, P34). */
#include "lib/store_test.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static struct bough_session *fork_how(struct test *t, const char *s,
                                      const struct bough_session_fork_options *how)
{
    struct bough_session *out;

    CHECK_OK(bough_session_fork(t->store, t->arena, s, how, &out, &t->err));
    return out;
}

static struct bough_append_result append_how(struct test *t, const char *s,
                                             struct bough_append_options in, const char *text)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text };
    struct bough_append_result out;

    in.entries = &e;
    in.n = 1;
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    return out;
}

static struct bough_entry *entry(struct test *t, const char *s, const char *id)
{
    struct bough_entry *e;

    CHECK_OK(bough_entry_get(t->store, t->arena, s, id, &e, &t->err));
    return e;
}

static size_t own_branches(struct test *t, const char *s)
{
    struct bough_branches all;
    size_t n = 0;

    CHECK_OK(bough_tree_branches(t->store, t->arena, s, &all, &t->err));
    for (size_t i = 0; i < all.n; i++)
        n += strcmp(all.at[i].session, s) == 0;
    return n;
}

/* --- U1-U5 --- */

STORE_TEST(U1_depth_is_the_place_on_the_path_and_goes_on_across_forks)
{
    const char *s = new_session(t, ""), *f, *id;

    CHECK_INT(1, entry(t, s, user(t, s, "g1"))->at.depth);
    id = agent(t, s, "g2");
    CHECK_INT(2, entry(t, s, id)->at.depth);
    user(t, s, "g3");
    f = fork_at(t, s, id);
    id = user(t, f, "c1");
    CHECK_INT(3, entry(t, f, id)->at.depth);
    CHECK(entry(t, f, id)->at.branch != get(t, s)->head.branch);
}

STORE_TEST(U2_a_fork_hangs_on_the_branch_that_owns_its_point)
{
    const char *g = new_session(t, "g"), *p, *c, *g1;
    struct bough_branches all;

    g1 = user(t, g, "g1");
    p = fork_at(t, g, agent(t, g, "g2"));
    user(t, p, "p1");
    c = fork_at(t, p, g1);
    CHECK_OK(bough_tree_branches(t->store, t->arena, c, &all, &t->err));
    CHECK_STR(c, all.at[0].session);
    CHECK_INT(entry(t, g, g1)->at.branch, all.at[0].base.branch);
    CHECK_INT(1, all.at[0].base.depth);
    CHECK_STR(p, get(t, c)->parent);
    CHECK_STR(g1, get(t, c)->fork_entry);
}

STORE_TEST(U2_any_path_of_the_source_session_may_be_forked_not_only_the_heads)
{
    const char *s = new_session(t, ""), *one, *side;

    one = user(t, s, "g1");
    side = agent(t, s, "side");
    CHECK_OK(bough_head_move(t->store, s, one, &t->err));
    agent(t, s, "main");
    CHECK_STR("g1 side", path_text(t, fork_at(t, s, side)));
    CHECK_STR("g1 main", path_text(t, fork_at(t, s, NULL)));
}

STORE_TEST(U3_append_at_the_tip_continues_the_branch_and_elsewhere_opens_one)
{
    const char *s = new_session(t, ""), *one, *two;

    one = user(t, s, "one");
    two = agent(t, s, "two");
    CHECK_INT(1, own_branches(t, s));
    CHECK_OK(bough_head_move(t->store, s, one, &t->err));
    CHECK_INT(1, own_branches(t, s));
    agent(t, s, "other");
    CHECK_INT(2, own_branches(t, s));
    CHECK_STR("one other", path_text(t, s));
    CHECK_OK(bough_head_move(t->store, s, two, &t->err));
    user(t, s, "three");
    CHECK_INT(2, own_branches(t, s));
    CHECK_STR("one two three", path_text(t, s));
}

STORE_TEST(U3_a_fork_at_the_parents_tip_never_writes_into_the_parents_branch)
{
    const char *s = new_session(t, ""), *f;

    user(t, s, "g1");
    f = fork_at(t, s, NULL);
    user(t, f, "c1");
    user(t, s, "g2");
    CHECK_STR("g1 c1", path_text(t, f));
    CHECK_STR("g1 g2", path_text(t, s));
}

STORE_TEST(U3_append_behind_nothing_starts_another_root)
{
    const char *s = new_session(t, "");
    struct bough_append_result out;
    struct bough_entries roots;

    user(t, s, "one");
    out = append_how(t, s, (struct bough_append_options){ .at_root = true }, "two");
    CHECK_INT(1, out.head.depth);
    CHECK_STR("two", path_text(t, s));
    CHECK_OK(bough_tree_children(t->store, t->arena, s, NULL, &roots, &t->err));
    CHECK_INT(2, roots.n);
    CHECK_STR("one", text_of(t, &roots.at[0]));
    CHECK_STR("two", text_of(t, &roots.at[1]));
}

STORE_TEST(U3_keep_head_leaves_the_head_where_it_is)
{
    const char *s = new_session(t, ""), *one = user(t, s, "one");
    struct bough_append_options in = { .keep_head = true };
    struct bough_append_result out;
    struct bough_head head = get(t, s)->head;

    out = append_how(t, s, in, "kept");
    CHECK_STR("one", path_text(t, s));
    CHECK_INT(head.branch, get(t, s)->head.branch);
    CHECK_INT(head.depth, get(t, s)->head.depth);
    CHECK_STR("one kept",
              read_text(t, s, &(struct bough_entries_read_options){ .at = out.ids[0] }));
    in.at = one;
    append_how(t, s, in, "side");
    CHECK_STR("one", path_text(t, s));
    user(t, s, "main");
    CHECK_STR("one main", path_text(t, s));
}

STORE_TEST(U3_the_answer_names_the_head_as_it_is_after_the_append)
{
    const char *s = new_session(t, "");
    struct bough_head head;
    struct bough_append_result out;

    user(t, s, "one");
    head = get(t, s)->head;
    out = append_how(t, s, (struct bough_append_options){ .keep_head = true }, "kept");
    CHECK_INT(head.branch, out.head.branch);
    CHECK_INT(head.depth, out.head.depth);
}

STORE_TEST(U5_message_numbers_count_only_messages_and_go_on_across_forks)
{
    const char *s = new_session(t, ""), *f, *id;
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_CUSTOM, .data = str_of("{}") };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_entry *got;

    user(t, s, "m1");
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_INT(1, entry(t, s, out.ids[0])->mno);
    id = agent(t, s, "m2");
    CHECK_INT(2, entry(t, s, id)->mno);
    f = fork_at(t, s, id);
    CHECK_INT(3, entry(t, f, user(t, f, "m3"))->mno);
    CHECK_OK(bough_entry_by_number(t->store, t->arena, f, 2, &got, &t->err));
    CHECK_STR(id, got->id);
    CHECK_OK(bough_entry_by_number(t->store, t->arena, f, 3, &got, &t->err));
    CHECK_STR("m3", text_of(t, got));
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_by_number(t->store, t->arena, f, 4, &got, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_by_number(t->store, t->arena, f, 0, &got, &t->err));
}

STORE_TEST(U5_every_change_gets_the_next_number_of_the_store)
{
    const char *s = new_session(t, ""), *one;
    int64_t rev = get(t, s)->rev;

    one = user(t, s, "one");
    CHECK_INT(rev + 1, get(t, s)->rev);
    CHECK_INT(rev + 1, entry(t, s, one)->no);
    CHECK_OK(bough_head_reset(t->store, s, &t->err));
    CHECK_INT(rev + 2, get(t, s)->rev);
    CHECK_OK(bough_session_rename(t->store, s, "x", &t->err));
    CHECK_INT(rev + 3, get(t, s)->rev);
    CHECK_OK(bough_label_set(t->store, s, one, "l", &t->err));
    CHECK_INT(rev + 4, get(t, s)->rev);
    CHECK_OK(bough_entry_delete(t->store, s, one, &t->err));
    CHECK_INT(rev + 5, get(t, s)->rev);
}

STORE_TEST(U7_the_worked_example_of_a_fork_at_an_inherited_entry)
{
    const char *g = new_session(t, "g"), *ids[6], *p, *c;

    for (int i = 1; i <= 5; i++)
        ids[i] = user(t, g, arena_printf(t->arena, "g%d", i));
    p = fork_at(t, g, ids[4]);
    user(t, p, "p1");
    c = fork_at(t, p, ids[2]);
    user(t, c, "c1");
    CHECK_STR("g1 g2 g3 g4 p1", path_text(t, p));
    CHECK_STR("g1 g2 c1", path_text(t, c));
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    CHECK_STR("g1 g2 c1", path_text(t, c));
}

/* --- U6d, H15: purge --- */

STORE_TEST(U6d_purging_the_parent_keeps_the_history_its_forks_show)
{
    const char *s = new_session(t, ""), *two, *three, *f;
    struct bough_session_purge_result report;
    struct bough_entry *e;

    user(t, s, "g1");
    two = agent(t, s, "g2");
    three = user(t, s, "g3");
    f = fork_at(t, s, two);
    user(t, f, "c1");
    CHECK_OK(bough_session_purge(t->store, t->arena, s, &report, &t->err));
    CHECK_INT(2, report.kept);
    CHECK_INT(1, report.entries);
    CHECK_STR("g1 g2 c1", path_text(t, f));
    CHECK_STR(two, get(t, f)->fork_entry);
    CHECK_OK(bough_entry_get(t->store, t->arena, f, two, &e, &t->err));
    CHECK_RC(BOUGH_GONE, bough_entry_get(t->store, t->arena, NULL, three, &e, &t->err));
    user(t, f, "c2");
    CHECK_STR("g1 g2 c1 c2", path_text(t, f));
    if (!store_lasts(t))
        return;
    store_reopen(t);
    CHECK_STR("g1 g2 c1 c2", path_text(t, f));
}

STORE_TEST(U6d_a_fork_of_a_fork_still_works_when_the_root_is_purged)
{
    const char *s = new_session(t, ""), *one = user(t, s, "g1"), *f, *ff;

    f = fork_at(t, s, agent(t, s, "g2"));
    user(t, f, "f1");
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    ff = fork_at(t, f, one);
    user(t, ff, "c1");
    CHECK_STR("g1 c1", path_text(t, ff));
    CHECK_OK(bough_session_purge(t->store, t->arena, f, NULL, &t->err));
    CHECK_STR("g1 c1", path_text(t, ff));
}

STORE_TEST(U6d_purging_the_last_fork_deletes_the_entries_kept_for_it)
{
    const char *s = new_session(t, ""), *one = user(t, s, "g1"), *f = fork_at(t, s, one);
    struct bough_session_purge_result report;
    struct bough_store_stats_result stats;

    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, f, &report, &t->err));
    CHECK_INT(1, report.entries);
    CHECK_INT(0, report.kept);
    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    CHECK_INT(0, stats.entries);
    CHECK_INT(0, stats.sessions);
}

STORE_TEST(U6d_purging_the_middle_of_a_chain_keeps_both_ends)
{
    const char *s = new_session(t, ""), *m, *leaf;

    m = fork_at(t, s, user(t, s, "g1"));
    leaf = fork_at(t, m, user(t, m, "m1"));
    user(t, m, "m2");
    user(t, leaf, "l1");
    CHECK_OK(bough_session_purge(t->store, t->arena, m, NULL, &t->err));
    CHECK_STR("g1", path_text(t, s));
    CHECK_STR("g1 m1 l1", path_text(t, leaf));
    CHECK_STR("", get(t, leaf)->parent);
}

STORE_TEST(U6d_a_deleted_entry_stays_deleted_in_forks_after_a_purge)
{
    const char *s = new_session(t, ""), *one, *f;

    one = user(t, s, "g1");
    f = fork_at(t, s, agent(t, s, "g2"));
    CHECK_OK(bough_entry_delete(t->store, s, one, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_STR("g2", path_text(t, f));
}

/* --- copies --- */

static const char *copy_of(struct test *t, const char *s, const char *entry)
{
    return fork_how(
               t, s,
               &(struct bough_session_fork_options){ .entry = entry, .copy = true, .title = "c" })
        ->id;
}

STORE_TEST(U15_a_copy_is_independent_and_hashes_equal)
{
    const char *s = new_session(t, "s"), *two, *c;
    char one_hash[65], other_hash[65];

    user(t, s, "g1");
    two = agent(t, s, "g2");
    user(t, s, "g3");
    c = copy_of(t, s, two);
    CHECK_STR("g1 g2", path_text(t, c));
    CHECK_STR("", get(t, c)->parent);
    CHECK_STR("", get(t, c)->fork_entry);
    CHECK_INT(2, get(t, c)->messages);
    CHECK_STR("g1", get(t, c)->first_user);
    CHECK_STR("g2", get(t, c)->last_agent);
    CHECK_OK(bough_path_hash(t->store, s, two, one_hash, &t->err));
    CHECK_OK(bough_path_hash(t->store, c, NULL, other_hash, &t->err));
    CHECK_STR(one_hash, other_hash);
    user(t, c, "c1");
    CHECK_STR("g1 g2 c1", path_text(t, c));
    CHECK_STR("g1 g2 g3", path_text(t, s));
    CHECK_OK(bough_path_hash(t->store, c, NULL, other_hash, &t->err));
    CHECK(strcmp(one_hash, other_hash) != 0);
}

STORE_TEST(U15_a_copy_survives_the_purge_of_its_original)
{
    const char *s = new_session(t, "s"), *c;
    struct bough_session_purge_result report;

    user(t, s, "g1");
    agent(t, s, "g2");
    c = copy_of(t, s, NULL);
    CHECK_OK(bough_session_purge(t->store, t->arena, s, &report, &t->err));
    CHECK_INT(0, report.kept);
    CHECK_INT(0, report.ndetached);
    CHECK_STR("g1 g2", path_text(t, c));
}

STORE_TEST(U15_changes_of_the_original_do_not_show_in_the_copy)
{
    const char *s = new_session(t, "s"), *one = user(t, s, "g1"), *c = copy_of(t, s, NULL);

    CHECK_OK(bough_entry_delete(t->store, s, one, &t->err));
    CHECK_OK(bough_label_set(t->store, s, one, "later", &t->err));
    CHECK_STR("g1", path_text(t, c));
    CHECK_STR("", path_text(t, s));
}

STORE_TEST(U15_a_copied_entry_is_found_by_its_old_id)
{
    const char *s = new_session(t, "s"), *one, *c;
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = "two", .id = "deadbeef" };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_entry *got;

    one = user(t, s, "one");
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    c = copy_of(t, s, NULL);
    CHECK_OK(bough_entry_get(t->store, t->arena, c, "deadbeef", &got, &t->err));
    CHECK_STR(c, got->session);
    CHECK_STR("two", text_of(t, got));
    CHECK_STR("deadbeef", got->origin);
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, c, "deadbeef", &got, &t->err));
    CHECK_STR(c, got->session);
    CHECK(strcmp(got->id, one) != 0);
}

STORE_TEST(U15_a_copied_entry_is_found_by_our_old_id_in_the_copy)
{
    const char *s = new_session(t, "s"), *one = user(t, s, "one"), *c = copy_of(t, s, NULL);
    struct bough_entry *got;

    CHECK_OK(bough_entry_get(t->store, t->arena, c, one, &got, &t->err));
    CHECK_STR(c, got->session);
    CHECK_STR("one", text_of(t, got));
    CHECK_STR(one, got->origin);
    CHECK_OK(bough_entry_get(t->store, t->arena, s, one, &got, &t->err));
    CHECK_STR(s, got->session);
}

STORE_TEST(U15_labels_are_visible_through_a_reference_and_re_created_in_a_copy)
{
    const char *s = new_session(t, "s"), *one, *three, *c, *text;
    struct bough_labels labels;
    struct bough_entry *got;

    one = user(t, s, "one");
    agent(t, s, "two");
    three = user(t, s, "three");
    CHECK_OK(bough_label_set(t->store, s, one, "L1", &t->err));
    CHECK_OK(bough_label_set(t->store, s, three, "L3", &t->err));
    CHECK_OK(bough_label_get(t->store, t->arena, fork_at(t, s, three), one, &text, &t->err));
    CHECK_STR("L1", text);
    c = fork_how(
            t, s,
            &(struct bough_session_fork_options){ .entry = three, .before = true, .copy = true })
            ->id;
    CHECK_OK(bough_label_list(t->store, t->arena, c, &labels, &t->err));
    CHECK_INT(1, labels.n);
    CHECK_STR("L1", labels.at[0].text);
    CHECK_OK(bough_entry_get(t->store, t->arena, c, labels.at[0].entry, &got, &t->err));
    CHECK_STR("one", text_of(t, got));
    CHECK_STR(c, got->session);
    CHECK_OK(bough_label_set(t->store, s, one, "changed", &t->err));
    CHECK_OK(bough_label_get(t->store, t->arena, c, labels.at[0].entry, &text, &t->err));
    CHECK_STR("L1", text);
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_OK(bough_label_get(t->store, t->arena, c, labels.at[0].entry, &text, &t->err));
    CHECK_STR("L1", text);
}

STORE_TEST(U15_a_copy_of_a_fork_holds_the_whole_path)
{
    const char *s = new_session(t, "s"), *f, *c;

    f = fork_at(t, s, user(t, s, "g1"));
    user(t, f, "f1");
    c = copy_of(t, f, NULL);
    CHECK_OK(bough_session_purge(t->store, t->arena, f, NULL, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    CHECK_STR("g1 f1", path_text(t, c));
    CHECK_INT(1, own_branches(t, c));
    user(t, c, "c1");
    CHECK_INT(1, own_branches(t, c));
}

STORE_TEST(U15_a_copy_spends_nothing_of_its_own)
{
    const char *s = new_session(t, "s"), *c;
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .text = "a",
                                 .usage = &(struct bough_totals){ .input = 5, .cost = 7 } };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    c = copy_of(t, s, NULL);
    CHECK_INT(0, get(t, c)->own.cost);
    CHECK_INT(0, get(t, c)->calls);
    CHECK_INT(7, get(t, s)->own.cost);
}
