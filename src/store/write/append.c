/* Append entries after the head, or at a position the caller chose, in one txn. */
#include "store/write/append.h"

#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "store/engine/lease.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"

enum bough_rc state_load(struct prep *p, int64_t sid, struct session_state **out,
                         struct bough_error *err)
{
    struct session_state *st = state_get(p->e, sid);
    struct branch_row b = { 0 };
    struct pack_head h;
    struct head_now now;
    struct snap *snap;
    int64_t owner = 0;
    enum bough_rc rc;

    *out = st;
    if (st->valid)
        return BOUGH_OK;
    rc = prep_snap(p, &snap, err);
    if (!rc)
        rc = snap_identity(snap, sid, &st->identity, err);
    if (!rc)
        rc = session_groups(snap, p->a, sid, st->groups, err);
    if (!rc)
        rc = snap->ops->head_get(snap->v, p->a, sid, &now, err);
    if (!rc && now.row.bid)
        rc = snap_branch(snap, now.row.bid, &b, err);
    if (rc)
        return rc;
    st->row = now.row;
    st->row.lease_owner = "";
    st->depth = now.depth;
    st->tip = now.tip;
    st->own = b.sid == sid;
    st->mno = 0;
    if (now.row.bid)
        rc =
            path_owner(snap, (struct bough_head){ now.row.bid, now.depth }, now.depth, &owner, err);
    if (!rc && owner && now.depth) {
        rc = entry_head_at(snap, (struct bough_head){ owner, now.depth }, &h, err);
        st->mno = h.mno;
    }
    st->valid = !rc;
    return rc;
}

/* ---- where the entries go ---- */

struct place {
    bool fresh; /* start a new branch whose parent slot is (parent, base) */
    int64_t bid, parent, base;
    int64_t mno;
};

/* Append after an entry that is not the head. Continue its branch if this session owns the branch
 * and the entry is its tip; otherwise start a new branch (U3). */
static enum bough_rc place_at(struct prep *p, struct append_job *j, struct place *out,
                              struct bough_error *err)
{
    struct branch_row b;
    struct pack_head h;
    struct snap *snap;
    int64_t tip;
    enum bough_rc rc;

    if (!j->at.branch) {
        *out = (struct place){ .fresh = true };
        return BOUGH_OK;
    }
    rc = prep_snap(p, &snap, err);
    if (!rc)
        rc = snap_branch(snap, j->at.branch, &b, err);
    if (!rc)
        rc = snap->ops->branch_tip(snap->v, &b, &tip, err);
    if (!rc)
        rc = entry_head_at(snap, j->at, &h, err);
    if (rc)
        return rc;
    *out = (struct place){ .mno = h.mno, .bid = b.bid, .base = j->at.depth };
    if (b.sid != j->sid || tip != j->at.depth) {
        out->fresh = true;
        out->parent = j->at.branch;
        txn_guard(p, guard_entry(j->at.branch, j->at.depth));
    }
    return BOUGH_OK;
}

static enum bough_rc place_head(struct prep *p, const struct session_state *st, struct place *out,
                                struct bough_error *err)
{
    struct snap *snap;
    enum bough_rc rc = BOUGH_OK;

    *out = (struct place){ .mno = st->mno, .bid = st->row.bid, .base = st->depth };
    if (st->row.bid && st->own && st->depth == st->tip)
        return BOUGH_OK;
    out->fresh = true;
    if (!st->row.bid)
        return BOUGH_OK;
    rc = prep_snap(p, &snap, err);
    if (!rc) /* the branch that owns the entry, which may be an ancestor (U2) */
        rc = path_owner(snap, (struct bough_head){ st->row.bid, st->depth }, st->depth,
                        &out->parent, err);
    return rc;
}

/* ---- the txn ---- */

/* Does `owner` hold the lease, with the epoch that is asked for? */
static enum bough_rc check_owner(const struct prep *p, const struct append_job *j,
                                 const char *owner, const struct head_row *row,
                                 struct bough_error *err)
{
    if (strcmp(row->lease_owner, owner) == 0 && row->lease_expires > p->now &&
        (!j->epoch || j->epoch == row->lease_epoch))
        return BOUGH_OK;
    return bough_fail(err, BOUGH_LEASE_LOST, "%.60s does not hold the lease of session #%lld",
                      owner, (long long)j->sid);
}

/* `owner` must hold the lease; without it, nobody but `as` may hold it. The cached state lacks the
 * owner, so a snapshot is read if there is a lease that counts. */
