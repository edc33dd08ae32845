/* The tree of a session: branches, children, common ancestors, and differences of paths. */
#include <stdlib.h>
#include <string.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "core/context/normal.h"
#include "core/model/text.h"
#include "core/model/totals.h"
#include "store/contract/id.h"
#include "store/lookup/check.h"
#include "store/lookup/cursor.h"
#include "store/lookup/find.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/sessions/session.h"
#include "store/write/append.h"

/* ---- branches ---- */

struct listing {
    struct snap *snap;
    struct bough_arena *a;
    struct bough_branches *out;
    enum bough_rc rc;
    struct bough_error *err;
};

static bool list_branch(void *user, const struct branch_row *b)
{
    struct listing *l = user;
    struct bough_branches *out = l->out;
    struct bough_branch *to;

    out->at = arena_room(l->a, out->at, out->n, sizeof *out->at);
    to = &out->at[out->n++];
    *to = (struct bough_branch){ .number = b->bid, .base = { b->parent, b->base } };
    l->rc = session_id(l->snap, l->a, b->sid, &to->session, l->err);
    if (!l->rc)
        l->rc = l->snap->ops->branch_tip(l->snap->v, b, &to->tip, l->err);
    return !l->rc;
}

static bool listed(const struct bough_branches *b, int64_t bid)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i].number == bid)
            return true;
    return false;
}

/* Ancestors of the session's own branches, nearest first. */
static enum bough_rc list_inherited(struct listing *l, size_t own)
{
    struct branch_row b;

    for (size_t i = 0; i < own && !l->rc; i++)
        for (int64_t up = l->out->at[i].base.branch; up && !l->rc && !listed(l->out, up);
             up = b.parent) {
            l->rc = snap_branch(l->snap, up, &b, l->err);
            if (!l->rc)
                list_branch(l, &b);
        }
    return l->rc;
}

enum bough_rc bough_tree_branches(struct bough_store *s, struct bough_arena *a, const char *session,
                                  struct bough_branches *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct snap snap;
    struct listing l = { .snap = &snap, .a = a, .out = out, .err = err };
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    *out = (struct bough_branches){ 0 };
    if (rc)
        return rc;
    rc = snap.ops->branch_of(snap.v, sid, list_branch, &l, err);
    if (!rc)
        rc = l.rc;
    if (!rc)
        rc = list_inherited(&l, out->n);
    snap_end(&snap);
    return rc;
}

/* ---- entries in order of time ---- */

struct gather {
    struct snap *snap;
    struct entry_list list;
    int64_t after, limit;
    enum bough_rc rc;
    struct bough_error *err;
};

