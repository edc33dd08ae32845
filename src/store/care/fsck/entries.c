/* fsck, entries: streamed in key order; checks each one, gaps and numbers, computes previews and
 * tips. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/model/totals.h"
#include "core/part/part.h"
#include "store/care/fsck/fsck.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)

struct walk {
    struct fsck *f;
    struct fsck_branch *b; /* branch of the previous entry */
    struct fsck_session *s;
    int64_t unknown;               /* a missing branch that was already reported */
    int64_t mno, no;               /* of the previous entry; -1: not known */
    struct fsck_branch **children; /* sorted by the entry they hang on */
    size_t nchildren, child;
};

/* ---- one entry ---- */

static int64_t mask_of(const struct bough_entry *e)
{
    int64_t mask = (int64_t)MASK_ROLE << e->role | (e->usage ? MASK_USAGE : 0), errors = 0;
    enum bough_outcome outcome =
        e->kind == BOUGH_ENTRY_MESSAGE ? message_outcome(e, &errors) : BOUGH_OUTCOME_NONE;

    for (size_t i = 0; i < e->nparts; i++)
        mask |= (int64_t)MASK_PART << e->parts[i].type;
    mask |= outcome == BOUGH_OUTCOME_ERROR ? MASK_FAILED : 0;
    mask |= outcome == BOUGH_OUTCOME_INTERRUPTED ? MASK_STOPPED : 0;
    return mask | errors << MASK_ERRORS;
}

static void check_parts(struct fsck *f, struct fsck_where at, const struct bough_entry *e)
{
    struct bough_error why;

    for (size_t i = 0; i < e->nparts; i++)
        if (part_stored_check(&e->parts[i], &why))
            fsck_report(f, RULE_VALUE, at, "part %zu: %.140s", i, why.msg);
}

static void check_fields(struct fsck *f, struct fsck_where at, const struct bough_entry *e)
{
    fsck_text(f, at, "its finish reason", str_of(e->finish));
    fsck_text(f, at, "the id it came with", str_of(e->origin));
    fsck_text(f, at, "its kind's name", str_of(e->kind_name));
    fsck_json(f, at, "its error", e->error);
    fsck_json(f, at, "its data", e->data);
    fsck_json(f, at, "its metadata", e->metadata);
    fsck_range(f, at, "its time", e->time, 0, INT64_MAX);
    fsck_range(f, at, "its duration", e->duration, 0, INT64_MAX);
    if (e->usage && !totals_valid(e->usage))
        fsck_report(f, RULE_VALUE, at, "it used less than nothing");
    if (e->kind == BOUGH_ENTRY_MESSAGE && e->role == BOUGH_ROLE_NONE)
        fsck_report(f, RULE_VALUE, at, "it is a message without a role");
}

/* The call must be the one that the entry was written with. An entry whose call was deleted must be
 * marked as unlinked. */
static void check_call(struct fsck *f, const struct entry_row *row, int64_t sid,
                       const struct pack_extra *x)
{
    const struct fsck_call *call = fsck_call_of(f, sid, x->call_ord);
    struct fsck_where at = at_entry(row->bid, row->depth);
    bool unlinked = row->mask & MASK_UNLINKED;

    if (!x->call_ord && !x->call_made && !unlinked)
        return;
    if (!call)
        fsck_report(f, RULE_CALL, at, "its call, number %" PRId64 ", does not exist", x->call_ord);
    else if (call->id && call->id != fsck_call_id(x->call_made, x->call_chk))
        fsck_report(f, RULE_CALL, at, "its call, number %" PRId64 ", is another one", x->call_ord);
    else if (unlinked != call->deleted)
        fsck_report(f, RULE_CALL, at, "its call, number %" PRId64 ", %s", x->call_ord,
                    unlinked ? "is there, but the entry has let go of it"
                             : "was deleted, but the entry still names it");
}

/* An open message must have a lease and no parts. */
static void check_open(struct fsck *f, const struct entry_row *row, const struct bough_entry *e)
{
    struct fsck_open *lease = fsck_open_of(f, row->bid, row->depth);
    struct fsck_where at = at_entry(row->bid, row->depth);

    if (!(row->mask & MASK_OPEN))
        return;
    if (!lease)
        fsck_report(f, RULE_OPEN, at, "it is open, but has no lease");
    else
        lease->matched = true;
    if (e->nparts || e->usage || e->kind != BOUGH_ENTRY_MESSAGE)
        fsck_report(f, RULE_OPEN, at, "it is open, but not an empty message");
}

