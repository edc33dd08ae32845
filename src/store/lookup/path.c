/* Resolve paths and read their entries through a snapshot. */
#include "store/lookup/path.h"

#include <stdlib.h>

#include <string.h>

#include "base/limits.h"
#include "base/text/str.h"
#include "core/part/part.h"
#include "store/contract/id.h"
#include "store/lookup/blob.h"

enum { RESERVE_MOST = 1 << 18 }; /* in entries; a damaged store may claim any number */

/* ---- segments ---- */

static struct seg *push_seg(struct bough_arena *a, struct segs *s)
{
    s->at = arena_room(a, s->at, s->n, sizeof *s->at);
    return &s->at[s->n++];
}

enum bough_rc path_segs(struct snap *snap, struct bough_arena *a, struct bough_head at,
                        int64_t down_to, struct segs *out, struct bough_error *err)
{
    struct branch_row b;
    enum bough_rc rc;

    *out = (struct segs){ 0 };
    while (at.branch && at.depth >= down_to) {
        rc = snap_branch(snap, at.branch, &b, err);
        if (rc)
            return rc;
        if (at.depth > b.base)
            *push_seg(a, out) =
                (struct seg){ b.bid, b.sid, b.base + 1 > down_to ? b.base + 1 : down_to, at.depth };
        if (b.parent == b.bid || b.base > at.depth)
            return bough_fail(err, BOUGH_CORRUPT, "branch #%lld is its own parent",
                              (long long)b.bid);
        at = (struct bough_head){ b.parent, b.base };
    }
    return BOUGH_OK;
}

enum bough_rc path_owner(struct snap *snap, struct bough_head at, int64_t depth, int64_t *bid,
                         struct bough_error *err)
{
    struct branch_row b;
    enum bough_rc rc;

    for (*bid = at.branch; *bid;) {
        rc = snap_branch(snap, *bid, &b, err);
        if (rc || depth > b.base)
            return rc;
        *bid = b.parent;
    }
    return BOUGH_OK;
}

enum bough_rc path_common(struct snap *snap, struct bough_head one, struct bough_head other,
                          struct bough_head *out, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct segs x, y;
    size_t i, k;
    enum bough_rc rc;

    *out = (struct bough_head){ 0, 0 };
    rc = path_segs(snap, tmp, one, 1, &x, err);
    if (!rc)
        rc = path_segs(snap, tmp, other, 1, &y, err);
    if (rc)
        goto out;
    /* From the root up: the last branch both paths share, up to the smaller depth. */
    for (i = x.n, k = y.n; i > 0 && k > 0 && x.at[i - 1].bid == y.at[k - 1].bid; i--, k--) {
        out->branch = x.at[i - 1].bid;
        out->depth = x.at[i - 1].to < y.at[k - 1].to ? x.at[i - 1].to : y.at[k - 1].to;
    }
out:
    bough_arena_destroy(tmp);
    return rc;
}

/* ---- entries ---- */

struct bough_entry *entry_push(struct entry_list *l)
{
    if (l->n == l->cap) {
        size_t cap = l->cap ? 2 * l->cap : 16;

        l->at = arena_resize(l->a, l->at, l->cap * sizeof *l->at, cap * sizeof *l->at);
        l->cap = cap;
    }
    return &l->at[l->n++];
}

static int64_t outcome_mask(const struct bough_entry *e)
{
    int64_t errors;
    enum bough_outcome outcome = message_outcome(e, &errors);

    return errors << MASK_ERRORS | (outcome == BOUGH_OUTCOME_ERROR         ? MASK_FAILED
                                    : outcome == BOUGH_OUTCOME_INTERRUPTED ? MASK_STOPPED
                                                                           : 0);
}

int64_t entry_mask(const struct bough_entry *e)
{
    int64_t mask = (int64_t)MASK_ROLE << e->role | (e->usage ? MASK_USAGE : 0);

    for (size_t i = 0; i < e->nparts; i++)
        mask |= (int64_t)MASK_PART << e->parts[i].type;
    return e->kind == BOUGH_ENTRY_MESSAGE ? mask | outcome_mask(e) : mask;
}

/* Unpack a row whose body already lives in the arena. */
static enum bough_rc fill_kept(struct snap *snap, struct bough_arena *a,
                               const struct entry_row *row, int64_t sid, const char *session,
                               struct bough_entry *out, struct bough_error *err)
{
    struct pack_extra x;
    enum bough_rc rc = pack_entry_read(a, row->body, out, &x, err);

