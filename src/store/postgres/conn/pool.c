/*
 * Snapshots of the PostgreSQL backend: each takes a reader connection from the pool. A snapshot
 * costs no round trip of its own: its transaction begins with its first query, and its COMMIT is
 * not waited for.
 */
#include <stddef.h>

#include "store/postgres/wire/db.h"

static struct conn *conn_in(struct pool_slot *slot)
{
    return (struct conn *)((char *)slot - offsetof(struct conn, slot));
}

void pg_pool_close(struct postgres *s)
{
    for (struct pool_slot *at = conn_pool_take(&s->pool); at; at = conn_pool_take(&s->pool)) {
        struct conn *c = conn_in(at);

        c->deadline = (struct deadline){ mono_us() + 200000, NULL };
        (void)pg_drain(c, NULL); /* the COMMIT of the last snapshot */
        pg_close(c);
    }
}

/* Is the connection still usable? The COMMIT of the last snapshot has been answered by now, or will
 * be soon. Closes the connection if not. */
static bool fit(struct conn *c, const struct deadline *p)
{
    c->deadline = *p;
    c->failed.rc = BOUGH_OK;
    if (c->era == c->store->era && pg_drain(c, NULL) == BOUGH_OK && PQconsumeInput(c->pg) &&
        PQstatus(c->pg) == CONNECTION_OK) {
        c->failed.rc = BOUGH_OK;
        return true;
    }
    pg_close(c);
    return false;
}

enum bough_rc postgres_snapshot_begin(struct backend *b, struct snapshot **out,
                                      const struct deadline *p, struct bough_error *err)
{
    struct postgres *s = postgres_of(b);
    enum bough_rc rc = conn_pool_check(&s->pool, err);
    struct pool_slot *slot;
    struct conn *c = NULL;

    if (rc)
        return rc;
    do
        slot = conn_pool_take(&s->pool);
    while (slot && !fit(conn_in(slot), p));
    if (slot)
        c = conn_in(slot);
    else
        rc = pg_open(s, false, p, &c, err);
    if (rc)
        return rc;
    c->begun = false;
    conn_pool_lend(&s->pool, &c->slot);
    *out = &c->view;
    return BOUGH_OK;
}

void postgres_snapshot_end(struct snapshot *v)
{
    struct conn *c;

    if (!v)
        return;
    c = conn_of(v);
    if (conn_pool_forked(&c->store->pool))
        return; /* in a forked child: the connection belongs to the parent */
    c->deadline = (struct deadline){ mono_us() + 1000000, NULL };
    if (c->begun && !c->lost &&
        (pg_send(c, SQL_COMMIT, NULL, NULL) || pg_sync(c, NULL))) /* do not wait for the answer */
        c->lost = true;
    c->begun = false;
    ahead_forget(c);
    if (!conn_pool_return(&c->store->pool, &c->slot, !c->lost))
        pg_close(c);
}
