/* Connections: opening, settings, prepared statements, waiting for locks, and what went wrong. */
#include "store/sqlite/db.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static void pause_us(long us)
{
    struct timespec ts = { us / 1000000, us % 1000000 * 1000 };

    nanosleep(&ts, NULL);
}

/* Short naps first: the usual writer is gone in a fraction of a millisecond. */
static int on_busy(void *user, int tries)
{
    struct conn *c = user;

    if (patience_over(&c->patience))
        return 0;
    pause_us(tries < 6 ? 100l << tries : 5000);
    return 1;
}

static int on_progress(void *user)
{
    struct conn *c = user;

    return patience_over(&c->patience);
}

/* Only the log's length matters here: checkpoints are the writer's own decision. */
static int on_wal(void *user, sqlite3 *db, const char *name, int frames)
{
    struct conn *c = user;

    (void)db;
    (void)name;
    c->store->frames = frames;
    return SQLITE_OK;
}

/* SQLite's own text for a code, without "not an error" and the like. */
static enum bough_rc fail_other(struct conn *c, int code, struct bough_error *err)
{
    const char *path = c->store->path;
    const char *why = sqlite3_errstr(code);

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
    bool cancelled = c->patience.cancel && __atomic_load_n(c->patience.cancel, __ATOMIC_RELAXED);

    c->code = code;
    switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
        return bough_fail(err, BOUGH_TIMEOUT,
                          cancelled ? "%s is locked by another process; the call was cancelled"
                                    : "%s is locked by another process",
                          path);
    case SQLITE_INTERRUPT:
        return bough_fail(err, BOUGH_TIMEOUT,
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

/* A view that could not read something, or ran out of time, says so again to whoever did not
 * listen: what is not seen must not pass for what is not there. Damage is fsck's to look around in.
 */
bool view_over(const struct conn *c)
{
    return !c->writer && ((c->code & 0xff) == SQLITE_IOERR || (c->code & 0xff) == SQLITE_INTERRUPT);
}

enum bough_rc conn_stmt(struct conn *c, enum sql id, sqlite3_stmt **out, struct bough_error *err)
{
    sqlite3_stmt *st = c->stmt[id];
    int code;

    if (view_over(c))
        return conn_fail(c, c->code, err);
    if (st && !sqlite3_stmt_busy(st)) {
        *out = st;
        return BOUGH_OK;
    }
    /* A callback that reads what its caller is scanning gets a statement of its own. */
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
    /* The busy handler does the waiting; this is for the few locks SQLite does not ask it about. */
    for (;;) {
        enum bough_rc rc = conn_run(c, id, err);

        if (rc != BOUGH_TIMEOUT || patience_over(&c->patience))
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

/* file:/path?immutable=1 with everything unusual escaped. */
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
    /* Counts only in an empty file, and writes nothing yet. Before the size of the cache, which
     * SQLite counts in pages of the size it knows then. */
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
                   "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;" /* costs an append
                                                                              nothing measurable */
                   "PRAGMA journal_size_limit = -1;",
                   err);
    c->store->normal = false;
    sqlite3_wal_hook(c->db, on_wal, c);
    return rc;
}

enum bough_rc conn_open(struct sqlite *s, bool writer, const struct patience *p, struct conn **out,
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
    c->patience = *p;
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
    /* A hundred thousand steps of the engine take a few milliseconds. */
    if (!writer)
        sqlite3_progress_handler(c->db, 20000, on_progress, c);
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
