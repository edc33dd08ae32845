/* Runs and approvals as records: reading and writing them, and the lease of a run. */
#include <string.h>

#include "base/text/str.h"
#include "store/contract/id.h"
#include "store/contract/record_body.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/run/run.h"

/* ---- reading ---- */

static enum bough_rc none(const char *name, const char *id, struct bough_error *err)
{
    return bough_fail(err, BOUGH_NOT_FOUND, "there is no %s %.40s", name, id);
}

enum bough_rc named_load(struct snap *snap, struct bough_arena *a, const char *id, const char *name,
                         struct record_row *row, void *body, struct bough_error *err)
{
    char want[BOUGH_ID_LEN + 1];
    struct grant_body b; /* the fields that all three have, under the same tags */
    int64_t sid, ord;
    bool purged = false;
    enum bough_rc rc;

    id = id ? id : "";
    rc = find_record(NULL, id, RECORD_STATE, BOUGH_NOT_FOUND, &sid, &ord, NULL);
    if (rc)
        return none(name, id, err);
    if (sid)
        rc = snap_purged(snap, sid, &purged, err);
    if (!rc && !purged)
        rc = snap->ops->record_get(snap->v, a, sid, RECORD_STATE, ord, row, err);
    if (rc == BOUGH_NOT_FOUND || purged)
        return none(name, id, err);
    if (!rc)
        rc = body_read(grant_fields, row->body, &b, err);
    if (rc)
        return rc;
    id_record(b.made, sid, RECORD_STATE, ord, b.chk, want);
    if (strcasecmp(want, id) != 0 || strcmp(b.name, name) != 0)
        return none(name, id, err);
    return body_read(state_table(name), row->body, body, err);
}

enum bough_rc run_load(struct prep *p, const char *id, struct run_at *out, struct bough_error *err)
{
    enum bough_rc rc = prep_snap(p, &out->snap, err);

    if (!rc)
        rc = named_load(out->snap, p->a, id, RUN_NAME, &out->row, &out->b, err);
    if (!rc)
        rc = session_load(out->snap, p->a, out->row.sid, &out->l, err);
    if (!rc)
        id_record(out->b.made, out->row.sid, RECORD_STATE, out->row.ord, out->b.chk, out->id);
    return rc;
}

struct last {
    struct run_last *out;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool each_last(void *user, const struct record_row *row)
{
    struct last *l = user;
    struct run_body b;

    if (!l->out->ord)
        l->out->ord = row->ord;
    l->rc = body_read(run_fields, row->body, &b, l->err);
    if (!l->rc && strcmp(b.name, RUN_NAME) == 0)
        l->out->number = b.number;
    return !l->rc && !l->out->number;
}

enum bough_rc run_last(struct snap *snap, int64_t sid, struct run_last *out,
                       struct bough_error *err)
{
    struct last l = { .out = out, .err = err };
    enum bough_rc rc;

    *out = (struct run_last){ 0 };
    rc = snap->ops->record_scan(snap->v, sid, RECORD_STATE, 0, true, each_last, &l, err);
    return rc ? rc : l.rc;
}

/* ---- the lease ---- */

bool run_owned(const struct run_at *x)
{
    return held_by_run(&x->l.head.row) && strchr(x->l.head.row.lease_owner, '@');
}

enum bough_rc run_check_owner(const struct prep *p, const struct run_at *x, int64_t epoch,
                              struct bough_error *err)
{
    if (bough_run_ended((enum bough_run_status)x->b.status))
        return bough_fail(err, BOUGH_CONFLICT, "run %s has ended: it is %s", x->id,
                          bough_run_status_name((enum bough_run_status)x->b.status));
    if (run_owned(x) && x->l.head.row.lease_epoch == epoch && x->l.head.row.lease_expires > p->now)
        return BOUGH_OK;
    return bough_fail(err, BOUGH_LEASE_LOST, "run %s is not held with epoch %lld any more", x->id,
                      (long long)epoch);
}

void run_take_lease(const struct prep *p, struct head_row *head, const char *id, const char *host,
                    int64_t lease_ms)
{
    head->status = BOUGH_STATUS_BUSY;
    head->lease_epoch++;
    head->lease_since = p->now;
    head->lease_expires = host ? lease_end(p->now, lease_ms ? lease_ms : RUN_LEASE_MS) : RUN_NO_END;
    head->lease_owner = host ? arena_printf(p->a, RUN_OWNER "%s@%s", id, host)
                             : arena_printf(p->a, RUN_OWNER "%s", id);
}

/* ---- writing ---- */

enum bough_rc run_depths(struct run_at *x, struct bough_error *err)
{
    const struct head_now *h = &x->l.head;
    struct run_body *b = &x->b;
    enum bough_rc rc = BOUGH_OK;

    if (!b->bid && b->first && h->row.bid && h->depth >= b->first)
        rc = path_owner(x->snap, (struct bough_head){ h->row.bid, h->depth }, b->first, &b->bid,
                        err);
    if (!rc && b->bid && h->row.bid == b->bid && h->depth >= b->first)
        b->last = h->depth;
    return rc;
}

void run_head_put(struct prep *p, const struct head_row *head)
{
    txn_change(p, CHANGE_HEAD_SET)->u.head = *head;
    state_drop(p->e, head->sid);
}

enum bough_rc run_put(struct prep *p, struct run_at *x, bool head, struct bough_error *err)
{
    enum bough_rc rc = run_depths(x, err);

