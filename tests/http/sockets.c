/* HTTP over real sockets: framing, keep-alive, pipelining, bodies, backpressure, disconnects. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "http/world.h"

#define CLOSE "Connection: close\r\n"
#define POST "POST / HTTP/1.1\r\nHost: h\r\n"

static int64_t holding(const struct world_seen *s)
{
    return s->holding;
}

static int64_t cancelled(const struct world_seen *s)
{
    return s->cancelled;
}

static int64_t dropped(const struct world_seen *s)
{
    return s->dropped;
}

TEST(a_request_is_answered_on_every_listener)
{
    struct http_server *s = world_start(t, NULL);
    struct client c;
    struct stat st;

    CHECK(strstr(world_ask(t, s, "GET / HTTP/1.1\r\nHost: h\r\n" CLOSE "\r\n"), "\r\n\r\nhello"));
    CHECK_INT(0, stat(world_socket(t), &st));
    CHECK_INT(0600, st.st_mode & 0777);
    client_unix(t, &c);
    client_say(&c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&c, "\r\n\r\nhello", 1, 5000));
    client_close(&c);
    http_server_destroy(s);
    CHECK(stat(world_socket(t), &st) != 0); /* the server removed its socket */
}

TEST(a_socket_file_that_a_killed_server_left_is_replaced_a_living_one_is_not)
{
    struct http_listen where = { .path = world_socket(t), .fd = -1 };
    struct http_server *s = world_start(t, NULL), *other;
    char *kept = test_path(t, "kept");

    CHECK_RC(BOUGH_EXISTS, http_server_start(&other, &world_app, &where, 1, NULL, &t->err));
    CHECK_INT(0, rename(where.path, kept));
    http_server_destroy(s);
    CHECK_INT(0, rename(kept, where.path)); /* a socket file on which nothing listens any more */
    CHECK_OK(http_server_start(&other, &world_app, &where, 1, NULL, &t->err));
    http_server_destroy(other);
}

