/* The server behind a real nginx with the settings of data/nginx.conf. Ambiguous requests never
 * reach the server as more requests than nginx forwarded, and events are not buffered. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "http/framings.h"
#include "http/world.h"

#define NGINX "/usr/sbin/nginx"

struct proxy {
    pid_t pid;
    const char *socket, *log;
    struct http_server *server;
};

/* The text with the first `from` replaced by `to`. */
static const char *replaced(struct test *t, const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);

    if (!at)
        FAIL("data/nginx.conf has no \"%s\"", from);
    return arena_printf(t->arena, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

/* The shipped snippet, with the listener, the certificates and the port replaced. */
static const char *snippet(struct test *t, const struct proxy *p)
{
    struct bough_str file;
    const char *text;

    CHECK_OK(fs_read(t->arena, "data/nginx.conf", 65536, &file, &t->err));
    text = arena_strndup(t->arena, file.p, file.n);
    text =
        replaced(t, text, "listen 443 ssl;", arena_printf(t->arena, "listen unix:%s;", p->socket));
    text = replaced(t, text, "ssl_certificate     /etc/ssl/bough.pem;", "");
    text = replaced(t, text, "ssl_certificate_key /etc/ssl/bough.key;", "");
    return replaced(t, text, "127.0.0.1:7447",
                    arena_printf(t->arena, "127.0.0.1:%d", http_server_port(p->server, 0)));
}

static void write_conf(struct test *t, const struct proxy *p, const char *path)
{
    const char *dir = test_path(t, "nginx");
    FILE *f = fopen(path, "w");

    CHECK(f);
    fprintf(f,
            "%sdaemon off; master_process off; pid %s.pid; error_log %s.err;\n"
            "events { worker_connections 256; }\n"
            "http {\nclient_header_timeout 2s; client_body_timeout 2s; keepalive_timeout 2s;\n"
            "log_format seen '$upstream_addr';\naccess_log %s seen;\n"
            "client_body_temp_path %s.b; proxy_temp_path %s.p; fastcgi_temp_path %s.f;\n"
            "uwsgi_temp_path %s.u; scgi_temp_path %s.s;\n%s}\n",
            geteuid() == 0 ? "user root; " : "", dir, dir, p->log, dir, dir, dir, dir, dir,
            snippet(t, p));
    CHECK_INT(0, fclose(f));
}

static bool can_connect(const char *path)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok;

    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", path);
    ok = connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0;
    close(fd);
    return ok;
}

static void proxy_start(struct test *t, struct proxy *p)
{
    const char *conf = test_path(t, "nginx.conf"), *out = test_path(t, "nginx.out");

    if (access(NGINX, X_OK) != 0)
        SKIP("nginx is not installed (scripts/install-deps --all)");
    world_hub = http_hub_create(0);
    *p = (struct proxy){ .socket = test_path(t, "front"), .log = test_path(t, "seen") };
    p->server = world_start(t, NULL);
    write_conf(t, p, conf);
    p->pid = fork();
    CHECK(p->pid >= 0);
    if (p->pid == 0) {
        int fd = open(out, O_CREAT | O_WRONLY, 0600);

        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        dup2(fd, 1);
        dup2(fd, 2);
        execl(NGINX, NGINX, "-c", conf, "-e", out, (char *)NULL);
        _exit(127);
    }
    for (struct wait w = { 0 }; !can_connect(p->socket) && wait_more(&w);)
        ;
    CHECK(can_connect(p->socket));
}

static void proxy_stop(struct proxy *p)
{
    int status;

    CHECK_INT(0, kill(p->pid, SIGTERM));
    CHECK_INT(p->pid, waitpid(p->pid, &status, 0));
    http_server_destroy(p->server);
    http_hub_destroy(world_hub);
}

static void front(struct client *c, const struct proxy *p)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };

    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", p->socket);
    c->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    buf_init(&c->got, 1 << 24);
    CHECK_INT(0, connect(c->fd, (struct sockaddr *)&addr, sizeof addr));
}

