/* Purge: remove the rows of a purged session in slices. Each slice is one durable transaction. */
#include "base/limits.h"
#include "store/postgres/conn/writer.h"

struct slice {
    int64_t sid, limit, room;
    int64_t entries, records;
};

/* Delete at most w->room rows that match the numbers in `by`. Adds the count to *gone and subtracts
 * it from w->room. */
static enum bough_rc delete_some(struct postgres *s, enum sql id, const int64_t *by, int n,
                                 struct slice *w, int64_t *gone, struct bough_error *err)
{
    struct args a = { 0 };
    int64_t rows = 0;
    enum bough_rc rc;

    if (w->room <= 0)
        return BOUGH_OK;
    args_ints(&a, by, n);
    args_int(&a, w->room);
    rc = pg_writer_run(s, id, &a, &rows, err);
    w->room -= rows;
    *gone += rows;
    return rc;
}

/* Delete everything of one branch that is deeper than its cut. */
static enum bough_rc delete_branch(struct postgres *s, const struct branch_row *b, struct slice *w,
                                   struct bough_error *err)
{
    static const enum sql steps[] = { SQL_PURGE_TEXT, SQL_PURGE_DRAFTS, SQL_PURGE_OPEN };
    const int64_t above[] = { b->bid, b->cut };
    int64_t others = 0;
    struct args a = { 0 };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < sizeof steps / sizeof *steps && !rc; i++)
        rc = delete_some(s, steps[i], above, 2, w, &others, err);
    if (!rc)
        rc = delete_some(s, SQL_PURGE_ENTRIES, above, 2, w, &w->entries, err);
    if (rc || w->room <= 0)
        return rc;
    args_ints(&a, (int64_t[]){ b->bid, b->cut, w->room }, 3);
    rc = pg_writer_run(s, SQL_PURGE_LOOSEN, &a, NULL, err);
    return rc ? rc : delete_some(s, SQL_PURGE_LINKS, above, 2, w, &others, err);
}

/* The session's next branch after b->bid. False: none, or an error, which sets *rc. */
static bool next_branch(struct postgres *s, int64_t sid, struct branch_row *b, enum bough_rc *rc,
                        struct bough_error *err)
{
    struct args a = { 0 };
    PGresult *r;
    bool there;

    args_ints(&a, (int64_t[]){ sid, b->bid, 1 }, 3);
    *rc = pg_writer_ask(s, SQL_BRANCH_OF, &a, &r, err);
    if (*rc)
        return false;
    there = PQntuples(r) > 0;
    if (there)
        pg_row_branch(r, 0, b);
    PQclear(r);
    return there;
}

static enum bough_rc delete_slice(struct postgres *s, void *user, struct bough_error *err)
{
    struct slice *w = user;
    struct branch_row b = { 0 };
    struct args title = { 0 };
    int64_t others = 0;
    enum bough_rc rc;

    w->room = w->limit;
    w->entries = w->records = 0;
    args_int(&title, w->sid);
    rc = pg_writer_run(s, SQL_TEXT_DEL_TITLE, &title, NULL, err);
    while (!rc && w->room > 0 && next_branch(s, w->sid, &b, &rc, err))
        if (b.cut >= 0)
            rc = delete_branch(s, &b, w, err);
    if (!rc)
        rc = delete_some(s, SQL_PURGE_RECORDS, &w->sid, 1, w, &w->records, err);
    if (!rc && w->room > 0) /* once all entries are gone; the same number as for the title */
        rc = pg_writer_run(s, SQL_PURGE_SEEN, &title, NULL, err);
    if (!rc)
        rc = delete_some(s, SQL_PURGE_NAMES, &w->sid, 1, w, &others, err);
    if (!rc)
        rc = delete_some(s, SQL_PURGE_KEYS, &w->sid, 1, w, &others, err);
    /* Last: the aliases include the marker of an unfinished purge. */
    return rc ? rc : delete_some(s, SQL_PURGE_ALIASES, &w->sid, 1, w, &others, err);
}

enum bough_rc postgres_purge_slice(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                   int64_t *entries, int64_t *records, const struct deadline *p,
                                   struct bough_error *err)
{
    struct slice w = { .sid = sid, .limit = limit > 0 ? limit : 1 };
    enum bough_rc rc;

    *left = true;
    if (sid <= 0)
        return bough_fail(err, BOUGH_INVALID, "there is no session #%lld", (long long)sid);
    rc = pg_writer_txn(postgres_of(b), false, p, delete_slice, &w, err);
    if (rc)
        return rc;
    *left = w.room == 0;
    *entries += w.entries;
    *records += w.records;
    return BOUGH_OK;
}

struct cuts {
    const struct branch_row *rows;
    size_t n;
};

static enum bough_rc set_cuts(struct postgres *s, void *user, struct bough_error *err)
{
    const struct cuts *c = user;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < c->n && !rc; i++) {
        struct args a = { 0 };

        args_ints(&a, (int64_t[]){ c->rows[i].bid, c->rows[i].cut }, 2);
        rc = pg_writer_run(s, SQL_BRANCH_CUT, &a, NULL, err);
    }
    return rc;
}

enum bough_rc postgres_branch_cut(struct backend *b, const struct branch_row *rows, size_t n,
                                  const struct deadline *p, struct bough_error *err)
{
    struct cuts c = { rows, n };

    return pg_writer_txn(postgres_of(b), false, p, set_cuts, &c, err);
}
