/* What was spent: rows by day and model, folded or pending, after deletions and purges. */
#include <bough/spend.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/store_test.h"
#include "store/engine/engine.h"

#define DAY INT64_C(86400000)
#define MONDAY (INT64_C(19674) * DAY) /* 2023-11-13 */

static const char *session_in(struct test *t, const char *project, const char *account,
                              const char *parent)
{
    struct bough_session_create_options in = { .project = project,
                                               .account = account,
                                               .parent = parent,
                                               .role_name = parent ? "helper" : "",
                                               .kind = parent ? BOUGH_SUBAGENT : BOUGH_PRIMARY };
    struct bough_session *out;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &out, &t->err));
    return out->id;
}

/* A call of so many dollars. */
static const char *pay(struct test *t, const char *session, const char *model, int64_t time,
                       int64_t usd)
{
    struct bough_call_new call = { .provider = "acme",
                                   .model = model,
                                   .time = time,
                                   .duration = 500,
                                   .used = { .input = 10, .output = 2, .cost = usd * 1000000000 } };
    struct bough_append_options in = { .call = &call };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
    return arena_strdup(t->arena, out.call);
}

/* Dollars by group: "acme/a 3, acme/b 1". */
static const char *spent(struct test *t, struct bough_spend_options how)
{
    struct bough_spend_result r;
    const char *text = "";

    CHECK_OK(bough_spend(t->store, t->arena, &how, &r, &t->err));
    for (size_t i = 0; i < r.ngroups; i++)
        text = arena_printf(t->arena, "%s%s%s %lld", text, i ? ", " : "",
                            r.groups[i].key ? r.groups[i].key : "rest",
                            (long long)(r.groups[i].spent.used.cost / 1000000000));
    return text;
}

#define HOW(...) ((struct bough_spend_options){ __VA_ARGS__ })
#define BY(what) ((struct bough_spend_options){ .by = BOUGH_SPEND_BY_##what })

/* Run the check with everything pending, then with everything folded. */
#define TWICE(check)                                                                               \
    do {                                                                                           \
        check;                                                                                     \
        CHECK_OK(bough_store_upkeep(t->store, &t->err));                                           \
        check;                                                                                     \
    } while (0)

