/* SQLite connections: open, configure, prepare statements, wait for locks, and map error codes. */
#include "store/sqlite/conn/db.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/limits.h"

/* ---- starting SQLite ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const char *vfs_name;
static int ready = SQLITE_ERROR;

static void initialize(void)
{
    ready = sqlite3_initialize();
}

enum bough_rc db_start(const char **vfs, struct bough_error *err)
{
    pthread_once(&once, initialize);
    *vfs = vfs_name;
    return ready == SQLITE_OK ? BOUGH_OK : bough_fail(err, BOUGH_IO, "SQLite cannot be started");
}

void sqlite_backend_use_vfs(const char *name)
{
    vfs_name = name;
}

/* ---- connections ---- */

static void pause_us(long us)
{
    struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

    nanosleep(&ts, NULL);
}

/* Start with short sleeps: the usual writer holds the lock for a fraction of a millisecond. Locks
 * of files have no queue: the longer a call has waited, the more often it tries, so that it gets
 * ahead of calls that came later. */
static int on_busy(void *user, int tries)
{
    struct conn *c = user;

    if (deadline_passed(&c->deadline))
        return 0;
    pause_us(tries < 6 ? 100l << tries : tries < 200 ? 5000 : tries < 600 ? 1500 : 300);
    return 1;
}

static int on_progress(void *user)
{
    struct conn *c = user;

    return deadline_passed(&c->deadline);
}

/* A statement that writes may run beyond its deadline, but not for ever: in a damaged file it may
 * lead in a circle. */
static int on_writing(void *user)
{
    struct conn *c = user;

    return c->began_us && mono_us() - c->began_us > LIMIT_WRITING_MS * 1000;
}

/* Only records the length of the WAL. The writer decides when to checkpoint. */
static int on_wal(void *user, sqlite3 *db, const char *name, int frames)
{
    struct conn *c = user;

    (void)db;
    (void)name;
    c->store->frames = frames;
    return SQLITE_OK;
}

/* All statements are fixed, so one that does not fit the tables means that the stored schema is
 * damaged. FTS5 reports a damaged index of its own as a plain error too. */
static bool schema_damaged(const char *why)
{
    static const char *const words[] = { "no such", "parse error in", "has no column",
                                         "fts5",    "malformed",      "syntax" };

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(why, words[i]))
            return true;
    return false;
}

/* I/O errors use sqlite3_errstr(), because sqlite3_errmsg() may say "not an error" there. */
static enum bough_rc fail_other(struct conn *c, int code, struct bough_error *err)
{
    const char *path = c->store->path;
    const char *why = sqlite3_errstr(code);

    if ((code & 0xff) == SQLITE_ERROR && schema_damaged(sqlite3_errmsg(c->db)))
        return bough_fail(err, BOUGH_CORRUPT, "%s is damaged: %s", path, sqlite3_errmsg(c->db));
    switch (code & 0xff) {
    case SQLITE_PERM:
    case SQLITE_AUTH:
        return bough_fail(err, BOUGH_DENIED, "no permission to use %s", path);
    case SQLITE_IOERR:
    case SQLITE_CANTOPEN:
    case SQLITE_NOMEM:
        return bough_fail(err, c->writer ? BOUGH_NOT_DONE : BOUGH_IO, "%s %s: %s (%d)",
                          c->writer ? "cannot write" : "cannot read", path, why, code);
    default:
        return bough_fail(err, BOUGH_IO, "%s: %s (%d)", path, sqlite3_errmsg(c->db), code);
    }
}

enum bough_rc conn_fail(struct conn *c, int code, struct bough_error *err)
{
    const char *path = c->store->path;
    bool cancelled = is_cancelled(c->deadline.cancel);

