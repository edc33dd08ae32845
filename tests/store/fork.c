/* Forks: what a fork shows, at own and inherited entries, of forks and subagents (H20-H27, U1-U7).
 */
#include "lib/store_test.h"

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
             bough_session_fork(t->store, t->arena, s, &(struct bough_fork){ .entry = foreign },
                                &out, &t->err));
}
