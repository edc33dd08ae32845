/* What requests work with: snapshots, what is remembered between them, states, and building a txn.
 */
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "store/engine.h"

enum { CACHE_MOST = 1 << 17 }; /* entries a map; then it starts again */

static atomic_uint forks;
static pthread_once_t forks_once = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

bool engine_forked(const struct engine *e)
{
    return atomic_load_explicit(&forks, memory_order_relaxed) != e->forks;
}

void cache_init(struct engine *e)
{
    pthread_once(&forks_once, watch_forks);
    e->forks = atomic_load(&forks);
    pthread_rwlock_init(&e->cache_lock, NULL);
    map_init(&e->branches);
    map_init(&e->whos);
    map_init(&e->places);
}

static void free_values(struct map *m)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(m, &pos, NULL, &val))
        mem_free((void *)(uintptr_t)val);
    map_clear(m);
}

void cache_finish(struct engine *e)
{
    free_values(&e->branches);
    free_values(&e->whos);
    free_values(&e->places);
    map_finish(&e->branches);
    map_finish(&e->whos);
    map_finish(&e->places);
    pthread_rwlock_destroy(&e->cache_lock);
}

/* Copy the value out while the lock is held: another thread may start the map again. */
static bool cache_copy(struct engine *e, struct map *m, uint64_t key, void *out, size_t n)
{
    uint64_t val;
    bool found;

    pthread_rwlock_rdlock(&e->cache_lock);
    found = map_get(m, key, &val);
    if (found)
        memcpy(out, (void *)(uintptr_t)val, n);
    pthread_rwlock_unlock(&e->cache_lock);
    return found;
}

static void cache_put(struct engine *e, struct map *m, uint64_t key, const void *from, size_t n)
{
    uint64_t old;
    void *copy = mem_alloc(n);

    memcpy(copy, from, n);
    pthread_rwlock_wrlock(&e->cache_lock);
    if (map_count(m) >= CACHE_MOST)
        free_values(m);
    if (map_get(m, key, &old))
        mem_free((void *)(uintptr_t)old);
    map_put(m, key, (uint64_t)(uintptr_t)copy);
    pthread_rwlock_unlock(&e->cache_lock);
}

bool cache_who(struct engine *e, int64_t sid, struct who *out)
{
    return cache_copy(e, &e->whos, (uint64_t)sid, out, sizeof *out);
}

enum bough_rc snap_who(struct snap *snap, int64_t sid, struct who *out, struct bough_error *err)
{
    struct bough_arena *tmp;
    struct session_row row;
    enum bough_rc rc;

    if (cache_who(snap->e, sid, out))
        return BOUGH_OK;
    tmp = bough_arena_create();
    rc = snap->ops->session_get(snap->v, tmp, sid, &row, err);
    if (!rc) {
        /* Every way up ends only because parents are older; fsck tells of those that are not. */
        *out = (struct who){ sid, row.made, row.chk, row.parent < sid ? row.parent : 0, row.kind };
        cache_put(snap->e, &snap->e->whos, (uint64_t)sid, out, sizeof *out);
    }
    bough_arena_destroy(tmp);
    return rc;
}

enum bough_rc snap_purged(struct snap *snap, int64_t sid, bool *purged, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct session_row row;
    enum bough_rc rc = snap->ops->session_get(snap->v, tmp, sid, &row, err);

    *purged = rc == BOUGH_NOT_FOUND || (!rc && row.purged);
    bough_arena_destroy(tmp);
    return rc == BOUGH_NOT_FOUND ? BOUGH_OK : rc;
}

enum bough_rc snap_branch(struct snap *snap, int64_t bid, struct branch_row *out,
                          struct bough_error *err)
{
    enum bough_rc rc;

    if (cache_copy(snap->e, &snap->e->branches, (uint64_t)bid, out, sizeof *out))
        return BOUGH_OK;
    rc = snap->ops->branch_get(snap->v, bid, out, err);
    if (!rc && out->parent >= bid) /* every way down a path ends only because parents are older */
        rc = bough_fail(err, BOUGH_CORRUPT, "branch %lld hangs on branch %lld, which is no older",
                        (long long)bid, (long long)out->parent);
    if (!rc)
        cache_put(snap->e, &snap->e->branches, (uint64_t)bid, out, sizeof *out);
    return rc;
}

