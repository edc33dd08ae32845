/* Importing a file: its bytes to a format, what that reads to a store, and how far it came. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "base/str.h"
#include "transfer/opencode_storage.h"
#include "transfer/place.h"
#include "transfer/sqlite_file.h"

enum {
    PIECE = 256 * 1024,
    CLAIM_MS = 60000,
};

struct import {
    struct bough_store *s;
    const struct bough_import *how;
    const char *path, *name; /* name: what later imports know it by */
    int fd;
    struct sqlite_file *rows; /* it is a SQLite file */
    struct bough_str whole;   /* instead of the file: put together from several */
    size_t whole_at;
    int64_t size, done;
    struct bough_source *source; /* as an earlier import left it, or NULL */
    char owner[64];
    struct placer placer;
    struct reading reading;
    struct buf rest; /* of a line that is not whole yet, or the document so far */
    struct sha256 sum;
    char before[65], after[65]; /* sum of what was read before, and of all of it */
    char mark[160];             /* what is kept of it: sum, sum of its end, lines */
    bool torn;                  /* the last line has no end */
};

enum { TAIL = 4096, TAIL_HEX = 32 };

/* The store itself is never opened a second time: closing that would end SQLite's locks on it. */
static bool is_store(struct import *im)
{
    struct bough_info info;
    struct stat its, here;

    return bough_store_info(im->s, im->placer.a, &info, NULL) == BOUGH_OK && *info.path &&
           stat(info.path, &its) == 0 && stat(im->path, &here) == 0 && its.st_dev == here.st_dev &&
           its.st_ino == here.st_ino;
}

static enum bough_rc open_file(struct import *im, struct bough_error *err)
{
    struct stat st;

    if (is_store(im))
        return bough_fail(err, BOUGH_INVALID, "%s is this store itself", im->path);
    im->fd = open(im->path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (im->fd < 0 || fstat(im->fd, &st))
        return bough_fail(err, errno == ENOENT ? BOUGH_NOT_FOUND : BOUGH_IO, "%s: %s", im->path,
                          strerror(errno));
    if (!S_ISREG(st.st_mode))
        return bough_fail(err, BOUGH_INVALID, "%s is not a file", im->path);
    im->size = (int64_t)st.st_size;
    if (im->how->format && strcmp(im->how->format, "opencode") != 0)
        return BOUGH_OK;
    if (opencode_storage_read(&im->placer, im->path, &im->whole, err))
        return BOUGH_TOO_LARGE;
    im->size = im->whole.n ? (int64_t)im->whole.n : im->size;
    return BOUGH_OK;
}

static ssize_t read_piece(struct import *im, char *to, size_t n)
{
    ssize_t got;

    if (im->whole.n) {
        n = n < im->whole.n - im->whole_at ? n : im->whole.n - im->whole_at;
        memcpy(to, im->whole.p + im->whole_at, n);
        im->whole_at += n;
        return (ssize_t)n;
    }
    do
        got = read(im->fd, to, n);
    while (got < 0 && errno == EINTR);
    return got;
}

/* ---- what it is ---- */

static enum bough_rc choose_rows(struct import *im, struct bough_str first,
                                 struct bough_error *err);

static enum bough_rc choose_format(struct import *im, struct bough_error *err)
{
    char *first = arena_alloc(im->placer.a, 4096);
    ssize_t got = pread(im->fd, first, 4096, 0);
    const struct format *f;

