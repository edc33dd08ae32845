/* Some routes over a real socket: chunked bodies, pulled replies, and a waiting request. */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static struct http_server *serve(struct test *t, struct world *w)
{
    struct http_listen where = { .path = test_path(t, "s"), .fd = -1 };
    struct http_server *s;

    CHECK_OK(http_server_start(&s, api_app(w->api), &where, 1, NULL, &t->err));
    return s;
}

/* Connect and send `text`. Reads and writes time out after ten seconds. */
static int say(struct test *t, const char *text)
{
    struct sockaddr_un addr = { .sun_family = AF_UNIX };
    struct timeval limit = { .tv_sec = 10 };
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(addr.sun_path, sizeof addr.sun_path, "%s", test_path(t, "s"));
    CHECK(fd >= 0 && connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    CHECK_INT(strlen(text), send(fd, text, strlen(text), MSG_NOSIGNAL));
    return fd;
}

static struct bough_str hear(struct test *t, int fd)
{
    struct bough_str out;
    struct buf b;
    ssize_t n;

    buf_init(&b, 64 * 1024 * 1024);
    do {
        char *to = buf_reserve(&b, 65536);

        n = read(fd, to, 65536);
        b.n += n > 0 ? (size_t)n : 0;
    } while (n > 0);
    close(fd);
    buf_end(&b);
    out = str_make(arena_strndup(t->arena, b.p, b.n), b.n);
    buf_finish(&b);
    return out;
}

static const char *request(struct test *t, const char *method, const char *target,
                           const char *headers, const char *body)
{
    return arena_printf(t->arena,
                        "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n%s",
                        method, target, headers, body);
}

STORE_TEST(a_long_path_comes_whole_over_a_socket)
{
    const char *id = new_session(t, "long");
    struct http_server *s;
    struct bough_str got;
    struct world w;

    world_open(t, &w);
    for (int i = 0; i < 300; i++)
        user(t, id, "a line of some words");
    s = serve(t, &w);
    got = hear(t, say(t, request(t, "GET", of_session(t, id, "/entries?all=true"), "", "")));
    CHECK(strstr(got.p, "HTTP/1.1 200") == got.p);
    CHECK(strstr(got.p, "Transfer-Encoding: chunked"));
    CHECK(strstr(got.p, "\"message_number\":300,"));
    CHECK(strcmp(got.p + got.n - 7, "\r\n0\r\n\r\n") == 0);
    http_server_destroy(s);
    world_close(&w);
}

STORE_TEST(a_file_in_chunks_is_stored_and_an_append_is_answered_with_its_head)
{
    const char *id = new_session(t, "one");
    struct http_server *s;
    struct bough_str got;
    struct world w;

    world_open(t, &w);
    s = serve(t, &w);
    got = hear(t, say(t, request(t, "POST", "/api/v1/attachments", "Transfer-Encoding: chunked\r\n",
                                 "5\r\nhello\r\n6\r\n, file\r\n0\r\n\r\n")));
    CHECK(strstr(got.p, "HTTP/1.1 201") == got.p && strstr(got.p, "\"size\":11}"));
    got = hear(t, say(t, request(t, "POST", of_session(t, id, "/entries"),
                                 "Content-Type: application/json\r\nContent-Length: 44\r\n",
                                 "{\"entries\":[{\"role\":\"user\",\"text\":\"hello\"}]}")));
    CHECK(strstr(got.p, "HTTP/1.1 201") == got.p && strstr(got.p, "ETag: \"1.1\""));
    CHECK_STR("hello", path_text(t, id));
    http_server_destroy(s);
    world_close(&w);
}

STORE_TEST(who_waits_for_a_message_hears_of_its_next_step)
{
    struct bough_entry_new entry = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &entry, .owner = "ann" };
    struct bough_step step = { .kind = BOUGH_STEP_PART,
                               .bytes = str_of("{\"type\":\"text\",\"text\":\"hi\"}") };
    const char *id = new_session(t, "one");
    struct bough_message_open_result opened;
    struct bough_message_step_result stepped;
    struct http_server *s;
    struct bough_str got;
    struct world w;
    int fd;

    world_open(t, &w);
    CHECK_OK(bough_message_open(t->store, t->arena, id, &in, &opened, &t->err));
    s = serve(t, &w);
    fd = say(t, request(t, "GET",
                        of_session(t, id,
                                   arena_printf(t->arena, "/messages/%s?offset=0&wait_ms=9000",
                                                opened.writing.id)),
                        "", ""));
    usleep(120 * 1000); /* the first polls find nothing */
    CHECK_OK(bough_message_step(t->store, &opened.writing, 1, &step, 1, &stepped, &t->err));
    got = hear(t, fd);
    CHECK(strstr(got.p, "HTTP/1.1 200") == got.p && strstr(got.p, "\"text\":\"hi\""));
    http_server_destroy(s);
    world_close(&w);
}
