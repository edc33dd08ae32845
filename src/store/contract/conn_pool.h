/* A pool of reader connections, for backends where each snapshot needs a connection of its own. */
#ifndef STORE_CONTRACT_CONN_POOL_H
#define STORE_CONTRACT_CONN_POOL_H

#include <pthread.h>

#include "store/contract/backend.h"

enum { CONN_POOL_MOST = 16 }; /* idle connections kept open */

/* The pool's part of a connection. */
struct pool_slot {
    struct pool_slot *next, *before; /* in one of the pool's lists */
    int64_t since_us;                /* lent: when the snapshot began, on mono_us()'s clock */
};

struct conn_pool {
    unsigned forks;       /* fork_count() at the start; a pool cannot be used after fork() */
    pthread_mutex_t lock; /* guards everything below */
    struct pool_slot *idle;
    int nidle;
    struct pool_slot *lent; /* connections that serve a snapshot, newest first */
};

void conn_pool_init(struct conn_pool *p);
/* All connections must have been taken out and closed. */
void conn_pool_finish(struct conn_pool *p);

/* Was the pool created before a fork()? Then its connections belong to the parent process. */
bool conn_pool_forked(const struct conn_pool *p);
/* BOUGH_INVALID when it was. */
BOUGH_MUST_CHECK enum bough_rc conn_pool_check(const struct conn_pool *p, struct bough_error *err);

/* Put a new connection among the idle ones. */
void conn_pool_add(struct conn_pool *p, struct pool_slot *s);
/* Take out an idle connection; NULL: there is none. */
struct pool_slot *conn_pool_take(struct conn_pool *p);
/* The connection serves a snapshot from now on. */
void conn_pool_lend(struct conn_pool *p, struct pool_slot *s);
/*
 * The snapshot has ended. `fit`: the connection can be used again. False: the pool does not keep
 * it, and the caller must close it.
 */
BOUGH_MUST_CHECK bool conn_pool_return(struct conn_pool *p, struct pool_slot *s, bool fit);
/* Start of the oldest open snapshot, on mono_us()'s clock; 0: none is open. */
int64_t conn_pool_oldest(struct conn_pool *p);

#endif
