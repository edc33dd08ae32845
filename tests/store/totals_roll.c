/* Totals: provider calls, roll-up over subagents, deleting and purging calls (U16, U17). */
#include "lib/store_test.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *subagent_of(struct test *t, const char *parent)
{
    struct bough_session_create_options in = { .kind = BOUGH_SUBAGENT, .parent = parent };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return s->id;
}

/* Append a call that costs `n`, without a message. Returns its id. */
static const char *call(struct test *t, const char *s, int64_t n)
{
    struct bough_call_new c = { .model = "m", .used = { .input = n, .cost = 10 * n } };
    struct bough_append_options in = { .call = &c };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    return arena_strdup(t->arena, out.call);
}

static void check(struct test *t, const char *s, int64_t own, int64_t rolled)
{
    for (int i = 0; i < 2; i++) {
        CHECK_INT(own, get(t, s)->own.input);
        CHECK_INT(10 * own, get(t, s)->own.cost);
        CHECK_INT(rolled, get(t, s)->rolled.input);
        CHECK_INT(10 * rolled, get(t, s)->rolled.cost);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

static struct bough_calls calls(struct test *t, const char *s)
{
    struct bough_calls all;

    CHECK_OK(bough_call_list(t->store, t->arena, s, &all, &t->err));
    return all;
}

/* --- U17: calls --- */

STORE_TEST(U17_a_call_keeps_everything_it_was_given)
{
    const char *s = new_session(t, "x");
    struct bough_call_new c = { .id = "call_1",
                                .request_id = "req",
                                .want_provider = "wp",
                                .want_model = "wm",
                                .want_kind = "wk",
                                .provider = "p",
                                .model = "m",
                                .kind = "k",
                                .status = "ok",
                                .error = str_of("{\"code\":1e400}"),
                                .usage = str_of("{\"a\" : 1, \"a\":2}"),
                                .used = { 1, 2, 3, 4, 5, 6 },
                                .total_tokens = 99,
                                .duration = 1234,
                                .time = 5678 };
    struct bough_append_options in = { .call = &c };
    struct bough_append_result out;
    struct bough_call *got;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(bough_call_get(t->store, t->arena, out.call, &got, &t->err));
    CHECK_STR(out.call, got->id);
    CHECK_STR(s, got->session);
    CHECK_STR("req", got->request_id);
    CHECK_STR("wp", got->want_provider);
    CHECK_STR("wm", got->want_model);
    CHECK_STR("wk", got->want_kind);
    CHECK_STR("p", got->provider);
    CHECK_STR("m", got->model);
    CHECK_STR("k", got->kind);
    CHECK_STR("ok", got->status);
    CHECK_SPAN("{\"code\":1e400}", got->error);
    CHECK_SPAN("{\"a\" : 1, \"a\":2}", got->usage);
    for (int i = 0; i < 6; i++)
        CHECK_INT(i + 1, ((const int64_t *)&got->used)[i]);
    CHECK_INT(99, got->total_tokens);
    CHECK_INT(1234, got->duration);
    CHECK_INT(5678, got->time);
    CHECK_INT(1, calls(t, s).n);
    CHECK_INT(0, get(t, s)->messages);
}

STORE_TEST(U17_the_id_a_call_came_with_names_it_in_later_entries_of_its_session)
{
    const char *s = new_session(t, "x"), *other = new_session(t, "y");
    struct bough_call_new c = { .id = "call_1", .model = "m" };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "a", .call = "call_1" };
    struct bough_append_options made = { .call = &c }, in = { .entries = &e, .n = 1 };
    struct bough_append_result call, out;
    struct bough_entry *got;

    CHECK_OK(bough_append(t->store, t->arena, s, &made, &call, &t->err));
    CHECK_RC(BOUGH_EXISTS, bough_append(t->store, t->arena, s, &made, &out, &t->err));
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, out.ids[0], &got, &t->err));
    CHECK_STR(call.call, got->call);
    CHECK_RC(BOUGH_NOT_FOUND, bough_append(t->store, t->arena, other, &in, &out, &t->err));
    CHECK_INT(1, calls(t, s).n);
}

STORE_TEST(U17_a_message_with_usage_always_has_a_call)
{
    const char *s = new_session(t, "x");
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .text = "a",
                                 .usage = &(struct bough_totals){ .input = 3, .cost = 30 } };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_entry *got;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, out.ids[0], &got, &t->err));
    CHECK_INT(1, calls(t, s).n);
    CHECK_STR(calls(t, s).at[0].id, got->call);
    CHECK_INT(3, calls(t, s).at[0].used.input);
    CHECK(got->usage);
    CHECK_INT(30, got->usage->cost);
    check(t, s, 3, 3);
    CHECK_INT(1, get(t, s)->calls);
}

