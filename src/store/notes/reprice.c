/* The cost of calls, computed again by the list prices. */
#include <bough/price.h>

#include "base/memory/arena.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/pack/reprice.h"
#include "core/price/price.h"
#include "store/engine/engine.h"

struct recomputing {
    struct bough_store *s;
    struct bough_arena *a, *tmp; /* tmp: of one session */
    const struct bough_price_recompute_options *in;
    struct price_table prices;
    int64_t *sids;
    size_t nsids;
    int64_t *ords; /* of the calls of one session that change */
    size_t nords;
    struct bough_price_recompute_result out;
    enum bough_rc rc;
    struct bough_error *err;
};

/* ---- one call ---- */

static bool in_time(const struct bough_price_recompute_options *in, int64_t time)
{
    return (!in->since || time >= in->since) && (!in->until || time < in->until);
}

/* May its cost be computed? What was reported or given stays. */
static bool is_ours(const struct call_body *b)
{
    bool any = b->used.input || b->used.output || b->used.cache_read || b->used.cache_write;

    return any && b->cost_source != BOUGH_COST_REPORTED &&
           (b->cost_source != BOUGH_COST_UNSAID || !b->used.cost);
}

/* Its cost by the prices; false: it stays as it is. */
static bool new_cost(const struct recomputing *r, struct bough_arena *a, const struct call_body *b,
                     struct cost *out)
{
    struct answered who = { b->provider, b->model, b->want_model, b->time };
    bool report;
    struct usage u;

    report = usage_read(a, b->usage, &u);
    if (!report)
        u = usage_of_totals(&b->used);
    *out = cost_of_usage(&r->prices, &who, &u);
    if (out->source == BOUGH_COST_UNKNOWN)
        return false;
    if (!report && b->used.cache_write && out->source == BOUGH_COST_LIST) {
        if (b->cost_source == BOUGH_COST_LIST)
            return false;                   /* it was computed from more than is left */
        out->source = BOUGH_COST_ESTIMATED; /* how long the cache lived is not known */
    }
    return out->nano != b->used.cost || out->source != (enum bough_cost_source)b->cost_source;
}

struct changing {
    const struct recomputing *r;
    int64_t sid, ord;
};

static enum bough_rc prepare(struct prep *p, void *user, struct bough_error *err)
{
    const struct changing *c = user;
    struct record_row row = { 0 };
    struct call_body body;
    struct cost cost;
    struct snap *snap;
    int64_t n;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = snap->ops->record_get(snap->v, p->a, c->sid, RECORD_CALL, c->ord, &row, err);
    if (!rc)
        rc = body_read(call_fields, row.body, &body, err);
    if (rc)
        return rc;
    if (row.deleted || !is_ours(&body) || !new_cost(c->r, p->a, &body, &cost))
        return bough_fail(err, BOUGH_NOT_FOUND, "the call changed meanwhile");
    n = reprice_count(p->a, &body);
    reprice(p->a, &body, cost.nano, (int64_t)cost.source, p->now);
    row.body = body_pack(p->a, call_fields, &body);
    txn_change(p, CHANGE_RECORD_PUT)->u.record = row;
    txn_changelog(p, CHANGELOG_REPRICE, c->sid, 1);
    p->t->log.record = c->ord;
    p->t->log.reprice = n;
    return BOUGH_OK;
}

/* ---- all of them ---- */

static bool each_session(void *user, const struct session_row *row)
{
    struct recomputing *r = user;

    if (row->purged)
        return true;
    r->sids = arena_room(r->a, r->sids, r->nsids, sizeof *r->sids);
    r->sids[r->nsids++] = row->sid;
    return true;
}

static bool each_call(void *user, const struct record_row *row)
{
    struct recomputing *r = user;
    struct bough_str copy = arena_str(r->tmp, row->body);
    struct call_body b;
    struct cost cost;

    if (row->deleted)
        return true;
    r->rc = body_read(call_fields, copy, &b, r->err);
    if (r->rc)
        return false;
    if (!is_ours(&b) || !in_time(r->in, b.time))
        return true;
    r->out.calls++;
    if (!new_cost(r, r->tmp, &b, &cost)) {
        r->out.unknown += cost.source == BOUGH_COST_UNKNOWN;
        return true;
    }
    r->out.changed++;
    r->out.before += b.used.cost;
    r->out.after += cost.nano;
    r->ords = arena_room(r->tmp, r->ords, r->nords, sizeof *r->ords);
    r->ords[r->nords++] = row->ord;
    return true;
}

static enum bough_rc recompute_session(struct recomputing *r, int64_t sid)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(r->s, &snap, r->err);

    if (rc)
        return rc;
    bough_arena_reset(r->tmp);
    r->ords = NULL;
    r->nords = 0;
    rc = snap.ops->record_scan(snap.v, sid, RECORD_CALL, 1, false, each_call, r, r->err);
    snap_end(&snap);
    rc = rc ? rc : r->rc;
    for (size_t i = 0; i < r->nords && !rc && !r->in->dry_run; i++) {
        struct changing c = { r, sid, r->ords[i] };
        struct request q = { .prepare = prepare, .user = &c };

        rc = write_once(r->s, &q, r->err);
        if (rc == BOUGH_NOT_FOUND) /* deleted, purged or priced by another process */
            rc = BOUGH_OK;
    }
    return rc;
}

static enum bough_rc recompute(struct recomputing *r)
{
    struct snap snap;
    enum bough_rc rc = price_table_with(r->a, r->in->prices, &r->prices, r->err);

    if (!rc)
        rc = snap_begin(r->s, &snap, r->err);
    if (rc)
        return rc;
    rc = snap.ops->session_made(snap.v, 0, INT64_MAX, each_session, r, r->err);
    snap_end(&snap);
    for (size_t i = 0; i < r->nsids && !rc; i++)
        rc = recompute_session(r, r->sids[i]);
    return rc;
}

enum bough_rc bough_price_recompute(struct bough_store *s,
                                    const struct bough_price_recompute_options *in,
                                    struct bough_price_recompute_result *out,
                                    struct bough_error *err)
{
    static const struct bough_price_recompute_options plain;

    REQUIRE(s, err);

    struct recomputing r = { .s = s, .in = in ? in : &plain, .err = err };
    enum bough_rc rc = RESERVED_CHECK(bough_price_recompute_options, in, err);

    if (rc)
        return rc;
    r.a = bough_arena_create();
    r.tmp = bough_arena_create();
    rc = recompute(&r);
    bough_arena_destroy(r.tmp);
    bough_arena_destroy(r.a);
    if (!rc && out)
        *out = r.out;
    return rc;
}