/* Check one entry by itself. False: its body is unreadable and `e` and `x` are not set. */
static bool check_entry(struct fsck *f, const struct entry_row *row, const struct fsck_branch *b,
                        struct bough_entry *e, struct pack_extra *x)
{
    const struct fsck_session *s = fsck_session_of(f, b->row.sid);
    struct fsck_where at = at_entry(row->bid, row->depth);
    struct bough_error why;

    if (pack_entry_read(f->tmp, row->body, e, x, &why)) {
        fsck_report(f, RULE_VALUE, at, "%.150s", why.msg);
        return false;
    }
    fsck_range(f, at, "the time of its deletion", row->deleted, 0, INT64_MAX);
    if (row->kind != (int64_t)e->kind)
        fsck_report(f, RULE_VALUE, at, "its row is of kind %" PRId64 ", its body of kind %d",
                    row->kind, (int)e->kind);
    check_open(f, row, e);
    if (!x->newer && (row->mask & ~(int64_t)(MASK_UNLINKED | MASK_OPEN)) != mask_of(e))
        fsck_report(f, RULE_VALUE, at, "its mask is %" PRIx64 ", its parts and role make %" PRIx64,
                    (uint64_t)row->mask, (uint64_t)mask_of(e));
    if (e->at.depth != row->depth)
        fsck_report(f, RULE_DEPTH, at, "its body says depth %" PRId64, e->at.depth);
    check_parts(f, at, e);
    check_fields(f, at, e);
    if (e->keep_from < 0 || e->keep_from > row->depth)
        fsck_report(f, RULE_MARKER, at, "it keeps from depth %" PRId64 " on", e->keep_from);
    if (s && !s->purged)
        check_call(f, row, s->sid, x);
    return true;
}

/* ---- branches that hang on an entry ---- */

static int by_base(const void *a, const void *b)
{
    const struct branch_row *x = &(*(struct fsck_branch *const *)a)->row;
    const struct branch_row *y = &(*(struct fsck_branch *const *)b)->row;

    if (x->parent != y->parent)
        return x->parent < y->parent ? -1 : 1;
    return (x->base > y->base) - (x->base < y->base);
}

static void gather_children(struct walk *w)
{
    struct fsck *f = w->f;

    w->children = mem_alloc(mem_array(f->nbranches ? f->nbranches : 1, sizeof(void *)));
    for (size_t i = 0; i < f->nbranches; i++)
        if (f->branches[i].hangs)
            w->children[w->nchildren++] = &f->branches[i];
    if (w->nchildren)
        qsort(w->children, w->nchildren, sizeof(void *), by_base);
}

/* Children and entries are in the same order, so one pass over both is enough. */
static void tell_children(struct walk *w, const struct entry_row *row, int64_t no, int64_t mno)
{
    for (; w->child < w->nchildren; w->child++) {
        struct fsck_branch *c = w->children[w->child];

        if (c->row.parent > row->bid || (c->row.parent == row->bid && c->row.base > row->depth))
            return;
        if (c->row.parent != row->bid || c->row.base != row->depth)
            continue;
        c->base_no = no;
        c->base_mno = mno;
    }
}

/* ---- position of an entry ---- */

static bool enter(struct walk *w, const struct entry_row *row)
{
    struct fsck *f = w->f;

    if (w->b && w->b->row.bid == row->bid)
        return true;
    w->b = fsck_branch_of(f, row->bid);
    if (w->b) {
        w->s = fsck_session_of(f, w->b->row.sid);
        w->no = w->b->base_no;
        w->mno = w->b->base_mno;
        return true;
    }
    if (w->unknown != row->bid)
        fsck_report(f, RULE_ORPHAN, at_entry(row->bid, row->depth), "its branch does not exist");
    w->unknown = row->bid;
    return false;
}

static void lose_track(struct walk *w)
{
    w->mno = w->no = -1;
    w->b->damaged = true;
    if (w->s)
        w->s->damaged = true;
}

/* Is the entry inside its branch and directly behind the previous one? False: it does not belong to
 * the branch. */
static bool check_group(struct walk *w, const struct entry_row *row)
{
    struct fsck_branch *b = w->b;
    struct fsck_where at = at_entry(row->bid, row->depth);

    if (b->row.cut >= 0 && row->depth > b->row.cut) {
        if (w->s)
            fsck_leftover(w->f, w->s);
        return false;
    }
    if (row->depth <= b->row.base) {
        fsck_report(w->f, RULE_GAP, at, "its branch begins behind depth %" PRId64, b->row.base);
        return false;
    }
    if (row->depth != b->tip + 1) {
        fsck_report(w->f, RULE_GAP, at, "%" PRId64 " entries are missing before it",
                    row->depth - 1 - b->tip);
        lose_track(w);
    }
    b->tip = row->depth;
    return true;
}

