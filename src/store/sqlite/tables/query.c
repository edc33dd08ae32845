/* SQL typed by the user: runs on its own read-only connection, and an authorizer checks every
 * access. */
#include "store/sqlite/tables/tables.h"

#include <sqlite3.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/sqlite/conn/db.h"

enum { WAIT_MS = 10000 };

/* Pragmas that only read. Most pragmas write when they are given a value; only those whose value
 * names a table or index may have one. */
static bool harmless_pragma(const char *name, const char *value)
{
    static const struct {
        const char *name;
        bool of_table;
    } known[] = { { "table_info", true },      { "table_xinfo", true },    { "table_list", true },
                  { "index_list", true },      { "index_info", true },     { "index_xinfo", true },
                  { "user_version", false },   { "page_count", false },    { "page_size", false },
                  { "application_id", false }, { "freelist_count", false } };

    for (size_t i = 0; name && i < sizeof known / sizeof *known; i++)
        if (sqlite3_stricmp(name, known[i].name) == 0)
            return !value || known[i].of_table;
    return false;
}

static int judge(void *user, int what, const char *one, const char *two, const char *db,
                 const char *inner)
{
    (void)user;
    (void)db;
    (void)inner;
    switch (what) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_FUNCTION:
        return SQLITE_OK;
    case SQLITE_PRAGMA:
        return harmless_pragma(one, two) ? SQLITE_OK : SQLITE_DENY;
    }
    return SQLITE_DENY;
}

static enum bough_rc failed(sqlite3 *db, int code, struct bough_error *err)
{
    switch (code & 0xff) {
    case SQLITE_AUTH:
    case SQLITE_READONLY:
        return bough_fail(err, BOUGH_INVALID, "only reading is allowed here");
    case SQLITE_BUSY:
        return bough_fail(err, BOUGH_TIMEOUT, "the store is busy: %s", sqlite3_errmsg(db));
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return bough_fail(err, BOUGH_CORRUPT, "the store is damaged: %s", sqlite3_errmsg(db));
    case SQLITE_ERROR:
        return bough_fail(err, BOUGH_INVALID, "%s", sqlite3_errmsg(db));
    }
    return bough_fail(err, BOUGH_IO, "%s (%d)", sqlite3_errmsg(db), code);
}

static struct query_value value_of(sqlite3_stmt *st, int i)
{
    struct query_value v = { .type = QUERY_NULL };

    switch (sqlite3_column_type(st, i)) {
    case SQLITE_INTEGER:
        v.type = QUERY_INT;
        v.i = sqlite3_column_int64(st, i);
        break;
    case SQLITE_FLOAT:
        v.type = QUERY_REAL;
        v.d = sqlite3_column_double(st, i);
        break;
    case SQLITE_TEXT:
        v.type = QUERY_TEXT;
        v.s.p = (const char *)sqlite3_column_text(st, i);
        v.s.n = (size_t)sqlite3_column_bytes(st, i);
        break;
    case SQLITE_BLOB:
        v.type = QUERY_BLOB;
        v.s = str_make(sqlite3_column_blob(st, i), (size_t)sqlite3_column_bytes(st, i));
        break;
    }
    return v;
}

static int run_one(struct bough_arena *a, sqlite3_stmt *st, query_fn *row, void *user, bool *go_on)
{
    int n = sqlite3_column_count(st), code;
    const char **names = arena_array(a, (size_t)n + 1, sizeof *names);
    struct query_value *values = arena_array(a, (size_t)n + 1, sizeof *values);
    struct query_row r = { names, NULL, (size_t)n };

    for (int i = 0; i < n; i++)
        names[i] = sqlite3_column_name(st, i);
    *go_on = row(user, &r);
    r.values = values;
    while ((code = sqlite3_step(st)) == SQLITE_ROW && *go_on) {
        for (int i = 0; i < n; i++)
            values[i] = value_of(st, i);
        *go_on = row(user, &r);
    }
    return code == SQLITE_ROW ? SQLITE_DONE : code;
}

static enum bough_rc run_all(struct bough_arena *a, sqlite3 *db, const char *sql, query_fn *row,
                             void *user, struct bough_error *err)
{
    bool go_on = true;

    while (*sql && go_on) {
        sqlite3_stmt *st = NULL;
        int code = sqlite3_prepare_v2(db, sql, -1, &st, &sql);

        if (code != SQLITE_OK)
            return failed(db, code, err);
        if (!st)
            continue; /* only white space or a comment */
        code = sqlite3_stmt_readonly(st) ? run_one(a, st, row, user, &go_on) : SQLITE_READONLY;
        if (code != SQLITE_DONE) {
            enum bough_rc rc = failed(db, code, err);

            sqlite3_finalize(st);
            return rc;
        }
        sqlite3_finalize(st);
    }
    return BOUGH_OK;
}

enum bough_rc sqlite_query(struct bough_arena *a, const char *path, const char *sql, query_fn *row,
                           void *user, struct bough_error *err)
{
    const int flags = SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                      SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOFOLLOW;
    const char *vfs;
    sqlite3 *db = NULL;
    enum bough_rc rc = db_start(&vfs, err);
    int code;

    if (rc)
        return rc;
    code = sqlite3_open_v2(path, &db, flags, vfs);
    if (code == SQLITE_OK) {
        sqlite3_busy_timeout(db, WAIT_MS);
        sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
        sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
        sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
        code = sqlite3_exec(db, "PRAGMA query_only = ON; PRAGMA cell_size_check = ON", NULL, NULL,
                            NULL);
    }
    if (code == SQLITE_OK)
        code = tables_register(db); /* the authorizer also checks what the virtual tables read */
    if (code == SQLITE_OK)
        code = sqlite3_set_authorizer(db, judge, NULL);
    rc = code == SQLITE_OK ? run_all(a, db, sql, row, user, err) : failed(db, code, err);
    sqlite3_close(db);
    return rc;
}
