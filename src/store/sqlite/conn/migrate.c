/* The schema: created in an empty file, upgraded in an older one, refused when it is newer. */
#include "store/sqlite/conn/db.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "store/contract/migrations.h"

MIGRATIONS(sqlite);

int64_t db_latest(void)
{
    return (int64_t)sqlite_migrations_count;
}

/* One number from a pragma or query that runs once. */
static enum bough_rc number(struct conn *c, const char *text, int64_t *out, struct bough_error *err)
{
    sqlite3_stmt *st = NULL;
    int code = sqlite3_prepare_v2(c->db, text, -1, &st, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_step(st);
    *out = code == SQLITE_ROW ? sqlite3_column_int64(st, 0) : 0;
    sqlite3_finalize(st);
    return code == SQLITE_ROW || code == SQLITE_DONE ? BOUGH_OK : conn_fail(c, code, err);
}

/* Read the schema version; 0 for an empty file. Must run inside a transaction, so that all values
 * belong to one snapshot. */
static enum bough_rc look(struct conn *c, int64_t *version, struct bough_error *err)
{
    int64_t app, tables;
    enum bough_rc rc;

    rc = number(c, "PRAGMA application_id", &app, err);
    if (!rc)
        rc = number(c, "PRAGMA user_version", version, err);
    if (!rc)
        rc = number(c, "SELECT count(*) FROM sqlite_schema", &tables, err);
    if (rc)
        return rc;
    if (app != APPLICATION && (app != 0 || *version != 0 || tables != 0))
        return bough_fail(err, BOUGH_INVALID, "%s is not a bough store", c->store->path);
    if (*version < 0)
        return bough_fail(err, BOUGH_CORRUPT, "%s has the invalid format number %lld",
                          c->store->path, (long long)*version);
    if (*version > db_latest())
        return bough_fail(err, BOUGH_VERSION, "%s has format %lld; this bough knows %lld",
                          c->store->path, (long long)*version, (long long)db_latest());
    return BOUGH_OK;
}

static enum bough_rc look_first(struct conn *c, int64_t *version, struct bough_error *err)
{
    enum bough_rc rc = conn_run(c, SQL_BEGIN, err);

    if (rc)
        return rc;
    rc = look(c, version, err);
    sqlite3_exec(c->db, "COMMIT", NULL, NULL, NULL);
    return rc;
}

/* Store id, epoch and creation time are written once, with the first migration. */
static enum bough_rc christen(struct sqlite *s, struct conn *c, struct bough_error *err)
{
    unsigned char random[16];
    char id[33], made[24];
    const char *const rows[][2] = { { "store", id }, { "epoch", "1" }, { "created", made } };
    sqlite3_stmt *st = NULL;
    int code;

    env_random(s->env, random, sizeof random);
    for (size_t i = 0; i < sizeof random; i++)
        snprintf(id + 2 * i, 3, "%02x", random[i]);
    snprintf(made, sizeof made, "%lld", (long long)env_now(s->env));
    code =
        sqlite3_prepare_v2(c->db, "INSERT INTO meta (key, value) VALUES (?1, ?2)", -1, &st, NULL);
    for (size_t i = 0; i < 3 && code == SQLITE_OK; i++) {
        bind_text(st, 1, rows[i][0]);
        bind_text(st, 2, rows[i][1]);
        code = sqlite3_step(st);
        if (code == SQLITE_DONE)
            code = sqlite3_reset(st);
    }
    sqlite3_finalize(st);
    if (code != SQLITE_OK)
        return conn_fail(c, code, err);
    return conn_exec(c, "PRAGMA application_id = 0x426F7567", err);
}

static enum bough_rc apply_one(struct sqlite *s, struct conn *c, const struct migration *m,
                               struct bough_error *err)
{
    char text[64];
    enum bough_rc rc = conn_exec(c, m->sql, err);

    if (!rc && m->number == 1)
        rc = christen(s, c, err);
    if (rc)
        return rc;
    snprintf(text, sizeof text, "PRAGMA user_version = %d", m->number);
    return conn_exec(c, text, err);
}

/* Apply one migration, or all of them to an empty file. They and the version number are one
 * transaction. *version is the version after the step. */
static enum bough_rc step_up(struct sqlite *s, struct conn *c, int64_t *version,
                             struct bough_error *err)
{
    enum bough_rc rc = conn_run_waiting(c, SQL_BEGIN_WRITE, err);
    int64_t last;

    if (rc)
        return rc;
    rc = look(c, version, err); /* another process may have migrated already */
    last = *version ? *version + 1 : db_latest();
    while (!rc && *version < last && *version < db_latest()) {
        rc = apply_one(s, c, &sqlite_migrations[*version], err);
        ++*version;
    }
    if (!rc)
        rc = conn_run_waiting(c, SQL_COMMIT, err);
    if (!sqlite3_get_autocommit(c->db))
        sqlite3_exec(c->db, "ROLLBACK", NULL, NULL, NULL);
    return rc;
}

/* Switch to write-ahead logging, and check that SQLite really did. */
static enum bough_rc use_wal(struct conn *c, struct bough_error *err)
{
    for (;;) {
        sqlite3_stmt *st = NULL;
        int code = sqlite3_prepare_v2(c->db, "PRAGMA journal_mode = WAL", -1, &st, NULL);
        bool wal = false;

        if (code == SQLITE_OK)
            code = sqlite3_step(st);
        if (code == SQLITE_ROW)
            wal = strcmp((const char *)sqlite3_column_text(st, 0), "wal") == 0;
        sqlite3_finalize(st);
        if (wal)
            return BOUGH_OK;
        if (code == SQLITE_ROW)
            return bough_fail(err, BOUGH_IO, "%s cannot use write-ahead logging here",
                              c->store->path);
        /* Switching needs an exclusive lock for a moment. Other processes that open the file hold
         * theirs only briefly. */
        if ((code & 0xff) != SQLITE_BUSY || deadline_passed(&c->deadline))
            return conn_fail(c, code, err);
        nanosleep(&(struct timespec){ 0, 2000000 }, NULL);
    }
}

enum bough_rc db_migrate(struct sqlite *s, struct conn *c, struct bough_error *err)
{
    int64_t version;
    enum bough_rc rc;

    if (!c->writer) {
        rc = look_first(c, &version, err);
        if (!rc && version == 0)
            rc = bough_fail(err, BOUGH_INVALID, "%s is not a bough store", s->path);
        else if (!rc && version < db_latest())
            rc = bough_fail(err, BOUGH_READ_ONLY,
                            "%s has the older format %lld: open it once for writing", s->path,
                            (long long)version);
        return rc;
    }
    /* Incremental vacuum must be chosen before the first page is written. It is a compile-time
     * default of our SQLite, because the pragma would write that page at once. */
    rc = look_first(c, &version, err);
    while (!rc && version < db_latest())
        rc = step_up(s, c, &version, err);
    return rc ? rc : use_wal(c, err);
}
