/* Internals shared by the commit queue and the background thread. */
#ifndef STORE_ENGINE_COMMIT_QUEUE_H
#define STORE_ENGINE_COMMIT_QUEUE_H

#include "store/engine/engine.h"

/* Pending rows at which the thread folds even when not idle. Remote backends wait for more: reading
 * them is one round trip anyway, and fewer list rows are written. */
static inline size_t fold_from(const struct engine *e)
{
    return e->ops->remote ? 256 : 64;
}

/* Pending rows at which a committing caller folds, if the thread has not. */
static inline size_t fold_at(const struct engine *e)
{
    return e->ops->remote ? 512 : 256;
}

enum { FOLD_AGAIN_US = 100000 }; /* pause after a failed fold */

/* With the writer role: commit the queue as one batch, then pass the role on. `own` is the caller's
 * request, or NULL. Needs e->lock on entry and releases it. Returns the result of the commit; each
 * request has its own. */
enum bough_rc role_lead(struct engine *e, struct request *own, struct bough_error *err);

/* Pass the role to the first caller in the queue, or release it. Needs e->lock. */
void role_pass_on(struct engine *e);

#endif