TEST(many_requests_share_a_connection_and_may_come_at_once)
{
    struct http_server *s = world_start(t, NULL);
    struct client c;

    client_tcp(t, &c, s);
    for (int i = 0; i < 3; i++) {
        client_say(&c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
        CHECK(client_hears(&c, "hello", i + 1, 5000));
    }
    for (int i = 0; i < 500; i++)
        client_say(&c, i % 2 ? "GET / HTTP/1.1\r\nHost: h\r\n\r\n"
                             : "GET /no HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&c, "hello", 253, 5000));
    CHECK(client_hears(&c, "HTTP/1.1 404", 250, 5000));
    client_close(&c);
    http_server_destroy(s);
}

TEST(a_request_may_come_byte_by_byte)
{
    static const char text[] =
        "POST /things/a HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n" CLOSE "\r\n2\r\n{}\r\n0\r\n\r\n";
    struct http_server *s = world_start(t, NULL);
    struct client c;

    client_tcp(t, &c, s);
    for (size_t i = 0; i < sizeof text - 1; i++) {
        client_send(&c, text + i, 1);
        if (i % 16 == 0)
            usleep(1000);
    }
    CHECK(client_ended(&c, 5000));
    CHECK_INT(201, status_of(c.got.p));
    CHECK(strstr(c.got.p, "\"body\":{}"));
    client_close(&c);
    http_server_destroy(s);
}

TEST(smuggled_requests_are_refused_and_the_connection_is_closed)
{
    static const char *const texts[] = {
        POST "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        POST "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd",
        "GET / HTTP/1.1\nHost: h\n\n",
        "GET / HTTP/1.1\r\nHost: h\r\n\rX",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\r\n b\r\n\r\n",
        "POST /things/a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcX",
        "GET / HTTP/1.1\r\n\r\n",
    };
    struct http_server *s = world_start(t, NULL);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const char *answer = world_ask(
            t, s, arena_printf(t->arena, "%sGET / HTTP/1.1\r\nHost: h\r\n\r\n", texts[i]));

        CHECK_INT(400, status_of(answer));
        CHECK(!strstr(answer, "hello")); /* the rest is never parsed as a request */
    }
    CHECK_INT(0, world_look().calls);
    http_server_destroy(s);
}

TEST(a_body_is_asked_for_only_when_the_caller_may_send_it)
{
    struct http_server *s = world_start(t, NULL);
    struct client c;
    static const char head[] =
        "POST /things/a HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
        "Expect: 100-continue\r\nContent-Length: 2\r\n";

    client_tcp(t, &c, s);
    client_say(&c, arena_printf(t->arena, "%s\r\n", head));
    CHECK(client_hears(&c, "HTTP/1.1 100 Continue\r\n\r\n", 1, 5000));
    client_say(&c, "{}");
    CHECK(client_hears(&c, "HTTP/1.1 201 Created", 1, 5000));
    client_close(&c);

    client_tcp(t, &c, s);
    client_say(&c, arena_printf(t->arena, "%sX-Word: wrong\r\n\r\n", head));
    CHECK(client_ended(&c, 5000));
    CHECK_INT(401, status_of(c.got.p));
    CHECK(strstr(c.got.p, "Connection: close"));
    client_close(&c);
    http_server_destroy(s);
}

TEST(a_large_answer_waits_for_its_reader_and_takes_little_memory)
{
    struct http_server *s = world_start(t, NULL);
    struct http_figures f;
    struct client c;
    int64_t before;

    client_tcp(t, &c, s);
    client_say(&c, "GET /numbers?n=4000000 HTTP/1.1\r\nHost: h\r\n" CLOSE "\r\n");
    CHECK(client_hears(&c, "\r\n\r\n", 1, 5000));
    do { /* until the kernel's buffers are full */
        http_server_figures(s, &f);
        before = f.bytes_out;
        usleep(300000);
        http_server_figures(s, &f);
    } while (f.bytes_out != before && f.bytes_out < 64000000);
    CHECK(before < 32 << 20); /* of 64 MB: the rest is not produced before it is read */
    CHECK(client_ended(&c, 15000));
    CHECK(c.got.n > 64000000);
    CHECK(strstr(c.got.p + c.got.n - 200, "3999999\n\r\n0\r\n\r\n"));
    client_close(&c);
    http_server_destroy(s);
}

TEST(an_answer_that_fails_midway_is_visibly_cut)
{
    struct http_server *s = world_start(t, NULL);
    const char *answer =
        world_ask(t, s, "GET /numbers?n=20000&fail=true HTTP/1.1\r\nHost: h\r\n\r\n");

    CHECK_INT(200, status_of(answer));
    CHECK(!strstr(answer, "\r\n0\r\n\r\n"));
    http_server_destroy(s);
}

TEST(http_1_0_gets_its_answer_to_the_end_of_the_connection)
{
    struct http_server *s = world_start(t, NULL);
    const char *answer = world_ask(t, s, "GET /numbers?n=5000 HTTP/1.0\r\nHost: h\r\n\r\n");

    CHECK(!strstr(answer, "Transfer-Encoding"));
    CHECK(strstr(answer, "000000000004999\n"));
    http_server_destroy(s);
}

TEST(a_long_body_is_stored_piece_by_piece_while_it_arrives)
{
    enum { N = 20 << 20 };
    struct http_server *s = world_start(t, NULL);
    struct client c;
    char *body = arena_zalloc(t->arena, N);

    client_tcp(t, &c, s);
    client_say(&c, arena_printf(t->arena,
                                "POST /upload HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n" CLOSE
                                "\r\n",
                                N));
    client_send(&c, body, N);
    CHECK(client_ended(&c, 15000));
    CHECK(strstr(c.got.p, "{\"bytes\":20971520}"));
    CHECK(world_look().pieces > 20);
    CHECK_INT(1, world_look().dropped);
    client_close(&c);

    /* Refused midway: the reply arrives although the client has not finished sending. */
    memset(body + N / 2, '!', 1);
    client_tcp(t, &c, s);
    client_say(&c, arena_printf(t->arena,
                                "POST /upload HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n" CLOSE
                                "\r\n",
                                N));
    client_send(&c, body, N / 2 + 100000);
    CHECK(client_hears(&c, "HTTP/1.1 422", 1, 5000));
    client_close(&c);

    /* A client that disconnects midway: the upload's state is freed. */
    client_tcp(t, &c, s);
    client_say(&c,
               arena_printf(t->arena,
                            "POST /upload HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n", N));
    client_send(&c, body, N / 4);
    client_close(&c);
    CHECK(world_wait(dropped, 3));
    http_server_destroy(s);
}

TEST(a_client_that_leaves_is_noticed_at_once_and_its_call_cancelled)
{
    struct http_server *s = world_start(t, NULL);
    struct http_figures f;
    struct client c;

    client_tcp(t, &c, s);
    client_say(&c, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(world_wait(holding, 1));
    client_close(&c);
    CHECK(world_wait(cancelled, 1));
    http_server_figures(s, &f);
    CHECK_INT(1, f.cancelled);
    for (struct wait w = { 0 };
         !f.status[2] && !f.status[4] && wait_more(&w);) { /* counted when it ends */
        http_server_figures(s, &f);
    }
    CHECK_INT(0, f.status[2]);
    CHECK_INT(1, f.status[4]);
    http_server_destroy(s);
}

TEST(beyond_the_queue_the_answer_is_503_before_the_body_is_read)
{
    struct http_limits limits = { .workers = 1, .queue = 1 };
    struct http_server *s = world_start(t, &limits);
    struct client held, queued, c;
    struct http_figures f;
    struct wait w = { 0 };

    client_tcp(t, &held, s);
    client_say(&held, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(world_wait(holding, 1));
    client_tcp(t, &queued, s);
    client_say(&queued, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    do
        http_server_figures(s, &f);
    while (f.waiting != 1 && wait_more(&w));
    client_tcp(t, &c, s);
    client_say(&c, "POST /things/a HTTP/1.1\r\nHost: h\r\nContent-Length: 100\r\n\r\n");
    CHECK(client_ended(&c, 5000));
    CHECK_INT(503, status_of(c.got.p));
    CHECK(strstr(c.got.p, "Retry-After: 1\r\n"));
    client_close(&c);
    /* Without a body the connection stays open. */
    client_tcp(t, &c, s);
    client_say(&c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&c, "HTTP/1.1 503", 1, 5000));
    world_release();
    CHECK(client_hears(&held, "held", 1, 5000));
    CHECK(client_hears(&queued, "hello", 1, 5000));
    client_say(&c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&c, "hello", 1, 5000));
    client_close(&c);
    client_close(&held);
    client_close(&queued);
    http_server_destroy(s);
}

TEST(pulls_that_wait_hold_no_worker)
{
    struct http_limits limits = { .workers = 1, .head_ms = 40 };
    struct http_server *s = world_start(t, &limits);
    struct client many[20];

    for (int i = 0; i < 20; i++) {
        client_tcp(t, &many[i], s);
        client_say(&many[i], "GET /later HTTP/1.1\r\nHost: h\r\n\r\n");
    }
    for (int i = 0; i < 20; i++) {
        CHECK(client_hears(&many[i], "tick\n", 3, 5000));
        CHECK(client_hears(&many[i], "\r\n0\r\n\r\n", 1, 5000));
        client_close(&many[i]);
    }
    http_server_destroy(s);
}

TEST(connections_over_the_limit_are_closed)
{
    struct http_limits limits = { .connections = 2 };
    struct http_server *s = world_start(t, &limits);
    struct client a, b, c;

    client_tcp(t, &a, s);
    client_tcp(t, &b, s);
    client_say(&a, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&a, "hello", 1, 5000));
    client_say(&b, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&b, "hello", 1, 5000));
    client_tcp(t, &c, s);
    CHECK(client_ended(&c, 5000));
    CHECK_INT(0, c.got.n);
    client_close(&a);
    client_close(&b);
    client_close(&c);
    http_server_destroy(s);
}
