/* Deadlines and draining: slow and idle clients, and a server that is told to stop. */
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "http/world.h"

static int64_t holding(const struct world_seen *s)
{
    return s->holding;
}

TEST(a_head_that_trickles_in_is_answered_with_408)
{
    struct http_limits limits = { .head_ms = 300 };
    struct http_server *s = world_start(t, &limits);
    struct wait w = { 0 };
    struct client c;
    bool heard;

    client_tcp(t, &c, s);
    client_say(&c, "GET / HTTP/1.1\r\nHost: h\r\n");
    while (!(heard = client_hears(&c, "HTTP/1.1 408", 1, 50)) && wait_more(&w))
        client_say(&c, "X: y\r\n"); /* a trickle of bytes does not extend the deadline */
    CHECK(heard);
    CHECK(client_ended(&c, 5000));
    client_close(&c);
    http_server_destroy(s);
}

TEST(a_body_slower_than_sixteen_kilobytes_a_second_is_answered_with_408)
{
    struct http_limits limits = { .body_ms = 200, .head_ms = 300 };
    struct http_server *s = world_start(t, &limits);
    struct client c;

    client_tcp(t, &c, s);
    client_say(&c, "POST /things/a HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
                   "Content-Length: 1000\r\n\r\n{");
    CHECK(client_hears(&c, "HTTP/1.1 408", 1, 5000));
    CHECK(client_ended(&c, 5000));
    client_close(&c);
    http_server_destroy(s);
}

TEST(an_idle_connection_is_closed_without_a_word)
{
    struct http_limits limits = { .idle_ms = 1000, .head_ms = 1000 };
    struct http_server *s = world_start(t, &limits);
    struct client c, quiet;

    client_tcp(t, &quiet, s);
    client_tcp(t, &c, s);
    client_say(&c, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&c, "hello", 1, 5000));
    CHECK(client_ended(&c, 5000));
    CHECK(client_ended(&quiet, 5000));
    CHECK_INT(0, quiet.got.n);
    client_close(&c);
    client_close(&quiet);
    http_server_destroy(s);
}

TEST(a_client_that_takes_nothing_is_dropped)
{
    struct http_limits limits = { .write_ms = 300, .head_ms = 300 };
    struct http_server *s = world_start(t, &limits);
    struct http_figures f;
    struct wait w = { 0 };
    struct client c;
    int size = 4096;

    client_tcp(t, &c, s);
    (void)setsockopt(c.fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    client_say(&c, "GET /numbers?n=2000000 HTTP/1.1\r\nHost: h\r\n\r\n");
    do
        http_server_figures(s, &f);
    while (!f.timed_out && wait_more(&w));
    CHECK(f.timed_out);
    client_close(&c);
    http_server_destroy(s);
}

TEST(a_request_that_takes_too_long_is_told_to_give_up)
{
    struct http_limits limits = { .request_ms = 200, .head_ms = 300 };
    struct http_server *s = world_start(t, &limits);
    const char *answer =
        world_ask(t, s, "GET /hold HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");

    CHECK(strstr(answer, "gone"));
    http_server_destroy(s);
}

TEST(a_stopping_server_finishes_running_requests_and_accepts_no_new_ones)
{
    struct http_server *s = world_start(t, NULL);
    struct client busy, idle;

    client_tcp(t, &busy, s);
    client_tcp(t, &idle, s);
    client_say(&idle, "GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client_hears(&idle, "hello", 1, 5000));
    client_say(&busy, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(world_wait(holding, 1));
    http_server_stop(s);
    CHECK(client_ended(&idle, 5000));
    CHECK(http_server_draining(s));
    world_release();
    CHECK(client_hears(&busy, "held", 1, 5000));
    CHECK(client_hears(&busy, "Connection: close", 1, 5000));
    CHECK(client_ended(&busy, 5000));
    http_server_join(s);
    client_close(&busy);
    client_close(&idle);
    http_server_destroy(s);
}

TEST(requests_that_outlast_the_drain_are_cancelled)
{
    struct http_limits limits = { .drain_ms = 200 };
    struct http_server *s = world_start(t, &limits);
    struct client c;

    client_tcp(t, &c, s);
    client_say(&c, "GET /hold HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(world_wait(holding, 1));
    http_server_destroy(s); /* returns, because the handler sees that its request was cancelled */
    CHECK_INT(1, world_look().cancelled);
    client_close(&c);
}
