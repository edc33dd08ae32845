/* Applying changelog rows to the money in list rows: calls, adjustments, what subagents spend. */
#include "base/text/str.h"
#include "core/model/totals.h"
#include "core/pack/reprice.h"
#include "store/project/overlay_work.h"

/* The session that spawned `sid`, even if it is purged; 0: none. */
static int64_t spawner(struct snap *snap, int64_t sid)
{
    struct identity who;

    return snap_identity(snap, sid, &who, NULL) == BOUGH_OK && who.kind == BOUGH_SUBAGENT
               ? who.parent
               : 0;
}

static void roll_up(struct overlay_work *w, int64_t sid, const struct bough_totals *t, bool back)
{
    int hops = 0;

    for (int64_t up = spawner(w->snap, sid); up && hops < 10000;
         up = spawner(w->snap, up), hops++) {
        struct summary *sh = overlay_touch(w, up);

        if (sh && !back)
            summary_add(&sh->body.below, t);
        else if (sh)
            summary_sub(&sh->body.below, t);
    }
}

static bool read_call(struct overlay_work *w, int64_t sid, int64_t ord, struct call_body *out)
{
    struct record_row row;

    w->rc = w->snap->ops->record_get(w->snap->v, w->o->a, sid, RECORD_CALL, ord, &row, w->err);
    if (!w->rc)
        w->rc = body_read(call_fields, row.body, out, w->err);
    return !w->rc;
}

void apply_call(struct overlay_work *w, int64_t sid, int64_t ord)
{
    struct call_body call;
    struct summary *sh;

    if (w->rc || !read_call(w, sid, ord, &call))
        return;
    map_put(&w->calls, (uint64_t)sid << 32 | (uint64_t)ord, 1);
    if (!w->only) {
        struct spend_row spent = spend_of_call(sid, &call);

        spends_add(&w->o->spends, &spent);
    }
    roll_up(w, sid, &call.used, false);
    sh = overlay_touch(w, sid);
    if (!sh)
        return;
    summary_add(&sh->body.own, &call.used);
    sh->body.calls++;
    /* The last call is the one with the latest time, and of equal times the later record (C4). */
    if (call.time < sh->body.last_call_time)
        return;
    sh->body.last_call_time = call.time;
    sh->body.last_call_ord = ord;
    sh->body.last_model = call.model;
    sh->body.last_provider = call.provider;
    sh->body.last_request_id = call.request_id;
    sh->body.last_cost = call.used.cost;
}

static bool read_adjust(struct overlay_work *w, int64_t sid, int64_t ord, struct adjust_body *out)
{
    struct record_row row;

    w->rc = w->snap->ops->record_get(w->snap->v, w->o->a, sid, RECORD_ADJUST, ord, &row, w->err);
    if (!w->rc)
        w->rc = body_read(adjust_fields, row.body, out, w->err);
    return !w->rc;
}

static void apply_adjust(struct overlay_work *w, int64_t sid, int64_t ord)
{
    struct adjust_body adj;
    struct summary *sh;

    if (w->rc || !sid || !read_adjust(w, sid, ord, &adj))
        return;
    if (adj.rolls)
        roll_up(w, sid, &adj.delta, false);
    sh = overlay_touch(w, sid);
    if (!sh)
        return;
    summary_add(&sh->body.adjust, &adj.delta);
    if (adj.rolls)
        summary_add(&sh->body.rolls, &adj.delta);
}

/* Finds the record of a propagated adjustment in another session of the chain. */
struct twin {
    int64_t made, chk, ord;
};

static bool is_twin(void *user, const struct record_row *row)
{
    struct twin *t = user;
    struct adjust_body b;

    if (body_read(adjust_fields, row->body, &b, NULL) == BOUGH_OK && b.made == t->made &&
        b.chk == t->chk)
        t->ord = row->ord;
    return !t->ord;
}

