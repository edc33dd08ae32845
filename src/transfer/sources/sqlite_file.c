/* Reads other tools' SQLite files through a child process: a file that is made to crash SQLite, to
 * compute for ever or to take all memory ends the child. Rows come as frames of JSON; formats read
 * them here. */
#include "transfer/sources/sqlite_file.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/pull.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/confined.h"
#include "base/text/str.h"
#include "transfer/sources/sqlite_child.h"

enum {
    HEADER = 100,
    SILENCE_MS = 150000, /* the child gives up on a row before this */
    CPU_S = 600,
    READ = 256 * 1024,
};

#define MEMORY (INT64_C(768) * 1024 * 1024)      /* a row of 64 MB, and its JSON */
#define OUTPUT_LEAST (INT64_C(64) * 1024 * 1024) /* bytes that any file may become */
#define OUTPUT_RATIO 200                         /* larger files: this many times their size */

static const char magic[] = "SQLite format 3";

struct sqlite_file {
    struct sqlite_child child; /* what the child starts with */
    struct confined process;
    const struct format *format;
    struct buf in; /* bytes of the pipe from `at` on are not used yet */
    size_t at;
    int64_t taken, most; /* bytes that the child wrote, and may write */
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
    return f->child.how == OPEN_SHARED || f->child.how == OPEN_LONELY;
}

/* ---- fork() ---- */

/* The child must not find a lock of SQLite taken by a thread that it does not have. These are the
 * locks that opening and reading a file use, in the order in which SQLite nests them. */
static const int locks[] = { SQLITE_MUTEX_STATIC_MAIN, SQLITE_MUTEX_STATIC_VFS1,
                             SQLITE_MUTEX_STATIC_LRU, SQLITE_MUTEX_STATIC_PRNG };
enum { NLOCKS = sizeof locks / sizeof *locks };

static void lock_sqlite(void)
{
    for (int i = 0; i < NLOCKS; i++)
        sqlite3_mutex_enter(sqlite3_mutex_alloc(locks[i]));
}

static void unlock_sqlite(void)
{
    for (int i = NLOCKS; i-- > 0;)
        sqlite3_mutex_leave(sqlite3_mutex_alloc(locks[i]));
}

static void guard_forks(void)
{
    if (sqlite3_initialize() == SQLITE_OK)
        (void)pthread_atfork(lock_sqlite, unlock_sqlite, unlock_sqlite);
}

void sqlite_file_guard_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, guard_forks);
}

/* ---- frames ---- */

/* The child ended, or is ended, before its last frame. */
static enum bough_rc lost(struct sqlite_file *f, struct bough_error *err)
{
    int by = confined_wait(&f->process); /* the pipe has ended, so it is ending */

    if (by == SIGXCPU || by == SIGKILL)
        return bough_fail(err, BOUGH_TIMEOUT, "%s takes too long to read", f->child.path);
    if (by == SIGABRT)
        return bough_fail(err, BOUGH_TOO_LARGE, "%s takes too much memory to read", f->child.path);
    return bough_fail(err, BOUGH_CORRUPT, "%s: SQLite ended while it read the file (signal %d)",
                      f->child.path, by);
}

static enum bough_rc fill(struct sqlite_file *f, struct bough_error *err)
{
    struct pollfd p = { .fd = f->process.fd, .events = POLLIN };
    char bytes[READ];
    ssize_t n;
    int ready;

    do
        ready = poll(&p, 1, SILENCE_MS);
    while (ready < 0 && errno == EINTR);
    if (ready <= 0)
        return bough_fail(err, BOUGH_TIMEOUT, "%s takes too long to read", f->child.path);
    do
        n = read(f->process.fd, bytes, sizeof bytes);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return lost(f, err);
    f->taken += n;
    if (f->taken > f->most)
        return bough_fail(err, BOUGH_TOO_LARGE, "%s becomes more than %lld MB: refused",
                          f->child.path, (long long)(f->most >> 20));
    if (f->at) { /* drop what was used */
        size_t rest = f->in.n - f->at;

        memmove(f->in.p, f->in.p + f->at, rest);
        f->in.n = rest;
        f->at = 0;
    }
    buf_put(&f->in, bytes, (size_t)n);
    return f->in.over
               ? bough_fail(err, BOUGH_TOO_LARGE, "%s has a row that is too large", f->child.path)
               : BOUGH_OK;
}

/* The next frame. Its texts are valid until the next call. */
static enum bough_rc next(struct sqlite_file *f, uint64_t *kind, const char **name,
                          struct bough_str *text, struct bough_error *err)
{
    struct sqlite_frame_head head = { 0 };
    const char *p;
    size_t len;

    for (;;) {
        size_t has = f->in.n - f->at;
        enum bough_rc rc;

        if (has >= sizeof head)
            memcpy(&head, f->in.p + f->at, sizeof head);
        if (has >= sizeof head && has - sizeof head >= head.n)
            break;
        rc = fill(f, err);
        if (rc)
            return rc;
    }
    p = f->in.p + f->at + sizeof head;
    f->at += sizeof head + head.n;
    len = strnlen(p, head.n);
    if (len == head.n)
        return bough_fail(err, BOUGH_CORRUPT, "%s: it cannot be read", f->child.path);
    *kind = head.kind;
    *name = p;
    *text = str_make(p + len + 1, head.n - len - 1);
    return BOUGH_OK;
}

