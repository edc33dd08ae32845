/*
 * Other tools' SQLite files. What is in one is data of strangers, its schema included: only fixed
 * questions are asked, of plain tables, with every limit set low and an authorizer that knows
 * nothing but reading. And a tool may be writing it at this moment: how it is opened depends on
 * what lies beside it, so that we neither write there nor miss what is only in its log.
 */
#include "transfer/sqlite_file.h"

#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/json_write.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/str.h"
#include "core/text.h"
#include "transfer/tables.h"

enum {
    HEADER = 100,
    SESSIONS_MOST = 4 * 1024 * 1024, /* their rowids are held in memory */
    QUERIES_MOST = 16,
    PATIENCE_MS = 60000, /* for one row: more is a trap, or a file without its indexes */
    PROGRESS_OPS = 10000,
    BUSY_MS = 5000,
    CACHE_KB = 4096,
    BOUGH_APPLICATION = 0x426F7567, /* store/sqlite */
};

static const char magic[] = "SQLite format 3";

enum how {
    OPEN_LOCKED, /* no log: its locks keep writers away while a statement runs */
    OPEN_SHARED, /* a log and its index: a snapshot, without writing into the index */
    OPEN_LONELY, /* a log without an index: nobody has it open */
    OPEN_FROZEN, /* could have a log but has none: opening it as usual would make one */
};

struct sqlite_file {
    sqlite3 *db;
    const char *path;
    const struct format *format;
    enum how how;
    struct stat seen;
    struct bough_arena *a;
    struct tables tables;
    const char *odd; /* a view or virtual table where a table should be */
    int64_t until;   /* the row at hand must have come by then */
    struct {
        const struct format_query *q;
        sqlite3_stmt *st;
    } asked[QUERIES_MOST];
    size_t nasked;

    /* while reading */
    struct reading *r;
    int64_t rows;
    sqlite_file_tell *tell;
    void *user;
};

bool sqlite_file_is(struct bough_str first)
{
    return first.n >= sizeof magic && memcmp(first.p, magic, sizeof magic) == 0;
}

const struct format *sqlite_file_format(const struct sqlite_file *f)
{
    return f->format;
}

bool sqlite_file_live(const struct sqlite_file *f)
{
    return f->how == OPEN_SHARED || f->how == OPEN_LONELY;
}

/* ---- what went wrong ---- */

static enum bough_rc rc_of(int code)
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

static enum bough_rc fail(struct sqlite_file *f, int code, struct bough_error *err)
{
    if (code == SQLITE_READONLY_ROLLBACK)
        return bough_fail(err, BOUGH_CONFLICT,
                          "%s: a write in it was interrupted; open it once with its own tool",
                          f->path);
    if ((code & 0xff) == SQLITE_INTERRUPT)
        return bough_fail(err, BOUGH_TIMEOUT, "%s: a row did not come within %d s", f->path,
                          PATIENCE_MS / 1000);
    return bough_fail(err, rc_of(code), "%s: %s", f->path,
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
    const struct sqlite_file *f = user;

    return now_ms() > f->until;
}

static void be_patient(struct sqlite_file *f)
{
    f->until = now_ms() + PATIENCE_MS;
}

/* ---- opening ---- */

/* By the header and by what lies beside it. */
static enum how choose(struct sqlite_file *f, bool logs)
{
    int64_t wal = fs_size(arena_printf(f->a, "%s-wal", f->path));

