/*
 * Commit a batch of txns as one transaction. Everything is sent at once, and the results are read
 * once. If a txn lost, the batch is undone and written again with a savepoint per txn.
 *
 * All writers of all processes lock the counter row first. So nothing that a txn was checked
 * against can change before its commit, and changelog numbers become visible in order.
 */
#include "base/limits.h"
#include "store/postgres/write/batch.h"

enum {
    STREAK = 2,         /* after this many commits without another writer, assume there is none */
    KNOWN_MOST = 65536, /* most ordinals that are cached */
};

static bool all_relaxed(struct txn *const *txns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!txns[i]->relaxed)
            return false;
    return true;
}

static struct new_counts makes_of(struct txn *const *txns, size_t n)
{
    struct new_counts sum = { 0 };

    for (size_t i = 0; i < n; i++) {
        struct new_counts one = txn_new_counts(txns[i]);

        sum.sessions += one.sessions;
        sum.branches += one.branches;
        sum.records += one.records;
        sum.numbers += one.numbers;
    }
    return sum;
}

/* ---- ordinals of records ---- */

static uint64_t ordinal_key(int64_t sid, int64_t kind)
{
    return (uint64_t)sid << 8 | (uint64_t)kind;
}

static bool asks_ordinal(const struct postgres *s, const struct change *c)
{
    return c->op == CHANGE_RECORD_PUT && c->u.record.ord == 0 && c->u.record.sid >= 0 &&
           !map_get(&s->known.ordinals, ordinal_key(c->u.record.sid, c->u.record.kind), NULL);
}

static bool ordinals_known(const struct postgres *s, struct txn *const *txns, size_t n)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < txns[i]->nchanges; k++)
            if (asks_ordinal(s, &txns[i]->changes[k]))
                return false;
    return true;
}

/* Read the last ordinals that this batch continues from, unless they are cached. */
static enum bough_rc ask_ordinals(struct postgres *s, struct txn *const *txns, size_t n,
                                  struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < txns[i]->nchanges && !rc; k++) {
            const struct record_row *row = &txns[i]->changes[k].u.record;
            struct args a = { 0 };
            int64_t last;

            if (!asks_ordinal(s, &txns[i]->changes[k]))
                continue;
            args_ints(&a, (int64_t[]){ row->sid, row->kind }, 2);
            rc = pg_writer_int(s, SQL_RECORD_LAST, &a, 0, &last, err);
            if (!rc)
                map_put(&s->known.ordinals, ordinal_key(row->sid, row->kind), (uint64_t)last);
        }
    return rc;
}

static enum bough_rc next_ordinal(struct batch *b, const struct record_row *row,
                                  struct bough_error *err)
{
    int64_t sid = session_of(&b->made, row->sid);
    uint64_t last = 0;

    if (row->sid >= 0)
        (void)map_get(&b->s->known.ordinals, ordinal_key(sid, row->kind), &last);
    else
        last = (uint64_t)new_numbers_last(&b->made, sid, row->kind);
    if (last >= (uint64_t)LIMIT_RECORD)
        return bough_fail(err, BOUGH_FULL, "session #%lld has used all its record numbers",
                          (long long)sid);
    b->made.records[b->made.nrecords++] = (struct new_record){ sid, row->kind, (int64_t)last + 1 };
    map_put(&b->s->known.ordinals, ordinal_key(sid, row->kind), last + 1);
    return BOUGH_OK;
}

/* ---- numbers ---- */

/* Assign the new numbers of a txn. `at` holds the last numbers used before it, and is advanced. */
static enum bough_rc give_numbers(struct batch *b, struct txn *t, struct taken *at,
                                  struct bough_error *err)
{
    struct new_counts makes = txn_new_counts(t);
    enum bough_rc rc = BOUGH_OK;