    if (got < 0)
        return bough_fail(err, BOUGH_IO, "%s: %s", im->path, strerror(errno));
    if (sqlite_file_is(str_make(first, (size_t)got)))
        return choose_rows(im, str_make(first, (size_t)got), err);
    if (im->how->format || im->whole.n)
        f = format_find(im->whole.n ? "opencode" : im->how->format);
    else
        f = format_detect(str_make(first, (size_t)got));
    if (!f || (!f->line && !f->document))
        return im->how->format
                   ? bough_fail(err, BOUGH_INVALID, "no format that is read is called %.60s",
                                im->how->format)
                   : bough_fail(err, BOUGH_INVALID, "%s: nobody knows this format", im->path);
    im->reading.format = f;
    im->placer.out->format = f->name;
    return BOUGH_OK;
}

/* ---- reading it ---- */

static enum bough_rc give_line(struct import *im, struct bough_str line, struct bough_error *err)
{
    struct reading *r = &im->reading;
    enum bough_rc rc;

    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    r->line++;
    im->placer.out->lines++;
    rc = r->format->line(r, line, err);
    bough_arena_reset(r->a);
    return rc;
}

static enum bough_rc keep_rest(struct import *im, const char *p, size_t n, struct bough_error *err)
{
    buf_put(&im->rest, p, n);
    if (!im->rest.over)
        return BOUGH_OK;
    if (im->reading.format->document)
        return bough_fail(err, BOUGH_TOO_LARGE,
                          "%s: a file of this format may have %lld bytes: it is read as one text",
                          im->path, (long long)LIMIT_DOCUMENT);
    return bough_fail(err, BOUGH_TOO_LARGE, "%s: line %lld has more than %lld bytes", im->path,
                      (long long)im->reading.line + 1, (long long)LIMIT_MESSAGE_BYTES);
}

static enum bough_rc split_lines(struct import *im, const char *p, size_t n,
                                 struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    while (n && !rc) {
        const char *end = memchr(p, '\n', n);
        size_t take = end ? (size_t)(end - p) : n;

        if (!end)
            return keep_rest(im, p, n, err);
        if (im->rest.n) {
            rc = keep_rest(im, p, take, err);
            if (!rc)
                rc = give_line(im, buf_str(&im->rest), err);
            buf_reset(&im->rest);
        } else {
            rc = give_line(im, str_make(p, take), err);
        }
        p += take + 1;
        n -= take + 1;
    }
    return rc;
}

/* The sum of what was read before stands at that offset; of all of it at the end. */
static void add_sum(struct import *im, const char *p, size_t n)
{
    int64_t old = im->source ? im->source->offset : 0;

    if (im->done < old && im->done + (int64_t)n >= old) {
        size_t part = (size_t)(old - im->done);
        unsigned char sum[32];
        struct sha256 copy;

        sha256_update(&im->sum, p, part);
        sha256_copy(&copy, &im->sum);
        sha256_final(&copy, sum);
        sha256_hex(sum, im->before);
        sha256_update(&im->sum, p + part, n - part);
    } else {
        sha256_update(&im->sum, p, n);
    }
    im->done += (int64_t)n;
}

static void finish_sum(struct import *im)
{
    unsigned char sum[32];

    sha256_final(&im->sum, sum);
    sha256_hex(sum, im->after);
}

static bool tell(struct import *im)
{
    return !im->how->progress || im->how->progress(im->how->user, im->done, im->size);
}

static enum bough_rc sum_all(struct import *im, struct bough_error *err)
{
    char *piece = arena_alloc(im->placer.a, PIECE);
    ssize_t got;

    sha256_init(&im->sum);
    while ((got = read_piece(im, piece, PIECE)) > 0)
        add_sum(im, piece, (size_t)got);
    finish_sum(im);
    return got < 0 ? bough_fail(err, BOUGH_IO, "%s: %s", im->path, strerror(errno)) : BOUGH_OK;
}

static bool same_sum(const char *sum, const char *mark)
{
    return strlen(sum) == 64 && strncmp(sum, mark, 64) == 0;
}

/* All of it once: is it as it was? */
static enum bough_rc sum_only(struct import *im, bool *same, struct bough_error *err)
{
    enum bough_rc rc;

    *same = false;
    if (!im->source || im->source->offset != im->size || !*im->source->hash)
        return BOUGH_OK;
    if (im->rows) {
        *same = same_sum(im->after, im->source->hash);
        return BOUGH_OK;
    }
    rc = sum_all(im, err);
    if (rc)
        return rc;
    *same = im->done == im->size && same_sum(im->after, im->source->hash);
    im->done = 0;
    im->whole_at = 0;
    return lseek(im->fd, 0, SEEK_SET) < 0
               ? bough_fail(err, BOUGH_IO, "%s: %s", im->path, strerror(errno))
               : BOUGH_OK;
}

/* The sum of what stands right before an offset. */
static bool tail_sum(struct import *im, int64_t offset, char out[TAIL_HEX + 1])
{
    size_t n = offset < TAIL ? (size_t)offset : TAIL;
    unsigned char sum[SHA256_LEN];
    char bytes[TAIL], hex[65];

    if (im->fd < 0 || im->whole.n || pread(im->fd, bytes, n, offset - (int64_t)n) != (ssize_t)n)
        return false;
    sha256(bytes, n, sum);
    sha256_hex(sum, hex);
    memcpy(out, hex, TAIL_HEX);
    out[TAIL_HEX] = '\0';
    return true;
}

/* Where only whole lines were read, the next reading may go on behind them. */
static void make_mark(struct import *im)
{
    char tail[TAIL_HEX + 1];

    if (im->reading.format->resumes && !im->torn && im->done && tail_sum(im, im->done, tail))
        snprintf(im->mark, sizeof im->mark, "%s %s %lld", *im->after ? im->after : "-", tail,
                 (long long)im->reading.line);
    else
        snprintf(im->mark, sizeof im->mark, "%s", im->after);
}

/* Its first line, then on behind what was read before. False: all of it must be read. */
static bool can_resume(struct import *im, long long *lines)
{
    char tail[TAIL_HEX + 1], was[TAIL_HEX + 1], sum[65];

    return im->how->follow && im->reading.format->resumes && im->source && im->source->offset > 0 &&
           im->source->offset < im->size &&
           sscanf(im->source->hash, "%64s %32s %lld", sum, was, lines) == 3 &&
           tail_sum(im, im->source->offset, tail) && strcmp(tail, was) == 0;
}

static enum bough_rc read_first(struct import *im, struct bough_error *err)
{
    char *first = arena_alloc(im->placer.a, PIECE), *end;
    ssize_t got = pread(im->fd, first, PIECE, 0);

