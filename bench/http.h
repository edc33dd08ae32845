/*
 * Benchmarks of HTTP servers from outside: the server is a process pinned to the first core, the
 * client runs on the second core. A bare responder that does no work is the baseline.
 *
 *   http_peer.c      starts servers, reads their CPU time and memory
 *   http_load.c      the client: many connections, one thread
 *   http_bare.c      the bare responder, a mode of this program
 *   http_world.c     a store to serve, and requests for it
 *   http.c           figures of requests
 *   http_streams.c   figures of event streams
 *
 * A helper that fails prints an error and exits.
 */
#ifndef BENCH_HTTP_H
#define BENCH_HTTP_H

#include <sys/types.h>

#include "bench.h"

/* --- servers */

struct peer {
    pid_t pid;
    int port; /* on 127.0.0.1 */
};

/* Start a server on the first core with normal priority, and read its port: the first number after
 * "127.0.0.1:" in its output. */
struct peer peer_start(const char *const *argv);
/* The same for a server that was told its port and does not print it. */
struct peer peer_start_at(const char *const *argv, int port);
void peer_stop(struct peer *p); /* SIGTERM, then wait */
/* CPU time used so far. */
double peer_cpu_us(const struct peer *p);
/* Wait until the server is idle: it indexes new entries when it has nothing else to do. */
void peer_rest(const struct peer *p);
double peer_rss_kb(const struct peer *p);
/* Pin the calling thread, and what it starts later, to this core; -1: any core. */
void pin(int core);
enum { CORE_SERVER, CORE_CLIENT };

int bare_main(void); /* the bare responder: prints its address, runs until SIGTERM */
struct peer bare_start(struct bench *b);

/* --- the client */

struct load;

/* The i-th request of a connection. It must stay valid until its answer has arrived. */
typedef struct bough_str load_request(void *user, size_t connection, size_t i);

struct load *load_open(int port, size_t connections, load_request *request, void *user);
void load_close(struct load *l);
/* Every connection sends its next request when the answer has arrived, until `requests` answers
 * arrived. Returns seconds. An answer that is not 2xx counts as an error. */
double load_run(struct load *l, size_t requests);
/* Like load_run(), for some seconds. Returns answers per second. */
double load_for(struct load *l, double seconds);
/* Send `rate` requests per second, independent of the answers. Adds latencies to `us`, unless it is
 * NULL. Too low a rate counts as an error. */
void load_paced(struct load *l, double rate, double seconds, struct samples *us);
size_t load_errors(const struct load *l);     /* since load_open() */
size_t load_body_bytes(const struct load *l); /* of the last answer */
/* Exits with the first bad answer if there was an error. */
void load_check(const struct load *l, const char *what);

int connect_to(int port);
void send_all(int fd, struct bough_str s);

/* --- a store to serve */

enum { WORLD_SESSIONS = 64, WORLD_MESSAGES = 50, WORLD_TOKENS = 16 };

struct world {
    const char *dir, *store;
    struct bough_arena *a;
    char ids[WORLD_SESSIONS][BOUGH_ID_LEN + 1];
    char large[BOUGH_ID_LEN + 1];
    const char *tokens[WORLD_TOKENS];
    struct bough_str gets[WORLD_SESSIONS], contexts[WORLD_SESSIONS];
    struct peer server;
};

/* Create a store with 64 sessions of 50 messages and one of `large` messages, and start the bough
 * binary built beside this program to serve it. */
void world_start(struct bench *b, struct world *w, const char *name, size_t large);
void world_stop(struct world *w);
/* A request "GET /path" with the first token. */
struct bough_str world_get(struct world *w, const char *path);
/* Send a GET on its own connection and read the whole answer. `sink` (may be NULL) is called
 * repeatedly with the bytes so far, also while nothing arrives. Returns bytes. */
size_t world_fetch(struct world *w, const char *path, void (*sink)(void *user, size_t total),
                   void *user);
/* A POST of message i to a session. Equal arguments give equal bytes. */
struct bough_str world_append(struct world *w, size_t session, size_t i);

#endif
