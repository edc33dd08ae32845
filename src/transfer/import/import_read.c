/* Reads the bytes of an imported file and gives them to its format, as lines or as a document. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "transfer/import/import.h"

enum { PIECE = 256 * 1024 };

static enum bough_rc io_error(const struct import *im, struct bough_error *err)
{
    return bough_fail(err, BOUGH_IO, "%s: %s", im->name, strerror(errno));
}

/* Returns less than n only at the end of the file; -1 on an error. */
static ssize_t read_at(const struct import *im, int64_t at, char *to, size_t n)
{
    size_t got = 0;

    while (got < n) {
        ssize_t one = pread(im->fd, to + got, n - got, (off_t)(at + (int64_t)got));

        if (one < 0 && errno == EINTR)
            continue;
        if (one < 0)
            return -1;
        if (!one)
            break;
        got += (size_t)one;
    }
    return (ssize_t)got;
}

enum bough_rc import_tell(struct import *im, int64_t done, struct bough_error *err)
{
    if (!im->how->progress || im->how->progress(im->how->user, done, im->size))
        return BOUGH_OK;
    return bough_fail(err, BOUGH_CANCELLED, "stopped; what was read so far is imported");
}

/* The reader thread reports through the queue: the caller's function is called in its own
 * thread. */
static enum bough_rc tell(struct import *im, int64_t done, struct bough_error *err)
{
    return im->queue ? item_queue_progress(im->queue, done, err) : import_tell(im, done, err);
}

/* ---- checksums ---- */

