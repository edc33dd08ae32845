/* Readers: a pool of connections, each serving one snapshot at a time. A view costs no round trip
 * of its own: its transaction begins with its first question, and nobody waits for its end. */
#include <unistd.h>

#include "base/str.h"
#include "store/postgres/db.h"

static struct conn *pool_take(struct postgres *s)
{
    struct conn *c;

    pthread_mutex_lock(&s->pool_lock);
    c = s->pool;
    if (c) {
        s->pool = c->next;
        s->pooled--;
    }
    pthread_mutex_unlock(&s->pool_lock);
    return c;
}

static void lend(struct postgres *s, struct conn *c)
{
    pthread_mutex_lock(&s->pool_lock);
    lent_add(&s->lent, &c->lent);
    pthread_mutex_unlock(&s->pool_lock);
}

int64_t pg_pool_oldest(struct postgres *s)
{
    int64_t oldest;

    pthread_mutex_lock(&s->pool_lock);
    oldest = lent_oldest(s->lent);
    pthread_mutex_unlock(&s->pool_lock);
    return oldest;
}

static void pool_give(struct postgres *s, struct conn *c)
{
    bool keep;

    pthread_mutex_lock(&s->pool_lock);
    lent_remove(&s->lent, &c->lent);
    keep = !c->lost && s->pooled < POOL_MAX;
    if (keep) {
        c->next = s->pool;
        s->pool = c;
        s->pooled++;
    }
    pthread_mutex_unlock(&s->pool_lock);
    if (!keep)
        pg_close(c);
}

void pg_pool_close(struct postgres *s)
{
    for (struct conn *c = pool_take(s); c; c = pool_take(s)) {
        c->patience = (struct patience){ mono_us() + 200000, NULL };
        (void)pg_drain(c, NULL); /* what nobody waited for */
        pg_close(c);
    }
}

/* Is it still there? What the last view sent at its end is answered by now, or soon. */
static bool fit(struct conn *c, const struct patience *p)
{
    c->patience = *p;
    c->over.rc = BOUGH_OK;
    if (c->era == c->store->era && pg_drain(c, NULL) == BOUGH_OK && PQconsumeInput(c->pg) &&
        PQstatus(c->pg) == CONNECTION_OK) {
        c->over.rc = BOUGH_OK;
        return true;
    }
    pg_close(c);
    return false;
}

enum bough_rc postgres_view_begin(struct backend *b, struct view **out, const struct patience *p,
                                  struct bough_error *err)
{
    struct postgres *s = postgres_of(b);
    struct conn *c;
    enum bough_rc rc = BOUGH_OK;

    if (s->pid != getpid())
        return bough_fail(err, BOUGH_INVALID, "a store cannot be used across fork()");
    do
        c = pool_take(s);
    while (c && !fit(c, p));
    if (!c)
        rc = pg_open(s, false, p, &c, err);
    if (rc)
        return rc;
    c->begun = false;
    lend(s, c);
    *out = &c->view;
    return BOUGH_OK;
}

void postgres_view_end(struct view *v)
{
    struct conn *c;

    if (!v)
        return;
    c = conn_of(v);
    if (c->store->pid != getpid())
        return; /* a forked child's copy: the connection is its parent's */
    c->patience = (struct patience){ mono_us() + 1000000, NULL };
    if (c->begun && !c->lost &&
        (pg_send(c, SQL_COMMIT, NULL, NULL) || pg_sync(c, NULL))) /* nobody waits for it */
        c->lost = true;
    c->begun = false;
    ahead_forget(c);
    pool_give(c->store, c);
}

/* ---- questions ---- */

enum bough_rc pg_over(struct view *v, struct bough_error *err)
{
    struct conn *c = conn_of(v);

    if (c->over.rc && err)
        *err = c->over;
    return c->over.rc;
}

enum bough_rc pg_ask_begin(struct view *v, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    enum bough_rc rc = pg_over(v, err);

    if (rc || c->begun)
        return rc;
    c->begun = true;
    rc = pg_send(c, SQL_BEGIN_READ, NULL, err);
    return rc ? rc : pg_send_local(c, err);
}

enum bough_rc pg_answer(struct view *v, PGresult **out, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    PGresult *last = NULL;
    enum bough_rc rc = pg_sync(c, err), end;

    *out = NULL;
    while (!rc && c->wire.n) { /* the last one is the answer */
        PQclear(last);
        last = NULL;
        rc = pg_next(c, &last, err);
        if (!rc && PQresultStatus(last) == PGRES_FATAL_ERROR)
            rc = pg_fail(c, last, err);
    }
    end = c->lost ? BOUGH_OK : pg_drain(c, rc ? NULL : err);
    rc = rc ? rc : end;
    if (!rc && !last)
        rc = pg_gone(c, err);
    if (rc) {
        PQclear(last);
        return rc;
    }
    *out = last;
    return BOUGH_OK;
}

enum bough_rc pg_ask(struct view *v, enum sql id, const struct args *a, PGresult **out,
                     struct bough_error *err)
{
    enum bough_rc rc = pg_ask_begin(v, err);

    if (!rc)
        rc = pg_send(conn_of(v), id, a, err);
    return rc ? rc : pg_answer(v, out, err);
}
