/* MCP over two pipes: order, cancelled requests, hostile lines, the end. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/patience.h"
#include "mcp/world.h"

struct talk {
    struct mcp_world w;
    struct mcp_stdio_config config;
    pthread_t thread;
    int in, out; /* our ends */
    bool result;
};

static void *serve(void *user)
{
    struct talk *k = user;

    k->result = mcp_stdio(&k->config);
    close(k->config.out);
    return NULL;
}

static void talk_begin(struct test *t, struct talk *k)
{
    int in[2], out[2];

    mcp_open(t, &k->w);
    CHECK(pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0);
    k->in = in[1];
    k->out = out[0];
    k->config = (struct mcp_stdio_config){ k->w.api, &k->w.who, in[0], out[1] };
    CHECK(pthread_create(&k->thread, NULL, serve, k) == 0);
}

/* Send bytes, and wait until the server has read them. */
static void talk_send(struct talk *k, const char *bytes, size_t n)
{
    int left = 1;

    while (n) {
        ssize_t sent = write(k->in, bytes, n);

        CHECK(sent > 0);
        bytes += sent;
        n -= (size_t)sent;
    }
    for (struct wait wait = { 0 }; left && wait_more(&wait);)
        CHECK(ioctl(k->config.in, FIONREAD, &left) == 0);
    CHECK_INT(0, left);
}

static void talk_say(struct talk *k, const char *lines)
{
    talk_send(k, lines, strlen(lines));
}

/* End the input, and everything that was answered. */
static const char *talk_end(struct test *t, struct talk *k)
{
    struct buf all;
    char piece[4096];
    ssize_t n;

    close(k->in);
    buf_init(&all, 16 * 1024 * 1024);
    while ((n = read(k->out, piece, sizeof piece)) > 0)
        buf_put(&all, piece, (size_t)n);
    pthread_join(k->thread, NULL);
    close(k->out);
    close(k->config.in);
    mcp_close(&k->w);
    return buf_give(&all, t->arena).p;
}

/* "id" or "id!code" of every answer, separated by blanks. */
static const char *ids(struct test *t, const char *lines)
{
    char *rest = arena_strdup(t->arena, lines), *line;
    const char *all = "";
    struct json a;

    while ((line = strsep(&rest, "\n"))) {
        if (!*line)
            continue;
        CHECK_OK(json_parse(t->arena, str_of(line), &a, &t->err));
        all = arena_printf(t->arena, "%s%s%s%s%s", all, *all ? " " : "", value_at(t, a, "id"),
                           json_member(a, "error").doc ? "!" : "",
                           json_member(a, "error").doc ? value_at(t, a, "error.code") : "");
    }
    return all;
}

#define PING(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}\n"

STORE_TEST(D23_every_line_of_the_output_is_a_message)
{
    struct talk k;

    talk_begin(t, &k);
    talk_say(&k, PING("0") PING("\"text\"") "\n  \r\n" PING(
                     "-1.5") "{\"jsonrpc\":\"2.0\",\"id\":9,"
                             "\"result\":{}}\n"
                             "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}\n");
    CHECK_STR("0 text -1.5", ids(t, talk_end(t, &k)));
    CHECK(k.result);
}

STORE_TEST(malformed_lines_are_answered_and_the_next_one_is_served)
{
    static const char *const bad[] = {
        "garbage\n",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}\n",
        "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]\n",
        "\xff\xfe\n",
        "7\n",
        "{}\n",
    };
    const char *said;
    struct talk k;

    talk_begin(t, &k);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        talk_say(&k, bad[i]);
    talk_say(&k, PING("1"));
    said = ids(t, talk_end(t, &k));
    CHECK_STR("null!-32700 null!-32600 null!-32600 null!-32700 null!-32600 null!-32600 1", said);
}

STORE_TEST(a_line_that_is_too_long_is_dropped_and_the_next_one_is_served)
{
    char *long_line = arena_alloc(t->arena, MCP_LINE_MAX + 100);
    struct talk k;

    memset(long_line, ' ', MCP_LINE_MAX + 100);
    long_line[0] = '{';
    talk_begin(t, &k);
    talk_send(&k, long_line, MCP_LINE_MAX + 100);
    talk_say(&k, "}\n" PING("1"));
    CHECK_STR("null!-32600 1", ids(t, talk_end(t, &k)));
}

STORE_TEST(the_last_line_needs_no_line_break)
{
    struct talk k;

    talk_begin(t, &k);
    talk_say(&k, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}");
    CHECK_STR("1", ids(t, talk_end(t, &k)));
}

/* An answer that the pipe cannot hold keeps the worker busy until the test reads. */
static void keep_busy(struct test *t, struct talk *k, const char *id)
{
    int begun = 0;

    talk_say(k, arena_printf(t->arena,
                             "{\"jsonrpc\":\"2.0\",\"id\":\"big\",\"method\":\"tools/call\","
                             "\"params\":{\"name\":\"get_chat_session\",\"arguments\":{\"session\":"
                             "\"%s\",\"text_limit\":32768}}}\n",
                             id));
    for (struct wait wait = { 0 }; !begun && wait_more(&wait);)
        CHECK(ioctl(k->out, FIONREAD, &begun) == 0);
    CHECK(begun > 0);
}

STORE_TEST(a_request_that_was_cancelled_is_not_answered)
{
    const char *id = mcp_session(t, "Long", 20, 9000);
    struct talk k;

    talk_begin(t, &k);
    keep_busy(t, &k, id);
    talk_say(&k,
             PING("1")
                 PING("\"b\"") "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/"
                               "cancelled\",\"params\":{\"requestId\":\"\\u0062\"}}\n" PING("2"));
    talk_say(&k, "\n"); /* read behind the others: they are taken by now */
    CHECK_STR("big 1 2", ids(t, talk_end(t, &k)));
}

STORE_TEST(requests_beyond_the_queue_are_refused)
{
    const char *id = mcp_session(t, "Long", 20, 9000), *said, *pings = "";
    struct talk k;
    int refused = 0;

    for (int i = 0; i < 66; i++)
        pings = arena_printf(t->arena, "%s" PING("1"), pings);
    talk_begin(t, &k);
    keep_busy(t, &k, id);
    talk_say(&k, pings);
    said = ids(t, talk_end(t, &k));
    for (const char *p = said; (p = strstr(p, "!-32603")); p++)
        refused++;
    CHECK(refused <= 2); /* 64 wait; a slot is free again as soon as the test reads */
    CHECK(refused >= 1);
}

STORE_TEST(a_client_that_does_not_read_any_more_ends_the_server)
{
    struct talk k;

    talk_begin(t, &k);
    close(k.out);
    talk_say(&k, PING("1"));
    pthread_join(k.thread, NULL);
    CHECK(!k.result);
    close(k.in);
    close(k.config.in);
    mcp_close(&k.w);
}
