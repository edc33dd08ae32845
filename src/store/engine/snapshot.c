/* Snapshots: every read of the store goes through one. */
#include "base/os/fork_guard.h"
#include "store/engine/engine.h"

enum bough_rc engine_check_fork(const struct engine *e, struct bough_error *err)
{
    if (fork_count() == e->forks)
        return BOUGH_OK;
    return bough_fail(err, BOUGH_INVALID, "a store cannot be used across fork(): open it again");
}

struct deadline store_deadline(const struct bough_store *s)
{
    return (struct deadline){ mono_us() + s->deadline_ms * 1000, s->cancel };
}

enum bough_rc snap_begin_engine(struct engine *e, const struct deadline *p, struct snap *snap,
                                struct bough_error *err)
{
    enum bough_rc rc;

    *snap = (struct snap){ e, e->ops, NULL };
    rc = engine_check_fork(e, err);
    if (rc)
        return rc;
    if (is_cancelled(p->cancel))
        return bough_fail(err, BOUGH_CANCELLED, "the call was cancelled");
    return e->ops->snapshot_begin(e->backend, &snap->v, p, err);
}

enum bough_rc snap_begin(struct bough_store *s, struct snap *snap, struct bough_error *err)
{
    struct deadline p = store_deadline(s);

    return snap_begin_engine(s->e, &p, snap, err);
}

void snap_end(struct snap *snap)
{
    if (snap->v)
        snap->ops->snapshot_end(snap->v);
    snap->v = NULL;
}

enum bough_rc prep_snap(struct prep *p, struct snap **out, struct bough_error *err)
{
    *out = &p->snap;
    if (p->snap.v)
        return BOUGH_OK;
    return snap_begin_engine(p->e, &p->deadline, &p->snap, err);
}

enum bough_rc snap_purged(struct snap *snap, int64_t sid, bool *purged, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct session_row row;
    enum bough_rc rc = snap->ops->session_get(snap->v, tmp, sid, &row, err);

    *purged = rc == BOUGH_NOT_FOUND || (!rc && row.purged);
    bough_arena_destroy(tmp);
    return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
}
