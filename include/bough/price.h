/* Prices: the cost of calls by the list prices, computed again. */
#ifndef BOUGH_PRICE_H
#define BOUGH_PRICE_H

#include <bough/money.h>
#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_price_recompute_options {
    int64_t since, until;    /* only calls with a time from `since` to before `until`; 0: any */
    struct bough_str prices; /* more prices, as CSV with the columns of data/prices.csv. For the
                                same model and day they go before those of the library; empty:
                                none */
    bool dry_run;            /* only tell what would change */
    uint64_t reserved[4];    /* room to grow: must be 0 */
};

struct bough_price_recompute_result {
    int64_t calls;         /* that were looked at: those whose cost may be computed */
    int64_t changed;       /* that got another cost, or another source of it */
    int64_t unknown;       /* for which there is no price */
    int64_t before, after; /* nano-USD: what those that changed cost */
    uint64_t reserved[4];  /* room to grow */
};

/*
 * Compute the cost of calls again, from the usage that was reported, by the prices of their day.
 * Totals move by the difference; the call keeps its old cost and when it was replaced. Left as they
 * are: costs that a provider reported or a caller gave, calls without a price, and list prices of
 * calls that wrote caches but kept no report of it. `in` and `out` may be NULL. Each call is
 * changed on its own: after a failure, those before it are changed, and doing it again goes on.
 * BOUGH_INVALID: the prices are malformed; the message names the line.
 */
BOUGH_MUST_CHECK enum bough_rc bough_price_recompute(struct bough_store *s,
                                                     const struct bough_price_recompute_options *in,
                                                     struct bough_price_recompute_result *out,
                                                     struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
