/* What was spent: stored spend rows, and what pending changes add to them. */
#include "store/find/spend.h"

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"

/* The days that are looked at, far enough from the limits to count with. */
#define DAY_FIRST (INT64_MIN / DAY_MS)
#define DAY_LAST (INT64_MAX / DAY_MS)

struct report {
    struct snap *snap;
    struct bough_arena *a;
    const struct bough_spend_options *how;
    struct overlay o;
    struct spend_query q;
    bool none;               /* the project or account does not exist */
    struct spend_sums *sums; /* where rows go now */
    enum bough_rc rc;
    struct bough_error *err;
};

/* ---- conditions ---- */

static enum bough_rc group_asked(struct report *r, enum record_kind kind, const char *name,
                                 int64_t *ord)
{
    enum bough_rc rc = cstr_empty(name) ? BOUGH_OK : find_group(r->snap, kind, name, ord, r->err);

    if (rc != BOUGH_NOT_FOUND)
        return rc;
    r->none = true;
    return BOUGH_OK;
}

/* The session and its subagents at any depth. */
static enum bough_rc tree_asked(struct report *r)
{
    int64_t sid;
    enum bough_rc rc;

    if (cstr_empty(r->how->session))
        return BOUGH_OK;
    rc = find_session(r->snap, r->how->session, &sid, r->err);
    if (!rc)
        rc = session_tree(r->snap, r->a, sid, &r->q.sids, &r->q.nsids, r->err);
    r->q.within = true;
    return rc;
}

/* ---- rows ---- */

static bool take(void *user, const struct spend_row *row)
{
    struct report *r = user;

    r->rc = spend_sums_add(r->sums, row, r->err);
    return !r->rc;
}

static enum bough_rc add_rows(struct report *r, struct spend_sums *sums, int64_t from, int64_t to)
{
    enum bough_rc rc;

    r->sums = sums;
    r->q.from = from;
    r->q.to = to;
    rc = spend_each(r->snap, &r->o, &r->q, take, r, r->err);
    return rc ? rc : r->rc;
}

/* ---- by hand ---- */

struct adjusting {
    struct report *r;
    struct bough_totals *to;
};

static void add_adjusted(struct adjusting *x, const struct list_row *row, const struct list_body *b)
{
    if ((row->kind == BOUGH_SUBAGENT && row->parent) ||
        (x->r->q.project && row->project != x->r->q.project) ||
        (x->r->q.account && row->account != x->r->q.account))
        return;
    summary_add(x->to, &b->adjust);
    summary_sub(x->to, &b->rolls);
}

static bool adjusted_row(void *user, const struct list_row *row)
{
    struct adjusting *x = user;
    struct list_body b;

    if (!overlay_get(&x->r->o, row->sid) && !body_read(list_fields, row->body, &b, NULL))
        add_adjusted(x, row, &b);
    return true;
}

static enum bough_rc add_all_adjusted(struct report *r, struct bough_totals *to)
{
    struct list_query all = { .order = ORDER_CREATED };
    struct adjusting x = { r, to };
    size_t pos = 0;
    uint64_t val;

    while (map_next(&r->o.summaries, &pos, NULL, &val)) {
        const struct summary *sh = (const struct summary *)(uintptr_t)val;

        if (!sh->gone)
            add_adjusted(&x, &sh->row, &sh->body);
    }
    return r->snap->ops->list_scan(r->snap->v, &all, adjusted_row, &x, r->err);
}

/* ---- the report ---- */

static enum bough_rc add_previous(struct report *r, int64_t from, int64_t to,
                                  struct bough_spent *out)
{
    struct spend_sums sums = { .snap = r->snap, .a = r->a, .o = &r->o };
    int64_t days = to - from + 1;
    enum bough_rc rc;

    spend_sums_init(&sums);
    rc = add_rows(r, &sums, from - days, from - 1);
    *out = spend_spent(&sums.total, (int64_t)sums.nsessions);
    spend_sums_finish(&sums);
    return rc;
}

static enum bough_rc build(struct report *r, struct bough_spend_result *out)
{
    const struct bough_spend_options *how = r->how;
    struct spend_sums sums = {
        .snap = r->snap,
        .a = r->a,
        .o = &r->o,
        .step = how->step,
        .by = how->by,
        .sparse = how->sparse,
        .project = r->q.project,
    };
    int64_t from = how->since ? spend_day(how->since) : DAY_FIRST;
    int64_t to = how->until ? spend_day(how->until - 1) : DAY_LAST;
    enum bough_rc rc;

    spend_sums_init(&sums);
    rc = add_rows(r, &sums, from, to);
    if (!rc)
        rc = spend_sums_result(&sums, (size_t)how->limit, how->since ? from : sums.first,
                               how->until ? to : sums.last, out, r->err);
    if (!how->until && how->since) /* for the period before */
        to = spend_day(env_now(&r->snap->e->env));
    if (!rc && how->previous && how->since && to >= from)
        rc = add_previous(r, from, to, &out->previous);
    if (!rc && how->adjusted)
        rc = add_all_adjusted(r, &out->adjusted);
    out->since = how->since ? from * DAY_MS : 0;
    out->until = how->until ? (to + 1) * DAY_MS : 0;
    spend_sums_finish(&sums);
    return rc;
}

static enum bough_rc check(const struct bough_spend_options *how, struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_spend_options, how, err);

    if (rc)
        return rc;
    if ((unsigned)how->step > BOUGH_SPEND_MONTHLY || (unsigned)how->by > BOUGH_SPEND_BY_ROLE ||
        how->limit < 0 || how->since < 0 || how->until < 0)
        return bough_fail(err, BOUGH_INVALID, "an option of the report has an invalid value");
    return BOUGH_OK;
}

enum bough_rc bough_spend(struct bough_store *s, struct bough_arena *a,
                          const struct bough_spend_options *how, struct bough_spend_result *out,
                          struct bough_error *err)
{
    REQUIRE(s && a && how && out, err);

    struct snap snap;
    struct report r = { .snap = &snap, .a = a, .how = how, .err = err };
    enum bough_rc rc = check(how, err);

    *out = (struct bough_spend_result){ 0 };
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = overlay_build(&snap, a, 0, &r.o, err);
    if (!rc)
        rc = group_asked(&r, RECORD_PROJECT, how->project, &r.q.project);
    if (!rc)
        rc = group_asked(&r, RECORD_ACCOUNT, how->account, &r.q.account);
    if (!rc)
        rc = tree_asked(&r);
    if (!rc && !r.none)
        rc = build(&r, out);
    overlay_finish(&r.o);
    snap_end(&snap);
    return rc;
}
