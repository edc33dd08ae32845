/* A connection: accepting, reading, parsing heads, deadlines, leaving. Loop thread only. */
#include "http/wire.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/env.h"
#include "base/mem.h"
#include "base/str.h"

static int64_t later(int64_t ms)
{
    return mono_us() + ms * 1000;
}

/* ---- the end ---- */

static void forget_peer(struct wire *c)
{
    uint64_t n;

    if (!c->counted || !smap_get(&c->server->peers, str_of(c->peer), &n))
        return;
    if (n > 1)
        smap_put(&c->server->peers, str_of(c->peer), n - 1);
    else
        smap_del(&c->server->peers, str_of(c->peer));
}

static void on_closed(uv_handle_t *h)
{
    struct wire *c = h->data;
    struct http_server *s = c->server;

    if (c->prev)
        c->prev->next = c->next;
    else
        s->wires = c->next;
    if (c->next)
        c->next->prev = c->prev;
    forget_peer(c);
    buf_finish(&c->in);
    figure_add(&s->figures.connections, -1);
    mem_free(c);
}

void wire_close(struct wire *c)
{
    if (c->state == WIRE_CLOSING)
        return;
    c->state = WIRE_CLOSING;
    if (c->call)
        call_abandon(c->call);
    stream_close(c);
    uv_close(&c->h.handle, on_closed);
}

static void on_shutdown(uv_shutdown_t *req, int status)
{
    struct wire *c = req->handle->data;

    mem_free(req);
    if (status < 0)
        wire_close(c);
}

/* Closing while the client still talks would make the kernel throw our last words away. */
void wire_linger(struct wire *c)
{
    uv_shutdown_t *req;

    if (c->state == WIRE_CLOSING || c->state == WIRE_LINGER)
        return;
    c->state = WIRE_LINGER;
    if (c->call)
        call_abandon(c->call);
    c->heard = 0;
    c->until_us = later(LINGER_MS);
    buf_reset(&c->in);
    req = mem_alloc(sizeof *req);
    if (uv_shutdown(req, &c->h.stream, on_shutdown) != 0) {
        mem_free(req);
        wire_close(c);
        return;
    }
    wire_read(c, true);
}

/* ---- reading ---- */

static void on_alloc(uv_handle_t *h, size_t want, uv_buf_t *out)
{
    struct wire *c = h->data;

    (void)want;
    *out = uv_buf_init(c->server->read_buf, READ_SIZE);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *from)
{
    struct wire *c = stream->data;

    if (n == 0 || c->state == WIRE_CLOSING)
        return;
    if (n < 0) {
        wire_close(c);
        return;
    }
    figure_add(&c->server->figures.bytes_in, n);
    if (c->state == WIRE_EVENTS)
        return; /* an event stream has nothing to say */
    if (c->state == WIRE_LINGER) {
        c->heard += (size_t)n;
        if (c->heard > LINGER_BYTES)
            wire_close(c);
        return;
    }
    buf_put(&c->in, from->base, (size_t)n);
    wire_advance(c);
}

void wire_read(struct wire *c, bool on)
{
    if (on == c->reading || c->state == WIRE_CLOSING)
        return;
    c->reading = on;
    if (on)
        (void)uv_read_start(&c->h.stream, on_alloc, on_read);
    else
        (void)uv_read_stop(&c->h.stream);
}

void wire_bad(struct wire *c, const struct parse_error *bad)
{
    struct buf b;

    figure_add(&c->server->figures.bad_requests, 1);
    figure_add(&c->server->figures.status[bad->status / 100], 1);
    buf_init(&b, 8192);
    exchange_bad(&b, bad);
    write_bytes(c, b.p, b.n);
    buf_finish(&b);
    wire_linger(c);
}

/* Forget the first n bytes; an empty buffer gives its memory back. */
static void shift(struct buf *b, size_t n)
{
    if (n == b->n) {
        size_t max = b->max;

        buf_finish(b);
        buf_init(b, max);
        return;
    }
    memmove(b->p, b->p + n, b->n - n);
    b->n -= n;
    buf_end(b);
}

static void read_head(struct wire *c)
{
    struct http_server *s = c->server;
    struct parse_error bad;
    struct exchange *x;
    enum parse_rc rc;

    rc = parse_scan(&c->scan, c->in.p, c->in.n, &bad);
    if (rc == PARSE_MORE) {
        if (c->state == WIRE_IDLE && c->in.n) {
            c->state = WIRE_HEAD;
            c->until_us = later(s->limits.head_ms);
        }
        return;
    }
    if (rc == PARSE_DONE)
        rc = parse_head(&s->head, c->in.p + c->scan.begins, c->scan.at - c->scan.begins, &bad);
    if (rc == PARSE_BAD) {
        wire_bad(c, &bad);
        return;
    }
    figure_add(&s->figures.requests, 1);
    x = exchange_create(s->app, &s->head, c->via, c->peer);
    shift(&c->in, c->scan.at);
    c->scan = (struct parse_scan){ 0 };
    c->until_us = 0;
    call_begin(c, x);
}

