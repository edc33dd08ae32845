/* Appends of one thread: compared with the disk's floor and with JSONL, in bursts, and bytes
 * written. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/buf.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "bench.h"

struct appender {
    struct bough_store *s;
    struct bough_arena *a;
    char session[BOUGH_ID_LEN + 1];
};

static void run_append(void *user, size_t i)
{
    struct appender *ap = user;

    append_one(ap->s, ap->a, ap->session, i);
}

static void run_with_call(void *user, size_t i)
{
    struct appender *ap = user;
    struct bough_entry_new entry = message_entry(i);
    struct bough_call_new call = { .request_id = "req_011CQZ8bYJmY3u7v4dKcWqzE",
                                   .want_provider = "anthropic",
                                   .want_model = "claude-sonnet-4-5",
                                   .provider = "anthropic",
                                   .model = "claude-sonnet-4-5-20250929",
                                   .status = "ok",
                                   .used = { 12873, 642, 128, 11904, 512, 14372000 },
                                   .duration = 5230 };
    struct bough_append_options in = { .entries = &entry, .n = 1, .call = &call };
    struct bough_append_result out;
    struct bough_error err;

    entry.by_call = true;
    bough_arena_reset(ap->a);
    must(bough_append(ap->s, ap->a, ap->session, &in, &out, &err), &err, "append with call");
}

static void run_with_key(void *user, size_t i)
{
    struct appender *ap = user;
    struct bough_entry_new entry = message_entry(i);
    char key[BOUGH_ID_LEN + 1];
    struct bough_append_options in = { .entries = &entry, .n = 1, .key = key };
    struct bough_append_result out;
    struct bough_error err;

    bough_id_new(key);
    bough_arena_reset(ap->a);
    must(bough_append(ap->s, ap->a, ap->session, &in, &out, &err), &err, "append with key");
}

/* --- baselines */

struct file {
    int fd;
    off_t at, size;
    struct buf b;
};

static void put_line(struct buf *b, const struct message *m, size_t i)
{
    buf_reset(b);
    buf_printf(b, "{\"id\":\"%016zx\",\"role\":\"%s\",\"time\":1731676800123,\"parts\":[", i,
               bough_role_name(m->role));
    for (size_t k = 0; k < m->n; k++) {
        if (k)
            buf_putc(b, ',');
        buf_put_str(b, m->parts[k]);
    }
    buf_puts(b, "]}\n");
}

static void write_all(struct file *f, const char *p, size_t n)
{
    if (pwrite(f->fd, p, n, f->at) != (ssize_t)n || fdatasync(f->fd) != 0) {
        perror("write");
        exit(2);
    }
    f->at += (off_t)n;
}

static void run_floor(void *user, size_t i)
{
    struct file *f = user;
    const struct message *m = message(i);

    buf_reset(&f->b);
    for (size_t k = 0; k < m->n; k++)
        buf_put_str(&f->b, m->parts[k]);
    if (f->at + (off_t)f->b.n > f->size)
        f->at = 0;
    write_all(f, f->b.p, f->b.n);
}

static void run_jsonl(void *user, size_t i)
{
    struct file *f = user;

    put_line(&f->b, message(i), i);
    write_all(f, f->b.p, f->b.n);
}

static struct file file_open(const char *dir, const char *name, off_t size)
{
    struct bough_arena *a = bough_arena_create();
    struct file f = { .size = size };
    char *zero = mem_zalloc(1 << 20);

    f.fd = open(fs_join(a, dir, name), O_RDWR | O_CREAT | O_TRUNC, 0600);
    buf_init(&f.b, 1 << 20);
    for (off_t at = 0; at < size; at += 1 << 20)
        if (f.fd < 0 || pwrite(f.fd, zero, 1 << 20, at) != 1 << 20)
            exit(2);
    (void)fdatasync(f.fd);
    mem_free(zero);
    bough_arena_destroy(a);
    return f;
}

static void file_finish(struct file *f)
{
    close(f->fd);
    buf_finish(&f->b);
}

enum { FLOOR, JSONL, PLAIN, CALL, KEY, SIDES };