    if (!logs)
        return OPEN_LOCKED;
    if (wal >= 0 && fs_exists(arena_printf(f->a, "%s-shm", f->path)))
        return OPEN_SHARED;
    return wal > 0 ? OPEN_LONELY : OPEN_FROZEN;
}

/* Letters of a path that mean something in a URI. */
static const char *uri_of(struct sqlite_file *f)
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
        { SQLITE_LIMIT_SQL_LENGTH, 100000 }, /* statements that made its tables, too */
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

static int set_up(struct sqlite_file *f)
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
    sqlite3_busy_timeout(f->db, BUSY_MS);
    sqlite3_progress_handler(f->db, PROGRESS_OPS, on_progress, f);
    be_patient(f);
    /* Before anything is read: with it the log's index is kept in memory. */
    if (code == SQLITE_OK && f->how == OPEN_LONELY)
        code = sqlite3_exec(f->db, "PRAGMA locking_mode = EXCLUSIVE", NULL, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(f->db, "PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0", NULL, NULL,
                            NULL);
    if (code == SQLITE_OK)
        code = sqlite3_exec(f->db, arena_printf(f->a, "PRAGMA cache_size = -%d", CACHE_KB), NULL,
                            NULL, NULL);
    return code;
}

/* Temporary tables are ours; of the file there is only reading. */
static int authorize(void *user, int action, const char *one, const char *two, const char *base,
                     const char *by)
{
    (void)user;
    (void)one;
    (void)base;
    (void)by;
    switch (action) {
    case SQLITE_SELECT:
    case SQLITE_READ:
    case SQLITE_RECURSIVE:
    case SQLITE_TRANSACTION:
        return SQLITE_OK;
    case SQLITE_FUNCTION:
        return two && (strcmp(two, "instr") == 0 || strcmp(two, "count") == 0) ? SQLITE_OK
                                                                               : SQLITE_DENY;
    default:
        return SQLITE_DENY;
    }
}

static enum bough_rc connect(struct sqlite_file *f, struct bough_error *err)
{
    int code = sqlite3_initialize();

    if (code == SQLITE_OK)
        code = sqlite3_open_v2(uri_of(f), &f->db,
                               SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
                                   SQLITE_OPEN_EXRESCODE,
                               NULL);
    if (code == SQLITE_OK)
        code = set_up(f);
    if (code == SQLITE_OK && f->how != OPEN_LOCKED) /* one moment of it; readers hold nobody up */
        code = sqlite3_exec(f->db, "BEGIN", NULL, NULL, NULL);
    return code == SQLITE_OK ? BOUGH_OK : fail(f, code, err);
}

/* ---- whose it is ---- */

/* Its plain tables. Views and virtual tables run what their file says, so they are none. */
static int list_tables(struct sqlite_file *f)
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

static bool is_ours(struct sqlite_file *f)
{
    sqlite3_stmt *st = NULL;
    bool ours = sqlite3_prepare_v2(f->db, "PRAGMA application_id", -1, &st, NULL) == SQLITE_OK &&
                sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int(st, 0) == BOUGH_APPLICATION;

    sqlite3_finalize(st);
    return ours;
}

static enum bough_rc find_format(struct sqlite_file *f, const char *name, struct bough_error *err)
{
    int code = list_tables(f);

    if (code != SQLITE_OK)
        return fail(f, code, err);
    if (is_ours(f))
        return bough_fail(
            err, BOUGH_INVALID,
            "%s is a store of bough itself: use it with --store, or take its sessions "
            "out with export --format bough and import that",
            f->path);
    f->format = tables_format(&f->tables, f->a, name);
    if (f->format)
        return BOUGH_OK;
    if (f->odd)
        return bough_fail(
            err, BOUGH_INVALID,
            "%s: nobody knows these tables; %.100s is a view or a virtual table, which "
            "are not read",
            f->path, f->odd);
    return bough_fail(err, BOUGH_INVALID, "%s: a SQLite file whose tables %s knows", f->path,
                      name ? "that format does not" : "nobody");
}

enum bough_rc sqlite_file_open(const char *path, struct bough_str first, const char *name,
                               struct sqlite_file **out, struct bough_error *err)
{
    struct sqlite_file *f = mem_zalloc(sizeof *f);
    enum bough_rc rc = BOUGH_OK;

    *out = f;
    f->a = bough_arena_create();
    f->path = arena_strdup(f->a, path);
    if (first.n < HEADER || stat(path, &f->seen) != 0)
        rc = bough_fail(err, BOUGH_CORRUPT, "%s: it ends in its header", path);
    if (!rc) { /* the versions that may write and read it: 2 stands for a log */
        f->how = choose(f, first.p[18] == 2 || first.p[19] == 2);
        rc = connect(f, err);
    }
    if (!rc)
        rc = find_format(f, name, err);
    if (!rc && f->format->rows->prepare) {
        int code = sqlite3_exec(f->db, f->format->rows->prepare, NULL, NULL, NULL);

        rc = code == SQLITE_OK ? BOUGH_OK : fail(f, code, err);
    }
    if (rc) {
        sqlite_file_close(f);
        *out = NULL;
    } else {
        sqlite3_set_authorizer(f->db, authorize, f);
    }
    return rc;
}

void sqlite_file_close(struct sqlite_file *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->nasked; i++)
        sqlite3_finalize(f->asked[i].st);
    sqlite3_close(f->db);
    bough_arena_destroy(f->a);
    mem_free(f);
}

