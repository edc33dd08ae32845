/* One txn: its guards, its changes in order, its log row; sent without waiting for the answers. */
#include <stdlib.h>

#include "core/pack.h"
#include "store/id.h"
#include "store/postgres/batch.h"

enum bough_rc batch_send_now(struct batch *b, enum sql id, const struct args *a,
                             const struct sent *sent, struct bough_error *err)
{
    if (b->n == b->cap) {
        size_t cap = b->cap ? 2 * b->cap : 64;

        b->sent = arena_resize(b->a, b->sent, b->cap * sizeof *b->sent, cap * sizeof *b->sent);
        b->cap = cap;
    }
    b->sent[b->n++] = *sent;
    return pg_send(b->s->writer, id, a, err);
}

/* ---- answers ---- */

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

/* One answer. False: the rest was not looked at by the server. */
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
    if (result_is(r, "23505")) { /* not unique */
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

/* ---- guards ---- */

static enum bough_rc guard(struct batch *b, const struct guard *g, struct bough_error *err)
{
    struct args a = { 0 };

    switch (g->op) {
    case GUARD_HEAD:
        args_ints(&a, (int64_t[]){ g->sid, g->a }, 2);
        return batch_send(b, SQL_HEADS_ARE, &a, MUST_BE, 1, "head", err);
    case GUARD_ENTRY:
        args_ints(&a, (int64_t[]){ g->a, g->b }, 2);
        return batch_send(b, SQL_ENTRY_THERE, &a, MUST_BE, 1, "entry", err);
    case GUARD_WATERMARK:
        return batch_send(b, SQL_WATERMARK, NULL, MUST_BE, g->a, "watermark", err);
    case GUARD_OPEN:
        args_ints(&a, (int64_t[]){ g->a, g->b }, 2);
        return batch_send(b, SQL_OPEN_VER, &a, MUST_BE, g->sid, "open", err);
    case GUARD_TEXT:
        return batch_send(b, SQL_TEXT_MARK, NULL, MUST_BE, g->a, "watermark", err);
    }
    return BOUGH_OK;
}

/* How many entries from this change on stand one behind the other. */
static size_t run_of(const struct txn *t, size_t i)
{
    size_t n = 0;

    while (i + n < t->nchanges && t->changes[i + n].op == CHANGE_ENTRY_ADD &&
           t->changes[i + n].u.entry.bid == t->changes[i].u.entry.bid &&
           t->changes[i + n].u.entry.depth == t->changes[i].u.entry.depth + (int64_t)n)
        n++;
    return n;
}

/* What proves that this txn was committed: its last entry, or else its log row. */
static void bear_witness(struct batch *b, const struct txn *t, const struct log_row *log)
{
    struct witness *w = &b->s->witness;
    struct pack_head h;

    for (size_t i = t->nchanges; i-- > 0;) {
        const struct entry_row *row = &t->changes[i].u.entry;

        if (t->changes[i].op != CHANGE_ENTRY_ADD || !pack_entry_head(row->body, &h))
            continue;
        *w = (struct witness){ .bid = branch_of(&b->made, row->bid), .depth = row->depth };
        id_entry(h.made, w->bid, w->depth, h.chk, w->id);
        return;
    }
    if (log->kind && !w->bid)
        w->log = *log;
}

enum bough_rc batch_apply(struct batch *b, struct txn *t, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    struct args a = { 0 };
    struct log_row log = { 0 };

    for (size_t i = 0; i < t->nguards && !rc; i++)
        rc = guard(b, &t->guards[i], err);
    for (size_t i = 0; i < t->nchanges && !rc && !b->again;) {
        size_t run = run_of(t, i);

        if (run >= b->s->copy_from) {
            rc = batch_copy(b, &t->changes[i], run, err);
            i += run;
        } else {
            rc = batch_change(b, &t->changes[i++], err);
        }
    }
    if (rc || b->again)
        return rc;
    if (t->log.kind)
        log = made_log(&b->made, &t->log, b->no);
    bear_witness(b, t, &log);
    if (!t->log.kind)
        return BOUGH_OK;
    args_log(&a, &log);
    return batch_send(b, SQL_LOG_ADD, &a, MUST_TOUCH, 1, "log", err);
}
