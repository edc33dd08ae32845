/* Open messages of the memory backend: one element per message with its drafts, sorted by (branch,
 * depth). */
#include <string.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "core/pack/pack.h"
#include "store/memory/memory.h"

static int order(const struct open_row *row, int64_t bid, int64_t depth)
{
    if (row->bid != bid)
        return row->bid < bid ? -1 : 1;
    return row->depth < depth ? -1 : row->depth > depth;
}

/* Index of the first element at or after (bid, depth). */
static size_t find(const struct memory *m, int64_t bid, int64_t depth)
{
    size_t lo = 0, hi = m->nopens;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (order(&m->opens[mid].row, bid, depth) < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static struct mem_open *get(struct memory *m, int64_t bid, int64_t depth)
{
    size_t i = find(m, bid, depth);

    return i < m->nopens && order(&m->opens[i].row, bid, depth) == 0 ? &m->opens[i] : NULL;
}

struct mem_open *mem_open(struct memory *m, int64_t bid, int64_t depth)
{
    struct mem_open *o = get(m, bid, depth);

    return o && o->there ? o : NULL;
}

/* Find or insert. fsck's tests put drafts before the open row they belong to. */
static struct mem_open *slot(struct memory *m, int64_t bid, int64_t depth)
{
    struct mem_open *o = get(m, bid, depth);
    size_t i = find(m, bid, depth);

    if (o)
        return o;
    m->opens = mem_grow(m->opens, &m->opens_cap, m->nopens, sizeof *m->opens);
    memmove(&m->opens[i + 1], &m->opens[i], (m->nopens - i) * sizeof *m->opens);
    m->nopens++;
    m->opens[i] = (struct mem_open){ .row = { .bid = bid, .depth = depth } };
    return &m->opens[i];
}

static void free_row(struct mem_open *o)
{
    mem_free((void *)(uintptr_t)o->row.owner);
    mem_free((void *)(uintptr_t)o->row.process);
    mem_free((void *)(uintptr_t)o->row.wanted);
    o->row.owner = o->row.process = o->row.wanted = NULL;
    o->there = false;
}

static void free_drafts(struct mem_open *o)
{
    for (size_t i = 0; i < o->n; i++)
        mem_free((void *)(uintptr_t)o->at[i].body.p);
    mem_free(o->at);
    o->at = NULL;
    o->n = o->cap = 0;
}

/* Remove the element once it has neither an open row nor drafts. */
static void drop_empty(struct memory *m, struct mem_open *o)
{
    size_t i = (size_t)(o - m->opens);

    if (o->there || o->n)
        return;
    free_drafts(o);
    memmove(o, o + 1, (m->nopens - i - 1) * sizeof *o);
    m->nopens--;
}

static char *copy(const char *p, size_t n)
{
    char *out = mem_alloc(n + 1);

    if (n)
        memcpy(out, p, n);
    out[n] = '\0';
    return out;
}

void mem_put_open(struct memory *m, const struct open_row *row)
{
    struct mem_open *o = slot(m, row->bid, row->depth);
    char *owner = copy(row->owner, strlen(row->owner));
    char *process = copy(row->process, strlen(row->process));
    char *wanted = copy(row->wanted, strlen(row->wanted));

    free_row(o);
    o->row = *row;
    o->row.owner = owner;
    o->row.process = process;
    o->row.wanted = wanted;
    o->there = true;
}

void mem_put_draft(struct memory *m, const struct draft_row *row)
{
    struct mem_open *o;
    size_t i;

    mem_del_draft(m, row);
    o = slot(m, row->bid, row->depth);
    i = o->n;
    o->at = mem_grow(o->at, &o->cap, o->n, sizeof *o->at);
    for (; i > 0 && o->at[i - 1].end > row->end; i--)
        o->at[i] = o->at[i - 1];
    o->at[i] = *row;
    o->at[i].body = str_make(copy(row->body.p, row->body.n), row->body.n);
    o->n++;
}

void mem_del_open(struct memory *m, int64_t bid, int64_t depth, bool drafts)
{
    struct mem_open *o = get(m, bid, depth);

    if (!o)
        return;
    free_row(o);
    if (drafts)
        free_drafts(o);
    drop_empty(m, o);
}

void mem_del_draft(struct memory *m, const struct draft_row *row)
{
    struct mem_open *o = get(m, row->bid, row->depth);

    for (size_t i = 0; o && i < o->n; i++) {
        if (o->at[i].end != row->end)
            continue;
        mem_free((void *)(uintptr_t)o->at[i].body.p);
        memmove(&o->at[i], &o->at[i + 1], (o->n - i - 1) * sizeof *o->at);
        o->n--;
        drop_empty(m, o);
        return;
    }
}

void mem_free_opens(struct memory *m)
{
    for (size_t i = 0; i < m->nopens; i++) {
        free_row(&m->opens[i]);
        free_drafts(&m->opens[i]);
    }
    mem_free(m->opens);
}

/* ---- changes ---- */

const char *mem_draft_lost(struct memory *m, const struct change *c)
{
    const struct open_row *row = &c->u.open;
    struct mem_open *o;

    switch (c->op) {
    case CHANGE_ENTRY_SEAL:
        return mem_entry(m, c->u.entry.bid, c->u.entry.depth) ? NULL : "entry";
    case CHANGE_OPEN_ADD:
        return row->bid >= 0 && mem_open(m, row->bid, row->depth) ? "open" : NULL;
    case CHANGE_OPEN_SET:
    case CHANGE_OPEN_DEL:
        o = mem_open(m, row->bid, row->depth);
        return o && o->row.ver == row->ver ? NULL : "open";
    case CHANGE_DRAFT_ADD:
        o = get(m, c->u.draft.bid, c->u.draft.depth);
        for (size_t i = 0; o && i < o->n; i++)
            if (o->at[i].end == c->u.draft.end)
                return "draft";
        return NULL;
    default:
        return NULL;
    }
}

static void seal(struct memory *m, const struct entry_row *row, int64_t call)
{
    struct mem_entry *was = mem_entry(m, row->bid, row->depth);
    struct entry_row sealed = *row;
    struct pack_head h;

    sealed.kind = was->kind;
    sealed.deleted = was->deleted;
    if (call && pack_entry_head(row->body, &h))
        pack_entry_patch((char *)(uintptr_t)row->body.p, h.no, call);
    mem_put_entry(m, &sealed);
}

void mem_draft_apply(struct memory *m, const struct change *c, int64_t bid, int64_t call)
{
    struct open_row row = c->u.open;

    switch (c->op) {
    case CHANGE_ENTRY_SEAL:
        seal(m, &c->u.entry, call);
        break;
    case CHANGE_OPEN_ADD:
        row.bid = bid;
        mem_put_open(m, &row);
        break;
    case CHANGE_OPEN_SET:
        row.ver++;
        row.sid = mem_open(m, row.bid, row.depth)->row.sid;
        mem_put_open(m, &row);
        break;
    case CHANGE_OPEN_DEL:
        mem_del_open(m, row.bid, row.depth, true);
        break;
    default:
        mem_put_draft(m, &c->u.draft);
        break;
    }
}

void mem_purge_opens(struct memory *m, const struct branch_row *b)
{
    size_t i;

    while ((i = find(m, b->bid, b->cut + 1)) < m->nopens && m->opens[i].row.bid == b->bid)
        mem_del_open(m, b->bid, m->opens[i].row.depth, true);
}

/* ---- reading ---- */

enum bough_rc memory_open_scan(struct snapshot *v, int64_t bid, int64_t from, int64_t to,
                               open_fn fn, void *user, struct bough_error *err)
{
    struct memory *m = memory_in(v);

    (void)err;
    for (size_t i = bid ? find(m, bid, from) : 0; i < m->nopens; i++) {
        const struct mem_open *o = &m->opens[i];

        if (bid && (o->row.bid != bid || o->row.depth > to))
            break;
        if (o->there && !fn(user, &o->row))
            break;
    }
    return BOUGH_OK;
}

enum bough_rc memory_draft_scan(struct snapshot *v, int64_t bid, int64_t depth, int64_t after,
                                draft_fn fn, void *user, struct bough_error *err)
{
    const struct mem_open *o = get(memory_in(v), bid, depth);

    (void)err;
    for (size_t i = 0; o && i < o->n; i++)
        if (o->at[i].end > after && !fn(user, &o->at[i]))
            break;
    return BOUGH_OK;
}

void mem_scan_opens(struct memory *m, enum raw_table table, raw_fn fn, void *user)
{
    struct raw_row row = { .table = table };

    for (size_t i = 0; i < m->nopens; i++) {
        row.u.open = m->opens[i].row;
        if (table == RAW_OPEN && m->opens[i].there && !fn(user, &row))
            return;
        for (size_t k = 0; table == RAW_DRAFT && k < m->opens[i].n; k++) {
            row.u.draft = m->opens[i].at[k];
            if (!fn(user, &row))
                return;
        }
    }
}
