/* Open messages: reading their rows, and sealing them. */
#include "store/live/open_message.h"

#include <string.h>

#include "base/limits.h"
#include "base/os/process.h"
#include "base/text/str.h"
#include "store/lookup/blob.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/write/plan.h"

struct get {
    struct bough_arena *a;
    struct open_row *out;
    bool there;
};

static bool take_row(void *user, const struct open_row *row)
{
    struct get *g = user;

    *g->out = *row;
    g->out->owner = arena_strdup(g->a, row->owner);
    g->out->process = arena_strdup(g->a, row->process);
    g->out->wanted = arena_strdup(g->a, row->wanted);
    g->there = true;
    return false;
}

enum bough_rc open_get(struct snap *snap, struct bough_arena *a, struct bough_head at,
                       struct open_row *out, bool *there, struct bough_error *err)
{
    struct get g = { a, out, false };
    enum bough_rc rc =
        snap->ops->open_scan(snap->v, at.branch, at.depth, at.depth, take_row, &g, err);

    *there = g.there;
    return rc;
}

bool open_expired(const struct open_row *row, int64_t now)
{
    return row->expires <= now || (!row->client && process_dead(row->process));
}

struct gather {
    struct draft *d;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool take_draft(void *user, const struct draft_row *row)
{
    struct gather *g = user;

    g->rc = draft_unpack(g->d, row->body, row->step, g->err);
    if (!g->rc && (int64_t)draft_size(g->d) != row->end)
        g->rc = bough_fail(g->err, BOUGH_CORRUPT, "steps of message #%lld.%lld are missing",
                           (long long)row->bid, (long long)row->depth);
    return !g->rc;
}

enum bough_rc open_drafts(struct snap *snap, struct bough_head at, struct draft *d,
                          struct bough_error *err)
{
    struct gather g = { d, BOUGH_OK, err };
    enum bough_rc rc = snap->ops->draft_scan(snap->v, at.branch, at.depth, (int64_t)draft_size(d),
                                             take_draft, &g, err);

    return rc ? rc : g.rc;
}

enum bough_rc open_refused(struct snap *snap, struct bough_head at, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct bough_entry *e;
    enum bough_rc rc = entry_load(snap, tmp, at, &e, err);

    if (!rc && strcmp(e->finish, "interrupted") == 0)
        rc = bough_fail(err, BOUGH_LEASE_LOST,
                        "message %s was sealed as interrupted: its lease was over", e->id);
    else if (!rc)
        rc = bough_fail(err, BOUGH_CONFLICT, "message %s is sealed", e->id);
    bough_arena_destroy(tmp);
    return rc;
}

enum bough_rc open_held(struct prep *p, struct bough_head at, int64_t epoch, struct open_row *out,
                        struct bough_error *err)
{
    struct snap *snap;
    bool there = false;
    enum bough_rc rc = prep_snap(p, &snap, err);

    *out = (struct open_row){ 0 };
    if (!rc)
        rc = open_get(snap, p->a, at, out, &there, err);
    if (rc)
        return rc;
    if (!there)
        return open_refused(snap, at, err);
    return out->epoch == epoch
               ? BOUGH_OK
               : bough_fail(err, BOUGH_LEASE_LOST, "another writer has taken over this message");
}

/* ---- paths ---- */

static bool first_open(void *user, const struct open_row *row)
{
    *(struct bough_head *)user = (struct bough_head){ row->bid, row->depth };
    return false;
}

/* An open message on the path to `at`, in the run nearest to it. Branch 0: there is none. */
static enum bough_rc find_open(struct snap *snap, struct bough_head at, struct bough_head *out,
                               struct bough_error *err)
{
    struct bough_arena *tmp;
    struct segs segs;
    enum bough_rc rc;

    *out = (struct bough_head){ 0, 0 };
    rc = snap->ops->open_scan(snap->v, 0, 0, 0, first_open, out, err);
    if (rc || !out->branch) /* usual case: no message is open in the whole store */
        return rc;
    *out = (struct bough_head){ 0, 0 };
    tmp = bough_arena_create();
    rc = path_segs(snap, tmp, at, 1, &segs, err);
    for (size_t i = 0; i < segs.n && !rc && !out->branch; i++)
        rc = snap->ops->open_scan(snap->v, segs.at[i].bid, segs.at[i].from, segs.at[i].to,
                                  first_open, out, err);
    bough_arena_destroy(tmp);
    return rc;
}

enum bough_rc open_none_on(struct snap *snap, struct bough_head at, struct bough_error *err)
{
    struct bough_head open;
    enum bough_rc rc = find_open(snap, at, &open, err);

