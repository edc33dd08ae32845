/* Purging: one txn hides a session, then slices remove its rows; a crash in between is resumed. */
#ifndef STORE_SESSIONS_PURGE_H
#define STORE_SESSIONS_PURGE_H

#include "store/engine/engine.h"

/* Finish the purges that an earlier process left unfinished, at most 256 of them. */
enum bough_rc purge_resume(struct bough_store *s, struct bough_error *err);

/* The nearest ancestor that spawned the session and is not purged: it takes over the spending. 0:
 * none, the store does. */
enum bough_rc purge_heir(struct snap *snap, int64_t sid, int64_t *heir, struct bough_error *err);

#endif