/* The number of requests nginx has forwarded. Its log starts a line with "-" for the others. */
static int passed_on(struct test *t, const struct proxy *p)
{
    struct bough_str log;
    const char *end;
    int n = 0;

    CHECK_OK(fs_read(t->arena, p->log, 1 << 20, &log, &t->err));
    while ((end = memchr(log.p, '\n', log.n))) {
        n += *log.p != '-';
        log.n -= (size_t)(end + 1 - log.p);
        log.p = end + 1;
    }
    return n;
}

static int seen_by_us(const struct proxy *p)
{
    struct http_figures f;

    http_server_figures(p->server, &f);
    return (int)(f.requests + f.bad_requests);
}

TEST_SECONDS(no_framing_passes_nginx_as_more_requests_than_nginx_saw, 60)
{
    static const char next[] = "GET /smuggled HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n";
    struct client c;
    struct proxy p;
    int passed, seen = 0, refused = 0;

    proxy_start(t, &p);
    for (size_t i = 0; i < FRAMINGS; i++) {
        const struct refused_framing *r = &framings[i];

        front(&c, &p);
        client_send(&c, r->text, r->n);
        client_say(&c, next);
        if (!client_ended(&c, 8000))
            FAIL("%s: hangs", r->name);
        refused += c.got.n == 0 || status_of(c.got.p) >= 400;
        client_close(&c);
        for (struct wait w = { 0 }; (passed = passed_on(t, &p)) < seen_by_us(&p) && wait_more(&w);)
            ;
        seen = seen_by_us(&p);
        if (seen > passed)
            FAIL("%s: %d requests came, nginx sent %d", r->name, seen, passed);
    }
    /* Requests that nginx accepts (bare LF, ...) are rewritten by it. Nearly all others are
     * refused, by nginx or by us. */
    CHECK(refused > (int)FRAMINGS * 3 / 4);
    CHECK(seen >= 5); /* some requests were forwarded */
    front(&c, &p);
    client_say(&c, "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
    CHECK(client_ended(&c, 5000));
    CHECK(strstr(c.got.p, "\r\n\r\nhello") || strstr(c.got.p, "hello\r\n"));
    client_close(&c);
    CHECK_INT(seen + 1, seen_by_us(&p));
    proxy_stop(&p);
}

TEST(events_pass_nginx_one_by_one_and_a_body_while_it_arrives)
{
    struct client c;
    struct proxy p;

    proxy_start(t, &p);
    front(&c, &p);
    client_say(&c, "GET /events HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&c, "\r\n\r\n", 1, 5000));
    CHECK_INT(200, status_of(c.got.p));
    for (struct wait w = { 0 }; http_hub_streams(world_hub) == 0 && wait_more(&w);)
        ;
    for (int64_t n = 1; n <= 5; n++) {
        const char *id = arena_printf(t->arena, "%lld", (long long)n);

        http_hub_send(world_hub,
                      &(struct http_event){
                          .at = n, .id = id, .name = "n", .data = str_of("{\"one\":\"more\"}") });
        CHECK(client_hears(&c, "data: {\"one\":\"more\"}", (int)n, 2000)); /* one by one */
    }
    client_close(&c);
    /* The first half of a body arrives before the second half is sent. */
    front(&c, &p);
    client_say(&c, "POST /upload HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n");
    for (int i = 0; i < 100; i++)
        client_say(&c, arena_printf(t->arena, "%01000d", i));
    for (struct wait w = { 0 }; world_look().pieces == 0 && wait_more(&w);)
        ;
    CHECK(world_look().pieces > 0);
    for (int i = 0; i < 100; i++)
        client_say(&c, arena_printf(t->arena, "%01000d", i));
    CHECK(client_hears(&c, "HTTP/1.1 200", 1, 5000));
    client_close(&c);
    proxy_stop(&p);
}
