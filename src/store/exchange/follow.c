/* How far a request agrees with what follows an entry. Branches are read in pages, as far as they
 * agree. */
#include <string.h>

#include "base/text/str.h"
#include "store/exchange/exchange.h"
#include "store/lookup/find.h"

enum {
    PAGE = 32,       /* entries of a branch that are read at once */
    CHILDREN = 64,   /* branches at one place that are tried, the newest first */
    TURNS = 1 << 16, /* pages in a row: more is damage */
};

struct following {
    struct snap *snap;
    struct bough_arena *a;
    const struct sent *sent;
    int64_t sid;
    struct where *w;
    bool goes_on;
    struct bough_error *err;
};

/* A run of entries behind a place. */
struct run {
    struct bough_head from; /* its first slot */
    struct history h;
    bool more;        /* the branch goes on behind it */
    int64_t break_at; /* depth of the first deleted or open message, or marker of a compaction */
};

/* ---- reading ---- */

struct reading {
    struct following *f;
    int64_t sid;
    struct entry_list list;
    int64_t break_at;
    enum bough_rc rc;
};

static bool each_entry(void *user, const struct entry_row *row)
{
    struct reading *r = user;
    struct bough_entry *e = entry_push(&r->list);

    r->rc = entry_fill(r->f->snap, r->f->a, row, r->sid, "", e, r->f->err);
    if (!r->rc && (row->deleted || e->open || e->kind == BOUGH_ENTRY_COMPACTION))
        r->break_at = r->break_at ? r->break_at : row->depth;
    r->list.n -= !r->rc && (row->deleted || e->kind == BOUGH_ENTRY_COMPACTION);
    return !r->rc && r->list.n <= PAGE;
}

/* Read the messages of a branch from a depth on: at most PAGE. */
static enum bough_rc read_run(struct following *f, struct bough_head from, struct run *out)
{
    struct reading r = { .f = f, .list = { .a = f->a } };
    struct entry_range range = { .bid = from.branch,
                                 .from = from.depth,
                                 .to = INT64_C(0xffffffff),
                                 .deleted = true,
                                 .kinds = 1 << BOUGH_ENTRY_MESSAGE | 1 << BOUGH_ENTRY_COMPACTION };
    struct branch_row b;
    enum bough_rc rc = snap_branch(f->snap, from.branch, &b, f->err);

    if (rc)
        return rc;
    r.sid = b.sid;
    rc = f->snap->ops->entry_scan(f->snap->v, &range, each_entry, &r, f->err);
    rc = rc ? rc : r.rc;
    *out = (struct run){ .from = from, .more = r.list.n > PAGE, .break_at = r.break_at };
    out->h.entries = r.list.at;
    out->h.n = out->more ? PAGE : r.list.n;
    history_units(f->a, &out->h, true);
    return rc;
}

/* ---- places that follow ---- */

struct places {
    struct following *f;
    struct bough_head at[CHILDREN];
    size_t n;
};

/* Branches of the session, newest last. */
static bool each_branch(void *user, const struct branch_row *b)
{
    struct places *p = user;

    if (b->sid != p->f->sid || b->cut >= 0)
        return true;
    if (p->n == CHILDREN) {
        memmove(p->at, p->at + 1, (CHILDREN - 1) * sizeof *p->at);
        p->n--;
    }
    p->at[p->n++] = (struct bough_head){ b->bid, b->base + 1 };
    return true;
}

static bool each_root(void *user, const struct branch_row *b)
{
    return b->parent ? true : each_branch(user, b);
}

/* Where something may follow the place: on its own branch, and on branches that hang on it. */
static enum bough_rc places_behind(struct following *f, struct bough_head at, struct places *out)
{
    struct bough_head next = { at.branch, at.depth + 1 };
    struct branch_row b;
    bool visible = false;
    enum bough_rc rc;

    *out = (struct places){ .f = f };
    if (!at.branch)
        return f->snap->ops->branch_of(f->snap->v, f->sid, each_root, out, f->err);
    rc = f->snap->ops->branch_children(f->snap->v, at.branch, at.depth, at.depth, each_branch, out,
                                       f->err);
    if (!rc)
        rc = snap_branch(f->snap, at.branch, &b, f->err);
    if (!rc && b.sid != f->sid) /* inherited: only as far as this session shows it */
        rc = entry_visible(f->snap, f->sid, next, &visible, f->err);
    if (!rc && (b.sid == f->sid || visible) && out->n < CHILDREN)
        out->at[out->n++] = next;
    return rc;
}

/* ---- following ---- */

static bool has_units(const struct run *run)
{
    for (size_t i = 0; i < run->h.n; i++)
        if (!units_none(&run->h.units, i))
            return true;
    return false;
}

/* Take over what agrees with a run. */
static void take(struct following *f, const struct run *run, const struct aligned *m)
{
    struct where *w = f->w;

    w->units = m->sent;
    if (m->messages)
        w->at = run->h.entries[m->messages - 1].at;
    w->exact = w->exact && (!run->break_at || w->at.depth < run->break_at);
    for (size_t i = 0; i < m->messages; i++)
        if (run->h.entries[i].role == BOUGH_ROLE_ASSISTANT && *run->h.entries[i].call)
            w->reply = run->h.entries[i].at;
    where_differs(f->a, w, m->variants, m->nvariants, run->h.entries);
}

void where_differs(struct bough_arena *a, struct where *w, const struct variant *v, size_t n,
                   const struct bough_entry *messages)
{
    struct differs *all;

    if (!n)
        return;
    all = arena_array(a, w->ndiffers + n, sizeof *all);
    if (w->ndiffers)
        memcpy(all, w->differs, w->ndiffers * sizeof *all);
    for (size_t i = 0; i < n; i++) {
        all[w->ndiffers + i] =
            (struct differs){ v[i].what, v[i].sent, arena_strdup(a, messages[v[i].message].id),
                              v[i].part };
        w->exact = w->exact && (v[i].what == VARIANT_ARGUMENTS || v[i].what == VARIANT_RESULT);
    }
    w->differs = all;
    w->ndiffers += n;
}

/* The run that agrees furthest; of equal ones the newest branch. */
static enum bough_rc step(struct following *f, bool *moved)
{
    struct aligned best = { 0 };
    struct run run, best_run = { .more = false };
    struct places p;
    bool found = false;
    enum bough_rc rc = places_behind(f, f->w->at, &p);

    *moved = false;
    f->goes_on = false;
    for (size_t i = p.n; i-- > 0 && !rc;) {
        struct aligned m;

        rc = read_run(f, p.at[i], &run);
        if (rc)
            return rc;
        f->goes_on = f->goes_on || has_units(&run);
        m = units_align(&f->sent->h.units, f->w->units, &run.h.units, 0);
        if (!m.messages || (found && m.sent <= best.sent))
            continue;
        found = true;
        best = m;
        best_run = run;
    }
    if (rc || !found)
        return rc;
    take(f, &best_run, &best);
    *moved = true;
    return BOUGH_OK;
}

enum bough_rc where_follow(struct snap *snap, struct bough_arena *a, const struct sent *sent,
                           int64_t sid, struct where *w, bool *goes_on, struct bough_error *err)
{
    struct following f = { .snap = snap, .a = a, .sent = sent, .sid = sid, .w = w, .err = err };
    bool moved = true;
    enum bough_rc rc = BOUGH_OK;

    for (int i = 0; i < TURNS && moved && !rc; i++)
        rc = step(&f, &moved);
    *goes_on = f.goes_on;
    return rc;
}
