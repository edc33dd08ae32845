/* The outline of a session: its branches as lanes. Nothing is read of an entry but its numbers and,
 * of the first message of a branch, the beginning of its text. */
#include "store/tree/outline.h"

#include "base/limits.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/engine/ahead.h"
#include "store/lookup/cursor.h"
#include "store/lookup/path.h"
#include "store/lookup/session_load.h"
#include "store/tree/peek.h"

enum {
    CHUNK = 512,  /* branches whose rows are announced together */
    FIRST_FEW = 4 /* entries of a branch among which its first message is looked for */
};

const char *bough_outline_kind_name(enum bough_outline_kind kind)
{
    switch (kind) {
    case BOUGH_OUTLINE_LABEL:
        return "label";
    case BOUGH_OUTLINE_COMPACTION:
        return "compaction";
    case BOUGH_OUTLINE_BRANCH_SUMMARY:
        return "branch_summary";
    case BOUGH_OUTLINE_FORK:
        return "fork";
    case BOUGH_OUTLINE_SUBAGENT:
        return "subagent";
    }
    return "";
}

/* ---- which branches ---- */

/* A branch, and the last depth that this session shows of it; 0: all. */
struct lane {
    struct branch_row row;
    int64_t shown;
};

struct lanes {
    struct outline *o;
    struct lane *at;
    size_t n;
    struct map by_bid; /* bid -> index */
};

static bool push_lane(void *user, const struct branch_row *b)
{
    struct lanes *l = user;

    l->at = arena_room(l->o->tmp, l->at, l->n, sizeof *l->at);
    map_put(&l->by_bid, (uint64_t)b->bid, l->n);
    l->at[l->n++] = (struct lane){ .row = *b };
    return true;
}

/* Ancestors of the session's own branches, nearest first, as far as a path of the session uses
 * them. */
static enum bough_rc inherited(struct lanes *l)
{
    size_t own = l->n;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < own && !rc; i++) {
        struct branch_row b = l->at[i].row;
        bool known = false;

        while (b.parent && !known && !rc) {
            int64_t base = b.base;
            uint64_t at = l->n;

            known = map_get(&l->by_bid, (uint64_t)b.parent, &at);
            if (!known) {
                rc = snap_branch(l->o->snap, b.parent, &b, l->o->err);
                if (rc)
                    break;
                push_lane(l, &b);
            }
            if (at >= own && base > l->at[at].shown)
                l->at[at].shown = base;
        }
    }
    return rc;
}

static enum bough_rc list_lanes(struct lanes *l)
{
    struct outline *o = l->o;
    enum bough_rc rc = o->snap->ops->branch_of(o->snap->v, o->sid, push_lane, l, o->err);

    return rc ? rc : inherited(l);
}

/* ---- what is shown of each ---- */

/* What the first entries of a branch say. */
struct begin {
    struct bough_outline_branch *to;
    int64_t mno;     /* messages before the branch */
    int64_t message; /* depth of its first message that is not deleted; 0: none seen */
    bool begun, unreadable;
};

static bool read_begin(void *user, const struct entry_row *row)
{
    struct begin *b = user;
    struct pack_head h;

    if (!pack_entry_head(row->body, &h)) {
        b->unreadable = true;
        return false;
    }
    if (!b->begun) {
        b->begun = true;
        b->to->created = h.time;
        b->mno = h.mno - (h.kind == BOUGH_ENTRY_MESSAGE);
    }
    if (h.kind != BOUGH_ENTRY_MESSAGE || row->deleted)
        return true;
    b->message = row->depth;
    b->to->role = (enum bough_role)h.role;
    return false;
}

static int64_t few(const struct bough_outline_branch *b)
{
    int64_t end = b->first + FIRST_FEW - 1;

    return end < b->tip ? end : b->tip;
}

