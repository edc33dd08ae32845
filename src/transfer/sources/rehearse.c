/* Reads a file in a child process and drops its items: see rehearse.h. */
#include "transfer/sources/rehearse.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "formats/common/format.h"
#include "transfer/sources/sqlite_file.h"

enum { FIRST = 4096, WAIT_MS = 100, WAIT_MOST_MS = 100000 };

const struct confined_limits rehearse_limits = { .memory = INT64_C(768) * 1024 * 1024,
                                                 .cpu_s = 60 };

struct rehearsal {
    const char *path, *format;
};

/* ---- in the child ---- */

static enum bough_rc drop_item(void *user, const struct item *item, struct bough_error *err)
{
    (void)user;
    (void)item;
    (void)err;
    return BOUGH_OK;
}

static enum bough_rc read_bytes(void *user, int64_t at, char *to, size_t n, size_t *got,
                                struct bough_error *err)
{
    FILE *in = user;

    if (fseeko(in, (off_t)at, SEEK_SET) != 0)
        return bough_fail(err, BOUGH_IO, "it cannot be read");
    *got = fread(to, 1, n, in);
    return BOUGH_OK;
}

static void read_lines(struct reading *r, FILE *in)
{
    struct bough_error err;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    enum bough_rc rc = BOUGH_OK;

    while (!rc && (n = getline(&line, &cap, in)) > 0) {
        size_t len = (size_t)n - (line[n - 1] == '\n');

        r->line++;
        rc = r->format->line(r, str_make(line, len), &err);
        bough_arena_reset(r->a);
        r->at += n;
    }
    if (!rc && !feof(in))
        abort(); /* no memory for the line */
    if (!rc && r->format->end)
        (void)!r->format->end(r, &err);
    free(line);
}

static const struct format *format_of(const struct rehearsal *h, FILE *in)
{
    char first[FIRST];
    size_t n = fread(first, 1, sizeof first, in);

    rewind(in);
    if (sqlite_file_is(str_make(first, n)))
        return NULL;
    return h->format ? format_find(h->format) : format_detect(str_make(first, n));
}

static void run(void *user, int out)
{
    const struct rehearsal *h = user;
    FILE *in = fopen(h->path, "re");
    const struct format *f = in ? format_of(h, in) : NULL;
    struct doc_bytes bytes = { read_bytes, in };
    struct bough_error err;

    if (f && (f->line || f->document)) {
        struct reading r = { .format = f,
                             .sink = { drop_item, NULL },
                             .kept = bough_arena_create(),
                             .a = bough_arena_create(),
                             .name = h->path,
                             .bytes = &bytes };

        if (f->line)
            read_lines(&r, in);
        else
            (void)!f->document(&r, &err);
        if (f->drop)
            f->drop(&r);
    }
    (void)!write(out, "k", 1);
}

/* ---- in this process ---- */

static enum bough_rc ended_by(int by, struct bough_error *err)
{
    if (by == SIGXCPU || by == SIGKILL)
        return bough_fail(err, BOUGH_TIMEOUT, "the file takes too long to read");
    if (by == SIGABRT)
        return bough_fail(err, BOUGH_TOO_LARGE, "the file takes too much memory to read");
    return bough_fail(err, BOUGH_CORRUPT, "the file cannot be read (signal %d)", by);
}

enum bough_rc rehearse(const char *path, const char *format, const struct confined_limits *limits,
                       const bool *cancel, struct bough_error *err)
{
    struct rehearsal h = { path, format };
    int64_t until = mono_us() + WAIT_MOST_MS * INT64_C(1000);
    struct confined c;
    char done = 0;
    int ready = 0;

    if (!confined_start(&c, limits, run, &h))
        return bough_fail(err, BOUGH_OVERLOADED, "cannot start a process to read the file: %s",
                          strerror(errno));
    while (ready <= 0 && mono_us() < until &&
           !(cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED)))
        ready = poll(&(struct pollfd){ .fd = c.fd, .events = POLLIN }, 1, WAIT_MS);
    if (ready <= 0) {
        (void)confined_end(&c);
        return bough_fail(err, BOUGH_TIMEOUT, "the file takes too long to read");
    }
    if (read(c.fd, &done, 1) == 1 && done == 'k') {
        (void)confined_end(&c);
        return BOUGH_OK;
    }
    return ended_by(confined_wait(&c), err);
}
