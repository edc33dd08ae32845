/* Unpacks gzip and zstd files, in bounded memory and up to a bounded size. */
#include "transfer/sources/packed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "base/text/str.h"

enum { PIECE = 256 * 1024, WINDOW_GZIP = 15 + 16 };

/* One kind of compression. */
struct packing {
    const char *name;
    const char *magic; /* the first bytes of its files */
    void *(*begin)(void);
    /* Unpack from in[0..*n] into to[0..*room]; both become what was used. False: damaged. *whole: a
     * frame ended here. */
    bool (*step)(void *state, const char *in, size_t *n, char *to, size_t *room, bool *whole);
    void (*end)(void *state);
};

/* ---- gzip ---- */

static void *gzip_begin(void)
{
    z_stream *z = mem_zalloc(sizeof *z);

    if (inflateInit2(z, WINDOW_GZIP) == Z_OK)
        return z;
    mem_free(z);
    return NULL;
}

static bool gzip_step(void *state, const char *in, size_t *n, char *to, size_t *room, bool *whole)
{
    z_stream *z = state;
    int rc;

    z->next_in = (Bytef *)(uintptr_t)in;
    z->avail_in = (uInt)*n;
    z->next_out = (Bytef *)to;
    z->avail_out = (uInt)*room;
    rc = inflate(z, Z_NO_FLUSH);
    *n -= z->avail_in;
    *room -= z->avail_out;
    *whole = rc == Z_STREAM_END;
    if (*whole)
        rc = inflateReset(z); /* another member may follow */
    return rc == Z_OK || rc == Z_BUF_ERROR;
}

static void gzip_end(void *state)
{
    inflateEnd(state);
    mem_free(state);
}

/* ---- zstd ---- */

static void *zstd_begin(void)
{
    return ZSTD_createDStream();
}

static bool zstd_step(void *state, const char *in, size_t *n, char *to, size_t *room, bool *whole)
{
    ZSTD_inBuffer from = { in, *n, 0 };
    ZSTD_outBuffer into = { to, *room, 0 };
    size_t rc = ZSTD_decompressStream(state, &into, &from);

    *n = from.pos;
    *room = into.pos;
    *whole = rc == 0;
    return !ZSTD_isError(rc);
}

static void zstd_end(void *state)
{
    ZSTD_freeDStream(state);
}

static const struct packing packings[] = {
    { "gzip", "\x1f\x8b\x08", gzip_begin, gzip_step, gzip_end },
    { "zstd", "\x28\xb5\x2f\xfd", zstd_begin, zstd_step, zstd_end },
};

static const struct packing *find(struct bough_str first)
{
    for (size_t i = 0; i < sizeof packings / sizeof *packings; i++)
        if (str_starts(first, packings[i].magic))
            return &packings[i];
    return NULL;
}

const char *packed_with(struct bough_str first)
{
    const struct packing *p = find(first);

    return p ? p->name : NULL;
}

/* ---- all of it ---- */

struct unpacking {
    const struct packing *with;
    void *state;
    const char *name;
    int from, to;
    int64_t read, written;
    bool whole; /* the last frame is complete */
    char *in, *out;
};

static enum bough_rc put(struct unpacking *u, size_t n, struct bough_error *err)
{
    size_t done = 0;

    u->written += (int64_t)n;
    if (u->written > LIMIT_UNPACKED)
        return bough_fail(err, BOUGH_TOO_LARGE, "%s unpacks to more than %lld bytes", u->name,
                          (long long)LIMIT_UNPACKED);
    while (done < n) {
        ssize_t one = write(u->to, u->out + done, n - done);

        if (one < 0 && errno == EINTR)
            continue;
        if (one < 0)
            return bough_fail(err, fs_rc(errno), "a temporary file for %s: %s", u->name,
                              strerror(errno));
        done += (size_t)one;
    }
    return BOUGH_OK;
}

/* Unpack all of u->in[0..n]. */
static enum bough_rc unpack(struct unpacking *u, size_t n, struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    size_t at = 0, room = PIECE;

    while (!rc && (at < n || room == PIECE)) {
        size_t used = n - at;
        bool whole;

        room = PIECE;
        if (!u->with->step(u->state, u->in + at, &used, u->out, &room, &whole))
            return bough_fail(err, BOUGH_CORRUPT, "%s: damaged %s file at byte %lld", u->name,
                              u->with->name, (long long)u->read + (long long)at);
        if (!used && !room)
            break;
        u->whole = whole;
        at += used;
        rc = put(u, room, err);
    }
    u->read += (int64_t)n;
    return rc;
}

static enum bough_rc unpack_all(struct unpacking *u, packed_tell *tell, void *user,
                                struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;
    ssize_t got;

    while (!rc && (got = pread(u->from, u->in, PIECE, (off_t)u->read)) != 0) {
        if (got < 0)
            return bough_fail(err, BOUGH_IO, "%s: %s", u->name, strerror(errno));
        rc = unpack(u, (size_t)got, err);
        if (!rc && tell && !tell(user, u->read))
            rc = bough_fail(err, BOUGH_CANCELLED, "stopped while unpacking; nothing was imported");
    }
    if (!rc && !u->whole)
        rc = bough_fail(err, BOUGH_CORRUPT, "%s: the %s file ends too early", u->name,
                        u->with->name);
    return rc;
}

enum bough_rc packed_open(int fd, const char *name, packed_tell *tell, void *user, int *out,
                          struct bough_error *err)
{
    char first[4];
    ssize_t got = pread(fd, first, sizeof first, 0);
    struct unpacking u = { .with = find(str_make(first, got > 0 ? (size_t)got : 0)),
                           .name = name,
                           .from = fd,
                           .to = fs_nameless() };
    enum bough_rc rc;

    *out = -1;
    if (u.with)
        u.state = u.with->begin();
    u.in = mem_alloc(PIECE);
    u.out = mem_alloc(PIECE);
    if (u.to < 0)
        rc = bough_fail(err, fs_rc(errno), "a temporary file for %s: %s", name, strerror(errno));
    else if (!u.state)
        rc = bough_fail(err, BOUGH_IO, "%s cannot be unpacked: out of memory", name);
    else
        rc = unpack_all(&u, tell, user, err);
    if (u.state)
        u.with->end(u.state);
    mem_free(u.in);
    mem_free(u.out);
    if (rc && u.to >= 0)
        close(u.to);
    else
        *out = u.to;
    return rc;
}