    b->t = t;
    b->made = (struct new_numbers){ .sid = makes.sessions ? ++at->sessions : 0 };
    b->branches_used = b->records_used = 0;
    if (makes.branches)
        b->made.bids = arena_array(b->a, makes.branches, sizeof *b->made.bids);
    for (size_t i = 0; i < makes.branches; i++)
        b->made.bids[b->made.nbids++] = ++at->branches;
    if (makes.records)
        b->made.records = arena_array(b->a, makes.records, sizeof *b->made.records);
    for (size_t i = 0; i < t->nchanges && makes.records && !rc; i++)
        if (t->changes[i].op == CHANGE_RECORD_PUT && t->changes[i].u.record.ord == 0)
            rc = next_ordinal(b, &t->changes[i].u.record, err);
    b->entry_no = at->no + 1;
    at->no += makes.numbers;
    b->no = at->no;
    if (!rc && (at->sessions > LIMIT_SESSION || at->branches > LIMIT_BRANCH))
        rc = bough_fail(err, BOUGH_FULL, "%s has used all its numbers", b->s->name);
    return rc;
}

static struct taken before(struct taken after, struct new_counts m)
{
    return (struct taken){ after.commits, after.no - m.numbers,
                           after.sessions - (int64_t)m.sessions,
                           after.branches - (int64_t)m.branches };
}

/* ---- all at once ---- */

/* Queue every txn, with numbers that continue from `at`. */
static enum bough_rc send_all(struct batch *b, struct txn *const *txns, size_t n, struct taken at,
                              struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n && !rc && !b->again; i++) {
        rc = give_numbers(b, txns[i], &at, err);
        if (!rc)
            rc = batch_apply(b, txns[i], err);
        if (!rc)
            new_numbers_tell(&b->made, txns[i], b->no);
    }
    return rc;
}

/* Queue taking the numbers of the whole batch. */
static enum bough_rc send_take(struct batch *b, struct new_counts m, struct bough_error *err)
{
    b->taking = true;
    return pg_writer_send_take(b->s, m.numbers, (int64_t)m.sessions, (int64_t)m.branches, err);
}

/* The cache is valid only if no other process committed since our last commit. */
static void look_around(struct postgres *s, bool first)
{
    if (first && s->known.valid && s->taken.commits == s->known.last.commits + 1)
        s->known.streak++;
    else
        pg_writer_forget(s);
}

/* Write the whole batch. With `guess` the numbers are assumed from the cache, which saves a round
 * trip. Sets b->again when a txn lost or the guess was wrong. */
static enum bough_rc write_all(struct batch *b, struct txn *const *txns, size_t n, bool guess,
                               struct bough_error *err)
{
    struct postgres *s = b->s;
    struct new_counts m = makes_of(txns, n);
    struct taken at = s->known.last;
    bool first = !s->held;
    enum bough_rc rc = first ? pg_writer_send_begin(s, all_relaxed(txns, n), err) : BOUGH_OK;

    s->held = false;
    if (!rc)
        rc = send_take(b, m, err);
    b->guess = guess ? at.commits + 1 : 0;
    if (!rc && !guess) {
        rc = batch_settle(b, err);
        if (!rc)
            look_around(s, first);
        if (!rc)
            rc = ask_ordinals(s, txns, n, err);
        at = before(s->taken, m);
    }
    if (!rc)
        rc = send_all(b, txns, n, at, err);
    return rc || b->again ? rc : batch_settle(b, err);
}

/* ---- one by one, with savepoints ---- */

static enum bough_rc write_saved(struct batch *b, struct txn *t, struct bough_error *err)
{
    struct postgres *s = b->s;
    struct witness before_it = s->witness;
    struct new_counts m = txn_new_counts(t);
    enum bough_rc rc = pg_writer_run(s, SQL_SAVE, NULL, NULL, err);

