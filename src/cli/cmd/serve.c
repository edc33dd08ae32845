/* bough serve: the store over HTTP. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/fs.h"
#include "base/str.h"
#include "cli/serve.h"

/* D1: a folder that only we can enter. Somebody else's, or an open one, is refused. */
static const char *default_socket(struct cli *c)
{
    const char *run = getenv("XDG_RUNTIME_DIR");
    const char *dir = !cstr_empty(run) ? arena_printf(c->a, "%s/bough", run)
                                       : arena_printf(c->a, "/tmp/bough-%d", (int)geteuid());
    struct stat st;

    if (fs_mkdirs(dir, 0700, &c->err))
        return NULL;
    if (lstat(dir, &st) != 0 || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() ||
        (st.st_mode & 077)) {
        bough_fail(&c->err, BOUGH_DENIED, "%s is not a folder that only you can enter", dir);
        return NULL;
    }
    return arena_printf(c->a, "%s/sock", dir);
}

static int run(struct cli *c)
{
    struct serve how = { .http = cli_has(c, "http"), .socket = cli_value(c, "socket") };
    int rc = cli_number(c, "port", SERVE_PORT, &how.port);

    if (rc)
        return rc;
    if (how.port > 65535)
        return cli_usage(c, "a port is at most 65535");
    for (int i = 0; i < c->n_given; i++) {
        if (strcmp(c->given[i].option->name, "listen") != 0)
            continue;
        if (how.nlisten == SERVE_LISTEN_MAX)
            return cli_usage(c, "at most %d times --listen", SERVE_LISTEN_MAX);
        how.listen[how.nlisten++] = c->given[i].value;
    }
    how.quiet = cli_has(c, "quiet");
    if (!how.socket) {
        how.socket = default_socket(c);
        if (!how.socket)
            return cli_failed(c);
    }
    serve_signals(); /* the store's threads must not take them */
    rc = cli_open(c, cli_has(c, "read-only") ? CLI_READ : CLI_CREATE);
    return rc ? rc : serve_run(c, c->s, &how);
}

static const struct cli_option options[] = {
    { "http", 0, NULL, "also on 127.0.0.1 and ::1" },
    { "port", 'p', "N", "with --http: this port instead of 7447; 0 takes a free one" },
    { "listen", 'l', "ADDRESS:PORT", "also there; may be given several times" },
    { "exposed", 0, NULL, "let --listen take addresses that other machines reach" },
    { "socket", 's', "PATH", "the Unix socket (the usual: $XDG_RUNTIME_DIR/bough/sock)" },
    { "read-only", 0, NULL, "never write: for a standby of PostgreSQL, or a store others write" },
    { "quiet", 'q', NULL, "no access log on stderr" },
    { "json", 0, NULL, "say as JSON where it listens" },
    { 0 },
};

const struct cli_cmd cmd_serve = {
    .name = "serve",
    .args = "",
    .summary = "serve the store over HTTP until Ctrl-C",
    .options = options,
    .run = run,
    .cache_bytes = (int64_t)4 << 20, /* every reader has a quarter of it, and there are many */
    .about = "Always listens on a Unix socket that only you can open, which needs no token. Over "
             "TCP every "
             "request needs one (see bough token), also from this machine; a browser is signed in "
             "by the "
             "link that is printed.\n\nSIGTERM and Ctrl-C finish what is running; SIGHUP reads "
             "http.hosts, "
             "http.origins and http.tls of the configuration again. Takes sockets from systemd and "
             "tells "
             "it when it is ready.",
    .fields = "listening, link",
    .examples =
        "bough serve --http  # for a browser on this machine\n"
        "curl --unix-socket $XDG_RUNTIME_DIR/bough/sock http://localhost/api/v1  # no token",
};
