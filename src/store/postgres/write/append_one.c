/*
 * The most common commit, one message at the tip of a branch, as a single statement: one round trip
 * and no transaction block. It writes nothing unless the counter row is as our last commit left it.
 * Then no other process has committed, and the cached numbers are right.
 */
#include "core/pack/pack.h"
#include "store/postgres/write/batch.h"

static bool fits(const struct postgres *s, const struct txn *t)
{
    return s->known.valid && s->known.streak && !s->held && !s->set_local && !t->relaxed &&
           t->nguards == 1 && t->guards[0].op == GUARD_HEAD && t->nchanges == 1 &&
           t->changes[0].op == CHANGE_ENTRY_ADD && t->changes[0].u.entry.bid > 0 &&
           t->changes[0].call_new == 0 && t->log.kind == CHANGELOG_APPEND && t->log.n <= 1 &&
           t->log.sid == t->guards[0].sid && t->log.bid == t->changes[0].u.entry.bid &&
           t->log.depth == t->changes[0].u.entry.depth && !t->log.record && !t->log.aux;
}

/* Used after the connection was lost before the answer: the entry with our id was either written or
 * not. */
static enum bough_rc ask_entry(struct postgres *s, void *user, bool *written,
                               struct bough_error *err)
{
    const struct witness *w = user;

    return pg_writer_sees(s, w->bid, w->depth, w->id, written, err);
}

static void remember(struct postgres *s, struct txn *t, int64_t commits, int64_t no)
{
    struct new_numbers none = { 0 };

    s->known.last.commits = commits;
    s->known.last.no = no;
    s->known.streak++;
    t->state = TXN_DONE;
    new_numbers_tell(&none, t, no);
}

enum bough_rc pg_append_one(struct postgres *s, struct txn *t, bool *done, struct bough_error *err)
{
    struct entry_row *row = &t->changes[0].u.entry;
    struct taken at = s->known.last;
    struct args a = { 0 };
    PGresult *r = NULL;
    enum bough_rc rc;

    *done = false;
    if (!fits(s, t))
        return BOUGH_OK;
    pack_entry_patch((char *)(uintptr_t)row->body.p, at.no + 1, 0);
    args_entry(s->scratch, &a, row);
    args_ints(
        &a, (int64_t[]){ at.commits, t->guards[0].sid, t->guards[0].ver, t->log.kind, t->log.time },
        5);
    s->replay = s->settled = false;
    rc = pg_writer_ask(s, SQL_APPEND_ONE, &a, &r, err);
    if (!rc)
        *done = PQntuples(r) == 1;
    PQclear(r);
    if (rc && s->writer->lost) {
        struct witness w = { .bid = row->bid, .depth = row->depth };

        memcpy(w.id, a.p[11], BOUGH_ID_LEN);
        rc = pg_writer_settle(s, ask_entry, &w, done, err);
        pg_writer_forget(s);
        s->known.last = at;
    }
    if (!rc && *done)
        remember(s, t, at.commits + 1, at.no + 1);
    return rc;
}
