/* Figures of streams through a gateway, beside other relays; see gateway.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/memory/arena.h"
#include "gateway.h"

enum { STREAMS = 64, MANY = 200, IDLE = 1000 };

struct side_of {
    struct relay_peer relay;
    struct samples cpu;       /* CPU time an event, with work put off until the relay rests */
    struct samples at_end;    /* the same without that work */
    struct samples first_p50; /* of 200 streams opened at once; one sample a round */
    struct samples first_p99;
    struct samples speed; /* events per second */
    struct flooded paced; /* of all rounds */
};

struct run {
    struct bench *b;
    struct bough_arena *a;
    const char *dir;
    struct peer up;
    struct side_of sides[RELAY_KINDS];
    size_t rounds;
};

static struct flood flood_for(const struct side_of *s, size_t streams, size_t events, long pace_us)
{
    return (struct flood){ .port = s->relay.peer.port,
                           .streams = streams,
                           .events = events,
                           .pace_us = pace_us,
                           .tokens = s->relay.tokens,
                           .ntokens = s->relay.ntokens };
}

/* ---- one block of each kind ---- */

/* 64 streams with 100 events a second each: every event is a read and a write of its own. */
static void block_cpu(struct run *r, struct side_of *s)
{
    struct flood f = flood_for(s, STREAMS, r->b->quick ? 150 : 400, 10000);
    double events = (double)(f.streams * (f.events + 2));
    bool relayed = s->relay.kind != RELAY_DIRECT;
    double before = relayed ? peer_cpu_us(&s->relay.peer) : 0;

    flood_run(&f, &s->paced);
    if (!relayed)
        return;
    sample(&s->at_end, (peer_cpu_us(&s->relay.peer) - before) / events);
    peer_rest(&s->relay.peer);
    sample(&s->cpu, (peer_cpu_us(&s->relay.peer) - before) / events);
}

static void block_first(struct run *r, struct side_of *s)
{
    struct flood f = flood_for(s, MANY, 10, 20000);
    struct flooded out = { 0 };

    (void)r;
    flood_run(&f, &out);
    sample(&s->first_p50, median(&out.first));
    sample(&s->first_p99, quantile(&out.first, 0.99));
    flooded_finish(&out);
}

static void block_speed(struct run *r, struct side_of *s)
{
    struct flood f = flood_for(s, STREAMS, r->b->quick ? 1000 : 2000, 0);
    struct flooded out = { 0 };

    flood_run(&f, &out);
    sample(&s->speed, (double)(f.streams * f.events) / out.seconds);
    flooded_finish(&out);
    if (s->relay.kind != RELAY_DIRECT)
        peer_rest(&s->relay.peer);
}

/* Rounds of one block on every side, each round in another order. */
static void rounds(struct run *r, size_t times, void (*block)(struct run *r, struct side_of *s))
{
    uint64_t rng = 11;
    size_t order[RELAY_KINDS];

    for (size_t i = 0; i < RELAY_KINDS; i++)
        order[i] = i;
    for (size_t n = 0; n < times; n++) {
        for (size_t i = RELAY_KINDS; i > 1; i--) {
            size_t k = rng_below(&rng, i), t = order[i - 1];

            order[i - 1] = order[k];
            order[k] = t;
        }
        for (size_t i = 0; i < RELAY_KINDS; i++)
            if (r->sides[order[i]].relay.here)
                block(r, &r->sides[order[i]]);
    }
}

/* ---- memory ---- */

struct watched {
    struct peer *peer;
    double kb;
};

static void look(void *user)
{
    struct watched *w = user;

    w->kb = peer_rss_kb(w->peer);
}

/* A gateway that has just started, because memory that earlier streams left would hide the growth.
 */
static void measure_memory(struct run *r)
{
    struct side_of s = { .relay = relay_peer_start(r->b, r->a, RELAY_REQUIRED,
                                                   scratch(r->b, "gateway-memory"), r->up.port) };
    struct flood f = flood_for(&s, 32, 20, 5000);
    struct flooded out = { 0 };
    struct watched w = { .peer = &s.relay.peer };
    double before;

    flood_run(&f, &out); /* warm-up, so that one-time allocations are not counted */
    peer_rest(&s.relay.peer);
    before = peer_rss_kb(&s.relay.peer);
    f = flood_for(&s, IDLE, 40, 100000);
    f.wave = 100; /* the server limits waiting requests */
    f.middle = look;
    f.user = &w;
    flood_run(&f, &out);
    note("%.1f MB before, %.1f MB with %d streams", before / 1024, w.kb / 1024, IDLE);
    figure(r->b, "rss_kb_per_stream_1000", (w.kb - before) / IDLE);
    flooded_finish(&out);
    relay_peer_stop(&s.relay);
}

