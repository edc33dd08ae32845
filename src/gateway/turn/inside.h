/* Inside a turn: what its files share. */
#ifndef GATEWAY_TURN_INSIDE_H
#define GATEWAY_TURN_INSIDE_H

#include <bough/bough.h>
#include <pthread.h>

#include "gateway/providers.h"
#include "gateway/turn/turn.h"

struct reply;

enum {
    TURNS_MOST = 64,
    LEASE_MS = 60000,
    RENEW_MS = 15000, /* between renewals of the leases */
    STORE_MS = 30000,
    END_MS = 3000, /* how long a new turn waits for one whose reply is stored */
};

struct turns {
    struct gateway *gateway;
    int64_t renew_ms;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t idle;  /* a turn has ended */
    struct turn *running;
    int n;
    /* watch.c */
    pthread_t watcher;
    bool watching, stopping;
    pthread_cond_t stopped; /* `stopping` was set */
};

/* One turn, and those of the queue behind it. Used by its own thread once that runs. */
struct turn {
    struct turn *next;
    struct turns *all;
    bool cancel;           /* atomic */
    bool stop;             /* atomic: the server stops */
    bool answered;         /* guarded by all->lock: its reply is stored, it only has to end */
    struct bough_arena *a; /* of this prompt */
    struct bough_arena *kept;
    struct bough_store *store;
    const char *session, *owner;
    /* of this prompt */
    struct provider_ask ask;
    struct provider_route route;
    int64_t max_output;
    char user[BOUGH_ID_LEN + 1];
    char hold[BOUGH_ID_LEN + 1];
    struct bough_writing writing;
    struct reply *reply;
    int64_t began, began_us, first_ms, renewed_us;
    bool steps_lost;
};

static inline const struct provider_target *turn_target(const struct turn *t)
{
    return &t->route.targets[0];
}

static inline bool turn_flag(const bool *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* ---- prepare.c ---- */

/* Log that a call of the store failed; BOUGH_OK logs nothing. */
void turn_warn(const struct turn *t, const char *what, enum bough_rc rc,
               const struct bough_error *err);

/* Everything up to the open reply, with the session's lease held: the model, the budget, the user's
 * message. *replayed: the key was known, nothing was opened. */
enum bough_rc turn_prepare(struct turn *t, const struct turn_options *in, bool *replayed,
                           struct bough_error *err);
/* Give back what was reserved of budgets. */
void turn_release(const struct turn *t);

/* ---- answer.c ---- */

/* Send the prompt that was prepared, and store what comes. In the turn's own thread. */
void turn_answer(struct turn *t);

/* ---- turn.c ---- */

/* Go on with the queue of a session whose turn was left behind: take its lease and begin the next
 * turn. Without a prompt the session becomes idle. False: no turn was begun. */
bool turn_go_on(struct turns *t, const char *session);

/* ---- watch.c ---- */

void turns_unwatch(struct turns *t); /* waits for the thread */

#endif