STORE_TEST(spending_is_added_up_by_model_provider_project_session_and_account)
{
    const char *one = session_in(t, "/shop", "ann", NULL);
    const char *two = session_in(t, "/site", "ben", NULL);
    const char *sub = session_in(t, "/shop", "ann", one);
    struct bough_spend_result r;

    pay(t, one, "big", MONDAY, 3);
    pay(t, one, "small", MONDAY + DAY, 1);
    pay(t, two, "big", MONDAY + DAY, 5);
    pay(t, sub, "small", MONDAY + 8 * DAY, 2);
    pay(t, two, "small", MONDAY, 0);
    TWICE(CHECK_STR("acme/big 8, acme/small 3", spent(t, BY(MODEL))));
    TWICE(CHECK_STR("acme 11", spent(t, BY(PROVIDER))));
    TWICE(CHECK_STR("/shop 6, /site 5", spent(t, BY(PROJECT))));
    TWICE(CHECK_STR("ann 6, ben 5", spent(t, BY(ACCOUNT))));
    TWICE(CHECK_STR(" 9, helper 2", spent(t, BY(ROLE))));
    TWICE(CHECK_STR(arena_printf(t->arena, "%s 5, %s 4, %s 2", two, one, sub),
                    spent(t, BY(SESSION))));
    TWICE(CHECK_STR(" 11", spent(t, HOW(0))));
    TWICE(CHECK_STR("acme/small 3, acme/big 3",
                    spent(t, HOW(.by = BOUGH_SPEND_BY_MODEL, .project = "/shop"))));
    TWICE(CHECK_STR("acme/big 5, acme/small 0",
                    spent(t, HOW(.by = BOUGH_SPEND_BY_MODEL, .account = "ben"))));
    TWICE(CHECK_STR("acme/small 3, acme/big 3",
                    spent(t, HOW(.by = BOUGH_SPEND_BY_MODEL, .session = one))));
    TWICE(CHECK_STR("acme/small 2", spent(t, HOW(.by = BOUGH_SPEND_BY_MODEL, .session = sub))));
    TWICE(CHECK_STR("", spent(t, HOW(.project = "/none"))));
    TWICE(CHECK_STR("", spent(t, HOW(.account = "nobody"))));
    CHECK_OK(bough_spend(t->store, t->arena, &HOW(.by = BOUGH_SPEND_BY_SESSION), &r, &t->err));
    CHECK_INT(5, r.total.calls);
    CHECK_INT(1, r.total.unknown); /* tokens that cost nothing */
    CHECK_INT(3, r.total.sessions);
    CHECK_INT(50, r.total.used.input);
    CHECK_INT(2500, r.total.duration);
    CHECK_INT(4000000000, r.session_median);
    CHECK_INT(5000000000, r.session_p90);
    CHECK_STR(two, r.groups[0].session->id);
    CHECK_STR(r.groups[0].session->slug, r.groups[0].name);
    CHECK_RC(BOUGH_NOT_FOUND,
             bough_spend(t->store, t->arena, &HOW(.session = "nope"), &r, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_spend(t->store, t->arena, &HOW(.limit = -1), &r, &t->err));
    CHECK_RC(BOUGH_INVALID, bough_spend(t->store, t->arena, &HOW(.step = 9), &r, &t->err));
}

STORE_TEST(groups_beyond_the_limit_are_one_more_group)
{
    const char *one = session_in(t, "/shop", "", NULL);
    struct bough_spend_result r;

    pay(t, one, "a", MONDAY, 5);
    pay(t, one, "b", MONDAY, 3);
    pay(t, one, "c", MONDAY, 2);
    pay(t, one, "d", MONDAY + DAY, 1);
    CHECK_STR("acme/a 5, acme/b 3, rest 3", spent(t, HOW(.by = BOUGH_SPEND_BY_MODEL, .limit = 2)));
    CHECK_OK(bough_spend(t->store, t->arena,
                         &HOW(.by = BOUGH_SPEND_BY_MODEL, .limit = 2, .step = BOUGH_SPEND_DAILY),
                         &r, &t->err));
    CHECK_INT(1, r.groups[2].spent.sessions);
    CHECK_STR("other", r.groups[2].name);
    CHECK_INT(2, r.nseries);
    CHECK_INT(3, r.series[0].n);
    CHECK_INT(2, r.series[0].at[2].group);
    CHECK_INT(2000000000, r.series[0].at[2].spent.used.cost);
    CHECK_INT(1, r.series[1].n);
    CHECK_INT(2, r.series[1].at[0].group);
}

STORE_TEST(a_period_is_whole_days_of_utc_and_is_compared_with_the_one_before)
{
    const char *one = session_in(t, "/shop", "", NULL);
    struct bough_spend_options how = { .since = MONDAY + 3600000, .until = MONDAY + 2 * DAY };
    struct bough_spend_result r;

    pay(t, one, "a", MONDAY - 1, 1);
    pay(t, one, "a", MONDAY - 2 * DAY - 1, 64); /* before the period before */
    pay(t, one, "a", MONDAY, 2);
    pay(t, one, "a", MONDAY + 2 * DAY - 1, 4);
    pay(t, one, "a", MONDAY + 2 * DAY, 8);
    how.previous = true;
    CHECK_OK(bough_spend(t->store, t->arena, &how, &r, &t->err));
    CHECK_INT(MONDAY, r.since);
    CHECK_INT(MONDAY + 2 * DAY, r.until);
    CHECK_INT(6000000000, r.total.used.cost);
    CHECK_INT(1000000000, r.previous.used.cost);
    CHECK_INT(1, r.previous.sessions);
    how.until++; /* the third day has begun */
    CHECK_OK(bough_spend(t->store, t->arena, &how, &r, &t->err));
    CHECK_INT(14000000000, r.total.used.cost);
    CHECK_STR(" 15", spent(t, HOW(.since = MONDAY - 1))); /* the last millisecond of Sunday */
}

/* Which day a step begins, as the number of days behind Monday. */
static const char *steps(struct test *t, enum bough_spend_step step)
{
    struct bough_spend_result r;
    const char *text = "";

    CHECK_OK(bough_spend(t->store, t->arena, &HOW(.step = step), &r, &t->err));
    for (size_t i = 0; i < r.nseries; i++)
        text = arena_printf(
            t->arena, "%s%s%lld:%lld", text, i ? " " : "",
            (long long)((r.series[i].from - MONDAY) / DAY),
            (long long)(r.series[i].n ? r.series[i].at[0].spent.used.cost / 1000000000 : 0));
    return text;
}

STORE_TEST(a_series_has_every_day_week_or_month)
{
    const char *one = session_in(t, "/shop", "", NULL);
    struct bough_spend_options how = { .step = BOUGH_SPEND_DAILY };
    struct bough_spend_result r;

    pay(t, one, "a", MONDAY + DAY, 1);
    pay(t, one, "b", MONDAY + DAY + 1, 1);
    pay(t, one, "a", MONDAY + 3 * DAY, 2);
    CHECK_STR("1:2 2:0 3:2", steps(t, BOUGH_SPEND_DAILY));
    CHECK_STR("0:4", steps(t, BOUGH_SPEND_WEEKLY));
    pay(t, one, "a", MONDAY + 20 * DAY, 3);
    CHECK_STR("0:4 7:0 14:3", steps(t, BOUGH_SPEND_WEEKLY));
    CHECK_STR("-12:4 18:3", steps(t, BOUGH_SPEND_MONTHLY)); /* from 2023-11-01 and 2023-12-01 */
    pay(t, one, "a", MONDAY - 6 * 365 * DAY, 0);
    CHECK_RC(BOUGH_OK, bough_spend(t->store, t->arena, &how, &r, &t->err));
    pay(t, one, "a", MONDAY - 12 * 365 * DAY, 0);
    CHECK_RC(BOUGH_TOO_LARGE, bough_spend(t->store, t->arena, &how, &r, &t->err));
    how.sparse = true;
    CHECK_OK(bough_spend(t->store, t->arena, &how, &r, &t->err));
    CHECK_INT(5, r.nseries);
    how.sparse = false;
    how.since = MONDAY;
    how.until = MONDAY + 3 * DAY; /* empty days at both ends are there */
    CHECK_OK(bough_spend(t->store, t->arena, &how, &r, &t->err));
    CHECK_INT(3, r.nseries);
    CHECK_INT(0, r.series[0].n);
}

STORE_TEST(a_call_counts_for_the_project_and_account_it_was_made_in)
{
    const char *one = session_in(t, "/shop", "ann", NULL);
    struct bough_session_update_options move = { .project = "/site", .account = "ben" };

    pay(t, one, "a", MONDAY, 1);
    CHECK_OK(bough_session_update(t->store, one, &move, &t->err));
    pay(t, one, "a", MONDAY, 2);
    TWICE(CHECK_STR("/site 2, /shop 1", spent(t, BY(PROJECT))));
    TWICE(CHECK_STR("ben 2, ann 1", spent(t, BY(ACCOUNT))));
    CHECK_STR(" 1", spent(t, HOW(.project = "/shop")));
    CHECK_OK(bough_group_delete(t->store, "account", "ben", NULL, &t->err));
    pay(t, one, "a", MONDAY, 4);
    TWICE(CHECK_STR(" 4, ben 2, ann 1", spent(t, BY(ACCOUNT))));
}

STORE_TEST(a_call_of_an_open_message_counts_for_its_project_too)
{
    const char *one = session_in(t, "/shop", "ann", NULL);
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options open = { .entry = &e };
    struct bough_call_new call = { .model = "a", .time = MONDAY, .used = { .cost = 1000000000 } };
    struct bough_message_seal_options seal = { .call = &call };
    struct bough_message_open_result m;

    CHECK_OK(bough_message_open(t->store, t->arena, one, &open, &m, &t->err));
    CHECK_STR("", spent(t, HOW(0)));
    CHECK_OK(bough_message_seal(t->store, t->arena, &m.writing, &seal, NULL, &t->err));
    TWICE(CHECK_STR("/shop 1", spent(t, BY(PROJECT))));
    TWICE(CHECK_STR("ann 1", spent(t, BY(ACCOUNT))));
}

/* Another handle keeps the state of a session between appends. */
STORE_TEST(a_session_that_another_handle_moved_pays_for_its_new_project)
{
    const char *one = session_in(t, "/shop", "", NULL);
    struct bough_session_update_options move = { .project = "/site" };
    struct bough_store *other;

    if (!store_lasts(t))
        SKIP("a memory store has one process");
    pay(t, one, "a", MONDAY, 1);
    CHECK_OK(bough_store_open(&other, t->url, NULL, &t->err));
    CHECK_OK(bough_session_update(other, one, &move, &t->err));
    pay(t, one, "a", MONDAY, 2);
    CHECK_STR("/site 2, /shop 1", spent(t, BY(PROJECT)));
    bough_store_close(&other);
}

STORE_TEST(a_deleted_call_stays_spent)
{
    const char *one = session_in(t, "/shop", "", NULL);
    const char *call = pay(t, one, "a", MONDAY, 3);

    pay(t, one, "b", MONDAY, 1);
    CHECK_OK(bough_call_delete(t->store, call, &t->err));
    TWICE(CHECK_STR("acme/a 3, acme/b 1", spent(t, BY(MODEL))));
    CHECK_INT(4000000000, get(t, one)->rolled.cost);
}

STORE_TEST(a_purged_subagent_leaves_its_spending_to_its_parent_and_a_purged_session_to_the_store)
{
    const char *one = session_in(t, "/shop", "ann", NULL);
    const char *sub = session_in(t, "/shop", "ann", one);
    struct bough_spend_result r;

    pay(t, one, "a", MONDAY, 1);
    pay(t, sub, "a", MONDAY, 2);
    pay(t, sub, "b", MONDAY, 4);
    pay(t, sub, "b", MONDAY + DAY, 8);
    CHECK_OK(bough_session_purge(t->store, t->arena, sub, NULL, &t->err));
    /* A purge leaves no text: the models are gone, days and projects are not. */
    TWICE(CHECK_STR(" 14, acme/a 1", spent(t, BY(MODEL))));
    TWICE(CHECK_STR(arena_printf(t->arena, "%s 15", one), spent(t, BY(SESSION))));
    TWICE(CHECK_STR(" 7", spent(t, HOW(.until = MONDAY + DAY))));
    CHECK_OK(bough_session_purge(t->store, t->arena, one, NULL, &t->err));
    TWICE(CHECK_STR("/shop 15", spent(t, BY(PROJECT))));
    TWICE(CHECK_STR("ann 15", spent(t, BY(ACCOUNT))));
    TWICE(CHECK_STR(" 8", spent(t, HOW(.since = MONDAY + DAY))));
    CHECK_OK(bough_spend(t->store, t->arena, &BY(SESSION), &r, &t->err));
    CHECK_STR("", r.groups[0].key);
    CHECK(!r.groups[0].session);
    CHECK_INT(0, r.total.sessions);
    CHECK_INT(4, r.total.calls);
    CHECK_OK(bough_group_delete(t->store, "project", "/shop", NULL, &t->err));
    CHECK_STR("/shop 15", spent(t, BY(PROJECT)));
}

STORE_TEST(calls_that_cost_nothing_survive_a_purge_as_calls)
{
    const char *one = session_in(t, "/shop", "", NULL);
    struct bough_call_new call = { .model = "free", .time = MONDAY };
    struct bough_append_options in = { .call = &call };
    struct bough_append_result out;
    struct bough_spend_result r;

    CHECK_OK(bough_append(t->store, t->arena, one, &in, &out, &t->err));
    CHECK_OK(bough_session_purge(t->store, t->arena, one, NULL, &t->err));
    CHECK_OK(bough_spend(t->store, t->arena, &HOW(0), &r, &t->err));
    CHECK_INT(1, r.total.calls);
}

STORE_TEST(adjustments_by_hand_are_told_apart)
{
    const char *one = session_in(t, "/shop", "", NULL), *sub = session_in(t, "/shop", "", one);
    const char *call = pay(t, one, "a", MONDAY, 3);
    struct bough_totals more = { .input = 5, .cost = 7 };
    struct bough_totals_propagate_result up;
    struct bough_spend_options how = { .adjusted = true };
    struct bough_spend_result r;

    CHECK_OK(bough_totals_add(t->store, one, &more, &t->err));
    CHECK_OK(bough_totals_propagate(t->store, t->arena, sub, &more, &up, &t->err));
    CHECK_OK(bough_call_delete(t->store, call, &t->err));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(bough_spend(t->store, t->arena, &how, &r, &t->err));
        CHECK_INT(3000000000, r.total.used.cost);
        CHECK_INT(14, r.adjusted.cost); /* the propagated one counts once */
        CHECK_INT(10, r.adjusted.input);
        CHECK_OK(bough_store_upkeep(t->store, &t->err));
    }
    how.project = "/none";
    CHECK_OK(bough_spend(t->store, t->arena, &how, &r, &t->err));
    CHECK_INT(0, r.adjusted.cost);
}

STORE_TEST(sums_beyond_a_number_end_at_the_largest_one)
{
    const char *one = session_in(t, "/shop", "", NULL);
    struct bough_spend_result r;

    for (int i = 0; i < 10; i++)
        for (int k = 0; k < 1000; k++)
            pay(t, one, "a", MONDAY, 1000000);
    TWICE(CHECK_OK(bough_spend(t->store, t->arena, &HOW(0), &r, &t->err)));
    CHECK_INT(INT64_MAX, r.total.used.cost);
    CHECK_INT(10000, r.total.calls);
}