/* The numbers of a branch, and where its first message is. */
static enum bough_rc read_numbers(struct outline *o, struct bough_outline_branch *b,
                                  int64_t *message)
{
    struct entry_range range = {
        .bid = b->number, .from = b->first, .to = few(b), .deleted = true, .fronts = true
    };
    struct begin begin = { .to = b };
    struct pack_head h;
    enum bough_rc rc;

    *message = 0;
    if (b->tip < b->first)
        return BOUGH_OK;
    rc = o->snap->ops->entry_scan(o->snap->v, &range, read_begin, &begin, o->err);
    if (!rc && (begin.unreadable || !begin.begun))
        rc = bough_fail(o->err, BOUGH_CORRUPT,
                        "branch #%lld cannot be read: the store is damaged; see bough fsck",
                        (long long)b->number);
    if (!rc)
        rc = entry_head_at(o->snap, (struct bough_head){ b->number, b->tip }, &h, o->err);
    if (rc)
        return rc;
    b->updated = h.time;
    b->messages = h.mno - begin.mno;
    *message = begin.message;
    return BOUGH_OK;
}

struct showing {
    struct outline *o;
    struct bough_outline_branch *to;
};

static bool show_text(void *user, const struct entry_row *row)
{
    struct showing *s = user;

    s->to->preview = peek_text(s->o->a, s->o->tmp, row);
    return false;
}

static enum bough_rc read_preview(struct outline *o, struct bough_outline_branch *b,
                                  int64_t message)
{
    struct entry_range range = {
        .bid = b->number, .from = message, .to = message, .deleted = true
    };
    struct showing s = { o, b };

    return message ? o->snap->ops->entry_scan(o->snap->v, &range, show_text, &s, o->err) : BOUGH_OK;
}

static enum bough_rc read_tip(struct outline *o, const struct lane *l,
                              struct bough_outline_branch *b)
{
    enum bough_rc rc = session_id(o->snap, o->a, l->row.sid, &b->session, o->err);

    b->tip = l->shown;
    if (!rc && !l->shown)
        rc = o->snap->ops->branch_tip(o->snap->v, &l->row, &b->tip, o->err);
    return rc;
}

/* A chunk: the tips, then the numbers, then the texts, each announced together. */
static enum bough_rc read_chunk(struct outline *o, const struct lane *lanes,
                                struct bough_outline_branch *to, size_t n)
{
    struct ahead ahead = { .snap = o->snap, .a = o->tmp };
    int64_t message[CHUNK] = { 0 };
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n; i++)
        if (!lanes[i].shown)
            ahead_add(&ahead, WANT_TIP, lanes[i].row.bid, 0);
    ahead_read(&ahead);
    for (size_t i = 0; i < n && !rc; i++) {
        rc = read_tip(o, &lanes[i], &to[i]);
        for (int64_t d = to[i].first; d <= few(&to[i]); d++)
            ahead_add(&ahead, WANT_FRONT, to[i].number, d);
        if (to[i].tip > few(&to[i]))
            ahead_add(&ahead, WANT_FRONT, to[i].number, to[i].tip);
    }
    ahead_read(&ahead);
    for (size_t i = 0; i < n && !rc; i++) {
        rc = read_numbers(o, &to[i], &message[i]);
        if (message[i])
            ahead_add(&ahead, WANT_ENTRY, to[i].number, message[i]);
    }
    ahead_read(&ahead);
    for (size_t i = 0; i < n && !rc; i++)
        rc = read_preview(o, &to[i], message[i]);
    return rc;
}

static enum bough_rc read_lanes(struct outline *o, const struct lane *lanes, size_t n)
{
    struct bough_tree_outline_result *out = o->out;
    enum bough_rc rc = BOUGH_OK;

    out->branches = arena_array(o->a, n + 1, sizeof *out->branches);
    out->nbranches = n;
    for (size_t i = 0; i < n; i++) {
        const struct branch_row *b = &lanes[i].row;

        out->branches[i] = (struct bough_outline_branch){ .number = b->bid,
                                                          .base = { b->parent, b->base },
                                                          .first = b->base + 1,
                                                          .preview = "",
                                                          .head = b->bid == out->head.branch };
        map_put(&o->page, (uint64_t)b->bid, i);
    }
    for (size_t i = 0; i < n && !rc; i += CHUNK)
        rc = read_chunk(o, lanes + i, out->branches + i, n - i < CHUNK ? n - i : CHUNK);
    return rc;
}

/* ---- a page ---- */

