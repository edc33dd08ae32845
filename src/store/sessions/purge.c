/* Purge a session: remove its rows except those that forks still show. */
#include "store/sessions/purge.h"

#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/required.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "store/contract/id.h"
#include "store/lookup/blob.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/sessions/cuts.h"
#include "store/sessions/session.h"
#include "store/write/audit.h"

/* Alias in the session's scope while a purge is unfinished. Added by the txn that hides the
 * session; the last slice removes it with the session's other aliases. */
#define PURGING "\x1fpurging"

enum { SLICE = 1000 }; /* rows per transaction, to keep other writers' waits short */

/* ---- hiding the session ---- */

struct hiding {
    struct bough_store *s;
    int64_t sid;
    bool pending; /* the changelog has pending rows: fold and retry */
};

static bool concerns(void *user, const struct changelog_row *row)
{
    struct hiding *h = user;

    /* Any pending row may change this session's totals through its subagents, so wait for all. */
    h->pending = true;
    (void)row;
    return false;
}

/* The sum of a purged session. `spend`: what it spent by day and model. */
static void put_sum(struct prep *p, int64_t sid, int64_t project, const struct bough_totals *sum,
                    struct bough_str spend)
{
    struct adjust_body body = { .made = p->now,
                                .chk = (int64_t)(env_u64(&p->e->env) & 0xffff),
                                .delta = *sum,
                                .time = p->now,
                                .project = project,
                                .rolls = sid != 0,
                                .why = SPEND_WHY_PURGED,
                                .spend = spend };

    txn_change(p, CHANGE_RECORD_PUT)->u.record = (struct record_row){
        .sid = sid, .kind = RECORD_ADJUST, .body = body_pack(p->a, adjust_fields, &body)
    };
}

enum bough_rc purge_heir(struct snap *snap, int64_t sid, int64_t *heir, struct bough_error *err)
{
    struct identity who;
    bool purged = true;
    enum bough_rc rc = snap_identity(snap, sid, &who, err);

    *heir = 0;
    while (!rc && who.kind == BOUGH_SUBAGENT && who.parent) {
        rc = snap_purged(snap, who.parent, &purged, err);
        if (!rc && !purged) {
            *heir = who.parent;
            return BOUGH_OK;
        }
        if (!rc)
            rc = snap_identity(snap, who.parent, &who, err);
    }
    return rc;
}

struct spent {
    struct bough_arena *a;
    const struct session_body *of;
    struct spend_row *at;
    size_t n;
};

static bool push_spent(void *user, const struct spend_row *row)
{
    struct spent *s = user;
    struct spend_row left = spend_inherited(row, 0, s->of->project, s->of->account);

    for (size_t i = s->n; i-- > 0;) /* models of one day are next to each other */
        if (s->at[i].day == left.day && s->at[i].project == left.project &&
            s->at[i].account == left.account && strcmp(s->at[i].principal, left.principal) == 0) {
            spend_add(&s->at[i], &left);
            return true;
        }
    left.principal = arena_strdup(s->a, left.principal);
    s->at = arena_room(s->a, s->at, s->n, sizeof *s->at);
    s->at[s->n++] = left;
    return true;
}

/* What the session spent by day and model. Nothing is pending, so the stored rows are complete. */
static enum bough_rc spent_by(struct prep *p, struct snap *snap, const struct session_loaded *l,
                              struct bough_str *out, bool *any, struct bough_error *err)
{
    struct spend_query q = {
        .from = INT64_MIN / 2, .to = INT64_MAX, .sids = &l->row.sid, .nsids = 1, .within = true
    };
    struct spent s = { .a = p->a, .of = &l->body };
    enum bough_rc rc = snap->ops->spend_scan(snap->v, &q, push_spent, &s, err);

    *any = s.n > 0;
    *out = spend_pack(p->a, s.at, s.n);
    return rc;
}

/* Preserve the totals: the sum of its calls becomes an adjustment of its heir, its own adjustments
 * become one of the store. */
static enum bough_rc fold_money(struct prep *p, struct snap *snap, const struct session_loaded *l,
                                const struct list_body *b, struct bough_error *err)
{
    int64_t heir;
    enum bough_rc rc = purge_heir(snap, l->row.sid, &heir, err);
    struct bough_totals calls = b->own, rest = b->adjust, neg;
    struct bough_str spend;
    bool made_calls = false;

    if (!rc)
        rc = spent_by(p, snap, l, &spend, &made_calls, err);
    if (rc)
        return rc;
    if (!totals_add(&calls, &b->rolls) || !totals_neg(&b->rolls, &neg) || !totals_add(&rest, &neg))
        return bough_fail(err, BOUGH_FULL, "the totals of this session do not fit a number");
    if (heir && (made_calls || !totals_is_zero(&calls))) {
        put_sum(p, heir, 0, &calls, spend);
        p->t->log.heir = heir;
        p->t->log.record = NEW_RECORD(0);
        spend = str_of("[]");
        made_calls = false;
    } else if (!totals_add(&rest, &calls)) {
        return bough_fail(err, BOUGH_FULL, "the totals of this session do not fit a number");
    }
    if (made_calls || !totals_is_zero(&rest))
        put_sum(p, 0, l->body.project, &rest, spend);
    return BOUGH_OK;
}

