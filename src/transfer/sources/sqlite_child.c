/* Opens another tool's SQLite file, in the child process that reads it. The content is untrusted,
 * the schema included. So only fixed queries run, on plain tables only, with low limits and an
 * authorizer that permits nothing but reading. A tool may be writing the file at this moment. So
 * the way to open it depends on the files beside it: we must not write there, and must not miss
 * data in the write-ahead log (WAL). */
#include "transfer/sources/sqlite_child.h"

#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "core/model/text.h"

enum {
    PATIENCE_MS = 60000, /* per row; longer means an attack, or missing indexes */
    PROGRESS_OPS = 10000,
    BUSY_MS = 5000,
    CACHE_KB = 4096,
    BOUGH_APPLICATION = 0x426F7567, /* the application_id of our own stores, see store/sqlite */
};

/* ---- errors ---- */

enum bough_rc sqlite_child_rc(int code)
{
    switch (code & 0xff) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return BOUGH_CORRUPT;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return BOUGH_BUSY;
    case SQLITE_INTERRUPT:
        return BOUGH_TIMEOUT;
    case SQLITE_TOOBIG:
        return BOUGH_TOO_LARGE;
    case SQLITE_PERM:
        return BOUGH_DENIED;
    default:
        return BOUGH_IO;
    }
}

enum bough_rc sqlite_child_fail(struct sqlite_child *f, int code, struct bough_error *err)
{
    if (code == SQLITE_READONLY_ROLLBACK)
        return bough_fail(err, BOUGH_CONFLICT,
                          "%s: a write in it was interrupted; open it once with its own tool",
                          f->path);
    if ((code & 0xff) == SQLITE_INTERRUPT)
        return bough_fail(err, BOUGH_TIMEOUT, "%s: a row did not come within %d s", f->path,
                          PATIENCE_MS / 1000);
    return bough_fail(err, sqlite_child_rc(code), "%s: %s", f->path,
                      f->db ? sqlite3_errmsg(f->db) : sqlite3_errstr(code));
}

