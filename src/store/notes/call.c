/* Provider calls, totals and adjustments. */
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "store/contract/id.h"
#include "store/lookup/find.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"
#include "store/write/audit.h"

struct listing {
    struct bough_arena *a;
    const char *session;
    struct bough_calls *out;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool list_call(void *user, const struct record_row *row)
{
    struct listing *l = user;
    struct bough_calls *out = l->out;
    struct call_body b;
    struct bough_str copy;

    if (row->deleted)
        return true;
    copy = arena_str(l->a, row->body);
    l->rc = body_read(call_fields, copy, &b, l->err);
    if (l->rc)
        return false;
    out->at = arena_room(l->a, out->at, out->n, sizeof *out->at);
    call_fill(l->session, row, &b, &out->at[out->n++]);
    return true;
}

/* By time, then in the order of recording (C4). */
static int by_time(const void *x, const void *y)
{
    const struct bough_call *a = x, *b = y;

    if (a->time != b->time)
        return a->time < b->time ? -1 : 1;
    return strcmp(a->id + 10, b->id + 10); /* the ordinal follows the time in the id */
}

enum bough_rc bough_call_list(struct bough_store *s, struct bough_arena *a, const char *session,
                              struct bough_calls *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct listing l = { .a = a, .out = out, .err = err };
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *out = (struct bough_calls){ 0 };
    if (rc)
        return rc;
    rc = session_id(&snap, a, sid, &l.session, err);
    if (!rc)
        rc = snap.ops->record_scan(snap.v, sid, RECORD_CALL, 1, false, list_call, &l, err);
    if (!rc)
        rc = l.rc;
    snap_end(&snap);
    if (!rc && out->n)
        qsort(out->at, out->n, sizeof *out->at, by_time);
    return rc;
}

/* The record of a call id. BOUGH_NOT_FOUND for a deleted call. */
static enum bough_rc load_call(struct snap *snap, struct bough_arena *a, const char *id,
                               struct record_row *row, struct call_body *body,
                               struct bough_error *err)
{
    char real[BOUGH_ID_LEN + 1];
    int64_t sid, ord;
    enum bough_rc rc = find_record(snap, id, RECORD_CALL, BOUGH_NOT_FOUND, &sid, &ord, err);

    if (rc)
        return rc;
    if (snap->ops->record_get(snap->v, a, sid, RECORD_CALL, ord, row, NULL))
        return bough_fail(err, BOUGH_NOT_FOUND, "no call %.40s", id);
    rc = body_read(call_fields, row->body, body, err);
    if (rc)
        return rc;
    id_record(body->made, sid, RECORD_CALL, ord, body->chk, real);
    if (strcasecmp(real, id) != 0 || row->deleted)
        return bough_fail(err, BOUGH_NOT_FOUND, "no call %.40s", id);
    return BOUGH_OK;
}

enum bough_rc bough_call_get(struct bough_store *s, struct bough_arena *a, const char *id,
                             struct bough_call **out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct record_row row = { 0 };
    struct call_body body = { 0 };
    struct snap snap;
    const char *session = "";
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = load_call(&snap, a, id, &row, &body, err);
    if (!rc)
        rc = session_id(&snap, a, row.sid, &session, err);
    if (!rc) {
        *out = arena_alloc(a, sizeof **out);
        call_fill(session, &row, &body, *out);
    }
    snap_end(&snap);
    return rc;
}

/* ---- deleting a call ---- */

struct removing {
    struct bough_store *s;
    const char *id;
};

static int64_t some_chk(const struct prep *p)
{
    return (int64_t)(env_u64(&p->e->env) & 0xffff);
}

static void put_adjust(struct prep *p, int64_t sid, const struct bough_totals *delta, int64_t chk,
                       bool rolls, const char *why)
{
    struct adjust_body body = {
        .made = p->now, .chk = chk, .delta = *delta, .time = p->now, .rolls = rolls, .why = why
    };

    txn_change(p, CHANGE_RECORD_PUT)->u.record = (struct record_row){
        .sid = sid, .kind = RECORD_ADJUST, .body = body_pack(p->a, adjust_fields, &body)
    };
}

/* Mark the entries that the call produced as unlinked from it. */
struct unlinking {
    struct prep *p;
    int64_t ord;
    struct snap *snap;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool unlink_entry(void *user, const struct entry_row *row)
{
    struct unlinking *u = user;
    struct entry_row let_go = *row;
    struct pack_head h;

