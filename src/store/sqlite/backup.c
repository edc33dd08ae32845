/* Copies of whole store files, made through SQLite so that the WAL is included. Also what restore
 * needs: seizing a file and setting the epoch of a copy. */
#include "store/sqlite/conn/db.h"

#include <stdio.h>

#include "base/os/fs.h"

enum { STEP_PAGES = 256 }; /* 2 MB between two checks for cancellation */

static const struct deadline forever = { INT64_MAX, NULL };

/* A store object for a file that is not shared: a new copy, or a seized file. */
static struct sqlite *loose_file(struct bough_arena *a, const char *path, const char *vfs)
{
    struct sqlite *s = arena_zalloc(a, sizeof *s);

    s->arena = a;
    s->path = path;
    s->vfs = vfs;
    s->env = &env_system;
    return s;
}

/* BOUGH_NOT_DONE means "nothing was written", but a copy may be half written. */
static enum bough_rc as_io(enum bough_rc rc, struct bough_error *err)
{
    if (rc != BOUGH_NOT_DONE)
        return rc;
    if (err)
        err->rc = BOUGH_IO;
    return BOUGH_IO;
}

/* ---- copying ---- */

static bool told_to_stop(const struct conn *from, sqlite3_backup *b, copy_fn progress, void *user)
{
    int64_t total = (int64_t)sqlite3_backup_pagecount(b) * PAGE_BYTES;
    int64_t left = (int64_t)sqlite3_backup_remaining(b) * PAGE_BYTES;

    return deadline_passed(&from->deadline) || (progress && !progress(user, total - left, total));
}

/* `from` holds a snapshot, so later commits do not restart the copy. */
static enum bough_rc copy_pages(struct conn *from, struct conn *to, copy_fn progress, void *user,
                                struct bough_error *err)
{
    sqlite3_backup *b = sqlite3_backup_init(to->db, "main", from->db, "main");
    bool stop = false;
    int code;

    if (!b)
        return conn_fail(to, sqlite3_extended_errcode(to->db), err);
    do {
        code = sqlite3_backup_step(b, STEP_PAGES);
        if (code == SQLITE_OK || code == SQLITE_DONE)
            stop = told_to_stop(from, b, progress, user);
    } while (code == SQLITE_OK && !stop);
    sqlite3_backup_finish(b);
    if (stop)
        return bough_fail(err, BOUGH_CANCELLED, "copying %s was cancelled", from->store->path);
    if (code == SQLITE_DONE)
        return BOUGH_OK;
    /* One code covers both files. A read error or corruption must come from the source. */
    if (code == SQLITE_IOERR_READ || code == SQLITE_IOERR_SHORT_READ ||
        (code & 0xff) == SQLITE_CORRUPT || (code & 0xff) == SQLITE_NOTADB)
        return conn_fail(from, code, err);
    return conn_fail(to, code, err);
}

enum bough_rc sqlite_backup(struct snapshot *v, const char *path, copy_fn progress, void *user,
                            struct bough_error *err)
{
    struct conn *from = conn_of(v), *to = NULL;
    struct bough_arena *a = bough_arena_create();
    enum bough_rc rc;

    rc = conn_open(loose_file(a, path, from->store->vfs), true, &forever, &to, err);
    /* A new file needs no rollback journal on disk. */
    if (!rc)
        rc = conn_exec(to, "PRAGMA journal_mode = MEMORY", err);
    if (!rc)
        rc = copy_pages(from, to, progress, user, err);
    conn_close(to);
    bough_arena_destroy(a);
    return as_io(rc, err);
}

enum bough_rc sqlite_copy(const char *from, const char *to, copy_fn progress, void *user,
                          struct bough_error *err)
{
    struct backend_config config = { .path = from, .read_only = true };
    struct bough_arena *a = bough_arena_create();
    struct sqlite *s = loose_file(a, from, NULL);
    struct deadline p = { mono_us() + 10000000, NULL };
    struct conn *c = NULL;
    enum bough_rc rc = db_start(&s->vfs, err);

    if (!rc)
        rc = file_prepare(s, &config, err);
    if (!rc) {
        /* Without a WAL or journal no process has the file open. Opened as immutable, no WAL file
         * is created beside it. */
        s->immutable = !fs_exists(arena_printf(a, "%s-wal", s->path)) &&
                       !fs_exists(arena_printf(a, "%s-journal", s->path));
        rc = conn_open(s, false, &p, &c, err);
    }
    if (!rc)
        rc = conn_run(c, SQL_BEGIN, err);
    if (!rc)
        rc = conn_run_waiting(c, SQL_PIN, err);
    if (!rc) {
        c->deadline = forever;
        rc = sqlite_backup(&c->view, to, progress, user, err);
    }
    conn_close(c);
    bough_arena_destroy(a);
    return rc;
}

/* ---- seizing a file ---- */

struct sqlite_seized {
    struct sqlite *file;
    struct conn *c;
    bool sound; /* the epoch could be read */
};

/* SQLite cannot read the file, but its locks are byte ranges: take them through the VFS. */
static int lock_damaged(sqlite3 *db)
{
    sqlite3_file *f = NULL;
    int code;

    sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &f);
    code = f->pMethods->xLock(f, SQLITE_LOCK_SHARED);
    return code ? code : f->pMethods->xLock(f, SQLITE_LOCK_EXCLUSIVE);
}

