/* The SQLite backend: open, close, info, and the table of operations. */
#include "store/sqlite/conn/db.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os/fs.h"

#include "store/sqlite/rows/read.h"
#include "store/sqlite/tables/tables.h"

enum { CACHE_KB = 64 * 1024 };

const char *sqlite_backend_version(void)
{
    return SQLITE_VERSION " " SQLITE_SOURCE_ID;
}

static void release(struct sqlite *s)
{
    conn_pool_finish(&s->pool);
    pthread_mutex_destroy(&s->write_lock);
    bough_arena_destroy(s->scratch);
    bough_arena_destroy(s->arena);
}

static enum bough_rc connect(struct sqlite *s, const struct deadline *p, struct bough_error *err)
{
    struct conn *c;
    enum bough_rc rc;

    rc = conn_open(s, !s->read_only, p, &c, err);
    if (rc)
        return rc;
    rc = db_migrate(s, c, err);
    if (!rc)
        rc = file_same(s, err); /* the file may have been replaced between the check and the open */
    if (rc) {
        conn_close(c);
    } else if (s->read_only) {
        conn_pool_add(&s->pool, &c->slot);
    } else {
        s->writer = c;
    }
    return rc;
}

static enum bough_rc sqlite_open(struct backend **out, const struct backend_config *config,
                                 struct bough_error *err)
{
    struct bough_arena *a;
    const char *vfs;
    struct sqlite *s;
    enum bough_rc rc;

    rc = db_start(&vfs, err);
    if (rc)
        return rc;
    a = bough_arena_create();
    s = arena_zalloc(a, sizeof *s);
    s->base.ops = &sqlite_backend;
    s->arena = a;
    s->scratch = bough_arena_create();
    s->vfs = vfs;
    s->env = config->env ? config->env : &env_system;
    s->read_only = config->read_only;
    s->cache_kb = config->cache_bytes > 0 ? config->cache_bytes / 1024 : CACHE_KB;
    conn_pool_init(&s->pool);
    pthread_mutex_init(&s->write_lock, NULL);
    rc = file_prepare(s, config, err);
    s->had_log = !rc && fs_exists(s->log_path);
    if (!rc)
        rc = connect(s, &config->deadline, err);
    if (rc) {
        release(s);
        /* BOUGH_NOT_DONE means "nothing was written", which does not describe a failed open. */
        if (rc != BOUGH_NOT_DONE)
            return rc;
        if (err)
            err->rc = BOUGH_IO;
        return BOUGH_IO;
    }
    *out = &s->base;
    return BOUGH_OK;
}

/* SQLite creates a WAL and its index for a reader too, but only a writer that closes last removes
 * them. If they are of our making, do so: an empty WAL writes nothing into the file. */
static void remove_log(struct sqlite *s)
{
    struct deadline now = { 0, NULL };
    struct conn *c = NULL;
    int64_t no;

    if (s->immutable || s->had_log || fs_size(s->log_path) != 0 || access(s->path, W_OK) != 0 ||
        conn_open(s, true, &now, &c, NULL))
        return;
    if (conn_int(c, SQL_LOG_LAST, 0, &no, NULL))
        sqlite3_db_config(c->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    conn_close(c);
}

static void sqlite_close(struct backend *b)
{
    struct sqlite *s = sqlite_of(b);

    if (conn_pool_forked(&s->pool))
        return; /* in a forked child, closing would drop the parent's locks and delete its WAL */
    pool_close(s);
    if (s->writer) {
        /* The last connection to close checkpoints the WAL and deletes it, so that one file
         * remains. */
        s->writer->deadline = (struct deadline){ mono_us() + 1000000, NULL };
        sqlite3_exec(s->writer->db, "PRAGMA journal_size_limit = 0", NULL, NULL, NULL);
        conn_close(s->writer);
    }
    if (s->read_only)
        remove_log(s);
    release(s);
}

static enum bough_rc meta_get(struct conn *c, struct bough_arena *a, const char *key,
                              const char **out, struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_META, &st, err);
    int code;

    if (rc)
        return rc;
    bind_text(st, 1, key);
    code = sqlite3_step(st);
    if (code == SQLITE_ROW)
        *out = arena_strdup(a, (const char *)sqlite3_column_text(st, 0));
    else if (code == SQLITE_DONE)
        rc = bough_fail(err, BOUGH_CORRUPT, "%s does not say its %s", c->store->path, key);
    else
        rc = conn_fail(c, code, err);
    conn_done(c, SQL_META, st);
    return rc;
}

