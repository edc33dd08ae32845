/* Read the pages of a SQLite file and of its WAL, without SQLite. */
#include "store/sqlite/pages_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"

enum {
    FRAME_HEADER = 24,
    FRAME = FRAME_HEADER + PAGES_SIZE,
    WAL_HEADER = 32,
};

static enum bough_rc open_one(const char *path, int *fd, int64_t *size, struct bough_error *err)
{
    struct stat st;

    *fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (*fd < 0)
        return bough_fail(err, fs_rc(errno), "cannot open %s: %s", path, strerror(errno));
    if (fstat(*fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        close(*fd);
        *fd = -1;
        return bough_fail(err, BOUGH_INVALID, "%s is not a file", path);
    }
    *size = (int64_t)st.st_size;
    return BOUGH_OK;
}

/* Bytes behind the end of the file read as zero, so that a truncated page can still be used. */
static bool read_at(int fd, int64_t at, unsigned char *to, size_t n)
{
    size_t got = 0;

    memset(to, 0, n);
    while (got < n) {
        ssize_t k = pread(fd, to + got, n - got, (off_t)(at + (int64_t)got));

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            break;
        got += (size_t)k;
    }
    return got > 0;
}

/* ---- the WAL ---- */

/* SQLite's checksum of a WAL: two sums over pairs of 32-bit words. */
static void add_sum(uint32_t sum[2], const unsigned char *p, size_t n, bool big_endian)
{
    for (size_t i = 0; i + 8 <= n; i += 8) {
        uint32_t one = be32(p + i), two = be32(p + i + 4);

        sum[0] += (big_endian ? one : __builtin_bswap32(one)) + sum[1];
        sum[1] += (big_endian ? two : __builtin_bswap32(two)) + sum[0];
    }
}

/* Read a frame's header and page. */
static bool read_frame(const struct pages_file *f, int64_t i, unsigned char to[FRAME])
{
    return read_at(f->log, WAL_HEADER + i * FRAME, to, FRAME);
}

static bool same_generation(const struct pages_file *f, const unsigned char *frame)
{
    return be32(frame + 8) == f->salt[0] && be32(frame + 12) == f->salt[1];
}

/* Find the last commit that can be reached through frames whose checksums hold: SQLite's recovery
 * ends there too. `sum` is the checksum of the header. */
static void find_commit(struct pages_file *f, uint32_t sum[2], bool big_endian)
{
    unsigned char frame[FRAME];

    for (int64_t i = 0; i < f->nframes; i++) {
        if (!read_frame(f, i, frame) || !same_generation(f, frame) || !be32(frame))
            return;
        add_sum(sum, frame, 8, big_endian);
        add_sum(sum, frame + FRAME_HEADER, PAGES_SIZE, big_endian);
        if (be32(frame + 16) != sum[0] || be32(frame + 20) != sum[1])
            return;
        if (be32(frame + 4)) { /* a commit: the size of the database in pages */
            f->nvalid = i + 1;
            f->view = be32(frame + 4);
        }
    }
}

static void read_log(struct pages_file *f, int64_t size)
{
    unsigned char head[WAL_HEADER], frame[FRAME];
    uint32_t sum[2] = { 0, 0 };
    int64_t last = f->npages;
    bool big_endian;

    if (size < WAL_HEADER + FRAME || !read_at(f->log, 0, head, sizeof head) ||
        !read_frame(f, 0, frame))
        return;
    f->nframes = (size - WAL_HEADER) / FRAME;
    /* The first frame belongs to the current generation, also when the header is damaged. */
    f->salt[0] = be32(frame + 8);
    f->salt[1] = be32(frame + 12);
    big_endian = be32(head) & 1;
    add_sum(sum, head, 24, big_endian);
    if ((be32(head) & ~1u) != 0x377f0682 || be32(head + 8) != PAGES_SIZE ||
        be32(head + 24) != sum[0] || be32(head + 28) != sum[1])
        return;
    f->salt[0] = be32(head + 16);
    f->salt[1] = be32(head + 20);
    find_commit(f, sum, big_endian);
    for (int64_t i = 0; i < f->nvalid; i++)
        if (read_frame(f, i, frame)) {
            map_put(&f->newest, be32(frame), (uint64_t)i + 1);
            last = be32(frame) > last ? be32(frame) : last;
        }
    if (f->nvalid && f->view > last) /* no page behind these exists, whatever the commit says */
        f->view = last;
}

/* ---- reading ---- */

enum bough_rc pages_file_open(const char *path, struct pages_file *f, struct bough_error *err)
{
    struct bough_arena *a = bough_arena_create();
    const char *log = arena_printf(a, "%s-wal", path);
    int64_t size = 0;
    enum bough_rc rc;

    *f = (struct pages_file){ .file = -1, .log = -1 };
    map_init(&f->newest);
    rc = open_one(path, &f->file, &size, err);
    f->npages = f->view = (size + PAGES_SIZE - 1) / PAGES_SIZE;
    if (!rc && fs_exists(log) && open_one(log, &f->log, &size, NULL) == BOUGH_OK)
        read_log(f, size);
    bough_arena_destroy(a);
    if (rc)
        pages_file_close(f);
    return rc;
}

void pages_file_close(struct pages_file *f)
{
    if (f->file >= 0)
        close(f->file);
    if (f->log >= 0)
        close(f->log);
    map_finish(&f->newest);
}

bool pages_file_read(const struct pages_file *f, int64_t page, unsigned char to[PAGES_SIZE])
{
    unsigned char frame[FRAME];
    uint64_t newest;

    if (page < 1)
        return false;
    if (map_get(&f->newest, (uint64_t)page, &newest) && read_frame(f, (int64_t)newest - 1, frame)) {
        memcpy(to, frame + FRAME_HEADER, PAGES_SIZE);
        return true;
    }
    return page <= f->npages && read_at(f->file, (page - 1) * PAGES_SIZE, to, PAGES_SIZE);
}

bool pages_file_stray(const struct pages_file *f, int64_t i, uint32_t *page,
                      unsigned char to[PAGES_SIZE])
{
    unsigned char frame[FRAME];

    if (!read_frame(f, i, frame) || !same_generation(f, frame) || !be32(frame))
        return false;
    *page = be32(frame);
    memcpy(to, frame + FRAME_HEADER, PAGES_SIZE);
    return true;
}
