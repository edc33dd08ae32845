/* Labels by slot, for operations that show them beside entries. */
#ifndef STORE_ENTRIES_LABEL_H
#define STORE_ENTRIES_LABEL_H

#include "store/engine/engine.h"

struct label {
    struct bough_head at;
    const char *text; /* "": it was cleared */
    int64_t time;
};

struct labels {
    struct label *at;
    size_t n;
};

/* All labels of a session and of the sessions its history comes from: of each entry the nearest
 * and latest. Entries that the session does not show are included. */
enum bough_rc labels_read(struct snap *snap, struct bough_arena *a, int64_t sid, struct labels *out,
                          struct bough_error *err);

#endif
