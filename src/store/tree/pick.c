/* Cherry-picks: entries of one branch put onto another, by reference or as copies. */
#include "store/tree/pick.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/part/view.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/write/append.h"

#define PICKED "bough.picked" /* in the data of a copy: the id of its original */

struct pick {
    struct bough_store *s;
    const struct bough_pick_options *how;
    struct snap snap;
    int64_t sid, from;            /* of the target, and of the entries */
    struct bough_head head;       /* of the target */
    struct bough_head to;         /* the slot that they are put behind; branch 0: a new root */
    struct bough_head source_end; /* of the path that has the entries, and results behind them */
    struct picked list;
    size_t shared;
    bool checked; /* all of this is known: a conflict is about the head */
};

/* ---- what is picked ---- */

static int by_depth(const void *x, const void *y)
{
    const struct bough_entry *const *one = x, *const *other = y;

    return ((*one)->at.depth > (*other)->at.depth) - ((*one)->at.depth < (*other)->at.depth);
}

/* Is slot `at` on the path to `end`? */
static enum bough_rc on_path_to(struct snap *snap, struct bough_head end, struct bough_head at,
                                bool *on, struct bough_error *err)
{
    int64_t owner = 0;
    enum bough_rc rc =
        at.depth <= end.depth ? path_owner(snap, end, at.depth, &owner, err) : BOUGH_OK;

    *on = owner && owner == at.branch;
    return rc;
}

static enum bough_rc check_entry(const struct bough_entry *e, struct bough_error *err)
{
    if (e->deleted)
        return bough_fail(err, BOUGH_INVALID, "entry %s is deleted: restore it first", e->id);
    if (e->open)
        return bough_fail(err, BOUGH_CONFLICT, "entry %s is still being written", e->id);
    return BOUGH_OK;
}

static enum bough_rc find_all(struct pick *p, struct bough_error *err)
{
    struct picked *l = &p->list;
    enum bough_rc rc = BOUGH_OK;

    l->n = 0;
    do { /* there is at least one */
        struct bough_head at = { 0 };

        l->at = arena_room(l->a, l->n ? l->at : NULL, l->n, sizeof *l->at);
        rc = find_entry(&p->snap, p->from, p->how->entries[l->n], &at, err);
        if (!rc)
            rc = entry_load(&p->snap, l->a, at, &l->at[l->n], err);
        if (!rc)
            rc = check_entry(l->at[l->n++], err);
    } while (!rc && l->n < p->how->n);
    return rc;
}

static enum bough_rc check_one_path(struct pick *p, struct bough_error *err)
{
    struct bough_entry **at = p->list.at;
    enum bough_rc rc = BOUGH_OK;
    bool on = true;

    qsort(at, p->list.n, sizeof *at, by_depth);
    for (size_t i = 1; i < p->list.n && !rc; i++) {
        if (cstr_eq(at[i]->id, at[i - 1]->id))
            return bough_fail(err, BOUGH_INVALID, "entry %s is given twice", at[i]->id);
        rc = on_path_to(&p->snap, at[i]->at, at[i - 1]->at, &on, err);
        if (!rc && !on)
            rc = bough_fail(err, BOUGH_INVALID, "entries %s and %s are not on one path",
                            at[i - 1]->id, at[i]->id);
    }
    return rc;
}

/* The end of a path through the last entry: the head, or the tip of the entry's branch. */
static enum bough_rc find_source_end(struct pick *p, struct bough_error *err)
{
    struct bough_head last = p->list.at[p->list.n - 1]->at;
    struct branch_row b;
    struct head_now now;
    int64_t tip;
    bool on = false;
    enum bough_rc rc = p->snap.ops->head_get(p->snap.v, p->list.a, p->from, &now, err);

    p->source_end = (struct bough_head){ now.row.bid, now.depth };
    if (!rc && now.row.bid)
        rc = on_path_to(&p->snap, p->source_end, last, &on, err);
    if (rc || on)
        return rc;
    p->source_end = last;
    rc = snap_branch(&p->snap, last.branch, &b, err);
    if (!rc)
        rc = p->snap.ops->branch_tip(p->snap.v, &b, &tip, err);
    if (!rc && b.sid == p->from) /* another session's branch is shown up to a fork only */
        p->source_end.depth = tip;
    return rc;
}

/* ---- where they go ---- */

static enum bough_rc find_target(struct pick *p, struct bough_error *err)
{
    const struct bough_head *want = p->how->expect_head;
    struct head_now now;
    enum bough_rc rc = p->snap.ops->head_get(p->snap.v, p->list.a, p->sid, &now, err);

