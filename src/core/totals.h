/* Totals: adding up tokens and money, with every overflow seen. */
#ifndef CORE_TOTALS_H
#define CORE_TOTALS_H

#include <bough/model.h>

/* *sum += add. False, and *sum untouched, when any of the numbers would leave int64. */
BOUGH_MUST_CHECK bool totals_add(struct bough_totals *sum, const struct bough_totals *add);

/* What takes `t` back. False when a number has no opposite. */
BOUGH_MUST_CHECK bool totals_neg(const struct bough_totals *t, struct bough_totals *out);

/* Usage of one call: nothing negative, nothing above limits.h. Adjustments are not asked. */
bool totals_valid(const struct bough_totals *t);

/* One adjustment: each number within limits.h, either way. */
bool totals_modest(const struct bough_totals *t);

bool totals_is_zero(const struct bough_totals *t);

#endif