    if (rc || !open.branch)
        return rc;
    return bough_fail(err, BOUGH_CONFLICT, "message #%lld.%lld is still being written",
                      (long long)open.branch, (long long)open.depth);
}

/* ---- sealing ---- */

/* The entry as the caller would append it now: what was given when it was opened, plus the seal. */
static struct bough_entry_new whole(const struct bough_entry *was, const struct bough_str *parts,
                                    size_t n, const struct bough_message_seal_options *seal)
{
    return (struct bough_entry_new){
        .kind = was->kind,
        .role = was->role,
        .parts = parts,
        .nparts = n,
        .time = was->time,
        .id = was->origin,
        .finish = seal->finish ? seal->finish : was->finish,
        .error = seal->error.n ? seal->error : was->error,
        .data = seal->data.n ? seal->data : was->data,
        .metadata = seal->metadata.n ? seal->metadata : was->metadata,
        .usage = seal->usage,
        .duration = seal->duration ? seal->duration : was->duration,
        .by_call = seal->call != NULL,
    };
}

enum bough_rc open_plan(struct bough_store *s, struct bough_arena *a, struct bough_head at,
                        const struct bough_part *parts, size_t nparts,
                        const struct bough_message_seal_options *seal, struct sealing *out,
                        struct bough_error *err)
{
    struct bough_str *spans = arena_array(a, nparts + 1, sizeof *spans);
    struct bough_entry_new in;
    struct entry_row stored;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    for (size_t i = 0; i < nparts; i++)
        spans[i] = parts[i].json;
    rc = snap.ops->entry_get(snap.v, a, at.branch, at.depth, &stored, err);
    snap_end(&snap);
    if (!rc && !(stored.mask & MASK_OPEN))
        rc = bough_fail(err, BOUGH_CORRUPT,
                        "message #%lld.%lld has a lease, but nobody is writing it: run bough fsck",
                        (long long)at.branch, (long long)at.depth);
    if (!rc)
        rc = pack_entry_read(a, stored.body, &out->was, &out->x, err);
    if (rc)
        return rc;
    in = whole(&out->was, spans, nparts, seal);
    return plan_build(s, a, &in, 1, seal->call, &out->plan, err);
}

static void add_sealed(struct prep *p, const struct open_row *row, struct sealing *x)
{
    struct plan_entry *pe = &x->plan.entries[0];
    struct bough_str body;
    struct change *c;

    pe->e.at = (struct bough_head){ row->bid, row->depth };
    pe->e.mno = x->was.mno;
    pe->x.made = x->x.made;
    pe->x.chk = x->x.chk;
    body = pack_entry(p->a, &pe->e, &pe->x, &pe->tail);
    pack_entry_patch((char *)(uintptr_t)body.p, x->was.no, 0);
    c = txn_change(p, CHANGE_ENTRY_SEAL);
    c->call_new = pe->call_new;
    c->u.entry = (struct entry_row){
        .bid = row->bid, .depth = row->depth, .kind = pe->e.kind, .mask = pe->mask, .body = body
    };
    blob_link(p, &pe->blobs, row->bid, row->depth);
    txn_change(p, CHANGE_OPEN_DEL)->u.open = *row;
}

enum bough_rc open_seal(struct prep *p, const struct open_row *row, struct sealing *x,
                        struct bough_error *err)
{
    enum bough_rc rc = blob_permit(p, row->sid, &x->plan.entries[0].blobs, &x->restore, err);
    int64_t groups[2];
    struct snap *snap;

    if (!rc && x->plan.ncalls)
        rc = prep_snap(p, &snap, err);
    if (!rc && x->plan.ncalls)
        rc = session_groups(snap, p->a, row->sid, groups, err);
    if (rc)
        return rc;
    plan_add_calls(p, &x->plan, row->sid, groups);
    add_sealed(p, row, x);
    txn_changelog(p, CHANGELOG_SEAL, row->sid, 1);
    p->t->log.bid = row->bid;
    p->t->log.depth = row->depth;
    if (x->plan.ncalls) {
        p->t->log.record = NEW_RECORD(0);
        p->t->log.ncalls = (int64_t)x->plan.ncalls;
    }
    return BOUGH_OK;
}
