/* Event streams end with the credential that opened them. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "api/stream.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static int ask_stream(struct test *t, int port, const char *headers)
{
    struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons((uint16_t)port) };
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const char *ask = arena_printf(
        t->arena, "GET /api/v1/events HTTP/1.1\r\nHost: localhost:7331\r\n%s\r\n", headers);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0);
    CHECK_INT(strlen(ask), write(fd, ask, strlen(ask)));
    return fd;
}

/* Read until the server closes the connection. */
static void check_ends(int fd)
{
    struct timeval limit = { .tv_sec = 30 };
    char piece[4096];
    ssize_t n;

    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    while ((n = read(fd, piece, sizeof piece)) > 0)
        ;
    CHECK_INT(0, n);
    close(fd);
}

STORE_TEST(a_stream_ends_when_its_token_is_revoked_or_expires)
{
    struct http_listen where = { .host = "127.0.0.1", .fd = -1 };
    struct reader revoked = { 0 }, expired = { 0 }, stays = { 0 };
    struct auth_token in = { .label = "short",
                             .scopes = AUTH_READ,
                             .expires = t->env.now + 3600000 };
    const char *secret;
    struct http_server *s;
    struct world w;

    world_open(t, &w);
    CHECK_OK(http_server_start(&s, api_app(w.api), &where, 1, NULL, &t->err));
    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &secret, &(struct auth_token){ 0 },
                               &t->err));
    buf_init(&revoked.got, 1 << 20);
    buf_init(&expired.got, 1 << 20);
    buf_init(&stays.got, 1 << 20);
    revoked.fd = ask_stream(t, http_server_port(s, 0), bearer(t, world_token(t, "a", "read", "")));
    stays.fd = ask_stream(t, http_server_port(s, 0), bearer(t, world_token(t, "b", "read", "")));
    expired.fd = ask_stream(t, http_server_port(s, 0), bearer(t, secret));
    CHECK(reader_hears(&revoked, "event: ready", 1, 10000));
    CHECK(reader_hears(&stays, "event: ready", 1, 10000));
    CHECK(reader_hears(&expired, "event: ready", 1, 10000));
    CHECK_OK(auth_token_revoke(t->store, "a", &t->err));
    check_ends(revoked.fd);
    __atomic_fetch_add(&t->env.now, 3600001, __ATOMIC_RELAXED);
    check_ends(expired.fd);
    user(t, new_session(t, "one"), "hello");
    CHECK(reader_hears(&stays, "message.created", 1, 10000));
    reader_close(&stays);
    buf_finish(&revoked.got);
    buf_finish(&expired.got);
    http_server_destroy(s);
    world_close(&w);
}

/* As for tokens: another browser, or `bough token revoke`, ends the stream of this one. */
STORE_TEST(a_stream_ends_when_its_browser_is_signed_out_elsewhere)
{
    struct http_listen where = { .host = "127.0.0.1", .fd = -1 };
    struct reader gone = { 0 };
    struct auth_tokens all;
    struct http_server *s;
    struct http_reply r;
    const char *cookie;
    struct world w;

    world_open(t, &w);
    CHECK_OK(http_server_start(&s, api_app(w.api), &where, 1, NULL, &t->err));
    r = world_ask(t, &w, "GET", auth_link(w.auth, t->arena), "", "");
    cookie = http_reply_header(&r, "set-cookie");
    buf_init(&gone.got, 1 << 20);
    gone.fd =
        ask_stream(t, http_server_port(s, 0),
                   arena_printf(t->arena, "Cookie: %.*s\r\n", (int)strcspn(cookie, ";"), cookie));
    CHECK(reader_hears(&gone, "event: ready", 1, 10000));
    CHECK_OK(auth_token_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(1, all.n);
    CHECK_OK(auth_token_revoke(t->store, all.at[0].id, &t->err));
    check_ends(gone.fd);
    buf_finish(&gone.got);
    http_server_destroy(s);
    world_close(&w);
}
