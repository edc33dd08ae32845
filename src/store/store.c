/* The store handle: open, close, scope, info. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/os/fork_guard.h"
#include "base/required.h"
#include "base/reserved.h"
#include "base/text/str.h"
#include "store/engine/engine.h"
#include "store/live/live.h"
#include "store/lookup/blob.h"
#include "store/notes/state.h"
#include "store/project/fulltext.h"
#include "store/project/projector.h"
#include "store/project/rebuild.h"
#include "store/sessions/purge.h"
#include "store/sqlite/sqlite.h"
#include "store/thread.h"

static void engine_destroy(struct engine *e)
{
    cache_finish(e);
    smap_finish(&e->uploads);
    mem_free(e);
}

static void engine_close(struct engine *e)
{
    struct deadline p = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };

    if (getpid() == e->pid) {
        if (!e->read_only) {
            lives_save_all(e);
            (void)role_sweep(e, 0, &p, NULL);
            (void)commit_queue_upkeep(e, &p, NULL);
        }
        engine_thread_stop(e);
        e->ops->upkeep(e->backend, true);
        e->ops->close(e->backend);
    }
    engine_destroy(e);
}

static const struct engine_hooks hooks = { .fold = fold_prepare, .shut_down = engine_close };

static struct engine *engine_create(const struct backend_ops *ops,
                                    const struct bough_store_open_options *o)
{
    struct engine *e = mem_zalloc(sizeof *e);

    e->ops = ops;
    e->env = env_system;
    if (o && o->env)
        e->env = (struct env){ o->env->now, o->env->random, o->env->user };
    e->read_only = o && o->read_only;
    e->fulltext.on_search_only = o && o->indexing == BOUGH_INDEX_ON_SEARCH;
    e->zstd_from = ops->plain || (o && o->compression == BOUGH_COMPRESS_NEVER) ? 0 : SQUEEZE_FROM;
    e->pid = getpid();
    atomic_init(&e->refs, 1);
    cache_init(e);
    smap_init(&e->uploads);
    e->forks = fork_count();
    e->hooks = &hooks;
    return e;
}

/* Read the epoch. BOUGH_BUSY when a migration into this store is unfinished. */
static enum bough_rc look_at_numbers(struct snap *snap, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct raw_numbers numbers = { .moving = "" };
    enum bough_rc rc = snap->ops->raw_numbers(snap->v, tmp, &numbers, err);

    snap->e->epoch = numbers.epoch;
    if (!rc && *numbers.moving)
        rc =
            bough_fail(err, BOUGH_BUSY,
                       "a store was being moved into this one: run the same `bough migrate` again");
    bough_arena_destroy(tmp);
    return rc;
}

/* A migration changed what is derived: rebuild it before anything else. */
static enum bough_rc rebuild_after_migration(struct bough_store *s, struct bough_error *err)
{
    struct bough_arena *a;
    struct request q = { .prepare = rebuild_lists };
    struct snap snap;
    int64_t mark = 0;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = snap.ops->watermark(snap.v, &mark, err);
    snap_end(&snap);
    if (rc || mark >= 0)
        return rc;
    if (s->e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY,
                          "the store was brought to a new format, but not to its end: open it once "
                          "for writing");
    a = bough_arena_create();
    rc = write_run(s, a, &q, err);
    bough_arena_destroy(a);
    return rc;
}

/* Pick up the work of earlier processes: pending folds, unfinished purges and abandoned
 * messages. */
static enum bough_rc take_over(struct bough_store *s, struct bough_error *err)
{
    struct snap snap;
    size_t pending = 0;
    int64_t behind = 0;
    enum bough_rc rc = rebuild_after_migration(s, err);

    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    rc = look_at_numbers(&snap, err);
    if (!rc)
        rc = pending_count(&snap, &pending, err);
    if (!rc)
        rc = fulltext_behind(&snap, &behind, err);
    snap_end(&snap);
    pthread_mutex_lock(&s->e->lock);
    s->e->folds.pending += pending;
    s->e->fulltext.pending += (size_t)behind;
    s->e->queue.last_us = mono_us();
    pthread_cond_signal(&s->e->background.wake);
    pthread_mutex_unlock(&s->e->lock);
    if (!rc && !s->e->read_only)
        rc = purge_resume(s, err);
    if (!rc && !s->e->read_only)
        rc = bough_message_recover(s, NULL, err);
    return rc;
}

static enum bough_rc check_options(const struct bough_store_open_options *o,
                                   struct bough_error *err)
{
    enum bough_rc rc = RESERVED_CHECK(bough_store_open_options, o, err);

