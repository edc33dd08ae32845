/*
 * Measuring servers from outside: processes pinned to the first core, a client on the second one,
 * and a bare responder that answers without doing anything.
 *
 *   http_peer.c      starting servers, their processor time and memory
 *   http_load.c      the client: many connections, one thread
 *   http_bare.c      the bare responder, this program once more
 *   http_world.c     a store to serve, and requests about it
 *   http.c           figures of requests
 *   http_streams.c   figures of event streams
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

/* Start it on the first core as an ordinary process and read its port: the first number behind
 * "127.0.0.1:" that it prints. Failing is the end of the program. */
struct peer peer_start(const char *const *argv);
void peer_stop(struct peer *p); /* SIGTERM, and wait */
double peer_cpu_us(const struct peer *p);
/* Wait until it does nothing on its own any more: what was written is indexed when it is quiet. */
void peer_rest(const struct peer *p);
double peer_rss_kb(const struct peer *p);
/* The calling thread, and what it starts, on this core from now on; -1: on any. */
void pin(int core);
enum { CORE_SERVER, CORE_CLIENT };

int bare_main(void); /* prints where it listens; until SIGTERM */
struct peer bare_start(struct bench *b);

/* --- the client */

struct load;

/* Gives the i-th request of a connection; it must stay there until its answer has come. */
typedef struct bough_str load_request(void *user, size_t connection, size_t i);

struct load *load_open(int port, size_t connections, load_request *request, void *user);
void load_close(struct load *l);
/* Each connection sends its next request when its answer is there, until so many have come. Returns
 * seconds. An answer that is not 2xx is an error. */
double load_run(struct load *l, size_t requests);
/* The same until the time is over. Returns answers a second. */
double load_for(struct load *l, double seconds);
/* So many a second, whatever the answers do; latencies go into `us`. */
void load_paced(struct load *l, double rate, double seconds, struct samples *us);
size_t load_errors(const struct load *l);     /* since it was opened */
size_t load_body_bytes(const struct load *l); /* of the last answer */
/* Fails the program, with the answer, when there was an error. */
void load_check(const struct load *l, const char *what);

int connect_to(int port); /* fails the program */
void send_all(int fd, struct bough_str s);

/* --- something to serve */

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

/* 64 sessions of 50 messages and one of `large`, served by the bough that was built beside this
 * program. */
void world_start(struct bench *b, struct world *w, const char *name, size_t large);
void world_stop(struct world *w);
/* "GET /path" with a token. */
struct bough_str world_get(struct world *w, const char *path);
/* The same on a connection of its own to its end; `sink`, which may be NULL, is told how much
 * came, again and again, also while nothing comes. Returns bytes. */
size_t world_fetch(struct world *w, const char *path, void (*sink)(void *user, size_t total),
                   void *user);
/* POST of message i to a session, always the same bytes for the same arguments. */
struct bough_str world_append(struct world *w, size_t session, size_t i);

#endif
