/* Serving a store that is open: what `bough serve` and `bough demo --serve` share. */
#ifndef CLI_SERVE_H
#define CLI_SERVE_H

#include "cli/cli.h"

enum { SERVE_PORT = 7447, SERVE_LISTEN_MAX = 16 };

struct serve {
    bool http;                            /* 127.0.0.1 and ::1 */
    int64_t port;                         /* of these two */
    const char *listen[SERVE_LISTEN_MAX]; /* "address:port" */
    size_t nlisten;
    const char *socket; /* NULL: none */
    bool quiet;         /* no access log */
};

/* Before any thread is started: signals that end or reload the server wait for serve_run(). */
void serve_signals(void);

/* Until SIGINT or SIGTERM; a second one does not wait. Returns an enum cli_exit. */
int serve_run(struct cli *c, struct bough_store *s, const struct serve *how);

#endif
