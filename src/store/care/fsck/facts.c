/* fsck: the facts that the passes have collected so far, and how later passes look them up. */
#include <string.h>

#include "base/memory/mem.h"
#include "store/care/fsck/fsck.h"

struct fsck_session *fsck_session_of(const struct fsck *f, int64_t sid)
{
    uint64_t i;

    return map_get(&f->by_sid, (uint64_t)sid, &i) ? &f->sessions[i] : NULL;
}

struct fsck_branch *fsck_branch_of(const struct fsck *f, int64_t bid)
{
    uint64_t i;

    return map_get(&f->by_bid, (uint64_t)bid, &i) ? &f->branches[i] : NULL;
}

const struct fsck_call *fsck_call_of(const struct fsck *f, int64_t sid, int64_t ord)
{
    uint64_t run;
    size_t lo, hi;

    if (ord < 1 || !map_get(&f->calls_of, (uint64_t)sid, &run))
        return NULL;
    lo = (size_t)(run >> 32);
    hi = lo + (size_t)(run & UINT32_MAX);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (f->calls[mid].ord < ord)
            lo = mid + 1;
        else
            hi = mid;
    }
    hi = (size_t)(run >> 32) + (size_t)(run & UINT32_MAX);
    return lo < hi && f->calls[lo].ord == ord ? &f->calls[lo] : NULL;
}

const struct fsck_group *fsck_group_of(const struct fsck *f, int64_t kind, int64_t ord)
{
    uint64_t p;

    return map_get(&f->groups, (uint64_t)kind << 32 | (uint64_t)ord, &p)
               ? (const struct fsck_group *)(uintptr_t)p
               : NULL;
}

struct fsck_open *fsck_open_of(const struct fsck *f, int64_t bid, int64_t depth)
{
    for (size_t i = 0; i < f->nopens; i++)
        if (f->opens[i].bid == bid && f->opens[i].depth == depth)
            return &f->opens[i];
    return NULL;
}

bool fsck_entry_there(const struct fsck *f, int64_t bid, int64_t depth)
{
    const struct fsck_branch *b = fsck_branch_of(f, bid);

    return b && depth > b->row.base && depth <= b->tip;
}

/* Walk from a branch towards the root. `hangs` guarantees that the parent exists and has a smaller
 * number, so the walk ends. */
static bool runs_through(const struct fsck *f, const struct fsck_branch *b, int64_t bid,
                         int64_t depth)
{
    while (b && b->row.bid != bid && b->hangs && b->row.base >= depth)
        b = fsck_branch_of(f, b->row.parent);
    return b && b->row.bid == bid;
}

bool fsck_visible(const struct fsck *f, const struct fsck_session *s, int64_t bid, int64_t depth)
{
    for (size_t i = s->first; i; i = f->branches[i - 1].next)
        if (runs_through(f, &f->branches[i - 1], bid, depth))
            return true;
    return false;
}

void fsck_leftover(struct fsck *f, struct fsck_session *s)
{
    if (!s->leftover)
        fsck_report(f, RULE_PURGE, at_session(s->sid), "its purge has not been finished");
    s->leftover = true;
}

void *fsck_push(void *at, size_t *n, size_t *cap, size_t size)
{
    if (*n == *cap) {
        *cap = *cap ? 2 * *cap : 64;
        at = mem_realloc(at, mem_array(*cap, size));
    }
    memset((char *)at + *n * size, 0, size);
    ++*n;
    return at;
}
