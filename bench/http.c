/* Figures of requests: compared with a bare responder and with the library, a mixed load, and
 * memory of large answers. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "http.h"

enum { CONNECTIONS = 16, WRITERS = 32 };

/* --- CPU time per request */

struct cpu_side {
    const char *name;
    struct peer *peer;
    struct load *load;
    struct samples us; /* CPU time per request */
};

static void cpu_block(struct cpu_side *s, size_t requests)
{
    double before = peer_cpu_us(s->peer);

    (void)load_run(s->load, requests);
    sample(&s->us, (peer_cpu_us(s->peer) - before) / (double)requests);
}

static struct bough_str any_of(void *user, size_t connection, size_t i)
{
    const struct bough_str *from = user;

    return from[(connection * 7 + i) % WORLD_SESSIONS];
}

static struct bough_str only(void *user, size_t connection, size_t i)
{
    (void)connection;
    (void)i;
    return *(struct bough_str *)user;
}

/* Alternate between bough and the bare responder, with bodies of equal size. */
static void against_bare(struct bench *b, const char *figure_name, struct world *w,
                         struct bough_str *requests, size_t block)
{
    struct peer bare = bare_start(b);
    struct cpu_side sides[2] = { { .name = "bough", .peer = &w->server },
                                 { .name = "bare", .peer = &bare } };
    size_t rounds = b->full ? 31 : 11;
    struct bough_str request;

    sides[0].load = load_open(w->server.port, CONNECTIONS, any_of, requests);
    (void)load_run(sides[0].load, block);
    load_check(sides[0].load, figure_name);
    request = world_get(w, arena_printf(w->a, "/%zu", load_body_bytes(sides[0].load)));
    sides[1].load = load_open(bare.port, CONNECTIONS, only, &request);
    (void)load_run(sides[1].load, block);
    for (size_t r = 0; r < rounds; r++)
        for (size_t k = 0; k < 2; k++)
            cpu_block(&sides[(r + k) % 2], block);
    note("%zu bytes of body, %d connections", load_body_bytes(sides[0].load), CONNECTIONS);
    for (size_t k = 0; k < 2; k++) {
        load_check(sides[k].load, figure_name);
        samples_note(sides[k].name, &sides[k].us);
    }
    figure(b, figure_name, median(&sides[0].us) / median(&sides[1].us));
    for (size_t k = 0; k < 2; k++) {
        load_close(sides[k].load);
        samples_finish(&sides[k].us);
    }
    peer_stop(&bare);
}

void bench_http_reads(struct bench *b)
{
    struct world w;

    hurry(false); /* all processes at normal priority */
    world_start(b, &w, "http-reads", 0);
    against_bare(b, "get_session_cpu_vs_bare", &w, w.gets, 20000);
    against_bare(b, "context_50_cpu_vs_bare", &w, w.contexts, 4000);
    world_stop(&w);
    hurry(true);
}

/* --- durable appends */

struct appends {
    struct bough_str at[WRITERS][64];
};

static struct bough_str next_append(void *user, size_t connection, size_t i)
{
    return ((struct appends *)user)->at[connection][i % 64];
}

static void fill_appends(struct world *w, struct appends *to)
{
    for (size_t c = 0; c < WRITERS; c++)
        for (size_t i = 0; i < 64; i++)
            to->at[c][i] = world_append(w, c, c * 37 + i);
}

/* Both sides have one core for the store and index new entries. The library's callers share that
 * core. */
void bench_http_append(struct bench *b)
{
    struct samples http = { 0 }, library = { 0 };
    struct appends *appends = mem_alloc(sizeof *appends);
    size_t rounds = b->full ? 15 : 7;
    struct bough_store *s;
    struct bough_error err;
    struct writer *writers;
    const char *dir = scratch(b, "http-append-library");
    struct load *load;
    struct world w;

    hurry(false);
    world_start(b, &w, "http-append", 0);
    fill_appends(&w, appends);
    load = load_open(w.server.port, WRITERS, next_append, appends);
    pin(CORE_SERVER);
    must(bough_store_open(&s, fs_join(w.a, dir, "store"), NULL, &err), &err, "open");
    writers = writers_new(s, WRITERS);
    for (size_t r = 0; r <= rounds; r++) {
        double rate;

        pin(CORE_SERVER);
        rate = writers_run(writers, WRITERS, 0.5, NULL);
        peer_rest(&(struct peer){ .pid = getpid() });
        if (r)
            sample(&library, rate);
        pin(CORE_CLIENT);
        rate = load_for(load, 0.5);
        peer_rest(&w.server);
        if (r)
            sample(&http, rate);
    }
    load_check(load, "append");
    note("%d threads: %.0f appends/s (%.0f to %.0f); %d connections: %.0f (%.0f to %.0f)", WRITERS,
         median(&library), quantile(&library, 0), quantile(&library, 1), WRITERS, median(&http),
         quantile(&http, 0), quantile(&http, 1));
    figure(b, "append_http_vs_library", median(&http) / median(&library));
    load_close(load);
    world_stop(&w);
    mem_free(writers);
    bough_store_close(&s);
    scratch_remove(dir);
    samples_finish(&http);
    samples_finish(&library);
    mem_free(appends);
    hurry(true);
}