static enum bough_rc prepare_hide(struct prep *p, void *user, struct bough_error *err)
{
    struct hiding *h = user;
    struct session_loaded l;
    struct summary shown;
    struct change *c;
    struct snap *snap;
    char id[BOUGH_ID_LEN + 1];
    int64_t from;
    enum bough_rc rc = prep_snap(p, &snap, err);

    h->pending = false;
    if (!rc)
        rc = session_load(snap, p->a, h->sid, &l, err);
    if (!rc)
        rc = snap->ops->watermark(snap->v, &from, err);
    if (!rc)
        rc = snap->ops->changelog_scan(snap->v, from, concerns, h, err);
    if (!rc && h->pending)
        return bough_fail(err, BOUGH_CONFLICT, "the lists are behind");
    if (!rc)
        rc = summary_get(snap, p->a, h->sid, &shown, err);
    if (rc)
        return rc;
    txn_guard(p, guard_watermark(from));
    txn_changelog(p, CHANGELOG_PURGE, h->sid, 1);
    rc = fold_money(p, snap, &l, &shown.body, err);
    if (rc)
        return rc;
    c = txn_change(p, CHANGE_SESSION_SET);
    c->u.session.row = l.row;
    c->u.session.row.purged = true;
    c->u.session.row.slug = "";
    c->u.session.row.body = str_of("");
    l.head.row.bid = l.head.row.depth = 0;
    l.head.row.status = BOUGH_STATUS_IDLE;
    l.head.row.deleted = l.head.row.deleted ? l.head.row.deleted : p->now;
    l.head.row.lease_owner = "";
    txn_change(p, CHANGE_HEAD_SET)->u.head = l.head.row;
    txn_change(p, CHANGE_ALIAS_ADD)->u.alias =
        (struct alias_row){ .id = PURGING, .scope = h->sid, .what = ALIAS_SESSION, .a = h->sid };
    id_session(l.row.made, l.row.sid, l.row.chk, id);
    audit_put(p, h->s->principal, "purge", arena_strdup(p->a, id), "");
    return BOUGH_OK;
}

static enum bough_rc hide(struct bough_store *s, struct bough_arena *a, int64_t sid,
                          struct bough_error *err)
{
    struct hiding h = { .s = s, .sid = sid };
    struct deadline p = store_deadline(s);
    enum bough_rc rc;

    do {
        struct request r = { .prepare = prepare_hide, .user = &h, .sid = sid };

        rc = commit_queue_upkeep(s->e, &p, err);
        if (!rc)
            rc = write_run(s, a, &r, err);
    } while (rc == BOUGH_CONFLICT && h.pending && mono_us() < p.until_us);
    return rc;
}

/* ---- removing its rows ---- */

static enum bough_rc remove_rows(struct bough_store *s, int64_t sid, int64_t *entries,
                                 int64_t *records, struct bough_error *err)
{
    struct deadline p = store_deadline(s);
    bool left = true;
    enum bough_rc rc = BOUGH_OK;

    while (left && !rc)
        rc = role_purge_slice(s->e, sid, SLICE, &left, entries, records, &p, err);
    return rc;
}

/* Recompute the cuts of a purged session and remove the entries below them. */
static enum bough_rc shrink(struct bough_store *s, int64_t sid, struct keepers *keepers,
                            int64_t *kept, int64_t *entries, int64_t *records,
                            struct bough_error *err)
{
    struct branches bs = { 0 };
    struct deadline p = store_deadline(s);
    struct cuts cuts;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    cuts_init(&cuts, &snap);
    rc = cuts_of(&cuts, sid, &bs, keepers, err);
    cuts_finish(&cuts);
    snap_end(&snap);
    if (!rc)
        rc = role_branch_cut(s->e, bs.at, bs.n, &p, err);
    for (size_t i = 0; i < bs.n; i++)
        *kept += bs.at[i].cut - bs.at[i].base;
    mem_free(bs.at);
    return rc ? rc : remove_rows(s, sid, entries, records, err);
}

