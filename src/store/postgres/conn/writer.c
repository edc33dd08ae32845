/* The writer connection: its transactions, retries, and finding out how a lost commit ended. */
#include <stdlib.h>
#include <time.h>

#include "base/os/log.h"
#include "store/postgres/conn/writer.h"

enum {
    SETTLE_US = 15000000, /* how long to find out how a commit ended whose answer was lost */
    TRIES_MOST = 24,
    PAUSE_MOST_MS = 250, /* a restarted server is usually back soon */
};

static void pause_ms(long ms)
{
    nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000 }, NULL);
}

static void drop(struct postgres *s)
{
    pg_close(s->writer);
    s->writer = NULL;
    s->held = false;
    pg_writer_forget(s);
}

void pg_writer_forget(struct postgres *s)
{
    s->known.valid = false;
    s->known.streak = 0;
    map_clear(&s->known.ordinals);
}

enum bough_rc pg_writer_connected(struct postgres *s, const struct deadline *p,
                                  struct bough_error *err)
{
    enum bough_rc rc;

    if (s->writer && s->writer->lost)
        drop(s);
    if (s->writer) {
        s->writer->deadline = *p;
        return BOUGH_OK;
    }
    rc = pg_open(s, true, p, &s->writer, err);
    if (rc != BOUGH_IO)
        return rc;
    if (err)
        err->rc = BOUGH_NOT_DONE; /* nothing was sent */
    return BOUGH_NOT_DONE;
}

enum bough_rc pg_writer_enter(struct postgres *s, struct bough_error *err)
{
    enum bough_rc rc = conn_pool_check(&s->pool, err);

    if (rc)
        return rc;
    if (s->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "%s was opened read-only", s->name);
    pthread_mutex_lock(&s->write_lock);
    return BOUGH_OK;
}

void pg_writer_leave(struct postgres *s)
{
    if (s->writer && s->writer->lost)
        drop(s);
    bough_arena_reset(s->scratch);
    pthread_mutex_unlock(&s->write_lock);
}

/* ---- one statement ---- */

/* Check a result. Remembers whether it was a deadlock or an unknown transaction id. */
static enum bough_rc judge(struct postgres *s, PGresult *r, struct bough_error *err)
{
    if (result_good(r))
        return BOUGH_OK;
    s->replay = s->replay || result_is(r, "40P01") || result_is(r, "40001");
    s->unheard = result_is(r, "22023");
    return pg_fail(s->writer, r, err);
}

enum bough_rc pg_writer_ask(struct postgres *s, enum sql id, const struct args *a, PGresult **out,
                            struct bough_error *err)
{
    enum bough_rc rc = pg_send(s->writer, id, a, err), end;
    PGresult *r = NULL;

    if (!rc)
        rc = pg_sync(s->writer, err);
    if (!rc)
        rc = pg_next(s->writer, &r, err);
    if (!rc)
        rc = judge(s, r, err);
    end = s->writer->lost ? BOUGH_OK : pg_drain(s->writer, rc ? NULL : err);
    rc = rc ? rc : end;
    if (rc) {
        PQclear(r);
        return rc;
    }
    *out = r;
    return BOUGH_OK;
}

enum bough_rc pg_writer_run(struct postgres *s, enum sql id, const struct args *a, int64_t *rows,
                            struct bough_error *err)
{
    PGresult *r;
    enum bough_rc rc = pg_writer_ask(s, id, a, &r, err);

    if (rc)
        return rc;
    if (rows)
        *rows = strtoll(PQcmdTuples(r), NULL, 10);
    PQclear(r);
    return BOUGH_OK;
}

enum bough_rc pg_writer_int(struct postgres *s, enum sql id, const struct args *a, int64_t none,
                            int64_t *out, struct bough_error *err)
{
    PGresult *r;
    enum bough_rc rc = pg_writer_ask(s, id, a, &r, err);

    if (rc)
        return rc;
    *out = PQntuples(r) ? got_int(r, 0, 0) : none;
    PQclear(r);
    return BOUGH_OK;
}

/* ---- beginning ---- */

enum bough_rc pg_writer_send_begin(struct postgres *s, bool relaxed, struct bough_error *err)
{
    enum bough_rc rc = pg_send(s->writer, SQL_BEGIN, NULL, err);

