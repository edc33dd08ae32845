/* Commit a batch of txns as one SQLite transaction with one sync. A txn that lost is
 * undone alone. */
#include "store/sqlite/conn/db.h"

static bool all_relaxed(struct txn *const *txns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!txns[i]->relaxed)
            return false;
    return true;
}

/* Apply one txn inside its own savepoint, so that a lost txn can be rolled back alone. */
static enum bough_rc write_saved(struct sqlite *s, struct txn *t, struct bough_error *err)
{
    struct conn *c = s->writer;
    int64_t no = s->cache.no, sessions = s->cache.sessions, branches = s->cache.branches;
    enum bough_rc rc = conn_run(c, SQL_SAVE, err);

    if (!rc)
        rc = apply_txn(s, t, err);
    if (!rc && t->lost) {
        s->cache = (struct cache){ true, s->cache.version, no, sessions, branches, { { 0, 0 } } };
        rc = conn_run(c, SQL_SAVE_UNDO, err);
    }
    return rc ? rc : conn_run(c, SQL_SAVE_DROP, err);
}

/*
 * Apply every txn. With `saved` false no savepoints are used; *again is then set as soon as a txn
 * is lost after it began to write, and the caller repeats the batch with savepoints. This is rare,
 * so the usual batch does not pay for savepoints. *done counts the txns that were applied.
 */
static enum bough_rc write_all(struct sqlite *s, struct txn *const *txns, size_t n, bool saved,
                               size_t *done, bool *again, struct bough_error *err)
{
    *done = 0;
    *again = false;
    for (size_t i = 0; i < n; i++) {
        struct txn *t = txns[i];
        enum bough_rc rc;

        t->lost = NULL;
        rc = apply_guards(s, t, err);
        if (!rc && !t->lost) {
            rc = saved ? write_saved(s, t, err) : apply_txn(s, t, err);
            *again = !rc && t->lost && !saved;
        }
        if (rc || *again)
            return rc;
        t->state = t->lost ? TXN_LOST : TXN_DONE;
        *done += !t->lost;
    }
    return BOUGH_OK;
}

static enum bough_rc write_batch(struct sqlite *s, struct txn *const *txns, size_t n,
                                 struct bough_error *err)
{
    size_t done;
    bool again;
    enum bough_rc rc;

    rc = s->held ? BOUGH_OK : writer_begin(s, all_relaxed(txns, n), err);
    s->held = false;
    if (rc)
        return rc;
    rc = write_all(s, txns, n, false, &done, &again, err);
    if (!rc && again && n == 1) {
        txns[0]->state = TXN_LOST;
        writer_undo(s);
        return BOUGH_OK;
    }
    if (!rc && again) {
        writer_undo(s);
        rc = writer_begin(s, s->normal, err);
        if (rc)
            return rc;
        rc = write_all(s, txns, n, true, &done, &again, err);
    }
    if (rc || done == 0) {
        writer_undo(s);
        return rc;
    }
    return writer_end(s, err);
}

enum bough_rc sqlite_hold(struct backend *b, const struct deadline *p, struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    enum bough_rc rc = writer_enter(s, p, err);

    if (rc)
        return rc;
    rc = writer_begin(s, false, err);
    s->held = !rc;
    writer_leave(s);
    return rc;
}

void sqlite_release(struct backend *b)
{
    struct sqlite *s = sqlite_of(b);

    pthread_mutex_lock(&s->write_lock);
    if (s->held && s->writer)
        writer_undo(s);
    s->held = false;
    pthread_mutex_unlock(&s->write_lock);
}

enum bough_rc sqlite_commit(struct backend *b, struct txn *const *txns, size_t n,
                            const struct deadline *p, struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    enum bough_rc rc = writer_enter(s, p, err);

    if (rc)
        return rc;
    rc = write_batch(s, txns, n, err);
    if (!rc)
        checkpoint_if_large(s);
    writer_leave(s);
    return rc;
}