static void check_order(struct walk *w, const struct entry_row *row, const struct bough_entry *e,
                        const struct pack_extra *x)
{
    struct fsck_where at = at_entry(row->bid, row->depth);
    int64_t mno = w->mno + (e->kind == BOUGH_ENTRY_MESSAGE);

    if (w->mno >= 0 && e->mno != mno)
        fsck_report(w->f, RULE_MNO, at, "its message number is %" PRId64 ", not %" PRId64, e->mno,
                    mno);
    if (w->no >= 0 && e->no <= w->no)
        fsck_report(w->f, RULE_TIME, at,
                    "its number %" PRId64 " is not larger than %" PRId64 " before it", e->no,
                    w->no);
    if (x->made > w->f->now + DAY_MS)
        fsck_report(w->f, RULE_TIME, at, "it was made in the future");
    w->mno = fsck_range(w->f, at, "its message number", e->mno, 0, LIMIT_DEPTH) ? e->mno : -1;
    w->no = e->no;
}

/* ---- derived values ---- */

static void take_preview(struct fsck *f, const struct bough_entry *e, struct fsck_preview *p,
                         bool first)
{
    const char *text;

    if (p->no && (first ? p->no <= e->no : p->no >= e->no))
        return;
    text =
        preview_text(f->tmp, e->parts, e->nparts, first ? PREVIEW_FIRST_BYTES : PREVIEW_LAST_BYTES);
    if (*text)
        *p = (struct fsck_preview){ e->no, hash_bytes(text, strlen(text)) };
}

static void derive_outcome(struct fsck_session *s, const struct entry_row *row,
                           const struct bough_entry *e)
{
    int64_t errors = 0;
    enum bough_outcome outcome =
        row->mask & MASK_OPEN ? BOUGH_OUTCOME_OPEN : message_outcome(e, &errors);

    if (row->deleted)
        return;
    s->errors += errors;
    if (e->no < s->last_no)
        return;
    s->last_no = e->no;
    s->last_state = outcome;
}

static void derive(struct walk *w, const struct entry_row *row, const struct bough_entry *e)
{
    struct fsck_session *s = w->s;

    if (!s || s->purged || e->kind != BOUGH_ENTRY_MESSAGE)
        return;
    derive_outcome(s, row, e);
    if (row->mask & MASK_OPEN)
        return;
    s->messages += !row->deleted;
    if (e->role != BOUGH_ROLE_USER && e->role != BOUGH_ROLE_ASSISTANT)
        return;
    if (e->time > s->modified)
        s->modified = e->time;
    if (row->deleted)
        return;
    if (e->role == BOUGH_ROLE_USER)
        take_preview(w->f, e, &s->first_user, true);
    take_preview(w->f, e, e->role == BOUGH_ROLE_USER ? &s->last_user : &s->last_agent, false);
}

static void add_up(struct walk *w, const struct entry_row *row, const struct bough_entry *e)
{
    struct fsck_branch *b = w->b;

    b->entry_sum += fsck_mix((uint64_t)row->depth, (uint64_t)e->no);
    if (*e->origin && w->s && !w->s->purged)
        b->origin_sum += fsck_mix((uint64_t)row->depth, hash_bytes(e->origin, strlen(e->origin)));
}

/* ---- the pass ---- */

static bool each_entry(void *user, const struct raw_row *raw)
{
    const struct entry_row *row = &raw->u.entry;
    struct walk *w = user;
    struct bough_entry e;
    struct pack_extra x;
    int64_t errors = w->f->report->errors;

    bough_arena_reset(w->f->tmp);
    w->f->report->entries++;
    if (!enter(w, row) || !check_group(w, row))
        return true;
    if (!check_entry(w->f, row, w->b, &e, &x)) {
        fsck_unread(w->f, row);
        lose_track(w);
        return true;
    }
    fsck_shows(w->f, row, &e, &x);
    check_order(w, row, &e, &x);
    derive(w, row, &e);
    add_up(w, row, &e);
    if (row->deleted)
        map_put(&w->f->deleted, (uint64_t)row->bid << 32 | (uint64_t)row->depth,
                row->deleted < x.made);
    if (w->f->report->errors == errors && !x.newer) /* a newer bough may index more words */
        fsck_words(w->f, w->b, row, &e);
    else
        w->b->text_damaged = true;
    tell_children(w, row, e.no, e.mno);
    return true;
}

enum bough_rc fsck_entries(struct fsck *f)
{
    struct walk w = { .f = f, .unknown = -1 };
    enum bough_rc rc;

    gather_children(&w);
    rc = f->ops->raw_scan(f->v, RAW_ENTRY, each_entry, &w, f->err);
    mem_free(w.children);
    return rc;
}
