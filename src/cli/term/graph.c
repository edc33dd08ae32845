/*
 * Drawing branches. A branch goes straight down in its lane. A branch that hangs on one of its
 * entries is drawn completely, one lane to the right, before the first one continues. The last
 * branch on a tip continues in the same lane. Uses a stack of frames, not recursion: nesting is
 * unlimited.
 */
#include "cli/term/graph.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/map.h"

enum { MOST_LANES = 24 };

struct frame {
    size_t branch;     /* index in branches */
    int64_t depth;     /* of the last entry drawn */
    size_t kid, extra; /* cursors: next child and next extra on that entry */
    size_t lane;
};

struct drawing {
    const struct graph *g;
    struct bough_head *points; /* sorted by branch and depth */
    size_t npoints;
    size_t *kids;   /* indexes of branches, sorted by base */
    size_t *extras; /* indexes of extras, sorted by position */
    struct map index;
    char prefix[2 * MOST_LANES + 8];
    bool (*row)(void *user, const struct graph_row *row);
    void *user;
    bool stop;
};

static int by_place(struct bough_head a, struct bough_head b)
{
    if (a.branch != b.branch)
        return a.branch < b.branch ? -1 : 1;
    return (a.depth > b.depth) - (a.depth < b.depth);
}

static int compare_points(const void *x, const void *y)
{
    return by_place(*(const struct bough_head *)x, *(const struct bough_head *)y);
}

static int compare_kids(const void *x, const void *y, void *user)
{
    const struct graph *g = user;
    size_t a = *(const size_t *)x, b = *(const size_t *)y;
    int c = by_place(g->branches[a].base, g->branches[b].base);

    return c ? c : (a > b) - (a < b);
}

static int compare_extras(const void *x, const void *y, void *user)
{
    const struct graph *g = user;
    size_t a = *(const size_t *)x, b = *(const size_t *)y;
    int c = by_place(g->extras[a], g->extras[b]);

    return c ? c : (a > b) - (a < b);
}

static bool known(const struct drawing *d, int64_t branch, size_t *index)
{
    uint64_t v = 0;
    bool yes = map_get(&d->index, (uint64_t)branch, &v);

    *index = (size_t)v;
    return yes;
}

static void add_point(struct drawing *d, struct bough_head at)
{
    size_t i;

    if (known(d, at.branch, &i) && at.depth > d->g->branches[i].base.depth &&
        at.depth <= d->g->branches[i].to)
        d->points[d->npoints++] = at;
}

static void prepare(struct drawing *d, struct bough_arena *a)
{
    const struct graph *g = d->g;

    d->points = arena_array(a, 3 * g->n + g->npoints + g->nextras + 1, sizeof *d->points);
    d->kids = arena_array(a, g->n + 1, sizeof *d->kids);
    d->extras = arena_array(a, g->nextras + 1, sizeof *d->extras);
    for (size_t i = 0; i < g->n; i++)
        map_put(&d->index, (uint64_t)g->branches[i].number, i);
    for (size_t i = 0; i < g->n; i++) {
        const struct graph_branch *b = &g->branches[i];

        d->kids[i] = i;
        add_point(d, (struct bough_head){ b->number, b->base.depth + 1 });
        add_point(d, (struct bough_head){ b->number, b->to });
        if (b->to > b->base.depth)
            add_point(d, b->base);
    }
    for (size_t i = 0; i < g->npoints; i++)
        add_point(d, g->points[i]);
    for (size_t i = 0; i < g->nextras; i++) {
        d->extras[i] = i;
        add_point(d, g->extras[i]);
    }
    if (d->npoints)
        qsort(d->points, d->npoints, sizeof *d->points, compare_points);
    qsort_r(d->kids, g->n, sizeof *d->kids, compare_kids, (void *)g);
    qsort_r(d->extras, g->nextras, sizeof *d->extras, compare_extras, (void *)g);
}