/* Add to the checksum. im->before is taken at the offset where an earlier import ended. */
static void add_sum(struct import *im, const char *p, size_t n)
{
    int64_t old = im->known;

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

void import_end_sum(struct import *im)
{
    unsigned char sum[32];

    if (!im->summing)
        return;
    im->summing = false;
    sha256_final(&im->sum, sum);
    sha256_hex(sum, im->after);
}

/* Add the rest of the file to the checksum, up to the size it had when opened. */
static enum bough_rc sum_rest(struct import *im, char *piece, struct bough_error *err)
{
    ssize_t got = 1;

    while (got > 0 && im->done < im->size) {
        size_t n = im->size - im->done < PIECE ? (size_t)(im->size - im->done) : PIECE;

        got = read_at(im, im->done, piece, n);
        if (got < 0)
            return io_error(im, err);
        add_sum(im, piece, (size_t)got);
    }
    return BOUGH_OK;
}

enum bough_rc import_sum(struct import *im, struct bough_error *err)
{
    struct arena_mark mark = arena_mark(im->a);
    enum bough_rc rc;

    sha256_init(&im->sum);
    im->summing = true;
    rc = sum_rest(im, arena_alloc(im->a, PIECE), err);
    import_end_sum(im);
    arena_rewind(im->a, mark);
    return rc;
}

/* ---- lines ---- */

static enum bough_rc give_line(struct import *im, struct bough_str line, int64_t at,
                               struct bough_error *err)
{
    struct reading *r = &im->reading;
    enum bough_rc rc;

    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    r->line++;
    r->at = at;
    im->lines += im->again ? 0 : 1;
    rc = r->format->line(r, line, err);
    bough_arena_reset(r->a);
    return rc;
}

/* Keep the beginning of a line whose end is not read yet. Of a line that is too long only the
 * length is kept. */
static void keep_rest(struct import *im, const char *p, size_t n)
{
    im->rest_bytes += (int64_t)n;
    buf_put(&im->rest, p, n);
}

/* A line that is too long is left out, and the report says so. */
static enum bough_rc skip_line(struct import *im, int64_t at, struct bough_error *err)
{
    struct reading *r = &im->reading;
    enum bough_rc rc;

    r->line++;
    r->at = at;
    im->lines += im->again ? 0 : 1;
    rc = give_problem(r, err, "a line of more than %lld bytes was left out",
                      (long long)LIMIT_MESSAGE_BYTES);
    return rc ? rc : give_lost(r, err);
}

/* The line that was kept is complete; `end` is the offset behind it. */
static enum bough_rc give_rest(struct import *im, int64_t end, struct bough_error *err)
{
    int64_t at = end - im->rest_bytes;
    enum bough_rc rc =
        im->rest.over ? skip_line(im, at, err) : give_line(im, buf_str(&im->rest), at, err);

    im->rest_bytes = 0;
    buf_reset(&im->rest);
    return rc;
}

/* `at` is the offset of p in the file. */
static enum bough_rc split_lines(struct import *im, const char *p, size_t n, int64_t at,
                                 struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    while (n && !rc) {
        const char *end = memchr(p, '\n', n);
        size_t take = end ? (size_t)(end - p) : n;

        if (!end || im->rest_bytes)
            keep_rest(im, p, take);
        if (!end)
            return BOUGH_OK;
        rc = im->rest_bytes ? give_rest(im, at + (int64_t)take, err)
                            : give_line(im, str_make(p, take), at, err);
        p += take + 1;
        n -= take + 1;
        at += (int64_t)take + 1;
    }
    return rc;
}

/* Record where the next import can continue: after the last complete line. */
static void note_resume(struct import *im)
{
    const struct format *f = im->reading.format;

    buf_init(&im->resume.state, sizeof im->mark);
    im->resume.byte = im->done - im->rest_bytes;
    im->resume.lines = im->reading.line;
    im->resume.can = f->leave && f->leave(&im->reading, &im->resume.state);
}

static enum bough_rc read_lines(struct import *im, char *piece, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    ssize_t got = 0;

    while (!rc && (got = read_at(im, im->done, piece, PIECE)) > 0) {
        int64_t at = im->done;

        add_sum(im, piece, (size_t)got);
        rc = split_lines(im, piece, (size_t)got, at, err);
        if (!rc)
            rc = tell(im, im->done, err);
    }
    if (got < 0)
        rc = io_error(im, err);
    if (rc)
        return rc;
    note_resume(im);
    /* The last line has no line end: it may be complete, or still being written. */
    return im->rest_bytes ? give_rest(im, im->done, err) : BOUGH_OK;
}

/* ---- documents ---- */

/* The first pass over the document computes the checksum. Progress counts the second, slower
 * one. */
static enum bough_rc read_bytes(void *user, int64_t at, char *to, size_t n, size_t *got,
                                struct bough_error *err)
{
    struct import *im = user;
    int64_t left = im->size > at ? im->size - at : 0;
    bool sums = at == im->done;
    ssize_t some = read_at(im, at, to, left < (int64_t)n ? (size_t)left : n);

    *got = some < 0 ? 0 : (size_t)some;
    if (some < 0)
        return io_error(im, err);
    if (sums)
        add_sum(im, to, *got);
    else
        im->told += some;
    return tell(im, im->told < im->size ? im->told : im->size, err);
}

static enum bough_rc read_document(struct import *im, char *piece, struct bough_error *err)
{
    struct doc_bytes bytes = { read_bytes, im };
    enum bough_rc rc;

    im->reading.bytes = &bytes;
    rc = im->reading.format->document(&im->reading, err);
    im->reading.bytes = NULL;
    return rc ? rc : sum_rest(im, piece, err);
}

/* ---- all of it ---- */

enum bough_rc import_read(struct import *im, struct bough_error *err)
{
    const struct format *f = im->reading.format;
    char *piece = arena_alloc(im->a, PIECE);
    bool whole = !im->placer.resumed || im->summing;
    enum bough_rc rc;

    buf_init(&im->rest, LIMIT_MESSAGE_BYTES);
    im->rest_bytes = 0;
    if (!im->summing)
        sha256_init(&im->sum);
    im->summing = true;
    rc = f->line ? read_lines(im, piece, err) : read_document(im, piece, err);
    import_end_sum(im);
    if (!whole) /* only the end was read: no checksum of the whole file */
        im->after[0] = '\0';
    if (!rc && f->end)
        rc = f->end(&im->reading, err);
    buf_finish(&im->rest);
    return rc;
}

/* ---- resuming ---- */

/* Read known lines again, from `from` up to `end`. */
static enum bough_rc read_again(struct import *im, struct line_place from, int64_t end,
                                struct bough_error *err)
{
    char *piece = arena_alloc(im->a, PIECE);
    enum bough_rc rc = BOUGH_OK;
    int64_t at = from.byte;

    im->reading.line = from.line - 1;
    while (!rc && at < end) {
        size_t n = end - at < PIECE ? (size_t)(end - at) : PIECE;
        ssize_t got = read_at(im, at, piece, n);

        if (got != (ssize_t)n)
            return bough_fail(err, BOUGH_CONFLICT, "all of the file must be read");
        rc = split_lines(im, piece, n, at, err);
        at += got;
    }
    return rc;
}

/* The end of the line at this offset; 0: the line is too long to be a session's header. */
static int64_t line_end(struct import *im, int64_t at)
{
    char *piece = arena_alloc(im->a, PIECE);
    ssize_t got = read_at(im, at, piece, PIECE);
    const char *end = got > 0 ? memchr(piece, '\n', (size_t)got) : NULL;

    return end ? at + (end - piece) + 1 : 0;
}

/* Add bytes of the file to a checksum; *all: they were all there. */
static enum bough_rc sum_range(struct import *im, int64_t from, int64_t end, struct sha256 *sum,
                               bool *all, struct bough_error *err)
{
    struct arena_mark mark = arena_mark(im->a);
    char *piece = arena_alloc(im->a, PIECE);
    enum bough_rc rc = BOUGH_OK;

    *all = true;
    while (!rc && *all && from < end) {
        size_t n = end - from < PIECE ? (size_t)(end - from) : PIECE;
        ssize_t got = read_at(im, from, piece, n);

        if (got < 0)
            rc = io_error(im, err);
        else
            sha256_update(sum, piece, (size_t)got);
        *all = got == (ssize_t)n;
        from += (int64_t)n;
        if (!rc)
            rc = tell(im, 0, err);
    }
    arena_rewind(im->a, mark);
    return rc;
}

/* Are the bytes that an earlier import read still the same? Then im->sum goes on from m->byte. */
static enum bough_rc check_before(struct import *im, const struct mark *m, bool *same,
                                  struct bough_error *err)
{
    unsigned char bytes[SHA256_LEN];
    char hex[65];
    struct sha256 old;
    bool all;
    enum bough_rc rc;

    sha256_init(&im->sum);
    im->summing = true;
    rc = sum_range(im, 0, m->byte, &im->sum, &all, err);
    sha256_copy(&old, &im->sum);
    if (!rc && all)
        rc = sum_range(im, m->byte, im->source->offset, &old, &all, err);
    sha256_final(&old, bytes);
    sha256_hex(bytes, hex);
    *same = !rc && all && mark_has_sum(im->source->hash, hex);
    if (!*same)
        import_end_sum(im);
    return rc;
}

/* Can the reading continue where an earlier import ended? A follower trusts the bytes before. */
static enum bough_rc can_resume(struct import *im, struct mark *m, bool *on,
                                struct bough_error *err)
{
    *on = !im->whole && im->reading.format->leave && mark_read(im, m);
    return *on && !im->how->follow ? check_before(im, m, on, err) : BOUGH_OK;
}

enum bough_rc import_resume(struct import *im, bool *on, struct bough_error *err)
{
    struct reading *r = &im->reading;
    struct mark m;
    int64_t end;
    enum bough_rc rc = can_resume(im, &m, on, err);

    if (rc || !*on)
        return rc;
    im->placer.resumed = im->again = true;
    buf_init(&im->rest, LIMIT_MESSAGE_BYTES);
    im->rest_bytes = 0;
    end = m.first.line ? line_end(im, m.first.byte) : 0;
    if (m.first.line)
        rc = end ? read_again(im, m.first, end, err) : BOUGH_CONFLICT;
    if (!rc && m.again.line)
        rc = read_again(im, m.again, m.byte, err);
    r->resumed = true;
    if (!rc && r->format->enter && !r->format->enter(r, m.state))
        rc = BOUGH_CONFLICT;
    buf_finish(&im->rest);
    im->again = false;
    im->done = m.byte;
    r->line = m.lines;
    return rc == BOUGH_CONFLICT ? bough_fail(err, rc, "all of the file must be read") : rc;
}
