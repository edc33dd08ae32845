/* The mutations: what broken disks, cut copies and mixed-up files look like. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "damage/world.h"

enum { FRAME = 24 + PAGE, WAL_HEADER = 32 };

struct mutant {
    char *file, *log;
    size_t n, nlog;
    uint64_t seed;
    const struct good *g;
};

static size_t pick(struct mutant *m, size_t n)
{
    return n ? (size_t)(next_random(&m->seed) % n) : 0;
}

static void flip_bits(struct mutant *m, char *at, size_t n)
{
    size_t k = 1 + pick(m, 3);

    for (size_t i = 0; i < k && n; i++)
        at[pick(m, n)] ^= (char)(1 << pick(m, 8));
}

static void one_bit(struct mutant *m)
{
    m->file[pick(m, m->n)] ^= (char)(1 << pick(m, 8));
}

static void some_bits(struct mutant *m)
{
    flip_bits(m, m->file, m->n);
}

/* Structure lies at the start of pages: headers and cell pointers. */
static void page_header(struct mutant *m)
{
    flip_bits(m, m->file + pick(m, m->n / PAGE) * PAGE, 64);
}

static void file_header(struct mutant *m)
{
    flip_bits(m, m->file, 100);
}

static void zero_page(struct mutant *m)
{
    memset(m->file + pick(m, m->n / PAGE) * PAGE, 0, PAGE);
}

static void garbage_page(struct mutant *m)
{
    char *at = m->file + pick(m, m->n / PAGE) * PAGE;

    for (size_t i = 0; i < PAGE; i++)
        at[i] = (char)next_random(&m->seed);
}

static void torn_page(struct mutant *m)
{
    size_t at = pick(m, m->n / PAGE) * PAGE + 512 * (1 + pick(m, 15));

    memset(m->file + at, 0, PAGE - at % PAGE);
}

static void swap_pages(struct mutant *m)
{
    char *one = m->file + pick(m, m->n / PAGE) * PAGE, *two = m->file + pick(m, m->n / PAGE) * PAGE;
    char page[PAGE];

    memcpy(page, one, PAGE);
    memmove(one, two, PAGE);
    memcpy(two, page, PAGE);
}

static void copy_page(struct mutant *m)
{
    memmove(m->file + pick(m, m->n / PAGE) * PAGE, m->file + pick(m, m->n / PAGE) * PAGE, PAGE);
}

static void cut_at_page(struct mutant *m)
{
    m->n = pick(m, m->n / PAGE) * PAGE;
}

static void cut_anywhere(struct mutant *m)
{
    m->n = pick(m, m->n);
}

static void log_bits(struct mutant *m)
{
    flip_bits(m, m->log, m->nlog);
}

static void log_header(struct mutant *m)
{
    flip_bits(m, m->log, m->nlog < WAL_HEADER ? m->nlog : WAL_HEADER);
}

static void log_cut(struct mutant *m)
{
    m->nlog = pick(m, m->nlog);
}

static void log_frame_zero(struct mutant *m)
{
    if (m->nlog > WAL_HEADER + FRAME)
        memset(m->log + WAL_HEADER + pick(m, (m->nlog - WAL_HEADER) / FRAME) * FRAME, 0, FRAME);
}

static void log_foreign(struct mutant *m)
{
    m->nlog = m->g->foreign.n;
    memcpy(m->log, m->g->foreign.p, m->nlog);
}

static void log_and_page(struct mutant *m)
{
    zero_page(m);
    log_cut(m);
}

static const struct {
    const char *name;
    void (*fn)(struct mutant *m);
    bool log;
} kinds[] = {
    { "one bit", one_bit, false },           { "some bits", some_bits, false },
    { "page header", page_header, false },   { "file header", file_header, false },
    { "zero page", zero_page, false },       { "garbage page", garbage_page, false },
    { "torn page", torn_page, false },       { "swapped pages", swap_pages, false },
    { "copied page", copy_page, false },     { "cut at a page", cut_at_page, false },
    { "cut anywhere", cut_anywhere, false }, { "bits of the log", log_bits, true },
    { "log header", log_header, true },      { "log cut", log_cut, true },
    { "zero frame", log_frame_zero, true },  { "log and page", log_and_page, true },
    { "foreign log", log_foreign, true },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

/* Without fsync, unlike fs_write(). */
static void put_file(const char *path, const char *bytes, size_t n)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    CHECK(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
    close(fd);
}

const char *mutate(const struct good *g, const char *path, uint64_t i, bool *log)
{
    size_t room = g->log.n > g->foreign.n ? g->log.n : g->foreign.n, kind;
    struct mutant m = { .n = g->file.n, .nlog = g->log.n, .seed = i * 1000003, .g = g };
    struct bough_arena *a = bough_arena_create();
    const char *only = getenv("DAMAGE_KIND");

    m.file = arena_dup(a, g->file.p, g->file.n);
    m.log = arena_alloc(a, room + 1);
    memcpy(m.log, g->log.p, g->log.n);
    do
        kind = pick(&m, KINDS);
    while ((kinds[kind].log && !g->log.n) || (only && strcmp(only, kinds[kind].name) != 0));
    kinds[kind].fn(&m);
    *log = kinds[kind].log;
    unlink(arena_printf(a, "%s-wal", path));
    unlink(arena_printf(a, "%s-shm", path));
    put_file(path, m.file, m.n);
    if (g->log.n)
        put_file(arena_printf(a, "%s-wal", path), m.log, m.nlog);
    bough_arena_destroy(a);
    return kinds[kind].name;
}
