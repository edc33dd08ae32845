/* Folding: the overlay of everything pending, written as list rows, and the watermark moved. */
#include "base/limits.h"
#include "base/mem.h"
#include "store/projector.h"

static void fold_changes(struct prep *p, struct overlay *o)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&o->shown, &pos, NULL, &val)) {
        struct shown *sh = (struct shown *)(uintptr_t)val;
        struct change *c = txn_change(p, sh->gone ? CHANGE_LIST_DEL : CHANGE_LIST_PUT);

        c->u.list = sh->row;
        c->u.list.sid = sh->sid;
        if (!sh->gone)
            c->u.list.body = body_pack(p->a, list_fields, &sh->body);
    }
    txn_change(p, CHANGE_WATERMARK)->u.watermark = o->to;
    txn_guard(p, GUARD_WATERMARK, 0, o->from, 0);
}

enum bough_rc fold_prepare(struct engine *e, const struct patience *pat, struct fold *out,
                           struct bough_error *err)
{
    struct prep p = { .e = e, .t = &out->txn };
    struct overlay o;
    enum bough_rc rc;

    *out = (struct fold){ .a = bough_arena_create() };
    p.a = out->a;
    out->txn.relaxed = true;
    rc = snap_begin_engine(e, pat, &p.snap, err);
    if (rc)
        return rc;
    rc = overlay_build(&p.snap, out->a, 0, &o, err);
    if (!rc && o.rows)
        fold_changes(&p, &o);
    out->rows = o.rows;
    overlay_finish(&o);
    snap_end(&p.snap);
    return rc;
}

void fold_finish(struct fold *f)
{
    bough_arena_destroy(f->a);
    f->a = NULL;
}

enum bough_rc ready_fold_make(struct engine *e, size_t seen, struct ready_fold **out,
                              struct bough_error *err)
{
    struct patience p = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };
    struct ready_fold *f = mem_zalloc(sizeof *f);
    enum bough_rc rc = fold_prepare(e, &p, &f->fold, err);

    f->seen = seen;
    *out = NULL;
    if (!rc && f->fold.txn.nchanges) {
        *out = f;
        return BOUGH_OK;
    }
    ready_fold_free(f);
    pthread_mutex_lock(&e->lock);
    if (rc)
        e->fold_after = mono_us() + FOLD_AGAIN_US;
    else /* another process has done it */
        e->pending -= seen < e->pending ? seen : e->pending;
    pthread_mutex_unlock(&e->lock);
    return rc;
}

void ready_fold_free(struct ready_fold *f)
{
    if (!f)
        return;
    fold_finish(&f->fold);
    mem_free(f);
}

static bool count_row(void *user, const struct log_row *row)
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
    return rc ? rc : snap->ops->log_scan(snap->v, from, count_row, n, err);
}