/* `no` grows along a branch: bisect for the first entry after the previous page. */
static int64_t first_after(struct gather *g, const struct branch_row *b, int64_t tip)
{
    int64_t lo = b->base + 1, hi = tip + 1;
    struct pack_head h;

    while (lo < hi && !g->rc) {
        int64_t mid = lo + (hi - lo) / 2;

        g->rc = entry_head_at(g->snap, (struct bough_head){ b->bid, mid }, &h, g->err);
        if (h.no <= g->after)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static bool gather_branch(void *user, const struct branch_row *b)
{
    struct gather *g = user;
    struct seg seg = { b->bid, b->sid, b->base + 1, 0 };
    struct segs segs = { &seg, 1 };
    struct path_filter f = { .deleted = true };
    size_t had = g->list.n;

    g->rc = g->snap->ops->branch_tip(g->snap->v, b, &seg.to, g->err);
    if (!g->rc && g->after)
        seg.from = first_after(g, b, seg.to);
    if (g->rc || seg.from > seg.to)
        return !g->rc;
    f.limit = g->limit ? (int64_t)had + g->limit : 0;
    g->rc = path_read(g->snap, &segs, &f, &g->list, NULL, g->err);
    return !g->rc;
}

enum bough_rc bough_tree_entries(struct bough_store *s, struct bough_arena *a, const char *session,
                                 const struct bough_tree_entries_options *how,
                                 struct bough_entries *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    int64_t limit = how ? how->limit : 0, sid;
    struct snap snap;
    struct gather g = { .snap = &snap, .list = { .a = a }, .err = err };
    enum bough_rc rc = RESERVED_CHECK(bough_tree_entries_options, how, err);

    *out = (struct bough_entries){ .next = "" };
    if (!rc)
        rc = cursor_read(how ? how->cursor : NULL, &g.after, 1, err);
    if (!rc && (g.after < 0 || limit < 0))
        rc = bough_fail(err, BOUGH_INVALID, "a limit or a cursor is never negative");
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    g.limit = limit ? limit + 1 : 0;
    rc = find_session(&snap, session, &sid, err);
    if (!rc)
        rc = snap.ops->branch_of(snap.v, sid, gather_branch, &g, err);
    if (!rc)
        rc = g.rc;
    snap_end(&snap);
    if (!rc)
        entries_in_time(&g.list);
    out->at = g.list.at;
    out->n = limit && g.list.n > (size_t)limit ? (size_t)limit : g.list.n;
    if (!rc && out->n < g.list.n)
        out->next = cursor_write(a, &out->at[out->n - 1].no, 1);
    return rc;
}

/* ---- children ---- */

struct kids {
    struct snap *snap;
    int64_t sid;
    struct entry_list list;
    enum bough_rc rc;
    struct bough_error *err;
};

static void push_kid(struct kids *k, struct bough_head at)
{
    struct bough_entry *e;
    enum bough_rc rc = entry_load(k->snap, k->list.a, at, &e, NULL);

    if (rc == BOUGH_NOT_FOUND)
        return; /* the branch has no entry yet */
    if (rc)
        k->rc = bough_fail(k->err, rc, "entry #%lld.%lld cannot be read", (long long)at.branch,
                           (long long)at.depth);
    else
        *entry_push(&k->list) = *e;
}

static bool kid_branch(void *user, const struct branch_row *b)
{
    struct kids *k = user;

    if (b->sid == k->sid)
        push_kid(k, (struct bough_head){ b->bid, b->base + 1 });
    return !k->rc;
}

static enum bough_rc kids_of(struct kids *k, struct bough_head at)
{
    struct bough_head next = { at.branch, at.depth + 1 };
    bool visible = false;
    enum bough_rc rc = entry_visible(k->snap, k->sid, next, &visible, k->err);

    if (!rc && visible)
        push_kid(k, next);
    if (!rc)
        rc = k->snap->ops->branch_children(k->snap->v, at.branch, at.depth, at.depth, kid_branch, k,
                                           k->err);
    return rc ? rc : k->rc;
}

/* A root entry: of an own branch without a parent, or of the history an own branch continues. */
static bool root_branch(void *user, const struct branch_row *b)
{
    struct kids *k = user;
    struct segs segs;

    if (!b->parent)
        return kid_branch(user, b);
    k->rc =
        path_segs(k->snap, k->list.a, (struct bough_head){ b->parent, b->base }, 1, &segs, k->err);
    if (k->rc || !segs.n || segs.at[segs.n - 1].sid == k->sid)
        return !k->rc;
    for (size_t i = 0; i < k->list.n; i++)
        if (k->list.at[i].at.branch == segs.at[segs.n - 1].bid)
            return true; /* several branches share this root */
    push_kid(k, (struct bough_head){ segs.at[segs.n - 1].bid, 1 });
    return !k->rc;
}

static enum bough_rc kids_of_nothing(struct kids *k)
{
    enum bough_rc rc = k->snap->ops->branch_of(k->snap->v, k->sid, root_branch, k, k->err);

    return rc ? rc : k->rc;
}

enum bough_rc bough_tree_children(struct bough_store *s, struct bough_arena *a, const char *session,
                                  const char *entry, struct bough_entries *out,
                                  struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct snap snap;
    struct kids k = { .snap = &snap, .list = { .a = a }, .err = err };
    struct bough_head at;
    enum bough_rc rc = snap_session(s, session, &snap, &k.sid, err);

    *out = (struct bough_entries){ .next = "" };
    if (rc)
        return rc;
    if (!rc && cstr_empty(entry)) {
        rc = kids_of_nothing(&k);
    } else if (!rc) {
        rc = find_entry(&snap, k.sid, entry, &at, err);
        if (!rc)
            rc = kids_of(&k, at);
    }
    snap_end(&snap);
    if (!rc)
        entries_in_time(&k.list);
    out->at = k.list.at;
    out->n = k.list.n;
    return rc;
}

/* ---- two paths ---- */

enum bough_rc bough_tree_common(struct bough_store *s, struct bough_arena *a, const char *session,
                                const char *one, const char *other, struct bough_entry **out,
                                struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct bough_head x = { 0 }, y = { 0 }, common = { 0 };
    struct snap snap;
    int64_t sid;
    enum bough_rc rc = snap_session(s, session, &snap, &sid, err);

    if (rc)
        return rc;
    rc = find_entry(&snap, sid, one, &x, err);
    if (!rc)
        rc = find_entry(&snap, sid, other, &y, err);
    if (!rc)
        rc = path_common(&snap, x, y, &common, err);
    if (!rc && !common.branch)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "the two paths have no entry in common");
    if (!rc)
        rc = entry_load(&snap, a, common, out, err);
    snap_end(&snap);
    return rc;
}

static enum bough_rc end_of(struct snap *snap, struct bough_arena *a, const char *session,
                            const char *entry, struct bough_head *out, struct bough_error *err)
{
    struct head_now now;
    int64_t sid;
    enum bough_rc rc = find_session(snap, session, &sid, err);

    if (!rc && !cstr_empty(entry))
        return find_entry(snap, sid, entry, out, err);
    if (!rc)
        rc = snap->ops->head_get(snap->v, a, sid, &now, err);
    *out = (struct bough_head){ now.row.bid, now.depth };
    return rc;
}

static enum bough_rc side(struct snap *snap, struct bough_arena *a, struct bough_head end,
                          int64_t from, struct bough_entries *out, struct bough_totals *used,
                          struct bough_error *err)
{
    struct entry_list list = { .a = a };
    struct path_filter f = { 0 };
    struct segs segs;
    enum bough_rc rc = path_segs(snap, a, end, from + 1, &segs, err);

    if (!rc)
        rc = path_read(snap, &segs, &f, &list, NULL, err);
    *out = (struct bough_entries){ .at = list.at, .n = list.n, .next = "" };
    *used = (struct bough_totals){ 0 };
    for (size_t i = 0; i < list.n && !rc; i++)
        if (list.at[i].usage && !totals_add(used, list.at[i].usage))
            rc = bough_fail(err, BOUGH_FULL, "the tokens of this branch do not fit a number");
    return rc;
}

enum bough_rc bough_tree_diff(struct bough_store *s, struct bough_arena *a,
                              const struct bough_tree_diff_options *how,
                              struct bough_tree_diff_result *out, struct bough_error *err)
{
    REQUIRE(s && a && how && out, err);

    struct bough_head x = { 0 }, y = { 0 }, common = { 0 };
    struct snap snap;
    enum bough_rc rc = RESERVED_CHECK(bough_tree_diff_options, how, err);

    *out = (struct bough_tree_diff_result){ .one.next = "", .other.next = "" };
    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = end_of(&snap, a, how->session, how->one, &x, err);
    if (!rc)
        rc = end_of(&snap, a, cstr_empty(how->other_session) ? how->session : how->other_session,
                    how->other, &y, err);
    if (!rc)
        rc = path_common(&snap, x, y, &common, err);
    if (!rc && common.branch)
        rc = entry_load(&snap, a, common, &out->common, err);
    if (!rc)
        rc = side(&snap, a, x, common.depth, &out->one, &out->one_used, err);
    if (!rc)
        rc = side(&snap, a, y, common.depth, &out->other, &out->other_used, err);
    snap_end(&snap);
    return rc;
}

/* ---- leaving a branch with a summary ---- */

static enum bough_rc summary_data(struct bough_arena *a,
                                  const struct bough_branch_with_summary_options *how,
                                  const char *left, struct bough_str *out, struct bough_error *err)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_obj(&w);
    /* pi stores the target here, or "root" (P16); the entry that was left is stored in addition. */
    jw_kv_cstr(&w, "fromId", cstr_empty(how->target) ? "root" : how->target);
    jw_kv_cstr(&w, "summary", how->summary ? how->summary : "");
    jw_opt_raw(&w, "details", how->details);
    if (how->from_hook)
        jw_kv_bool(&w, "fromHook", true);
    jw_opt_cstr(&w, "bough.left", left);
    jw_end_obj(&w);
    *out = text_keep(a, &b);
    buf_finish(&b);
    return b.over ? bough_fail(err, BOUGH_TOO_LARGE, "the summary is too long") : BOUGH_OK;
}

