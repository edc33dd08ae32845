/* Read-ahead: a reader that needs one lookup per row announces the lookups first. A backend with
 * round trips then fetches them together; for other backends this does nothing. */
#ifndef STORE_ENGINE_AHEAD_H
#define STORE_ENGINE_AHEAD_H

#include "store/engine/engine.h"

enum { AHEAD_ROWS = 256 }; /* changelog rows examined per round */

struct ahead {
    struct snap *snap;
    struct bough_arena *a;
    struct wanted *want;
    size_t n;
};

/* Add one row; `a` and `b` as the kind says. */
void ahead_add(struct ahead *h, enum wanted_kind kind, int64_t a, int64_t b);
/* Add the last `n` entries that a changelog row names. Does nothing above 16: the reader then scans
 * them as a range, which is one round trip anyway. */
void ahead_entries(struct ahead *h, enum wanted_kind kind, const struct changelog_row *row,
                   int64_t n);
/* Add the calls of an append. */
void ahead_calls(struct ahead *h, const struct changelog_row *row);
/* Prefetch the added rows and empty the list. */
void ahead_read(struct ahead *h);

#endif