    if (code == SQLITE_IOERR_SHORT_READ)
        code = SQLITE_CORRUPT; /* the file ends before a page that it needs */
    c->code = code;
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return bough_fail(err, deadline_rc(&c->deadline),
                          cancelled ? "%s is locked by another process; the call was cancelled"
                                    : "%s is locked by another process",
                          path);
    case SQLITE_INTERRUPT:
        return bough_fail(err, deadline_rc(&c->deadline),
                          cancelled ? "reading %s was cancelled"
                                    : "reading %s took longer than this call may",
                          path);
    case SQLITE_FULL:
        return bough_fail(err, BOUGH_FULL, "disk full while writing %s", path);
    case SQLITE_CORRUPT:
        return bough_fail(err, BOUGH_CORRUPT, "%s is damaged: %s", path, sqlite3_errmsg(c->db));
    case SQLITE_NOTADB:
        return bough_fail(err, BOUGH_CORRUPT, "%s is no longer a database", path);
    case SQLITE_READONLY:
        return bough_fail(err, BOUGH_READ_ONLY, "%s cannot be written", path);
    default:
        return fail_other(c, code, err);
    }
}

bool conn_hopeless(int code)
{
    switch (code & 0xff) {
    case SQLITE_IOERR:
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
    case SQLITE_CANTOPEN:
        return true;
    default:
        return false;
    }
}

/* Sticky: after an I/O error or a timeout all reads of the snapshot fail, because a failed read
 * must not look like BOUGH_NOT_FOUND. Corruption is not sticky, so that fsck can read on. */
bool snapshot_over(const struct conn *c)
{
    return !c->writer && ((c->code & 0xff) == SQLITE_IOERR || (c->code & 0xff) == SQLITE_INTERRUPT);
}

enum bough_rc conn_stmt(struct conn *c, enum sql id, sqlite3_stmt **out, struct bough_error *err)
{
    sqlite3_stmt *st = c->stmt[id];
    int code;

    if (snapshot_over(c))
        return conn_fail(c, c->code, err);
    if (st && !sqlite3_stmt_busy(st)) {
        *out = st;
        return BOUGH_OK;
    }
    /* A callback may run the same query that its caller is scanning: prepare a second statement. */
    code =
        sqlite3_prepare_v3(c->db, sql_text[id], -1, st ? 0 : SQLITE_PREPARE_PERSISTENT, out, NULL);
    if (code != SQLITE_OK)
        return conn_fail(c, code, err);
    if (!st)
        c->stmt[id] = *out;
    return BOUGH_OK;
}

void conn_done(struct conn *c, enum sql id, sqlite3_stmt *st)
{
    if (st == c->stmt[id])
        sqlite3_reset(st);
    else
        sqlite3_finalize(st);
}

enum bough_rc conn_run(struct conn *c, enum sql id, struct bough_error *err)
{
    sqlite3_stmt *st = NULL;
    enum bough_rc rc = conn_stmt(c, id, &st, err);
    int code;

    if (rc)
        return rc;
    code = sqlite3_step(st);
    if (code != SQLITE_DONE && code != SQLITE_ROW)
        rc = conn_fail(c, code, err);
    conn_done(c, id, st);
    return rc;
}

enum bough_rc conn_run_waiting(struct conn *c, enum sql id, struct bough_error *err)
{
    /* The busy handler does most of the waiting. This loop is for locks that SQLite does not report
     * to it. */
    for (;;) {
        enum bough_rc rc = conn_run(c, id, err);

        if (rc != BOUGH_TIMEOUT || deadline_passed(&c->deadline))
            return rc;
        pause_us(1000);
    }
}

enum bough_rc conn_exec(struct conn *c, const char *text, struct bough_error *err)
{
    int code = sqlite3_exec(c->db, text, NULL, NULL, NULL);

    return code == SQLITE_OK ? BOUGH_OK : conn_fail(c, code, err);
}

enum bough_rc conn_int(struct conn *c, enum sql id, int64_t none, int64_t *out,
                       struct bough_error *err)
{
    sqlite3_stmt *st = NULL;
    enum bough_rc rc = conn_stmt(c, id, &st, err);
    int code;

