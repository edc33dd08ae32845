/* What was spent: stored spend rows, and what pending changes add to them. */
#include "store/find/spend.h"

#include <stdlib.h>

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
    struct bough_arena *a, *tmp;
    const struct bough_spend_options *how;
    struct overlay o;
    struct spend_query q; /* without its condition on project or account */
    int64_t project, account;
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

struct tree {
    struct bough_arena *a;
    int64_t *at;
    size_t n;
};

static bool push_subagent(void *user, const struct session_row *row)
{
    struct tree *t = user;

    if (row->purged || row->kind != BOUGH_SUBAGENT)
        return true;
    t->at = arena_room(t->a, t->at, t->n, sizeof *t->at);
    t->at[t->n++] = row->sid;
    return true;
}

static int by_number(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

    return a < b ? -1 : a > b;
}

/* The session and its subagents at any depth. */
static enum bough_rc tree_asked(struct report *r)
{
    struct tree t = { .a = r->a };
    int64_t sid;
    enum bough_rc rc;

    if (cstr_empty(r->how->session))
        return BOUGH_OK;
    rc = find_session(r->snap, r->how->session, &sid, r->err);
    if (rc)
        return rc;
    t.at = arena_room(t.a, t.at, t.n, sizeof *t.at);
    t.at[t.n++] = sid;
    for (size_t i = 0; i < t.n && !rc; i++)
        rc = r->snap->ops->session_children(r->snap->v, t.at[i], push_subagent, &t, r->err);
    qsort(t.at, t.n, sizeof *t.at, by_number);
    r->q.sids = t.at;
    r->q.nsids = t.n;
    r->q.within = true;
    return rc;
}

/* ---- rows ---- */

/* Rows of older versions name no project: the session's counts. */
static enum bough_rc resolve(struct report *r, struct spend_row *row)
{
    struct list_row list;
    enum bough_rc rc;

    if (row->project != SPEND_AS_SESSION && row->account != SPEND_AS_SESSION)
        return BOUGH_OK;
    bough_arena_reset(r->tmp);
    rc = spend_session(r->snap, r->tmp, &r->o, row->sid, &list, r->err);
    if (rc)
        return rc;
    if (row->project == SPEND_AS_SESSION)
        row->project = list.project;
    if (row->account == SPEND_AS_SESSION)
        row->account = list.account;
    return BOUGH_OK;
}

static bool take(struct report *r, const struct spend_row *stored)
{
    struct spend_row row = *stored;

    r->rc = resolve(r, &row);
    if (r->rc || (r->project && row.project != r->project) ||
        (r->account && row.account != r->account))
        return !r->rc;
    r->rc = spend_sums_add(r->sums, &row, r->err);
    return !r->rc;
}

static bool take_stored(void *user, const struct spend_row *row)
{
    struct report *r = user;

    return map_get(&r->o.spends.dropped, (uint64_t)row->sid, NULL) || take(r, row);
}

static enum bough_rc scan(struct report *r, struct spend_query q)
{
    enum bough_rc rc = r->snap->ops->spend_scan(r->snap->v, &q, take_stored, r, r->err);

    return rc ? rc : r->rc;
}

/* Stored rows by the narrowest index, then pending ones. */
static enum bough_rc add_rows(struct report *r, struct spend_sums *sums, int64_t from, int64_t to)
{
    static const int64_t old = SPEND_AS_SESSION;
    struct spend_query q = r->q, also;
    bool narrow = !q.within && (r->project || r->account);
    enum bough_rc rc;

    r->sums = sums;
    q.from = from;
    q.to = to;
    also = q;
    if (narrow && r->project) {
        q.project = r->project;
        also.project = old;
    } else if (narrow) {
        q.account = r->account;
        also.account = old;
    }
    rc = scan(r, q);
    if (!rc && narrow)
        rc = scan(r, also);
    q = r->q;
    q.from = from;
    q.to = to;
    for (size_t i = 0; i < r->o.spends.n && !rc; i++)
        if (!spend_is_zero(&r->o.spends.at[i]) && spend_matches(&q, &r->o.spends.at[i]) &&
            !take(r, &r->o.spends.at[i]))
            rc = r->rc;
    return rc;
}

/* ---- by hand ---- */

struct adjusting {
    struct report *r;
    struct bough_totals *to;
};

static void add_adjusted(struct adjusting *x, const struct list_row *row, const struct list_body *b)
{
    if ((row->kind == BOUGH_SUBAGENT && row->parent) ||
        (x->r->project && row->project != x->r->project) ||
        (x->r->account && row->account != x->r->account))
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
        .project = r->project,
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
    r.tmp = bough_arena_create();
    rc = overlay_build(&snap, a, 0, &r.o, err);
    if (!rc)
        rc = group_asked(&r, RECORD_PROJECT, how->project, &r.project);
    if (!rc)
        rc = group_asked(&r, RECORD_ACCOUNT, how->account, &r.account);
    if (!rc)
        rc = tree_asked(&r);
    if (!rc && !r.none)
        rc = build(&r, out);
    overlay_finish(&r.o);
    bough_arena_destroy(r.tmp);
    snap_end(&snap);
    return rc;
}
