/* The PostgreSQL backend: open, close, info, and the table of operations. */
#include "store/postgres/postgres.h"
#include "store/postgres/conn/ahead.h"

#include <stdlib.h>

#include "store/postgres/read/read.h"
#include "store/postgres/wire/db.h"

enum { COPY_FROM = 64 };

static void release(struct postgres *s)
{
    struct bough_arena *a = s->arena;

    pg_pool_close(s);
    pg_close(s->writer);
    map_finish(&s->known.ordinals);
    bough_arena_destroy(s->scratch);
    conn_pool_finish(&s->pool);
    pthread_mutex_destroy(&s->write_lock);
    bough_arena_destroy(a);
}

static struct postgres *create(const struct backend_config *config, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct postgres *s = arena_zalloc(a, sizeof *s);
    struct url url;

    if (pg_url_parse(a, config->path, &url, err) != BOUGH_OK) {
        bough_arena_destroy(a);
        return NULL;
    }
    s->base.ops = &postgres_backend;
    s->arena = a;
    s->url = url;
    s->name = url.name;
    s->schema = url.schema;
    s->unprepared = url.unprepared;
    if (s->unprepared)
        s->set_local = pg_local_settings(a, s->schema);
    s->env = config->env;
    s->read_only = config->read_only;
    s->copy_from = COPY_FROM;
    s->scratch = bough_arena_create();
    map_init(&s->known.ordinals);
    conn_pool_init(&s->pool);
    pthread_mutex_init(&s->write_lock, NULL);
    return s;
}

static enum bough_rc postgres_open(struct backend **out, const struct backend_config *config,
                                   struct bough_error *err)
{
    struct bough_error why = { 0 };
    struct postgres *s = create(config, &why);
    struct conn *c = NULL;
    enum bough_rc rc;

    if (!s) {
        if (err)
            *err = why;
        return why.rc;
    }
    rc = pg_open(s, false, &config->deadline, &c, err);
    if (!rc)
        rc = pg_migrate(s, c, config, err);
    pg_close(c);
    if (rc) {
        release(s);
        return rc;
    }
    *out = &s->base;
    return BOUGH_OK;
}

static void postgres_close(struct backend *b)
{
    struct postgres *s = postgres_of(b);

    if (!conn_pool_forked(&s->pool))
        release(s);
}

static enum bough_rc meta_get(struct snapshot *v, struct bough_arena *a, const char *key,
                              const char **out, struct bough_error *err)
{
    struct args args = { 0 };
    PGresult *r;
    enum bough_rc rc;

    args_text(&args, key);
    rc = pg_ask(v, SQL_META, &args, &r, err);
    if (rc)
        return rc;
    if (PQntuples(r))
        *out = arena_strdup(a, got_text(r, 0, 0));
    else
        rc = bough_fail(err, BOUGH_CORRUPT, "%s does not say its %s", conn_of(v)->store->name, key);
    PQclear(r);
    return rc;
}

static enum bough_rc postgres_info(struct backend *b, struct bough_arena *a,
                                   struct backend_info *out, struct bough_error *err)
{
    struct deadline p = { mono_us() + 10000000, NULL };
    const char *epoch = "0", *schema = "0";
    struct snapshot *v;
    PGresult *r = NULL;
    enum bough_rc rc = postgres_snapshot_begin(b, &v, &p, err);

    if (rc)
        return rc;
    *out = (struct backend_info){ 0 };
    rc = meta_get(v, a, "store", &out->store_id, err);
    if (!rc)
        rc = meta_get(v, a, "epoch", &epoch, err);
    if (!rc)
        rc = meta_get(v, a, "schema", &schema, err);
    if (!rc)
        rc = pg_ask(v, SQL_SIZE, NULL, &r, err);
    if (!rc)
        out->file_bytes = PQntuples(r) ? got_int(r, 0, 0) : 0;
    PQclear(r);
    postgres_snapshot_end(v);
    out->epoch = strtoll(epoch, NULL, 10);
    out->schema = strtoll(schema, NULL, 10);
    out->oldest_snapshot_us = conn_pool_oldest(&postgres_of(b)->pool);
    return rc;
}

/* PostgreSQL does its own checkpoints and vacuum. */
static void postgres_upkeep(struct backend *b, bool last)
{
    (void)b;
    (void)last;
}

static enum bough_rc postgres_backup(struct snapshot *v, const char *path, copy_fn progress,
                                     void *user, struct bough_error *err)
{
    (void)path;
    (void)progress;
    (void)user;
    return bough_fail(err, BOUGH_INVALID,
                      "%s has no file to copy: use pg_dump, pg_basebackup or bough migrate",
                      conn_of(v)->store->name);
}

const struct backend_ops postgres_backend = {
    .scheme = "postgres",
    .also = "postgresql",
    .remote = true,
    .plain = true,
    .open = postgres_open,
    .close = postgres_close,
    .info = postgres_info,
    .commit = postgres_commit,
    .hold = postgres_hold,
    .release = postgres_release,
    .purge_slice = postgres_purge_slice,
    .branch_cut = postgres_branch_cut,
    .upkeep = postgres_upkeep,
    .snapshot_begin = postgres_snapshot_begin,
    .snapshot_end = postgres_snapshot_end,
    .ahead = postgres_ahead,
    .session_get = postgres_session_get,
    .session_by_slug = postgres_session_by_slug,
    .session_made = postgres_session_made,
    .session_children = postgres_session_children,
    .head_get = postgres_head_get,
    .branch_get = postgres_branch_get,
    .branch_tip = postgres_branch_tip,
    .branch_children = postgres_branch_children,
    .branch_of = postgres_branch_of,
    .entry_get = postgres_entry_get,
    .entry_scan = postgres_entry_scan,
    .mark_find = postgres_mark_find,
    .mark_scan = postgres_mark_scan,
    .open_scan = postgres_open_scan,
    .draft_scan = postgres_draft_scan,
    .alias_find = postgres_alias_find,
    .key_get = postgres_key_get,
    .record_get = postgres_record_get,
    .record_scan = postgres_record_scan,
    .changelog_last = postgres_log_last,
    .changelog_get = postgres_log_get,
    .changelog_scan = postgres_log_scan,
    .watermark = postgres_watermark,
    .list_get = postgres_list_get,
    .list_scan = postgres_list_scan,
    .list_count = postgres_list_count,
    .spend_scan = postgres_spend_scan,
    .seen_find = postgres_seen_find,
    .blob_put = postgres_blob_put,
    .blob_seal = postgres_blob_seal,
    .blob_sweep = postgres_blob_sweep,
    .blob_find = postgres_blob_find,
    .chunk_get = postgres_chunk_get,
    .link_scan = postgres_link_scan,
    .fulltext_mark = postgres_text_mark,
    .fulltext_find = postgres_text_find,
    .raw_scan = postgres_raw_scan,
    .engine_check = postgres_engine_check,
    .raw_fix = postgres_raw_fix,
    .raw_numbers = postgres_raw_numbers,
    .raw_load = postgres_raw_load,
    .backup = postgres_backup,
    .query = postgres_query,
};