static enum bough_rc check_lease(struct prep *p, const struct append_job *j,
                                 const struct session_state *st, struct bough_error *err)
{
    bool lives = st->row.status == BOUGH_STATUS_BUSY && st->row.lease_expires > p->now;
    struct head_now now;
    struct snap *snap;
    enum bough_rc rc;

    if (cstr_empty(j->owner) && !j->epoch && (!j->heed_lease || !lives))
        return BOUGH_OK;
    rc = prep_snap(p, &snap, err);
    if (!rc)
        rc = snap->ops->head_get(snap->v, p->a, j->sid, &now, err);
    if (rc)
        return rc;
    if (!cstr_empty(j->owner) || j->epoch)
        return check_owner(p, j,
                           !cstr_empty(j->owner) ? j->owner
                           : j->as               ? j->as
                                                 : "",
                           &now.row, err);
    if (!*now.row.lease_owner || strcmp(now.row.lease_owner, j->as ? j->as : "") == 0)
        return BOUGH_OK;
    return bough_fail(err, BOUGH_BUSY, "session #%lld is busy: %.80s has it since %lld",
                      (long long)j->sid, now.row.lease_owner, (long long)now.row.lease_since);
}

static enum bough_rc check_state(struct prep *p, const struct append_job *j,
                                 const struct session_state *st, struct bough_error *err)
{
    enum bough_rc rc;

    if (check_writable(&st->row, err))
        return BOUGH_ARCHIVED;
    if (j->expect_head &&
        (j->expect_head->branch != st->row.bid || j->expect_head->depth != st->depth)) {
        rc = bough_fail(err, BOUGH_CONFLICT, "the head is at #%lld.%lld, not at #%lld.%lld",
                        (long long)st->row.bid, (long long)st->depth,
                        (long long)j->expect_head->branch, (long long)j->expect_head->depth);
        if (err)
            err->head = (struct bough_head){ st->row.bid, st->depth };
        return rc;
    }
    return check_lease(p, j, st, err);
}

/* The lease row of an open message. */
static void add_lease(struct prep *p, const struct append_job *j, int64_t bid, int64_t depth)
{
    struct open_row row = *j->open;

    row.bid = bid;
    row.depth = depth;
    row.sid = j->sid;
    row.ver = row.epoch = 1;
    row.since = p->now;
    row.expires = lease_end(p->now, row.lease_ms);
    txn_change(p, CHANGE_OPEN_ADD)->u.open = row;
}

static void add_entry(struct prep *p, struct append_job *j, struct plan_entry *pe, int64_t bid)
{
    struct change *c = txn_change(p, CHANGE_ENTRY_ADD);
    bool open = j->open && pe == &j->plan.entries[j->plan.n - 1];

    c->call_new = pe->call_new;
    c->u.entry = (struct entry_row){ .bid = bid,
                                     .depth = pe->e.at.depth,
                                     .kind = pe->e.kind,
                                     .mask = pe->mask | (open ? MASK_OPEN : 0),
                                     .body = pack_entry(p->a, &pe->e, &pe->x, &pe->tail) };
    blob_link(p, &pe->blobs, bid, pe->e.at.depth);
    if (!cstr_empty(pe->id))
        txn_change(p, CHANGE_ALIAS_ADD)->u.alias = (struct alias_row){
            .id = pe->id, .scope = j->sid, .what = ALIAS_ENTRY, .a = bid, .b = pe->e.at.depth
        };
    if (open)
        add_lease(p, j, bid, pe->e.at.depth);
}

/* If one append renames the session several times, only the last name counts. */
static bool renamed_later(const struct append_job *j, const struct plan_entry *pe)
{
    for (const struct plan_entry *i = pe + 1; i < j->plan.entries + j->plan.n; i++)
        if (i->e.kind == BOUGH_ENTRY_SESSION_INFO)
            return true;
    return false;
}

static enum bough_rc add_meaning(struct prep *p, struct append_job *j, const struct plan_entry *pe,
                                 struct bough_error *err)
{
    struct label_body label = { .text = pe->label, .time = pe->e.time ? pe->e.time : p->now };
    struct session_loaded l;
    struct bough_entry *target;
    struct snap *snap;
    struct change *c;
    enum bough_rc rc;

    if (pe->e.kind != BOUGH_ENTRY_LABEL && pe->e.kind != BOUGH_ENTRY_SESSION_INFO)
        return BOUGH_OK;
    rc = prep_snap(p, &snap, err);
    if (rc)
        return rc;
    if (pe->e.kind == BOUGH_ENTRY_LABEL) {
        rc = entry_load(snap, p->a, pe->label_target, &target, err);
        if (rc)
            return rc;
        label.entry = target->id;
        label.bid = pe->label_target.branch;
        label.depth = pe->label_target.depth;
        c = txn_change(p, CHANGE_RECORD_PUT);
        c->u.record = (struct record_row){ .sid = j->sid,
                                           .kind = RECORD_LABEL,
                                           .body = body_pack(p->a, label_fields, &label) };
        return BOUGH_OK;
    }
    if (renamed_later(j, pe))
        return BOUGH_OK;
    rc = session_load(snap, p->a, j->sid, &l, err);
    if (rc)
        return rc;
    l.body.title = pe->title;
    c = txn_change(p, CHANGE_SESSION_SET);
    c->u.session.row = l.row;
    c->u.session.row.body = body_pack(p->a, session_fields, &l.body);
    return BOUGH_OK;
}

