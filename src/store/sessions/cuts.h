/* What a purge removes of the branches of a session: entries deeper than each branch's cut. */
#ifndef STORE_SESSIONS_CUTS_H
#define STORE_SESSIONS_CUTS_H

#include "store/engine/engine.h"

struct branches {
    struct branch_row *at; /* the session's branches by bid, so children follow their parents */
    size_t n;
};

/* Sessions that still show entries; at most 64 are named. */
struct keepers {
    int64_t at[64];
    struct bough_head deepest[64]; /* the deepest entry that each of them shows */
    size_t n;
};

/* Cuts that were computed, also those of sessions that are not purged yet. */
struct cuts {
    struct snap *snap;
    struct map by_bid; /* bid -> the last depth that is still needed */
};

void cuts_init(struct cuts *c, struct snap *snap);
void cuts_finish(struct cuts *c);

/* Compute the cuts of all branches of a session, as if it were purged: out->at[i].cut is the last
 * depth that another session still needs. The caller frees out->at with mem_free(), also after an
 * error. `keepers` may be NULL. */
enum bough_rc cuts_of(struct cuts *c, int64_t sid, struct branches *out, struct keepers *keepers,
                      struct bough_error *err);

/* The callback of branch_of() that fills a struct branches. */
bool branches_keep(void *user, const struct branch_row *b);

#endif
