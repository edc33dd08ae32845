/* Totals: own, rolled up, adjusted, propagated (H33-H35, U16, U17). */
#include "lib/store_test.h"

#include <math.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *make(struct test *t, const struct bough_session_create_options *in)
{
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, in, &s, &t->err));
    return s->id;
}

static const char *subagent_of(struct test *t, const char *parent)
{
    return make(t,
                &(struct bough_session_create_options){ .kind = BOUGH_SUBAGENT, .parent = parent });
}

static struct bough_totals all_six(int64_t n)
{
    return (struct bough_totals){ .input = n,
                                  .output = 2 * n,
                                  .reasoning = 3 * n,
                                  .cache_read = 4 * n,
                                  .cache_write = 5 * n,
                                  .cost = 6 * n };
}

static void check_six(int64_t n, const struct bough_totals *got)
{
    CHECK_INT(n, got->input);
    CHECK_INT(2 * n, got->output);
    CHECK_INT(3 * n, got->reasoning);
    CHECK_INT(4 * n, got->cache_read);
    CHECK_INT(5 * n, got->cache_write);
    CHECK_INT(6 * n, got->cost);
}

static enum bough_rc try_spend(struct test *t, const char *s, struct bough_totals used,
                               struct bough_append_result *out)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT, .text = "a", .usage = &used };
    struct bough_append_options in = { .entries = &e, .n = 1 };

    return bough_append(t->store, t->arena, s, &in, out, &t->err);
}

static struct bough_append_result spend(struct test *t, const char *s, int64_t n)
{
    struct bough_append_result out;

    CHECK_OK(try_spend(t, s, all_six(n), &out));
    return out;
}

static void check_own(struct test *t, const char *s, int64_t n)
{
    struct bough_session *got = get(t, s);

    check_six(n, &got->own);
}

static void check_rolled(struct test *t, const char *s, int64_t n)
{
    struct bough_session *got = get(t, s);

    check_six(n, &got->rolled);
}

static void add_totals(struct test *t, const char *s, int64_t n)
{
    struct bough_totals delta = all_six(n);

    CHECK_OK(bough_totals_add(t->store, s, &delta, &t->err));
}

/* --- H33 --- */

STORE_TEST(H33_totals_add_adds_to_the_rolled_totals_and_bumps_updated)
{
    const char *s = new_session(t, "x");
    int64_t before = get(t, s)->updated;

    test_later(t, 1000);
    add_totals(t, s, 2);
    add_totals(t, s, 5);
    check_rolled(t, s, 7);
    check_own(t, s, 0);
    CHECK(get(t, s)->updated >= before + 1000);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    check_rolled(t, s, 7);
}

STORE_TEST(H33_a_negative_delta_is_accepted)
{
    const char *s = new_session(t, "x");

    add_totals(t, s, 2);
    add_totals(t, s, -5);
    check_rolled(t, s, -3);
}

STORE_TEST(H33_an_unknown_session_is_not_found)
{
    struct bough_totals delta = all_six(1);

    CHECK_RC(BOUGH_NOT_FOUND, bough_totals_add(t->store, "nobody", &delta, &t->err));
}

STORE_TEST(H33_totals_add_touches_only_the_one_session)
{
    const char *p = new_session(t, "p"), *s = subagent_of(t, p);

    add_totals(t, s, 3);
    check_rolled(t, s, 3);
    check_rolled(t, p, 0);
}

/* --- H34 --- */

static struct bough_totals_propagate_result propagate(struct test *t, const char *s, int64_t n)
{
    struct bough_totals delta = all_six(n);
    struct bough_totals_propagate_result out;

    CHECK_OK(bough_totals_propagate(t->store, t->arena, s, &delta, &out, &t->err));
    return out;
}