STORE_TEST(U17_a_message_produced_by_the_given_call_is_not_counted_twice)
{
    const char *s = new_session(t, "x");
    struct bough_call_new c = { .used = { .input = 3, .cost = 30 } };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT,
                                 .text = "a",
                                 .by_call = true,
                                 .usage = &(struct bough_totals){ .input = 3, .cost = 30 } };
    struct bough_append_options in = { .entries = &e, .n = 1, .call = &c };
    struct bough_append_result out;
    struct bough_entry *got;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, out.ids[0], &got, &t->err));
    CHECK_STR(out.call, got->call);
    CHECK_INT(1, calls(t, s).n);
    check(t, s, 3, 3);
}

STORE_TEST(U17_a_message_may_be_produced_by_an_older_call_of_the_session_only)
{
    const char *s = new_session(t, "x"), *other = new_session(t, "o"), *c = call(t, s, 1),
               *foreign = call(t, other, 1);
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "a", .call = c };
    struct bough_append_options in = { .entries = &e, .n = 1 };
    struct bough_append_result out;
    struct bough_entry *got;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_OK(bough_entry_get(t->store, t->arena, s, out.ids[0], &got, &t->err));
    CHECK_STR(c, got->call);
    e.call = foreign;
    CHECK_RC(BOUGH_NOT_FOUND, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    e.call = "nope";
    CHECK_RC(BOUGH_NOT_FOUND, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("a", path_text(t, s));
    check(t, s, 1, 1);
}

STORE_TEST(C4_calls_are_in_order_of_time_and_the_last_one_is_the_latest)
{
    const char *s = new_session(t, "x");
    struct bough_call_new c = { .model = "late", .time = 2000, .used = { .cost = 5 } };
    struct bough_append_options in = { .call = &c };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    c = (struct bough_call_new){ .model = "early", .time = 1000, .used = { .cost = 7 } };
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("early", calls(t, s).at[0].model);
    CHECK_STR("late", calls(t, s).at[1].model);
    CHECK_STR("late", get(t, s)->last_model);
    CHECK_INT(5, get(t, s)->last_cost);
}

STORE_TEST(U17_deleting_a_call_leaves_an_adjustment_and_empties_links)
{
    const char *g = new_session(t, "g"), *p = subagent_of(t, g), *s = subagent_of(t, p);
    struct bough_call_new c = { .model = "m", .used = { .input = 3, .cost = 30 } };
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "a", .by_call = true };
    struct bough_append_options in = { .entries = &e, .n = 1, .call = &c };
    struct bough_append_result out;
    struct bough_entry *got;
    struct bough_call *none;

    call(t, s, 1);
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    check(t, s, 4, 4);
    CHECK_OK(bough_call_delete(t->store, out.call, &t->err));
    check(t, s, 1, 4);
    check(t, p, 0, 4);
    check(t, g, 0, 4);
    CHECK_INT(1, get(t, s)->calls);
    CHECK_INT(1, calls(t, s).n);
    CHECK_OK(bough_entry_get(t->store, t->arena, s, out.ids[0], &got, &t->err));
    CHECK_STR("", got->call);
    CHECK_STR("a", path_text(t, s));
    CHECK_RC(BOUGH_NOT_FOUND, bough_call_get(t->store, t->arena, out.call, &none, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_call_delete(t->store, out.call, &t->err));
    check(t, g, 0, 4);
}

STORE_TEST(U17_deleting_the_last_call_shows_the_one_before_it)
{
    const char *s = new_session(t, "x"), *last;
    struct bough_call_new c = {
        .model = "m1", .provider = "p1", .request_id = "r1", .used = { .cost = 1 }
    };
    struct bough_append_options in = { .call = &c };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    c = (struct bough_call_new){
        .model = "m2", .provider = "p2", .request_id = "r2", .used = { .cost = 2 }
    };
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    last = out.call;
    CHECK_OK(bough_call_delete(t->store, last, &t->err));
    for (int i = 0; i < 2; i++) {
        CHECK_STR("m1", get(t, s)->last_model);
        CHECK_STR("p1", get(t, s)->last_provider);
        CHECK_STR("r1", get(t, s)->last_request_id);
        CHECK_INT(1, get(t, s)->last_cost);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

/* --- U16: roll-up --- */

STORE_TEST(U16_spending_rolls_up_over_three_levels_of_subagents)
{
    const char *a = new_session(t, "a"), *b = subagent_of(t, a), *c = subagent_of(t, b),
               *d = subagent_of(t, c);

    call(t, d, 1);
    call(t, c, 10);
    call(t, b, 100);
    call(t, a, 1000);
    call(t, d, 1);
    check(t, d, 2, 2);
    check(t, c, 10, 12);
    check(t, b, 100, 112);
    check(t, a, 1000, 1112);
}

STORE_TEST(U16_forks_share_history_and_not_spending)
{
    const char *a = new_session(t, "a"), *f, *sub;

    call(t, a, 1);
    f = fork_at(t, a, user(t, a, "one"));
    call(t, f, 10);
    sub = subagent_of(t, f);
    call(t, sub, 100);
    check(t, a, 1, 1);
    check(t, f, 10, 110);
}

STORE_TEST(U16_adjustments_of_a_subagent_do_not_roll_up)
{
    const char *a = new_session(t, "a"), *b = subagent_of(t, a);
    struct bough_totals delta = { .input = 5, .cost = 50 };

    CHECK_OK(bough_totals_add(t->store, b, &delta, &t->err));
    call(t, b, 1);
    check(t, b, 1, 6);
    check(t, a, 0, 1);
}

STORE_TEST(U16_purging_a_subagent_leaves_its_sum_with_the_parent)
{
    const char *a = new_session(t, "a"), *b = subagent_of(t, a), *c = subagent_of(t, b);
    struct bough_store_stats_result before, after;

    call(t, a, 1);
    call(t, b, 10);
    call(t, c, 100);
    CHECK_OK(bough_store_stats(t->store, &before, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, c, NULL, &t->err));
    check(t, b, 10, 110);
    check(t, a, 1, 111);
    CHECK_OK(bough_session_purge(t->store, t->arena, b, NULL, &t->err));
    check(t, a, 1, 111);
    CHECK_OK(bough_store_stats(t->store, &after, &t->err));
    CHECK_INT(before.spent.cost, after.spent.cost);
    CHECK_INT(1110, after.spent.cost);
}

STORE_TEST(U16_purging_the_middle_keeps_what_was_below_it)
{
    const char *a = new_session(t, "a"), *b = subagent_of(t, a), *c = subagent_of(t, b);

    call(t, a, 1);
    call(t, b, 10);
    call(t, c, 100);
    CHECK_OK(bough_session_purge(t->store, t->arena, b, NULL, &t->err));
    check(t, a, 1, 111);
    check(t, c, 100, 100);
}

STORE_TEST(U16_the_cost_of_a_purged_session_stays_in_the_stores_sum)
{
    const char *a = new_session(t, "a");
    struct bough_store_stats_result stats;

    call(t, a, 7);
    CHECK_OK(bough_session_purge(t->store, t->arena, a, NULL, &t->err));
    CHECK_OK(bough_store_stats(t->store, &stats, &t->err));
    CHECK_INT(7, stats.spent.input);
    CHECK_INT(70, stats.spent.cost);
}

STORE_TEST(U16_a_deleted_call_of_a_purged_subagent_stays_spent)
{
    const char *a = new_session(t, "a"), *b = subagent_of(t, a), *one = call(t, b, 3);

    call(t, b, 4);
    CHECK_OK(bough_call_delete(t->store, one, &t->err));
    check(t, a, 0, 7);
    CHECK_OK(bough_session_purge(t->store, t->arena, b, NULL, &t->err));
    check(t, a, 0, 7);
}

STORE_TEST(U16_totals_are_exact_from_a_second_handle_and_after_reopening)
{
    const char *a = new_session(t, "a"), *b = subagent_of(t, a);
    struct bough_store *other = NULL;
    struct bough_session *s;

    for (int i = 0; i < 20; i++)
        call(t, i % 2 ? a : b, 1);
    if (store_lasts(t))
        CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    else
        other = bough_store_scoped(t->store, NULL);
    CHECK_OK(bough_session_get(other, t->arena, a, &s, &t->err));
    CHECK_INT(10, s->own.input);
    CHECK_INT(20, s->rolled.input);
    CHECK_INT(200, s->rolled.cost);
    bough_store_close(&other);
    if (store_lasts(t))
        store_reopen(t);
    check(t, a, 10, 20);
    check(t, b, 10, 10);
}

STORE_TEST_SECONDS(U16_totals_are_exact_across_more_than_one_fold, 60)
{
    const char *a = new_session(t, "a"), *b = subagent_of(t, a);

    for (int i = 0; i < 300; i++)
        call(t, b, 1);
    CHECK_INT(300, get(t, a)->rolled.input);
    CHECK_INT(300, get(t, b)->own.input);
    CHECK_INT(300, get(t, b)->calls);
    check(t, a, 0, 300);
}
