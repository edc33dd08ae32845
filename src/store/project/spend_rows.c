/* Reading spend rows: the stored ones by the narrowest index, then what pending changes add. */
#include <string.h>

#include "base/text/str.h"
#include "store/project/projector.h"

struct reading {
    struct snap *snap;
    struct bough_arena *tmp;
    const struct overlay *o;
    const struct spend_query *q;
    spend_fn fn;
    void *user;
    bool stopped;
    enum bough_rc rc;
    struct bough_error *err;
};

enum bough_rc spend_session(struct snap *snap, struct bough_arena *a, const struct overlay *o,
                            int64_t sid, struct list_row *out, struct bough_error *err)
{
    const struct summary *pending = overlay_get(o, sid);
    enum bough_rc rc = BOUGH_OK;

    if (pending)
        *out = pending->row;
    else
        rc = snap->ops->list_get(snap->v, a, sid, out, err);
    return rc;
}

/* Rows of older versions name no project: the session's counts. */
static enum bough_rc resolve(struct reading *r, struct spend_row *row)
{
    struct list_row list;
    enum bough_rc rc;

    if (row->project != SPEND_AS_SESSION && row->account != SPEND_AS_SESSION)
        return BOUGH_OK;
    bough_arena_reset(r->tmp);
    rc = spend_session(r->snap, r->tmp, r->o, row->sid, &list, r->err);
    if (rc)
        return rc;
    if (row->project == SPEND_AS_SESSION)
        row->project = list.project;
    if (row->account == SPEND_AS_SESSION)
        row->account = list.account;
    return BOUGH_OK;
}

static bool take(void *user, const struct spend_row *stored)
{
    struct reading *r = user;
    struct spend_row row = *stored;

    r->rc = resolve(r, &row);
    if (!r->rc && spend_matches(r->q, &row))
        r->stopped = !r->fn(r->user, &row);
    return !r->rc && !r->stopped;
}

static bool take_stored(void *user, const struct spend_row *row)
{
    struct reading *r = user;

    return map_get(&r->o->spends.dropped, (uint64_t)row->sid, NULL) || take(r, row);
}

static enum bough_rc scan(struct reading *r, const struct spend_query *q)
{
    enum bough_rc rc =
        r->stopped ? BOUGH_OK : r->snap->ops->spend_scan(r->snap->v, q, take_stored, r, r->err);

    return rc ? rc : r->rc;
}

/* One index serves one condition; rows that name no project or account are read beside it. */
static enum bough_rc scan_stored(struct reading *r)
{
    struct spend_query q = { .from = r->q->from, .to = r->q->to }, also = q;

    if (r->q->within) {
        q.sids = r->q->sids;
        q.nsids = r->q->nsids;
        q.within = true;
        return scan(r, &q);
    }
    if (!cstr_empty(r->q->principal)) {
        q.principal = r->q->principal;
        return scan(r, &q);
    }
    q.project = r->q->project;
    q.account = q.project ? 0 : r->q->account;
    also.project = q.project ? SPEND_AS_SESSION : 0;
    also.account = q.account ? SPEND_AS_SESSION : 0;

    enum bough_rc rc = scan(r, &q);

    return rc || (!q.project && !q.account) ? rc : scan(r, &also);
}

enum bough_rc spend_each(struct snap *snap, const struct overlay *o, const struct spend_query *q,
                         spend_fn fn, void *user, struct bough_error *err)
{
    struct reading r = { .snap = snap, .o = o, .q = q, .fn = fn, .user = user, .err = err };
    enum bough_rc rc;

    r.tmp = bough_arena_create();
    rc = scan_stored(&r);
    for (size_t i = 0; i < o->spends.n && !rc && !r.stopped; i++)
        if (!spend_is_zero(&o->spends.at[i]) && !take(&r, &o->spends.at[i]))
            rc = r.rc;
    bough_arena_destroy(r.tmp);
    return rc;
}
