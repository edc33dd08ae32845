/* Event streams: memory of 5,000 idle streams, and the time until the last stream gets an event. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "http.h"

enum { STREAMS = 5000, WAVE = 100 };

struct crowd {
    int epoll;
    int fds[STREAMS];
    bool has[STREAMS];
    size_t n, got, event_bytes;
};

/* Wait until `many` streams have received data that contains `mark`. */
static void wait_for(struct crowd *c, size_t many, const char *mark)
{
    static char in[16384];
    struct epoll_event events[256];
    double until = now_us() + 30e6;

    while (c->got < many && now_us() < until) {
        int n = epoll_wait(c->epoll, events, 256, 1000);

        for (int k = 0; k < n; k++) {
            size_t i = events[k].data.u64;
            ssize_t got = recv(c->fds[i], in, sizeof in - 1, MSG_DONTWAIT);

            if (got < 0 && errno == EAGAIN)
                continue;
            if (got <= 0) {
                fprintf(stderr, "bench: a stream was closed\n");
                exit(2);
            }
            in[got] = '\0';
            if (c->has[i] || !strstr(in, mark))
                continue;
            c->has[i] = true;
            c->got++;
            c->event_bytes = (size_t)got;
        }
    }
    if (c->got < many) {
        fprintf(stderr, "bench: only %zu streams have seen %s\n", c->got, mark);
        exit(2);
    }
}

static void wait_all(struct crowd *c, const char *mark)
{
    wait_for(c, c->n, mark);
    memset(c->has, 0, sizeof c->has);
    c->got = 0;
}

static struct crowd *crowd_open(int port, const struct bough_str *requests, size_t n, size_t many)
{
    struct crowd *c = mem_zalloc(sizeof *c);

    c->epoll = epoll_create1(EPOLL_CLOEXEC);
    c->n = many;
    for (size_t i = 0; i < many; i++) {
        struct epoll_event e = { .events = EPOLLIN, .data.u64 = i };
        const struct bough_str *r = &requests[i % n];

        c->fds[i] = connect_to(port);
        if (send(c->fds[i], r->p, r->n, MSG_NOSIGNAL) != (ssize_t)r->n ||
            epoll_ctl(c->epoll, EPOLL_CTL_ADD, c->fds[i], &e) != 0) {
            perror("bench: stream");
            exit(2);
        }
        if (i % WAVE == WAVE - 1) /* in waves, because servers limit waiting requests */
            wait_for(c, i + 1, "event: ready");
    }
    wait_all(c, "event: ready");
    return c;
}

static void crowd_close(struct crowd *c)
{
    for (size_t i = 0; i < c->n; i++)
        close(c->fds[i]);
    close(c->epoll);
    mem_free(c);
}

/* Microseconds from requesting an event until the last stream has received it. */
static double broadcast(struct crowd *c, int fd, struct bough_str trigger)
{
    static char in[8192];
    double from = now_us(), took;

    if (send(fd, trigger.p, trigger.n, MSG_NOSIGNAL) != (ssize_t)trigger.n)
        exit(2);
    wait_all(c, "event: message.created");
    took = now_us() - from;
    if (recv(fd, in, sizeof in, 0) <= 0 || strncmp(in, "HTTP/1.1 2", 10) != 0) {
        fprintf(stderr, "bench: no event was made: %.300s\n", in);
        exit(2);
    }
    return took;
}

static void measure(struct bench *b, struct world *w, struct crowd *ours)
{
    struct samples us[2] = { { 0 }, { 0 } };
    struct peer bare = bare_start(b);
    struct bough_str stream = world_get(w, "/events"), send_it;
    struct crowd *theirs = crowd_open(bare.port, &stream, 1, STREAMS);
    int to_us = connect_to(w->server.port), to_bare = connect_to(bare.port);
    size_t rounds = b->full ? 41 : 15;

    (void)broadcast(ours, to_us, world_append(w, 0, 1));
    note("the event has %zu bytes", ours->event_bytes);
    send_it = world_get(w, arena_printf(w->a, "/send/%zu", ours->event_bytes));
    (void)broadcast(theirs, to_bare, send_it);
    for (size_t r = 0; r < rounds; r++) {
        sample(&us[0], broadcast(ours, to_us, world_append(w, 0, 1)));
        sample(&us[1], broadcast(theirs, to_bare, send_it));
    }
    samples_note("bough: append to last stream", &us[0]);
    samples_note("bare: the same", &us[1]);
    figure(b, "broadcast_last_vs_bare", median(&us[0]) / median(&us[1]));
    close(to_us);
    close(to_bare);
    crowd_close(theirs);
    peer_stop(&bare);
    samples_finish(&us[0]);
    samples_finish(&us[1]);
}

/* Warm up, so that one-time allocations are not counted. */
static void warm(struct world *w, const struct bough_str *requests)
{
    struct crowd *few = crowd_open(w->server.port, requests, WORLD_TOKENS, WAVE);

    crowd_close(few);
    sleep_us(500e3);
}

static bool enough_files(void)
{
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0)
        return false;
    files.rlim_cur = files.rlim_max;
    return setrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_max > 2 * STREAMS + 200;
}

void bench_http_streams(struct bench *b)
{
    struct bough_str requests[WORLD_TOKENS];
    struct crowd *crowd;
    struct world w;
    double before, after;

    if (!enough_files()) {
        figure_skipped(b, "idle_stream_kb", "this process may not open 10,200 files");
        figure_skipped(b, "broadcast_last_vs_bare", "this process may not open 10,200 files");
        return;
    }
    hurry(false);
    world_start(b, &w, "http-streams", 0);
    for (size_t i = 0; i < WORLD_TOKENS; i++) {
        const char *first = w.tokens[0];

        w.tokens[0] = w.tokens[i];
        requests[i] = world_get(&w, "/api/v1/events?kinds=message.created");
        w.tokens[0] = first;
    }
    warm(&w, requests);
    before = peer_rss_kb(&w.server);
    crowd = crowd_open(w.server.port, requests, WORLD_TOKENS, STREAMS);
    sleep_us(500e3);
    after = peer_rss_kb(&w.server);
    note("%.1f MB before, %.1f MB with %d streams", before / 1024, after / 1024, STREAMS);
    figure(b, "idle_stream_kb", (after - before) / STREAMS);
    measure(b, &w, crowd);
    crowd_close(crowd);
    world_stop(&w);
    hurry(true);
}
