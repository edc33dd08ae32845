/* Many writers at once, and a writer beside readers. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/memory/mem.h"
#include "bench.h"

enum { WRITERS = 128 };

struct writer {
    struct bough_store *s;
    char session[BOUGH_ID_LEN + 1];
    size_t i;
    const atomic_bool *stop;
    struct samples us;
    pthread_t thread;
};

static void *write_until(void *arg)
{
    struct writer *w = arg;
    struct bough_arena *a = bough_arena_create();

    while (!*w->stop) {
        double from = now_us();

        append_one(w->s, a, w->session, w->i++);
        sample(&w->us, now_us() - from);
    }
    bough_arena_destroy(a);
    return NULL;
}

double writers_run(struct writer *w, size_t n, double seconds, struct samples *us)
{
    atomic_bool stop = false;
    double from = now_us(), took;
    size_t total = 0;

    for (size_t i = 0; i < n; i++) {
        w[i].stop = &stop;
        if (pthread_create(&w[i].thread, NULL, write_until, &w[i]))
            exit(2);
    }
    sleep_us(seconds * 1e6);
    stop = true;
    for (size_t i = 0; i < n; i++)
        pthread_join(w[i].thread, NULL);
    took = now_us() - from;
    for (size_t i = 0; i < n; i++) {
        total += w[i].us.n;
        for (size_t k = 0; k < w[i].us.n && us; k++)
            sample(us, w[i].us.at[k]);
        samples_finish(&w[i].us);
    }
    return (double)total / took * 1e6;
}

struct writer *writers_new(struct bough_store *s, size_t n)
{
    struct writer *w = mem_zalloc(mem_array(n, sizeof *w));

    syncs_skip(true);
    for (size_t i = 0; i < n; i++) {
        w[i].s = s;
        w[i].i = i * 37;
        session_new(s, "writer", w[i].session);
        append_many(s, w[i].session, 0, 200);
    }
    syncs_skip(false);
    return w;
}

void bench_threads(struct bench *b)
{
    static const size_t counts[] = { 1, 8, 32, 128 };
    const char *dir = scratch(b, "threads");
    struct bough_store *s = store_new(dir, true);
    struct writer *w = writers_new(s, WRITERS);
    struct samples rate[4] = { { 0 } }, us[4] = { { 0 } };
    size_t rounds = b->full ? 15 : 7;
    char name[32];

    writers_run(w, 8, 0.2, NULL);
    for (size_t r = 0; r < rounds; r++)
        for (size_t k = 0; k < 4; k++) {
            size_t c = (r + k) % 4;

            sample(&rate[c], writers_run(w, counts[c], 0.4, &us[c]));
        }
    for (size_t c = 0; c < 4; c++) {
        note("%3zu threads: %8.0f appends/s (%.0f to %.0f), p50 %.0f us, p99 %.0f us", counts[c],
             median(&rate[c]), quantile(&rate[c], 0), quantile(&rate[c], 1), median(&us[c]),
             quantile(&us[c], 0.99));
        snprintf(name, sizeof name, "group_commit_%zu", counts[c]);
        if (c)
            figure(b, name, median(&rate[c]) / median(&rate[0]));
    }
    figure(b, "threads32_p99_over_p50", quantile(&us[2], 0.99) / median(&us[2]));
    for (size_t c = 0; c < 4; c++) {
        samples_finish(&rate[c]);
        samples_finish(&us[c]);
    }
    mem_free(w);
    bough_store_close(&s);
    scratch_remove(dir);
}

/* --- readers */

struct reader {
    struct bough_store *s;
    const struct writer *sessions;
    size_t n;
    uint64_t rng;
    const atomic_bool *stop;
    struct samples us;
    pthread_t thread;
};

static void *read_until(void *arg)
{
    struct reader *r = arg;
    struct bough_arena *a = bough_arena_create();
    struct bough_entries_read_options how = { .newest = true, .limit = 50 };

    while (!*r->stop) {
        double from = now_us();

        read_path(r->s, a, r->sessions[rng_below(&r->rng, r->n)].session, &how);
        sample(&r->us, now_us() - from);
    }
    bough_arena_destroy(a);
    return NULL;
}

void bench_readers(struct bench *b)
{
    enum { READERS = 2, SESSIONS = 64 };
    const char *dir = scratch(b, "readers");
    struct bough_store *s;
    struct writer *w;
    struct reader readers[READERS];
    struct samples off = { 0 }, on = { 0 };
    size_t rounds = b->full ? 20 : 8;

    hurry(false); /* readers never sleep: at real-time priority a writer would wait for them */
    s = store_new(dir, true);
    w = writers_new(s, SESSIONS);
    for (size_t i = 0; i < READERS; i++)
        readers[i] = (struct reader){ .s = s, .sessions = w, .n = SESSIONS, .rng = i + 1 };
    for (size_t r = 0; r < rounds; r++) {
        atomic_bool stop = false;

        writers_run(w, 1, 0.5, &off);
        for (size_t i = 0; i < READERS; i++) {
            readers[i].stop = &stop;
            if (pthread_create(&readers[i].thread, NULL, read_until, &readers[i]))
                exit(2);
        }
        writers_run(w, 1, 0.5, &on);
        stop = true;
        for (size_t i = 0; i < READERS; i++)
            pthread_join(readers[i].thread, NULL);
    }
    samples_note("append, no readers", &off);
    samples_note("append, two readers", &on);
    samples_note("last 50 beside a writer", &readers[0].us);
    figure(b, "append_p99_readers_on_over_off", quantile(&on, 0.99) / quantile(&off, 0.99));
    samples_finish(&off);
    samples_finish(&on);
    for (size_t i = 0; i < READERS; i++)
        samples_finish(&readers[i].us);
    mem_free(w);
    bough_store_close(&s);
    hurry(true);
    scratch_remove(dir);
}
