/*
 * Benchmarks of streams through a gateway: a fake provider, several relays, one client.
 *
 *   gateway_upstream.c   the fake provider, a mode of this program
 *   gateway_raw.c        a relay that only copies bytes, a mode of this program: the baseline
 *   gateway_flood.c      the client: many streams at once, one thread
 *   gateway_relays.c     starts the relays: none, raw, nginx, Node, bough
 *   gateway.c            figures
 *
 * The provider sends events of 320 bytes that carry their send time, one chunk each. The event
 * behind the last text has the SHA-256 of all events before it.
 */
#ifndef BENCH_GATEWAY_H
#define BENCH_GATEWAY_H

#include "http.h"

enum {
    EVENT_BYTES = 320,
    EVENT_TIME_AT = 300, /* 16 digits: microseconds of CLOCK_MONOTONIC */
    EVENT_TIME_DIGITS = 16
};

int upstream_main(void);           /* prints its address, runs until SIGTERM */
int raw_main(const char *up_port); /* the same; sends connections on to that port */

/* Listen on a free port of 127.0.0.1 and print the address. */
int listen_any(void);

/* --- the client */

struct flood {
    int port;
    size_t streams, events; /* events: of text, a stream */
    long pace_us;           /* between the events of a stream; 0: as fast as they are read */
    size_t wave;            /* streams opened at once; 0: all */
    const char *const *tokens;
    size_t ntokens; /* streams use them in turn; 0: none */
    /* Called once, when the last stream has half of its events; may be NULL. */
    void (*middle)(void *user);
    void *user;
};

struct flooded {
    double seconds;
    struct samples first; /* from connecting to the first byte of an event */
    struct samples lag;   /* from sending an event to its arrival */
    struct samples tail;  /* from the last event to the end mark */
};

/* Open the streams and read them to their end. Exits if one is refused, cut or changed. */
void flood_run(const struct flood *f, struct flooded *out);
void flooded_finish(struct flooded *f);

/* --- relays */

enum relay_kind {
    RELAY_DIRECT, /* no relay */
    RELAY_RAW,
    RELAY_NGINX,
    RELAY_NODE,
    RELAY_OFF, /* bough, with this setting of `record` */
    RELAY_BEST_EFFORT,
    RELAY_REQUIRED,
    RELAY_KINDS
};

enum { GATEWAY_TOKENS = 8 };

struct relay_peer {
    enum relay_kind kind;
    const char *name;
    bool here; /* it is installed and runs */
    struct peer peer;
    const char *tokens[GATEWAY_TOKENS];
    size_t ntokens;
};

struct peer upstream_start(struct bench *b);
/* Start a relay for the provider at `up_port`. `dir` is for its files. */
struct relay_peer relay_peer_start(struct bench *b, struct bough_arena *a, enum relay_kind kind,
                                   const char *dir, int up_port);
void relay_peer_stop(struct relay_peer *r);

#endif