    b->again = false;
    if (!rc)
        rc = send_take(b, m, err);
    if (!rc)
        rc = batch_settle(b, err);
    if (!rc)
        rc = ask_ordinals(s, &t, 1, err);
    if (!rc)
        rc = send_all(b, &t, 1, before(s->taken, m), err);
    if (!rc && !b->again)
        rc = batch_settle(b, err);
    t->state = b->again ? TXN_LOST : TXN_DONE;
    if (b->again)
        s->witness = before_it;
    if (!rc && b->again)
        map_clear(&s->known.ordinals);
    return rc ? rc : pg_writer_run(s, b->again ? SQL_SAVE_UNDO : SQL_SAVE_DROP, NULL, NULL, err);
}

static enum bough_rc write_one_by_one(struct batch *b, struct txn *const *txns, size_t n,
                                      size_t *done, struct bough_error *err)
{
    enum bough_rc rc = pg_writer_begin(b->s, all_relaxed(txns, n), err);

    *done = 0;
    *b = (struct batch){ .s = b->s, .a = b->a };
    pg_writer_forget(b->s);
    for (size_t i = 0; i < n && !rc; i++) {
        txns[i]->lost = NULL;
        rc = write_saved(b, txns[i], err);
        *done += txns[i]->state == TXN_DONE;
    }
    return rc;
}

/* ---- the batch ---- */

static void undo(struct postgres *s)
{
    pg_writer_undo(s);
    pg_writer_forget(s);
}

static enum bough_rc write_batch(struct postgres *s, struct txn *const *txns, size_t n,
                                 struct bough_error *err)
{
    struct batch b = { .s = s, .a = s->scratch };
    bool guess =
        !s->held && s->known.valid && s->known.streak >= STREAK && ordinals_known(s, txns, n);
    size_t done = n;
    bool short_way = false;
    enum bough_rc rc = n == 1 ? pg_append_one(s, txns[0], &short_way, err) : BOUGH_OK;

    if (rc || short_way)
        return rc;
    for (size_t i = 0; i < n; i++) {
        txns[i]->lost = NULL;
        txns[i]->state = TXN_DONE;
    }
    if (map_count(&s->known.ordinals) > KNOWN_MOST)
        pg_writer_forget(s), guess = false;
    rc = write_all(&b, txns, n, guess, err);
    if (!rc && b.wrong) {
        undo(s);
        b = (struct batch){ .s = s, .a = s->scratch };
        rc = write_all(&b, txns, n, false, err);
    }
    if (!rc && b.again && n == 1) {
        txns[0]->state = TXN_LOST;
        undo(s);
        return BOUGH_OK;
    }
    if (!rc && b.again) {
        undo(s);
        rc = write_one_by_one(&b, txns, n, &done, err);
    }
    if (rc || done == 0) {
        undo(s);
        return rc;
    }
    s->known.valid = true; /* the cached ordinals are right if this commits */
    return pg_writer_end(s, err);
}

enum bough_rc postgres_hold(struct backend *backend, const struct deadline *p,
                            struct bough_error *err)
{
    struct postgres *s = postgres_of(backend);
    enum bough_rc rc = pg_writer_enter(s, err);

    if (rc)
        return rc;
    rc = pg_writer_connected(s, p, err);
    if (!rc)
        rc = pg_writer_begin(s, false, err);
    s->held = !rc;
    pg_writer_leave(s);
    return rc;
}

void postgres_release(struct backend *backend)
{
    struct postgres *s = postgres_of(backend);

    pthread_mutex_lock(&s->write_lock);
    if (s->held && s->writer)
        undo(s);
    s->held = false;
    pthread_mutex_unlock(&s->write_lock);
}

enum bough_rc postgres_commit(struct backend *backend, struct txn *const *txns, size_t n,
                              const struct deadline *p, struct bough_error *err)
{
    struct postgres *s = postgres_of(backend);
    enum bough_rc rc = pg_writer_enter(s, err);
    int tries = 0;

    if (rc)
        return rc;
    do {
        rc = pg_writer_connected(s, p, err);
        if (!rc)
            rc = write_batch(s, txns, n, err);
    } while (rc && !deadline_passed(p) && pg_writer_again(s, rc, &tries));
    pg_writer_leave(s);
    return rc;
}
