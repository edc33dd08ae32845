/*
 * Whoever lists sessions asks for the session and the head of each right after: one round trip for
 * all of them instead of two for each. A view is one moment, so what was read stays true in it.
 */
#include "store/postgres/db.h"

static const enum sql questions[] = {
    [AHEAD_SESSIONS] = SQL_SESSION_MANY, [AHEAD_HEADS] = SQL_HEAD_MANY
};

void ahead_forget(struct conn *c)
{
    for (int k = 0; k < 2; k++) {
        PQclear(c->ahead[k]);
        c->ahead[k] = NULL;
    }
}

static enum bough_rc ask_both(struct conn *c, const struct args *a, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK, end;

    for (int k = 0; k < 2 && !rc; k++)
        rc = pg_send(c, questions[k], a, err);
    if (!rc)
        rc = pg_sync(c, err);
    for (int k = 0; k < 2 && !rc; k++) {
        rc = pg_next(c, &c->ahead[k], err);
        if (!rc && !result_good(c->ahead[k]))
            rc = pg_fail(c, c->ahead[k], err);
    }
    end = c->lost ? BOUGH_OK : pg_drain(c, rc ? NULL : err);
    return rc ? rc : end;
}

enum bough_rc ahead_fetch(struct view *v, const PGresult *list, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    struct bough_arena *a;
    struct args args = { 0 };
    int64_t *sids;
    int n = PQntuples(list);
    enum bough_rc rc;

    ahead_forget(c);
    if (n < 2)
        return BOUGH_OK;
    a = bough_arena_create();
    sids = arena_array(a, (size_t)n, sizeof *sids);
    for (int i = 0; i < n; i++)
        sids[i] = got_int(list, i, 0);
    args_str(&args, numbers_array(a, sids, (size_t)n));
    rc = ask_both(c, &args, err);
    if (rc)
        ahead_forget(c);
    bough_arena_destroy(a);
    return rc;
}

bool ahead_find(struct view *v, enum ahead what, int64_t sid, PGresult **r, int *i)
{
    *r = conn_of(v)->ahead[what];
    for (*i = 0; *r && *i < PQntuples(*r); ++*i)
        if (got_int(*r, *i, 0) == sid)
            return true;
    return false;
}
