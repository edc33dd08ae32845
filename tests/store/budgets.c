/* Budgets: which calls they apply to, and what fits into them. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "budget_world.h"
#include "fsck_world.h"

#define DAY INT64_C(86400000)
#define NOON (INT64_C(20040) * DAY + DAY / 2) /* 2024-11-13 */

static void pay_by(struct test *t, struct bough_store *s, const char *session, int64_t cost)
{
    struct bough_call_new call = { .provider = "acme", .model = "m", .used = { .cost = cost } };
    struct bough_append_options in = { .call = &call };
    struct bough_append_result out;

    CHECK_OK(bough_append(s, t->arena, session, &in, &out, &t->err));
}

static void pay(struct test *t, const char *session, int64_t cost)
{
    pay_by(t, t->store, session, cost);
}

static struct bough_store *as(struct test *t, const char *principal)
{
    return bough_store_scoped(t->store,
                              &(struct bough_store_scoped_options){ .principal = principal });
}

static void stop_clock(struct test *t)
{
    t->env.now = NOON;
    t->env.step = 0;
}

/* ---- setting ---- */

STORE_TEST(a_budget_is_set_listed_changed_and_removed)
{
    struct bough_budget one = SET(.cap = 100), two, again;
    struct bough_budgets all;
    struct bough_budget gone;

    stop_clock(t);
    two = SET(.scope = BOUGH_BUDGET_PROJECT, .of = "/shop", .window = BOUGH_BUDGET_DAY, .cap = 5);
    CHECK_OK(bough_budget_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(2, all.n);
    CHECK_STR(one.id, all.at[0].id);
    CHECK_STR("", all.at[0].of);
    CHECK_INT(0, all.at[0].since);
    CHECK_INT(0, all.at[0].until);
    CHECK_STR("/shop", all.at[1].of);
    CHECK_INT(BOUGH_BUDGET_PROJECT, all.at[1].scope);
    CHECK_INT(NOON - DAY / 2, all.at[1].since);
    CHECK_INT(NOON + DAY / 2, all.at[1].until);
    again = SET(.cap = 7, .allow_unknown = true);
    CHECK_STR(one.id, again.id);
    CHECK_INT(7, again.cap);
    CHECK(again.allow_unknown);
    CHECK_OK(bough_budget_remove(t->store, one.id, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_budget_remove(t->store, one.id, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_budget_status(t->store, t->arena, one.id, &gone, &t->err));
    CHECK_OK(bough_budget_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(1, all.n);
    CHECK_STR(two.id, all.at[0].id);
    CHECK_OK(RESERVE(1000));
    again = SET(.cap = 8);
    CHECK(strcmp(one.id, again.id) != 0);
    CHECK_INT(0, again.held);
}

STORE_TEST(a_budget_that_makes_no_sense_is_refused)
{
    const struct bough_budget_set_options bad[] = {
        { .cap = -1 },
        { .of = "x" },
        { .scope = BOUGH_BUDGET_TOKEN },
        { .scope = BOUGH_BUDGET_PROJECT, .of = "" },
        { .scope = (enum bough_budget_scope)9, .of = "x" },
        { .window = (enum bough_budget_window)9 },
        { .scope = BOUGH_BUDGET_ACCOUNT, .of = "\xff" },
    };
    struct bough_budget_set_options none = { .scope = BOUGH_BUDGET_SESSION, .of = "nope" };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_RC(BOUGH_INVALID, bough_budget_set(t->store, t->arena, &bad[i], NULL, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, bough_budget_set(t->store, t->arena, &none, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, RESERVE(-1));
    CHECK_RC(BOUGH_NOT_FOUND, RESERVE(1, .session = "nope"));
}

/* The check comes before any argument is used, so the others may point anywhere. */
TEST(no_call_about_budget_crashes_on_a_missing_pointer)
{
    static char at[128];
    struct bough_store *s = (void *)at;
    void *any = at;

    CHECK_RC(BOUGH_INVALID, bough_budget_set(NULL, any, any, any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_set(s, NULL, any, any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_set(s, any, NULL, any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_list(NULL, any, any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_list(s, NULL, any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_list(s, any, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_status(NULL, any, "x", any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_status(s, NULL, "x", any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_status(s, any, NULL, any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_status(s, any, "x", NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_remove(NULL, "x", &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_remove(s, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_reserve(NULL, any, any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_reserve(s, NULL, any, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_reserve(s, any, NULL, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_release(NULL, "x", &t->err));
    CHECK_RC(BOUGH_INVALID, bough_budget_release(s, NULL, &t->err));
}

STORE_TEST(budgets_outlive_the_store_and_are_named_in_the_audit)
{
    struct bough_audits audit;
    struct bough_budget b;
    struct bough_store *ci = as(t, "token:ci");
    struct bough_budget_set_options in = { .cap = 1500000000 };

    CHECK_OK(bough_budget_set(ci, t->arena, &in, &b, &t->err));
    bough_store_close(&ci);
    CHECK_STR("token:ci", b.by);
    CHECK_OK(bough_audit_list(t->store, t->arena, &audit, &t->err));
    CHECK_INT(1, audit.n);
    CHECK_STR("set budget", audit.at[0].action);
    CHECK_STR("total store", audit.at[0].target);
    CHECK_STR("1.500000", audit.at[0].detail);
    if (!store_lasts(t))
        return;
    store_reopen(t);
    CHECK_INT(1500000000, budget_status(t, b.id).cap);
}

/* ---- what fits ---- */

STORE_TEST(a_call_fits_up_to_the_cap_and_not_a_nano_dollar_beyond)
{
    const char *s = session_in(t, "", "", NULL), *id = SET(.cap = 100).id;
    struct bough_budget_refusal no = { 0 };
    const char *hold;

    id = arena_strdup(t->arena, id);
    pay(t, s, 40);
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, RESERVE(61));
    CHECK_OK(try_reserve(
        t, t->store, (struct bough_budget_reserve_options){ .ask = { .estimate = 50 } }, &hold));
    CHECK_STR("40 + 50 of 100", sums(t, id));
    CHECK_OK(RESERVE(10));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, RESERVE(1, .ask.refusal = &no));
    CHECK_STR(id, no.id);
    CHECK_INT(40, no.spent);
    CHECK_INT(60, no.held);
    CHECK_INT(100, no.cap);
    CHECK_INT(402, bough_rc_http(t->err.rc));
    CHECK_OK(bough_budget_release(t->store, hold, &t->err));
    CHECK_OK(bough_budget_release(t->store, hold, &t->err));
    CHECK_STR("40 + 10 of 100", sums(t, id));
    CHECK_OK(RESERVE(50));
}

STORE_TEST(a_call_that_costs_nothing_is_never_refused_and_a_cap_of_0_refuses_all_others)
{
    SET(.cap = 0);
    CHECK_OK(RESERVE(0));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, RESERVE(1));
    SET(.cap = 0, .allow_unknown = true);
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, UNKNOWN(0));
}

STORE_TEST(an_unknown_price_is_refused_unless_the_budget_allows_it)
{
    const char *s = session_in(t, "", "", NULL);

    CHECK_OK(UNKNOWN(0)); /* no budget */
    SET(.cap = 100);
    CHECK_RC(BOUGH_PRICE_UNKNOWN, UNKNOWN(0));
    CHECK_INT(402, bough_rc_http(t->err.rc));
    SET(.cap = 100, .allow_unknown = true);
    CHECK_OK(UNKNOWN(0));
    pay(t, s, 99);
    CHECK_OK(UNKNOWN(0));
    pay(t, s, 1);
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, UNKNOWN(0));
}

STORE_TEST(a_refusal_names_what_was_spent_the_cap_the_window_and_its_end)
{
    const char *s = session_in(t, "/shop", "", NULL);

    stop_clock(t);
    SET(.scope = BOUGH_BUDGET_PROJECT, .of = "/shop", .window = BOUGH_BUDGET_MONTH,
        .cap = 2000000000);
    pay(t, s, 1250000000);
    CHECK_OK(RESERVE(250000000, .session = s));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, RESERVE(600000000, .session = s));
    CHECK_STR("the call does not fit into the month budget of project /shop: $1.250000 spent and "
              "$0.250000 reserved of $2.000000, it may cost $0.600000; the window ends "
              "2024-12-01T00:00:00.000Z",
              t->err.msg);
    CHECK_RC(BOUGH_PRICE_UNKNOWN, UNKNOWN(.session = s));
    CHECK_STR("the price is not known, which is not allowed by the month budget of project /shop: "
              "$1.250000 spent and $0.250000 reserved of $2.000000; the window ends "
              "2024-12-01T00:00:00.000Z",
              t->err.msg);
}

/* ---- windows ---- */

STORE_TEST(a_day_and_a_month_begin_anew_and_a_total_does_not)
{
    const char *s = session_in(t, "", "", NULL);
    struct bough_budget day, month, total;

    stop_clock(t);
    day = SET(.window = BOUGH_BUDGET_DAY, .cap = 100);
    month = SET(.window = BOUGH_BUDGET_MONTH, .cap = 100);
    total = SET(.cap = 100);
    pay(t, s, 70);
    TWICE(CHECK_STR("70 + 0 of 100", sums(t, day.id)));
    t->env.now = NOON + DAY / 2 - 1;
    TWICE(CHECK_STR("70 + 0 of 100", sums(t, day.id)));
    t->env.now++;
    TWICE(CHECK_STR("0 + 0 of 100", sums(t, day.id)));
    TWICE(CHECK_STR("70 + 0 of 100", sums(t, month.id)));
    CHECK_INT(INT64_C(20028) * DAY, budget_status(t, month.id).since); /* 2024-11-01 */
    CHECK_INT(INT64_C(20058) * DAY, budget_status(t, month.id).until); /* 2024-12-01 */
    t->env.now = INT64_C(20058) * DAY;
    TWICE(CHECK_STR("0 + 0 of 100", sums(t, month.id)));
    TWICE(CHECK_STR("70 + 0 of 100", sums(t, total.id)));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, RESERVE(31));
    CHECK_OK(RESERVE(30));
}

/* ---- scopes ---- */

STORE_TEST(a_budget_counts_the_calls_of_its_project_account_token_or_tree)
{
    const char *shop = session_in(t, "/shop", "ann", NULL),
               *bank = session_in(t, "/bank", "bo", NULL);
    const char *sub = session_in(t, "/shop", "ann", shop), *deep = session_in(t, "/shop", "", sub);
    struct bough_store *ci = as(t, "token:ci");
    struct bough_budget project = SET(.scope = BOUGH_BUDGET_PROJECT, .of = "/shop", .cap = 100),
                        account = SET(.scope = BOUGH_BUDGET_ACCOUNT, .of = "bo", .cap = 100),
                        token = SET(.scope = BOUGH_BUDGET_TOKEN, .of = "token:ci", .cap = 100),
                        tree = SET(.scope = BOUGH_BUDGET_SESSION, .of = shop, .cap = 100);

    pay(t, shop, 1);
    pay(t, bank, 2);
    pay(t, sub, 4);
    pay(t, deep, 8);
    pay_by(t, ci, bank, 16);
    TWICE(CHECK_STR("13 + 0 of 100", sums(t, project.id)));
    TWICE(CHECK_STR("18 + 0 of 100", sums(t, account.id)));
    TWICE(CHECK_STR("16 + 0 of 100", sums(t, token.id)));
    TWICE(CHECK_STR("13 + 0 of 100", sums(t, tree.id)));
    CHECK_OK(RESERVE(87, .session = deep));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, RESERVE(1, .session = sub));
    CHECK_OK(RESERVE(82, .session = bank));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, RESERVE(1, .account = "bo"));
    CHECK_RC(BOUGH_BUDGET_EXCEEDED, RESERVE(1, .project = "/shop"));
    CHECK_OK(RESERVE(1000)); /* none applies */
    CHECK_RC(BOUGH_BUDGET_EXCEEDED,
             try_reserve(t, ci, (struct bough_budget_reserve_options){ .ask = { .estimate = 85 } },
                         NULL));
    CHECK_OK(try_reserve(t, ci, (struct bough_budget_reserve_options){ .ask = { .estimate = 84 } },
                         NULL));
    CHECK_STR("13 + 87 of 100", sums(t, tree.id));
    CHECK_STR("16 + 84 of 100", sums(t, token.id));
    bough_store_close(&ci);
}

STORE_TEST(money_stays_spent_when_sessions_move_and_are_purged)
{
    const char *s = session_in(t, "/shop", "ann", NULL), *sub = session_in(t, "/shop", "ann", s);
    struct bough_store *ci = as(t, "token:ci");
    struct bough_budget project = SET(.scope = BOUGH_BUDGET_PROJECT, .of = "/shop", .cap = 9),
                        token = SET(.scope = BOUGH_BUDGET_TOKEN, .of = "token:ci", .cap = 9),
                        tree = SET(.scope = BOUGH_BUDGET_SESSION, .of = s, .cap = 9);
    struct bough_session_update_options away = { .project = "/else" };

    pay_by(t, ci, sub, 3);
    pay_by(t, ci, s, 4);
    CHECK_OK(bough_session_update(t->store, s, &away, &t->err));
    TWICE(CHECK_STR("7 + 0 of 9", sums(t, project.id)));
    CHECK_OK(bough_session_purge(t->store, t->arena, sub, NULL, &t->err));
    TWICE(CHECK_STR("7 + 0 of 9", sums(t, tree.id)));
    TWICE(CHECK_STR("7 + 0 of 9", sums(t, token.id)));
    CHECK_OK(bough_session_purge(t->store, t->arena, s, NULL, &t->err));
    TWICE(CHECK_STR("7 + 0 of 9", sums(t, project.id)));
    TWICE(CHECK_STR("7 + 0 of 9", sums(t, token.id)));
    bough_store_close(&ci);
}

/* ---- reservations that end ---- */

STORE_TEST(a_reservation_ends_with_its_lease)
{
    struct bough_budget b = SET(.cap = 100);

    stop_clock(t);
    CHECK_OK(RESERVE(60, .ask.lease_ms = 5000));
    CHECK_OK(RESERVE(40));
    t->env.now = NOON + 4999;
    CHECK_STR("0 + 100 of 100", sums(t, b.id));
    t->env.now = NOON + 5000;
    CHECK_STR("0 + 40 of 100", sums(t, b.id));
    CHECK_OK(RESERVE(60));
    t->env.now = NOON + 3600 * 1000;
    CHECK_STR("0 + 60 of 100", sums(t, b.id));
}

STORE_TEST(I_04_sees_a_damaged_budget_and_no_call_is_made_on_a_guess)
{
    struct raw_row *row;
    struct state_body body;

    SET(.cap = 100);
    CHECK_OK(bough_store_upkeep(t->store, &t->err));
    row = row_of(t, RAW_RECORD, 0, RECORD_STATE, 1);
    body_of_row(t, row, &body);
    body.data = str_of("{\"cap\":-1}");
    body_put(t, row, &body);
    CHECK_RC(BOUGH_CORRUPT, RESERVE(1));
    expect(t, "I-04", "", "record 0.15.1");
    t->damaged = true;
}
