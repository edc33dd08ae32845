/* Runs whose owner is gone: what they left open is sealed, and they have failed. */
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/text/str.h"
#include "store/live/seal.h"
#include "store/run/run.h"

struct rescue {
    char id[BOUGH_ID_LEN + 1]; /* of the run */
    int64_t sid;
    char host[40]; /* this recovery, as the owner of the lease */
    int64_t epoch; /* of the lease that it took; 0: there is nothing to recover */
    struct run_at x;
};

/* The id of the run in the owner of a lease. False: it is not that of a run that was claimed. */
static bool read_owner(const char *owner, char id[BOUGH_ID_LEN + 1])
{
    size_t n = strlen(RUN_OWNER);

    if (strncmp(owner, RUN_OWNER, n) != 0 || strcspn(owner + n, "@") != BOUGH_ID_LEN ||
        !owner[n + BOUGH_ID_LEN])
        return false;
    memcpy(id, owner + n, BOUGH_ID_LEN);
    id[BOUGH_ID_LEN] = '\0';
    return true;
}

/* Take the expired lease, so that its old owner, if it comes back, cannot write any more. */
static enum bough_rc prepare_take(struct prep *p, void *user, struct bough_error *err)
{
    struct rescue *r = user;
    struct head_now now;
    struct snap *snap;
    enum bough_rc rc = prep_snap(p, &snap, err);

    r->epoch = 0;
    if (!rc)
        rc = snap->ops->head_get(snap->v, p->a, r->sid, &now, err);
    if (rc || !held_by_run(&now.row) || now.row.lease_expires > p->now ||
        !read_owner(now.row.lease_owner, r->id))
        return rc;
    rc = run_load(p, r->id, &r->x, err);
    if (rc)
        return rc;
    run_take_lease(p, &now.row, r->id, r->host, 0);
    r->epoch = now.row.lease_epoch;
    run_head_put(p, &now.row);
    return BOUGH_OK;
}

struct opens {
    struct bough_arena *a;
    struct bough_head *at;
    size_t n;
};

static bool note_open(void *user, const struct open_row *row)
{
    struct opens *o = user;

    o->at = arena_room(o->a, o->at, o->n, sizeof *o->at);
    o->at[o->n++] = (struct bough_head){ row->bid, row->depth };
    return true;
}

static enum bough_rc find_open(struct bough_store *s, struct rescue *r, struct opens *o,
                               struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    r->x.snap = &snap;
    rc = snap.ops->head_get(snap.v, o->a, r->sid, &r->x.l.head, err);
    if (!rc)
        rc = run_depths(&r->x, err);
    if (!rc && r->x.b.bid)
        rc = snap.ops->open_scan(snap.v, r->x.b.bid, r->x.b.first, LIMIT_DEPTH, note_open, o, err);
    snap_end(&snap);
    return rc;
}

static enum bough_rc end_interrupted(struct bough_store *s, struct bough_arena *a,
                                     const struct rescue *r, struct bough_error *err)
{
    bool wanted = r->x.b.cancel_time != 0;
    struct bough_run_end_options how = {
        .status = wanted ? BOUGH_RUN_CANCELLED : BOUGH_RUN_FAILED,
        .error_code = wanted ? NULL : "interrupted",
        .error = wanted ? NULL : "the process that worked on it is gone",
    };
    struct bough_run_end_result ended;

    return bough_run_end(s, a, r->id, r->epoch, &how, &ended, err);
}

enum bough_rc run_recover_session(struct bough_store *s, int64_t sid, bool *done,
                                  struct bough_error *err)
{
    struct rescue *r;
    struct bough_arena *a = bough_arena_create();
    struct opens open = { .a = a };
    struct request request = { .prepare = prepare_take };
    enum bough_rc rc;

    r = arena_zalloc(a, sizeof *r);
    r->sid = sid;
    snprintf(r->host, sizeof r->host, "recovery-%016llx", (unsigned long long)env_u64(&s->e->env));
    request.user = r;
    rc = write_run(s, a, &request, err);
    if (!rc && r->epoch)
        rc = find_open(s, r, &open, err);
    for (size_t i = 0; i < open.n && !rc; i++)
        rc = message_interrupt(s, open.at[i], err);
    if (!rc && r->epoch)
        rc = end_interrupted(s, a, r, err);
    if (done)
        *done = !rc && r->epoch;
    bough_arena_destroy(a);
    /* Another process was faster, or the run ended meanwhile. */
    return rc == BOUGH_LEASE_LOST || rc == BOUGH_CONFLICT || rc == BOUGH_GONE ? BOUGH_OK : rc;
}

/* ---- the whole store ---- */

static bool is_lost(const struct bough_session *x, int64_t now)
{
    char id[BOUGH_ID_LEN + 1];

    return x->lease && x->lease->expires <= now && read_owner(x->lease->owner, id);
}

enum bough_rc bough_run_recover(struct bough_store *s, int64_t *n, struct bough_error *err)
{
    REQUIRE(s, err);

    struct bough_session_list_options busy = { .status = "busy",
                                               .include_deleted = true,
                                               .limit = LIMIT_PAGE };
    struct bough_arena *a = bough_arena_create();
    struct bough_sessions page = { .next = "" };
    enum bough_rc rc;

    if (n)
        *n = 0;
    do {
        busy.cursor = page.next;
        rc = bough_session_list(s, a, &busy, &page, err);
        for (size_t i = 0; i < page.n && !rc; i++) {
            bool done = false;

            if (is_lost(&page.at[i], env_now(&s->e->env)))
                rc = run_recover_session(s, page.at[i].number, &done, err);
            if (n && done)
                ++*n;
        }
    } while (!rc && *page.next);
    bough_arena_destroy(a);
    return rc;
}