    if (!pack_entry_head(row->body, &h) || h.call_ord != u->ord)
        return true;
    let_go.mask |= MASK_UNLINKED;
    let_go.body = str_of("");
    txn_change(u->p, CHANGE_ENTRY_SET)->u.entry = let_go;
    return true;
}

static bool unlink_branch(void *user, const struct branch_row *b)
{
    struct unlinking *u = user;
    struct entry_range all = {
        .bid = b->bid, .from = b->base + 1, .to = LIMIT_DEPTH, .deleted = true
    };

    u->rc = u->snap->ops->entry_scan(u->snap->v, &all, unlink_entry, u, u->err);
    return !u->rc;
}

static enum bough_rc prepare_remove(struct prep *p, void *user, struct bough_error *err)
{
    struct removing *in = user;
    struct record_row row;
    struct call_body body;
    struct snap *snap;
    struct unlinking u = { .p = p, .err = err };
    struct session_loaded l;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = load_call(snap, p->a, in->id, &row, &body, err);
    if (rc)
        return rc;
    u.ord = row.ord;
    u.snap = snap;
    rc = session_load(snap, p->a, row.sid, &l, err);
    if (rc)
        return rc;
    txn_change(p, CHANGE_HEAD_SET)->u.head =
        l.head.row; /* a new version: an append that names the call must check it again */
    rc = snap->ops->branch_of(snap->v, row.sid, unlink_branch, &u, err);
    if (rc || u.rc)
        return rc ? rc : u.rc;
    row.deleted = p->now;
    txn_change(p, CHANGE_RECORD_PUT)->u.record = row;
    put_adjust(p, row.sid, &body.used, some_chk(p), true, SPEND_WHY_DELETED);
    audit_put(p, in->s->principal, "delete call", in->id, "");
    txn_changelog(p, CHANGELOG_CALL_DELETE, row.sid, 1);
    p->t->log.record = row.ord;
    p->t->log.adjustment = NEW_RECORD(0);
    return BOUGH_OK;
}

enum bough_rc bough_call_delete(struct bough_store *s, const char *id, struct bough_error *err)
{
    REQUIRE(s, err);

    struct removing in = { .s = s, .id = id };
    struct request r = { .prepare = prepare_remove, .user = &in };

    return write_once(s, &r, err);
}

/* ---- adjustments ---- */

struct adjusting {
    int64_t sid;
    const struct bough_totals *delta;
};

/* The session must exist, and its totals must not overflow. */
static enum bough_rc check_adjust(struct prep *p, struct snap *snap, int64_t sid,
                                  const struct bough_totals *delta, struct bough_error *err)
{
    struct session_loaded l;
    struct summary shown;
    struct bough_totals sum;
    enum bough_rc rc = session_load(snap, p->a, sid, &l, err);

    if (!rc && !totals_modest(delta))
        rc = bough_fail(err, BOUGH_INVALID, "the adjustment is too large");
    if (!rc)
        rc = summary_get(snap, p->a, sid, &shown, err);
    if (rc)
        return rc;
    sum = summary_rolled(&shown.body);
    if (!totals_add(&sum, delta))
        rc = bough_fail(err, BOUGH_INVALID, "the totals of session #%lld would overflow",
                        (long long)sid);
    return rc;
}

static enum bough_rc prepare_adjust(struct prep *p, void *user, struct bough_error *err)
{
    struct adjusting *in = user;
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    if (!rc)
        rc = check_adjust(p, snap, in->sid, in->delta, err);
    if (rc)
        return rc;
    put_adjust(p, in->sid, in->delta, some_chk(p), false, "");
    txn_changelog(p, CHANGELOG_ADJUST, in->sid, 1);
    p->t->log.record = NEW_RECORD(0);
    return BOUGH_OK;
}

static enum bough_rc adjust(struct bough_store *s, int64_t sid, const struct bough_totals *delta,
                            struct bough_error *err)
{
    struct adjusting in = { sid, delta };
    struct request r = { .prepare = prepare_adjust, .user = &in };

