/* Read the results of a batch and compare each with the one that its statement must have. */
#include <stdlib.h>

#include "store/postgres/write/batch.h"

static bool held(const struct sent *s, PGresult *r)
{
    switch (s->must) {
    case MUST_WORK:
        return true;
    case MUST_TOUCH:
        return strtoll(PQcmdTuples(r), NULL, 10) >= s->want;
    case MUST_BE:
        return PQntuples(r) > 0 && got_int(r, 0, 0) == s->want;
    }
    return false;
}

/* Check one result. False: the server skipped the rest of the pipeline. */
static bool take_answer(struct batch *b, const struct sent *s, PGresult *r, enum bough_rc *rc,
                        struct bough_error *err)
{
    if (result_good(r)) {
        if (!held(s, r) && !s->t->lost) {
            s->t->lost = s->lost;
            b->again = true;
        }
        return true;
    }
    if (result_is(r, "23505")) { /* unique violation */
        s->t->lost = s->lost;
        b->again = true;
        return false;
    }
    b->s->replay = result_is(r, "40P01") || result_is(r, "40001");
    *rc = pg_fail(b->s->writer, r, err);
    return false;
}

enum bough_rc batch_settle(struct batch *b, struct bough_error *err)
{
    struct conn *c = b->s->writer;
    enum bough_rc rc = gather_flush(b, err), end;
    bool more = true;

    if (!rc)
        rc = pg_sync(c, err);
    if (!rc && b->taking)
        rc = pg_writer_read_take(b->s, err);
    if (!rc && b->taking && b->guess && b->s->taken.commits != b->guess)
        b->wrong = b->again = true;
    b->taking = false;
    for (size_t i = 0; i < b->n && !rc && !b->wrong && more; i++) {
        PGresult *r = NULL;

        rc = pg_next(c, &r, err);
        if (!rc)
            more = take_answer(b, &b->sent[i], r, &rc, err);
        PQclear(r);
    }
    end = c->lost ? BOUGH_OK : pg_drain(c, rc ? NULL : err);
    b->n = 0;
    return rc || b->again ? rc : end;
}
