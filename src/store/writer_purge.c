/* The backend's purge operations, in the writer's role. */
#include "store/engine.h"

enum bough_rc writer_slice(struct engine *e, int64_t sid, int64_t limit, bool *left,
                           int64_t *entries, int64_t *records, const struct patience *p,
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

enum bough_rc writer_cut(struct engine *e, const struct branch_row *rows, size_t n,
                         const struct patience *p, struct bough_error *err)
{
    enum bough_rc rc = role_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->branch_cut(e->backend, rows, n, p, err);
    role_give(e);
    return rc;
}
