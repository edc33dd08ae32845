/* The writer connection: entering it, its transactions, and replacing it after a failure. */
#include "store/sqlite/conn/db.h"

#include <string.h>
#include <unistd.h>

/* A WAL that was removed is still open here. Its frames go into the file, so that no acknowledged
 * commit is lost with it. */
static enum bough_rc log_same(struct sqlite *s, struct bough_error *err)
{
    enum bough_rc rc = file_log_same(s, err);

    if (rc && s->writer && access(s->log_path, F_OK) != 0)
        checkpoint_now(s, SQLITE_CHECKPOINT_PASSIVE);
    return rc;
}

enum bough_rc writer_enter(struct sqlite *s, const struct deadline *p, struct bough_error *err)
{
    enum bough_rc rc = conn_pool_check(&s->pool, err);

    if (rc)
        return rc;
    if (s->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "%s was opened for reading only", s->path);
    pthread_mutex_lock(&s->write_lock);
    rc = file_same(s, err);
    if (!rc)
        rc = log_same(s, err);
    if (!rc && s->newer)
        rc = bough_fail(err, BOUGH_VERSION, "%s was changed by a newer bough; open it again",
                        s->path);
    if (!rc && !s->writer)
        writer_replace(s);
    if (!rc && !s->writer)
        rc = bough_fail(err, BOUGH_NOT_DONE, "%s had a write error and cannot be opened again",
                        s->path);
    if (rc || !s->writer) {
        pthread_mutex_unlock(&s->write_lock);
        return rc;
    }
    s->writer->deadline = *p;
    s->writer->code = SQLITE_OK;
    bough_arena_reset(s->scratch);
    return BOUGH_OK;
}

void writer_leave(struct sqlite *s)
{
    pthread_mutex_unlock(&s->write_lock);
}

static enum bough_rc counter(struct conn *c, const char *name, int64_t *out,
                             struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_COUNTER_GET, &st, err);

    if (rc)
        return rc;
    bind_text(st, 1, name);
    return conn_int(c, SQL_COUNTER_GET, 0, out, err);
}

static unsigned content_version(struct conn *c)
{
    unsigned version = 0;

    sqlite3_file_control(c->db, "main", SQLITE_FCNTL_DATA_VERSION, &version);
    return version;
}

/* Reload the cache if another process committed, or on first use. */
static enum bough_rc refresh(struct sqlite *s, struct bough_error *err)
{
    struct conn *c = s->writer;
    struct cache *cache = &s->cache;
    unsigned version = content_version(c);
    int64_t schema;
    enum bough_rc rc;

    if (cache->valid && cache->version == version)
        return BOUGH_OK;
    memset(cache, 0, sizeof *cache);
    rc = conn_int(c, SQL_SCHEMA, 0, &schema, err);
    if (rc)
        return rc;
    if (schema > db_latest()) {
        s->newer = true;
        return bough_fail(err, BOUGH_VERSION, "%s was brought to format %lld by a newer bough",
                          s->path, (long long)schema);
    }
    rc = conn_int(c, SQL_LOG_LAST, 0, &cache->no, err);
    if (!rc)
        rc = counter(c, "session", &cache->sessions, err);
    if (!rc)
        rc = counter(c, "branch", &cache->branches, err);
    if (!rc) {
        cache->version = version;
        cache->valid = true;
    }
    return rc;
}

enum bough_rc writer_begin(struct sqlite *s, bool relaxed, struct bough_error *err)
{
    struct conn *c = s->writer;
    enum bough_rc rc = BOUGH_OK;

    if (!c)
        return bough_fail(err, BOUGH_NOT_DONE, "%s had a write error", s->path);
    if (relaxed != s->normal) {
        rc = conn_exec(c, relaxed ? "PRAGMA synchronous = NORMAL" : "PRAGMA synchronous = FULL",
                       err);
        if (!rc)
            s->normal = relaxed;
    }
    c->began_us = 0;
    if (!rc)
        rc = conn_run_waiting(c, SQL_BEGIN_WRITE, err);
    c->began_us = mono_us();
    if (!rc)
        rc = refresh(s, err);
    if (rc)
        writer_undo(s);
    return rc;
}

enum bough_rc writer_end(struct sqlite *s, struct bough_error *err)
{
    struct conn *c = s->writer;
    sqlite3_stmt *st;
    enum bough_rc rc = conn_stmt(c, SQL_COMMIT, &st, err);
    int code;

    c->began_us = 0; /* a commit is not interrupted */
    if (rc) {
        writer_undo(s);
        return rc;
    }
    code = sqlite3_step(st);
    sqlite3_reset(st);
    if (code == SQLITE_DONE) {
        s->relaxed = s->normal;
        s->cache.version = content_version(c);
        return BOUGH_OK;
    }
    rc = conn_fail(c, code, err);
    /* On a full disk SQLite could not write all WAL frames, and a transaction without all its
     * frames does not exist. Any other failure may come after the last frame was written. */
    if ((code & 0xff) != SQLITE_FULL && (code & 0xff) != SQLITE_BUSY) {
        rc = bough_fail(err, BOUGH_UNKNOWN,
                        "%s: the commit failed (%s, %d); it may or may not be "
                        "there",
                        s->path, sqlite3_errstr(code), code);
        c->code = SQLITE_IOERR;
    }
    writer_undo(s);
    return rc;
}

void writer_undo(struct sqlite *s)
{
    struct conn *c = s->writer;
    bool stuck = false;

    s->cache.valid = false;
    c->began_us = 0;
    if (!sqlite3_get_autocommit(c->db))
        stuck = sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL) != SQLITE_OK &&
                !sqlite3_get_autocommit(c->db);
    if (stuck || conn_hopeless(c->code))
        writer_replace(s);
}

/* Does a fresh connection read a valid store? Also checkpoints the WAL into the main file. */
static bool verify(struct sqlite *s, struct conn *c)
{
    int64_t no;

    if (file_same(s, NULL) != BOUGH_OK)
        return false;
    if (db_migrate(s, c, NULL) != BOUGH_OK || conn_int(c, SQL_LOG_LAST, 0, &no, NULL) != BOUGH_OK)
        return false;
    /*
     * After a failed sync the kernel may drop pages that it still returns to reads. Frames appended
     * after such pages would be lost with them. So the WAL is copied into the main file and synced
     * there first.
     */
    c->deadline = (struct deadline){ 0, NULL };
    switch (sqlite3_wal_checkpoint_v2(c->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL) &
            0xff) {
    case SQLITE_OK:
    case SQLITE_BUSY: /* blocked by readers, whose WAL index never contained the failed frames */
    case SQLITE_LOCKED:
        return true;
    default:
        return false;
    }
}

void writer_replace(struct sqlite *s)
{
    struct deadline p = { mono_us() + 1000000, NULL };
    struct conn *c = NULL;

    s->cache.valid = false;
    s->log_ino = 0;
    if (s->writer) {
        /* Closing must not checkpoint: it would sync on the handle whose sync failed. */
        sqlite3_db_config(s->writer->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        p = s->writer->deadline.until_us < p.until_us ? s->writer->deadline : p;
        conn_close(s->writer);
        s->writer = NULL;
    }
    if (conn_open(s, true, &p, &c, NULL) != BOUGH_OK)
        return;
    if (verify(s, c)) {
        s->writer = c;
        s->frames = s->moved = 0;
    } else {
        sqlite3_db_config(c->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
        conn_close(c);
    }
}