void bench_append(struct bench *b)
{
    const char *dir = scratch(b, "append");
    struct bough_store *s = store_new(dir, true);
    struct file floor = file_open(dir, "floor", 16 << 20), jsonl = file_open(dir, "jsonl", 0);
    struct appender plain = { .s = s }, call = { .s = s }, key = { .s = s };
    struct side sides[SIDES] = { { .name = "overwrite + fdatasync", .run = run_floor },
                                 { .name = "JSONL + fdatasync", .run = run_jsonl },
                                 { .name = "append", .run = run_append },
                                 { .name = "append with call", .run = run_with_call },
                                 { .name = "append with key", .run = run_with_key } };
    void *users[SIDES] = { &floor, &jsonl, &plain, &call, &key };
    struct appender *three[] = { &plain, &call, &key };

    for (size_t i = 0; i < SIDES; i++)
        sides[i].user = users[i];
    for (size_t i = 0; i < 3; i++) {
        three[i]->a = bough_arena_create();
        session_new(s, "append", three[i]->session);
        append_many(s, three[i]->session, 0, 1000);
    }
    interleave(sides, SIDES, b->full ? 300 : 100, 12);
    figure(b, "append_durable_vs_floor", median(&sides[FLOOR].us) / median(&sides[PLAIN].us));
    figure(b, "append_with_call_vs_floor", median(&sides[FLOOR].us) / median(&sides[CALL].us));
    figure(b, "append_with_key_vs_floor", median(&sides[FLOOR].us) / median(&sides[KEY].us));
    figure(b, "append_durable_vs_jsonl_fdatasync",
           median(&sides[JSONL].us) / median(&sides[PLAIN].us));
    for (size_t i = 0; i < 3; i++)
        bough_arena_destroy(three[i]->a);
    sides_finish(sides, SIDES);
    file_finish(&floor);
    file_finish(&jsonl);
    bough_store_close(&s);
    scratch_remove(dir);
}

/* --- bursts */

/* 20 appends, then a pause until 24 ms have passed: a typical load of an agent's tools. */
static void bursts(struct side *s, size_t n)
{
    enum { BURST = 20, EVERY_US = 24000 };
    double start = now_us();

    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < BURST; k++) {
            double from = now_us();

            s->run(s->user, s->i++);
            sample(&s->us, now_us() - from);
        }
        sleep_us(start + (double)(i + 1) * EVERY_US - now_us());
    }
}

void bench_bursts(struct bench *b)
{
    const char *dir = scratch(b, "bursts");
    struct appender ap = { .s = store_new(dir, true), .a = bough_arena_create() };
    struct file floor = file_open(dir, "floor", 16 << 20);
    struct side sides[2] = { { .name = "append", .run = run_append, .user = &ap },
                             { .name = "overwrite", .run = run_floor, .user = &floor } };

    session_new(ap.s, "bursts", ap.session);
    append_many(ap.s, ap.session, 0, 200);
    for (size_t i = 0; i < (b->full ? 40 : 8); i++)
        for (size_t k = 0; k < 2; k++)
            bursts(&sides[k], 50);
    samples_note("append in bursts", &sides[0].us);
    samples_note("overwrite + fdatasync so", &sides[1].us);
    figure(b, "append_p999_over_p50_bursts", quantile(&sides[0].us, 0.999) / median(&sides[0].us));
    note("append_p999_over_p50_bursts of the disk alone: %.2f",
         quantile(&sides[1].us, 0.999) / median(&sides[1].us));
    sides_finish(sides, 2);
    file_finish(&floor);
    bough_arena_destroy(ap.a);
    bough_store_close(&ap.s);
    scratch_remove(dir);
}

/* --- bytes written */

void bench_written(struct bench *b)
{
    const char *dir = scratch(b, "written");
    struct bough_store *s = store_new(dir, false);
    struct bough_arena *a = bough_arena_create();
    char session[BOUGH_ID_LEN + 1];
    int64_t before;
    size_t content = 0, n = 2000;

    session_new(s, "written", session);
    append_one(s, a, session, 0);
    before = io_written();
    for (size_t i = 0; i < n; i++) {
        append_one(s, a, session, i);
        content += message(i)->content;
    }
    bough_store_close(&s);
    if (before < 0)
        figure_skipped(b, "bytes_written_over_content", "no /proc/self/io");
    else
        figure(b, "bytes_written_over_content", (double)(io_written() - before) / (double)content);
    bough_arena_destroy(a);
    scratch_remove(dir);
}

/* Not a figure: the cost of an append without the sync. Run with BENCH_ONLY=phases. */
void bench_phases(struct bench *b)
{
    const char *dir = scratch(b, "phases");
    struct appender ap = { .s = store_new(dir, true), .a = bough_arena_create() };
    struct samples us = { 0 }, quiet = { 0 };
    size_t n = 4000, count;
    double spent;

    session_new(ap.s, "phases", ap.session);
    append_many(ap.s, ap.session, 0, 1000);
    (void)syncs_us(&count);
    for (size_t i = 0; i < n; i++) {
        double from = now_us();

        run_append(&ap, i);
        sample(&us, now_us() - from);
    }
    spent = syncs_us(&count);
    samples_note("append", &us);
    note("syncs: %.2f an append, %.1f us an append", (double)count / (double)n, spent / (double)n);
    syncs_skip(true);
    for (size_t i = 0; i < n; i++) {
        double from = now_us();

        run_append(&ap, i);
        sample(&quiet, now_us() - from);
    }
    syncs_skip(false);
    samples_note("append without syncs", &quiet);
    samples_finish(&us);
    samples_finish(&quiet);
    bough_arena_destroy(ap.a);
    bough_store_close(&ap.s);
    scratch_remove(dir);
}
