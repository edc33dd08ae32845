/*
 * Budgets, inside. A budget is a state record (RECORD_STATE) with the name "budget" whose data is a
 * JSON object. It also lists the reservations of calls that run ("held"), so that its version says
 * whether anybody has reserved or released since it was read.
 */
#ifndef STORE_BUDGET_BUDGET_H
#define STORE_BUDGET_BUDGET_H

#include <bough/budget.h>

#include "store/project/projector.h"

enum { BUDGETS_MOST = 1000, HOLDS_MOST = 20000 };

/* A reservation. */
struct hold {
    const char *id;
    int64_t cost;    /* nano-USD */
    int64_t expires; /* it does not count from then on */
    const char *process;
};

struct budget {
    int64_t ord, ver; /* of its record */
    int64_t deleted;  /* when it was removed; 0: it is there */
    struct bough_budget b;
    struct hold *holds;
    size_t nholds;
};

struct budgets {
    struct budget *at;
    size_t n;
    int64_t free_ord, free_ver; /* the record of a budget that was removed; ord 0: there is none */
};

/* ---- records.c ---- */

/* All budgets, in the arena. Reservations that have expired, or whose process has ended, are left
 * out. BOUGH_CORRUPT: a budget cannot be read; no call is made on a guess. */
enum bough_rc budgets_read(struct snap *snap, struct bough_arena *a, int64_t now,
                           struct budgets *out, struct bough_error *err);
struct budget *budgets_find(struct budgets *all, const char *id); /* NULL: there is none */
/* Add the change that writes the budget's record; ord 0: a new one. */
void budget_put(struct prep *p, const struct budget *b);

/* ---- spent.c ---- */

/* Fill in the window at a time, and what was spent and is reserved. `o` is of the same snapshot. */
enum bough_rc budget_fill(struct snap *snap, struct bough_arena *a, const struct overlay *o,
                          int64_t now, struct budget *b, struct bough_error *err);

/* ---- reserve.c ---- */

/* Who pays for a call: the handle's principal, and this. */
struct payer {
    int64_t sid;  /* the session whose project and account count; 0: those named below */
    int64_t tree; /* the session whose tree it is in; 0: none */
    const char *project, *account;
};

/* As bough_budget_reserve(). `hold` NULL: only check. */
enum bough_rc budget_reserve(struct bough_store *s, const struct payer *payer,
                             const struct bough_budget_ask *ask, char hold[BOUGH_ID_LEN + 1],
                             struct bough_error *err);

#endif
