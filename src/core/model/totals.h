/* Totals: adding up tokens and money with overflow checks. Pure. */
#ifndef CORE_MODEL_TOTALS_H
#define CORE_MODEL_TOTALS_H

#include <bough/model.h>

/* *sum += *add. False, with *sum untouched, when any of the numbers would overflow. */
BOUGH_MUST_CHECK bool totals_add(struct bough_totals *sum, const struct bough_totals *add);

/* *out = -*t. False, with *out untouched, when a number cannot be negated (INT64_MIN). */
BOUGH_MUST_CHECK bool totals_neg(const struct bough_totals *t, struct bough_totals *out);

/* Usage of one call: no number negative, none above LIMIT_TOKENS or LIMIT_COST. */
bool totals_valid(const struct bough_totals *t);

/* Is the cost of a call known? If its source is not said: not if its tokens cost nothing and the
 * provider's report (raw JSON, may be empty) names no cost, because then no price was applied. */
bool totals_cost_known(const struct bough_totals *used, struct bough_str report,
                       enum bough_cost_source source);

/* One adjustment: each number between -LIMIT_ADJUST and LIMIT_ADJUST. */
bool totals_modest(const struct bough_totals *t);

/* A copy in the arena; NULL stays NULL. */
const struct bough_totals *totals_keep(struct bough_arena *a, const struct bough_totals *t);

/* Are all numbers equal? */
bool totals_equal(const struct bough_totals *a, const struct bough_totals *b);

/* Are all numbers 0? */
bool totals_is_zero(const struct bough_totals *t);

#endif