    if (rc)
        return rc;
    p->head = p->to = (struct bough_head){ now.row.bid, now.depth };
    if (want && (want->branch != p->head.branch || want->depth != p->head.depth)) {
        rc = bough_fail(err, BOUGH_CONFLICT, "the head has moved");
        if (err)
            err->head = p->head;
        return rc;
    }
    if (p->how->at_root)
        p->to = (struct bough_head){ 0 };
    else if (!cstr_empty(p->how->at))
        return find_entry(&p->snap, p->sid, p->how->at, &p->to, err);
    if (!p->to.depth)
        p->to.branch = 0;
    return p->to.branch ? path_owner(&p->snap, p->to, p->to.depth, &p->to.branch, err) : BOUGH_OK;
}

/* Count the entries that follow the target already, on a path of its session. */
static enum bough_rc find_shared(struct pick *p, struct bough_error *err)
{
    struct bough_head end = p->to;
    enum bough_rc rc = BOUGH_OK;

    for (p->shared = 0; p->shared < p->list.n && !rc; p->shared++) {
        struct bough_head at = p->list.at[p->shared]->at;
        bool follows = at.depth == end.depth + 1, visible = false;

        if (follows && end.branch)
            rc = on_path_to(&p->snap, at, end, &follows, err);
        if (!rc && follows)
            rc = entry_visible(&p->snap, p->sid, at, &visible, err);
        if (rc || !visible)
            break;
        end = at;
    }
    return rc;
}

/* Entries that are about their own branch cannot be copied to another one. */
static enum bough_rc check_copies(struct pick *p, struct bough_error *err)
{
    for (size_t i = p->shared; i < p->list.n; i++) {
        const struct bough_entry *e = p->list.at[i];
        const char *type = e->kind == BOUGH_ENTRY_CUSTOM
                               ? json_cstr(p->list.a, view_data(p->list.a, e), "customType")
                               : NULL;

        if (e->kind == BOUGH_ENTRY_COMPACTION || e->kind == BOUGH_ENTRY_LABEL ||
            e->kind == BOUGH_ENTRY_SESSION_INFO || (type && strncmp(type, "bough.", 6) == 0))
            return bough_fail(err, BOUGH_INVALID,
                              "entry %s (%s) is about its own branch and cannot be copied", e->id,
                              type ? type : bough_entry_kind_name(e->kind));
    }
    return BOUGH_OK;
}

static enum bough_rc look_up(struct pick *p, const char *session, struct bough_error *err)
{
    enum bough_rc rc = find_session(&p->snap, session, &p->sid, err);

    p->from = p->sid;
    if (!rc && !cstr_empty(p->how->from))
        rc = find_session(&p->snap, p->how->from, &p->from, err);
    if (!rc)
        rc = find_all(p, err);
    if (!rc)
        rc = check_one_path(p, err);
    if (!rc)
        rc = find_source_end(p, err);
    if (!rc)
        rc = pick_results(&p->snap, p->source_end, &p->list, err);
    if (!rc)
        rc = find_target(p, err);
    if (!rc)
        rc = find_shared(p, err);
    if (!rc)
        rc = check_copies(p, err);
    return rc ? rc : pick_check_calls(&p->snap, p->to, &p->list, p->shared, err);
}

/* ---- writing ---- */

/* A copy of a copy names the first original. */
static struct bough_str copied_data(struct bough_arena *a, const struct bough_entry *e)
{
    struct json known;

    if (json_get(view_data(a, e), PICKED, &known))
        return e->data;
    return view_with_member(a, e->data, PICKED, str_of(arena_printf(a, "\"%s\"", e->id)));
}

static struct bough_entry_new copy_of(struct bough_arena *a, const struct bough_entry *e, bool own)
{
    struct bough_str *parts = arena_array(a, e->nparts + 1, sizeof *parts);

    for (size_t i = 0; i < e->nparts; i++)
        parts[i] = e->parts[i].json;
    return (struct bough_entry_new){ .kind = e->kind,
                                     .kind_name =
                                         e->kind == BOUGH_ENTRY_OTHER ? e->kind_name : NULL,
                                     .role = e->role,
                                     .parts = parts,
                                     .nparts = e->nparts,
                                     .time = e->time,
                                     .finish = e->finish,
                                     .error = e->error,
                                     .data = copied_data(a, e),
                                     .metadata = e->metadata,
                                     .usage = e->usage,
                                     .duration = e->duration,
                                     .call = own ? e->call : NULL };
}

static enum bough_rc make_copies(struct pick *p, struct bough_entry_new *out,
                                 struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = p->shared; i < p->list.n && !rc; i++) {
        struct branch_row b;

        rc = snap_branch(&p->snap, p->list.at[i]->at.branch, &b, err);
        if (!rc)
            out[i - p->shared] = copy_of(p->list.a, p->list.at[i], b.sid == p->sid);
    }
    return rc;
}

