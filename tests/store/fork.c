/* Forks: what they show, at own and inherited entries, of forks and subagents (H20-H27, U1-U7). */
#include "lib/store_test.h"

#include "base/memory/arena.h"

STORE_TEST(H20_a_fork_shows_history_up_to_and_including_its_point)
{
    const char *s = new_session(t, "root"), *f;
    const char *two;

    user(t, s, "g1");
    two = agent(t, s, "g2");
    user(t, s, "g3");
    f = fork_at(t, s, two);
    CHECK_STR("g1 g2", path_text(t, f));
    user(t, f, "c1");
    CHECK_STR("g1 g2 c1", path_text(t, f));
    CHECK_STR("g1 g2 g3", path_text(t, s));
}

STORE_TEST(H23_later_messages_of_the_parent_never_leak_into_the_fork)
{
    const char *s = new_session(t, ""), *f;

    f = fork_at(t, s, user(t, s, "g1"));
    agent(t, s, "g2");
    CHECK_STR("g1", path_text(t, f));
    user(t, f, "c1");
    CHECK_STR("g1 c1", path_text(t, f));
}

STORE_TEST(H24_a_fork_of_a_fork_at_an_own_message_keeps_both_prefixes)
{
    const char *g = new_session(t, "g"), *p, *c;
    const char *p1;

    user(t, g, "g1");
    p = fork_at(t, g, agent(t, g, "g2"));
    p1 = user(t, p, "p1");
    agent(t, p, "p2");
    c = fork_at(t, p, p1);
    user(t, c, "c1");
    CHECK_STR("g1 g2 p1 c1", path_text(t, c));
}

STORE_TEST(H25_a_fork_at_an_inherited_message_stops_at_that_message)
{
    const char *g = new_session(t, "g"), *p, *c;
    const char *g2, *g4;

    user(t, g, "g1");
    g2 = agent(t, g, "g2");
    user(t, g, "g3");
    g4 = agent(t, g, "g4");
    user(t, g, "g5");
    p = fork_at(t, g, g4);
    user(t, p, "p1");
    c = fork_at(t, p, g2);
    user(t, c, "c1");
    CHECK_STR("g1 g2 c1", path_text(t, c));
}

STORE_TEST(H26_a_fork_at_a_foreign_message_is_refused)
{
    const char *s = new_session(t, "mine"), *other = new_session(t, "other");
    struct bough_session *out;
    const char *foreign;

    user(t, s, "m1");
    foreign = user(t, other, "o1");
    CHECK_RC(BOUGH_INVALID,
             bough_session_fork(t->store, t->arena, s,
                                &(struct bough_session_fork_options){ .entry = foreign }, &out,
                                &t->err));
}

static struct bough_session *fork_how(struct test *t, const char *s,
                                      const struct bough_session_fork_options *how)
{
    struct bough_session *out;

    CHECK_OK(bough_session_fork(t->store, t->arena, s, how, &out, &t->err));
    return out;
}

static const char *subagent_of(struct test *t, const char *parent)
{
    struct bough_session_create_options in = { .kind = BOUGH_SUBAGENT, .parent = parent };
    struct bough_session *out;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &out, &t->err));
    return out->id;
}

static const char *append_how(struct test *t, const char *s, struct bough_append_options in,
                              const char *text, struct bough_append_result *out)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER, .text = text };

    in.entries = &e;
    in.n = 1;
    CHECK_OK(bough_append(t->store, t->arena, s, &in, out, &t->err));
    return out->ids[0];
}

STORE_TEST(H20_the_path_is_in_order_of_depth_and_not_of_the_given_times)
{
    const char *s = new_session(t, ""), *f;
    struct bough_entry_new e[2] = { { .role = BOUGH_ROLE_USER, .text = "late", .time = 9000 },
                                    { .role = BOUGH_ROLE_USER, .text = "early", .time = 10 } };
    struct bough_append_options in = { .entries = e, .n = 2 };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("late early", path_text(t, s));
    f = fork_at(t, s, out.ids[1]);
    e[0].time = 1;
    in.n = 1;
    CHECK_OK(bough_append(t->store, t->arena, f, &in, &out, &t->err));
    CHECK_STR("late early late", path_text(t, f));
}

