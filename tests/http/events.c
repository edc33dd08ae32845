/* Event streams over real sockets: live, resumed, filtered, slow clients, disconnects. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "http/world.h"

static struct http_server *start(struct test *t, const struct http_limits *limits)
{
    world_hub = http_hub_create(0);
    return world_start(t, limits);
}

static void stop(struct http_server *s)
{
    http_server_destroy(s);
    http_hub_destroy(world_hub);
}

static void send_number(int64_t n, const char *about)
{
    char id[24], data[48];

    snprintf(id, sizeof id, "%lld", (long long)n);
    snprintf(data, sizeof data, "{\"n\":%lld}", (long long)n);
    http_hub_send(world_hub, &(struct http_event){ .at = n,
                                                   .id = id,
                                                   .name = "n",
                                                   .data = str_of(data),
                                                   .about = about,
                                                   .about_size = strlen(about) });
}

static void listen_to(struct test *t, struct client *c, const struct http_server *s,
                      const char *query, const char *last)
{
    client_tcp(t, c, s);
    client_say(c,
               arena_printf(t->arena, "GET /events%s HTTP/1.1\r\nHost: h\r\n%s%s%s\r\n", query,
                            last ? "Last-Event-ID: " : "", last ? last : "", last ? "\r\n" : ""));
    CHECK(client_hears(c, "\r\n\r\n", 1, 5000));
}

static bool wait_streams(size_t n)
{
    for (struct wait w = { 0 }; http_hub_streams(world_hub) != n;)
        if (!wait_more(&w))
            return false;
    return true;
}

/* Every number from `from` to `to` arrived once and in order. */
static void check_numbers(const struct client *c, int64_t from, int64_t to)
{
    const char *p = c->got.p, *end = p + c->got.n, *line;

    for (; (line = memchr(p, '\n', (size_t)(end - p))); p = line + 1) {
        if (line - p < 11 || strncmp(p, "data: {\"n\":", 11) != 0)
            continue;
        CHECK_INT(from, strtoll(p + 11, NULL, 10));
        from++;
    }
    CHECK_INT(to + 1, from);
}

TEST(an_event_reaches_every_listener)
{
    struct http_server *s = start(t, NULL);
    struct client all, picky;

    listen_to(t, &all, s, "", NULL);
    listen_to(t, &picky, s, "?picky=1", NULL);
    CHECK(wait_streams(2));
    send_number(1, "a");
    send_number(2, "x");
    send_number(3, "b");
    CHECK(client_hears(&all, "{\"n\":3}\n\n", 1, 5000));
    CHECK(client_hears(&picky, "{\"n\":3}\n\n", 1, 5000));
    check_numbers(&all, 1, 3);
    CHECK(!strstr(picky.got.p, "{\"n\":2}"));
    CHECK(strstr(all.got.p, "X-Accel-Buffering: no"));
    CHECK(strstr(all.got.p, "id: 1\nevent: n\ndata: {\"n\":1}\n\n"));
    client_close(&all);
    client_close(&picky);
    CHECK(wait_streams(0));
    CHECK_INT(2, world_look().closed_streams);
    stop(s);
}

static void *send_many(void *user)
{
    (void)user;
    for (int64_t i = 1; i <= 20000; i++) {
        send_number(i, "a");
        if (i % 500 == 0)
            usleep(1000);
    }
    return NULL;
}

TEST(a_stream_resumed_while_events_pour_in_has_no_gap_and_no_double)
{
    struct http_server *s = start(t, NULL);
    struct client c[4];
    pthread_t sender;

    CHECK_INT(0, pthread_create(&sender, NULL, send_many, NULL));
    for (int i = 0; i < 4; i++) {
        listen_to(t, &c[i], s, "", i % 2 ? "7" : "0");
        usleep(5000);
    }
    for (int i = 0; i < 4; i++) {
        CHECK(client_hears(&c[i], "{\"n\":20000}\n\n", 1, 15000));
        check_numbers(&c[i], i % 2 ? 8 : 1, 20000);
        client_close(&c[i]);
    }
    pthread_join(sender, NULL);
    stop(s);
}

TEST(an_event_without_a_position_goes_to_current_listeners)
{
    struct http_server *s = start(t, NULL);
    struct client c;

    listen_to(t, &c, s, "", NULL);
    CHECK(wait_streams(1));
    http_hub_send(world_hub, &(struct http_event){ .name = "delta", .data = str_of("\"x\"") });
    CHECK(client_hears(&c, "event: delta\ndata: \"x\"\n\n", 1, 5000));
    CHECK(!strstr(c.got.p, "id:"));
    client_close(&c);
    stop(s);
}

TEST(a_quiet_stream_hears_a_comment_now_and_then)
{
    struct http_limits limits = { .beat_ms = 100, .head_ms = 100 };
    struct http_server *s = start(t, &limits);
    struct client c;

    listen_to(t, &c, s, "", NULL);
    CHECK(client_hears(&c, ":\n\n", 3, 5000));
    client_close(&c);
    stop(s);
}

