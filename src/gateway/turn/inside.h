/* Inside a turn: what its files share. */
#ifndef GATEWAY_TURN_INSIDE_H
#define GATEWAY_TURN_INSIDE_H

#include "gateway/providers.h"
#include "gateway/turn/turn.h"

struct reply;

enum { TURN_LEASE_MS = 60000 }; /* of an open reply */

struct turn {
    struct gateway *gateway;
    struct bough_arena *a;
    struct bough_store *store;
    const char *session;
    struct provider_ask ask;
    bool any_provider; /* the caller named no provider: ask.name is that of the last call */
    struct provider_route route;
    size_t target; /* of the route */
    int64_t max_output;
    char at[BOUGH_ID_LEN + 1];
    char hold[BOUGH_ID_LEN + 1];
    struct bough_writing writing;
    /* answer.c */
    const struct turn_answer_options *how;
    struct reply *reply;
    int64_t began, began_us, first_ms, renewed_us;
    int attempt;
    bool steps_lost;
};

static inline const struct provider_target *turn_target(const struct turn *t)
{
    return &t->route.targets[t->target];
}

/* Log that a call of the store failed; BOUGH_OK logs nothing. */
void turn_warn(const struct turn *t, const char *what, enum bough_rc rc,
               const struct bough_error *err);
/* Give back what was reserved of budgets. */
void turn_release(struct turn *t);

#endif
