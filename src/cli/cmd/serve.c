/* bough serve: serves the store over HTTP. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "cli/server/serve.h"
#include "cli/server/server_post.h"

/* D1: a directory that only the user can enter. One with another owner or wider permissions is
 * refused. */
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
        bough_fail(&c->err, BOUGH_DENIED, "%s must be a directory that only you can access", dir);
        return NULL;
    }
    return arena_printf(c->a, "%s/sock", dir);
}

/* Ask the server that runs on this socket for another link. */
static int print_link(struct cli *c, const char *socket)
{
    struct bough_str answer;
    struct json j;
    const char *link;

    if (!socket)
        socket = default_socket(c);
    if (!socket || server_post(c->a, socket, "/api/v1/login-links", &answer, &c->err))
        return cli_failed(c);
    if (json_parse(c->a, answer, &j, NULL) || !(link = json_cstr(c->a, j, "link")))
        return cli_failed(c);
    if (c->out.json) {
        jw_raw(out_json(&c->out), answer);
        out_json_end(&c->out);
    } else {
        printf("%s\n", link);
    }
    return CLI_DONE;
}

static int run(struct cli *c)
{
    struct serve how = { .http = cli_has(c, "http"), .socket = cli_value(c, "socket") };
    int rc = cli_number(c, "port", SERVE_PORT, &how.port);

    if (!rc && cli_has(c, "link"))
        return print_link(c, how.socket);
    if (rc)
        return rc;
    if (how.port > 65535)
        return cli_usage(c, "--port must be at most 65535");
    for (int i = 0; i < c->n_given; i++) {
        if (strcmp(c->given[i].option->name, "listen") != 0)
            continue;
        if (how.nlisten == SERVE_LISTEN_MAX)
            return cli_usage(c, "--listen can be given at most %d times", SERVE_LISTEN_MAX);
        how.listen[how.nlisten++] = c->given[i].value;
    }
    how.quiet = cli_has(c, "quiet");
    how.web_dir = cli_value(c, "web-dir");
    if (!how.socket) {
        how.socket = default_socket(c);
        if (!how.socket)
            return cli_failed(c);
    }
    serve_signals(); /* before opening: the store's threads must not receive signals */
    rc = cli_open(c, cli_has(c, "read-only") ? CLI_READ : CLI_CREATE);
    return rc ? rc : serve_run(c, c->s, &how);
}

static const struct cli_option options[] = {
    { "http", 0, NULL, "also listen on 127.0.0.1 and ::1" },
    { "port", 'p', "N", "with --http: port to listen on (7447); 0 picks a free one" },
    { "listen", 'l', "ADDRESS:PORT", "also listen there; may be repeated" },
    { "exposed", 0, NULL, "allow --listen on addresses other machines can reach" },
    { "socket", 's', "PATH", "Unix socket (default: $XDG_RUNTIME_DIR/bough/sock)" },
    { "read-only", 0, NULL,
      "never write: for a PostgreSQL standby, or a store with other writers" },
    { "quiet", 'q', NULL, "no access log on stderr" },
    { "web-dir", 0, "DIR", "serve the page from this folder (build/web), while editing it" },
    { "link", 0, NULL,
      "print another sign-in link of the server that is running on that socket, and exit" },
    { "json", 0, NULL, "print the addresses as JSON" },
    { 0 },
};

const struct cli_cmd cmd_serve = {
    .name = "serve",
    .args = "",
    .summary = "serve the store over HTTP until Ctrl-C",
    .options = options,
    .run = run,
    .cache_bytes = (int64_t)4 << 20, /* each of many readers gets a quarter of it */
    .about = "Always listens on a Unix socket that only you can open and that needs no token. Over "
             "TCP every request needs a token (see bough token), also from this machine; the link "
             "that is printed signs in a browser.\n\nSIGTERM and Ctrl-C finish running requests, "
             "then exit. SIGHUP reads http.hosts, http.origins and http.tls again from the "
             "configuration. Supports socket activation and readiness notification by systemd.",
    .fields = "listening, link",
    .examples =
        "bough serve --http  # for a browser on this machine\n"
        "bough serve --link  # sign another browser in at the running server\n"
        "curl --unix-socket $XDG_RUNTIME_DIR/bough/sock http://localhost/api/v1  # no token",
};
