/* Inside the writer: what its thread needs of it. */
#ifndef STORE_WRITER_H
#define STORE_WRITER_H

#include "store/engine.h"

/* Pending rows at which the thread folds without being idle. Where reading them is a round trip for
 * all, waiting for more of them costs little and writes fewer list rows. */
static inline size_t fold_from(const struct engine *e)
{
    return e->ops->remote ? 256 : 64;
}

/* The same for whoever writes, when the thread does not. */
static inline size_t fold_at(const struct engine *e)
{
    return e->ops->remote ? 512 : 256;
}

/* In the role: commit what is queued and pass the role on. e->lock is held on entry, not after. */
enum bough_rc writer_lead(struct engine *e, struct request *own, struct bough_error *err);

/* Hand the role to the first in the queue, or lay it down. e->lock is held. */
void writer_pass_on(struct engine *e);

#endif