/* ---- reading ---- */

static enum bough_rc problem(struct sqlite_file *f, struct bough_error *err, const char *text)
{
    return give_problem(f->r, err, "%s", text);
}

static enum bough_rc statement(struct sqlite_file *f, const struct format_query *q,
                               sqlite3_stmt **out, struct bough_error *err)
{
    int code;

    for (size_t i = 0; i < f->nasked; i++)
        if (f->asked[i].q == q) {
            *out = f->asked[i].st;
            return BOUGH_OK;
        }
    if (f->nasked == QUERIES_MOST)
        return bough_fail(err, BOUGH_FULL, "%s asks too much", f->format->name);
    code = sqlite3_prepare_v3(f->db, tables_text(&f->tables, f->a, q->sql), -1,
                              SQLITE_PREPARE_PERSISTENT, out, NULL);
    if ((code & 0xff) == SQLITE_ERROR)
        return bough_fail(err, BOUGH_INVALID, "%s: its tables are not as %s makes them: %s",
                          f->path, f->format->name, sqlite3_errmsg(f->db));
    if (code != SQLITE_OK)
        return fail(f, code, err);
    f->asked[f->nasked].q = q;
    f->asked[f->nasked++].st = *out;
    return BOUGH_OK;
}

static void put_column(struct sqlite_file *f, struct json_writer *w, sqlite3_stmt *st, int i)
{
    const char *name = sqlite3_column_name(st, i), *text;
    double d;

    jw_key_str(w, text_clean(f->r->a, str_of(name)));
    switch (sqlite3_column_type(st, i)) {
    case SQLITE_INTEGER:
        jw_i64(w, sqlite3_column_int64(st, i));
        break;
    case SQLITE_FLOAT:
        d = sqlite3_column_double(st, i);
        if (d - d == 0)
            jw_f64(w, d);
        else /* infinite: JSON has no such number */
            jw_null(w);
        break;
    case SQLITE_NULL:
        jw_null(w);
        break;
    default: /* drivers keep text as blobs, too */
        text = sqlite3_column_blob(st, i);
        jw_str(w, text_clean(f->r->a, str_make(text, (size_t)sqlite3_column_bytes(st, i))));
        break;
    }
}

static enum bough_rc give_row(struct sqlite_file *f, const char *name, sqlite3_stmt *st,
                              struct bough_error *err)
{
    struct reading *r = f->r;
    struct json_writer w;
    struct json row;
    struct buf b;
    enum bough_rc rc;

    buf_init(&b, (size_t)(2 * LIMIT_MESSAGE_BYTES));
    jw_init(&w, &b);
    jw_obj(&w);
    for (int i = 0; i < sqlite3_column_count(st); i++)
        put_column(f, &w, st, i);
    jw_end_obj(&w);
    if (b.over)
        rc = problem(f, err, "a row that is too large was left out");
    else if (json_parse(r->a, buf_str(&b), &row, NULL))
        rc = problem(f, err, "a row that cannot be told was left out");
    else
        rc = f->format->rows->row(r, name, row, err);
    buf_finish(&b);
    bough_arena_reset(r->a);
    f->rows++;
    return rc;
}

static enum bough_rc ask(struct sqlite_file *f, const struct format_query *q, int64_t of,
                         struct bough_error *err);

static enum bough_rc ask_all(struct sqlite_file *f, const struct format_query *q, int64_t of,
                             struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (; q && q->sql && !rc; q++)
        if (!q->table || tables_have(&f->tables, tables_text(&f->tables, f->a, q->table)))
            rc = ask(f, q, of, err);
    return rc;
}

/* Damage ends the answer to one question; what is whole elsewhere is still read. */
static enum bough_rc ask_ended(struct sqlite_file *f, int code, struct bough_error *err)
{
    if (code == SQLITE_DONE)
        return BOUGH_OK;
    if (rc_of(code) != BOUGH_CORRUPT && rc_of(code) != BOUGH_TOO_LARGE)
        return fail(f, code, err);
    return give_problem(f->r, err, "the file is damaged here, or a row is too large: %s",
                        sqlite3_errmsg(f->db));
}