#define ONE(...) +1
enum { CODES = 0 BOUGH_CODES(ONE) };

static enum bough_rc failed(const char *why, struct bough_str code, struct bough_error *err)
{
    int rc = code.n == 1 ? code.p[0] - 'A' : 0;

    return bough_fail(err, rc > BOUGH_OK && rc < CODES ? (enum bough_rc)rc : BOUGH_IO, "%s", why);
}

/* ---- opening ---- */

static enum bough_rc start(struct sqlite_file *f, struct bough_error *err)
{
    const struct confined_limits limits = { .memory = MEMORY, .cpu_s = CPU_S };
    const char *name = "";
    struct bough_str text = { "", 0 };
    uint64_t kind = 0;
    enum bough_rc rc;

    sqlite_file_guard_forks();
    if (!confined_start(&f->process, &limits, sqlite_child_run, &f->child))
        return bough_fail(err, BOUGH_IO, "cannot start a process to read %s: %s", f->child.path,
                          strerror(errno));
    rc = next(f, &kind, &name, &text, err);
    if (!rc && kind == FRAME_FAILED)
        rc = failed(name, text, err);
    if (!rc)
        f->format = format_find(name);
    if (!rc && (kind != FRAME_FORMAT || !f->format))
        rc = bough_fail(err, BOUGH_CORRUPT, "%s: it cannot be read", f->child.path);
    return rc;
}

enum bough_rc sqlite_file_open(const char *path, struct bough_str first, const char *name,
                               struct sqlite_file **out, struct bough_error *err)
{
    struct sqlite_file *f = mem_zalloc(sizeof *f);
    enum bough_rc rc = BOUGH_OK;

    *out = f;
    f->child.a = bough_arena_create();
    f->child.path = arena_strdup(f->child.a, path);
    f->child.name = name ? arena_strdup(f->child.a, name) : NULL;
    buf_init(&f->in, (size_t)(3 * LIMIT_MESSAGE_BYTES));
    if (first.n < HEADER || stat(path, &f->child.seen) != 0)
        rc = bough_fail(err, BOUGH_CORRUPT, "%s: it ends in its header", path);
    f->most = OUTPUT_RATIO * (int64_t)f->child.seen.st_size;
    if (f->most < OUTPUT_LEAST)
        f->most = OUTPUT_LEAST;
    if (!rc) { /* version 2 in the header means WAL mode */
        f->child.how = sqlite_child_how(&f->child, first.p[18] == 2 || first.p[19] == 2);
        rc = start(f, err);
    }
    if (rc) {
        sqlite_file_close(f);
        *out = NULL;
    }
    return rc;
}

void sqlite_file_close(struct sqlite_file *f)
{
    if (!f)
        return;
    (void)confined_end(&f->process);
    buf_finish(&f->in);
    bough_arena_destroy(f->child.a);
    mem_free(f);
}

/* ---- reading ---- */

static enum bough_rc take_row(struct reading *r, const char *name, struct bough_str text,
                              struct bough_error *err)
{
    struct json row;

    if (json_parse(r->a, text, &row, NULL))
        return give_problem(r, err, "a row that cannot be told was left out");
    return r->format->rows->row(r, name, row, err);
}

/* The rows of a session have come. */
static enum bough_rc end_session(struct reading *r, struct bough_error *err)
{
    enum bough_rc rc = r->format->rows->end ? r->format->rows->end(r, err) : BOUGH_OK;

    bough_arena_reset(r->kept);
    r->state = NULL;
    return rc;
}

static enum bough_rc read_frames(struct sqlite_file *f, struct reading *r, sqlite_file_tell *tell,
                                 void *user, int64_t *rows, struct bough_error *err)
{
    int64_t done = 0, total = 0;
    enum bough_rc rc = BOUGH_OK;

    for (;;) {
        struct bough_str text = { "", 0 };
        const char *name = "";
        uint64_t kind = 0;

        rc = next(f, &kind, &name, &text, err);
        if (rc || kind == FRAME_END)
            return rc;
        if (kind == FRAME_FAILED)
            return failed(name, text, err);
        if (kind == FRAME_ROW) {
            ++*rows;
            rc = take_row(r, name, text, err);
        } else if (kind == FRAME_PROBLEM) {
            rc = give_problem(r, err, "%.*s", (int)text.n, text.p);
        } else if (kind == FRAME_SESSION) {
            rc = end_session(r, err);
            if (!rc && tell && !tell(user, ++done, total))
                rc = bough_fail(err, BOUGH_CANCELLED, "stopped; what was read so far is imported");
        } else if (kind == FRAME_COUNT) {
            (void)json_span_i64(text, &total);
        }
        bough_arena_reset(r->a);
        if (rc)
            return rc;
    }
}

enum bough_rc sqlite_file_read(struct sqlite_file *f, struct reading *r, sqlite_file_tell *tell,
                               void *user, int64_t *rows, struct bough_error *err)
{
    struct bough_arena *kept = r->kept;
    enum bough_rc rc;

    r->format = f->format;
    r->line = 0;
    r->state = NULL;
    r->kept = bough_arena_create();
    rc = read_frames(f, r, tell, user, rows, err);
    bough_arena_destroy(r->kept);
    r->kept = kept;
    return rc;
}