    s->xid = 0;
    s->witness = (struct witness){ 0 };
    s->replay = s->settled = s->unheard = false;
    s->writer->begun = true;
    if (!rc)
        rc = pg_send_local(s->writer, err);
    if (!rc && relaxed)
        rc = pg_send(s->writer, SQL_RELAX, NULL, err);
    return rc;
}

enum bough_rc pg_writer_send_take(struct postgres *s, int64_t no, int64_t sessions,
                                  int64_t branches, struct bough_error *err)
{
    struct args a = { 0 };

    args_ints(&a, (int64_t[]){ no, sessions, branches }, 3);
    return pg_send(s->writer, SQL_TAKE, &a, err);
}

enum bough_rc pg_writer_read_take(struct postgres *s, struct bough_error *err)
{
    PGresult *r = NULL;
    enum bough_rc rc = pg_next(s->writer, &r, err);

    while (!rc && PQresultStatus(r) == PGRES_COMMAND_OK) { /* results of the statements before it */
        PQclear(r);
        r = NULL;
        rc = pg_next(s->writer, &r, err);
    }
    if (!rc)
        rc = judge(s, r, err);
    if (!rc && PQntuples(r) != 1)
        rc = bough_fail(err, BOUGH_CORRUPT, "%s is damaged: it has lost its counter", s->name);
    if (!rc) {
        s->taken = (struct taken){ got_int(r, 0, 0), got_int(r, 0, 1), got_int(r, 0, 2),
                                   got_int(r, 0, 3) };
        s->xid = got_int(r, 0, 4);
        s->started = got_int(r, 0, 5);
    }
    PQclear(r);
    return rc;
}

enum bough_rc pg_writer_begin(struct postgres *s, bool relaxed, struct bough_error *err)
{
    enum bough_rc rc = pg_writer_send_begin(s, relaxed, err), end;

    if (!rc)
        rc = pg_writer_send_take(s, 0, 0, 0, err);
    if (!rc)
        rc = pg_sync(s->writer, err);
    if (!rc)
        rc = pg_writer_read_take(s, err);
    end = s->writer->lost ? BOUGH_OK : pg_drain(s->writer, rc ? NULL : err);
    rc = rc ? rc : end;
    if (rc)
        pg_writer_undo(s);
    return rc;
}

/* ---- ending ---- */

void pg_writer_undo(struct postgres *s)
{
    PGresult *r;

    s->held = false;
    if (!s->writer || s->writer->lost)
        return;
    s->writer->deadline = (struct deadline){ mono_us() + 2000000, NULL };
    (void)pg_drain(s->writer, NULL);
    if (s->writer->begun && pg_writer_ask(s, SQL_ROLLBACK, NULL, &r, NULL) == BOUGH_OK)
        PQclear(r);
    else if (s->writer->begun)
        s->writer->lost = true;
    s->writer->begun = false;
}

/* ---- commits whose answer was lost ---- */

enum bough_rc pg_writer_settle(struct postgres *s,
                               enum bough_rc (*ask)(struct postgres *s, void *user, bool *written,
                                                    struct bough_error *err),
                               void *user, bool *written, struct bough_error *err)
{
    const struct deadline p = { mono_us() + SETTLE_US, NULL };

    for (long ms = 5; !deadline_passed(&p); ms = 2 * ms < PAUSE_MOST_MS ? 2 * ms : PAUSE_MOST_MS) {
        enum bough_rc rc = pg_writer_connected(s, &p, NULL);

        if (!rc)
            rc = pg_writer_begin(s, true, NULL);
        if (!rc) {
            rc = ask(s, user, written, NULL);
            pg_writer_undo(s);
        }
        if (!rc)
            return BOUGH_OK;
        pause_ms(ms);
    }
    return bough_fail(err, BOUGH_UNKNOWN,
                      "%s: the connection was lost while committing, and the outcome is unknown",
                      s->name);
}

enum bough_rc pg_writer_sees(struct postgres *s, int64_t bid, int64_t depth, const char *id,
                             bool *there, struct bough_error *err)
{
    struct args a = { 0 };
    int64_t rows = 0;
    enum bough_rc rc;

    args_ints(&a, (int64_t[]){ bid, depth }, 2);
    args_text(&a, id);
    rc = pg_writer_int(s, SQL_ENTRY_IS, &a, 0, &rows, err);
    *there = rows == 1;
    return rc;
}

struct lost_commit {
    int64_t xid, started;
    struct taken taken;
    struct witness witness;
};

