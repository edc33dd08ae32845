/* Money: nano-USD, billionths of a dollar, and where the cost of a call comes from. */
#ifndef BOUGH_MONEY_H
#define BOUGH_MONEY_H

#include <bough/error.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where the cost of a call comes from. Stored: add at the end, never renumber. */
enum bough_cost_source {
    BOUGH_COST_UNSAID = 0,    /* as the caller gave it */
    BOUGH_COST_REPORTED = 1,  /* the provider said so */
    BOUGH_COST_LIST = 2,      /* by the list prices */
    BOUGH_COST_ESTIMATED = 3, /* the same, with tokens or a price that are not known exactly */
    BOUGH_COST_UNKNOWN = 4,   /* there is no price: the cost is 0 and means nothing */
    BOUGH_COST_SOURCE_LAST = BOUGH_COST_UNKNOWN,
};

/* "reported", "list", "estimated", "unknown"; "" for BOUGH_COST_UNSAID. A constant. */
const char *bough_cost_source_name(enum bough_cost_source source);

/* Dollars as nano-USD, rounded half to even. BOUGH_INVALID when it is not a finite number, or more
 * than 9.2 billion dollars. */
BOUGH_MUST_CHECK enum bough_rc bough_money_from_usd(double usd, int64_t *nano,
                                                    struct bough_error *err);

/* Nano-USD as micro-USD, rounded half to even. */
int64_t bough_money_micros(int64_t nano);

/* Nano-USD as dollars with six decimals, "0.001234"; cut to `size` bytes with the NUL. */
void bough_money_text(int64_t nano, char *out, size_t size);

#ifdef __cplusplus
}
#endif
#endif