STORE_TEST(H21_a_subagent_of_a_fork_sees_only_its_own_messages)
{
    const char *s = new_session(t, ""), *f, *sub;

    f = fork_at(t, s, user(t, s, "g1"));
    user(t, f, "f1");
    sub = subagent_of(t, f);
    user(t, sub, "s1");
    CHECK_STR("s1", path_text(t, sub));
    f = fork_at(t, sub, agent(t, sub, "s2"));
    user(t, f, "c1");
    CHECK_STR("s1 s2 c1", path_text(t, f));
}

STORE_TEST(H22_a_deleted_message_vanishes_from_every_fork_and_comes_back)
{
    const char *s = new_session(t, ""), *two, *three, *f, *ff;

    user(t, s, "g1");
    two = agent(t, s, "g2");
    three = user(t, s, "g3");
    f = fork_at(t, s, three);
    ff = fork_at(t, f, user(t, f, "f1"));
    CHECK_OK(bough_entry_delete(t->store, s, two, &t->err));
    CHECK_STR("g1 g3", path_text(t, s));
    CHECK_STR("g1 g3 f1", path_text(t, f));
    CHECK_STR("g1 g3 f1", path_text(t, ff));
    CHECK_STR("g1 g2 g3 f1",
              read_text(t, ff, &(struct bough_entries_read_options){ .deleted = true }));
    CHECK_OK(bough_entry_restore(t->store, s, two, &t->err));
    CHECK_STR("g1 g2 g3 f1", path_text(t, ff));
}

STORE_TEST(H22_deleting_the_fork_point_does_not_move_the_cut_off)
{
    const char *s = new_session(t, ""), *two, *f;

    user(t, s, "g1");
    two = agent(t, s, "g2");
    user(t, s, "g3");
    f = fork_at(t, s, two);
    user(t, f, "c1");
    CHECK_OK(bough_entry_delete(t->store, s, two, &t->err));
    CHECK_STR("g1 c1", path_text(t, f));
    CHECK_STR("g1", path_text(t, fork_at(t, s, two)));
}

STORE_TEST(H22_only_the_session_that_wrote_an_entry_may_delete_it)
{
    const char *s = new_session(t, ""), *one = user(t, s, "g1"), *f = fork_at(t, s, one);

    CHECK_RC(BOUGH_DENIED, bough_entry_delete(t->store, f, one, &t->err));
    CHECK_STR("g1", path_text(t, s));
    CHECK_STR("g1", path_text(t, f));
}

STORE_TEST(H22_deleting_the_parent_session_changes_nothing_for_the_fork)
{
    const char *s = new_session(t, ""), *f = fork_at(t, s, user(t, s, "g1"));

    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    user(t, f, "c1");
    CHECK_STR("g1 c1", path_text(t, f));
    CHECK_STR(s, get(t, f)->parent);
    CHECK_INT(0, get(t, f)->deleted);
}

static const char *chain_of_forks(struct test *t, const char *s, int n)
{
    for (int i = 0; i < n; i++) {
        s = fork_at(t, s, NULL);
        user(t, s, "f");
    }
    return s;
}

static enum bough_rc read_forks(struct test *t, const char *s, int64_t max)
{
    struct bough_entries_read_options how = { .max_forks = max };
    struct bough_entries_read_result path;

    return bough_entries_read(t->store, t->arena, s, &how, &path, &t->err);
}

STORE_TEST(H27_more_forks_than_allowed_are_too_deep_and_never_cut_short)
{
    const char *s = new_session(t, "");

    user(t, s, "g");
    s = chain_of_forks(t, s, 8);
    CHECK_OK(read_forks(t, s, 8));
    CHECK_RC(BOUGH_TOO_DEEP, read_forks(t, s, 7));
    s = chain_of_forks(t, s, 1);
    CHECK_RC(BOUGH_TOO_DEEP, read_forks(t, s, 8));
    CHECK_OK(read_forks(t, s, 0));
    CHECK_OK(read_forks(t, s, 9));
}