/* The head row changes only if the head leaves its branch, was pinned, or must not follow the
 * tip. */
static bool head_moves(const struct append_job *j, const struct session_state *st,
                       const struct place *pl, int64_t bid)
{
    bool with_it = !pl->fresh && bid == st->row.bid && st->row.depth == 0;

    return j->extra || (j->plan.n && (j->keep_head == with_it || j->touch_head));
}

static enum bough_rc move_head(struct prep *p, struct append_job *j, const struct session_state *st,
                               const struct place *pl, int64_t bid, struct bough_error *err)
{
    struct head_row row = st->row;
    struct head_now now;
    struct snap *snap;
    enum bough_rc rc = BOUGH_OK;

    if (!head_moves(j, st, pl, bid))
        return BOUGH_OK;
    if (j->extra) {
        row.status = j->extra->lease.status;
        row.lease_epoch = j->extra->lease.lease_epoch;
        row.lease_since = j->extra->lease.lease_since;
        row.lease_expires = j->extra->lease.lease_expires;
        row.lease_owner = j->extra->lease.lease_owner;
    } else if (row.lease_expires || row.lease_since) { /* the cached state lacks the owner */
        rc = prep_snap(p, &snap, err);
        if (!rc)
            rc = snap->ops->head_get(snap->v, p->a, j->sid, &now, err);
        if (rc)
            return rc;
        row.lease_owner = now.row.lease_owner;
    }
    row.sid = j->sid;
    row.bid = j->keep_head ? st->row.bid : bid;
    row.depth = j->keep_head ? st->depth : 0;
    txn_change(p, CHANGE_HEAD_SET)->u.head = row;
    return BOUGH_OK;
}

static bool changes_head(const struct txn *t)
{
    for (size_t i = 0; i < t->nchanges; i++)
        if (t->changes[i].op == CHANGE_HEAD_SET)
            return true;
    return false;
}

/* Update the cached state as if the txn had committed: the next append of the batch builds on
 * it. */
static void predict(struct prep *p, struct append_job *j, struct session_state *st,
                    const struct place *pl, int64_t mno)
{
    bool moved = changes_head(p->t);

    if (!j->plan.n)
        return;
    if (pl->fresh || j->extra || (j->at_set && j->at.branch != st->row.bid)) {
        st->valid = false;
        return;
    }
    st->tip = pl->base + (int64_t)j->plan.n;
    if (moved) {
        st->row.ver++;
        st->row.depth = j->keep_head ? st->depth : 0;
    }
    if (!j->keep_head) {
        st->depth = st->tip;
        st->mno = mno;
    }
}

/* Drop keep_from if the entry that data names is not on the path (U14). A depth that was given must
 * be on it. */
static enum bough_rc settle_kept(struct prep *p, struct append_job *j, struct plan_entry *pe,
                                 const struct place *pl, struct bough_error *err)
{
    struct bough_head end = { pl->fresh ? pl->parent : pl->bid, pl->base };
    struct snap *snap;
    int64_t owner = 0;
    enum bough_rc rc;

    if (!pe->kept.branch && pe->e.keep_from <= pe->e.at.depth)
        return BOUGH_OK;
    if (!pe->kept.branch)
        return bough_fail(err, BOUGH_INVALID,
                          "a compaction at depth %lld keeps entries from a depth up to that, not "
                          "%lld; leave keep_from out to keep none",
                          (long long)pe->e.at.depth, (long long)pe->e.keep_from);
    rc = prep_snap(p, &snap, err);
    if (!rc)
        rc = path_owner(snap, end, pe->kept.depth, &owner, err);
    if (rc || (owner && owner == pe->kept.branch && pe->kept.depth <= pl->base))
        return rc;
    pe->e.keep_from = 0;
    plan_repack(j->s, p->a, pe);
    return BOUGH_OK;
}

/* A call named by an entry must not be deleted. No guard is needed: deleting a call changes the
 * head row's version. */
static enum bough_rc check_call(struct prep *p, const struct append_job *j,
                                const struct plan_entry *pe, struct bough_error *err)
{
    struct record_row row;
    struct snap *snap = NULL;
    enum bough_rc rc = cstr_empty(pe->call) ? BOUGH_OK : prep_snap(p, &snap, err);

    if (rc || !snap)
        return rc;
    rc = snap->ops->record_get(snap->v, p->a, j->sid, RECORD_CALL, pe->x.call_ord, &row, err);
    if (!rc && row.deleted)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "no call %.40s in this session", pe->call);
    return rc;
}