const struct bough_outline_branch *outline_branch(const struct outline *o, struct bough_head at)
{
    const struct bough_outline_branch *b;
    uint64_t i;

    if (!map_get(&o->page, (uint64_t)at.branch, &i))
        return NULL;
    b = &o->out->branches[i];
    return at.depth >= b->first && at.depth <= b->tip ? b : NULL;
}

struct bough_outline_mark *outline_mark(struct outline *o, enum bough_outline_kind kind,
                                        struct bough_head at)
{
    struct bough_tree_outline_result *out = o->out;
    struct bough_outline_mark *m;

    out->marks = arena_room(o->a, out->marks, out->nmarks, sizeof *out->marks);
    m = &out->marks[out->nmarks++];
    *m = (struct bough_outline_mark){ .kind = kind, .at = at, .text = "" };
    return m;
}

/* The branches of this page: those behind the one that the cursor names. */
static enum bough_rc slice(const struct lanes *l, int64_t after, size_t limit, size_t *from,
                           size_t *n, struct bough_error *err)
{
    uint64_t at;

    *from = 0;
    if (after) {
        if (!map_get(&l->by_bid, (uint64_t)after, &at))
            return cursor_bad(err);
        *from = at + 1;
    }
    *n = l->n - *from < limit ? l->n - *from : limit;
    return BOUGH_OK;
}

static enum bough_rc build(struct outline *o, const struct bough_sessions *children, int64_t after,
                           size_t limit)
{
    struct lanes l = { .o = o };
    size_t from = 0, n = 0;
    enum bough_rc rc;

    map_init(&l.by_bid);
    rc = list_lanes(&l);
    if (!rc)
        rc = slice(&l, after, limit, &from, &n, o->err);
    if (!rc && n)
        rc = read_lanes(o, l.at + from, n);
    if (!rc)
        rc = outline_notes(o);
    if (!rc)
        rc = outline_children(o, children, from + n == l.n);
    if (!rc && from + n < l.n)
        o->out->next = cursor_write(o->a, &l.at[from + n - 1].row.bid, 1);
    map_finish(&l.by_bid);
    return rc;
}

static enum bough_rc outline_in(struct snap *snap, struct bough_arena *a, int64_t sid,
                                const struct bough_sessions *children, int64_t after, size_t limit,
                                struct bough_tree_outline_result *out, struct bough_error *err)
{
    struct outline o = { .snap = snap, .a = a, .sid = sid, .out = out, .err = err };
    struct head_now now;
    enum bough_rc rc = snap->ops->head_get(snap->v, a, sid, &now, err);

    if (rc)
        return rc;
    out->head = (struct bough_head){ now.row.bid, now.depth };
    o.tmp = bough_arena_create();
    map_init(&o.page);
    rc = build(&o, children, after, limit);
    map_finish(&o.page);
    bough_arena_destroy(o.tmp);
    return rc;
}

enum bough_rc bough_tree_outline(struct bough_store *s, struct bough_arena *a, const char *session,
                                 const struct bough_tree_outline_options *how,
                                 struct bough_tree_outline_result *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct bough_session_list_options children = { .parent = session, .limit = LIMIT_PAGE };
    int64_t limit = how && how->limit ? how->limit : LIMIT_PAGE, sid, after = 0;
    struct bough_sessions list;
    struct snap snap;
    enum bough_rc rc = RESERVED_CHECK(bough_tree_outline_options, how, err);

    *out = (struct bough_tree_outline_result){ .next = "" };
    if (!rc && limit < 0)
        rc = bough_fail(err, BOUGH_INVALID, "a limit is never negative");
    if (!rc)
        rc = cursor_read(how ? how->cursor : NULL, &after, 1, err);
    if (!rc)
        rc = bough_session_list(s, a, &children, &list, err);
    if (!rc)
        rc = snap_session(s, session, &snap, &sid, err);
    if (rc)
        return rc;
    limit = limit > LIMIT_PAGE ? LIMIT_PAGE : limit;
    rc = outline_in(&snap, a, sid, &list, after, (size_t)limit, out, err);
    snap_end(&snap);
    return rc;
}