    if (rc)
        return rc;
    x->b.time = p->now;
    x->row.body = body_pack(p->a, run_fields, &x->b);
    txn_change(p, CHANGE_RECORD_PUT)->u.record = x->row;
    if (head)
        run_head_put(p, &x->l.head.row);
    else
        txn_guard(p, guard_head(x->row.sid, x->l.head.row.ver));
    return BOUGH_OK;
}

void run_log(struct prep *p, const struct run_at *x)
{
    txn_changelog(p, CHANGELOG_RUN, x->row.sid, 1);
    p->t->log.record = x->row.ord;
}

void order_put(struct prep *p, enum order_what what, int64_t sid, int64_t ord)
{
    struct order_body b = { .sid = sid, .ord = ord, .what = what };

    txn_change(p, CHANGE_RECORD_PUT)->u.record =
        (struct record_row){ .kind = RECORD_ORDER, .body = body_pack(p->a, order_fields, &b) };
}

/* ---- for callers ---- */

static struct bough_str or_empty(struct bough_str json, const char *empty)
{
    return json.n ? json : str_of(empty);
}

static const struct bough_lease *lease_of(struct bough_arena *a, const struct head_row *row)
{
    struct bough_lease *l = arena_zalloc(a, sizeof *l);

    *l = (struct bough_lease){ .owner = arena_strdup(a, row->lease_owner),
                               .epoch = row->lease_epoch,
                               .since = row->lease_since,
                               .expires = row->lease_expires };
    return l;
}

static const struct bough_run_cancel_wish *wish_of(struct bough_arena *a, const struct run_body *b)
{
    struct bough_run_cancel_wish *w;

    if (!b->cancel_time)
        return NULL;
    w = arena_zalloc(a, sizeof *w);
    w->by = b->cancel_by;
    w->note = b->cancel_note;
    w->time = b->cancel_time;
    return w;
}

static void give(struct bough_arena *a, const struct run_body *b, int64_t now,
                 struct bough_run *out)
{
    *out = (struct bough_run){
        .number = b->number,
        .runtime = (enum bough_run_runtime)b->runtime,
        .status = (enum bough_run_status)b->status,
        .why = (enum bough_run_why)b->why,
        .after = b->after,
        .by = b->by,
        .adapter = b->adapter,
        .native_id = b->native,
        .provider = b->provider,
        .model = b->model,
        .host = b->host,
        .workspace = b->workspace,
        .system_prompt = b->system_prompt,
        .servers = or_empty(b->servers, "[]"),
        .git = or_empty(b->git, "{}"),
        .data = or_empty(b->data, "{}"),
        .limits = { .turns = b->max_turns, .time_ms = b->max_time, .cost = b->max_cost },
        .turns = b->turns,
        .tools = b->tools,
        .approvals = b->approvals,
        .settled = b->settled,
        .context_used = b->context_used,
        .context_size = b->context_size,
        .cancel = wish_of(a, b),
        .error_code = b->error_code,
        .error = b->error,
        .created = b->made,
        .started = b->started,
        .ended = b->ended,
        .updated = b->time,
        .waited_ms = b->waited + (b->waiting && now > b->waiting ? now - b->waiting : 0),
    };
    if (b->bid && b->last) {
        out->first = (struct bough_head){ b->bid, b->first };
        out->last = (struct bough_head){ b->bid, b->last };
    }
    if (b->bid && b->prompt_made)
        id_entry(b->prompt_made, b->bid, b->first, b->prompt_chk, out->prompt);
}

enum bough_rc run_fill(struct snap *snap, struct bough_arena *a, const struct record_row *row,
                       int64_t now, struct bough_run *out, struct bough_error *err)
{
    struct run_at x = { .snap = snap, .row = *row };
    bool live;
    enum bough_rc rc;

    x.row.body = arena_str(a, row->body);
    rc = body_read(run_fields, x.row.body, &x.b, err);
    live = !rc && !bough_run_ended((enum bough_run_status)x.b.status);
    if (live)
        rc = snap->ops->head_get(snap->v, a, row->sid, &x.l.head, err);
    if (!rc && live)
        rc = run_depths(&x, err);
    if (rc)
        return rc;
    give(a, &x.b, now, out);
    id_record(x.b.made, row->sid, RECORD_STATE, row->ord, x.b.chk, out->id);
    out->task = *x.b.task ? x.b.task : arena_strdup(a, out->id);
    if (live)
        out->lease = lease_of(a, &x.l.head.row);
    return session_id(snap, a, row->sid, &out->session, err);
}

enum bough_rc run_read(struct bough_store *s, struct bough_arena *a, int64_t sid, int64_t ord,
                       struct bough_run **out, struct bough_error *err)
{
    struct record_row row;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    *out = arena_alloc(a, sizeof **out);
    rc = snap.ops->record_get(snap.v, a, sid, RECORD_STATE, ord, &row, err);
    if (!rc)
        rc = run_fill(&snap, a, &row, env_now(&s->e->env), *out, err);
    snap_end(&snap);
    return rc;
}
