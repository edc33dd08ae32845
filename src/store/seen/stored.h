/* A stored path as a client sees it: behind a compaction that the client made, its window and what
 * it kept. */
#ifndef STORE_SEEN_STORED_H
#define STORE_SEEN_STORED_H

#include "core/match/place.h"
#include "store/engine/engine.h"

/* A path as a history. `slots` says where each message is; those of a marker's window have none. */
struct stored {
    struct history h;
    struct bough_head *slots;
    size_t window;            /* messages in front that are a marker's window */
    struct bough_head marker; /* that marker; branch 0: the path is shown whole */
    struct bough_entry *all;  /* every message, compaction and custom entry of the path */
    size_t nall;
    struct bough_head end; /* the last entry of the path; branch 0: it is empty */
    bool holes;            /* messages of the path are deleted, or open */
};

enum {
    STORED_WHOLE = 1,   /* every message, also with a marker */
    STORED_DELETED = 2, /* deleted messages, too */
};

/* Read the path to `end`. With a marker that a client's compaction left: as the client sees it,
 * unless `what` says otherwise. */
enum bough_rc stored_read(struct snap *snap, struct bough_arena *a, struct bough_head end, int what,
                          struct stored *out, struct bough_error *err);
/* The slot behind which something goes that follows the first `n` messages: the end of the path if
 * it follows all of them. */
struct bough_head stored_slot(const struct stored *s, size_t n);
/* The last marker with a window, down to a depth; NULL: none. */
const struct bough_entry *stored_marker(const struct stored *s, int64_t depth);

#endif