    if (rc)
        return rc;
    code = sqlite3_step(st);
    if (code == SQLITE_ROW)
        *out = sqlite3_column_int64(st, 0);
    else if (code == SQLITE_DONE)
        *out = none;
    else
        rc = conn_fail(c, code, err);
    conn_done(c, id, st);
    return rc;
}

/* file:/path?immutable=1, with special characters percent-encoded. */
static const char *immutable_uri(struct bough_arena *a, const char *path)
{
    char *out = arena_alloc(a, 3 * strlen(path) + 32);
    static const char hex[] = "0123456789ABCDEF";
    size_t n = 5;

    memcpy(out, "file:", 5);
    for (; *path; path++) {
        unsigned char ch = (unsigned char)*path;

        if (ch == '%' || ch == '?' || ch == '#' || ch < 0x21 || ch > 0x7e) {
            out[n++] = '%';
            out[n++] = hex[ch >> 4];
            out[n++] = hex[ch & 15];
        } else {
            out[n++] = (char)ch;
        }
    }
    memcpy(out + n, "?immutable=1", 13);
    return out;
}

static enum bough_rc configure(struct conn *c, struct bough_error *err)
{
    char cache[64];
    enum bough_rc rc;

    sqlite3_db_config(c->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_limit(c->db, SQLITE_LIMIT_ATTACHED, 0);
    /* No foreign keys are declared: the rules of the model are checked above the backend. */
    rc = conn_exec(c,
                   "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0; PRAGMA temp_store = MEMORY;"
                   "PRAGMA foreign_keys = OFF; PRAGMA wal_autocheckpoint = 0;",
                   err);
    /* Takes effect only in an empty file and writes nothing yet. It must come before cache_size,
     * because SQLite converts that to pages of the current size. */
    if (!rc && c->writer)
        rc = conn_exec(c, "PRAGMA page_size = 8192", err);
    if (rc)
        return rc;
    snprintf(cache, sizeof cache, "PRAGMA cache_size = -%lld",
             (long long)(c->store->cache_kb / (c->writer ? 1 : 4)));
    rc = conn_exec(c, cache, err);
    if (rc)
        return rc;
    if (!c->writer)
        return conn_exec(c, "PRAGMA query_only = ON", err);
    rc = conn_exec(c,
                   /* No measurable cost per append. */
                   "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;"
                   "PRAGMA journal_size_limit = -1;",
                   err);
    c->store->normal = false;
    sqlite3_wal_hook(c->db, on_wal, c);
    return rc;
}

enum bough_rc conn_open(struct sqlite *s, bool writer, const struct deadline *p, struct conn **out,
                        struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct conn *c = arena_zalloc(a, sizeof *c);
    int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE | SQLITE_OPEN_PRIVATECACHE;
    const char *name = s->path;
    enum bough_rc rc;
    int code;

    c->arena = a;
    c->store = s;
    c->view.backend = &s->base;
    c->writer = writer;
    c->deadline = *p;
    flags |= writer ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    if (s->immutable) {
        name = immutable_uri(a, name);
        flags |= SQLITE_OPEN_URI;
    }
    code = sqlite3_open_v2(name, &c->db, flags, s->vfs);
    if (code != SQLITE_OK) {
        rc = conn_fail(c, code, err);
        conn_close(c);
        return rc;
    }
    sqlite3_busy_handler(c->db, on_busy, c);
    rc = file_sniff(c, err);
    if (!rc)
        rc = configure(c, err);
    if (rc) {
        conn_close(c);
        return rc;
    }
    /* Check the deadline every 20,000 instructions of SQLite's virtual machine. */
    sqlite3_progress_handler(c->db, 20000, writer ? on_writing : on_progress, c);
    *out = c;
    return BOUGH_OK;
}

void conn_close(struct conn *c)
{
    if (!c)
        return;
    for (int i = 0; i < SQL_COUNT; i++)
        sqlite3_finalize(c->stmt[i]);
    for (int i = 0; i < LIST_CACHE; i++)
        sqlite3_finalize(c->list[i].stmt);
    sqlite3_close(c->db);
    bough_arena_destroy(c->arena);
}