TEST(a_client_that_does_not_keep_up_is_closed_and_resumes_without_loss)
{
    struct http_limits limits = { .write_queue = 64 * 1024 };
    struct http_server *s = start(t, &limits);
    struct http_figures f;
    struct client slow, again;
    char *last, *end;
    int64_t n;
    int size = 4096;

    listen_to(t, &slow, s, "", NULL);
    (void)setsockopt(slow.fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    CHECK(wait_streams(1));
    for (n = 1; n <= 500000 && http_hub_streams(world_hub); n++) {
        send_number(n, "a");
        if (n % 1000 == 0)
            usleep(1000);
    }
    CHECK(n < 500000); /* the slow client was dropped long before */
    http_server_figures(s, &f);
    CHECK_INT(1, f.stream_dropped);
    (void)client_ended(&slow, 5000);
    end = memrchr(slow.got.p, '}', slow.got.n); /* cut off an incomplete event */
    *end = '\0';
    for (last = end; strncmp(last, "{\"n\":", 5) != 0;)
        last--;
    listen_to(t, &again, s, "", arena_printf(t->arena, "%lld", strtoll(last + 5, NULL, 10)));
    CHECK(client_hears(&again, arena_printf(t->arena, "{\"n\":%lld}", (long long)n - 1), 1, 10000));
    check_numbers(&again, strtoll(last + 5, NULL, 10) + 1, n - 1);
    client_close(&slow);
    client_close(&again);
    stop(s);
}

TEST(all_streams_end_when_the_hub_says_so_or_the_server_stops)
{
    struct http_server *s = start(t, NULL);
    struct client a, b;

    listen_to(t, &a, s, "", NULL);
    CHECK(wait_streams(1));
    http_hub_close_all(world_hub);
    CHECK(client_ended(&a, 5000));
    listen_to(t, &b, s, "", NULL);
    CHECK(wait_streams(1));
    http_server_stop(s);
    CHECK(client_ended(&b, 5000));
    client_close(&a);
    client_close(&b);
    stop(s);
}

TEST(D12_a_stream_ends_after_its_lifetime_and_resumes_without_a_gap)
{
    struct http_server *s = start(t, &(struct http_limits){ .stream_ms = 300 });
    struct http_figures f;
    struct client c;

    listen_to(t, &c, s, "", NULL);
    CHECK(wait_streams(1));
    for (int64_t i = 1; i <= 5; i++)
        send_number(i, "a");
    CHECK(client_hears(&c, "{\"n\":5}\n\n", 1, 5000));
    CHECK(client_ended(&c, 5000));
    check_numbers(&c, 1, 5);
    client_close(&c);
    CHECK(wait_streams(0));
    for (int64_t i = 6; i <= 9; i++) /* while the client is away */
        send_number(i, "a");
    listen_to(t, &c, s, "", "5");
    CHECK(client_hears(&c, "{\"n\":9}\n\n", 1, 5000));
    check_numbers(&c, 6, 9);
    client_close(&c);
    http_server_figures(s, &f);
    CHECK_INT(1, f.stream_aged);
    stop(s);
}

TEST(events_without_listeners_are_skipped_and_replayed_later)
{
    struct http_server *s = start(t, NULL);
    struct client c;

    CHECK(!http_hub_heard(world_hub));
    CHECK(http_hub_skip(world_hub, 4));
    CHECK_INT(4, http_hub_at(world_hub));
    listen_to(t, &c, s, "", "1");
    CHECK(client_hears(&c, "{\"n\":4}\n\n", 1, 5000));
    CHECK(wait_streams(1));
    CHECK(http_hub_heard(world_hub));
    CHECK(!http_hub_skip(world_hub, 6)); /* a client listens, so the event must be sent */
    send_number(5, "a");
    CHECK(client_hears(&c, "{\"n\":5}\n\n", 1, 5000));
    check_numbers(&c, 2, 5);
    client_close(&c);
    CHECK(wait_streams(0));
    CHECK(http_hub_skip(world_hub, 6));
    listen_to(t, &c, s, "", "5");
    CHECK(client_hears(&c, "{\"n\":6}\n\n", 1, 5000));
    client_close(&c);
    stop(s);
}

static void *skip_or_send(void *user)
{
    (void)user;
    for (int64_t i = 1; i <= 20000; i++) {
        if (!http_hub_skip(world_hub, i))
            send_number(i, "a");
        if (i % 200 == 0)
            usleep(500);
    }
    return NULL;
}

TEST(clients_that_come_and_go_while_events_are_skipped_or_sent_have_no_gap)
{
    struct http_server *s = start(t, NULL);
    struct client c;
    pthread_t sender;
    int64_t seen = 0;

    CHECK_INT(0, pthread_create(&sender, NULL, skip_or_send, NULL));
    for (int round = 0; seen < 20000 && round < 500; round++) {
        const char *last = arena_printf(t->arena, "%lld", (long long)seen), *p;
        int64_t from = seen;

        listen_to(t, &c, s, "", last);
        (void)client_hears(&c, "data: {", 300, round % 3 ? 20 : 200);
        for (p = c.got.p; (p = strstr(p, "data: {\"n\":")) && strstr(p, "\n\n"); p++) {
            CHECK_INT(seen + 1, strtoll(p + 11, NULL, 10));
            seen++;
        }
        client_close(&c);
        if (seen == from)
            usleep(2000);
    }
    pthread_join(sender, NULL);
    CHECK_INT(20000, seen);
    stop(s);
}
