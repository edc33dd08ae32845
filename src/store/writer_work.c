/* Work other than requests that needs the writer's role: purging, attachments, sweeping. */
#include "base/log.h"
#include "store/blob.h"

enum {
    SWEEP_ROWS = 256,     /* pieces a transaction: 16 MB */
    SWEEP_EVERY_S = 3600, /* the idle thread looks for old attachments so often */
};

enum bough_rc writer_slice(struct engine *e, int64_t sid, int64_t limit, bool *left,
                           int64_t *entries, int64_t *records, const struct patience *p,
                           struct bough_error *err)
{
    enum bough_rc rc = writer_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->purge_slice(e->backend, sid, limit, left, entries, records, p, err);
    state_drop(e, sid);
    writer_give(e);
    return rc;
}

enum bough_rc writer_cut(struct engine *e, const struct branch_row *rows, size_t n,
                         const struct patience *p, struct bough_error *err)
{
    enum bough_rc rc = writer_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->branch_cut(e->backend, rows, n, p, err);
    writer_give(e);
    return rc;
}

enum bough_rc writer_blob_put(struct engine *e, int64_t *bno, const struct chunk_row *chunk,
                              const struct patience *p, struct bough_error *err)
{
    enum bough_rc rc = writer_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->blob_put(e->backend, bno, chunk, p, err);
    writer_give(e);
    return rc;
}

enum bough_rc writer_blob_seal(struct engine *e, struct blob_row *row, bool relaxed,
                               const struct patience *p, struct bough_error *err)
{
    enum bough_rc rc = writer_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->blob_seal(e->backend, row, relaxed, p, err);
    writer_give(e);
    return rc;
}

enum bough_rc writer_sweep(struct engine *e, int64_t only, const struct patience *p,
                           struct bough_error *err)
{
    bool left = true;
    enum bough_rc rc = BOUGH_OK;

    while (left && !rc) {
        rc = writer_take(e, p, err);
        if (rc)
            return rc;
        rc = e->ops->blob_sweep(e->backend, only, SWEEP_ROWS, &left, p, err);
        writer_give(e);
    }
    return rc;
}

/* In the role already. The system's clock only: a clock that a test steers is not asked by a
 * thread, which would move it at any time. */
void writer_sweep_idle(struct engine *e)
{
    int64_t now = mono_us();
    struct patience p = { now + 1000000, NULL };
    struct bough_error err = { 0 };
    bool left;

    if (e->env.now != env_system.now ||
        (e->swept_us && now < e->swept_us + SWEEP_EVERY_S * 1000000ll))
        return;
    e->swept_us = now;
    if (e->ops->blob_sweep(e->backend, 0, SWEEP_ROWS, &left, &p, &err))
        log_msg(LOG_WARN, "old attachments were not removed: %s", err.msg);
    else if (left)
        e->swept_us = 0;
}
