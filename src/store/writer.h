/* Inside the writer: what its thread needs of it. */
#ifndef STORE_WRITER_H
#define STORE_WRITER_H

#include "store/engine.h"

enum { FOLD_FROM = 64 }; /* pending rows at which the thread folds without being idle */

/* In the role: commit what is queued and pass the role on. e->lock is held on entry, not after. */
enum bough_rc writer_lead(struct engine *e, struct request *own, struct bough_error *err);

/* Hand the role to the first in the queue, or lay it down. e->lock is held. */
void writer_pass_on(struct engine *e);

#endif
