/*
 * A turn: one call of a model with the context of a session. The reply is an open message while it
 * comes, so everyone who follows the session sees it grow. What answers a prompt, who may do that,
 * and what happens behind the reply is the business of runs (src/run); the owner of a run calls
 * this once for each call of the model.
 *
 * Blocks, so it is never called on a loop thread.
 */
#ifndef GATEWAY_TURN_TURN_H
#define GATEWAY_TURN_TURN_H

#include <bough/bough.h>

#include "gateway/kit/ask.h"

struct gateway;
struct turn;

struct turn_options {
    struct bough_store *store;    /* borrowed until the turn is destroyed */
    const char *session;          /* id */
    const char *provider, *model; /* NULL or "": those of the session, then of its last call */
    int64_t max_output;           /* tokens; 0: as the provider likes */
    struct bough_budget_refusal *refusal; /* filled when a budget refuses it; may be NULL */
};

/*
 * Find the provider and reserve what the call may cost; nothing is stored yet. BOUGH_NOT_FOUND,
 * BOUGH_INVALID, BOUGH_DENIED: as providers_route() says. Also fails as bough_budget_reserve()
 * does.
 */
BOUGH_MUST_CHECK enum bough_rc turn_create(struct turn **out, struct gateway *g,
                                           const struct turn_options *in, struct bough_error *err);
/* Gives back what is still reserved; NULL is allowed. */
void turn_destroy(struct turn *t);

const char *turn_provider(const struct turn *t);
const char *turn_model(const struct turn *t); /* as asked for */

/* Use another handle from now on: the one given before may be closed. */
void turn_use_store(struct turn *t, struct bough_store *store);

struct turn_open_options {
    const char *at;    /* the entry that is answered: the reply comes behind it */
    const char *owner; /* of the session's lease, with its epoch: BOUGH_LEASE_LOST without */
    int64_t epoch;
};

/* Open the reply. *reply is its id, valid as long as the turn. Fails as bough_message_open(). */
BOUGH_MUST_CHECK enum bough_rc turn_open(struct turn *t, const struct turn_open_options *in,
                                         const char **reply, struct bough_error *err);

struct turn_answer_options {
    const char *system_prompt; /* NULL or "": that of the session */
    const struct ask_tool *tools;
    size_t ntools;
    const bool *cancel; /* atomic: give up when it becomes true, within about a second */
    const bool *stop;   /* atomic: it is given up because the server stops */
    bool *ending;       /* atomic: becomes true before the reply is sealed; may be NULL */
    int64_t renew_ms;   /* how often the lease of the reply is renewed while nothing comes */
};

/* What came. Everything lives as long as the turn. */
struct turn_result {
    struct bough_entry *reply; /* as sealed; NULL: it could not be stored */
    const char *status;        /* of the call: ok, error, refused, interrupted, cancelled */
    const char *error;         /* for people; "" unless status is error */
    int64_t cost;              /* nano-USD */
    int64_t context;           /* tokens of the call: input and output; 0: not known */
};

/* Send the request and store what comes, in the open reply, which is sealed in the end, whatever
 * happens. Once. A failure of the store is returned; one of the provider is a result. */
BOUGH_MUST_CHECK enum bough_rc turn_answer(struct turn *t, const struct turn_answer_options *in,
                                           struct turn_result *out, struct bough_error *err);

#endif
