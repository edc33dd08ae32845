/* Serving an open store: shared by `bough serve` and `bough demo --serve`. */
#ifndef CLI_SERVER_SERVE_H
#define CLI_SERVER_SERVE_H

#include "cli/kit/cli.h"

enum { SERVE_PORT = 7447, SERVE_LISTEN_MAX = 16 };

struct serve {
    bool http;                            /* listen on 127.0.0.1 and ::1 */
    int64_t port;                         /* for these two */
    const char *listen[SERVE_LISTEN_MAX]; /* "address:port" */
    size_t nlisten;
    const char *socket;  /* path of a Unix socket; NULL: none */
    bool quiet;          /* log warnings only */
    const char *web_dir; /* serve the page from this folder; NULL: the embedded one */
    /* Of providers, tools and runs, instead of the configuration's; NULL: none. */
    const struct gateway_setting *settings;
    size_t nsettings;
};

/* Block SIGINT, SIGTERM and SIGHUP, so that serve_run() receives them. Call before any thread is
 * started. */
void serve_signals(void);

/* Serve until SIGINT or SIGTERM; a second signal kills the process at once. Returns an enum
 * cli_exit. */
int serve_run(struct cli *c, struct bough_store *s, const struct serve *how);

#endif