void apply_adjusts(struct overlay_work *w, const struct changelog_row *row)
{
    struct adjust_body leaf;
    struct identity who;
    int64_t left = row->nsessions - 1, sid = row->sid;

    if (!read_adjust(w, row->sid, row->record, &leaf))
        return;
    apply_adjust(w, row->sid, row->record);
    while (left > 0 && !w->rc && snap_identity(w->snap, sid, &who, NULL) == BOUGH_OK &&
           who.parent) {
        struct twin t = { leaf.made, leaf.chk, 0 };
        bool purged = false;
        struct summary *sh;

        sid = who.parent;
        w->rc = snap_purged(w->snap, sid, &purged, w->err);
        if (w->rc || purged)
            continue;
        left--;
        w->rc =
            w->snap->ops->record_scan(w->snap->v, sid, RECORD_ADJUST, 0, true, is_twin, &t, w->err);
        if (w->rc || !t.ord)
            continue;
        apply_adjust(w, sid, t.ord);
        sh = overlay_touch(w, sid);
        if (sh) {
            sh->row.updated = row->time;
            sh->body.rev = row->no;
        }
    }
}

struct last_call {
    struct call_body call;
    int64_t ord;
    struct bough_arena *a;
};

static bool newest_call(void *user, const struct record_row *row)
{
    struct last_call *l = user;
    struct call_body call;
    struct bough_str body = arena_str(l->a, row->body);

    if (row->deleted || body_read(call_fields, body, &call, NULL))
        return true;
    if (!l->ord || call.time > l->call.time) {
        l->call = call;
        l->ord = row->ord;
    }
    return true;
}

static void set_last_call(struct overlay_work *w, struct summary *sh)
{
    struct last_call l = { .a = w->o->a };

    w->rc = w->snap->ops->record_scan(w->snap->v, sh->sid, RECORD_CALL, 0, true, newest_call, &l,
                                      w->err);
    if (w->rc)
        return;
    sh->body.last_call_ord = l.ord;
    sh->body.last_call_time = l.ord ? l.call.time : 0;
    sh->body.last_model = l.ord ? l.call.model : "";
    sh->body.last_provider = l.ord ? l.call.provider : "";
    sh->body.last_request_id = l.ord ? l.call.request_id : "";
    sh->body.last_cost = l.ord ? l.call.used.cost : 0;
}

void apply_call_delete(struct overlay_work *w, const struct changelog_row *row)
{
    struct call_body call;
    struct summary *sh;

    if (!read_call(w, row->sid, row->record, &call))
        return;
    roll_up(w, row->sid, &call.used, true);
    apply_adjust(w, row->sid, row->adjustment);
    sh = overlay_touch(w, row->sid);
    if (!sh)
        return;
    summary_sub(&sh->body.own, &call.used);
    sh->body.calls--;
    if (sh->body.last_call_ord == row->record)
        set_last_call(w, sh);
}

/* The spend row of a call at one of its prices. */
static struct spend_row spent_at(int64_t sid, const struct call_body *call,
                                 const struct old_price *price)
{
    struct call_body then = *call;

    then.used.cost = price->cost;
    then.cost_source = price->source;
    return spend_of_call(sid, &then);
}

void apply_reprice(struct overlay_work *w, const struct changelog_row *row)
{
    struct old_price was, then;
    struct bough_totals delta = { 0 };
    struct call_body call;
    struct summary *sh;

    if (map_get(&w->calls, (uint64_t)row->sid << 32 | (uint64_t)row->record, NULL))
        return; /* it was applied with its present price */
    if (!read_call(w, row->sid, row->record, &call) ||
        !reprice_was(w->o->a, &call, row->reprice, &was))
        return;
    then = reprice_then(w->o->a, &call, row->reprice);
    delta.cost = then.cost - was.cost;
    if (!w->only) {
        struct spend_row old = spent_at(row->sid, &call, &was),
                         new = spent_at(row->sid, &call, &then);

        new.calls = new.input = new.output = new.reasoning = 0;
        new.cache_read = new.cache_write = new.duration = 0;
        new.unknown -= old.unknown;
        new.cost = delta.cost;
        spends_add(&w->o->spends, &new);
    }
    roll_up(w, row->sid, &delta, false);
    sh = overlay_touch(w, row->sid);
    if (!sh)
        return;
    summary_add(&sh->body.own, &delta);
    if (sh->body.last_call_ord == row->record)
        sh->body.last_cost = call.used.cost;
}

void apply_inheritance(struct overlay_work *w, const struct changelog_row *row)
{
    struct adjust_body adj;
    struct summary *heir;

    if (w->rc || !row->heir || !row->record || !read_adjust(w, row->heir, row->record, &adj))
        return;
    roll_up(w, row->heir, &adj.delta, true);
    apply_adjust(w, row->heir, row->record);
    heir = overlay_touch(w, row->heir);
    if (heir)
        summary_sub(&heir->body.below, &adj.delta);
}
