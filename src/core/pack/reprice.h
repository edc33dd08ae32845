/* Old prices of a call: what it cost before a recomputation. They stay in its body, and each
 * CHANGELOG_REPRICE row names the one that it replaced. Pure. */
#ifndef CORE_PACK_REPRICE_H
#define CORE_PACK_REPRICE_H

#include "core/pack/bodies.h"

struct old_price {
    int64_t cost;   /* nano-USD */
    int64_t source; /* enum bough_cost_source */
    int64_t until;  /* when it was replaced */
};

/* The old price with number `n`, from 0; false: there is none. */
bool reprice_was(struct bough_arena *a, const struct call_body *call, int64_t n,
                 struct old_price *out);
/* The price that replaced it: the next old one, or the present one. */
struct old_price reprice_then(struct bough_arena *a, const struct call_body *call, int64_t n);
/* How many old prices a call has. */
int64_t reprice_count(struct bough_arena *a, const struct call_body *call);

/* Give the call another price at time `now`; the present one becomes an old one. */
void reprice(struct bough_arena *a, struct call_body *call, int64_t cost, int64_t source,
             int64_t now);

#endif
