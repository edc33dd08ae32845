/* The projector: applies changelog rows to list rows. */
#include "store/project/projector.h"

#include "base/memory/mem.h"
#include "store/project/overlay_work.h"

static bool orphan(void *user, const struct session_row *row)
{
    struct overlay_work *w = user;
    struct summary *sh = overlay_touch(w, row->sid);

    if (sh)
        sh->row.parent = 0;
    return !w->rc;
}

static void apply_purge(struct overlay_work *w, const struct changelog_row *row)
{
    struct summary *sh = overlay_touch(w, row->sid);

    if (sh)
        sh->gone = true;
    if (sh && !w->only)
        w->rc = spends_move(
            &w->o->spends, w->snap->v, w->snap->ops,
            &(struct spends_heir){ row->sid, row->heir, sh->row.project, sh->row.account }, w->err);
    if (!w->rc)
        w->rc = w->snap->ops->session_children(w->snap->v, row->sid, orphan, w, w->err);
    apply_inheritance(w, row);
}

static void apply_row(struct overlay_work *w, const struct changelog_row *row)
{
    struct summary *sh;

    switch ((enum changelog_kind)row->kind) {
    case CHANGELOG_APPEND:
    case CHANGELOG_RUN:
    case CHANGELOG_SEAL: /* an open message counts only once sealed */
        apply_append(w, row);
        break;
    case CHANGELOG_ADJUST:
        apply_adjusts(w, row);
        break;
    case CHANGELOG_CALL_DELETE:
        apply_call_delete(w, row);
        break;
    case CHANGELOG_REPRICE:
        apply_reprice(w, row);
        break;
    case CHANGELOG_ENTRY_DELETE:
    case CHANGELOG_ENTRY_RESTORE:
        apply_entry_delete(w, row);
        break;
    case CHANGELOG_PURGE:
        apply_purge(w, row);
        return;
    case CHANGELOG_OPEN:
        apply_open(w, row);
        break;
    case CHANGELOG_SESSION_NEW:
    case CHANGELOG_SESSION:
    case CHANGELOG_HEAD:
    case CHANGELOG_STATUS:
    case CHANGELOG_DELETE:
    case CHANGELOG_RESTORE:
    case CHANGELOG_RECORD:
    case CHANGELOG_APPROVAL:
        break;
    }
    sh = overlay_touch(w, row->sid);
    if (!sh)
        return;
    sh->row.updated = row->time;
    sh->body.rev = row->no;
}

/* Prefetch what applying the rows will read. */
static void look_ahead(struct overlay_work *w)
{
    for (size_t i = 0; i < w->nrows; i++) {
        const struct changelog_row *row = &w->rows[i];

        if (w->only && w->only != row->sid)
            continue;
        ahead_add(&w->ahead, WANT_SESSION, row->sid, 0);
        ahead_add(&w->ahead, WANT_LIST, row->sid, 0);
        if (changelog_adds(row) || row->kind == CHANGELOG_SEAL)
            ahead_entries(&w->ahead, WANT_FRONT, row, row->n);
        ahead_calls(&w->ahead, row);
    }
    ahead_read(&w->ahead);
}

static bool apply_rows(struct overlay_work *w)
{
    look_ahead(w);
    for (size_t i = 0; i < w->nrows && !w->rc; i++)
        apply_row(w, &w->rows[i]);
    w->nrows = 0;
    return !w->rc;
}

static bool each_row(void *user, const struct changelog_row *row)
{
    struct overlay_work *w = user;

    w->o->to = row->no;
    w->o->rows++;
    w->rows[w->nrows++] = *row;
    return w->nrows < AHEAD_ROWS || apply_rows(w);
}

/* Read the columns of the session and head rows once, as of the snapshot. */
static enum bough_rc settle_identity(struct overlay_work *w)
{
    size_t pos = 0;
    uint64_t val;

    while (!w->rc && map_next(&w->o->summaries, &pos, NULL, &val)) {
        struct summary *sh = (struct summary *)(uintptr_t)val;

        if (!sh->gone)
            w->rc = summary_identity(w->snap, w->o->a, sh, w->err);
    }
    return w->rc;
}

enum bough_rc overlay_build(struct snap *snap, struct bough_arena *a, int64_t only,
                            struct overlay *out, struct bough_error *err)
{
    struct overlay_work w = {
        .snap = snap, .o = out, .only = only, .ahead = { .snap = snap, .a = a }, .err = err
    };
    enum bough_rc rc;

    *out = (struct overlay){ .a = a };
    map_init(&out->summaries);
    map_init(&w.calls);
    spends_init(&out->spends, a);
    w.rows = arena_array(a, AHEAD_ROWS, sizeof *w.rows);
    rc = snap->ops->watermark(snap->v, &out->from, err);
    out->to = out->from;
    if (!rc)
        rc = snap->ops->changelog_scan(snap->v, out->from, each_row, &w, err);
    if (!rc)
        (void)apply_rows(&w);
    if (!rc)
        rc = w.rc;
    if (!rc) {
        settle_previews(&w);
        settle_outcomes(&w);
        rc = settle_identity(&w);
    }
    mem_free(w.cand);
    map_finish(&w.calls);
    return rc;
}

void overlay_finish(struct overlay *o)
{
    map_finish(&o->summaries);
    spends_finish(&o->spends);
}

enum bough_rc summary_get(struct snap *snap, struct bough_arena *a, int64_t sid,
                          struct summary *out, struct bough_error *err)
{
    struct overlay o;
    struct summary *sh;
    enum bough_rc rc = overlay_build(snap, a, sid, &o, err);

    sh = overlay_get(&o, sid);
    if (!rc && sh)
        *out = *sh;
    else if (!rc)
        rc = summary_load(snap, a, sid, out, err);
    overlay_finish(&o);
    return rc;
}
