/* What was spent in the window of a budget: the spend rows of its scope. */
#include "base/text/str.h"
#include "store/budget/budget.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"

static bool add(void *user, const struct spend_row *row)
{
    spend_add(user, row);
    return true;
}

/* The days of the window, and its times. */
static void set_window(struct bough_budget *b, int64_t now, struct spend_query *q)
{
    int64_t today = spend_day(now);

    switch (b->window) {
    case BOUGH_BUDGET_TOTAL:
        q->from = INT64_MIN / DAY_MS;
        q->to = INT64_MAX / DAY_MS;
        b->since = b->until = 0;
        return;
    case BOUGH_BUDGET_DAY:
        q->from = q->to = today;
        break;
    case BOUGH_BUDGET_MONTH:
        q->from = spend_month(today, 0);
        q->to = spend_month(today, 1) - 1;
        break;
    }
    b->since = q->from * DAY_MS;
    b->until = (q->to + 1) * DAY_MS;
}

/* The rows of its scope. BOUGH_NOT_FOUND: it names a project or account that has no session yet. */
static enum bough_rc set_scope(struct snap *snap, struct bough_arena *a,
                               const struct bough_budget *b, struct spend_query *q,
                               struct bough_error *err)
{
    int64_t sid;
    enum bough_rc rc;

    switch (b->scope) {
    case BOUGH_BUDGET_STORE:
        return BOUGH_OK;
    case BOUGH_BUDGET_PROJECT:
        return find_group(snap, RECORD_PROJECT, b->of, &q->project, err);
    case BOUGH_BUDGET_ACCOUNT:
        return find_group(snap, RECORD_ACCOUNT, b->of, &q->account, err);
    case BOUGH_BUDGET_TOKEN:
        q->principal = b->of;
        return BOUGH_OK;
    case BOUGH_BUDGET_SESSION:
        q->within = true;
        rc = find_session_by_id(snap, b->of, &sid, err);
        return rc || !sid ? rc : session_tree(snap, a, sid, &q->sids, &q->nsids, err);
    }
    return BOUGH_OK;
}

enum bough_rc budget_fill(struct snap *snap, struct bough_arena *a, const struct overlay *o,
                          int64_t now, struct budget *b, struct bough_error *err)
{
    struct spend_row sum = { 0 };
    struct spend_query q = { 0 };
    enum bough_rc rc;

    set_window(&b->b, now, &q);
    rc = set_scope(snap, a, &b->b, &q, err);
    if (!rc)
        rc = spend_each(snap, o, &q, add, &sum, err);
    b->b.spent = sum.cost;
    b->b.unknown = sum.unknown;
    b->b.held = 0;
    b->b.holds = (int64_t)b->nholds;
    for (size_t i = 0; i < b->nholds; i++)
        if (__builtin_add_overflow(b->b.held, b->holds[i].cost, &b->b.held))
            b->b.held = INT64_MAX;
    return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
}
