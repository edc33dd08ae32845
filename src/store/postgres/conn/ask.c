/* Queries of a snapshot. Its transaction begins with the first one. */
#include "store/postgres/wire/db.h"

enum bough_rc pg_over(struct snapshot *v, struct bough_error *err)
{
    struct conn *c = conn_of(v);

    if (c->failed.rc && err)
        *err = c->failed;
    return c->failed.rc;
}

enum bough_rc pg_ask_begin(struct snapshot *v, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    enum bough_rc rc = pg_over(v, err);

    if (rc || c->begun)
        return rc;
    c->begun = true;
    rc = pg_send(c, SQL_BEGIN_READ, NULL, err);
    return rc ? rc : pg_send_local(c, err);
}

enum bough_rc pg_answer(struct snapshot *v, PGresult **out, struct bough_error *err)
{
    struct conn *c = conn_of(v);
    PGresult *last = NULL;
    enum bough_rc rc = pg_sync(c, err), end;

    *out = NULL;
    while (!rc && c->wire.n) { /* the last result is the answer */
        PQclear(last);
        last = NULL;
        rc = pg_next(c, &last, err);
        if (!rc && PQresultStatus(last) == PGRES_FATAL_ERROR)
            rc = pg_fail(c, last, err);
    }
    end = c->lost ? BOUGH_OK : pg_drain(c, rc ? NULL : err);
    rc = rc ? rc : end;
    if (!rc && !last)
        rc = pg_gone(c, err);
    if (rc) {
        PQclear(last);
        return rc;
    }
    *out = last;
    return BOUGH_OK;
}

enum bough_rc pg_ask(struct snapshot *v, enum sql id, const struct args *a, PGresult **out,
                     struct bough_error *err)
{
    enum bough_rc rc = pg_ask_begin(v, err);

    if (!rc)
        rc = pg_send(conn_of(v), id, a, err);
    return rc ? rc : pg_answer(v, out, err);
}