STORE_TEST(H27_forks_stacked_on_a_subagent_count_only_down_to_it)
{
    const char *s = subagent_of(t, new_session(t, ""));

    user(t, s, "s");
    s = chain_of_forks(t, s, 8);
    CHECK_OK(read_forks(t, s, 8));
}

STORE_TEST(H27_branches_inside_one_session_are_no_forks)
{
    const char *s = new_session(t, ""), *at = user(t, s, "r");
    struct bough_append_result out;

    for (int i = 0; i < 4; i++) {
        append_how(t, s, (struct bough_append_options){ 0 }, "x", &out);
        CHECK_OK(bough_head_move(t->store, s, at, &t->err));
        at = append_how(t, s, (struct bough_append_options){ 0 }, "y", &out);
    }
    CHECK_STR("r y y y y", path_text(t, s));
    s = fork_at(t, s, at);
    CHECK_OK(read_forks(t, s, 1));
}

STORE_TEST(H27_reading_an_unknown_session_is_not_found)
{
    CHECK_RC(BOUGH_NOT_FOUND, read_forks(t, "nobody", 8));
}

STORE_TEST(U4_a_chain_of_50_forks_reads_whole)
{
    const char *s = new_session(t, ""), *want = "g";
    struct bough_entries_read_result path;

    user(t, s, "g");
    s = chain_of_forks(t, s, 50);
    for (int i = 0; i < 50; i++)
        want = arena_printf(t->arena, "%s f", want);
    CHECK_STR(want, path_text(t, s));
    CHECK_OK(bough_entries_read(t->store, t->arena, s, NULL, &path, &t->err));
    for (size_t i = 0; i < path.entries.n; i++) {
        CHECK_INT(i + 1, path.entries.at[i].at.depth);
        CHECK_INT(i + 1, path.entries.at[i].mno);
    }
    if (!store_lasts(t))
        return;
    store_reopen(t);
    CHECK_STR(want, path_text(t, s));
}

STORE_TEST(U15_an_exclusive_fork_leaves_its_point_out)
{
    const char *s = new_session(t, ""), *one, *two;
    struct bough_session *f;

    one = user(t, s, "g1");
    two = agent(t, s, "g2");
    user(t, s, "g3");
    f = fork_how(t, s, &(struct bough_session_fork_options){ .entry = two, .before = true });
    CHECK_STR("g1", path_text(t, f->id));
    CHECK_STR(one, f->fork_entry);
    user(t, f->id, "c1");
    CHECK_STR("g1 c1", path_text(t, f->id));
}

STORE_TEST(U15_an_exclusive_fork_at_the_first_entry_is_empty)
{
    const char *s = new_session(t, ""), *one = user(t, s, "g1");
    struct bough_session *f =
        fork_how(t, s, &(struct bough_session_fork_options){ .entry = one, .before = true });

    CHECK_STR("", path_text(t, f->id));
    CHECK_STR("", f->fork_entry);
    CHECK_STR(s, f->parent);
    CHECK_INT(0, f->head.branch);
    user(t, f->id, "c1");
    CHECK_STR("c1", path_text(t, f->id));
    CHECK_STR("g1", path_text(t, s));
}

STORE_TEST(U15_an_exclusive_fork_at_a_forks_first_own_entry_hangs_on_the_grandparent)
{
    const char *g = new_session(t, ""), *p, *p1;
    struct bough_session *c;

    p = fork_at(t, g, user(t, g, "g1"));
    p1 = user(t, p, "p1");
    c = fork_how(t, p, &(struct bough_session_fork_options){ .entry = p1, .before = true });
    user(t, c->id, "c1");
    CHECK_STR("g1 c1", path_text(t, c->id));
    CHECK_STR(p, c->parent);
}

