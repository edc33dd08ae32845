/* Rows out of pages, without SQLite. */
#include "store/sqlite/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/limits.h"
#include "base/map.h"
#include "base/mem.h"

enum {
    PAGE = 8192, /* all our stores have pages of this size */
    HEADER = 100,
    LEAF = 0x0d,
    FRAME = 24 + PAGE,
    WAL_HEADER = 32,
    PLACE_LOG = 0x8000, /* of a place: the page lies in the log */
};

#define ROW_MOST (3 * LIMIT_MESSAGE_BYTES)

struct pages {
    int file, log; /* log -1: none */
    int64_t npages, nframes;
    uint32_t salt[2];
    struct map newest; /* page number -> frame + 1, of the log */
    unsigned char page[PAGE];
    unsigned char *row; /* the payload in one piece */
    size_t row_cap;
    int64_t unreadable;
};

static uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t be16(const unsigned char *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

/* SQLite's variable-length number. Returns its length, 0 when it does not end before `end`. */
static size_t varint(const unsigned char *p, const unsigned char *end, uint64_t *v)
{
    *v = 0;
    for (size_t i = 0; i < 9 && p + i < end; i++) {
        if (i == 8) {
            *v = *v << 8 | p[i];
            return 9;
        }
        *v = *v << 7 | (p[i] & 0x7f);
        if (!(p[i] & 0x80))
            return i + 1;
    }
    return 0;
}

/* ---- the files ---- */

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

/* What lies behind the end is zero: a cut page still has its beginning. */
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

/* Only frames since the log was last started over; all of them when its header is no use. */
static bool frame_counts(struct pages *p, int64_t frame, uint32_t *page)
{
    unsigned char head[24];

    if (!read_at(p->log, WAL_HEADER + frame * FRAME, head, sizeof head))
        return false;
    *page = be32(head);
    return *page &&
           (!p->salt[0] || (be32(head + 8) == p->salt[0] && be32(head + 12) == p->salt[1]));
}

static void read_log(struct pages *p, int64_t size)
{
    unsigned char head[WAL_HEADER];
    uint32_t page;

    if (size < WAL_HEADER + FRAME || !read_at(p->log, 0, head, sizeof head))
        return;
    if ((be32(head) & ~1u) == 0x377f0682) {
        p->salt[0] = be32(head + 16);
        p->salt[1] = be32(head + 20);
    }
    p->nframes = (size - WAL_HEADER) / FRAME;
    for (int64_t i = 0; i < p->nframes; i++)
        if (frame_counts(p, i, &page))
            map_put(&p->newest, page, (uint64_t)i + 1);
}

enum bough_rc pages_open(const char *path, struct pages **out, struct bough_error *err)
{
    struct pages *p = mem_zalloc(sizeof *p);
    struct bough_arena *a = bough_arena_create();
    int64_t size = 0;
    enum bough_rc rc = open_one(path, &p->file, &size, err);

    p->log = -1;
    map_init(&p->newest);
    p->npages = (size + PAGE - 1) / PAGE;
    if (!rc && fs_exists(arena_printf(a, "%s-wal", path)) &&
        open_one(arena_printf(a, "%s-wal", path), &p->log, &size, NULL) == BOUGH_OK)
        read_log(p, size);
    bough_arena_destroy(a);
    if (rc)
        pages_close(p);
    else
        *out = p;
    return rc;
}

void pages_close(struct pages *p)
{
    if (!p)
        return;
    if (p->file >= 0)
        close(p->file);
    if (p->log >= 0)
        close(p->log);
    map_finish(&p->newest);
    mem_free(p->row);
    mem_free(p);
}

int64_t pages_count(const struct pages *p)
{
    return p->npages;
}

int64_t pages_unreadable(const struct pages *p)
{
    return p->unreadable;
}

static bool read_frame(struct pages *p, int64_t frame, unsigned char *to)
{
    return read_at(p->log, WAL_HEADER + frame * FRAME + 24, to, PAGE);
}

/* As a reader would find it: in the log, else in the file. */
static bool read_page(struct pages *p, uint32_t page, unsigned char *to)
{
    uint64_t frame;

    if (page && map_get(&p->newest, page, &frame) && read_frame(p, (int64_t)frame - 1, to))
        return true;
    return page && (int64_t)page <= p->npages &&
           read_at(p->file, ((int64_t)page - 1) * PAGE, to, PAGE);
}

/* ---- rows ---- */

static void room(struct pages *p, size_t n)
{
    if (n <= p->row_cap)
        return;
    p->row_cap = n;
    p->row = mem_realloc(p->row, n);
}

/* The payload in p->row: what lies in the cell, then the chain of overflow pages. */
static bool gather(struct pages *p, const unsigned char *cell, const unsigned char *end, uint64_t n)
{
    const size_t usable = PAGE, most = usable - 35, least = (usable - 12) * 32 / 255 - 23;
    size_t local = n <= most ? (size_t)n : least + (size_t)((n - least) % (usable - 4)), k;
    unsigned char next_page[PAGE];
    uint32_t next;

    if (local > most)
        local = least;
    if ((uint64_t)(end - cell) < local + (local < n ? 4 : 0))
        return false;
    room(p, (size_t)n + 1);
    memcpy(p->row, cell, local);
    if (local == n)
        return true;
    next = be32(cell + local);
    for (k = local; k < n; next = be32(next_page)) { /* grows with every page: it ends */
        size_t take = n - k < usable - 4 ? (size_t)n - k : usable - 4;

        if (!read_page(p, next, next_page))
            return false;
        memcpy(p->row + k, next_page + 4, take);
        k += take;
    }
    return true;
}

static int64_t integer(const unsigned char *p, size_t n)
{
    uint64_t v = n && (p[0] & 0x80) ? UINT64_MAX : 0;

    for (size_t i = 0; i < n; i++)
        v = v << 8 | p[i];
    return (int64_t)v;
}

static bool take_value(uint64_t serial, const unsigned char **p, const unsigned char *end,
                       struct pages_value *out)
{
    static const uint8_t sizes[] = { 0, 1, 2, 3, 4, 6, 8, 8, 0, 0 };
    uint64_t n;

    if (serial == 10 || serial == 11)
        return false;
    n = serial < 10 ? sizes[serial] : (serial - 12) / 2;
    if (n > (uint64_t)(end - *p))
        return false;
    *out = (struct pages_value){ PAGES_INT, 0, { (const char *)*p, (size_t)n } };
    if (serial == 0)
        out->type = PAGES_NULL;
    else if (serial == 7)
        out->type = PAGES_REAL;
    else if (serial >= 12)
        out->type = serial & 1 ? PAGES_TEXT : PAGES_BLOB;
    else
        out->number = serial == 9 ? 1 : integer(*p, (size_t)n);
    *p += n;
    return true;
}

static bool take_row(struct pages *p, uint64_t n, struct pages_row *out)
{
    const unsigned char *at = p->row, *end = p->row + n, *types_end, *values;
    uint64_t head, serial;
    size_t k = varint(at, end, &head);

    if (!k || head < k || head > n)
        return false;
    types_end = p->row + head;
    values = types_end;
    out->n = 0;
    for (at += k; at < types_end; at += k) {
        k = varint(at, types_end, &serial);
        if (!k || out->n == PAGES_COLUMNS || !take_value(serial, &values, end, &out->at[out->n]))
            return false;
        out->n++;
    }
    return out->n > 0;
}

/* The i-th cell of the page in p->page, which has `cells` of them. */
static bool read_cell(struct pages *p, size_t first, uint32_t i, struct pages_row *out)
{
    size_t pointer = first + 8 + 2 * (size_t)i;
    const unsigned char *end = p->page + PAGE, *cell;
    uint64_t n, rowid;
    size_t k;

    if (pointer + 2 > PAGE)
        return false;
    cell = p->page + be16(p->page + pointer);
    if (cell < p->page + first + 8 || cell >= end)
        return false;
    k = varint(cell, end, &n);
    if (!k || n == 0 || n > ROW_MOST || n > (uint64_t)(p->npages + p->nframes + 1) * PAGE)
        return false;
    cell += k;
    k = varint(cell, end, &rowid);
    if (!k || !gather(p, cell + k, end, n))
        return false;
    out->rowid = (int64_t)rowid;
    return take_row(p, n, out);
}

/* Page 1 begins with the header of the file. */
static size_t first_byte(int64_t page)
{
    return page == 1 ? HEADER : 0;
}

static bool scan_page(struct pages *p, uint64_t place, int64_t page,
                      bool (*fn)(void *user, const struct pages_row *row), void *user)
{
    size_t first = first_byte(page);
    uint32_t cells = be16(p->page + first + 3);
    struct pages_row row;

    if (p->page[first] != LEAF || cells > PAGE / 2)
        return true;
    for (uint32_t i = 0; i < cells; i++) {
        if (!read_cell(p, first, i, &row)) {
            p->unreadable++;
            continue;
        }
        row.place = place | i;
        if (!fn(user, &row))
            return false;
    }
    return true;
}

/* A place: page or frame << 16, where it lies, cell. */
enum bough_rc pages_scan(struct pages *p, bool (*fn)(void *user, const struct pages_row *row),
                         void *user, struct bough_error *err)
{
    uint32_t page;

    (void)err;
    for (int64_t i = p->nframes; i-- > 0;)
        if (frame_counts(p, i, &page) && read_frame(p, i, p->page) &&
            !scan_page(p, (uint64_t)i << 16 | PLACE_LOG, page, fn, user))
            return BOUGH_OK;
    for (int64_t i = 1; i <= p->npages; i++)
        if (read_at(p->file, (i - 1) * PAGE, p->page, PAGE) &&
            !scan_page(p, (uint64_t)i << 16, i, fn, user))
            return BOUGH_OK;
    return BOUGH_OK;
}

bool pages_again(struct pages *p, uint64_t place, struct pages_row *out)
{
    int64_t at = (int64_t)(place >> 16);
    uint32_t page = (uint32_t)at;
    bool log = place & PLACE_LOG;

    if (log ? !frame_counts(p, at, &page) || !read_frame(p, at, p->page)
            : !read_at(p->file, (at - 1) * PAGE, p->page, PAGE))
        return false;
    out->place = place;
    return read_cell(p, first_byte(page), (uint32_t)(place & (PLACE_LOG - 1)), out);
}
