/* The projector: applies log rows to list rows. */
#include "store/projector.h"

#include <string.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/text.h"
#include "core/totals.h"
#include "store/ahead.h"

/* A user or assistant message that a preview may come from. */
struct candidate {
    int64_t sid, bid, depth, no;
    enum bough_role role;
};

struct work {
    struct snap *snap;
    struct overlay *o;
    int64_t only;
    struct candidate *cand;
    size_t ncand, cap;
    struct log_row *rows; /* not applied yet */
    size_t nrows;
    struct ahead ahead;
    enum bough_rc rc;
    struct bough_error *err;
};

struct shown *overlay_get(const struct overlay *o, int64_t sid)
{
    uint64_t val;

    return map_get(&o->shown, (uint64_t)sid, &val) ? (struct shown *)(uintptr_t)val : NULL;
}

/* The session to work on; NULL when it does not concern us, or after an error. */
static struct shown *touch(struct work *w, int64_t sid)
{
    struct shown *sh = overlay_get(w->o, sid);

    if (sh || w->rc)
        return w->rc ? NULL : sh;
    if (!sid || (w->only && w->only != sid))
        return NULL;
    sh = arena_alloc(w->o->a, sizeof *sh);
    w->rc = shown_load(w->snap, w->o->a, sid, sh, w->err);
    if (w->rc)
        return NULL;
    map_put(&w->o->shown, (uint64_t)sid, (uint64_t)(uintptr_t)sh);
    return sh;
}

/* ---- money ---- */

/* The spawning sessions of `sid`, through tombstones, nearest first. */
static int64_t spawner(struct snap *snap, int64_t sid)
{
    struct who who;

    return snap_who(snap, sid, &who, NULL) == BOUGH_OK && who.kind == BOUGH_SUBAGENT ? who.parent
                                                                                     : 0;
}

static void roll_up(struct work *w, int64_t sid, const struct bough_totals *t, bool back)
{
    int hops = 0;

    for (int64_t up = spawner(w->snap, sid); up && hops < 10000;
         up = spawner(w->snap, up), hops++) {
        struct shown *sh = touch(w, up);

        if (sh && !back)
            shown_add(&sh->body.below, t);
        else if (sh)
            shown_sub(&sh->body.below, t);
    }
}

static bool read_call(struct work *w, int64_t sid, int64_t ord, struct call_body *out)
{
    struct record_row row;

    w->rc = w->snap->ops->record_get(w->snap->v, w->o->a, sid, RECORD_CALL, ord, &row, w->err);
    if (!w->rc)
        w->rc = body_read(call_fields, row.body, out, w->err);
    return !w->rc;
}

static void apply_call(struct work *w, int64_t sid, int64_t ord)
{
    struct call_body call;
    struct shown *sh;

    if (w->rc || !read_call(w, sid, ord, &call))
        return;
    roll_up(w, sid, &call.used, false);
    sh = touch(w, sid);
    if (!sh)
        return;
    shown_add(&sh->body.own, &call.used);
    sh->body.calls++;
    /* The last call is the one of the latest time; of equals the one that came later (C4). */
    if (call.time < sh->body.last_call_time)
        return;
    sh->body.last_call_time = call.time;
    sh->body.last_call_ord = ord;
    sh->body.last_model = call.model;
    sh->body.last_provider = call.provider;
    sh->body.last_request_id = call.request_id;
    sh->body.last_cost = call.used.cost;
}

static bool read_adjust(struct work *w, int64_t sid, int64_t ord, struct adjust_body *out)
{
    struct record_row row;

    w->rc = w->snap->ops->record_get(w->snap->v, w->o->a, sid, RECORD_ADJUST, ord, &row, w->err);
    if (!w->rc)
        w->rc = body_read(adjust_fields, row.body, out, w->err);
    return !w->rc;
}

