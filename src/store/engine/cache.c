/* Cached rows that never change: branches, identities of sessions, names of groups. */
#include <string.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "store/engine/engine.h"

enum { CACHE_MOST = 1 << 17 }; /* rows in a map; a full map is emptied */

void cache_init(struct engine *e)
{
    pthread_rwlock_init(&e->cache.lock, NULL);
    map_init(&e->cache.branches);
    map_init(&e->cache.identities);
    map_init(&e->cache.groups);
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
    free_values(&e->cache.branches);
    free_values(&e->cache.identities);
    free_values(&e->cache.groups);
    map_finish(&e->cache.branches);
    map_finish(&e->cache.identities);
    map_finish(&e->cache.groups);
    pthread_rwlock_destroy(&e->cache.lock);
}

/* Copy the value out while the lock is held: another thread may start the map again. */
static bool cache_copy(struct engine *e, struct map *m, uint64_t key, void *out, size_t n)
{
    uint64_t val;
    bool found;

    pthread_rwlock_rdlock(&e->cache.lock);
    found = map_get(m, key, &val);
    if (found)
        memcpy(out, (void *)(uintptr_t)val, n);
    pthread_rwlock_unlock(&e->cache.lock);
    return found;
}

static void cache_put(struct engine *e, struct map *m, uint64_t key, const void *from, size_t n)
{
    uint64_t old;
    void *copy = mem_alloc(n);

    memcpy(copy, from, n);
    pthread_rwlock_wrlock(&e->cache.lock);
    if (map_count(m) >= CACHE_MOST)
        free_values(m);
    if (map_get(m, key, &old))
        mem_free((void *)(uintptr_t)old);
    map_put(m, key, (uint64_t)(uintptr_t)copy);
    pthread_rwlock_unlock(&e->cache.lock);
}

bool cache_identity(struct engine *e, int64_t sid, struct identity *out)
{
    return cache_copy(e, &e->cache.identities, (uint64_t)sid, out, sizeof *out);
}

enum bough_rc snap_identity(struct snap *snap, int64_t sid, struct identity *out,
                            struct bough_error *err)
{
    struct bough_arena *tmp;
    struct session_row row;
    enum bough_rc rc;

    if (cache_identity(snap->e, sid, out))
        return BOUGH_OK;
    tmp = bough_arena_create();
    rc = snap->ops->session_get(snap->v, tmp, sid, &row, err);
    if (!rc) {
        /* Every way up ends only because parents are older; fsck tells of those that are not. */
        *out = (struct identity){ sid, row.made, row.chk, row.parent < sid ? row.parent : 0,
                                  row.kind };
        cache_put(snap->e, &snap->e->cache.identities, (uint64_t)sid, out, sizeof *out);
    }
    bough_arena_destroy(tmp);
    return rc;
}

enum bough_rc snap_branch(struct snap *snap, int64_t bid, struct branch_row *out,
                          struct bough_error *err)
{
    enum bough_rc rc;

    if (cache_copy(snap->e, &snap->e->cache.branches, (uint64_t)bid, out, sizeof *out))
        return BOUGH_OK;
    rc = snap->ops->branch_get(snap->v, bid, out, err);
    if (!rc && out->parent >= bid) /* every way down a path ends only because parents are older */
        rc = bough_fail(err, BOUGH_CORRUPT, "branch %lld has the parent %lld, which is not older",
                        (long long)bid, (long long)out->parent);
    if (!rc)
        cache_put(snap->e, &snap->e->cache.branches, (uint64_t)bid, out, sizeof *out);
    return rc;
}

enum bough_rc snap_group(struct snap *snap, struct bough_arena *a, enum record_kind kind,
                         int64_t ord, const char **name, struct bough_error *err)
{
    uint64_t key = (uint64_t)kind << 32 | (uint64_t)ord, val;
    struct group_body body;
    struct record_row row;
    enum bough_rc rc;

    *name = "";
    if (!ord)
        return BOUGH_OK;
    pthread_rwlock_rdlock(&snap->e->cache.lock);
    if (map_get(&snap->e->cache.groups, key, &val))
        *name = arena_strdup(a, (const char *)(uintptr_t)val);
    pthread_rwlock_unlock(&snap->e->cache.lock);
    if (**name)
        return BOUGH_OK;
    rc = snap->ops->record_get(snap->v, a, 0, kind, ord, &row, err);
    if (!rc)
        rc = body_read(group_fields, row.body, &body, err);
    if (rc)
        return rc;
    *name = body.name;
    cache_put(snap->e, &snap->e->cache.groups, key, body.name, strlen(body.name) + 1);
    return BOUGH_OK;
}