static void give_id(struct bough_pick_result *out, const char *id)
{
    memcpy(out->ids[out->n++], id, BOUGH_ID_LEN + 1);
}

/* All of them follow the target already: move the head to the last one. */
static enum bough_rc move_head(struct pick *p, struct bough_pick_result *out,
                               struct bough_error *err)
{
    struct append_job job = { .s = p->s, .sid = p->sid, .expect_head = &p->head };
    struct bough_head last = p->list.at[p->list.n - 1]->at;

    out->head = p->how->keep_head ? p->head : last;
    return p->how->keep_head ? BOUGH_OK : append_head_to(p->s, p->list.a, &job, last, err);
}

static enum bough_rc append_copies(struct pick *p, const char *session,
                                   const struct bough_entry_new *copies,
                                   struct bough_pick_result *out, struct bough_error *err)
{
    const struct append_how how = { .heed_lease = true,
                                    .plan = { .uncounted = true, .copies = true } };
    bool at_head = !p->how->at_root && cstr_empty(p->how->at);
    const char *behind = p->shared ? p->list.at[p->shared - 1]->id : p->how->at;
    struct bough_append_options in = { .entries = copies,
                                       .n = p->list.n - p->shared,
                                       .at = behind,
                                       .at_root = p->how->at_root && !p->shared,
                                       .keep_head = p->how->keep_head,
                                       .expect_head = at_head ? &p->head : p->how->expect_head };
    struct bough_append_result appended;
    enum bough_rc rc = append_all(p->s, p->list.a, session, &in, &how, &appended, err);

    if (rc)
        return rc;
    out->head = appended.head;
    for (size_t i = 0; i < appended.n; i++)
        give_id(out, appended.ids[i]);
    return BOUGH_OK;
}

static enum bough_rc try_pick(struct pick *p, struct bough_arena *a, const char *session,
                              struct bough_pick_result *out, struct bough_error *err)
{
    struct bough_entry_new *copies = NULL;
    enum bough_rc rc = snap_begin(p->s, &p->snap, err);

    if (rc)
        return rc;
    rc = look_up(p, session, err);
    if (!rc && p->list.n - p->shared > LIMIT_APPEND_ENTRIES)
        rc = bough_fail(err, BOUGH_TOO_LARGE,
                        "with the results of their calls these are %zu "
                        "entries; at most %d fit",
                        p->list.n, LIMIT_APPEND_ENTRIES);
    if (!rc) {
        copies = arena_array(p->list.a, p->list.n + 1, sizeof *copies);
        rc = make_copies(p, copies, err);
    }
    snap_end(&p->snap);
    if (rc)
        return rc;
    p->checked = true;
    *out = (struct bough_pick_result){ .shared = p->shared };
    out->ids = arena_zalloc(a, p->list.n * sizeof *out->ids);
    for (size_t i = 0; i < p->shared; i++)
        give_id(out, p->list.at[i]->id);
    return p->shared == p->list.n ? move_head(p, out, err)
                                  : append_copies(p, session, copies, out, err);
}

static enum bough_rc check_options(const struct bough_pick_options *how, struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_pick_options, how, err);

    if (!rc && (!how->n || !how->entries))
        rc = bough_fail(err, BOUGH_INVALID, "there is no entry to pick");
    if (!rc && how->n > LIMIT_APPEND_ENTRIES)
        rc = bough_fail(err, BOUGH_TOO_LARGE, "a pick has at most %d entries, not %zu",
                        LIMIT_APPEND_ENTRIES, how->n);
    if (!rc && how->at_root && !cstr_empty(how->at))
        rc = bough_fail(err, BOUGH_INVALID, "pick behind an entry or to a new root, not both");
    return rc;
}

enum bough_rc bough_pick(struct bough_store *s, struct bough_arena *a, const char *session,
                         const struct bough_pick_options *how, struct bough_pick_result *out,
                         struct bough_error *err)
{
    REQUIRE(s && a && how && out, err);

    struct deadline p = store_deadline(s);
    enum bough_rc rc = check_options(how, err);
    bool again = !rc;

    while (again) { /* if the head moves meanwhile, other entries may be shared */
        struct pick pick = { .s = s, .how = how, .list.a = bough_arena_create() };

        rc = try_pick(&pick, a, session, out, err);
        bough_arena_destroy(pick.list.a);
        again = rc == BOUGH_CONFLICT && pick.checked && !how->expect_head && mono_us() < p.until_us;
    }
    return rc;
}
