/* The memory backend: open, close, snapshots, and the table of operations. */
#include "store/memory/blob.h"
#include "store/memory/seen.h"

#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"

static enum bough_rc memory_open(struct backend **out, const struct backend_config *config,
                                 struct bough_error *err)
{
    struct memory *m = mem_zalloc(sizeof *m);
    pthread_rwlockattr_t attr;

    (void)err;
    m->base.ops = &memory_backend;
    m->env = config->env;
    /* Prefer writers, so that readers cannot starve them. This kind of lock deadlocks when a thread
     * takes a second read lock, so a thread may hold only one snapshot. */
    pthread_rwlockattr_init(&attr);
    pthread_rwlockattr_setkind_np(&attr, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP);
    pthread_rwlock_init(&m->lock, &attr);
    pthread_rwlockattr_destroy(&attr);
    smap_init(&m->slugs);
    smap_init(&m->alias_ids);
    smap_init(&m->key_ids);
    smap_init(&m->blob_ids);
    smap_init(&m->spend_ids);
    smap_init(&m->seen_ids);
    m->sessions = mem_grow(m->sessions, &m->sessions_cap, 0, sizeof *m->sessions);
    m->nsessions = 1; /* slot 0 holds the store's own records */
    m->branches = mem_grow(m->branches, &m->branches_cap, 0, sizeof *m->branches);
    m->nbranches = 1;
    snprintf(m->store_id, sizeof m->store_id, "%016llx%016llx", (unsigned long long)env_u64(m->env),
             (unsigned long long)env_u64(m->env));
    *out = &m->base;
    return BOUGH_OK;
}

static void memory_close(struct backend *b)
{
    struct memory *m = memory_of(b);

    mem_clear_texts(m);
    mem_free(m->texts);
    mem_clear_spends(m);
    mem_free(m->spends);
    smap_finish(&m->spend_ids);
    mem_free(m->seen);
    smap_finish(&m->seen_ids);
    mem_free_rows(m);
    mem_free_opens(m);
    mem_free_blobs(m);
    smap_finish(&m->slugs);
    smap_finish(&m->alias_ids);
    smap_finish(&m->key_ids);
    pthread_rwlock_destroy(&m->lock);
    mem_free(m);
}

static enum bough_rc memory_info(struct backend *b, struct bough_arena *a, struct backend_info *out,
                                 struct bough_error *err)
{
    (void)err;
    *out = (struct backend_info){ .store_id = arena_strdup(a, memory_of(b)->store_id),
                                  .epoch = 1,
                                  .schema = 6 };
    return BOUGH_OK;
}

/* No other process shares the store, and its commits are already serialized. */
static enum bough_rc memory_hold(struct backend *b, const struct deadline *p,
                                 struct bough_error *err)
{
    (void)b;
    (void)p;
    (void)err;
    return BOUGH_OK;
}

static void memory_release(struct backend *b)
{
    (void)b;
}

static void memory_upkeep(struct backend *b, bool last)
{
    (void)b;
    (void)last;
}

/* A snapshot is a read lock, so a commit waits until all snapshots have ended. */
static enum bough_rc memory_snapshot_begin(struct backend *b, struct snapshot **out,
                                           const struct deadline *p, struct bough_error *err)
{
    struct mem_snapshot *v = mem_zalloc(sizeof *v);

    (void)err;
    v->base.backend = b;
    v->m = memory_of(b);
    v->cancel = p->cancel;
    v->until_us = p->until_us;
    pthread_rwlock_rdlock(&v->m->lock);
    *out = &v->base;
    return BOUGH_OK;
}

static void memory_snapshot_end(struct snapshot *v)
{
    if (!v)
        return;
    pthread_rwlock_unlock(&memory_in(v)->lock);
    mem_free(v);
}

static enum bough_rc memory_engine_check(struct snapshot *v, bool full,
                                         void (*found)(void *user, const char *text), void *user,
                                         struct bough_error *err)
{
    (void)v;
    (void)full;
    (void)found;
    (void)user;
    (void)err;
    return BOUGH_OK; /* no storage engine below that could be damaged */
}

const struct backend_ops memory_backend = {
    .scheme = "memory",
    .direct = true,
    .open = memory_open,
    .close = memory_close,
    .info = memory_info,
    .commit = memory_commit,
    .hold = memory_hold,
    .release = memory_release,
    .purge_slice = memory_purge_slice,
    .branch_cut = memory_branch_cut,
    .upkeep = memory_upkeep,
    .snapshot_begin = memory_snapshot_begin,
    .snapshot_end = memory_snapshot_end,
    .session_get = memory_session_get,
    .session_by_slug = memory_session_by_slug,
    .session_made = memory_session_made,
    .session_children = memory_session_children,
    .head_get = memory_head_get,
    .branch_get = memory_branch_get,
    .branch_tip = memory_branch_tip,
    .branch_children = memory_branch_children,
    .branch_of = memory_branch_of,
    .entry_get = memory_entry_get,
    .entry_scan = memory_entry_scan,
    .mark_find = memory_mark_find,
    .mark_scan = memory_mark_scan,
    .open_scan = memory_open_scan,
    .draft_scan = memory_draft_scan,
    .alias_find = memory_alias_find,
    .key_get = memory_key_get,
    .record_get = memory_record_get,
    .record_scan = memory_record_scan,
    .changelog_last = memory_log_last,
    .changelog_get = memory_log_get,
    .changelog_scan = memory_log_scan,
    .watermark = memory_watermark,
    .list_get = memory_list_get,
    .list_scan = memory_list_scan,
    .list_count = memory_list_count,
    .spend_scan = memory_spend_scan,
    .seen_find = memory_seen_find,
    .blob_put = memory_blob_put,
    .blob_seal = memory_blob_seal,
    .blob_sweep = memory_blob_sweep,
    .blob_find = memory_blob_find,
    .chunk_get = memory_chunk_get,
    .link_scan = memory_link_scan,
    .fulltext_mark = memory_text_mark,
    .fulltext_find = memory_text_find,
    .raw_scan = memory_raw_scan,
    .engine_check = memory_engine_check,
    .raw_fix = memory_raw_fix,
    .raw_numbers = memory_raw_numbers,
    .raw_load = memory_raw_load,
    .backup = memory_backup,
    .query = memory_query,
};
