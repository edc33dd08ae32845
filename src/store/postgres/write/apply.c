/* Queue one txn: its guards, its changes in order, its changelog row. Results are checked later. */
#include "core/pack/pack.h"
#include "store/contract/id.h"
#include "store/postgres/write/batch.h"

static enum bough_rc guard(struct batch *b, const struct guard *g, struct bough_error *err)
{
    struct args a = { 0 };

    switch (g->op) {
    case GUARD_HEAD:
        args_ints(&a, (int64_t[]){ g->sid, g->ver }, 2);
        return batch_send(b, SQL_HEADS_ARE, &a, MUST_BE, 1, "head", err);
    case GUARD_ENTRY:
        args_ints(&a, (int64_t[]){ g->entry.branch, g->entry.depth }, 2);
        return batch_send(b, SQL_ENTRY_THERE, &a, MUST_BE, 1, "entry", err);
    case GUARD_WATERMARK:
        return batch_send(b, SQL_WATERMARK, NULL, MUST_BE, g->applied, "watermark", err);
    case GUARD_OPEN:
        args_ints(&a, (int64_t[]){ g->entry.branch, g->entry.depth }, 2);
        return batch_send(b, SQL_OPEN_VER, &a, MUST_BE, g->ver, "open", err);
    case GUARD_FULLTEXT:
        return batch_send(b, SQL_TEXT_MARK, NULL, MUST_BE, g->applied, "watermark", err);
    case GUARD_NO_SLUG:
        args_text(&a, g->name);
        return batch_send(b, SQL_SLUG_COUNT, &a, MUST_BE, 0, "slug", err);
    case GUARD_NO_ALIAS:
        args_text(&a, g->name);
        return batch_send(b, SQL_ALIAS_COUNT, &a, MUST_BE, 0, "alias", err);
    case GUARD_SEEN:
        args_str(&a, (struct bough_str){ (const char *)g->key, SEEN_KEY_BYTES });
        return batch_send(b, SQL_SEEN_LAST, &a, MUST_BE, g->applied, "seen", err);
    }
    return BOUGH_OK;
}

/* The number of consecutive entries of one branch, starting at change i. */
static size_t run_of(const struct txn *t, size_t i)
{
    size_t n = 0;

    while (i + n < t->nchanges && t->changes[i + n].op == CHANGE_ENTRY_ADD &&
           t->changes[i + n].u.entry.bid == t->changes[i].u.entry.bid &&
           t->changes[i + n].u.entry.depth == t->changes[i].u.entry.depth + (int64_t)n)
        n++;
    return n;
}

/* Choose the row that proves that the transaction was committed: the last entry, else the changelog
 * row. */
static void bear_witness(struct batch *b, const struct txn *t, const struct changelog_row *log)
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
    struct changelog_row log = { 0 };

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
        log = new_numbers_changelog(&b->made, &t->log, b->no);
    bear_witness(b, t, &log);
    if (!t->log.kind)
        return BOUGH_OK;
    args_changelog(&a, &log);
    return batch_send(b, SQL_LOG_ADD, &a, MUST_TOUCH, 1, "log", err);
}
