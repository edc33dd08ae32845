/*
 * What a call costs: the usage that a provider reported, times the prices of that day. Pure.
 *
 * Tables have amounts in nano-USD a token with up to three decimals, kept as whole pico-USD. A cost
 * is rounded once, half to even, to nano-USD.
 */
#ifndef CORE_PRICE_PRICE_H
#define CORE_PRICE_PRICE_H

#include <bough/model.h>
#include <bough/money.h>

/* ---- usage.c ---- */

/* What a call used. The first five are disjoint; the others are parts of them. */
struct usage {
    int64_t input, cache_read, write_5m, write_1h, output; /* tokens */
    int64_t reasoning;                                     /* of output */
    int64_t audio_in, audio_out, image_out;                /* of input, output, output */
    int64_t searches;                                      /* on the web */
    int64_t cost; /* nano-USD that were reported; -1: none */
    bool clamped; /* counts did not add up: one below 0 became 0 */
    bool special; /* a service tier, a speed or a place that has another price */
};

/* Read a report of usage, of whichever wire: chat completions, responses (and Codex' files),
 * messages, Gemini. False: it has no counts. */
bool usage_read(struct bough_arena *a, struct bough_str json, struct usage *out);
/* The same of counts without a report. */
struct usage usage_of_totals(const struct bough_totals *t);
/* The counts as totals, without a cost. */
struct bough_totals usage_totals(const struct usage *u);

/* ---- table.c ---- */

enum price_cell {
    PRICE_INPUT,
    PRICE_OUTPUT,
    PRICE_CACHE_READ,
    PRICE_WRITE_5M,
    PRICE_WRITE_1H,
    PRICE_REASONING,
    PRICE_AUDIO_IN,
    PRICE_AUDIO_OUT,
    PRICE_IMAGE_OUT,
    PRICE_OVER_TOKENS, /* above this many tokens of input the next five count; in tokens */
    PRICE_OVER_INPUT,
    PRICE_OVER_OUTPUT,
    PRICE_OVER_CACHE_READ,
    PRICE_OVER_WRITE_5M,
    PRICE_OVER_WRITE_1H,
    PRICE_WEB_SEARCH, /* a request */
    PRICE_CELLS
};

/* The name of a cell, as in the first line of a table. */
const char *price_cell_name(enum price_cell cell);

struct price {
    const char *provider;
    const char *model;         /* exact, or the beginning of names, then "*" */
    int64_t from;              /* the time it is valid from */
    int64_t cell[PRICE_CELLS]; /* pico-USD; -1: not known */
    const char *source, *note;
};

struct price_table {
    const struct price *at;
    size_t n;
};

/* Read a table: CSV with a first line of names, in any order; cells are not quoted. Everything is
 * copied into `a`. BOUGH_INVALID: the message names the line. */
BOUGH_MUST_CHECK enum bough_rc price_table_read(struct bough_arena *a, struct bough_str csv,
                                                struct price_table *out, struct bough_error *err);
/* The table of data/prices.csv. */
struct price_table price_table_own(struct bough_arena *a);
/* The same with the rows of another one, which go first for the same model and day. `more` may be
 * empty. Fails as price_table_read() does. */
BOUGH_MUST_CHECK enum bough_rc price_table_with(struct bough_arena *a, struct bough_str more,
                                                struct price_table *out, struct bough_error *err);

/* Write a table as price_table_read() reads it. */
struct buf;
void price_table_write(struct buf *out, const struct price_table *t);

/* The price of a model at a time: of the provider's rows that match, those with the longest name,
 * then the latest. NULL: none is known. */
const struct price *price_find(const struct price_table *t, const char *provider, const char *model,
                               int64_t time);

/* ---- cost.c ---- */

struct cost {
    int64_t nano;
    enum bough_cost_source source;
    const struct price *price; /* that it was computed by; NULL: none */
};

/* The cost at a price. ESTIMATED if a price or a factor is not known; REPORTED if the provider
 * said it. `p` NULL: UNKNOWN, unless it was reported. */
struct cost cost_at(const struct price *p, const struct usage *u);

/* Who answered a call, and when. */
struct answered {
    const char *provider, *model;
    const char *want_model; /* if the one that answered has no price; NULL: none */
    int64_t time;
};
struct cost cost_of_usage(const struct price_table *t, const struct answered *of,
                          const struct usage *u);

/* What a call may cost, before it is made, for a budget: the bytes of the request, four to a token,
 * and the tokens that the reply may have at most (0: not said), of which no more than 4,096 count.
 * `source` is ESTIMATED, or UNKNOWN if there is no price. A call that is not free costs at least 1.
 */
struct cost cost_estimate(const struct price *p, int64_t bytes, int64_t max_tokens);

#endif