static int64_t now_ms(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int on_progress(void *user)
{
    const struct sqlite_child *f = user;

    return now_ms() > f->until;
}

void sqlite_child_be_patient(struct sqlite_child *f)
{
    f->until = now_ms() + PATIENCE_MS;
}

/* ---- opening ---- */

/* Depends on the header (`logs`: WAL mode) and on the files beside it. */
enum sqlite_how sqlite_child_how(struct sqlite_child *f, bool logs)
{
    int64_t wal = fs_size(arena_printf(f->a, "%s-wal", f->path));

    if (!logs)
        return OPEN_LOCKED;
    if (wal >= 0 && fs_exists(arena_printf(f->a, "%s-shm", f->path)))
        return OPEN_SHARED;
    return wal > 0 ? OPEN_LONELY : OPEN_FROZEN;
}

/* Escape characters that are special in a URI. */
static const char *uri_of(struct sqlite_child *f)
{
    static const char *const query[] = { [OPEN_LOCKED] = "mode=ro",
                                         [OPEN_SHARED] = "mode=ro&readonly_shm=1",
                                         [OPEN_LONELY] = "mode=ro&vfs=unix-none",
                                         [OPEN_FROZEN] = "mode=ro&immutable=1" };
    const char *out;
    struct buf b;

    buf_init(&b, (size_t)4 * LIMIT_PATH);
    buf_puts(&b, "file:");
    for (const char *p = f->path; *p; p++)
        if (strchr("?#%", *p))
            buf_printf(&b, "%%%02x", (unsigned char)*p);
        else
            buf_putc(&b, *p);
    buf_printf(&b, "?%s", query[f->how]);
    out = text_keep(f->a, &b).p;
    buf_finish(&b);
    return out;
}

static void set_limits(sqlite3 *db)
{
    static const int limits[][2] = {
        { SQLITE_LIMIT_LENGTH, (int)LIMIT_MESSAGE_BYTES },
        { SQLITE_LIMIT_SQL_LENGTH, 100000 }, /* also limits the CREATE statements of its tables */
        { SQLITE_LIMIT_COLUMN, 200 },
        { SQLITE_LIMIT_EXPR_DEPTH, 50 },
        { SQLITE_LIMIT_COMPOUND_SELECT, 5 },
        { SQLITE_LIMIT_VDBE_OP, 25000 },
        { SQLITE_LIMIT_FUNCTION_ARG, 8 },
        { SQLITE_LIMIT_ATTACHED, 0 },
        { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50 },
        { SQLITE_LIMIT_VARIABLE_NUMBER, 10 },
        { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
        { SQLITE_LIMIT_WORKER_THREADS, 0 },
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(db, limits[i][0], limits[i][1]);
}

static bool is_one_of(const char *word, const char *const *words)
{
    for (; word && *words; words++)
        if (strcmp(word, *words) == 0)
            return true;
    return false;
}

/* Set before the first statement is compiled, because that parses the schema of the file. Permits
 * only reading, and while f->preparing, the temporary tables of a format. */
static int authorize(void *user, int action, const char *one, const char *two, const char *base,
                     const char *by)
{
    static const char *const functions[] = { "instr", "count", "hex", NULL };
    static const char *const pragmas[] = { "locking_mode", "cell_size_check",
                                           "mmap_size",    "cache_size",
                                           "temp_store",   "application_id",
                                           "table_xinfo",  NULL };
    const struct sqlite_child *f = user;

    (void)by;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_TRANSACTION:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return is_one_of(two, functions) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_PRAGMA:
        return is_one_of(one, pragmas) ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_CREATE_TEMP_TABLE:
    case SQLITE_CREATE_TEMP_INDEX:
        return f->preparing ? SQLITE_OK : SQLITE_DENY;
    case SQLITE_INSERT:
    case SQLITE_UPDATE:
    case SQLITE_REINDEX:
        return f->preparing && base && strcmp(base, "temp") == 0 ? SQLITE_OK : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static int set_up(struct sqlite_child *f)
{
    static const struct {
        int what, on;
    } config[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },        { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },   { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
        { SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1 }, { SQLITE_DBCONFIG_DQS_DML, 0 },
        { SQLITE_DBCONFIG_DQS_DDL, 0 },          { SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0 },
    };
    int code = SQLITE_OK;

    for (size_t i = 0; i < sizeof config / sizeof *config && code == SQLITE_OK; i++)
        code = sqlite3_db_config(f->db, config[i].what, config[i].on, NULL);
    set_limits(f->db);
    sqlite3_set_authorizer(f->db, authorize, f);
    sqlite3_busy_timeout(f->db, BUSY_MS);
    sqlite3_progress_handler(f->db, PROGRESS_OPS, on_progress, f);
    sqlite_child_be_patient(f);
    /* Must come before the first read: it keeps the index of the WAL in memory. */
    if (code == SQLITE_OK && f->how == OPEN_LONELY)
        code = sqlite3_exec(f->db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(f->db,
                            "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;"
                            " PRAGMA temp_store = MEMORY",
                            NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(f->db, arena_printf(f->a, "PRAGMA cache_size = -%d", CACHE_KB), NULL,
                            NULL, NULL);
    return code;
}

static enum bough_rc connect(struct sqlite_child *f, struct bough_error *err)
{
    int code = sqlite3_initialize();

    if (code == SQLITE_OK)
        code = sqlite3_open_v2(uri_of(f), &f->db,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                                   SQLITE_OPEN_EXRESCODE,
                               NULL);
    if (code == SQLITE_OK)
        code = set_up(f);
    /* One snapshot for everything; it does not block writers. */
    if (code == SQLITE_OK && f->how != OPEN_LOCKED)
        code = sqlite3_exec(f->db, "BEGIN", NULL, NULL, NULL);
    return code == SQLITE_OK ? BOUGH_OK : sqlite_child_fail(f, code, err);
}

/* ---- finding the format ---- */

/* List plain tables only: views and virtual tables run code of the file's schema. */
static int list_tables(struct sqlite_child *f)
{
    sqlite3_stmt *st = NULL;
    int code = sqlite3_prepare_v2(
        f->db, "SELECT type, name, sql FROM main.sqlite_schema WHERE type IN ('table', 'view')", -1,
        &st, NULL);

    while (code == SQLITE_OK && (code = sqlite3_step(st)) == SQLITE_ROW) {
        const char *type = (const char *)sqlite3_column_text(st, 0),
                   *name = (const char *)sqlite3_column_text(st, 1),
                   *sql = (const char *)sqlite3_column_text(st, 2);

        code = SQLITE_OK;
        if (!type || !name)
            continue;
        if (strcmp(type, "table") == 0 && sql && strncmp(sql, "CREATE TABLE", 12) == 0)
            tables_add(&f->tables, f->a, name);
        else if (strncmp(name, "sqlite_", 7) != 0)
            f->odd = arena_strdup(f->a, name);
    }
    sqlite3_finalize(st);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

/* A generated column is an expression of the file: it can compute for ever, or gigabytes. */
static enum bough_rc refuse_generated(struct sqlite_child *f, const char *table,
                                      struct bough_error *err)
{
    sqlite3_stmt *st = NULL;
    enum bough_rc rc = BOUGH_OK;
    char *sql = sqlite3_mprintf("PRAGMA main.table_xinfo(%Q)", table);
    int code = sqlite3_prepare_v2(f->db, sql, -1, &st, NULL);

    while (code == SQLITE_OK && !rc && (code = sqlite3_step(st)) == SQLITE_ROW) {
        code = SQLITE_OK;
        if (sqlite3_column_int(st, 6) != 0) /* hidden: 2 and 3 are generated columns */
            rc = bough_fail(err, BOUGH_INVALID,
                            "%s: the table %.60s has generated columns, which "
                            "are not read",
                            f->path, table);
    }
    if (!rc && code != SQLITE_DONE && code != SQLITE_OK)
        rc = sqlite_child_fail(f, code, err);
    sqlite3_finalize(st);
    sqlite3_free(sql);
    return rc;
}

static bool is_ours(struct sqlite_child *f)
{
    sqlite3_stmt *st = NULL;
    bool ours = sqlite3_prepare_v2(f->db, "PRAGMA application_id", -1, &st, NULL) == SQLITE_OK &&
                sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int(st, 0) == BOUGH_APPLICATION;

    sqlite3_finalize(st);
    return ours;
}

static enum bough_rc find_format(struct sqlite_child *f, const char *name, struct bough_error *err)
{
    int code = list_tables(f);

    if (code != SQLITE_OK)
        return sqlite_child_fail(f, code, err);
    if (is_ours(f))
        return bough_fail(
            err, BOUGH_INVALID,
            "%s is a store of bough itself: use it with --store, or take its sessions "
            "out with export --format bough and import that",
            f->path);
    f->format = tables_format(&f->tables, f->a, name);
    for (size_t i = 0; f->format && i < f->tables.n; i++) {
        enum bough_rc rc = refuse_generated(f, f->tables.at[i], err);

        if (rc)
            return rc;
    }
    if (f->format)
        return BOUGH_OK;
    if (f->odd)
        return bough_fail(err, BOUGH_INVALID,
                          "%s: unknown tables; %.100s is a view or a virtual table, which "
                          "are not read",
                          f->path, f->odd);
    return bough_fail(err, BOUGH_INVALID, "%s: a SQLite file with unknown tables%s", f->path,
                      name ? " for that format" : "");
}

enum bough_rc sqlite_child_open(struct sqlite_child *f, const char *name, struct bough_error *err)
{
    enum bough_rc rc;
    int code;

    if (stat(f->path, &f->seen) != 0)
        return bough_fail(err, BOUGH_IO, "%s cannot be read", f->path);
    rc = connect(f, err);
    if (!rc)
        rc = find_format(f, name, err);
    if (rc || !f->format->rows->prepare)
        return rc;
    f->preparing = true;
    code = sqlite3_exec(f->db, f->format->rows->prepare, NULL, NULL, NULL);
    f->preparing = false;
    return code == SQLITE_OK ? BOUGH_OK : sqlite_child_fail(f, code, err);
}
