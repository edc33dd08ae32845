/* fsck, entries: streamed in the order of their branches; gaps, numbers, previews and tips. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/text.h"
#include "store/fsck/fsck.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)

struct walk {
    struct fsck *f;
    struct fsck_branch *b; /* the branch the last entry was on */
    struct fsck_session *s;
    int64_t unknown;               /* a branch that is not there: said once */
    int64_t mno, no;               /* of the entry before; -1: not known */
    struct fsck_branch **children; /* by what they hang on */
    size_t nchildren, child;
};

/* ---- what hangs on an entry ---- */

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

/* Both are in the same order: the cursor only moves on. */
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

/* ---- the place of an entry ---- */

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
        fsck_say(f, RULE_GHOST, at_entry(row->bid, row->depth), "its branch does not exist");
    w->unknown = row->bid;
    return false;
}

static void lose_track(struct walk *w)
{
    w->mno = w->no = -1;
    w->b->doubt = true;
    if (w->s)
        w->s->doubt = true;
}

/* Within the branch, and right behind the one before. False: it does not belong to it at all. */
static bool check_place(struct walk *w, const struct entry_row *row)
{
    struct fsck_branch *b = w->b;
    struct fsck_where at = at_entry(row->bid, row->depth);

    if (b->row.cut >= 0 && row->depth > b->row.cut) {
        if (w->s)
            fsck_leftover(w->f, w->s);
        return false;
    }
    if (row->depth <= b->row.base) {
        fsck_say(w->f, RULE_GAP, at, "its branch begins behind depth %" PRId64, b->row.base);
        return false;
    }
    if (row->depth != b->tip + 1) {
        fsck_say(w->f, RULE_GAP, at, "%" PRId64 " entries are missing before it",
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
        fsck_say(w->f, RULE_MNO, at, "its message number is %" PRId64 ", not %" PRId64, e->mno,
                 mno);
    if (w->no >= 0 && e->no <= w->no)
        fsck_say(w->f, RULE_TIME, at,
                 "its number %" PRId64 " is not larger than %" PRId64 " before it", e->no, w->no);
    if (x->made > w->f->now + DAY_MS)
        fsck_say(w->f, RULE_TIME, at, "it was made in the future");
    w->mno = fsck_range(w->f, at, "its message number", e->mno, 0, LIMIT_DEPTH) ? e->mno : -1;
    w->no = e->no;
}

/* ---- what is derived from it ---- */

static void take_preview(struct fsck *f, const struct bough_entry *e, struct fsck_preview *p,
                         bool first)
{
    const char *text;

    if (p->no && (first ? p->no <= e->no : p->no >= e->no))
        return;
    text =
        text_preview(f->tmp, e->parts, e->nparts, first ? TEXT_FIRST_PREVIEW : TEXT_LAST_PREVIEW);
    if (*text)
        *p = (struct fsck_preview){ e->no, hash_bytes(text, strlen(text)) };
}

static void derive(struct walk *w, const struct entry_row *row, const struct bough_entry *e)
{
    struct fsck_session *s = w->s;

    if (!s || s->purged || e->kind != BOUGH_ENTRY_MESSAGE || row->mask & MASK_OPEN)
        return;
    s->messages += !row->over;
    if (e->role != BOUGH_ROLE_USER && e->role != BOUGH_ROLE_ASSISTANT)
        return;
    if (e->time > s->modified)
        s->modified = e->time;
    if (row->over)
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
    if (!enter(w, row) || !check_place(w, row))
        return true;
    if (!fsck_entry(w->f, row, w->b, &e, &x)) {
        fsck_unread(w->f, row);
        lose_track(w);
        return true;
    }
    fsck_shows(w->f, row, &e, &x);
    check_order(w, row, &e, &x);
    derive(w, row, &e);
    add_up(w, row, &e);
    if (w->f->report->errors == errors)
        fsck_words(w->f, w->b, row, &e);
    else
        w->b->text_doubt = true;
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