static void apply_adjust(struct work *w, int64_t sid, int64_t ord)
{
    struct adjust_body adj;
    struct shown *sh;

    if (w->rc || !sid || !read_adjust(w, sid, ord, &adj))
        return;
    if (adj.rolls)
        roll_up(w, sid, &adj.delta, false);
    sh = touch(w, sid);
    if (!sh)
        return;
    shown_add(&sh->body.adjust, &adj.delta);
    if (adj.rolls)
        shown_add(&sh->body.rolls, &adj.delta);
}

/* A twin of a propagated adjustment in another session of the chain. */
struct twin {
    int64_t made, chk, ord;
};

static bool is_twin(void *user, const struct record_row *row)
{
    struct twin *t = user;
    struct adjust_body b;

    if (body_read(adjust_fields, row->body, &b, NULL) == BOUGH_OK && b.made == t->made &&
        b.chk == t->chk)
        t->ord = row->ord;
    return !t->ord;
}

static void apply_adjusts(struct work *w, const struct log_row *row)
{
    struct adjust_body leaf;
    struct who who;
    int64_t left = row->aux - 1, sid = row->sid;

    if (!read_adjust(w, row->sid, row->record, &leaf))
        return;
    apply_adjust(w, row->sid, row->record);
    while (left > 0 && !w->rc && snap_who(w->snap, sid, &who, NULL) == BOUGH_OK && who.parent) {
        struct twin t = { leaf.made, leaf.chk, 0 };
        bool purged = false;
        struct shown *sh;

        sid = who.parent;
        w->rc = snap_purged(w->snap, sid, &purged, w->err);
        if (w->rc || purged)
            continue;
        left--;
        w->rc =
            w->snap->ops->record_scan(w->snap->v, sid, RECORD_ADJUST, 0, true, is_twin, &t, w->err);
        if (w->rc || !t.ord)
            continue;
        apply_adjust(w, sid, t.ord);
        sh = touch(w, sid);
        if (sh) {
            sh->row.updated = row->time;
            sh->body.rev = row->no;
        }
    }
}

struct last_call {
    struct call_body call;
    int64_t ord;
    struct bough_arena *a;
};

static bool newest_call(void *user, const struct record_row *row)
{
    struct last_call *l = user;
    struct call_body call;
    struct bough_str body = str_make(arena_dup(l->a, row->body.p, row->body.n), row->body.n);

    if (row->over || body_read(call_fields, body, &call, NULL))
        return true;
    if (!l->ord || call.time > l->call.time) {
        l->call = call;
        l->ord = row->ord;
    }
    return true;
}

static void set_last_call(struct work *w, struct shown *sh)
{
    struct last_call l = { .a = w->o->a };

    if (w->snap->ops->record_scan(w->snap->v, sh->sid, RECORD_CALL, 0, true, newest_call, &l,
                                  w->err))
        return;
    sh->body.last_call_ord = l.ord;
    sh->body.last_call_time = l.ord ? l.call.time : 0;
    sh->body.last_model = l.ord ? l.call.model : "";
    sh->body.last_provider = l.ord ? l.call.provider : "";
    sh->body.last_request_id = l.ord ? l.call.request_id : "";
    sh->body.last_cost = l.ord ? l.call.used.cost : 0;
}

static void apply_call_delete(struct work *w, const struct log_row *row)
{
    struct call_body call;
    struct shown *sh;

    if (!read_call(w, row->sid, row->record, &call))
        return;
    roll_up(w, row->sid, &call.used, true);
    apply_adjust(w, row->sid, row->aux);
    sh = touch(w, row->sid);
    if (!sh)
        return;
    shown_sub(&sh->body.own, &call.used);
    sh->body.calls--;
    if (sh->body.last_call_ord == row->record)
        set_last_call(w, sh);
}

/* ---- messages and previews ---- */