/* --- mixed load for one minute */

struct mixed {
    struct world *w;
    struct appends *appends;
    struct bough_str list, search, entries, delta;
};

static struct bough_str next_mixed(void *user, size_t connection, size_t i)
{
    struct mixed *m = user;
    size_t kind = (connection * 13 + i * 7) % 20;

    if (kind < 8)
        return any_of(m->w->gets, connection, i);
    if (kind < 12) /* only sessions that do not grow */
        return m->w->contexts[WRITERS + (connection * 7 + i) % (WORLD_SESSIONS - WRITERS)];
    if (kind < 16)
        return next_append(m->appends, connection % WRITERS, i);
    return kind == 16 ? m->list : kind == 17 ? m->search : m->entries;
}

void bench_http_mixed(struct bench *b)
{
    struct mixed m = { .appends = mem_alloc(sizeof *m.appends) };
    struct samples us = { 0 };
    struct load *load;
    struct world w;
    double before, after;

    hurry(false);
    world_start(b, &w, "http-mixed", 0);
    m.w = &w;
    fill_appends(&w, m.appends);
    m.list = world_get(&w, "/api/v1/sessions?limit=20");
    m.search = world_get(&w, "/api/v1/search?query=value&limit=5");
    m.entries = world_get(
        &w, arena_printf(w.a, "/api/v1/sessions/%s/entries?newest=true&limit=10", w.ids[0]));
    load = load_open(w.server.port, WRITERS, next_mixed, &m);
    load_paced(load, 1000, 15, NULL); /* fills the caches */
    before = peer_rss_kb(&w.server);
    load_paced(load, 1000, 60, &us);
    after = peer_rss_kb(&w.server);
    samples_note("a request of the mix", &us);
    note("%.1f MB before, %.1f MB after", before / 1024, after / 1024);
    figure(b, "mixed_60s_errors", (double)load_errors(load));
    if (load_errors(load))
        load_check(load, "mixed");
    figure(b, "mixed_60s_rss_growth_mb", (after - before) / 1024);
    load_close(load);
    world_stop(&w);
    samples_finish(&us);
    mem_free(m.appends);
    hurry(true);
}

/* --- an answer of 100 MB */

struct watched {
    struct peer *peer;
    double next_us, peak;
};

static void look(void *user, size_t total)
{
    struct watched *w = user;
    double now;

    (void)total;
    if (now_us() < w->next_us)
        return;
    w->next_us = now_us() + 2e3;
    now = peer_rss_kb(w->peer);
    if (now > w->peak)
        w->peak = now;
}

void bench_http_large(struct bench *b)
{
    static const char *const ways[] = { "entries?all=true", "export" };
    double worst = 0;
    struct world w;

    hurry(false);
    world_start(b, &w, "http-large", 95000);
    for (size_t i = 0; i < 2; i++) {
        struct watched watched = { .peer = &w.server };
        double before;
        size_t bytes;

        /* Warm up, so that one-time allocations are not counted. */
        (void)world_fetch(&w, arena_printf(w.a, "/api/v1/sessions/%s/%s", w.ids[0], ways[i]), NULL,
                          NULL);
        before = peer_rss_kb(&w.server);
        bytes = world_fetch(&w, arena_printf(w.a, "/api/v1/sessions/%s/%s", w.large, ways[i]), look,
                            &watched);
        note("%s: %.0f MB answered, %.1f MB before, %.1f MB at most", ways[i], (double)bytes / 1e6,
             before / 1024, watched.peak / 1024);
        if (watched.peak - before > worst)
            worst = watched.peak - before;
    }
    figure(b, "stream_rss_mb", worst / 1024);
    world_stop(&w);
    hurry(true);
}
