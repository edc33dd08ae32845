/* Reads the rows of another tool's SQLite file, in the child process, and writes them to its pipe.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/json/write.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "transfer/sources/sqlite_child.h"

enum {
    SESSIONS_MOST = 4 * 1024 * 1024, /* their rowids are held in memory */
    FLUSH = 256 * 1024,
};

/* ---- frames ---- */

static void flush(struct sqlite_child *f)
{
    struct bough_str s = buf_str(&f->frames);

    while (s.n) {
        ssize_t n = write(f->out, s.p, s.n);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            _exit(1); /* the reader is gone */
        s = str_make(s.p + n, s.n - (size_t)n);
    }
    buf_reset(&f->frames);
}

/* A frame is its kind, the length of its payload, and the payload: `name`, a NUL, `text`. */
static void put_frame(struct sqlite_child *f, enum sqlite_frame kind, const char *name,
                      struct bough_str text)
{
    struct sqlite_frame_head head = { .kind = kind, .n = strlen(name) + 1 + text.n };

    buf_put(&f->frames, &head, sizeof head);
    buf_put(&f->frames, name, strlen(name) + 1);
    buf_put(&f->frames, text.p, text.n);
    if (f->frames.n >= FLUSH)
        flush(f);
}

/* ---- rows ---- */

static void problem(struct sqlite_child *f, const char *text)
{
    put_frame(f, FRAME_PROBLEM, "", str_of(text));
}

static enum bough_rc statement(struct sqlite_child *f, const struct format_query *q,
                               sqlite3_stmt **out, struct bough_error *err)
{
    int code;

    for (size_t i = 0; i < f->nasked; i++)
        if (f->asked[i].q == q) {
            *out = f->asked[i].st;
            return BOUGH_OK;
        }
    if (f->nasked == SQLITE_QUERIES_MOST)
        return bough_fail(err, BOUGH_FULL, "%s exceeds the limits for files of other tools",
                          f->format->name);
    code = sqlite3_prepare_v3(f->db, tables_text(&f->tables, f->a, q->sql), -1,
                              SQLITE_PREPARE_PERSISTENT, out, NULL);
    if ((code & 0xff) == SQLITE_ERROR)
        return bough_fail(err, BOUGH_INVALID, "%s: its tables are not as %s makes them: %s",
                          f->path, f->format->name, sqlite3_errmsg(f->db));
    if (code != SQLITE_OK)
        return sqlite_child_fail(f, code, err);
    f->asked[f->nasked].q = q;
    f->asked[f->nasked++].st = *out;
    return BOUGH_OK;
}

static void put_column(struct sqlite_child *f, struct json_writer *w, sqlite3_stmt *st, int i)
{
    const char *name = sqlite3_column_name(st, i), *text;
    struct bough_str was, clean;
    double d;

    jw_key_str(w, text_clean(f->row, str_of(name)));
    switch (sqlite3_column_type(st, i)) {
    case SQLITE_INTEGER:
        jw_i64(w, sqlite3_column_int64(st, i));
        break;
    case SQLITE_FLOAT:
        d = sqlite3_column_double(st, i);
        if (d - d == 0)
            jw_f64(w, d);
        else /* infinity is not valid JSON */
            jw_null(w);
        break;
    case SQLITE_NULL:
        jw_null(w);
        break;
    default: /* some drivers store text as blobs */
        text = sqlite3_column_blob(st, i);
        was = str_make(text, (size_t)sqlite3_column_bytes(st, i));
        clean = text_clean(f->row, was);
        if (clean.p != was.p)
            problem(f, arena_printf(f->row,
                                    "bytes in a column, %.60s, are not UTF-8, or NUL: they "
                                    "were replaced",
                                    name));
        jw_str(w, clean);
        break;
    }
}

static void give_row(struct sqlite_child *f, const char *name, sqlite3_stmt *st)
{
    struct json_writer w;
    struct buf b;

    buf_init(&b, (size_t)(2 * LIMIT_MESSAGE_BYTES));
    jw_init(&w, &b);
    jw_obj(&w);
    for (int i = 0; i < sqlite3_column_count(st) && !b.over; i++)
        put_column(f, &w, st, i);
    jw_end_obj(&w);
    if (b.over)
        problem(f, "a row that is too large was left out");
    else
        put_frame(f, FRAME_ROW, name, buf_str(&b));
    buf_finish(&b);
    bough_arena_reset(f->row);
}

