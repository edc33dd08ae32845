/*
 * The seen rows that follow from what is stored, computed again: for a rebuild, and to check those
 * that are there. Rows of failed first requests (SEEN_FIRST) are not derived: they count for ten
 * minutes only.
 */
#ifndef STORE_SEEN_TRACE_H
#define STORE_SEEN_TRACE_H

#include "store/engine/engine.h"

struct trace {
    /* A row of the session. */
    void (*row)(void *user, const struct seen_row *row);
    /* What rows an entry has is not known: the history in front of it cannot be read, or its
     * request did not have the history of its path. May be NULL. */
    void (*unknown)(void *user, int64_t bid, int64_t depth);
    void *user;
};

/* Nothing for a purged session. Memory grows with one path of the session. */
enum bough_rc trace_session(struct snap *snap, int64_t sid, const struct trace *to,
                            struct bough_error *err);

/* Replace all rows; the rebuild of a projection (store/project/rebuild.h). */
enum bough_rc seen_rebuild(struct prep *p, void *unused, struct bough_error *err);

#endif