/*
 * PostgreSQL reports how a transaction ended by its id. But an id is assigned a second time if the
 * server crashed before anything of the transaction was on disk, or if a standby took over that
 * never received it. So the witness row is checked too. Transactions without one (slices of a
 * purge, chunks of an attachment, projections) are believed only if the server was not restarted
 * since. Otherwise they count as not written: each of them can be done twice.
 */
static enum bough_rc ask_outcome(struct postgres *s, void *user, bool *written,
                                 struct bough_error *err)
{
    const struct lost_commit *c = user;
    struct args a = { 0 };
    int64_t said = 0;
    enum bough_rc rc;

    *written = false;
    args_int(&a, c->xid);
    rc = pg_writer_int(s, SQL_OUTCOME, &a, 0, &said, err);
    if (rc && s->unheard)
        return BOUGH_OK;
    if (rc || said == 2)
        return rc;
    if (said != 1)
        return bough_fail(err, BOUGH_UNKNOWN, "it is too long ago");
    *written = true;
    if (c->witness.bid)
        return pg_writer_sees(s, c->witness.bid, c->witness.depth, c->witness.id, written, err);
    if (!c->witness.log.no) {
        *written = s->started == c->started;
        return BOUGH_OK;
    }
    a = (struct args){ 0 };
    args_changelog(&a, &c->witness.log);
    rc = pg_writer_int(s, SQL_LOG_IS, &a, 0, &said, err);
    *written = said == 1;
    return rc;
}

static enum bough_rc outcome(struct postgres *s, struct bough_error *err)
{
    struct lost_commit c = { s->xid, s->started, s->taken, s->witness };
    bool written = false;
    enum bough_rc rc = pg_writer_settle(s, ask_outcome, &c, &written, err);

    s->taken = c.taken;
    s->settled = true;
    if (rc || written)
        return rc;
    return bough_fail(err, BOUGH_NOT_DONE, "%s: the connection was lost; nothing was written",
                      s->name);
}

enum bough_rc pg_writer_end(struct postgres *s, struct bough_error *err)
{
    struct bough_error why = { 0 };
    enum bough_rc rc;

    /* From here on a timeout would leave the result unknown. */
    s->writer->deadline = (struct deadline){ mono_us() + SETTLE_US, NULL };
    rc = pg_writer_run(s, SQL_COMMIT, NULL, NULL, &why);
    s->writer->begun = false;
    s->held = false;
    s->settled = true; /* the result is final, do not retry */
    if (rc && s->writer->lost) {
        log_msg(LOG_WARN, "%s", why.msg);
        rc = outcome(s, err);
    } else if (rc && err) {
        *err = why; /* refused: the transaction was rolled back */
    }
    if (rc) {
        pg_writer_forget(s);
        return rc;
    }
    if (!s->known.valid) {
        map_clear(&s->known.ordinals);
        s->known.valid = true;
    }
    s->known.last = s->taken;
    return BOUGH_OK;
}

/* ---- retries ---- */

bool pg_writer_again(struct postgres *s, enum bough_rc rc, int *tries)
{
    bool gone = !s->writer || s->writer->lost;

    if ((rc != BOUGH_NOT_DONE && rc != BOUGH_OVERLOADED) || !(gone || s->replay) || s->settled ||
        ++*tries > TRIES_MOST)
        return false;
    pause_ms(*tries < 6 ? 4l << *tries : PAUSE_MOST_MS);
    return true;
}

enum bough_rc pg_writer_txn(struct postgres *s, bool relaxed, const struct deadline *p,
                            enum bough_rc (*work)(struct postgres *s, void *user,
                                                  struct bough_error *err),
                            void *user, struct bough_error *err)
{
    enum bough_rc rc = pg_writer_enter(s, err);
    int tries = 0;

    if (rc)
        return rc;
    do {
        rc = pg_writer_connected(s, p, err);
        if (!rc)
            rc = pg_writer_begin(s, relaxed, err);
        if (rc)
            continue;
        rc = work(s, user, err);
        if (!rc)
            rc = pg_writer_end(s, err);
        else
            pg_writer_undo(s);
    } while (rc && !deadline_passed(p) && pg_writer_again(s, rc, &tries));
    pg_writer_forget(s); /* other statements may have used numbers that the cache counts on */
    pg_writer_leave(s);
    return rc;
}
