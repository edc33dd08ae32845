/* Purging: one txn hides a session, slices remove its rows, a crash in between is taken up again.
 */
#ifndef STORE_PURGE_H
#define STORE_PURGE_H

#include "store/engine.h"

/* Finish purges that an earlier process began. */
enum bough_rc purge_resume(struct bough_store *s, struct bough_error *err);

#endif
