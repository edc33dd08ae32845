/*
 * Budgets: what may be spent at most on a day, in a month or ever, by a token, an account, a
 * project, a session with its subagents, or the whole store.
 *
 * A budget is asked before a call is made: bough_exchange_begin() with `budget`, or
 * bough_budget_reserve(). What was spent, what is reserved for calls that run, and the estimate of
 * this call must fit into the cap of every budget that applies; then the estimate is reserved, in
 * the same transaction. Calls of several threads and processes never pass a cap together. What was
 * spent is what bough_spend() adds up. A call that costs more than its estimate may pass a cap; the
 * next one is then refused. See docs/decisions/044-budgets.md.
 */
#ifndef BOUGH_BUDGET_H
#define BOUGH_BUDGET_H

#include <bough/model.h>
#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

enum bough_budget_scope {
    BOUGH_BUDGET_STORE,
    BOUGH_BUDGET_PROJECT, /* calls stored while their session belongs to it */
    BOUGH_BUDGET_ACCOUNT, /* the same */
    BOUGH_BUDGET_TOKEN,   /* calls through handles with this principal, such as "token:ci" */
    BOUGH_BUDGET_SESSION, /* a session and its subagents at any depth */
};

/* Days and months are those of UTC. */
enum bough_budget_window {
    BOUGH_BUDGET_TOTAL, /* all that was ever spent */
    BOUGH_BUDGET_DAY,
    BOUGH_BUDGET_MONTH,
};

/* "store", "project", "account", "token", "session"; "total", "day", "month". Constants; NULL for a
 * number that is none. */
const char *bough_budget_scope_name(enum bough_budget_scope scope);
const char *bough_budget_window_name(enum bough_budget_window window);
/* The way back. False, with *out untouched, for any other word. */
bool bough_budget_scope_parse(const char *word, enum bough_budget_scope *out);
bool bough_budget_window_parse(const char *word, enum bough_budget_window *out);

struct bough_budget_set_options {
    enum bough_budget_scope scope;
    const char *of; /* the project's or account's name, the principal, the session; NULL or "" for
                       the store */
    enum bough_budget_window window;
    int64_t cap;          /* nano-USD. 0 refuses every call that costs something */
    bool allow_unknown;   /* calls whose price is not known may be made */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_budget {
    char id[BOUGH_ID_LEN + 1];
    enum bough_budget_scope scope;
    enum bough_budget_window window;
    const char *of; /* of a session: its id */
    int64_t cap;
    bool allow_unknown;
    int64_t created, updated; /* when it was set first and last */
    const char *by;           /* the principal that set it last */
    /* at the time of reading */
    int64_t spent;        /* nano-USD, in the window */
    int64_t held;         /* nano-USD, reserved for calls that run */
    int64_t holds;        /* how many calls these are */
    int64_t unknown;      /* calls in the window whose cost is not known */
    int64_t since, until; /* the window; both 0: no end */
    uint64_t reserved[6]; /* room to grow */
};

/* Set the budget of a scope and a window: there is one of each, and its cap is replaced. `out`,
 * which may be NULL, gets the budget, in the arena. BOUGH_NOT_FOUND: there is no such session.
 * Other names need not exist yet. BOUGH_TOO_LARGE: there are 1,000 budgets. */
BOUGH_MUST_CHECK enum bough_rc bough_budget_set(struct bough_store *s, struct bough_arena *a,
                                                const struct bough_budget_set_options *in,
                                                struct bough_budget *out, struct bough_error *err);

struct bough_budgets {
    struct bough_budget *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* All budgets, by scope, name and window. */
BOUGH_MUST_CHECK enum bough_rc bough_budget_list(struct bough_store *s, struct bough_arena *a,
                                                 struct bough_budgets *out,
                                                 struct bough_error *err);

/* One budget by its id. BOUGH_NOT_FOUND. */
BOUGH_MUST_CHECK enum bough_rc bough_budget_status(struct bough_store *s, struct bough_arena *a,
                                                   const char *id, struct bough_budget *out,
                                                   struct bough_error *err);

/* Remove a budget. BOUGH_NOT_FOUND. Calls that run go on. */
BOUGH_MUST_CHECK enum bough_rc bough_budget_remove(struct bough_store *s, const char *id,
                                                   struct bough_error *err);

/* The budget that refused a call. */
struct bough_budget_refusal {
    char id[BOUGH_ID_LEN + 1];
    enum bough_budget_scope scope;
    enum bough_budget_window window;
    int64_t spent, held, estimate, cap;
    int64_t until;        /* when its window ends; 0: never */
    uint64_t reserved[4]; /* room to grow */
};

/* What a call may cost. */
struct bough_budget_ask {
    int64_t estimate; /* nano-USD */
    bool unknown;     /* there is no price; `estimate` is not used */
    int64_t lease_ms; /* how long it is reserved at most; 0: an hour. It ends earlier with the
                         process, where that can be seen */
    struct bough_budget_refusal *refusal; /* filled with BOUGH_BUDGET_EXCEEDED and
                                             BOUGH_PRICE_UNKNOWN; may be NULL */
    uint64_t reserved[4];                 /* room to grow: must be 0 */
};

struct bough_budget_reserve_options {
    struct bough_budget_ask ask;
    const char *session;           /* of the call; NULL or "": none yet */
    const char *project, *account; /* of a call without a session; else those of the session */
    uint64_t reserved[4];          /* room to grow: must be 0 */
};

/*
 * Check all budgets that apply to a call of this handle's principal, and reserve the estimate in
 * them. `hold` gets a name for bough_budget_release(), or "" if no budget applies. A call that
 * costs nothing is never refused. BOUGH_BUDGET_EXCEEDED: it does not fit into a cap; the message
 * and the refusal say what was spent, the cap, the window and its end. BOUGH_PRICE_UNKNOWN: its
 * price is not known, and a budget does not allow that; where all do, it is reserved as nothing,
 * and refused only when nothing is left.
 */
BOUGH_MUST_CHECK enum bough_rc bough_budget_reserve(struct bough_store *s,
                                                    const struct bough_budget_reserve_options *in,
                                                    char hold[BOUGH_ID_LEN + 1],
                                                    struct bough_error *err);

/* The call has ended, and its cost is stored: remove what was reserved. Nothing happens if it has
 * ended already, or if `hold` is "". */
BOUGH_MUST_CHECK enum bough_rc bough_budget_release(struct bough_store *s, const char *hold,
                                                    struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