    if (!rc && x.nmoved) {
        rc = blob_expand(snap, a, &x, out, err);
        if (rc)
            return rc;
    }
    if (rc == BOUGH_VERSION)
        return bough_fail(err, rc, "entry #%lld.%lld was written by a newer bough",
                          (long long)row->bid, (long long)row->depth);
    if (rc)
        return bough_fail(err, rc, "entry #%lld.%lld cannot be read: its stored bytes are damaged",
                          (long long)row->bid, (long long)row->depth);
    out->at = (struct bough_head){ row->bid, row->depth };
    out->deleted = row->deleted;
    out->open = row->mask & MASK_OPEN;
    out->session = session;
    id_entry(x.made, row->bid, row->depth, x.chk, out->id);
    if (x.call_ord && !(row->mask & MASK_UNLINKED))
        id_record(x.call_made, sid, RECORD_CALL, x.call_ord, x.call_chk, out->call);
    return BOUGH_OK;
}

enum bough_rc entry_fill(struct snap *snap, struct bough_arena *a, const struct entry_row *row,
                         int64_t sid, const char *session, struct bough_entry *out,
                         struct bough_error *err)
{
    struct entry_row kept = *row;

    kept.body.p = arena_dup(a, row->body.p, row->body.n);
    return fill_kept(snap, a, &kept, sid, session, out, err);
}

enum bough_rc branch_session(struct snap *snap, struct bough_arena *a, int64_t bid, int64_t *sid,
                             const char **id, struct bough_error *err)
{
    struct branch_row b;
    struct identity who;
    char *text;
    enum bough_rc rc = snap_branch(snap, bid, &b, err);

    if (!rc)
        rc = snap_identity(snap, b.sid, &who, err);
    if (rc)
        return rc;
    *sid = b.sid;
    *id = text = arena_alloc(a, BOUGH_ID_LEN + 1);
    id_session(who.made, who.sid, who.chk, text);
    return BOUGH_OK;
}

enum bough_rc entry_load(struct snap *snap, struct bough_arena *a, struct bough_head at,
                         struct bough_entry **out, struct bough_error *err)
{
    struct entry_row row;
    const char *session;
    int64_t sid;
    enum bough_rc rc = snap->ops->entry_get(snap->v, a, at.branch, at.depth, &row, err);

    if (!rc)
        rc = branch_session(snap, a, at.branch, &sid, &session, err);
    if (rc)
        return rc;
    if (pack_is_stub(row.body))
        return bough_fail(err, BOUGH_CORRUPT,
                          "entry #%lld.%lld was damaged; what is left of it is quarantined",
                          (long long)at.branch, (long long)at.depth);
    *out = arena_alloc(a, sizeof **out);
    return fill_kept(snap, a, &row, sid, session, *out, err);
}

struct front {
    struct pack_head *out;
    bool there, read;
};

static bool read_front(void *user, const struct entry_row *row)
{
    struct front *f = user;

    f->there = true;
    f->read = pack_entry_head(row->body, f->out);
    f->out->tail = str_of(""); /* it points into the row */
    return false;
}

enum bough_rc entry_head_at(struct snap *snap, struct bough_head at, struct pack_head *out,
                            struct bough_error *err)
{
    struct entry_range range = {
        .bid = at.branch, .from = at.depth, .to = at.depth, .deleted = true, .fronts = true
    };
    struct front f = { .out = out };
    enum bough_rc rc = snap->ops->entry_scan(snap->v, &range, read_front, &f, err);

    if (rc || f.read)
        return rc;
    return bough_fail(err, f.there ? BOUGH_CORRUPT : BOUGH_NOT_FOUND,
                      f.there ? "entry #%lld.%lld cannot be read" : "there is no entry #%lld.%lld",
                      (long long)at.branch, (long long)at.depth);
}

/* ---- reading a path ---- */

struct reading {
    struct snap *snap;
    struct entry_list *out;
    const char *session;
    int64_t sid;
    size_t limit; /* 0: all */
    int64_t also;
    bool every, deleted; /* every depth is visited; deleted entries are wanted */
    size_t bytes;        /* of the parts read, in a bounded snapshot */
    int64_t next, step;  /* with `every`: the depth that must come next */
    bool more;
    enum bough_rc rc;
    struct bough_error *err;
};

/* A reader must not take a hole in a branch for its end. */
static bool missing(struct reading *r, int64_t bid)
{
    r->rc = bough_fail(r->err, BOUGH_CORRUPT,
                       "entry #%lld.%lld is missing: the store is damaged; see bough fsck",
                       (long long)bid, (long long)r->next);
    return false;
}

/* What is built in memory as a whole is bounded. */
static enum bough_rc check_bound(struct reading *r)
{
    const struct bough_entry *e = &r->out->at[r->out->n - 1];

    for (size_t i = 0; i < e->nparts; i++)
        r->bytes += e->parts[i].json.n;
    if (r->out->n <= LIMIT_CONTEXT && r->bytes <= (size_t)LIMIT_CONTEXT_BYTES)
        return BOUGH_OK;
    return bough_fail(
        r->err, BOUGH_TOO_LARGE,
        "the context has more than %d entries or %lld MB: compact the session, or read "
        "its entries in pages",
        LIMIT_CONTEXT, LIMIT_CONTEXT_BYTES >> 20);
}

