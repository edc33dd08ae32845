/* Costs of calls whose files have tokens only. */
#include "base/memory/arena.h"
#include "core/price/price.h"
#include "formats/common/format.h"

enum bough_cost_source price_usage(struct reading *r, const struct answered *who,
                                   const struct usage *u, struct bough_totals *used)
{
    struct cost c;

    if (!r->prices) {
        struct price_table own = price_table_own(r->kept);

        r->prices = arena_dup(r->kept, &own, sizeof own);
    }
    c = cost_of_usage(r->prices, who, u);
    if (c.source == BOUGH_COST_UNKNOWN)
        return BOUGH_COST_UNSAID;
    used->cost = c.nano;
    return c.source;
}
