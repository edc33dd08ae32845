/* Runs the HTTP server: addresses, start message, signals, systemd. */
#include "cli/server/serve.h"

#include <arpa/inet.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "api/api.h"
#include "base/memory/arena.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "cli/kit/config.h"
#include "cli/kit/models.h"
#include "gateway/gateway.h"
#include "gateway/providers_api.h"
#include "gateway/summary/routes.h"
#include "http/server/server.h"
#include "http/server/systemd.h"
#include "mcp/server/mcp.h"
#include "page/page.h"
#include "run/api/routes.h"
#include "run/hecate/routes.h"

enum { STUCK_MS = 5000 }; /* the loop normally wakes ten times a second */

struct serving {
    struct cli *c;
    struct auth *auth;
    struct cli_runner work;
    bool own_settings; /* not those of the configuration */
    struct api *api;
    struct http_server *server;
    struct http_listen where[2 + SERVE_LISTEN_MAX + 64];
    size_t n;
};

static void wait_set(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

void serve_signals(void)
{
    sigset_t set;

    wait_set(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
}

/* ---- settings, read again on SIGHUP ---- */

static const char *const *words(struct bough_arena *a, const char *text)
{
    const char **out = arena_array(a, 66, sizeof *out);
    size_t n = 0;

    while (text && *text && n < 64) {
        size_t len = strcspn(text, " ");

        if (len)
            out[n++] = arena_strndup(a, text, len);
        text += len;
        text += *text == ' ';
    }
    return out;
}

static struct auth_config settings(struct cli *c)
{
    const char *tls = cli_setting(c, "http.tls");

    return (struct auth_config){ .hosts = words(c->a, cli_setting(c, "http.hosts")),
                                 .origins = words(c->a, cli_setting(c, "http.origins")),
                                 .tls = tls && strcmp(tls, "true") == 0 };
}

/* The gateway with the providers of the configuration, and the runner over it. */
static enum bough_rc open_gateway(struct serving *s, struct bough_store *store,
                                  const struct serve *serve, struct bough_error *err)
{
    struct cli_runner_options how = {
        .store = store, .hide_keys = true, .settings = serve->settings, .n = serve->nsettings
    };
    enum bough_rc rc = cli_runner_create(s->c, &how, &s->work, err);

    if (!rc)
        rc = providers_start(gateway_providers(s->work.gateway), err);
    return rc ? rc : runner_watch(s->work.runner, err);
}

/* A mistake in the file must not end a server that runs: it goes on as it was. */
static void reload(struct serving *s)
{
    struct auth_config now = settings(s->c);
    struct config_pairs all;
    struct bough_error err;

    auth_reconfigure(s->auth, &now);
    if (s->own_settings)
        return;
    if (config_each(s->c->a, &all, &err) || gateway_reload(s->work.gateway, all.at, all.n, &err)) {
        log_msg(LOG_ERROR, "the providers stay as they were: %s", err.msg);
        return;
    }
    log_msg(LOG_INFO, "reloaded");
}

/* ---- addresses ---- */

static void add(struct serving *s, struct http_listen where)
{
    s->where[s->n++] = where;
}

/* Parse "127.0.0.1:80" or "[::1]:80". */
static int add_listen(struct serving *s, const char *text)
{
    struct cli *c = s->c;
    const char *colon = strrchr(text, ':');
    char *host, *end;
    long port;

    if (!colon || !colon[1])
        return cli_usage(c, "--listen expects ADDRESS:PORT, not %s", text);
    port = strtol(colon + 1, &end, 10);
    host = arena_strndup(c->a, text, (size_t)(colon - text));
    if (*host == '[' && host[strlen(host) - 1] == ']') {
        host[strlen(host) - 1] = '\0';
        host++;
    }
    if (*end || port < 0 || port > 65535)
        return cli_usage(c, "invalid port: %s", colon + 1);
    if (strncmp(host, "127.", 4) != 0 && strcmp(host, "::1") != 0 && !cli_has(c, "exposed"))
        return cli_usage(c,
                         "%s is reachable from other machines and traffic is not encrypted: use an "
                         "HTTPS proxy, or add --exposed",
                         host);
    add(s, (struct http_listen){ .host = host, .port = (int)port, .fd = -1 });
    return CLI_DONE;
}

static int gather(struct serving *s, const struct serve *how)
{
    int passed = systemd_sockets(), rc = CLI_DONE;

    for (int i = 0; i < passed; i++)
        add(s, (struct http_listen){ .fd = SYSTEMD_FIRST_FD + i });
    if (how->http)
        add(s, (struct http_listen){ .host = "127.0.0.1", .port = (int)how->port, .fd = -1 });
    for (size_t i = 0; i < how->nlisten && !rc; i++)
        rc = add_listen(s, how->listen[i]);
    if (how->socket && !passed)
        add(s, (struct http_listen){ .path = how->socket, .fd = -1 });
    return rc;
}

/* Also listen on ::1 with the same port; if that fails (no IPv6), start without it. */
static enum bough_rc start(struct serving *s, const struct serve *how, struct bough_error *err)
{
    const struct http_app *app = api_app(s->api);
    enum bough_rc rc = BOUGH_IO;

    if (how->http && how->port) {
        s->where[s->n] = (struct http_listen){ .host = "::1", .port = (int)how->port, .fd = -1 };
        rc = http_server_start(&s->server, app, s->where, s->n + 1, NULL, err);
        if (!rc)
            s->n++;
    }
    return rc ? http_server_start(&s->server, app, s->where, s->n, NULL, err) : rc;
}

/* ---- start message ---- */

static const char *url_of(struct serving *s, size_t i)
{
    const struct http_listen *w = &s->where[i];
    int port = http_server_port(s->server, i);

    if (w->path)
        return arena_printf(s->c->a, "unix:%s", w->path);
    if (!w->host)
        return port ? arena_printf(s->c->a, "port %d (from the service manager)", port)
                    : "a socket from the service manager";
    return strchr(w->host, ':') ? arena_printf(s->c->a, "http://[%s]:%d", w->host, port)
                                : arena_printf(s->c->a, "http://%s:%d", w->host, port);
}

static void announce(struct serving *s)
{
    struct cli *c = s->c;
    const char *link = NULL;

    for (size_t i = 0; i < s->n && !link; i++)
        if (s->where[i].host)
            link = arena_printf(c->a, "%s%s", url_of(s, i), auth_link(s->auth, c->a));
    if (c->out.json) {
        struct json_writer *w = out_json(&c->out);

        jw_obj(w);
        jw_key(w, "listening");
        jw_arr(w);
        for (size_t i = 0; i < s->n; i++)
            jw_cstr(w, url_of(s, i));
        jw_end_arr(w);
        jw_kv_cstr(w, "link", link);
        jw_end_obj(w);
        out_json_end(&c->out);
    } else {
        for (size_t i = 0; i < s->n; i++)
            printf("Listening on %s\n", url_of(s, i));
        if (link)
            printf("Open this link in a browser to sign in (once, within ten minutes):\n  %s\n",
                   link);
    }
    fflush(stdout);
}

/* ---- running ---- */

/* Return large free blocks to the system and share a few malloc arenas. Otherwise the memory of one
 * large answer would stay allocated in every worker's arena. */
static void bound_memory(void)
{
    (void)mallopt(M_MMAP_THRESHOLD, 256 * 1024);
    (void)mallopt(M_ARENA_MAX, 4);
}

/* D43: no core dumps and no ptrace; raise the limit of open files to its maximum. */
static void harden(void)
{
    struct rlimit none = { 0, 0 }, files;

    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    (void)setrlimit(RLIMIT_CORE, &none);
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

static void wait_for_end(struct serving *s)
{
    int64_t beat = systemd_watchdog_ms();
    struct timespec most = { .tv_sec = beat / 1000, .tv_nsec = beat % 1000 * 1000000 };
    sigset_t set;

    wait_set(&set);
    for (;;) {
        int sig = beat ? sigtimedwait(&set, NULL, &most) : sigwaitinfo(&set, NULL);

        if (sig < 0) { /* timeout or interrupted: no beat while the loop is stuck */
            if (beat && http_server_quiet_ms(s->server) < STUCK_MS)
                systemd_notify("WATCHDOG=1");
            continue;
        }
        if (sig != SIGHUP)
            break;
        reload(s);
    }
    systemd_notify("STOPPING=1");
    http_server_stop(s->server);
    sigprocmask(SIG_UNBLOCK, &set, NULL); /* a second signal kills the process */
    http_server_join(s->server);
}

/* From the first request to the last. */
static int run(struct serving *s, const struct serve *how)
{
    struct bough_error err = { 0 };

    if (start(s, how, &err))
        return cli_error(s->c, &err);
    for (size_t i = 0; i < s->n; i++)
        if (s->where[i].host)
            auth_allow_host(s->auth, s->where[i].host, http_server_port(s->server, i));
    if (*auth_address(s->auth, s->c->a))
        runner_set_gateway(s->work.runner,
                           arena_printf(s->c->a, "http://%s", auth_address(s->auth, s->c->a)));
    api_watch(s->api, s->server);
    announce(s);
    systemd_notify("READY=1");
    wait_for_end(s);
    api_watch(s->api, NULL);
    http_server_destroy(s->server);
    return CLI_DONE;
}

int serve_run(struct cli *c, struct bough_store *store, const struct serve *how)
{
    static const struct http_route *const more[] = { gateway_routes,
                                                     gateway_provider_routes,
                                                     gateway_summary_routes,
                                                     RUN_ROUTE_TABLES,
                                                     HECATE_ROUTE_TABLES,
                                                     mcp_routes,
                                                     page_routes,
                                                     NULL };
    static enum log_level level;
    struct serving s = { .c = c, .own_settings = how->settings != NULL };
    struct auth_config config = settings(c);
    struct bough_error err = { 0 };
    int rc = gather(&s, how);

    if (rc)
        return rc;
    if (!s.n)
        return cli_usage(c, "no address to listen on: use --http, --listen or --socket");
    harden();
    bound_memory();
    level = how->quiet ? LOG_WARN : LOG_INFO;
    log_set_sink(log_stderr, &level);
    if (open_gateway(&s, store, how, &err)) {
        rc = cli_error(c, &err);
    } else {
        s.auth = auth_create(store, &config, NULL);
        page_from(how->web_dir);
        s.api = api_create(&(struct api_config){ .store = store,
                                                 .auth = s.auth,
                                                 .more = more,
                                                 .gateway = s.work.gateway,
                                                 .runner = s.work.runner,
                                                 .metrics = gateway_metrics });
        rc = run(&s, how);
        api_destroy(s.api);
        auth_destroy(s.auth);
    }
    cli_runner_destroy(&s.work);
    log_set_sink(NULL, NULL);
    return rc;
}
