/* Helpers for tests of budgets. */
#include "budget_world.h"

#include "base/memory/arena.h"

struct bough_budget set_it(struct test *t, struct bough_budget_set_options in)
{
    struct bough_budget out;

    CHECK_OK(bough_budget_set(t->store, t->arena, &in, &out, &t->err));
    return out;
}

struct bough_budget budget_status(struct test *t, const char *id)
{
    struct bough_budget out;

    CHECK_OK(bough_budget_status(t->store, t->arena, id, &out, &t->err));
    return out;
}

const char *sums(struct test *t, const char *id)
{
    struct bough_budget b = budget_status(t, id);

    return arena_printf(t->arena, "%lld + %lld of %lld", (long long)b.spent, (long long)b.held,
                        (long long)b.cap);
}

enum bough_rc try_reserve(struct test *t, struct bough_store *s,
                          struct bough_budget_reserve_options in, const char **hold)
{
    char id[BOUGH_ID_LEN + 1];
    enum bough_rc rc = bough_budget_reserve(s, &in, id, &t->err);

    if (hold)
        *hold = arena_strdup(t->arena, id);
    return rc;
}

const char *session_in(struct test *t, const char *project, const char *account, const char *parent)
{
    struct bough_session_create_options in = { .project = project,
                                               .account = account,
                                               .parent = parent,
                                               .kind = parent ? BOUGH_SUBAGENT : BOUGH_PRIMARY };
    struct bough_session *out;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &out, &t->err));
    return out->id;
}
