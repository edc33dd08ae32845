/* Copies standard input into a temporary file. */
#include "cli/sources/spool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/hash/sha256.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"

enum { PIECE = 256 * 1024, NAME_HEX = 32 };

static enum bough_rc put(int fd, const char *p, size_t n, struct bough_error *err)
{
    while (n) {
        ssize_t one = write(fd, p, n);

        if (one < 0 && errno == EINTR)
            continue;
        if (one < 0)
            return bough_fail(err, fs_rc(errno), "a temporary file for standard input: %s",
                              strerror(errno));
        p += one;
        n -= (size_t)one;
    }
    return BOUGH_OK;
}

static enum bough_rc copy(struct bough_arena *a, int fd, struct sha256 *sum,
                          struct bough_error *err)
{
    char *piece = arena_alloc(a, PIECE);
    enum bough_rc rc = BOUGH_OK;
    ssize_t got;

    while (!rc && (got = read(STDIN_FILENO, piece, PIECE)) != 0) {
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return bough_fail(err, BOUGH_IO, "standard input: %s", strerror(errno));
        sha256_update(sum, piece, (size_t)got);
        rc = put(fd, piece, (size_t)got, err);
    }
    return rc;
}

enum bough_rc spool_stdin(struct bough_arena *a, struct spool *out, struct bough_error *err)
{
    unsigned char bytes[SHA256_LEN];
    char hex[65];
    struct sha256 sum;
    enum bough_rc rc;

    *out = (struct spool){ .fd = fs_nameless() };
    if (out->fd < 0)
        return bough_fail(err, fs_rc(errno), "a temporary file for standard input: %s",
                          strerror(errno));
    sha256_init(&sum);
    rc = copy(a, out->fd, &sum, err);
    sha256_final(&sum, bytes);
    sha256_hex(bytes, hex);
    out->path = arena_printf(a, "/proc/self/fd/%d", out->fd);
    out->name = arena_printf(a, "stdin:%.*s", NAME_HEX, hex);
    return rc;
}

void spool_close(struct spool *s)
{
    if (s->path)
        close(s->fd);
}
