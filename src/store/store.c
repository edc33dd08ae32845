/* The store handle: open, close, what it is. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/blob.h"
#include "store/engine.h"
#include "store/live.h"
#include "store/projector.h"
#include "store/purge.h"
#include "store/sqlite/sqlite.h"
#include "store/text.h"

static struct engine *engine_create(const struct backend_ops *ops, const struct bough_options *o)
{
    struct engine *e = mem_zalloc(sizeof *e);

    e->ops = ops;
    e->env = env_system;
    if (o && o->env)
        e->env = (struct env){ o->env->now, o->env->random, o->env->user };
    e->read_only = o && o->read_only;
    e->search_off = o && o->no_indexing;
    e->zstd_from = ops->plain || (o && o->no_compress) ? 0 : SQUEEZE_FROM;
    e->pid = getpid();
    atomic_init(&e->refs, 1);
    cache_init(e);
    return e;
}

static void engine_destroy(struct engine *e)
{
    cache_finish(e);
    mem_free(e);
}

static struct bough_store *handle(struct engine *e, const struct bough_scope *scope)
{
    struct bough_store *s = mem_zalloc(sizeof *s);
    const char *who = scope && scope->principal ? scope->principal : "";

    s->e = e;
    s->deadline_ms = scope && scope->deadline_ms ? scope->deadline_ms : LIMIT_DEADLINE_MS;
    s->cancel = scope ? scope->cancel : NULL;
    s->principal = mem_alloc(strlen(who) + 1);
    memcpy(s->principal, who, strlen(who) + 1);
    return s;
}

/* Its epoch; and a store into which another one is still being moved has half of everything. */
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

/* What an earlier process left pending: folds, purges and messages it did not finish. */
static enum bough_rc take_over(struct bough_store *s, struct bough_error *err)
{
    struct snap snap;
    size_t pending = 0;
    int64_t behind = 0;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = look_at_numbers(&snap, err);
    if (!rc)
        rc = pending_count(&snap, &pending, err);
    if (!rc)
        rc = text_behind(&snap, &behind, err);
    snap_end(&snap);
    pthread_mutex_lock(&s->e->lock);
    s->e->pending += pending;
    s->e->text_pending += behind > 0;
    s->e->last_us = mono_us();
    pthread_cond_signal(&s->e->wake);
    pthread_mutex_unlock(&s->e->lock);
    if (!rc && !s->e->read_only)
        rc = purge_resume(s, err);
    if (!rc && !s->e->read_only)
        rc = bough_message_recover(s, NULL, err);
    return rc;
}

enum bough_rc bough_store_open(struct bough_store **out, const char *url,
                               const struct bough_options *options, struct bough_error *err)
{
    struct backend_config config = { .patience = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL } };
    const struct backend_ops *ops;
    struct bough_store *s;
    struct engine *e;
    enum bough_rc rc;

    if (cstr_empty(url))
        return bough_fail(err, BOUGH_INVALID, "no store was named");
    ops = backend_choose(url, &config.path);
    if (!ops)
        return bough_fail(err, BOUGH_INVALID, "no kind of store is called %.*s",
                          (int)strcspn(url, ":"), url);
    e = engine_create(ops, options);
    config.env = &e->env;
    config.read_only = e->read_only;
    config.create_not = options && options->create_not;
    config.no_compress = options && options->no_compress;
    config.cache_bytes = options ? options->cache_bytes : 0;
    rc = ops->open(&e->backend, &config, err);
    if (rc) {
        engine_destroy(e);
        return rc;
    }
    writer_start(e);
    s = handle(e, NULL);
    if (!e->read_only && !e->has_thread)
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

static void engine_close(struct engine *e)
{
    struct patience p = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };

    if (getpid() == e->pid) {
        if (!e->read_only) {
            lives_save_all(e);
            (void)writer_sweep(e, 0, &p, NULL);
            (void)writer_upkeep(e, &p, NULL);
        }
        writer_stop(e);
        e->ops->upkeep(e->backend, true);
        e->ops->close(e->backend);
    }
    engine_destroy(e);
}

void bough_store_close(struct bough_store **s)
{
    if (!s || !*s)
        return;
    if (atomic_fetch_sub(&(*s)->e->refs, 1) == 1)
        engine_close((*s)->e);
    mem_free((*s)->principal);
    mem_free(*s);
    *s = NULL;
}

struct bough_store *bough_store_scoped(struct bough_store *s, const struct bough_scope *scope)
{
    atomic_fetch_add(&s->e->refs, 1);
    return handle(s->e, scope);
}

enum bough_rc bough_store_upkeep(struct bough_store *s, struct bough_error *err)
{
    struct patience p = store_patience(s);
    int64_t reached;
    enum bough_rc rc;

    if (s->e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    rc = writer_sweep(s->e, 0, &p, err);
    if (!rc && !s->e->search_off)
        rc = text_catch_up(s->e, &p, INT64_MAX, &reached, err);
    return rc ? rc : writer_upkeep(s->e, &p, err);
}

static void tell_figures(struct engine *e, const struct backend_info *info, struct bough_info *out)
{
    out->log_bytes = info->log_bytes;
    if (info->oldest_view_us)
        out->oldest_read_ms = (mono_us() - info->oldest_view_us) / 1000;
    pthread_mutex_lock(&e->lock);
    out->text_pending = (int64_t)e->text_pending;
    out->batches = e->batches;
    out->batched = e->batched;
    out->commit_us = e->commit_us;
    pthread_mutex_unlock(&e->lock);
}

enum bough_rc bough_store_info(struct bough_store *s, struct bough_arena *a, struct bough_info *out,
                               struct bough_error *err)
{
    struct backend_info info;
    struct snap snap;
    size_t pending;
    enum bough_rc rc = s->e->ops->info(s->e->backend, a, &info, err);

    if (!rc)
        rc = snap_begin(s, &snap, err);
    if (rc)
        return rc;
    *out = (struct bough_info){ .backend = s->e->ops->scheme,
                                .path = info.path ? info.path : "",
                                .store_id = info.store_id,
                                .epoch = info.epoch,
                                .schema = info.schema };
    tell_figures(s->e, &info, out);
    rc = snap.ops->log_last(snap.v, &out->last_no, err);
    if (!rc)
        rc = pending_count(&snap, &pending, err);
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