static bool read_one(void *user, const struct entry_row *row)
{
    struct reading *r = user;

    if (r->every && r->next >= LIMIT_DEPTH) /* newest first, from an open end */
        r->next = row->depth;
    if (r->every && row->depth != r->next)
        return missing(r, row->bid);
    r->next += r->step;
    if (r->every && row->deleted && !r->deleted)
        return true;
    if (r->also && !(row->mask & r->also))
        return true;
    if (r->limit && r->out->n == r->limit) {
        r->more = true;
        return false;
    }
    r->rc = entry_fill(r->snap, r->out->a, row, r->sid, r->session, entry_push(r->out), r->err);
    if (!r->rc && r->snap->bounded)
        r->rc = check_bound(r);
    return !r->rc;
}

/* Did the scan visit the whole run? A run that is open at its end (LIMIT_DEPTH) may end anywhere.
 */
static bool ended(const struct reading *r, const struct seg *s, bool newest)
{
    if (!r->every || (s->to >= LIMIT_DEPTH && (!newest || r->next >= LIMIT_DEPTH)))
        return true;
    return r->next == (newest ? s->from - 1 : s->to + 1);
}

static void reverse(struct entry_list *l)
{
    for (size_t i = 0, k = l->n; i + 1 < k; i++) {
        struct bough_entry t = l->at[i];

        l->at[i] = l->at[--k];
        l->at[k] = t;
    }
}

/* Allocate once when the size is known, instead of copying on growth. */
static void reserve(struct entry_list *l, const struct segs *segs, const struct path_filter *f)
{
    size_t n = 0;

    if (f->kinds || f->mask)
        return;
    for (size_t i = 0; i < segs->n; i++)
        n += (size_t)(segs->at[i].to - segs->at[i].from + 1);
    if (f->limit && n > (size_t)f->limit)
        n = (size_t)f->limit;
    if (n > RESERVE_MOST)
        n = RESERVE_MOST;
    if (l->cap - l->n >= n)
        return;
    l->at = arena_resize(l->a, l->at, l->cap * sizeof *l->at, (l->n + n) * sizeof *l->at);
    l->cap = l->n + n;
}

enum bough_rc path_read(struct snap *snap, const struct segs *segs, const struct path_filter *f,
                        struct entry_list *out, bool *more, struct bough_error *err)
{
    struct reading r = {
        .snap = snap,
        .out = out,
        .limit = (size_t)f->limit,
        .also = f->also,
        .every = !f->kinds && !f->mask,
        .deleted = f->deleted,
        .step = f->newest ? -1 : 1,
        .err = err,
    };
    enum bough_rc rc = BOUGH_OK;

    reserve(out, segs, f);
    for (size_t i = 0; i < segs->n && !rc && !r.more; i++) {
        const struct seg *s = &segs->at[f->newest ? i : segs->n - 1 - i];
        struct entry_range range = { .bid = s->bid,
                                     .from = s->from,
                                     .to = s->to,
                                     .backwards = f->newest,
                                     .kinds = f->kinds,
                                     .mask = f->mask,
                                     .deleted = f->deleted || r.every };

        r.next = f->newest ? s->to : s->from;
        rc = branch_session(snap, out->a, s->bid, &r.sid, &r.session, err);
        if (!rc)
            rc = snap->ops->entry_scan(snap->v, &range, read_one, &r, err);
        if (!rc)
            rc = r.rc;
        if (!rc && !r.more && !ended(&r, s, f->newest)) {
            missing(&r, s->bid);
            rc = r.rc;
        }
    }
    if (f->newest)
        reverse(out);
    if (more)
        *more = r.more;
    return rc;
}

enum bough_rc path_last(struct snap *snap, struct bough_head at, enum bough_entry_kind kind,
                        int64_t sid, struct bough_head *out, struct bough_error *err)
{
    struct branch_row b;
    int64_t depth = 0;
    enum bough_rc rc;

    *out = (struct bough_head){ 0, 0 };
    while (at.branch) {
        rc = snap_branch(snap, at.branch, &b, err);
        if (rc)
            return rc;
        if (sid && b.sid != sid)
            return BOUGH_OK;
        rc = snap->ops->mark_find(snap->v, at.branch, kind, at.depth, &depth, err);
        if (rc)
            return rc;
        if (depth) {
            *out = (struct bough_head){ at.branch, depth };
            return BOUGH_OK;
        }
        at = (struct bough_head){ b.parent, b.base };
    }
    return BOUGH_OK;
}

static int by_no(const void *x, const void *y)
{
    const struct bough_entry *a = x, *b = y;

    return a->no < b->no ? -1 : a->no > b->no;
}

void entries_in_time(struct entry_list *list)
{
    if (list->n)
        qsort(list->at, list->n, sizeof *list->at, by_no);
}
