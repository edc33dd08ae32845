/*
 * The bare responder: libuv, a search for the end of the request head, and prepared bytes.
 *   GET /1234        1,234 bytes
 *   GET /events      an event stream
 *   GET /send/130    an event of 130 bytes to every stream, then an answer
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "base/memory/mem.h"
#include "http.h"

enum { BODY_MAX = 1024 * 1024 };

struct client {
    uv_tcp_t tcp; /* must be first: handles are cast to clients */
    struct client *next, *prev;
    bool streams;
};

struct pending {
    uv_write_t req;
    char bytes[];
};

static struct client *streams;
static char in[65536], body[BODY_MAX], head[256];
static size_t head_for = SIZE_MAX;

static void on_closed(uv_handle_t *h)
{
    struct client *c = (struct client *)h;

    if (c->streams) {
        *(c->prev ? &c->prev->next : &streams) = c->next;
        if (c->next)
            c->next->prev = c->prev;
    }
    mem_free(c);
}

static void on_written(uv_write_t *req, int status)
{
    (void)status;
    mem_free(req->data);
}

static void put(struct client *c, uv_buf_t *bufs, unsigned n)
{
    int done = uv_try_write((uv_stream_t *)&c->tcp, bufs, n);
    size_t total = 0, skip = done > 0 ? (size_t)done : 0, at = 0;
    struct pending *p;
    uv_buf_t rest;

    for (unsigned i = 0; i < n; i++)
        total += bufs[i].len;
    if (skip == total)
        return;
    p = mem_alloc(sizeof *p + total);
    for (unsigned i = 0; i < n; i++) {
        memcpy(p->bytes + at, bufs[i].base, bufs[i].len);
        at += bufs[i].len;
    }
    rest = uv_buf_init(p->bytes + skip, (unsigned)(total - skip));
    p->req.data = p;
    if (uv_write(&p->req, (uv_stream_t *)&c->tcp, &rest, 1, on_written) != 0)
        mem_free(p);
}

static void answer(struct client *c, size_t n)
{
    uv_buf_t bufs[2];

    if (n > BODY_MAX)
        n = BODY_MAX;
    if (head_for != n)
        snprintf(head, sizeof head,
                 "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                 n);
    head_for = n;
    bufs[0] = uv_buf_init(head, (unsigned)strlen(head));
    bufs[1] = uv_buf_init(body, (unsigned)n);
    put(c, bufs, n ? 2 : 1);
}

static void begin_stream(struct client *c)
{
    static char text[] = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
                         "event: ready\ndata: {}\n\n";
    uv_buf_t b = uv_buf_init(text, sizeof text - 1);

    c->streams = true;
    c->next = streams;
    if (streams)
        streams->prev = c;
    streams = c;
    put(c, &b, 1);
}

static void send_event(size_t n)
{
    static const char begin[] = "event: message.created\ndata: ";
    static char event[65536];
    uv_buf_t b;

    if (n > sizeof event || n < sizeof begin + 2)
        n = sizeof begin + 2;
    memset(event, 'x', n);
    memcpy(event, begin, sizeof begin - 1);
    memcpy(event + n - 2, "\n\n", 2);
    for (struct client *c = streams; c; c = c->next) {
        b = uv_buf_init(event, (unsigned)n);
        put(c, &b, 1);
    }
}

static void on_alloc(uv_handle_t *h, size_t want, uv_buf_t *out)
{
    (void)h;
    (void)want;
    *out = uv_buf_init(in, sizeof in - 1);
}

static void on_read(uv_stream_t *s, ssize_t n, const uv_buf_t *from)
{
    struct client *c = (struct client *)s;

    (void)from;
    if (n < 0) {
        uv_close((uv_handle_t *)s, on_closed);
        return;
    }
    in[n] = '\0';
    if (!strstr(in, "\r\n\r\n") || strncmp(in, "GET /", 5) != 0)
        return;
    if (strncmp(in + 5, "events", 6) == 0) {
        begin_stream(c);
    } else if (strncmp(in + 5, "send/", 5) == 0) {
        send_event(strtoul(in + 10, NULL, 10));
        answer(c, 2);
    } else {
        answer(c, strtoul(in + 5, NULL, 10));
    }
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct client *c = mem_zalloc(sizeof *c);

    uv_tcp_init(listener->loop, &c->tcp);
    if (status < 0 || uv_accept(listener, (uv_stream_t *)&c->tcp) != 0) {
        uv_close((uv_handle_t *)&c->tcp, on_closed);
        return;
    }
    uv_tcp_nodelay(&c->tcp, 1);
    uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read);
}

static void on_term(uv_signal_t *s, int sig)
{
    (void)sig;
    uv_stop(s->loop);
}

int bare_main(void)
{
    uv_loop_t *loop = uv_default_loop();
    struct sockaddr_in addr;
    int n = sizeof addr;
    uv_signal_t term;
    uv_tcp_t listener;

    memset(body, 'x', sizeof body);
    uv_ip4_addr("127.0.0.1", 0, &addr);
    uv_tcp_init(loop, &listener);
    if (uv_tcp_bind(&listener, (struct sockaddr *)&addr, 0) != 0 ||
        uv_listen((uv_stream_t *)&listener, 1024, on_connection) != 0)
        return 2;
    uv_tcp_getsockname(&listener, (struct sockaddr *)&addr, &n);
    uv_signal_init(loop, &term);
    uv_signal_start(&term, on_term, SIGTERM);
    printf("http://127.0.0.1:%d\n", ntohs(addr.sin_port));
    fflush(stdout);
    uv_run(loop, UV_RUN_DEFAULT);
    return 0;
}

struct peer bare_start(struct bench *b)
{
    const char *argv[] = { b->binary, "bare", NULL };

    return peer_start(argv);
}
