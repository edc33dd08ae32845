/* fsck: runs its passes over one snapshot, and keeps what they look up. */
#include "store/fsck/fsck.h"

#include <string.h>

#include "base/mem.h"

/* ---- looking up ---- */

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

const struct fsck_place *fsck_place_of(const struct fsck *f, int64_t kind, int64_t ord)
{
    uint64_t p;

    return map_get(&f->places, (uint64_t)kind << 32 | (uint64_t)ord, &p)
               ? (const struct fsck_place *)(uintptr_t)p
               : NULL;
}

bool fsck_entry_there(const struct fsck *f, int64_t bid, int64_t depth)
{
    const struct fsck_branch *b = fsck_branch_of(f, bid);

    return b && depth > b->row.base && depth <= b->tip;
}

/* Down from one branch towards the root; `hangs` says that the parent is there, and older. */
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
        fsck_say(f, RULE_PURGE, at_session(s->sid), "its purge has not been finished");
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

/* ---- the run ---- */

static void engine_says(void *user, const char *text)
{
    fsck_say(user, RULE_ENGINE, at_engine(), "%s", text);
}

/* The passes in their order: rows first, then how they hang together, then what is derived. */
static const struct pass {
    enum bough_rc (*run)(struct fsck *f);
    bool full, quick; /* at which levels */
} rows[] = {
    { fsck_sessions, true, true }, { fsck_branches, true, true }, { fsck_records, true, false },
    { fsck_blobs, true, false },   { fsck_opens, true, false },   { fsck_entries, true, false },
    { fsck_tips, false, true },    { fsck_links, true, false },
}, rest[] = {
    { fsck_names, true, false }, { fsck_log, true, true },        { fsck_locate, true, false },
    { fsck_lists, true, true },  { fsck_documents, true, false },
};

static enum bough_rc run_passes(struct fsck *f, const struct pass *at, size_t n)
{
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < n && !rc; i++)
        if (f->level >= BOUGH_FSCK_FULL ? at[i].full : at[i].quick)
            rc = at[i].run(f);
    return rc;
}

static enum bough_rc run(struct fsck *f)
{
    bool full = f->level >= BOUGH_FSCK_FULL;
    enum bough_rc rc = f->ops->engine_check(f->v, full, engine_says, f, f->err);

    if (!rc)
        rc = f->ops->watermark(f->v, &f->watermark, f->err);
    if (!rc)
        rc = f->ops->text_mark(f->v, &f->text_mark, f->err);
    if (!rc)
        rc = run_passes(f, rows, sizeof rows / sizeof *rows);
    if (rc)
        return rc;
    fsck_unmet(f);
    fsck_relations(f);
    return run_passes(f, rest, sizeof rest / sizeof *rest);
}

static void begin(struct fsck *f)
{
    map_init(&f->by_sid);
    map_init(&f->by_bid);
    map_init(&f->calls_of);
    map_init(&f->places);
    smap_init(&f->slugs);
    map_init(&f->by_bno);
    smap_init(&f->by_hash);
    map_init(&f->shown);
    map_init(&f->unread);
    f->keep = bough_arena_create();
    f->tmp = bough_arena_create();
}

static void end(struct fsck *f)
{
    map_finish(&f->by_sid);
    map_finish(&f->by_bid);
    map_finish(&f->calls_of);
    map_finish(&f->places);
    smap_finish(&f->slugs);
    map_finish(&f->by_bno);
    smap_finish(&f->by_hash);
    map_finish(&f->shown);
    map_finish(&f->unread);
    mem_free(f->blobs);
    mem_free(f->sessions);
    mem_free(f->branches);
    mem_free(f->calls);
    mem_free(f->notes);
    mem_free(f->keys);
    mem_free(f->opens);
    bough_arena_destroy(f->keep);
    bough_arena_destroy(f->tmp);
}

enum bough_rc bough_store_fsck(struct bough_store *s, enum bough_fsck_level level,
                               void (*found)(void *user, const struct bough_finding *f), void *user,
                               struct bough_fsck_report *report, struct bough_error *err)
{
    struct bough_fsck_report nobody = { 0 };
    struct bough_error why = { 0 };
    struct fsck f = { .level = level, .found = found, .user = user, .err = &why };
    struct snap snap;
    enum bough_rc rc;

    f.report = report ? report : &nobody;
    *f.report = (struct bough_fsck_report){ 0 };
    rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    f.ops = snap.ops;
    f.v = snap.v;
    f.now = env_now(&s->e->env);
    begin(&f);
    rc = run(&f);
    if (rc == BOUGH_CORRUPT) { /* a table cannot be read to its end: that is an answer, too */
        fsck_say(&f, RULE_ENGINE, at_engine(), "%.180s", why.msg);
        rc = BOUGH_OK;
    }
    end(&f);
    if (rc && err)
        *err = why;
    snap_end(&snap);
    return rc;
}
