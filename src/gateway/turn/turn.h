/*
 * Turns: a prompt that is stored in a session, sent to a model with the session's context, and
 * answered there. The reply is an open message while it comes, so everyone who follows the session
 * sees it grow. A turn belongs to the server, not to the client that began it: it goes on when that
 * client leaves.
 *
 * One turn of a session runs at a time: it holds the session's lease, in the store, so that other
 * servers see it. When it ends, the next prompt of the session's queue is sent.
 */
#ifndef GATEWAY_TURN_TURN_H
#define GATEWAY_TURN_TURN_H

#include <bough/budget.h>
#include <bough/store.h>

struct gateway;
struct turns; /* of one server */

struct turns *turns_create(struct gateway *g);
void turns_destroy(struct turns *t); /* cancels those that run, and waits; NULL is allowed */

/* Look for turns that another server left behind, now and every few seconds, in a thread of its own
 * until turns_destroy(). Their sessions become idle, or go on with the prompts that wait. */
BOUGH_MUST_CHECK enum bough_rc turns_watch(struct turns *t, struct bough_error *err);
/* Look once, in this thread. Returns how many turns it began. */
int turns_look(struct turns *t);

/* How often leases are renewed, for tests: before the first turn. */
void turns_renew_every(struct turns *t, int64_t ms);

struct turn_options {
    const char *principal;         /* who asks; NULL: the owner */
    const char *session;           /* id */
    const struct bough_str *parts; /* of the user's message, raw JSON; none: `at` or the head, a
                                      message of the user, is answered again */
    size_t nparts;
    const char *at;               /* behind this entry; NULL: behind the head */
    bool at_root;                 /* behind nothing */
    const char *provider, *model; /* NULL or "": those of the session, then of its last call */
    int64_t max_output;           /* tokens; 0: as the provider likes */
    const char *key;              /* idempotency key; NULL: none */
    struct bough_budget_refusal *refusal; /* filled when a budget refuses it; may be NULL */
};

struct turn_begun {
    char user[BOUGH_ID_LEN + 1];  /* the message that is answered */
    char reply[BOUGH_ID_LEN + 1]; /* "" if the key was known: the turn was begun before */
    const char *provider, *model;
    bool replayed;
};

/*
 * Begin a turn; it is stored when the call returns, and goes on by itself. BOUGH_BUSY: another
 * turn, or another owner, has the session. BOUGH_NOT_FOUND, BOUGH_INVALID, BOUGH_DENIED: as
 * providers_route() says, or the entry is not a message of the user. BOUGH_OVERLOADED: too many
 * run. Also fails as bough_append() and bough_budget_reserve() do.
 */
BOUGH_MUST_CHECK enum bough_rc turn_begin(struct turns *t, struct bough_arena *a,
                                          const struct turn_options *in, struct turn_begun *out,
                                          struct bough_error *err);

/* Stop the turn of a session; what came of the reply is kept. Prompts in the queue stay there.
 * BOUGH_NOT_FOUND: no turn of it runs in this server. */
BOUGH_MUST_CHECK enum bough_rc turn_cancel(struct turns *t, const char *session,
                                           struct bough_error *err);

#endif
