/* Folding: write the overlay of pending changes as list rows and advance the watermark. */
#include "base/limits.h"
#include "base/memory/mem.h"
#include "store/engine/commit_queue.h"
#include "store/project/projector.h"

void fold_spends(struct prep *p, const struct spends *s)
{
    size_t pos = 0;
    uint64_t sid;

    while (map_next(&s->dropped, &pos, &sid, NULL))
        txn_change(p, CHANGE_SPEND_DROP)->u.spend.sid = (int64_t)sid;
    for (size_t i = 0; i < s->n; i++)
        if (!spend_is_zero(&s->at[i]))
            txn_change(p, CHANGE_SPEND_ADD)->u.spend = s->at[i];
}

static void fold_changes(struct prep *p, struct overlay *o)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&o->summaries, &pos, NULL, &val)) {
        struct summary *sh = (struct summary *)(uintptr_t)val;
        struct change *c = txn_change(p, sh->gone ? CHANGE_LIST_DEL : CHANGE_LIST_PUT);

        c->u.list = sh->row;
        c->u.list.sid = sh->sid;
        if (!sh->gone)
            c->u.list.body = body_pack(p->a, list_fields, &sh->body);
    }
    fold_spends(p, &o->spends);
    txn_change(p, CHANGE_WATERMARK)->u.watermark = o->to;
    txn_guard(p, guard_watermark(o->from));
}

static enum bough_rc build(struct engine *e, struct ready_fold *f, struct bough_error *err)
{
    struct deadline deadline = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };
    struct prep p = { .e = e, .t = &f->txn, .a = f->a };
    struct overlay o;
    enum bough_rc rc;

    f->txn.relaxed = true;
    rc = snap_begin_engine(e, &deadline, &p.snap, err);
    if (rc)
        return rc;
    rc = overlay_build(&p.snap, f->a, 0, &o, err);
    if (!rc && o.rows)
        fold_changes(&p, &o);
    overlay_finish(&o);
    snap_end(&p.snap);
    return rc;
}

enum bough_rc fold_prepare(struct engine *e, size_t seen, struct ready_fold **out,
                           struct bough_error *err)
{
    struct ready_fold *f = mem_zalloc(sizeof *f);
    enum bough_rc rc;

    f->a = bough_arena_create();
    f->seen = seen;
    *out = NULL;
    rc = build(e, f, err);
    if (!rc && f->txn.nchanges) {
        *out = f;
        return BOUGH_OK;
    }
    ready_fold_free(f);
    pthread_mutex_lock(&e->lock);
    if (rc)
        e->folds.retry_us = mono_us() + FOLD_AGAIN_US;
    else /* nothing pending: another process has folded */
        e->folds.pending -= seen < e->folds.pending ? seen : e->folds.pending;
    pthread_mutex_unlock(&e->lock);
    return rc;
}

static bool count_row(void *user, const struct changelog_row *row)
{
    (void)row;
    ++*(size_t *)user;
    return true;
}

enum bough_rc pending_count(struct snap *snap, size_t *n, struct bough_error *err)
{
    int64_t from;
    enum bough_rc rc = snap->ops->watermark(snap->v, &from, err);

    *n = 0;
    return rc ? rc : snap->ops->changelog_scan(snap->v, from, count_row, n, err);
}