/* Fails with BOUGH_BUSY if the store is open: an open store always holds a shared lock on its main
 * file. */
static enum bough_rc lock_alone(struct sqlite_seized *z, struct bough_error *err)
{
    struct conn *c = z->c;
    int code;

    /* If locking fails half-way, another process still uses the file: leave its WAL alone. */
    sqlite3_db_config(c->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
    code = sqlite3_exec(c->db, "PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; COMMIT", NULL,
                        NULL, NULL);
    /* A damaged header may also say that the file is read-only, or of a newer format. */
    if (code != SQLITE_OK && (code & 0xff) != SQLITE_BUSY)
        code = lock_damaged(c->db);
    if ((code & 0xff) == SQLITE_BUSY)
        return bough_fail(err, BOUGH_BUSY, "%s is open somewhere; close it first", z->file->path);
    return code == SQLITE_OK ? file_same(z->file, err) : conn_fail(c, code, err);
}

static bool ask(sqlite3 *db, const char *text, int64_t *out)
{
    sqlite3_stmt *st = NULL;
    bool row =
        sqlite3_prepare_v2(db, text, -1, &st, NULL) == SQLITE_OK && sqlite3_step(st) == SQLITE_ROW;

    if (row)
        *out = sqlite3_column_int64(st, 0);
    sqlite3_finalize(st);
    return row;
}

/* 0: an empty file; -1: unreadable. */
static int64_t epoch_of(struct sqlite_seized *z)
{
    int64_t tables, epoch;

    if (!ask(z->c->db, "SELECT count(*) FROM sqlite_schema", &tables))
        return -1;
    if (tables == 0)
        return 0;
    return ask(z->c->db, "SELECT value FROM meta WHERE key = 'epoch'", &epoch) ? epoch : -1;
}

static enum bough_rc seize(const char *path, bool sniff, struct sqlite_seized **out, int64_t *epoch,
                           struct bough_error *err)
{
    struct backend_config config = { .path = path, .must_exist = true };
    struct bough_arena *a = bough_arena_create();
    struct sqlite_seized *z = arena_zalloc(a, sizeof *z);
    struct conn *c = arena_zalloc(a, sizeof *c);
    enum bough_rc rc;
    int code;

    z->file = loose_file(a, path, NULL);
    z->c = c;
    c->arena = a;
    c->store = z->file;
    c->writer = true;
    rc = db_start(&z->file->vfs, err);
    if (!rc)
        rc = file_prepare(z->file, &config, err);
    if (rc) {
        bough_arena_destroy(a);
        return rc;
    }
    code = sqlite3_open_v2(z->file->path, &c->db,
                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE |
                               SQLITE_OPEN_PRIVATECACHE,
                           z->file->vfs);
    rc = code != SQLITE_OK ? conn_fail(c, code, err) : sniff ? file_sniff(c, err) : BOUGH_OK;
    if (!rc)
        rc = lock_alone(z, err);
    if (rc) {
        sqlite_unseize(z);
        return as_io(rc, err);
    }
    *epoch = epoch_of(z);
    z->sound = *epoch >= 0;
    *out = z;
    return BOUGH_OK;
}

enum bough_rc sqlite_seize(const char *path, struct sqlite_seized **out, int64_t *epoch,
                           struct bough_error *err)
{
    return seize(path, true, out, epoch, err);
}

enum bough_rc sqlite_seize_damaged(const char *path, struct sqlite_seized **out,
                                   struct bough_error *err)
{
    int64_t epoch;

    return seize(path, false, out, &epoch, err);
}

enum bough_rc sqlite_seized_fold(struct sqlite_seized *z, struct bough_error *err)
{
    int code;

    if (!z->sound)
        return BOUGH_OK;
    code = sqlite3_wal_checkpoint_v2(z->c->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    if ((code & 0xff) == SQLITE_CORRUPT)
        return BOUGH_OK; /* the WAL stays beside the damaged file */
    return code == SQLITE_OK ? BOUGH_OK : as_io(conn_fail(z->c, code, err), err);
}

void sqlite_unseize(struct sqlite_seized *z)
{
    if (z)
        conn_close(z->c); /* destroys the arena that owns everything */
}

/* ---- the epoch ---- */

enum bough_rc sqlite_epoch_set(const char *path, int64_t epoch, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    struct sqlite *s = loose_file(a, path, NULL);
    struct conn *c = NULL;
    char text[96];
    enum bough_rc rc = db_start(&s->vfs, err);
    int code;

    snprintf(text, sizeof text, "UPDATE meta SET value = '%lld' WHERE key = 'epoch'",
             (long long)epoch);
    if (!rc)
        rc = conn_open(s, true, &forever, &c, err);
    if (!rc)
        rc = conn_exec(c, text, err);
    if (!rc && sqlite3_changes(c->db) != 1)
        rc = bough_fail(err, BOUGH_CORRUPT, "%s does not say its epoch", path);
    if (!rc) {
        code = sqlite3_wal_checkpoint_v2(c->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
        rc = code == SQLITE_OK ? BOUGH_OK : conn_fail(c, code, err);
    }
    conn_close(c);
    bough_arena_destroy(a);
    return as_io(rc, err);
}