static void note_candidate(struct work *w, const struct candidate *c)
{
    if (w->ncand == w->cap) {
        w->cap = w->cap ? 2 * w->cap : 64;
        w->cand = mem_realloc(w->cand, mem_array(w->cap, sizeof *w->cand));
    }
    w->cand[w->ncand++] = *c;
}

struct scan {
    struct work *w;
    struct shown *sh;
};

static bool scan_entry(void *user, const struct entry_row *row)
{
    struct scan *s = user;
    struct pack_head h;

    if (row->kind != BOUGH_ENTRY_MESSAGE || !pack_entry_head(row->body, &h))
        return true;
    s->sh->body.messages++;
    if (h.role != BOUGH_ROLE_USER && h.role != BOUGH_ROLE_ASSISTANT)
        return true;
    if (h.time > s->sh->body.last_said)
        s->sh->body.last_said = h.time;
    if (row->mask & MASK_PART << BOUGH_PART_TEXT && !row->over)
        note_candidate(s->w, &(struct candidate){ s->sh->sid, row->bid, row->depth, h.no,
                                                  (enum bough_role)h.role });
    return true;
}

static void apply_append(struct work *w, const struct log_row *row)
{
    struct entry_range range = { .bid = row->bid,
                                 .from = row->depth - row->n + 1,
                                 .to = row->depth,
                                 .deleted = true,
                                 .fronts = true };
    struct scan s = { w, touch(w, row->sid) };

    if (s.sh && row->bid && !w->rc)
        w->rc = w->snap->ops->entry_scan(w->snap->v, &range, scan_entry, &s, w->err);
    for (int64_t i = 0; row->record && i < row->aux; i++)
        apply_call(w, row->sid, row->record + i);
    if (s.sh && !row->record)
        s.sh->body.messages -= row->aux; /* a copy: these were deleted in the original */
}

/* The preview of an entry, "" when it has no text after all. */
static const char *preview_of(struct work *w, const struct candidate *c, size_t max)
{
    struct entry_row row;
    struct bough_entry e;
    struct pack_extra x;

    if (w->snap->ops->entry_get(w->snap->v, w->o->a, c->bid, c->depth, &row, NULL) ||
        pack_entry_read(w->o->a, row.body, &e, &x, NULL))
        return "";
    return text_preview(w->o->a, e.parts, e.nparts, max);
}

static void take_first(struct work *w, struct shown *sh, const struct candidate *c)
{
    const char *text;

    if (c->role != BOUGH_ROLE_USER || (sh->body.first_user_no && sh->body.first_user_no <= c->no))
        return;
    text = preview_of(w, c, TEXT_FIRST_PREVIEW);
    if (!*text)
        return;
    sh->body.first_user = text;
    sh->body.first_user_no = c->no;
}

static void take_last(struct work *w, struct shown *sh, const struct candidate *c)
{
    bool user = c->role == BOUGH_ROLE_USER;
    int64_t *no = user ? &sh->body.last_user_no : &sh->body.last_agent_no;
    const char *text;

    if (*no >= c->no)
        return;
    text = preview_of(w, c, TEXT_LAST_PREVIEW);
    if (!*text)
        return;
    *(user ? &sh->body.last_user : &sh->body.last_agent) = text;
    *no = c->no;
}

/* Of each session the newest of either side, which is what is read unless it has no text. */
static void previews_ahead(struct work *w)
{
    for (size_t i = w->ncand; i-- > 0;) {
        const struct candidate *c = &w->cand[i];
        struct shown *sh = overlay_get(w->o, c->sid);
        unsigned side = c->role == BOUGH_ROLE_USER ? 1 : 2;

        if (!sh || sh->gone || sh->ahead & side)
            continue;
        sh->ahead |= side;
        ahead_add(&w->ahead, WANT_ENTRY, c->bid, c->depth);
    }
    ahead_read(&w->ahead);
}