/* ---- figures ---- */

static void start_all(struct run *r)
{
    static const char *const names[RELAY_KINDS] = {
        "gateway-direct", "gateway-raw",  "gateway-nginx",    "gateway-node",
        "gateway-off",    "gateway-best", "gateway-required",
    };

    r->up = upstream_start(r->b);
    for (size_t i = 0; i < RELAY_KINDS; i++) {
        struct side_of *s = &r->sides[i];
        struct flood f;

        s->relay =
            relay_peer_start(r->b, r->a, (enum relay_kind)i, scratch(r->b, names[i]), r->up.port);
        if (!s->relay.here) {
            note("%s is not installed", s->relay.name);
            continue;
        }
        f = flood_for(s, MANY, 50, 5000); /* warm-up, including Node's compiler */
        flood_run(&f, &s->paced);
        flooded_finish(&s->paced);
        s->paced = (struct flooded){ 0 };
        if (s->relay.kind != RELAY_DIRECT)
            peer_rest(&s->relay.peer);
    }
}

static void stop_all(struct run *r)
{
    for (size_t i = 0; i < RELAY_KINDS; i++) {
        struct side_of *s = &r->sides[i];

        relay_peer_stop(&s->relay);
        samples_finish(&s->cpu);
        samples_finish(&s->at_end);
        samples_finish(&s->first_p50);
        samples_finish(&s->first_p99);
        samples_finish(&s->speed);
        flooded_finish(&s->paced);
    }
    peer_stop(&r->up);
}

static void note_sides(struct run *r)
{
    for (size_t i = 0; i < RELAY_KINDS; i++) {
        struct side_of *s = &r->sides[i];

        if (!s->relay.here)
            continue;
        note("%-18s CPU an event %.1f us (%.1f to %.1f; without later work %.1f)", s->relay.name,
             median(&s->cpu), quantile(&s->cpu, 0), quantile(&s->cpu, 1), median(&s->at_end));
        note("%-18s lag p50 %.0f us, p99 %.0f us; tail p50 %.0f us, p99 %.0f us", "",
             median(&s->paced.lag), quantile(&s->paced.lag, 0.99), median(&s->paced.tail),
             quantile(&s->paced.tail, 0.99));
        note("%-18s first byte of %d streams p50 %.1f ms, p99 %.1f ms (%.1f to %.1f)", "", MANY,
             median(&s->first_p50) / 1e3, median(&s->first_p99) / 1e3,
             quantile(&s->first_p99, 0) / 1e3, quantile(&s->first_p99, 1) / 1e3);
        note("%-18s %.0f events/s (%.0f to %.0f)", "", median(&s->speed), quantile(&s->speed, 0),
             quantile(&s->speed, 1));
    }
}

static double over(struct samples *a, struct samples *b)
{
    return median(a) / median(b);
}

static void make_figures(struct run *r)
{
    struct side_of *s = r->sides, *ours = &s[RELAY_REQUIRED];

    figure(r->b, "relay_cpu_per_token_vs_raw", over(&ours->cpu, &s[RELAY_RAW].cpu));
    if (s[RELAY_NGINX].relay.here)
        figure(r->b, "relay_cpu_per_token_vs_nginx", over(&ours->cpu, &s[RELAY_NGINX].cpu));
    else
        figure_skipped(r->b, "relay_cpu_per_token_vs_nginx", "nginx is not installed");
    if (s[RELAY_NODE].relay.here)
        figure(r->b, "node_cpu_over_ours", over(&s[RELAY_NODE].cpu, &ours->cpu));
    else
        figure_skipped(r->b, "node_cpu_over_ours", "Node is not installed");
    figure(r->b, "ttfb_p99_vs_raw_200_streams", over(&ours->first_p99, &s[RELAY_RAW].first_p99));
    figure(r->b, "tokens_per_s_recording_on_over_off", over(&ours->speed, &s[RELAY_OFF].speed));
}

void bench_gateway(struct bench *b)
{
    struct run r = { .b = b, .a = bough_arena_create(), .rounds = b->full ? 15 : b->quick ? 2 : 5 };
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) == 0) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
    hurry(false);
    start_all(&r);
    rounds(&r, r.rounds, block_cpu);
    rounds(&r, 2 * r.rounds + 1, block_first); /* short, and the worst of 200 varies */
    rounds(&r, r.rounds, block_speed);
    note_sides(&r);
    make_figures(&r);
    stop_all(&r);
    r.up = upstream_start(b);
    measure_memory(&r);
    peer_stop(&r.up);
    bough_arena_destroy(r.a);
    hurry(true);
}