static enum bough_rc add_entries(struct prep *p, struct append_job *j, const struct place *pl,
                                 int64_t bid, int64_t *mno, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < j->plan.n && !rc; i++) {
        struct plan_entry *pe = &j->plan.entries[i];

        pe->e.at = (struct bough_head){ bid, pl->base + 1 + (int64_t)i };
        *mno += pe->e.kind == BOUGH_ENTRY_MESSAGE;
        pe->e.mno = *mno;
        if (i == 0)
            j->first_mno = *mno;
        rc = settle_kept(p, j, pe, pl, err);
        if (!rc)
            rc = check_call(p, j, pe, err);
        if (!rc)
            rc = blob_permit(p, j->sid, &pe->blobs, &j->restore, err);
        if (rc)
            break;
        add_entry(p, j, pe, bid);
        rc = add_meaning(p, j, pe, err);
    }
    return rc;
}

static void write_log(struct prep *p, const struct append_job *j, const struct place *pl,
                      int64_t bid)
{
    txn_changelog(p, j->open ? CHANGELOG_OPEN : CHANGELOG_APPEND, j->sid,
                  j->plan.n ? (int64_t)j->plan.n : 1);
    if (j->plan.n) {
        p->t->log.bid = bid;
        p->t->log.depth = pl->base + (int64_t)j->plan.n;
    }
    if (j->plan.ncalls) {
        p->t->log.record = NEW_RECORD(0);
        p->t->log.ncalls = (int64_t)j->plan.ncalls;
    }
    if (j->extra) {
        p->t->log.kind = j->extra->log;
        p->t->log.record = j->extra->record;
        p->t->log.aux = j->extra->aux;
    }
}

static void put_seen(struct prep *p, const struct append_job *j, int64_t bid, int64_t depth)
{
    for (size_t i = 0; i < j->nseen; i++) {
        struct seen_row *row = &txn_change(p, CHANGE_SEEN_ADD)->u.seen;

        *row = j->seen[i];
        row->bid = row->bid == SEEN_OF_ENTRY ? bid : row->bid;
        row->depth = row->bid ? depth : row->depth;
    }
}

static void put_key(struct prep *p, const struct append_job *j, const struct session_state *st)
{
    struct change *c;

    if (!j->key)
        return;
    c = txn_change(p, CHANGE_KEY_PUT);
    c->u.key.key = j->key;
    c->u.key.expires = p->now + KEY_DAYS_MS;
    memcpy(c->u.key.hash, j->hash, sizeof j->hash);
    if (!j->plan.n || j->keep_head) {
        c->u.key.bid = st->row.bid;
        c->u.key.depth = st->depth;
    }
}

enum bough_rc append_prepare(struct prep *p, void *job, struct bough_error *err)
{
    struct append_job *j = job;
    struct session_state *st;
    struct place pl = { 0 };
    int64_t bid, mno;
    enum bough_rc rc = state_load(p, j->sid, &st, err);

    if (!rc)
        rc = check_state(p, j, st, err);
    if (!rc)
        rc = j->at_set ? place_at(p, j, &pl, err) : place_head(p, st, &pl, err);
    if (rc)
        return rc;
    if (pl.base + (int64_t)j->plan.n > LIMIT_DEPTH)
        return bough_fail(err, BOUGH_FULL, "a path holds at most %lld entries",
                          (long long)LIMIT_DEPTH);
    txn_guard(p, guard_head(j->sid, st->row.ver));
    put_key(p, j, st); /* first: a used key must lose before any other change does */
    plan_add_calls(p, &j->plan, j->sid, st->groups);
    bid = pl.fresh ? NEW_BRANCH(0) : pl.bid;
    if (pl.fresh && j->plan.n)
        txn_change(p, CHANGE_BRANCH_NEW)->u.branch =
            (struct branch_row){ .sid = j->sid, .parent = pl.parent, .base = pl.base };
    mno = pl.mno;
    if (j->extra)
        rc = j->extra->add(p, j, pl.base + 1, err);
    if (!rc)
        rc = add_entries(p, j, &pl, bid, &mno, err);
    put_seen(p, j, bid, pl.base + (int64_t)j->plan.n);
    if (!rc)
        rc = move_head(p, j, st, &pl, bid, err);
    if (rc)
        return rc;
    write_log(p, j, &pl, bid);
    j->first = (struct bough_head){ bid, pl.base + 1 };
    j->before = (struct bough_head){ st->row.bid, st->depth };
    predict(p, j, st, &pl, mno);
    return BOUGH_OK;
}

void append_done(struct engine *e, const struct txn *t, void *job)
{
    struct append_job *j = job;

    (void)e;
    if (j->first.branch < 0)
        j->first.branch = t->bids[0];
}