STORE_TEST(U15_a_fork_is_at_the_head_by_default)
{
    const char *s = new_session(t, ""), *one = user(t, s, "g1");

    agent(t, s, "g2");
    CHECK_STR("g1 g2", path_text(t, fork_how(t, s, NULL)->id));
    CHECK_STR(
        "g1 g2",
        path_text(t, fork_how(t, s, &(struct bough_session_fork_options){ .entry = "" })->id));
    CHECK_OK(bough_head_move(t->store, s, one, &t->err));
    CHECK_STR("g1", path_text(t, fork_how(t, s, NULL)->id));
    CHECK_OK(bough_head_reset(t->store, s, &t->err));
    CHECK_STR("", path_text(t, fork_how(t, s, NULL)->id));
}

STORE_TEST(U15_a_fork_of_an_empty_session_is_empty)
{
    const char *s = new_session(t, "");
    struct bough_session *f = fork_how(t, s, NULL);

    CHECK_STR(s, f->parent);
    CHECK_STR("", path_text(t, f->id));
    user(t, s, "g1");
    user(t, f->id, "c1");
    CHECK_STR("c1", path_text(t, f->id));
}

STORE_TEST(U15_a_fork_of_an_unknown_session_or_entry_is_not_found)
{
    const char *s = new_session(t, "");
    struct bough_session *f;

    CHECK_RC(BOUGH_NOT_FOUND, bough_session_fork(t->store, t->arena, "nobody", NULL, &f, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND,
             bough_session_fork(t->store, t->arena, s,
                                &(struct bough_session_fork_options){ .entry = "e1" }, &f,
                                &t->err));
}

STORE_TEST(H26_a_fork_takes_the_project_of_its_parent_and_title_and_model_of_the_caller)
{
    struct bough_session_create_options in = { .title = "parent",
                                               .project = "/p",
                                               .model_provider = "mp",
                                               .model_name = "mn",
                                               .kind = BOUGH_SUBAGENT };
    struct bough_session *s, *f;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    user(t, s->id, "s1");
    f = fork_how(t, s->id, NULL);
    CHECK_STR("/p", f->project);
    CHECK_STR("", f->title);
    CHECK_STR("mp", f->model_provider);
    CHECK_STR("mn", f->model_name);
    CHECK_INT(BOUGH_PRIMARY, f->kind);
    f = fork_how(t, s->id,
                 &(struct bough_session_fork_options){
                     .title = "T", .model_provider = "x", .model_name = "y", .id = "mine" });
    CHECK_STR("T", f->title);
    CHECK_STR("x", f->model_provider);
    CHECK_STR("y", f->model_name);
    CHECK_STR("mine", f->origin);
    CHECK(strcmp(f->slug, s->slug) != 0);
}

STORE_TEST(H19_the_latest_user_entry_is_the_newest_own_living_one)
{
    const char *s = new_session(t, ""), *one, *two, *f;
    char id[BOUGH_ID_LEN + 1];

    CHECK_OK(bough_latest_user_entry(t->store, s, id, &t->err));
    CHECK_STR("", id);
    one = user(t, s, "u1");
    two = user(t, s, "u2");
    f = fork_at(t, s, agent(t, s, "a1"));
    CHECK_OK(bough_latest_user_entry(t->store, s, id, &t->err));
    CHECK_STR(two, id);
    CHECK_OK(bough_latest_user_entry(t->store, f, id, &t->err));
    CHECK_STR("", id);
    CHECK_OK(bough_entry_delete(t->store, s, two, &t->err));
    CHECK_OK(bough_latest_user_entry(t->store, s, id, &t->err));
    CHECK_STR(one, id);
    CHECK_RC(BOUGH_NOT_FOUND, bough_latest_user_entry(t->store, "nobody", id, &t->err));
}

STORE_TEST(H19_get_gives_deleted_entries_too)
{
    const char *s = new_session(t, ""), *one = user(t, s, "u1");
    struct bough_entry *e;

    CHECK_OK(bough_entry_delete(t->store, s, one, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, NULL, one, &e, &t->err));
    CHECK(e->deleted > 0);
    CHECK_STR("u1", text_of(t, e));
    CHECK_STR("", path_text(t, s));
    CHECK_RC(BOUGH_NOT_FOUND, bough_entry_get(t->store, t->arena, s, "nope", &e, &t->err));
}