enum bough_rc bough_branch_with_summary(struct bough_store *s, const char *session,
                                        const struct bough_branch_with_summary_options *how,
                                        char id[BOUGH_ID_LEN + 1], struct bough_error *err)
{
    REQUIRE(s && how && id, err);

    struct bough_arena *tmp = bough_arena_create();
    struct bough_entry_new e = { .kind = BOUGH_ENTRY_BRANCH_SUMMARY };
    struct bough_append_options in = {
        .entries = &e, .n = 1, .at = how->target, .at_root = cstr_empty(how->target)
    };
    struct bough_append_result out;
    struct deadline p = store_deadline(s);
    struct bough_entry *left = NULL;
    struct bough_head now;
    bool again;
    enum bough_rc rc = RESERVED_CHECK(bough_branch_with_summary_options, how, err);

    if (!rc)
        rc = check_text("the summary", how->summary, LIMIT_TEXT, err);
    if (!rc)
        rc = check_json("details", how->details, LIMIT_DATA, err);
    in.expect_head = &now;
    do { /* on conflict read the head again: the summary names the entry that was left */
        if (!rc)
            rc = bough_head_get(s, tmp, session, &now, &left, err);
        if (!rc)
            rc = summary_data(tmp, how, left ? left->id : "", &e.data, err);
        if (!rc)
            rc = append_all(s, tmp, session, &in, &(struct append_how){ 0 }, &out, err);
        again = rc == BOUGH_CONFLICT && mono_us() < p.until_us;
        rc = again ? BOUGH_OK : rc;
    } while (again);
    if (!rc)
        memcpy(id, out.ids[0], BOUGH_ID_LEN + 1);
    bough_arena_destroy(tmp);
    return rc;
}

