/* Backend operations other than commits that need the writer role: purge, attachments, sweep. */
#include "base/os/log.h"
#include "store/engine/engine.h"

enum {
    SWEEP_ROWS = 256,     /* chunks per transaction: 16 MB */
    SWEEP_EVERY_S = 3600, /* interval of the idle sweep */
};

enum bough_rc role_purge_slice(struct engine *e, int64_t sid, int64_t limit, bool *left,
                               int64_t *entries, int64_t *records, const struct deadline *p,
                               struct bough_error *err)
{
    enum bough_rc rc = role_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->purge_slice(e->backend, sid, limit, left, entries, records, p, err);
    state_drop(e, sid);
    role_give(e);
    return rc;
}

enum bough_rc role_branch_cut(struct engine *e, const struct branch_row *rows, size_t n,
                              const struct deadline *p, struct bough_error *err)
{
    enum bough_rc rc = role_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->branch_cut(e->backend, rows, n, p, err);
    role_give(e);
    return rc;
}

enum bough_rc role_blob_put(struct engine *e, int64_t *bno, const struct chunk_row *chunk,
                            const struct deadline *p, struct bough_error *err)
{
    enum bough_rc rc = role_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->blob_put(e->backend, bno, chunk, p, err);
    role_give(e);
    return rc;
}

enum bough_rc role_blob_seal(struct engine *e, struct blob_row *row, bool relaxed,
                             const struct deadline *p, struct bough_error *err)
{
    enum bough_rc rc = role_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->blob_seal(e->backend, row, relaxed, p, err);
    role_give(e);
    return rc;
}

enum bough_rc role_sweep(struct engine *e, int64_t only, const struct deadline *p,
                         struct bough_error *err)
{
    bool left = true;
    enum bough_rc rc = BOUGH_OK;

    while (left && !rc) {
        rc = role_take(e, p, err);
        if (rc)
            return rc;
        rc = e->ops->blob_sweep(e->backend, only, SWEEP_ROWS, &left, p, err);
        role_give(e);
    }
    return rc;
}

/* Needs the writer role. Skipped if tests control the clock: a read from this thread would advance
 * it at unpredictable times. */
void role_sweep_idle(struct engine *e)
{
    int64_t now = mono_us();
    struct deadline p = { now + 1000000, NULL };
    struct bough_error err = { 0 };
    bool left;

    if (e->env.now != env_system.now ||
        (e->upkeep.swept_us && now < e->upkeep.swept_us + SWEEP_EVERY_S * 1000000ll))
        return;
    e->upkeep.swept_us = now;
    if (e->ops->blob_sweep(e->backend, 0, SWEEP_ROWS, &left, &p, &err))
        log_msg(LOG_WARN, "old attachments were not removed: %s", err.msg);
    else if (left)
        e->upkeep.swept_us = 0;
}
