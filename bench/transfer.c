/* Import and export of a pi file, compared with reading and parsing it, and with writing
 * its bytes. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "bench.h"

enum { ENTRIES = 50000 };

struct moving {
    struct bench *b;
    const char *dir, *file;
    struct bough_store *s; /* the store of the last import */
    struct bough_arena *a, *names;
    char session[BOUGH_ID_LEN + 1];
    struct bough_str bytes; /* content of the file */
    size_t out;
};

static void import_into(struct moving *m, enum bough_import_status want)
{
    struct bough_import_file_result out;
    struct bough_error err;

    bough_arena_reset(m->a);
    must(bough_import_file(m->s, m->a, m->file, NULL, &out, &err), &err, "import");
    if (out.status != want || out.nproblems) {
        fprintf(stderr, "bench: the import is not what it should be\n");
        exit(2);
    }
    memcpy(m->session, out.session, sizeof m->session);
}

static const char *numbered(struct moving *m, const char *name, size_t i)
{
    char text[64];

    snprintf(text, sizeof text, "%s-%zu", name, i);
    return fs_join(m->names, m->dir, text);
}

/* Import into a new store, until it is on disk. */
static void run_import(void *user, size_t i)
{
    struct bough_store_open_options options = { .indexing = BOUGH_INDEX_ON_SEARCH };
    struct moving *m = user;
    struct bough_error err;

    bough_store_close(&m->s);
    must(bough_store_open(&m->s, numbered(m, "store", i), &options, &err), &err, "open");
    import_into(m, BOUGH_IMPORT_NEW);
}

static void run_again(void *user, size_t i)
{
    (void)i;
    import_into(user, BOUGH_IMPORT_UNCHANGED);
}

static void run_parse(void *user, size_t i)
{
    struct moving *m = user;
    struct bough_error err;
    struct bough_str all;
    struct json line;

    (void)i;
    bough_arena_reset(m->a);
    must(fs_read(m->a, m->file, SIZE_MAX / 2, &all, &err), &err, "read");
    while (all.n) {
        const char *end = memchr(all.p, '\n', all.n);
        struct bough_arena *one = bough_arena_create();
        size_t n = (size_t)(end - all.p);

        must(json_parse(one, str_make(all.p, n), &line, &err), &err, "parse");
        bough_arena_destroy(one);
        all = str_make(end + 1, all.n - n - 1);
    }
}

/* ---- export ---- */

struct sink {
    int fd;
    size_t n;
};

static struct sink sink_open(struct moving *m, const char *name, size_t i)
{
    struct sink out = { .fd = open(numbered(m, name, i), O_WRONLY | O_CREAT | O_EXCL, 0600) };

    if (out.fd < 0) {
        perror(name);
        exit(2);
    }
    return out;
}

static bool sink_write(void *user, struct bough_str bytes)
{
    struct sink *out = user;

    out->n += bytes.n;
    return write(out->fd, bytes.p, bytes.n) == (ssize_t)bytes.n;
}

static void run_export(void *user, size_t i)
{
    struct moving *m = user;
    struct sink out = sink_open(m, "export", i);
    struct bough_export_options how = { .format = "pi", .write = sink_write, .user = &out };
    struct bough_error err;

    must(bough_export_session(m->s, m->session, &how, &err), &err, "export");
    m->out = out.n;
    close(out.fd);
}

/* Write the same bytes, in pieces of the export's size. */
static void run_write(void *user, size_t i)
{
    struct moving *m = user;
    struct sink out = sink_open(m, "copy", i);

    for (size_t at = 0; at < m->bytes.n;) {
        size_t n = m->bytes.n - at < 65536 ? m->bytes.n - at : 65536;

        if (!sink_write(&out, str_make(m->bytes.p + at, n)))
            exit(2);
        at += n;
    }
    close(out.fd);
}

void bench_transfer(struct bench *b)
{
    struct moving m = { .b = b,
                        .dir = scratch(b, "transfer"),
                        .a = bough_arena_create(),
                        .names = bough_arena_create() };
    struct side sides[] = { { .name = "import", .run = run_import, .user = &m },
                            { .name = "parse", .run = run_parse, .user = &m },
                            { .name = "again", .run = run_again, .user = &m },
                            { .name = "export", .run = run_export, .user = &m },
                            { .name = "write", .run = run_write, .user = &m } };
    struct bough_error err;

    m.file = fs_join(m.names, m.dir, "session.jsonl");
    pi_file_write(m.file, pi_file_id, ENTRIES, 0);
    must(fs_read(m.names, m.file, SIZE_MAX / 2, &m.bytes, &err), &err, "read");
    /* In order: each step uses the result of the one before. */
    for (size_t i = 0; i < (b->full ? 15u : 5u); i++)
        for (size_t k = 0; k < sizeof sides / sizeof *sides; k++) {
            double from = now_us();

            sides[k].run(&m, i);
            sample(&sides[k].us, now_us() - from);
        }
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
        samples_note(sides[k].name, &sides[k].us);
    note("%zu entries, %.1f MB, exported %.1f MB", (size_t)ENTRIES, (double)m.bytes.n / 1e6,
         (double)m.out / 1e6);
    figure(b, "import_pi_vs_read_parse", median(&sides[0].us) / median(&sides[1].us));
    figure(b, "reimport_noop_vs_import", median(&sides[2].us) / median(&sides[0].us));
    figure(b, "export_pi_vs_write", median(&sides[3].us) / median(&sides[4].us));
    sides_finish(sides, sizeof sides / sizeof *sides);
    bough_store_close(&m.s);
    scratch_remove(m.dir);
    bough_arena_destroy(m.a);
    bough_arena_destroy(m.names);
}