    end = got > 0 ? memchr(first, '\n', (size_t)got) : NULL;
    if (!end)
        return bough_fail(err, BOUGH_CONFLICT, "all of the file must be read");
    return give_line(im, str_make(first, (size_t)(end - first)), err);
}

/* BOUGH_CONFLICT: it cannot be read on from there. */
static enum bough_rc resume(struct import *im, long long lines, struct bough_error *err)
{
    enum bough_rc rc;

    im->placer.resumed = true;
    rc = read_first(im, err);
    if (!rc && lseek(im->fd, (off_t)im->source->offset, SEEK_SET) < 0)
        rc = bough_fail(err, BOUGH_IO, "%s: %s", im->path, strerror(errno));
    im->done = im->source->offset;
    im->reading.line = lines;
    return rc;
}

static enum bough_rc read_all(struct import *im, struct bough_error *err)
{
    const struct format *f = im->reading.format;
    char *piece = arena_alloc(im->placer.a, PIECE);
    enum bough_rc rc = BOUGH_OK;
    ssize_t got = 0;

    buf_init(&im->rest, f->line ? LIMIT_MESSAGE_BYTES : LIMIT_DOCUMENT);
    sha256_init(&im->sum);
    while (!rc && (got = read_piece(im, piece, PIECE)) > 0) {
        add_sum(im, piece, (size_t)got);
        rc = f->line ? split_lines(im, piece, (size_t)got, err)
                     : keep_rest(im, piece, (size_t)got, err);
        if (!rc && !tell(im))
            rc = bough_fail(err, BOUGH_TIMEOUT, "stopped; what was read so far is imported");
    }
    if (got < 0)
        rc = bough_fail(err, BOUGH_IO, "%s: %s", im->path, strerror(errno));
    finish_sum(im);
    if (im->placer.resumed) /* of the end alone: no sum of the file */
        im->after[0] = '\0';
    im->torn = f->line && im->rest.n;
    if (!rc && im->torn) /* a last line without its end: whole, or being written just now */
        rc = give_line(im, buf_str(&im->rest), err);
    if (!rc && f->document)
        rc = f->document(&im->reading, buf_str(&im->rest), err);
    if (!rc && f->end)
        rc = f->end(&im->reading, err);
    buf_finish(&im->rest);
    return rc;
}

/* ---- rows ---- */

/* SQLite's locks are this process's: no descriptor of ours may be open, and then closed, beside it.
 */
static enum bough_rc choose_rows(struct import *im, struct bough_str first, struct bough_error *err)
{
    enum bough_rc rc = sum_all(im, err);

    close(im->fd);
    im->fd = -1;
    if (!rc)
        rc = sqlite_file_open(im->path, first, im->how->format, &im->rows, err);
    if (rc)
        return rc;
    if (sqlite_file_live(im->rows)) /* what is new may be in its log alone */
        im->after[0] = '\0';
    im->reading.format = sqlite_file_format(im->rows);
    im->placer.out->format = im->reading.format->name;
    return BOUGH_OK;
}

static bool tell_rows(void *user, int64_t done, int64_t total)
{
    const struct import *im = user;

    return !im->how->progress ||
           im->how->progress(im->how->user, total ? im->size / total * done : im->size, im->size);
}

/* ---- what is kept of it ---- */

static enum bough_rc claim(struct import *im, struct bough_error *err)
{
    struct bough_source *s;
    enum bough_rc rc;

    if (im->how->owner)
        snprintf(im->owner, sizeof im->owner, "%.60s", im->how->owner);
    else
        snprintf(im->owner, sizeof im->owner, "import %ld", (long)getpid());
    if (im->how->dry) {
        if (bough_source_get(im->s, im->placer.a, im->name, &im->source, NULL))
            im->source = NULL;
        return BOUGH_OK;
    }
    rc = bough_source_claim(im->s, im->placer.a, im->name, im->owner, CLAIM_MS, &s, err);
    im->source = rc ? NULL : s;
    return rc;
}

/* Written down also after an error, so that the claim is given back. */
static enum bough_rc write_down(struct import *im, bool all, struct bough_error *err)
{
    struct bough_source now;
    enum bough_rc rc = BOUGH_OK;

