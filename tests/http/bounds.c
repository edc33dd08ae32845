/* What one caller, or all of them together, can take from a server. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/os/log.h"
#include "http/world.h"

static int64_t holding(const struct world_seen *s)
{
    return s->holding;
}

static const char *as(struct test *t, const char *target, const char *token)
{
    return arena_printf(t->arena, "GET %s HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer %s\r\n\r\n",
                        target, token);
}

TEST(one_caller_never_has_all_workers)
{
    enum { MANY = 20 };
    struct http_limits limits = { .workers = 8 };
    struct http_server *s = world_start(t, &limits);
    struct client many[MANY], other;

    for (int i = 0; i < MANY; i++) {
        client_tcp(t, &many[i], s);
        client_say(&many[i], as(t, "/hold", "greedy"));
    }
    CHECK(world_wait(holding, 6));
    client_tcp(t, &other, s);
    for (int i = 1; i <= 10; i++) {
        client_say(&other, as(t, "/", "modest"));
        CHECK(client_hears(&other, "hello", i, 5000));
    }
    CHECK_INT(6, world_look().holding);
    world_release();
    for (int i = 0; i < MANY; i++) {
        CHECK(client_hears(&many[i], "held", 1, 5000));
        client_close(&many[i]);
    }
    client_close(&other);
    http_server_destroy(s);
}

TEST(one_caller_fills_only_a_part_of_the_queue)
{
    enum { MANY = 12 };
    struct http_limits limits = { .workers = 1, .queue = 7 };
    struct http_server *s = world_start(t, &limits);
    struct client many[MANY], other;
    int refused = 0;

    client_tcp(t, &other, s);
    for (int i = 0; i < MANY; i++) {
        client_tcp(t, &many[i], s);
        client_say(&many[i], as(t, "/hold", "greedy"));
        if (i == 0)
            CHECK(world_wait(holding, 1));
        if (i >= 6) {
            CHECK(client_hears(&many[i], "HTTP/1.1 503", 1, 5000));
            refused++;
        }
    }
    CHECK_INT(MANY - 6, refused);
    client_say(&other, as(t, "/", "modest"));
    world_release();
    CHECK(client_hears(&other, "hello", 1, 5000));
    for (int i = 0; i < MANY; i++)
        client_close(&many[i]);
    client_close(&other);
    http_server_destroy(s);
}

TEST(a_route_on_the_loop_is_answered_when_all_workers_are_busy)
{
    struct http_limits limits = { .workers = 1, .queue = 1 };
    struct http_server *s = world_start(t, &limits);
    struct client held;

    client_tcp(t, &held, s);
    client_say(&held, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(world_wait(holding, 1));
    CHECK_INT(200, status_of(world_ask(t, s,
                                       "GET /alive HTTP/1.1\r\nHost: h\r\n"
                                       "Connection: close\r\n\r\n")));
    CHECK_INT(1, world_look().holding);
    world_release();
    client_close(&held);
    http_server_destroy(s);
}

TEST(idle_connections_over_tcp_do_not_shut_the_unix_socket)
{
    struct http_limits limits = { .connections = 3 };
    struct http_server *s = world_start(t, &limits);
    struct client idle[3], over, own;

    for (int i = 0; i < 3; i++) {
        client_tcp(t, &idle[i], s);
        client_say(&idle[i], "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        CHECK(client_hears(&idle[i], "hello", 1, 5000));
    }
    client_tcp(t, &over, s);
    CHECK(client_ended(&over, 5000));
    client_unix(t, &own);
    client_say(&own, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&own, "hello", 1, 5000));
    for (int i = 0; i < 3; i++)
        client_close(&idle[i]);
    client_close(&over);
    client_close(&own);
    http_server_destroy(s);
}

static const char *post(struct test *t, size_t n)
{
    char *body = arena_zalloc(t->arena, n + 1);

    memset(body, ' ', n);
    memcpy(body, "{}", 2);
    return arena_printf(t->arena,
                        "POST /things/a HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                        "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
                        n, body);
}

TEST(bodies_of_all_requests_share_a_bound_of_memory)
{
    struct http_limits limits = { .body_memory = 200000 };
    struct http_server *s = world_start(t, &limits);
    const char *answer = world_ask(t, s, post(t, 100000));
    struct client own;

    CHECK_INT(503, status_of(answer));
    CHECK(strstr(answer, "Retry-After: 1\r\n"));
    for (int i = 0; i < 30; i++) /* what is finished is given back */
        CHECK_INT(201, status_of(world_ask(t, s, post(t, 10000))));
    client_unix(t, &own);
    client_say(&own, post(t, 100000));
    CHECK(client_hears(&own, "HTTP/1.1 201", 1, 5000));
    client_close(&own);
    http_server_destroy(s);
}

static void keep_line(void *user, enum log_level level, const char *line)
{
    struct buf *b = user;

    (void)level;
    if (strstr(line, "route=/ "))
        buf_puts(b, line);
}

/* The access log is read by programs: a header must not add fields to it. */
TEST(a_request_cannot_forge_fields_of_the_access_log)
{
    static const char good[] = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    struct http_server *s;
    struct buf log;

    buf_init(&log, 65536);
    log_set_sink(keep_line, &log);
    s = world_start(t, NULL);
    (void)world_ask(t, s,
                    "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                    "traceparent: x status=500 who=owner\r\n\r\n");
    (void)world_ask(t, s,
                    arena_printf(t->arena,
                                 "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n"
                                 "traceparent: %s\r\n\r\n",
                                 good));
    http_server_destroy(s);
    log_set_sink(NULL, NULL);
    CHECK(!strstr(log.p, "who=owner") && !strstr(log.p, "status=500"));
    CHECK(strstr(log.p, good));
    buf_finish(&log);
}

TEST(every_answer_has_the_security_headers)
{
    static const char *const headers[] = {
        "X-Content-Type-Options: nosniff\r\n",
        "X-Frame-Options: DENY\r\n",
        "Referrer-Policy: no-referrer\r\n",
        "Cross-Origin-Resource-Policy: same-origin\r\n",
        "Cross-Origin-Opener-Policy: same-origin\r\n",
        "Content-Security-Policy: default-src 'none'; frame-ancestors 'none'; sandbox\r\n",
        "Cache-Control: no-store\r\n",
    };
    static const char *const targets[] = { "/", "/nowhere", "/failing", "/numbers?n=3" };
    struct http_server *s = world_start(t, NULL);

    for (size_t i = 0; i < sizeof targets / sizeof *targets; i++) {
        const char *answer = world_ask(
            t, s,
            arena_printf(t->arena, "GET %s HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n",
                         targets[i]));

        for (size_t k = 0; k < sizeof headers / sizeof *headers; k++)
            if (!strstr(answer, headers[k]))
                FAIL("%s has no %s", targets[i], headers[k]);
    }
    http_server_destroy(s);
}