    return write_once(s, &r, err);
}

enum bough_rc bough_totals_add(struct bough_store *s, const char *session,
                               const struct bough_totals *delta, struct bough_error *err)
{
    REQUIRE(s && delta, err);

    int64_t sid;
    enum bough_rc rc = RESERVED_CHECK(bough_totals, delta, err);

    if (!rc)
        rc = find_session_fast(s, session, &sid, err);
    return rc ? rc : adjust(s, sid, delta, err);
}

/* The session and its ancestors, leaf first, forks included. Tombstones are skipped. *truncated:
 * the chain is longer than LIMIT_CHAIN. */
static enum bough_rc chain(struct bough_store *s, const char *session, int64_t *sids, size_t *n,
                           bool *truncated, struct bough_error *err)
{
    struct identity who;
    struct snap snap;
    bool purged;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *n = 0;
    *truncated = false;
    if (rc)
        return rc;
    while (!rc && sid) {
        rc = snap_identity(&snap, sid, &who, err);
        if (rc)
            break;
        rc = snap_purged(&snap, sid, &purged, err);
        if (rc)
            break;
        if (!purged && *n == LIMIT_CHAIN) {
            *truncated = true;
            break;
        }
        if (!purged)
            sids[(*n)++] = sid;
        sid = who.parent < sid ? who.parent : 0;
    }
    snap_end(&snap);
    return rc;
}

struct propagating {
    const int64_t *sids;
    size_t n;
    const struct bough_totals *delta;
};

/* One txn adjusts the whole chain. Its changelog row names the leaf's record only. The projector
 * finds the other records by their equal time and check bits. */
static enum bough_rc prepare_propagate(struct prep *p, void *user, struct bough_error *err)
{
    struct propagating *in = user;
    struct snap *snap;
    int64_t chk = some_chk(p);
    enum bough_rc rc = prep_snap(p, &snap, err);

    for (size_t i = 0; i < in->n && !rc; i++) {
        rc = check_adjust(p, snap, in->sids[i], in->delta, err);
        if (!rc)
            put_adjust(p, in->sids[i], in->delta, chk, false, "");
    }
    txn_changelog(p, CHANGELOG_ADJUST, in->sids[0], 1);
    p->t->log.record = NEW_RECORD(0);
    p->t->log.nsessions = (int64_t)in->n;
    return rc;
}

enum bough_rc bough_totals_propagate(struct bough_store *s, struct bough_arena *a,
                                     const char *session, const struct bough_totals *delta,
                                     struct bough_totals_propagate_result *out,
                                     struct bough_error *err)
{
    REQUIRE(s && a && delta && out, err);

    int64_t sids[LIMIT_CHAIN];
    struct propagating in = { sids, 0, delta };
    struct request r = { .prepare = prepare_propagate, .user = &in };
    struct bough_session *one;
    enum bough_rc rc = RESERVED_CHECK(bough_totals, delta, err);

    *out = (struct bough_totals_propagate_result){ 0 };
    if (!rc)
        rc = chain(s, session, sids, &in.n, &out->truncated, err);
    if (!rc)
        rc = write_run(s, a, &r, err);
    out->at = arena_array(a, in.n + 1, sizeof *out->at);
    for (size_t i = 0; i < in.n && !rc; i++) {
        rc = session_give(s, a, sids[i], &one, err);
        if (rc)
            break;
        memcpy(out->at[i].id, one->id, sizeof one->id);
        out->at[out->n++].rolled = one->rolled;
    }
    return rc;
}
