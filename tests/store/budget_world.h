/* Helpers for tests of budgets. */
#ifndef BUDGET_WORLD_H
#define BUDGET_WORLD_H

#include <bough/budget.h>

#include "lib/store_test.h"

struct bough_budget set_it(struct test *t, struct bough_budget_set_options in);
#define SET(...) set_it(t, (struct bough_budget_set_options){ __VA_ARGS__ })

struct bough_budget budget_status(struct test *t, const char *id);
const char *sums(struct test *t, const char *id); /* "spent + held of cap" */

/* `hold` may be NULL. */
enum bough_rc try_reserve(struct test *t, struct bough_store *s,
                          struct bough_budget_reserve_options in, const char **hold);
#define RESERVE(cost, ...)                                                                         \
    try_reserve(                                                                                   \
        t, t->store,                                                                               \
        (struct bough_budget_reserve_options){ .ask = { .estimate = (cost) }, __VA_ARGS__ }, NULL)
#define UNKNOWN(...)                                                                               \
    try_reserve(t, t->store,                                                                       \
                (struct bough_budget_reserve_options){ .ask = { .unknown = true }, __VA_ARGS__ },  \
                NULL)

/* A subagent if it has a parent. */
const char *session_in(struct test *t, const char *project, const char *account,
                       const char *parent);

/* Run the check with everything pending, then with everything folded. */
#define TWICE(check)                                                                               \
    do {                                                                                           \
        check;                                                                                     \
        CHECK_OK(bough_store_upkeep(t->store, &t->err));                                           \
        check;                                                                                     \
    } while (0)

#endif