static enum bough_rc sqlite_info(struct backend *b, struct bough_arena *a, struct backend_info *out,
                                 struct bough_error *err)
{
    struct sqlite *s = sqlite_of(b);
    struct deadline p = { INT64_MAX, NULL };
    const char *epoch = "0";
    struct snapshot *v;
    struct stat st;
    enum bough_rc rc = sqlite_snapshot_begin(b, &v, &p, err);

    if (rc)
        return rc;
    rc = meta_get(conn_of(v), a, "store", &out->store_id, err);
    if (!rc)
        rc = meta_get(conn_of(v), a, "epoch", &epoch, err);
    if (!rc)
        rc = conn_int(conn_of(v), SQL_SCHEMA, 0, &out->schema, err);
    out->path = arena_strdup(a, s->path);
    out->epoch = strtoll(epoch, NULL, 10);
    out->file_bytes = lstat(s->path, &st) == 0 ? (int64_t)st.st_size : 0;
    out->log_bytes = lstat(arena_printf(a, "%s-wal", s->path), &st) == 0 ? (int64_t)st.st_size : 0;
    sqlite_snapshot_end(v);
    out->oldest_snapshot_us = conn_pool_oldest(&s->pool);
    return rc;
}

const struct backend_ops sqlite_backend = {
    .scheme = "sqlite",
    .open = sqlite_open,
    .close = sqlite_close,
    .info = sqlite_info,
    .commit = sqlite_commit,
    .hold = sqlite_hold,
    .release = sqlite_release,
    .purge_slice = sqlite_purge_slice,
    .branch_cut = sqlite_branch_cut,
    .upkeep = sqlite_upkeep,
    .snapshot_begin = sqlite_snapshot_begin,
    .snapshot_end = sqlite_snapshot_end,
    .session_get = sqlite_session_get,
    .session_by_slug = sqlite_session_by_slug,
    .session_made = sqlite_session_made,
    .session_children = sqlite_session_children,
    .head_get = sqlite_head_get,
    .branch_get = sqlite_branch_get,
    .branch_tip = sqlite_branch_tip,
    .branch_children = sqlite_branch_children,
    .branch_of = sqlite_branch_of,
    .entry_get = sqlite_entry_get,
    .entry_scan = sqlite_entry_scan,
    .mark_find = sqlite_mark_find,
    .mark_scan = sqlite_mark_scan,
    .open_scan = sqlite_open_scan,
    .draft_scan = sqlite_draft_scan,
    .alias_find = sqlite_alias_find,
    .key_get = sqlite_key_get,
    .record_get = sqlite_record_get,
    .record_scan = sqlite_record_scan,
    .changelog_last = sqlite_log_last,
    .changelog_get = sqlite_log_get,
    .changelog_scan = sqlite_log_scan,
    .watermark = sqlite_watermark,
    .list_get = sqlite_list_get,
    .list_scan = sqlite_list_scan,
    .list_count = sqlite_list_count,
    .spend_scan = sqlite_spend_scan,
    .seen_find = sqlite_seen_find,
    .blob_put = sqlite_blob_put,
    .blob_seal = sqlite_blob_seal,
    .blob_sweep = sqlite_blob_sweep,
    .blob_find = sqlite_blob_find,
    .chunk_get = sqlite_chunk_get,
    .link_scan = sqlite_link_scan,
    .fulltext_mark = sqlite_text_mark,
    .fulltext_find = sqlite_text_find,
    .raw_scan = sqlite_raw_scan,
    .engine_check = sqlite_engine_check,
    .raw_fix = sqlite_raw_fix,
    .raw_numbers = sqlite_raw_numbers,
    .raw_load = sqlite_raw_load,
    .backup = sqlite_backup,
    .query = sqlite_query,
};
