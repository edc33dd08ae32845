/* Open messages: their rows, sealing them, and sealing what nobody writes any more. */
#include "store/open.h"

#include <string.h>

#include "base/limits.h"
#include "base/process.h"
#include "base/str.h"
#include "store/blob.h"
#include "store/live.h"
#include "store/path.h"
#include "store/plan.h"

enum { STORE_TRIES = 8 }; /* sweeps that fall between storing and linking */

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
    return row->expires <= now || process_dead(row->process);
}

int64_t lease_end(int64_t now, int64_t lease_ms)
{
    int64_t end;

    return __builtin_add_overflow(now, lease_ms, &end) ? INT64_MAX : end;
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
               : bough_fail(err, BOUGH_LEASE_LOST, "somebody else writes this message now");
}

/* ---- paths ---- */

static bool first_open(void *user, const struct open_row *row)
{
    *(struct bough_head *)user = (struct bough_head){ row->bid, row->depth };
    return false;
}

/* The last open message on the path to `at`; branch 0 when there is none. */
static enum bough_rc find_open(struct snap *snap, struct bough_head at, struct bough_head *out,
                               struct bough_error *err)
{
    struct bough_arena *tmp;
    struct segs segs;
    enum bough_rc rc;

    *out = (struct bough_head){ 0, 0 };
    rc = snap->ops->open_scan(snap->v, 0, 0, 0, first_open, out, err);
    if (rc || !out->branch) /* nowhere at all, as almost always */
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

/* What was opened, as the caller would give it once more, now with its end. */
static struct bough_entry_new whole(const struct bough_entry *was, const struct bough_str *parts,
                                    size_t n, const struct bough_seal *seal)
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
        .has_usage = seal->has_usage,
        .usage = seal->usage,
        .duration = seal->duration ? seal->duration : was->duration,
        .by_call = seal->call != NULL,
    };
}

enum bough_rc open_plan(struct bough_store *s, struct bough_arena *a, struct bough_head at,
                        const struct bough_part *parts, size_t nparts,
                        const struct bough_seal *seal, struct sealing *out, struct bough_error *err)
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
    if (!rc)
        rc = pack_entry_read(a, stored.body, &out->was, &out->x, err);
    if (rc)
        return rc;
    in = whole(&out->was, spans, nparts, seal);
    rc = plan_build(s, a, &in, 1, seal->call, &out->plan, err);
    return rc ? rc : blob_store(s, &out->plan.entries[0].blobs, err);
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

    if (rc)
        return rc;
    plan_add_calls(p, &x->plan, row->sid);
    add_sealed(p, row, x);
    txn_log(p, LOG_SEAL, row->sid, 1);
    p->t->log.bid = row->bid;
    p->t->log.depth = row->depth;
    if (x->plan.ncalls) {
        p->t->log.record = NEW_RECORD(0);
        p->t->log.aux = (int64_t)x->plan.ncalls;
    }
    return BOUGH_OK;
}

enum bough_rc open_write(struct bough_store *s, struct bough_arena *a, struct request *r,
                         struct sealing *x, struct bough_error *err)
{
    enum bough_rc rc;
    int tries = 0;

    do {
        x->restore = false;
        rc = tries ? blob_store(s, &x->plan.entries[0].blobs, err) : BOUGH_OK;
        if (!rc)
            rc = write_run(s, a, r, err);
    } while (rc == BOUGH_NOT_FOUND && x->restore && ++tries < STORE_TRIES);
    return rc;
}

/* ---- what nobody writes any more ---- */

struct rescue {
    struct bough_head at;
    int64_t ver; /* of the row it was planned from */
    struct sealing sealing;
    bool done;
};

static enum bough_rc rescue_prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct rescue *r = user;
    struct open_row row = { 0 };
    struct snap *snap;
    bool there = false;
    enum bough_rc rc = prep_snap(p, &snap, err);

    r->done = false;
    if (!rc)
        rc = open_get(snap, p->a, r->at, &row, &there, err);
    if (rc || !there || row.ver != r->ver || !open_expired(&row, p->now))
        return rc; /* somebody was faster, or it lives after all */
    rc = open_seal(p, &row, &r->sealing, err);
    r->done = !rc;
    return rc;
}

/* The parts so far, with nothing left running; *ver 0 when it is not open any more. */
static enum bough_rc left_parts(struct bough_store *s, struct bough_arena *a, struct bough_head at,
                                struct bough_part **parts, size_t *n, int64_t *ver,
                                struct bough_error *err)
{
    int64_t now = env_now(&s->e->env);
    struct open_row row = { 0 };
    struct draft d;
    struct snap snap;
    bool there = false;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    draft_init(&d);
    rc = open_get(&snap, a, at, &row, &there, err);
    if (!rc && there)
        rc = open_drafts(&snap, at, &d, err);
    snap_end(&snap);
    *parts = draft_parts(a, &d);
    *n = d.nparts;
    *ver = there ? row.ver : 0;
    for (size_t i = 0; i < d.nparts; i++)
        (*parts)[i] = draft_interrupt(a, (*parts)[i], now);
    draft_finish(&d);
    return rc;
}

static enum bough_rc rescue(struct bough_store *s, struct bough_arena *a, struct rescue *r,
                            struct bough_error *err)
{
    struct request req = { .prepare = rescue_prepare, .user = r };
    struct bough_seal seal = { .finish = "interrupted" };
    struct bough_part *parts;
    size_t n;
    enum bough_rc rc = left_parts(s, a, r->at, &parts, &n, &r->ver, err);

    if (rc || !r->ver)
        return rc;
    seal.error = str_of("{\"name\":\"interrupted\",\"message\":\"its writer is gone\"}");
    rc = open_plan(s, a, r->at, parts, n, &seal, &r->sealing, err);
    return rc ? rc : open_write(s, a, &req, &r->sealing, err);
}

struct expired {
    struct bough_arena *a;
    struct bough_head *at;
    size_t n;
    int64_t now;
};

static bool take_expired(void *user, const struct open_row *row)
{
    struct expired *x = user;

    if (!open_expired(row, x->now))
        return true;
    x->at = arena_resize(x->a, x->at, x->n * sizeof *x->at, (x->n + 1) * sizeof *x->at);
    x->at[x->n++] = (struct bough_head){ row->bid, row->depth };
    return true;
}

enum bough_rc bough_message_recover(struct bough_store *s, int64_t *n, struct bough_error *err)
{
    struct expired x = { .a = bough_arena_create(), .now = env_now(&s->e->env) };
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (n)
        *n = 0;
    if (!rc) {
        rc = snap.ops->open_scan(snap.v, 0, 0, 0, take_expired, &x, err);
        snap_end(&snap);
    }
    for (size_t i = 0; i < x.n && !rc; i++) {
        struct rescue r = { .at = x.at[i] };

        live_save_at(s, r.at); /* what this process was told and has not saved */
        rc = rescue(s, x.a, &r, err);
        if (!rc && r.done)
            live_over(s->e, r.at);
        if (!rc && r.done && n)
            ++*n;
    }
    bough_arena_destroy(x.a);
    return rc;
}
