/* Readers: a pool of connections, each serving one snapshot at a time. */
#include "store/sqlite/db.h"

#include <stdatomic.h>

static atomic_uint forks;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

void forks_watch(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

unsigned forks_seen(void)
{
    return atomic_load_explicit(&forks, memory_order_relaxed);
}

enum bough_rc same_process(const struct sqlite *s, struct bough_error *err)
{
    if (s->forks == forks_seen())
        return BOUGH_OK;
    return bough_fail(err, BOUGH_INVALID, "a store cannot be used across fork()");
}

static struct conn *pool_take(struct sqlite *s)
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

static void lend(struct sqlite *s, struct conn *c)
{
    pthread_mutex_lock(&s->pool_lock);
    lent_add(&s->lent, &c->lent);
    pthread_mutex_unlock(&s->pool_lock);
}

int64_t pool_oldest(struct sqlite *s)
{
    int64_t oldest;

    pthread_mutex_lock(&s->pool_lock);
    oldest = lent_oldest(s->lent);
    pthread_mutex_unlock(&s->pool_lock);
    return oldest;
}

/* `fit`: it may serve another view. */
static void pool_give(struct sqlite *s, struct conn *c, bool fit)
{
    bool keep;

    pthread_mutex_lock(&s->pool_lock);
    lent_remove(&s->lent, &c->lent);
    keep = fit && s->pooled < POOL_MAX;
    if (keep) {
        c->next = s->pool;
        s->pool = c;
        s->pooled++;
    }
    pthread_mutex_unlock(&s->pool_lock);
    if (!keep)
        conn_close(c);
}

void pool_close(struct sqlite *s)
{
    for (struct conn *c = pool_take(s); c; c = pool_take(s))
        conn_close(c);
}

enum bough_rc sqlite_view_begin(struct backend *b, struct view **out, const struct patience *p,
                                struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    enum bough_rc rc = same_process(s, err);
    struct conn *c;

    if (rc)
        return rc;
    c = pool_take(s);
    if (c) {
        c->patience = *p;
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
        conn_close(c); /* it may be the connection's fault: the next view gets a fresh one */
        return rc;
    }
    lend(s, c);
    *out = &c->view;
    return BOUGH_OK;
}

void sqlite_view_end(struct view *v)
{
    struct conn *c;

    if (!v)
        return;
    c = conn_of(v);
    if (c->store->forks != forks_seen())
        return; /* a forked child's copy: touching it would drop the parent's locks */
    c->patience = (struct patience){ INT64_MAX, NULL };
    if (!conn_hopeless(c->code))
        c->code = SQLITE_OK;
    pool_give(c->store, c, !conn_hopeless(c->code) && conn_run(c, SQL_COMMIT, NULL) == BOUGH_OK);
}