static enum bough_rc ask(struct sqlite_child *f, const struct format_query *q, int64_t of,
                         struct bough_error *err);

static enum bough_rc ask_all(struct sqlite_child *f, const struct format_query *q, int64_t of,
                             struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (; q && q->sql && !rc; q++)
        if (!q->table || tables_have(&f->tables, tables_text(&f->tables, f->a, q->table)))
            rc = ask(f, q, of, err);
    return rc;
}

/* Damage ends one query; the others still run. */
static enum bough_rc ask_ended(struct sqlite_child *f, int code, struct bough_error *err)
{
    if (code == SQLITE_DONE)
        return BOUGH_OK;
    if (sqlite_child_rc(code) != BOUGH_CORRUPT && sqlite_child_rc(code) != BOUGH_TOO_LARGE)
        return sqlite_child_fail(f, code, err);
    problem(f, arena_printf(f->row, "the file is damaged here, or a row is too large: %s",
                            sqlite3_errmsg(f->db)));
    return BOUGH_OK;
}

static enum bough_rc ask(struct sqlite_child *f, const struct format_query *q, int64_t of,
                         struct bough_error *err)
{
    sqlite3_stmt *st;
    enum bough_rc rc = statement(f, q, &st, err);
    int code = SQLITE_DONE;

    if (rc)
        return rc;
    sqlite3_bind_int64(st, 1, of);
    sqlite_child_be_patient(f);
    while (!rc && (code = sqlite3_step(st)) == SQLITE_ROW) {
        int64_t at = sqlite3_column_int64(st, 0);

        if (q->name)
            give_row(f, q->name, st);
        if (!rc)
            rc = ask_all(f, q->each, at, err);
        sqlite_child_be_patient(f);
    }
    if (!rc)
        rc = ask_ended(f, code, err);
    sqlite3_reset(st);
    return rc;
}

/* Read all rowids first, so that no lock is held between sessions. */
static enum bough_rc list_sessions(struct sqlite_child *f, int64_t **out, size_t *n,
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
    f->nasked--; /* not cached: `q` lives only in this function */
    sqlite_child_be_patient(f);
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

/* OPEN_FROZEN takes no locks, so check whether the tool has written since. */
static bool was_written(struct sqlite_child *f)
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

static enum bough_rc read_session(struct sqlite_child *f, int64_t at, struct bough_error *err)
{
    enum bough_rc rc = ask_all(f, f->format->rows->each, at, err);

    if (!rc)
        put_frame(f, FRAME_SESSION, "", str_of(""));
    if (!rc && was_written(f))
        rc = bough_fail(err, BOUGH_BUSY,
                        "%s: its tool began to write it; what was read so far is imported, import "
                        "it again for the rest",
                        f->path);
    return rc;
}

/* ---- the child ---- */

static enum bough_rc read_all(struct sqlite_child *f, struct bough_error *err)
{
    char count[24];
    int64_t *at = NULL;
    size_t n = 0;
    enum bough_rc rc = list_sessions(f, &at, &n, err);

    snprintf(count, sizeof count, "%zu", n);
    if (!rc)
        put_frame(f, FRAME_COUNT, "", str_of(count));
    for (size_t i = 0; i < n && !rc; i++)
        rc = read_session(f, at[i], err);
    mem_free(at);
    return rc;
}

void sqlite_child_run(void *user, int out)
{
    struct sqlite_child *f = user;
    struct bough_error err = { 0 };
    enum bough_rc rc;

    f->out = out;
    f->row = bough_arena_create();
    buf_init(&f->frames, (size_t)(3 * LIMIT_MESSAGE_BYTES));
    rc = sqlite_child_open(f, f->name, &err);
    if (!rc) {
        put_frame(f, FRAME_FORMAT, f->format->name, str_of(f->tables.prefix));
        flush(f);
        rc = read_all(f, &err);
    }
    if (rc)
        put_frame(f, FRAME_FAILED, err.msg, str_of((const char[]){ (char)('A' + (int)rc), 0 }));
    else
        put_frame(f, FRAME_END, "", str_of(""));
    flush(f);
}