/* Each preview is read once: the first from the front, the last ones from the back. */
static void settle_previews(struct work *w)
{
    previews_ahead(w);
    for (size_t i = 0; i < w->ncand; i++) {
        struct shown *sh = overlay_get(w->o, w->cand[i].sid);

        if (sh && !sh->gone)
            take_first(w, sh, &w->cand[i]);
    }
    for (size_t i = w->ncand; i-- > 0;) {
        struct shown *sh = overlay_get(w->o, w->cand[i].sid);

        if (sh && !sh->gone)
            take_last(w, sh, &w->cand[i]);
    }
}

static bool gather_entry(void *user, const struct entry_row *row)
{
    struct scan *s = user;
    struct pack_head h;

    if (pack_entry_head(row->body, &h))
        note_candidate(s->w, &(struct candidate){ s->sh->sid, row->bid, row->depth, h.no,
                                                  (enum bough_role)h.role });
    return true;
}

/* All own, living messages with text: after a deletion any of them may be the first or last. */
static bool gather_branch(void *user, const struct branch_row *b)
{
    struct scan *s = user;
    struct entry_range range = { .bid = b->bid,
                                 .from = b->base + 1,
                                 .to = LIMIT_DEPTH,
                                 .kinds = 1 << BOUGH_ENTRY_MESSAGE,
                                 .fronts = true,
                                 .mask = MASK_ROLE << BOUGH_ROLE_USER |
                                         MASK_ROLE << BOUGH_ROLE_ASSISTANT };

    s->w->rc = s->w->snap->ops->entry_scan(s->w->snap->v, &range, gather_entry, s, s->w->err);
    return !s->w->rc;
}

static void again_previews(struct work *w, struct shown *sh)
{
    struct scan s = { w, sh };

    sh->body.first_user = sh->body.last_user = sh->body.last_agent = "";
    sh->body.first_user_no = sh->body.last_user_no = sh->body.last_agent_no = 0;
    w->rc = w->snap->ops->branch_of(w->snap->v, sh->sid, gather_branch, &s, w->err);
}

static bool is_message(struct work *w, const struct log_row *row)
{
    struct entry_row e;

    return w->snap->ops->entry_get(w->snap->v, w->o->a, row->bid, row->depth, &e, NULL) ==
               BOUGH_OK &&
           e.kind == BOUGH_ENTRY_MESSAGE;
}

static void apply_entry_over(struct work *w, const struct log_row *row)
{
    struct shown *sh = touch(w, row->sid);

    if (!sh || !is_message(w, row))
        return;
    sh->body.messages += row->kind == LOG_ENTRY_DELETE ? -1 : 1;
    again_previews(w, sh);
}

/* ---- the rest ---- */

static bool orphan(void *user, const struct session_row *row)
{
    struct work *w = user;
    struct shown *sh = touch(w, row->sid);

    if (sh)
        sh->row.parent = 0;
    return !w->rc;
}

static void apply_purge(struct work *w, const struct log_row *row)
{
    struct shown *sh = touch(w, row->sid);
    struct adjust_body adj;
    struct shown *heir;

    if (sh)
        sh->gone = true;
    if (!w->rc)
        w->rc = w->snap->ops->session_children(w->snap->v, row->sid, orphan, w, w->err);
    if (w->rc || !row->bid || !row->record || !read_adjust(w, row->bid, row->record, &adj))
        return;
    /* What the purged session had spent was below its heir; now it is an adjustment there. */
    roll_up(w, row->bid, &adj.delta, true);
    apply_adjust(w, row->bid, row->record);
    heir = touch(w, row->bid);
    if (heir)
        shown_sub(&heir->body.below, &adj.delta);
}