static void advance_once(struct wire *c)
{
    switch ((enum wire_state)c->state) {
    case WIRE_IDLE:
    case WIRE_HEAD:
        read_head(c);
        break;
    case WIRE_BODY:
        call_body(c);
        break;
    case WIRE_WORK:
        if (c->call && !c->call->body_over)
            call_body(c); /* pieces are stored while the next ones arrive */
        else
            wire_read(c, c->in.n < AHEAD_MAX);
        break;
    case WIRE_GATE:
    case WIRE_WRITE:
    case WIRE_LATER:
        wire_read(c, c->in.n < AHEAD_MAX);
        break;
    case WIRE_EVENTS:
    case WIRE_LINGER:
    case WIRE_CLOSING:
        break;
    }
}

/* Requests that are answered at once follow each other in this loop, not on the stack. */
void wire_advance(struct wire *c)
{
    c->again = true;
    if (c->advancing)
        return;
    c->advancing = true;
    while (c->again) {
        c->again = false;
        advance_once(c);
    }
    c->advancing = false;
}

void wire_next(struct wire *c)
{
    c->state = WIRE_IDLE;
    c->until_us = later(c->server->limits.idle_ms);
    wire_read(c, true);
    if (c->in.n)
        wire_advance(c);
    else if (c->server->draining)
        wire_close(c);
}

/* ---- accepting ---- */

static bool peer_name(struct wire *c, bool *local)
{
    struct sockaddr_storage addr;
    int n = sizeof addr;
    void *at;

    if (c->via == HTTP_VIA_UNIX) {
        struct ucred cred;
        socklen_t len = sizeof cred;
        uv_os_fd_t fd;

        /* D1: the file's mode keeps others out; this holds even where somebody changed it. */
        memcpy(c->peer, "unix", 5);
        *local = true;
        return uv_fileno(&c->h.handle, &fd) == 0 &&
               getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0 &&
               (cred.uid == geteuid() || cred.uid == 0);
    }
    if (uv_tcp_getpeername(&c->h.tcp, (struct sockaddr *)&addr, &n) != 0)
        return false;
    at = addr.ss_family == AF_INET6 ? (void *)&((struct sockaddr_in6 *)&addr)->sin6_addr
                                    : (void *)&((struct sockaddr_in *)&addr)->sin_addr;
    if (uv_inet_ntop(addr.ss_family, at, c->peer, sizeof c->peer) != 0)
        return false;
    *local = strncmp(c->peer, "127.", 4) == 0 || strcmp(c->peer, "::1") == 0;
    return true;
}

static bool admit(struct wire *c)
{
    struct http_server *s = c->server;
    uint64_t n = 0;
    bool local;

    if (!peer_name(c, &local))
        return false;
    if (s->figures.connections > s->limits.connections)
        return false;
    if (local)
        return true;
    (void)smap_get(&s->peers, str_of(c->peer), &n);
    if (n >= (uint64_t)s->limits.per_peer)
        return false;
    smap_put(&s->peers, str_of(c->peer), n + 1);
    c->counted = true;
    return true;
}

void wire_accept(struct listener *l)
{
    struct http_server *s = l->server;
    struct wire *c = mem_zalloc(sizeof *c);
    int rc;

    c->server = s;
    c->via = l->via;
    if (c->via == HTTP_VIA_UNIX)
        rc = uv_pipe_init(&s->loop, &c->h.pipe, 0);
    else
        rc = uv_tcp_init(&s->loop, &c->h.tcp);
    if (rc != 0) {
        mem_free(c);
        return;
    }
    c->h.handle.data = c;
    buf_init(&c->in, PARSE_HEAD_MAX + AHEAD_MAX + 2 * READ_SIZE);
    c->next = s->wires;
    if (s->wires)
        s->wires->prev = c;
    s->wires = c;
    figure_add(&s->figures.connections, 1);
    if (uv_accept(&l->h.stream, &c->h.stream) != 0 || !admit(c)) {
        figure_add(&s->figures.refused_full, 1);
        wire_close(c);
        return;
    }
    figure_add(&s->figures.accepted, 1);
    if (c->via == HTTP_VIA_TCP)
        uv_tcp_nodelay(&c->h.tcp, 1);
    c->until_us = later(s->limits.idle_ms);
    wire_read(c, true);
}