    if (rc || !o)
        return rc;
    if ((unsigned)o->compression > BOUGH_COMPRESS_NEVER ||
        (unsigned)o->indexing > BOUGH_INDEX_ON_SEARCH || o->cache_bytes < 0)
        return bough_fail(err, BOUGH_INVALID,
                          "compression, indexing or cache_bytes has an invalid value");
    return RESERVED_CHECK(bough_env, o->env, err);
}

enum bough_rc bough_store_open(struct bough_store **out, const char *url,
                               const struct bough_store_open_options *options,
                               struct bough_error *err)
{
    REQUIRE(out, err);

    struct backend_config config = { .deadline = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL } };
    const struct backend_ops *ops;
    struct bough_store *s;
    struct engine *e;
    enum bough_rc rc = check_options(options, err);

    if (rc)
        return rc;
    if (cstr_empty(url))
        return bough_fail(err, BOUGH_INVALID, "no store was named");
    ops = backend_choose(url, &config.path);
    if (!ops)
        return bough_fail(err, BOUGH_INVALID, "unknown kind of store: %.*s", (int)strcspn(url, ":"),
                          url);
    e = engine_create(ops, options);
    config.env = &e->env;
    config.read_only = e->read_only;
    config.must_exist = options && options->must_exist;
    config.cache_bytes = options ? options->cache_bytes : 0;
    rc = ops->open(&e->backend, &config, err);
    if (rc) {
        engine_destroy(e);
        return rc;
    }
    engine_thread_start(e);
    s = handle_create(e, NULL);
    if (!e->read_only && !e->background.started)
        rc = bough_fail(err, BOUGH_IO, "no thread could be started for writing");
    if (!rc)
        rc = take_over(s, err);
    if (rc) {
        bough_store_close(&s);
        return rc;
    }
    *out = s;
    return BOUGH_OK;
}

enum bough_rc bough_store_upkeep(struct bough_store *s, struct bough_error *err)
{
    REQUIRE(s, err);

    struct deadline p = store_deadline(s);
    int64_t reached;
    enum bough_rc rc;

    if (s->e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    rc = role_sweep(s->e, 0, &p, err);
    if (!rc && !s->e->fulltext.on_search_only)
        rc = fulltext_catch_up(s->e, &p, INT64_MAX, &reached, err);
    p = store_deadline(s); /* a large index may have used up the time */
    return rc ? rc : commit_queue_upkeep(s->e, &p, err);
}

static void tell_figures(struct engine *e, const struct backend_info *info,
                         struct bough_store_info_result *out)
{
    out->log_bytes = info->log_bytes;
    if (info->oldest_snapshot_us)
        out->oldest_read_ms = (mono_us() - info->oldest_snapshot_us) / 1000;
    pthread_mutex_lock(&e->lock);
    out->text_pending = (int64_t)e->fulltext.pending;
    out->batches = e->figures.batches;
    out->batched = e->figures.batched;
    out->commit_us = e->figures.commit_us;
    pthread_mutex_unlock(&e->lock);
}

enum bough_rc bough_store_info(struct bough_store *s, struct bough_arena *a,
                               struct bough_store_info_result *out, struct bough_error *err)
{
    REQUIRE(s && a && out, err);

    struct bough_last_backup *backup = arena_alloc(a, sizeof *backup);
    struct bough_last_fsck *fsck = arena_alloc(a, sizeof *fsck);
    struct backend_info info;
    struct snap snap;
    size_t pending;
    enum bough_rc rc = s->e->ops->info(s->e->backend, a, &info, err);

    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    *out = (struct bough_store_info_result){ .backend = s->e->ops->scheme,
                                             .path = info.path ? info.path : "",
                                             .store_id = info.store_id,
                                             .epoch = info.epoch,
                                             .schema = info.schema,
                                             .file_bytes = info.file_bytes,
                                             .last_backup = backup,
                                             .last_fsck = fsck };
    tell_figures(s->e, &info, out);
    rc = snap.ops->changelog_last(snap.v, &out->last_no, err);
    if (!rc)
        rc = pending_count(&snap, &pending, err);
    if (!rc)
        rc = state_care(&snap, a, backup, fsck, err);
    if (!rc)
        out->pending = (int64_t)pending;
    snap_end(&snap);
    return rc;
}

const char *bough_version(void)
{
    return BOUGH_VERSION_TEXT;
}

const char *bough_sqlite_version(void)
{
    return sqlite_backend_version();
}