enum bough_rc snap_place(struct snap *snap, struct bough_arena *a, enum record_kind kind,
                         int64_t ord, const char **name, struct bough_error *err)
{
    uint64_t key = (uint64_t)kind << 32 | (uint64_t)ord, val;
    struct place_body body;
    struct record_row row;
    enum bough_rc rc;

    *name = "";
    if (!ord)
        return BOUGH_OK;
    pthread_rwlock_rdlock(&snap->e->cache_lock);
    if (map_get(&snap->e->places, key, &val))
        *name = arena_strdup(a, (const char *)(uintptr_t)val);
    pthread_rwlock_unlock(&snap->e->cache_lock);
    if (**name)
        return BOUGH_OK;
    rc = snap->ops->record_get(snap->v, a, 0, kind, ord, &row, err);
    if (!rc)
        rc = body_read(place_fields, row.body, &body, err);
    if (rc)
        return rc;
    *name = body.name;
    cache_put(snap->e, &snap->e->places, key, body.name, strlen(body.name) + 1);
    return BOUGH_OK;
}

/* ---- snapshots ---- */

struct patience store_patience(const struct bough_store *s)
{
    return (struct patience){ mono_us() + s->deadline_ms * 1000, s->cancel };
}

enum bough_rc snap_begin_engine(struct engine *e, const struct patience *p, struct snap *snap,
                                struct bough_error *err)
{
    *snap = (struct snap){ e, e->ops, NULL };
    if (engine_forked(e))
        return bough_fail(err, BOUGH_INVALID,
                          "a store cannot be used across fork(): open it again");
    if (p->cancel && __atomic_load_n(p->cancel, __ATOMIC_RELAXED))
        return bough_fail(err, BOUGH_TIMEOUT, "cancelled");
    return e->ops->view_begin(e->backend, &snap->v, p, err);
}

enum bough_rc snap_begin(struct bough_store *s, struct snap *snap, struct bough_error *err)
{
    struct patience p = store_patience(s);

    return snap_begin_engine(s->e, &p, snap, err);
}

void snap_end(struct snap *snap)
{
    if (snap->v)
        snap->ops->view_end(snap->v);
    snap->v = NULL;
}

enum bough_rc prep_snap(struct prep *p, struct snap **out, struct bough_error *err)
{
    *out = &p->snap;
    if (p->snap.v)
        return BOUGH_OK;
    return snap_begin_engine(p->e, &p->patience, &p->snap, err);
}

/* ---- states: the writer's role only ---- */

struct state *state_get(struct engine *e, int64_t sid)
{
    struct state *st;
    uint64_t val;

    if (map_get(&e->states, (uint64_t)sid, &val))
        return (struct state *)(uintptr_t)val;
    if (map_count(&e->states) >= 1 << 16)
        state_drop_all(e);
    st = mem_zalloc(sizeof *st);
    map_put(&e->states, (uint64_t)sid, (uint64_t)(uintptr_t)st);
    return st;
}

void state_drop(struct engine *e, int64_t sid)
{
    uint64_t val;

    if (map_get(&e->states, (uint64_t)sid, &val))
        ((struct state *)(uintptr_t)val)->valid = false;
}

void state_drop_all(struct engine *e)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&e->states, &pos, NULL, &val))
        mem_free((void *)(uintptr_t)val);
    map_clear(&e->states);
}

/* ---- building a txn ---- */

struct change *txn_change(struct prep *p, enum change_op op)
{
    size_t n = p->t->nchanges;
    struct change *c;

    /* Room grows by doubling: full when the count is a power of two from 4 on, or zero. */
    if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
        c = arena_alloc(p->a, (n ? 2 * n : 4) * sizeof *c);
        if (n)
            memcpy(c, p->t->changes, n * sizeof *c);
        p->t->changes = c;
    }
    c = &p->t->changes[p->t->nchanges++];
    memset(c, 0, sizeof *c);
    c->op = op;
    return c;
}

void txn_guard(struct prep *p, enum guard_op op, int64_t sid, int64_t a, int64_t b)
{
    struct guard *g = arena_alloc(p->a, (p->t->nguards + 1) * sizeof *g);

    if (p->t->nguards)
        memcpy(g, p->t->guards, p->t->nguards * sizeof *g);
    g[p->t->nguards] = (struct guard){ op, sid, a, b };
    p->t->guards = g;
    p->t->nguards++;
}

void txn_log(struct prep *p, enum log_kind kind, int64_t sid, int64_t n)
{
    p->t->log = (struct log_row){ .n = n, .sid = sid, .kind = kind, .time = p->now };
}