/* The depth of the next entry to draw after `depth`; 0 at the end of the branch. */
static int64_t next_point(const struct drawing *d, const struct graph_branch *b, int64_t depth)
{
    size_t lo = 0, hi = d->npoints;
    struct bough_head want = { b->number, depth + 1 };

    if (depth >= b->to)
        return 0;
    if (d->g->all)
        return depth + 1;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (by_place(d->points[mid], want) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    /* `to` is always a point, so one is found. A gap of one entry is drawn instead of "1 more". */
    return d->points[lo].depth == depth + 2 ? depth + 1 : d->points[lo].depth;
}

/* The index of the first sorted child whose base is at or after `at`. */
static size_t first_kid(const struct drawing *d, struct bough_head at)
{
    size_t lo = 0, hi = d->g->n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (by_place(d->g->branches[d->kids[mid]].base, at) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static size_t first_extra(const struct drawing *d, struct bough_head at)
{
    size_t lo = 0, hi = d->g->nextras;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (by_place(d->g->extras[d->extras[mid]], at) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

/* The child at the frame's cursor, or NULL. Skips branches without an entry to draw. */
static const struct graph_branch *kid_at(const struct drawing *d, struct frame *f,
                                         struct bough_head at)
{
    for (; f->kid < d->g->n; f->kid++) {
        const struct graph_branch *b = &d->g->branches[d->kids[f->kid]];

        if (by_place(b->base, at) != 0)
            return NULL;
        if (b->to > b->base.depth)
            return b;
    }
    return NULL;
}

static void emit(struct drawing *d, size_t lane, const char *mark, struct graph_row row)
{
    size_t n = lane < MOST_LANES ? lane : MOST_LANES;

    for (size_t i = 0; i < n; i++)
        memcpy(d->prefix + 2 * i, "| ", 2);
    memcpy(d->prefix + 2 * n, mark, strlen(mark) + 1);
    row.prefix = d->prefix;
    d->stop = d->stop || !d->row(d->user, &row);
}

static void begin_entry(struct drawing *d, struct frame *f, int64_t depth)
{
    const struct graph_branch *b = &d->g->branches[f->branch];
    struct bough_head at = { b->number, depth };

    if (depth > f->depth + 1)
        emit(d, f->lane, ": ",
             (struct graph_row){ .what = GRAPH_SKIP, .at = at, .n = depth - f->depth - 1 });
    emit(d, f->lane, "* ", (struct graph_row){ .what = GRAPH_ENTRY, .at = at });
    f->depth = depth;
    f->kid = first_kid(d, at);
    f->extra = first_extra(d, at);
}

static void draw_extras(struct drawing *d, struct frame *f, struct bough_head at)
{
    const struct graph_branch *b = &d->g->branches[f->branch];
    bool goes_on = f->depth < b->to || kid_at(d, f, at);

    for (; f->extra < d->g->nextras; f->extra++) {
        size_t i = d->extras[f->extra];

        if (by_place(d->g->extras[i], at) != 0)
            break;
        emit(d, f->lane, goes_on ? "|\\" : " \\",
             (struct graph_row){ .what = GRAPH_OPEN, .at = at });
        emit(d, f->lane, goes_on ? "| o " : "  o ",
             (struct graph_row){ .what = GRAPH_EXTRA, .at = at, .n = (int64_t)i });
    }
}

/* Advance the topmost frame by one step. Returns the new number of frames. */
static size_t step(struct drawing *d, struct frame *stack, size_t n)
{
    struct frame *f = &stack[n - 1];
    const struct graph_branch *b = &d->g->branches[f->branch], *kid;
    struct bough_head at = { b->number, f->depth };
    int64_t next;

    kid = f->depth > b->base.depth ? kid_at(d, f, at) : NULL;
    if (kid) {
        struct frame *child = f + 1;
        size_t index = d->kids[f->kid++];
        bool last = f->depth == b->to && !kid_at(d, f, at);

        if (last)
            child = f; /* continues in the same lane */
        else
            emit(d, f->lane, "|\\", (struct graph_row){ .what = GRAPH_OPEN, .at = at });
        *child = (struct frame){ .branch = index,
                                 .depth = kid->base.depth,
                                 .lane = f->lane + (last ? 0 : 1) };
        return last ? n : n + 1;
    }
    next = next_point(d, b, f->depth);
    if (!next)
        return n - 1;
    begin_entry(d, f, next);
    at.depth = next;
    draw_extras(d, f, at);
    return n;
}

void graph_draw(struct bough_arena *a, const struct graph *g,
                bool (*row)(void *user, const struct graph_row *row), void *user)
{
    struct drawing d = { .g = g, .row = row, .user = user };
    struct frame *stack = arena_array(a, g->n + 2, sizeof *stack);

    map_init(&d.index);
    prepare(&d, a);
    for (size_t i = 0; i < g->n && !d.stop; i++) {
        const struct graph_branch *b = &g->branches[i];
        size_t n = 1, above;

        if (b->to <= b->base.depth || known(&d, b->base.branch, &above))
            continue; /* nothing to draw, or drawn as a child */
        stack[0] = (struct frame){ .branch = i, .depth = b->base.depth };
        while (n && !d.stop)
            n = step(&d, stack, n);
    }
    map_finish(&d.index);
}