/* Shrink purged ancestors whose entries only this session still showed. */
static enum bough_rc shrink_ancestors(struct bough_store *s, const struct branches *bs,
                                      int64_t *entries, int64_t *records, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < bs->n && !rc; i++) {
        int64_t bid = bs->at[i].parent, seen = 0;

        while (bid && !rc) {
            struct branch_row b = { 0 };
            bool purged = false;
            struct snap snap;
            int64_t kept = 0;

            rc = snap_begin(s, &snap, err);
            if (rc)
                break;
            rc = snap_branch(&snap, bid, &b, err);
            if (!rc)
                rc = snap_purged(&snap, b.sid, &purged, err);
            snap_end(&snap);
            if (rc || !purged)
                break;
            if (b.sid != seen)
                rc = shrink(s, b.sid, NULL, &kept, entries, records, err);
            seen = b.sid;
            bid = b.parent;
        }
    }
    return rc;
}

/* ---- reports and the public call ---- */

struct ids {
    struct bough_arena *a;
    const char **at;
    size_t n;
};

static void push_id(struct ids *ids, int64_t made, int64_t sid, int64_t chk)
{
    char *id = arena_alloc(ids->a, BOUGH_ID_LEN + 1);

    id_session(made, sid, chk, id);
    ids->at = arena_room(ids->a, ids->at, ids->n, sizeof *ids->at);
    ids->at[ids->n++] = id;
}

static bool push_child(void *user, const struct session_row *row)
{
    if (!row->purged)
        push_id(user, row->made, row->sid, row->chk);
    return true;
}

static enum bough_rc report_children(struct bough_store *s, struct bough_arena *a, int64_t sid,
                                     struct branches *bs, struct bough_session_purge_result *out,
                                     struct bough_error *err)
{
    struct ids ids = { .a = a };
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = snap.ops->session_children(snap.v, sid, push_child, &ids, err);
    if (!rc)
        rc = snap.ops->branch_of(snap.v, sid, branches_keep, bs, err);
    snap_end(&snap);
    out->detached = ids.at;
    out->ndetached = ids.n;
    return rc;
}

static void report_keepers(struct bough_store *s, struct bough_arena *a,
                           const struct keepers *keepers, struct bough_session_purge_result *out)
{
    struct ids ids = { .a = a };
    struct snap snap;
    struct identity who;
    bool purged;

    if (snap_begin(s, &snap, NULL))
        return;
    for (size_t i = 0; i < keepers->n; i++)
        if (!snap_purged(&snap, keepers->at[i], &purged, NULL) && !purged &&
            snap_identity(&snap, keepers->at[i], &who, NULL) == BOUGH_OK)
            push_id(&ids, who.made, who.sid, who.chk);
    snap_end(&snap);
    out->keepers = ids.at;
    out->nkeepers = ids.n;
}

enum bough_rc bough_session_purge(struct bough_store *s, struct bough_arena *a, const char *id,
                                  struct bough_session_purge_result *out, struct bough_error *err)
{
    REQUIRE(s && a, err);

    struct bough_session_purge_result none = { 0 };
    struct keepers keepers = { 0 };
    struct branches bs = { 0 };
    int64_t sid;
    enum bough_rc rc;

    out = out ? out : &none;
    *out = (struct bough_session_purge_result){ 0 };
    rc = find_session_fast(s, id, &sid, err);
    if (!rc)
        rc = report_children(s, a, sid, &bs, out, err);
    if (!rc)
        rc = hide(s, a, sid, err);
    if (!rc)
        rc = shrink(s, sid, &keepers, &out->kept, &out->entries, &out->records, err);
    if (!rc) {
        report_keepers(s, a, &keepers, out);
        rc = shrink_ancestors(s, &bs, &out->entries, &out->records, err);
    }
    if (!rc) {
        struct deadline p = store_deadline(s);

        rc = role_sweep(s->e, 0, &p, err);
    }
    mem_free(bs.at);
    return rc;
}

/* ---- after a crash ---- */

struct unfinished {
    int64_t sids[256];
    size_t n;
};

static bool note_unfinished(void *user, const struct alias_row *row)
{
    struct unfinished *u = user;

    if (u->n < sizeof u->sids / sizeof *u->sids)
        u->sids[u->n++] = row->scope;
    return true;
}

enum bough_rc purge_resume(struct bough_store *s, struct bough_error *err)
{
    struct unfinished u = { .n = 0 };
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = snap.ops->alias_find(snap.v, PURGING, -1, note_unfinished, &u, err);
    snap_end(&snap);
    for (size_t i = 0; i < u.n && !rc; i++) {
        int64_t kept = 0, entries = 0, records = 0;

        rc = shrink(s, u.sids[i], NULL, &kept, &entries, &records, err);
    }
    return rc;
}
