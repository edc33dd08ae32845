/* A pool of reader connections: a list of idle ones, and a list of those that serve a snapshot. */
#include "store/contract/conn_pool.h"

#include "base/os/fork_guard.h"

void conn_pool_init(struct conn_pool *p)
{
    *p = (struct conn_pool){ .forks = fork_count() };
    pthread_mutex_init(&p->lock, NULL);
}

void conn_pool_finish(struct conn_pool *p)
{
    pthread_mutex_destroy(&p->lock);
}

bool conn_pool_forked(const struct conn_pool *p)
{
    return p->forks != fork_count();
}

enum bough_rc conn_pool_check(const struct conn_pool *p, struct bough_error *err)
{
    if (conn_pool_forked(p))
        return bough_fail(err, BOUGH_INVALID, "a store cannot be used across fork()");
    return BOUGH_OK;
}

/* ---- lists ---- */

static void add(struct pool_slot **list, struct pool_slot *s)
{
    s->before = NULL;
    s->next = *list;
    if (s->next)
        s->next->before = s;
    *list = s;
}

static void drop(struct pool_slot **list, struct pool_slot *s)
{
    if (s->before)
        s->before->next = s->next;
    else
        *list = s->next;
    if (s->next)
        s->next->before = s->before;
}

/* ---- connections ---- */

void conn_pool_add(struct conn_pool *p, struct pool_slot *s)
{
    pthread_mutex_lock(&p->lock);
    add(&p->idle, s);
    p->nidle++;
    pthread_mutex_unlock(&p->lock);
}

struct pool_slot *conn_pool_take(struct conn_pool *p)
{
    struct pool_slot *s;

    pthread_mutex_lock(&p->lock);
    s = p->idle;
    if (s) {
        drop(&p->idle, s);
        p->nidle--;
    }
    pthread_mutex_unlock(&p->lock);
    return s;
}

void conn_pool_lend(struct conn_pool *p, struct pool_slot *s)
{
    pthread_mutex_lock(&p->lock);
    s->since_us = mono_us();
    add(&p->lent, s);
    pthread_mutex_unlock(&p->lock);
}

bool conn_pool_return(struct conn_pool *p, struct pool_slot *s, bool fit)
{
    bool keep;

    pthread_mutex_lock(&p->lock);
    drop(&p->lent, s);
    keep = fit && p->nidle < CONN_POOL_MOST;
    if (keep) {
        add(&p->idle, s);
        p->nidle++;
    }
    pthread_mutex_unlock(&p->lock);
    return keep;
}

int64_t conn_pool_oldest(struct conn_pool *p)
{
    int64_t oldest = 0;

    pthread_mutex_lock(&p->lock);
    for (const struct pool_slot *s = p->lent; s; s = s->next)
        oldest = s->since_us;
    pthread_mutex_unlock(&p->lock);
    return oldest;
}
