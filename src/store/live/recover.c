/* Abandoned messages: sealing those whose lease is lost as interrupted. */
#include "base/required.h"
#include "base/text/str.h"
#include "store/live/live.h"
#include "store/live/seal.h"

struct rescue {
    struct bough_head at;
    int64_t ver; /* version of the open row that the plan is based on */
    struct sealing sealing;
    bool force; /* whatever its lease says */
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
    if (rc || !there || row.ver != r->ver || (!r->force && !open_expired(&row, p->now)))
        return rc; /* already sealed, or its lease was renewed */
    rc = open_seal(p, &row, &r->sealing, err);
    r->done = !rc;
    return rc;
}

/* The parts so far, with running tools marked as interrupted. *ver is 0 if the message is not open
 * any more. */
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
    struct bough_message_seal_options seal = { .finish = "interrupted" };
    struct bough_part *parts;
    size_t n;
    enum bough_rc rc = left_parts(s, a, r->at, &parts, &n, &r->ver, err);

    if (rc || !r->ver)
        return rc;
    seal.error = str_of("{\"name\":\"interrupted\",\"message\":\"its writer is gone\"}");
    rc = open_plan(s, a, r->at, parts, n, &seal, &r->sealing, err);
    return rc ? rc : plan_write(s, a, &r->sealing.plan, &req, &r->sealing.restore, err);
}

enum bough_rc message_interrupt(struct bough_store *s, struct bough_head at,
                                struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct rescue r = { .at = at, .force = true };
    int tries = 3; /* its writer may renew the lease meanwhile */
    enum bough_rc rc;

    live_save_at(s, at);
    do
        rc = rescue(s, tmp, &r, err);
    while (!rc && r.ver && !r.done && --tries);
    if (!rc && r.done)
        live_over(s->e, at);
    if (!rc && r.ver && !r.done)
        rc = bough_fail(err, BOUGH_NOT_DONE, "message #%lld.%lld is still being written",
                        (long long)at.branch, (long long)at.depth);
    bough_arena_destroy(tmp);
    return rc;
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
    x->at = arena_room(x->a, x->at, x->n, sizeof *x->at);
    x->at[x->n++] = (struct bough_head){ row->bid, row->depth };
    return true;
}

enum bough_rc bough_message_recover(struct bough_store *s, int64_t *n, struct bough_error *err)
{
    REQUIRE(s, err);

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

        live_save_at(s, r.at); /* steps in this process that are not saved yet */
        rc = rescue(s, x.a, &r, err);
        if (rc == BOUGH_CORRUPT)
            rc = BOUGH_OK; /* left as it is: fsck reports it, and repair seals it */
        if (!rc && r.done)
            live_over(s->e, r.at);
        if (!rc && r.done && n)
            ++*n;
    }
    bough_arena_destroy(x.a);
    return rc;
}