/* ---- hash and lineage ---- */

enum bough_rc bough_path_hash(struct bough_store *s, const char *session, const char *at,
                              char out[65], struct bough_error *err)
{
    REQUIRE(s && out, err);

    struct bough_arena *tmp = bough_arena_create();
    struct bough_entries_read_options how = { .at = at };
    struct normal_hash h;
    struct bough_entries_read_result path;
    enum bough_rc rc = bough_entries_read(s, tmp, session, &how, &path, err);

    if (!rc) {
        normal_hash_init(&h);
        for (size_t i = 0; i < path.entries.n; i++)
            normal_hash_add(&h, &path.entries.at[i]);
        normal_hash_final(&h, out);
    }
    bough_arena_destroy(tmp);
    return rc;
}

enum bough_rc bough_tree_lineage(struct bough_store *s, struct bough_arena *a, const char *session,
                                 struct bough_sessions *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct bough_session *one;
    const char *id = session;
    enum bough_rc rc = BOUGH_OK;

    *out = (struct bough_sessions){ .next = "" };
    while (!rc && !cstr_empty(id)) {
        rc = bough_session_get(s, a, id, &one, err);
        if (rc || (out->n && one->number >= out->at[out->n - 1].number)) /* damaged: a parent must
                                                                            be older */
            break;
        out->at = arena_room(a, out->at, out->n, sizeof *out->at);
        out->at[out->n++] = *one;
        id = one->parent;
    }
    return rc;
}