static void apply_row(struct work *w, const struct log_row *row)
{
    struct shown *sh;

    switch ((enum log_kind)row->kind) {
    case LOG_APPEND:
    case LOG_SEAL: /* an open message counts from here on */
        apply_append(w, row);
        break;
    case LOG_ADJUST:
        apply_adjusts(w, row);
        break;
    case LOG_CALL_DELETE:
        apply_call_delete(w, row);
        break;
    case LOG_ENTRY_DELETE:
    case LOG_ENTRY_RESTORE:
        apply_entry_over(w, row);
        break;
    case LOG_PURGE:
        apply_purge(w, row);
        return;
    case LOG_SESSION_NEW:
    case LOG_OPEN:
    case LOG_SESSION:
    case LOG_HEAD:
    case LOG_STATUS:
    case LOG_DELETE:
    case LOG_RESTORE:
    case LOG_RECORD:
        break;
    }
    sh = touch(w, row->sid);
    if (!sh)
        return;
    sh->row.updated = row->time;
    sh->body.rev = row->no;
}

/* What applying the rows will ask for. */
static void look_ahead(struct work *w)
{
    for (size_t i = 0; i < w->nrows; i++) {
        const struct log_row *row = &w->rows[i];

        if (w->only && w->only != row->sid)
            continue;
        ahead_add(&w->ahead, WANT_SESSION, row->sid, 0);
        ahead_add(&w->ahead, WANT_LIST, row->sid, 0);
        if (row->kind != LOG_APPEND && row->kind != LOG_SEAL)
            continue;
        ahead_entries(&w->ahead, WANT_FRONT, row, row->n);
        ahead_calls(&w->ahead, row);
    }
    ahead_read(&w->ahead);
}

static bool apply_rows(struct work *w)
{
    look_ahead(w);
    for (size_t i = 0; i < w->nrows && !w->rc; i++)
        apply_row(w, &w->rows[i]);
    w->nrows = 0;
    return !w->rc;
}

static bool each_row(void *user, const struct log_row *row)
{
    struct work *w = user;

    w->o->to = row->no;
    w->o->rows++;
    w->rows[w->nrows++] = *row;
    return w->nrows < AHEAD_ROWS || apply_rows(w);
}

/* The columns of the session itself are read once, as they are at the snapshot. */
static enum bough_rc settle_identity(struct work *w)
{
    size_t pos = 0;
    uint64_t val;

    while (!w->rc && map_next(&w->o->shown, &pos, NULL, &val)) {
        struct shown *sh = (struct shown *)(uintptr_t)val;

        if (!sh->gone)
            w->rc = shown_identity(w->snap, w->o->a, sh, w->err);
    }
    return w->rc;
}

enum bough_rc overlay_build(struct snap *snap, struct bough_arena *a, int64_t only,
                            struct overlay *out, struct bough_error *err)
{
    struct work w = {
        .snap = snap, .o = out, .only = only, .ahead = { .snap = snap, .a = a }, .err = err
    };
    enum bough_rc rc;

    *out = (struct overlay){ .a = a };
    map_init(&out->shown);
    w.rows = arena_array(a, AHEAD_ROWS, sizeof *w.rows);
    rc = snap->ops->watermark(snap->v, &out->from, err);
    if (rc)
        return rc;
    out->to = out->from;
    rc = snap->ops->log_scan(snap->v, out->from, each_row, &w, err);
    if (!rc)
        (void)apply_rows(&w);
    if (!rc)
        rc = w.rc;
    if (!rc) {
        settle_previews(&w);
        rc = settle_identity(&w);
    }
    mem_free(w.cand);
    return rc;
}

void overlay_finish(struct overlay *o)
{
    map_finish(&o->shown);
}

enum bough_rc shown_get(struct snap *snap, struct bough_arena *a, int64_t sid, struct shown *out,
                        struct bough_error *err)
{
    struct overlay o;
    struct shown *sh;
    enum bough_rc rc = overlay_build(snap, a, sid, &o, err);

    sh = overlay_get(&o, sid);
    if (!rc && sh)
        *out = *sh;
    else if (!rc)
        rc = shown_load(snap, a, sid, out, err);
    overlay_finish(&o);
    return rc;
}