    if (im->how->dry || !im->source)
        return BOUGH_OK;
    now = *im->source;
    now.owner = im->owner;
    if (all) {
        now.format = im->reading.format->name;
        make_mark(im);
        now.hash = im->mark;
        now.size = now.offset = im->done;
        if (*im->placer.out->session)
            now.session = im->placer.out->session;
        rc = bough_source_put(im->s, im->placer.a, &now, NULL, err);
    }
    if (bough_source_claim(im->s, im->placer.a, im->name, im->owner, 0, NULL, rc ? NULL : err) &&
        !rc)
        rc = BOUGH_IO;
    return rc;
}

static void conclude(struct import *im)
{
    struct bough_imported *out = im->placer.out;
    bool before = im->source && im->source->offset > 0;
    bool other = before && im->reading.format->appends && !im->placer.resumed &&
                 !same_sum(im->before, im->source->hash) && out->added;
    bool edited = im->placer.edited || other;

    out->bytes = im->done;
    if (edited)
        out->status = BOUGH_IMPORT_EDITED;
    else if (!out->added && !out->sessions)
        out->status = BOUGH_IMPORT_UNCHANGED;
    else
        out->status = before || !out->sessions ? BOUGH_IMPORT_GREW : BOUGH_IMPORT_NEW;
}

static enum bough_rc import_open(struct import *im, struct bough_error *err)
{
    bool same = false;
    long long lines = 0;
    enum bough_rc rc = choose_format(im, err);

    if (!rc)
        rc = claim(im, err);
    if (rc)
        return rc;
    /* A file of many sessions is none of them. */
    im->placer.known = im->source && !im->rows ? im->source->session : "";
    if (can_resume(im, &lines))
        rc = resume(im, lines, err);
    else
        rc = sum_only(im, &same, err);
    if (!rc && same) {
        im->placer.out->session = arena_strdup(im->placer.answers, im->source->session);
        im->placer.out->status = BOUGH_IMPORT_UNCHANGED;
        return write_down(im, false, err);
    }
    if (!rc && im->rows)
        rc = sqlite_file_read(im->rows, &im->reading, tell_rows, im, &im->placer.out->lines, err);
    else if (!rc)
        rc = read_all(im, err);
    if (!rc)
        rc = placer_end(&im->placer, err);
    if (rc) {
        (void)write_down(im, false, NULL);
        return rc;
    }
    conclude(im);
    return write_down(im, true, err);
}

static enum bough_rc import_once(struct bough_store *s, struct bough_arena *a, const char *path,
                                 const struct bough_import *how, struct bough_imported *out,
                                 bool *again, struct bough_error *err)
{
    struct import im = { .s = s, .how = how, .path = path, .fd = -1 };
    enum bough_rc rc;

    im.name = how->name ? arena_strdup(a, how->name) : path;
    *out = (struct bough_imported){ .path = im.name, .session = "" };
    im.placer = (struct placer){
        .s = s, .how = im.how, .path = im.path, .known = "", .out = out, .answers = a
    };
    placer_init(&im.placer);
    im.reading = (struct reading){ .sink = { placer_take, &im.placer },
                                   .kept = im.placer.a,
                                   .a = bough_arena_create(),
                                   .name = im.path };
    rc = open_file(&im, err);
    if (!rc)
        rc = import_open(&im, err);
    *again = rc == BOUGH_CONFLICT && im.placer.resumed;
    sqlite_file_close(im.rows);
    if (im.fd >= 0)
        close(im.fd);
    bough_arena_destroy(im.reading.a);
    placer_finish(&im.placer);
    return rc;
}

enum bough_rc bough_import_file(struct bough_store *s, struct bough_arena *a, const char *path,
                                const struct bough_import *how, struct bough_imported *out,
                                struct bough_error *err)
{
    struct bough_import all = how ? *how : (struct bough_import){ 0 };
    char *full = path ? realpath(path, NULL) : NULL;
    const char *name = arena_strdup(a, full ? full : path ? path : "");
    bool again;
    enum bough_rc rc;

    free(full);
    rc = import_once(s, a, name, &all, out, &again, err);
    if (!again)
        return rc;
    all.follow = false; /* what it hangs on is not behind what was read before */
    return import_once(s, a, name, &all, out, &again, err);
}

/* ---- the formats there are ---- */

struct bough_format *bough_format_list(struct bough_arena *a, size_t *n)
{
    struct bough_format *out;

    for (*n = 0; all_formats[*n]; ++*n)
        continue;
    out = arena_array(a, *n + 1, sizeof *out);
    for (size_t i = 0; i < *n; i++) {
        const struct format *f = all_formats[i];

        out[i] =
            (struct bough_format){ f->name, f->about, f->suffix, format_reads(f), f->writes != 0 };
    }
    return out;
}

const char *bough_format_detect(struct bough_str first)
{
    const struct format *f = format_detect(first);

    return f ? f->name : NULL;
}