static enum bough_rc ask(struct sqlite_file *f, const struct format_query *q, int64_t of,
                         struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = statement(f, q, &st, err);
    int code = SQLITE_DONE;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, of);
    be_patient(f);
    while (!rc && (code = sqlite3_step(st)) == SQLITE_ROW) {
        int64_t at = sqlite3_column_int64(st, 0);

        if (q->name)
            rc = give_row(f, q->name, st, err);
        if (!rc)
            rc = ask_all(f, q->each, at, err);
        be_patient(f);
    }
    if (!rc)
        rc = ask_ended(f, code, err);
    sqlite3_reset(st);
    return rc;
}

/* All at once, so that no lock is held between sessions. */
static enum bough_rc list_sessions(struct sqlite_file *f, int64_t **out, size_t *n,
                                   struct bough_error *err)
{
    const struct format_query q = { .sql = f->format->rows->sessions };
    sqlite3_stmt *st = NULL;
    size_t cap = 0;
    enum bough_rc rc;
    int code = SQLITE_DONE;

    *out = NULL;
    *n = 0;
    rc = statement(f, &q, &st, err);
    if (rc)
        return rc;
    f->nasked--; /* asked once; the question lives only here */
    be_patient(f);
    while (*n < SESSIONS_MOST && (code = sqlite3_step(st)) == SQLITE_ROW) {
        if (*n == cap) {
            cap = cap ? 2 * cap : 256;
            *out = mem_realloc(*out, mem_array(cap, sizeof **out));
        }
        (*out)[(*n)++] = sqlite3_column_int64(st, 0);
    }
    if (*n == SESSIONS_MOST)
        rc = bough_fail(err, BOUGH_TOO_LARGE, "%s has more than %d sessions", f->path,
                        SESSIONS_MOST);
    else
        rc = ask_ended(f, code, err);
    sqlite3_finalize(st);
    return rc;
}

/* A file that was nobody's when we came may have been opened by its tool since. */
static bool was_written(struct sqlite_file *f)
{
    struct arena_mark mark = arena_mark(f->a);
    struct stat st;
    bool changed = stat(f->path, &st) != 0 || st.st_size != f->seen.st_size ||
                   st.st_mtim.tv_sec != f->seen.st_mtim.tv_sec ||
                   st.st_mtim.tv_nsec != f->seen.st_mtim.tv_nsec;

    changed = changed || fs_size(arena_printf(f->a, "%s-wal", f->path)) > 0;
    arena_rewind(f->a, mark);
    return f->how == OPEN_FROZEN && changed;
}

static enum bough_rc read_session(struct sqlite_file *f, int64_t at, struct bough_error *err)
{
    const struct format_rows *rows = f->format->rows;
    enum bough_rc rc;

    bough_arena_reset(f->r->kept);
    f->r->state = NULL;
    rc = ask_all(f, rows->each, at, err);
    if (!rc && rows->end)
        rc = rows->end(f->r, err);
    bough_arena_reset(f->r->a);
    if (!rc && was_written(f))
        rc = bough_fail(err, BOUGH_BUSY,
                        "%s: its tool began to write it; what was read so far is imported, import "
                        "it again for the rest",
                        f->path);
    return rc;
}

enum bough_rc sqlite_file_read(struct sqlite_file *f, struct reading *r, sqlite_file_tell *tell,
                               void *user, int64_t *rows, struct bough_error *err)
{
    struct bough_arena *kept = r->kept;
    int64_t *at = NULL;
    size_t n = 0;
    enum bough_rc rc;

    f->r = r;
    r->format = f->format;
    r->line = 0;
    r->kept = bough_arena_create();
    rc = list_sessions(f, &at, &n, err);
    for (size_t i = 0; i < n && !rc; i++) {
        rc = read_session(f, at[i], err);
        if (!rc && tell && !tell(user, (int64_t)i + 1, (int64_t)n))
            rc = bough_fail(err, BOUGH_TIMEOUT, "stopped; what was read so far is imported");
    }
    *rows = f->rows;
    mem_free(at);
    bough_arena_destroy(r->kept);
    r->kept = kept;
    return rc;
}
