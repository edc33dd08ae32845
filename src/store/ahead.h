/*
 * Reading ahead: whoever goes through rows and asks for something of each says first what that will
 * be. Where a question is a round trip all of it is read in one; elsewhere this does nothing.
 */
#ifndef STORE_AHEAD_H
#define STORE_AHEAD_H

#include "store/engine.h"

enum { AHEAD_ROWS = 256 }; /* so many log rows are looked through at a time */

struct ahead {
    struct snap *snap;
    struct bough_arena *a;
    struct wanted *want;
    size_t n, cap;
};

void ahead_add(struct ahead *h, enum wanted_kind kind, int64_t a, int64_t b);
/* The last `n` entries that a log row names; when they are many, one question for them is as good.
 */
void ahead_entries(struct ahead *h, enum wanted_kind kind, const struct log_row *row, int64_t n);
/* The calls that came with an append. */
void ahead_calls(struct ahead *h, const struct log_row *row);
/* Read what was added, and begin anew. */
void ahead_read(struct ahead *h);

#endif
