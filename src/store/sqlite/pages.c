/* Read rows from the pages of a SQLite file and its WAL, without SQLite. */
#include "store/sqlite/pages.h"

#include <string.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "store/sqlite/pages_file.h"

enum {
    PAGE = PAGES_SIZE,
    HEADER = 100,
    TABLE_LEAF = 0x0d,
    INDEX_LEAF = 0x0a,
    INDEX_INNER = 0x02, /* its cells hold rows too, each behind a page number */
    PLACE_LOG = 0x8000, /* flag in a place: the page is a WAL frame */
};

#define ROW_MOST (3 * LIMIT_MESSAGE_BYTES)

struct pages {
    struct pages_file f;
    unsigned char page[PAGE];
    unsigned char *row; /* payload of the current row, contiguous */
    size_t row_cap;
    int64_t unreadable;
};

/* Decode SQLite's variable-length integer. Returns its length, or 0 when it does not end before
 * `end`. */
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

enum bough_rc pages_open(const char *path, struct pages **out, struct bough_error *err)
{
    struct pages *p = mem_zalloc(sizeof *p);
    enum bough_rc rc = pages_file_open(path, &p->f, err);

    if (rc)
        mem_free(p);
    else
        *out = p;
    return rc;
}

void pages_close(struct pages *p)
{
    if (!p)
        return;
    pages_file_close(&p->f);
    mem_free(p->row);
    mem_free(p);
}

int64_t pages_count(const struct pages *p)
{
    return p->f.npages;
}

int64_t pages_unreadable(const struct pages *p)
{
    return p->unreadable;
}

/* ---- rows ---- */

static void room(struct pages *p, size_t n)
{
    if (n <= p->row_cap)
        return;
    p->row_cap = n;
    p->row = mem_realloc(p->row, n);
}

/* Copy the payload into p->row: the part inside the cell, then the chain of overflow pages. */
static bool gather(struct pages *p, const unsigned char *cell, const unsigned char *end, uint64_t n,
                   bool index)
{
    const size_t usable = PAGE, least = (usable - 12) * 32 / 255 - 23;
    const size_t most = index ? (usable - 12) * 64 / 255 - 23 : usable - 35;
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
    /* Ends even on a cyclic chain, because k grows with every page. */
    for (k = local; k < n; next = be32(next_page)) {
        size_t take = n - k < usable - 4 ? (size_t)n - k : usable - 4;

        if (!pages_file_read(&p->f, next, next_page))
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

/* Page 1 begins with the file header. */
static size_t first_byte(int64_t page)
{
    return page == 1 ? HEADER : 0;
}

/* Read the i-th cell of the page in p->page, whose header starts at `first`. */
static bool read_cell(struct pages *p, size_t first, uint32_t i, struct pages_row *out)
{
    bool inner = p->page[first] == INDEX_INNER, index = p->page[first] != TABLE_LEAF;
    size_t cells = first + (inner ? 12 : 8), pointer = cells + 2 * (size_t)i, at, k;
    const unsigned char *end = p->page + PAGE, *cell;
    uint64_t n, rowid = 0;

    if (pointer + 2 > PAGE)
        return false;
    /* SQLite ignores the high bits of an offset too. */
    at = (be16(p->page + pointer) & (PAGE - 1)) + (inner ? 4 : 0);
    if (at < cells || at >= PAGE)
        return false;
    cell = p->page + at;
    k = varint(cell, end, &n);
    if (!k || n == 0 || n > ROW_MOST || n > (uint64_t)(p->f.npages + p->f.nframes + 1) * PAGE)
        return false;
    cell += k;
    k = index ? 0 : varint(cell, end, &rowid);
    if ((!k && !index) || !gather(p, cell + k, end, n, index))
        return false;
    out->index = index;
    out->rowid = (int64_t)rowid;
    return take_row(p, n, out);
}

/* Does the page in p->page hold rows? *cells is how many it says it has. */
static bool holds_rows(const struct pages *p, size_t first, uint32_t *cells)
{
    unsigned char type = p->page[first];

    *cells = be16(p->page + first + 3);
    return (type == TABLE_LEAF || type == INDEX_LEAF || type == INDEX_INNER) && *cells <= PAGE / 2;
}

static bool scan_page(struct pages *p, uint64_t place, int64_t page,
                      bool (*fn)(void *user, const struct pages_row *row), void *user)
{
    size_t first = first_byte(page);
    struct pages_row row;
    uint32_t cells;

    if (!holds_rows(p, first, &cells))
        return true;
    for (uint32_t i = 0; i < cells; i++) {
        if (!read_cell(p, first, i, &row)) {
            p->unreadable += p->page[first] == TABLE_LEAF;
            continue;
        }
        row.place = place | i;
        row.stray = place & PLACE_LOG;
        if (!fn(user, &row))
            return false;
    }
    return true;
}

/* A place is (page or frame number) << 16 | PLACE_LOG for a frame | cell number. */
void pages_scan(struct pages *p, bool (*fn)(void *user, const struct pages_row *row), void *user)
{
    uint32_t page;

    for (int64_t i = 1; i <= p->f.view; i++)
        if (pages_file_read(&p->f, i, p->page) && !scan_page(p, (uint64_t)i << 16, i, fn, user))
            return;
    for (int64_t i = p->f.nframes; i-- > p->f.nvalid;)
        if (pages_file_stray(&p->f, i, &page, p->page) &&
            !scan_page(p, (uint64_t)i << 16 | PLACE_LOG, page, fn, user))
            return;
}

bool pages_again(struct pages *p, uint64_t place, struct pages_row *out)
{
    int64_t at = (int64_t)(place >> 16);
    uint32_t page = (uint32_t)at, cells;
    bool read = place & PLACE_LOG ? pages_file_stray(&p->f, at, &page, p->page)
                                  : pages_file_read(&p->f, at, p->page);

    out->place = place;
    out->stray = place & PLACE_LOG;
    return read && holds_rows(p, first_byte(page), &cells) &&
           read_cell(p, first_byte(page), (uint32_t)(place & (PLACE_LOG - 1)), out);
}