STORE_TEST(H34_propagate_goes_up_forks_and_subagents_leaf_first_each_once)
{
    const char *g = new_session(t, "g"), *f = fork_at(t, g, user(t, g, "one")),
               *s = subagent_of(t, f), *side = subagent_of(t, f);
    struct bough_totals_propagate_result out;

    add_totals(t, g, 100);
    out = propagate(t, s, 3);
    CHECK_INT(3, out.n);
    CHECK(!out.truncated);
    CHECK_STR(s, out.at[0].id);
    CHECK_STR(f, out.at[1].id);
    CHECK_STR(g, out.at[2].id);
    check_six(3, &out.at[0].rolled);
    check_six(3, &out.at[1].rolled);
    check_six(103, &out.at[2].rolled);
    for (int i = 0; i < 2; i++) {
        check_rolled(t, s, 3);
        check_rolled(t, f, 3);
        check_rolled(t, g, 103);
        check_rolled(t, side, 0);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
    CHECK_INT(get(t, s)->updated, get(t, g)->updated);
}

STORE_TEST(H34_deleted_and_archived_ancestors_get_it_too)
{
    const char *g = new_session(t, "g"), *s = subagent_of(t, g);

    CHECK_OK(bough_session_delete(t->store, g, &t->err));
    CHECK_INT(2, propagate(t, s, 3).n);
    check_rolled(t, g, 3);
}

STORE_TEST(H34_at_most_33_rows_and_the_caller_is_told)
{
    const char *ids[35];
    struct bough_totals_propagate_result out;

    ids[0] = new_session(t, "g");
    for (int i = 1; i < 35; i++)
        ids[i] = subagent_of(t, ids[i - 1]);
    out = propagate(t, ids[32], 1);
    CHECK_INT(33, out.n);
    CHECK(!out.truncated);
    CHECK_STR(ids[0], out.at[32].id);
    out = propagate(t, ids[34], 1);
    CHECK_INT(33, out.n);
    CHECK(out.truncated);
    CHECK_STR(ids[34], out.at[0].id);
    CHECK_STR(ids[2], out.at[32].id);
    for (int i = 0; i < 2; i++) {
        check_rolled(t, ids[0], 1);
        check_rolled(t, ids[1], 1);
        check_rolled(t, ids[2], 2);
        check_rolled(t, ids[33], 1);
        check_rolled(t, ids[34], 1);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

STORE_TEST(H34_an_unknown_session_is_not_found)
{
    struct bough_totals delta = all_six(1);
    struct bough_totals_propagate_result out;

    CHECK_RC(BOUGH_NOT_FOUND,
             bough_totals_propagate(t->store, t->arena, "nobody", &delta, &out, &t->err));
}

STORE_TEST(H34_a_purged_ancestor_is_left_out)
{
    const char *g = new_session(t, "g"), *p = subagent_of(t, g), *s = subagent_of(t, p);
    struct bough_totals_propagate_result out;

    CHECK_OK(bough_session_purge(t->store, t->arena, p, NULL, &t->err));
    out = propagate(t, s, 3);
    CHECK_STR(s, out.at[0].id);
    for (size_t i = 0; i < out.n; i++)
        CHECK(strcmp(p, out.at[i].id) != 0);
    check_rolled(t, s, 3);
}

/* --- H35 --- */

STORE_TEST(H35_own_is_what_was_spent_and_adjustments_do_not_touch_it)
{
    const char *s = new_session(t, "x");

    spend(t, s, 10);
    add_totals(t, s, 5);
    propagate(t, s, 7);
    for (int i = 0; i < 2; i++) {
        check_own(t, s, 10);
        check_rolled(t, s, 22);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

STORE_TEST(H35_a_fork_starts_at_zero_and_its_spending_is_its_own)
{
    const char *s = new_session(t, "x"), *f;

    f = fork_at(t, s, spend(t, s, 10).ids[0]);
    check_own(t, f, 0);
    check_rolled(t, f, 0);
    spend(t, f, 3);
    check_own(t, f, 3);
    check_rolled(t, s, 10);
}

STORE_TEST(U16_deleting_a_message_does_not_unspend)
{
    const char *s = new_session(t, "x"), *id = spend(t, s, 10).ids[0];

    CHECK_OK(bough_entry_delete(t->store, s, id, &t->err));
    for (int i = 0; i < 2; i++) {
        check_own(t, s, 10);
        check_rolled(t, s, 10);
        CHECK_INT(1, get(t, s)->calls);
        CHECK_INT(0, get(t, s)->messages);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

STORE_TEST(U16_deleting_a_session_does_not_unspend)
{
    const char *p = new_session(t, "p"), *s = subagent_of(t, p);

    spend(t, s, 10);
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    check_rolled(t, p, 10);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    check_rolled(t, p, 10);
}

STORE_TEST(U16_manual_totals_count_usage_in_own_only)
{
    const char *s =
        make(t, &(struct bough_session_create_options){ .totals_mode = BOUGH_TOTALS_MANUAL });

    spend(t, s, 10);
    add_totals(t, s, 4);
    for (int i = 0; i < 2; i++) {
        check_own(t, s, 10);
        check_rolled(t, s, 4);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

STORE_TEST(U16_manual_totals_do_not_count_what_subagents_spend)
{
    const char *p = make(
                   t, &(struct bough_session_create_options){ .totals_mode = BOUGH_TOTALS_MANUAL }),
               *s = subagent_of(t, p);

    spend(t, s, 10);
    check_rolled(t, p, 0);
    check_rolled(t, s, 10);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    check_rolled(t, p, 0);
}

/* --- refusals --- */

STORE_TEST(U16_negative_usage_is_refused_and_nothing_written)
{
    const char *s = new_session(t, "x");
    struct bough_append_result out;
    struct bough_call_new call = { .used = { .cost = -1 } };
    struct bough_append_options in = { .call = &call };

    for (int i = 0; i < 6; i++) {
        struct bough_totals used = { 0 };

        ((int64_t *)&used)[i] = -1;
        CHECK_RC(BOUGH_INVALID, try_spend(t, s, used, &out));
    }
    CHECK_RC(BOUGH_INVALID, bough_append(t->store, t->arena, s, &in, &out, &t->err));
    CHECK_STR("", path_text(t, s));
    check_own(t, s, 0);
}

/* Raise each total that is 1 in `what` to INT64_MAX - 1, by steps of at most 2^53. */
static void fill_up(struct test *t, const char *session, struct bough_totals what)
{
    int64_t step = INT64_C(1) << 53;
    struct bough_totals d = { .input = what.input * step, .cost = what.cost * step };

    for (int i = 0; i < 1023; i++)
        CHECK_OK(bough_totals_add(t->store, session, &d, &t->err));
    d = (struct bough_totals){ .input = what.input * (step - 2), .cost = what.cost * (step - 2) };
    CHECK_OK(bough_totals_add(t->store, session, &d, &t->err));
}

STORE_TEST(U16_one_adjustment_is_at_most_2_to_the_53_either_way)
{
    const char *s = new_session(t, "x");

    for (int i = 0; i < 6; i++) {
        struct bough_totals d = { 0 };
        int64_t *at = &((int64_t *)&d)[i];

        *at = LIMIT_ADJUST + 1;
        CHECK_RC(BOUGH_INVALID, bough_totals_add(t->store, s, &d, &t->err));
        *at = -LIMIT_ADJUST - 1;
        CHECK_RC(BOUGH_INVALID, bough_totals_add(t->store, s, &d, &t->err));
        *at = LIMIT_ADJUST;
        CHECK_OK(bough_totals_add(t->store, s, &d, &t->err));
        *at = -LIMIT_ADJUST;
        CHECK_OK(bough_totals_add(t->store, s, &d, &t->err));
    }
    check_rolled(t, s, 0);
}

/* Filling a session takes a thousand calls, so one session shows all three rules. A session cannot
 * refuse what its subagents spend: the sum that is shown stays at the limit. */
STORE_TEST(U16_sums_that_would_overflow_are_refused_and_spending_of_subagents_ends_at_the_limit)
{
    const char *p = new_session(t, "p"), *s = subagent_of(t, p);
    struct bough_totals cost = { .cost = 2 }, input = { .input = 2 };
    struct bough_totals_propagate_result out;
    struct bough_append_result spent;

    fill_up(t, p, (struct bough_totals){ .input = 1, .cost = 1 });
    CHECK_RC(BOUGH_INVALID, bough_totals_add(t->store, p, &cost, &t->err));
    CHECK_INT(INT64_MAX - 1, get(t, p)->rolled.cost);
    cost.cost = -2;
    CHECK_OK(bough_totals_add(t->store, p, &cost, &t->err));
    CHECK_INT(INT64_MAX - 3, get(t, p)->rolled.cost);

    CHECK_RC(BOUGH_INVALID, bough_totals_propagate(t->store, t->arena, s, &input, &out, &t->err));
    CHECK_INT(0, get(t, s)->rolled.input);
    CHECK_INT(INT64_MAX - 1, get(t, p)->rolled.input);

    CHECK_OK(try_spend(t, s, input, &spent));
    for (int i = 0; i < 2; i++) {
        CHECK_INT(INT64_MAX, get(t, p)->rolled.input);
        CHECK_INT(2, get(t, s)->rolled.input);
        CHECK_INT(2, get(t, s)->own.input);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
}

/* A limit on one call keeps the sums of own usage far below what a number holds. */
STORE_TEST(U16_one_call_uses_at_most_a_trillion_tokens_of_a_kind_and_a_million_dollars)
{
    const char *s = new_session(t, "x");
    const struct bough_totals most = { .input = LIMIT_TOKENS,
                                       .output = LIMIT_TOKENS,
                                       .reasoning = LIMIT_TOKENS,
                                       .cache_read = LIMIT_TOKENS,
                                       .cache_write = LIMIT_TOKENS,
                                       .cost = LIMIT_COST };
    struct bough_append_result out;

    CHECK_OK(try_spend(t, s, most, &out));
    for (int i = 0; i < 6; i++) {
        struct bough_totals used = most;

        ((int64_t *)&used)[i]++;
        CHECK_RC(BOUGH_INVALID, try_spend(t, s, used, &out));
    }
    CHECK_INT(1, get(t, s)->messages);
    CHECK_INT(LIMIT_TOKENS, get(t, s)->own.cache_write);
    CHECK_INT(LIMIT_COST, get(t, s)->own.cost);
}

STORE_TEST(U16_money_that_is_no_number_is_refused_and_the_rest_is_exact)
{
    int64_t nano = 7;
    char text[32];

    CHECK_RC(BOUGH_INVALID, bough_money_from_usd((double)NAN, &nano, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_money_from_usd((double)INFINITY, &nano, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_money_from_usd(-(double)INFINITY, &nano, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_money_from_usd(1e10, &nano, &t->err));
    CHECK_INT(7, nano);
    CHECK_OK(bough_money_from_usd(0.001234, &nano, &t->err));
    CHECK_INT(1234000, nano);
    bough_money_text(nano, text, sizeof text);
    CHECK_STR("0.001234", text);
    CHECK_OK(bough_money_from_usd(0.1, &nano, &t->err));
    CHECK_INT(100000000, nano);
    CHECK_INT(2, bough_money_micros(1500));
    CHECK_INT(2, bough_money_micros(2500));
    CHECK_INT(-2, bough_money_micros(-2500));
}
