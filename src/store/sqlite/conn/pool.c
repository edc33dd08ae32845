/* Snapshots of the SQLite backend: each takes a reader connection from the pool. */
#include <stddef.h>

#include "store/sqlite/conn/db.h"

static struct conn *conn_in(struct pool_slot *slot)
{
    return (struct conn *)((char *)slot - offsetof(struct conn, slot));
}

void pool_close(struct sqlite *s)
{
    for (struct pool_slot *at = conn_pool_take(&s->pool); at; at = conn_pool_take(&s->pool))
        conn_close(conn_in(at));
}

enum bough_rc sqlite_snapshot_begin(struct backend *b, struct snapshot **out,
                                    const struct deadline *p, struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    enum bough_rc rc = conn_pool_check(&s->pool, err);
    struct pool_slot *slot;
    struct conn *c;

    if (rc)
        return rc;
    slot = conn_pool_take(&s->pool);
    if (slot) {
        c = conn_in(slot);
        c->deadline = *p;
        c->code = SQLITE_OK;
    } else {
        rc = conn_open(s, false, p, &c, err);
    }
    if (rc)
        return rc;
    rc = conn_run(c, SQL_BEGIN, err);
    if (!rc)
        rc = conn_run_waiting(c, SQL_PIN, err);
    if (rc) {
        conn_close(c); /* the connection itself may be the cause: do not reuse it */
        return rc;
    }
    conn_pool_lend(&s->pool, &c->slot);
    *out = &c->view;
    return BOUGH_OK;
}

void sqlite_snapshot_end(struct snapshot *v)
{
    struct conn *c;
    bool fit;

    if (!v)
        return;
    c = conn_of(v);
    if (conn_pool_forked(&c->store->pool))
        return; /* in a forked child, closing it would drop the parent's locks */
    c->deadline = (struct deadline){ INT64_MAX, NULL };
    if (!conn_hopeless(c->code))
        c->code = SQLITE_OK;
    fit = !conn_hopeless(c->code) && conn_run(c, SQL_COMMIT, NULL) == BOUGH_OK;
    if (!conn_pool_return(&c->store->pool, &c->slot, fit))
        conn_close(c);
}
