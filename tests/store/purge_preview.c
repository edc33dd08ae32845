/* What a purge would do is what it does. */
#include "fsck_world.h"

#include "base/memory/arena.h"

static struct bough_session_purge_preview_result preview(struct test *t, const char *id)
{
    struct bough_session_purge_preview_result r;

    CHECK_OK(bough_session_purge_preview(t->store, t->arena, id, &r, &t->err));
    return r;
}

/* Purge a session and compare with what was foretold. */
static void purge_as_foretold(struct test *t, const char *id)
{
    struct bough_session_purge_preview_result want = preview(t, id);
    struct bough_session_purge_result got;

    CHECK_OK(bough_session_purge(t->store, t->arena, id, &got, &t->err));
    CHECK_INT(want.entries, got.entries);
    CHECK_INT(want.kept, got.kept);
    CHECK_INT(want.nkeepers, got.nkeepers);
    CHECK_INT(want.ndetached, got.ndetached);
    for (size_t i = 0; i < got.nkeepers; i++)
        CHECK_STR(want.keepers[i].session->id, got.keepers[i]);
}

static void purge_in_order(struct test *t, const int *order, size_t n)
{
    struct bough_session *s;

    build_world(t);
    for (size_t i = 0; i < n; i++) {
        const char *name = arena_printf(t->arena, "#%d", order[i]);

        if (bough_session_get(t->store, t->arena, name, &s, NULL) == BOUGH_OK)
            purge_as_foretold(t, s->id);
    }
}

#define IN_ORDER(name, ...)                                                                        \
    STORE_TEST(a_purge_does_what_its_preview_says_##name)                                          \
    {                                                                                              \
        static const int order[] = { __VA_ARGS__ };                                                \
                                                                                                   \
        purge_in_order(t, order, sizeof order / sizeof *order);                                    \
    }

IN_ORDER(parents_first, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11, 12)
IN_ORDER(children_first, 12, 11, 10, 9, 8, 6, 5, 4, 3, 2, 1)
IN_ORDER(in_any_order, 4, 1, 11, 9, 3, 10, 5, 6, 2, 8, 12)

STORE_TEST(a_preview_names_keepers_children_and_who_takes_over_the_cost)
{
    struct bough_session_create_options in = { .kind = BOUGH_SUBAGENT, .title = "sub" };
    struct bough_totals used = { .input = 3, .cost = 500 };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "paid", .usage = &used };
    struct bough_append_options paid = { .entries = &e, .n = 1 };
    const char *s = new_session(t, "one"), *fork;
    struct bough_session_purge_preview_result r;
    struct bough_append_result out;
    struct bough_session *sub;

    user(t, s, "a");
    agent(t, s, "b");
    fork = fork_at(t, s, "#1.1");
    CHECK_OK(bough_append(t->store, t->arena, s, &paid, &out, &t->err));
    in.parent = s;
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &sub, &t->err));
    r = preview(t, s);
    CHECK_INT(2, r.entries);
    CHECK_INT(1, r.kept);
    CHECK_INT(1, r.records);
    CHECK(r.bytes > 50 && r.bytes < 1000);
    CHECK_INT(1, r.nkeepers);
    CHECK_STR(fork, r.keepers[0].session->id);
    CHECK_INT(1, r.keepers[0].entries);
    CHECK_INT(2, r.ndetached);
    CHECK_STR("sub", r.detached[1].session->title);
    CHECK_INT(500, r.cost.cost);
    CHECK_STR("", r.cost_to);
    CHECK_OK(bough_append(t->store, t->arena, sub->id, &paid, &out, &t->err));
    CHECK_STR(s, preview(t, sub->id).cost_to);
    CHECK_INT(3, get(t, s)->messages); /* nothing was done */
    CHECK_RC(BOUGH_NOT_FOUND, bough_session_purge_preview(t->store, t->arena, "nope", &r, &t->err));
    purge_as_foretold(t, s);
    purge_as_foretold(t, fork); /* and with it what was kept for it */
    CHECK_RC(BOUGH_GONE, bough_session_purge_preview(t->store, t->arena, s, &r, &t->err));
}

STORE_TEST(the_size_of_a_long_session_is_estimated_from_a_sample)
{
    const char *s = new_session(t, "one");
    struct bough_session_purge_preview_result r;
    struct bough_store_stats_result stats;

    for (int i = 0; i < 300; i++)
        user(t, s, arena_printf(t->arena, "message %d of about the same size as all others", i));
    r = preview(t, s);
    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    CHECK_INT(300, r.entries);
    CHECK(r.bytes > stats.content_bytes * 9 / 10 && r.bytes < stats.content_bytes * 11 / 10);
}
