/* Connections: accept, read, send, close. Loop thread only. */
#include "http/server/wire.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

enum { OWN_SLOTS = 64 }; /* connections of the Unix socket beyond the limit */

static int64_t later(int64_t ms)
{
    return mono_us() + ms * 1000;
}

/* ---- closing ---- */

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
    s->tcp -= c->via == HTTP_VIA_TCP;
    buf_finish(&c->in);
    figure_add(&s->figures.connections, -1);
    mem_free(c);
}

void wire_close(struct wire *c)
{
    if (c->state == WIRE_CLOSING)
        return;
    c->state = WIRE_CLOSING;
    c->server->on->end(c);
    uv_close(&c->h.handle, on_closed);
}

static void on_shutdown(uv_shutdown_t *req, int status)
{
    struct wire *c = req->handle->data;

    mem_free(req);
    if (status < 0)
        wire_close(c);
}

/* Half-close and wait. Closing while the client still sends makes the kernel reset the connection,
 * and the client may lose the answer. */
void wire_linger(struct wire *c)
{
    uv_shutdown_t *req;

    if (c->state == WIRE_CLOSING || c->state == WIRE_LINGER)
        return;
    c->state = WIRE_LINGER;
    c->server->on->end(c);
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
        return; /* ignore input on an event stream */
    if (c->state == WIRE_LINGER) {
        c->heard += (size_t)n;
        if (c->heard > LINGER_BYTES)
            wire_close(c);
        return;
    }
    buf_put(&c->in, from->base, (size_t)n);
    c->server->on->bytes(c);
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

/* ---- sending ---- */

struct loose {
    uv_write_t req;
    char bytes[];
};

static void on_loose(uv_write_t *req, int status)
{
    (void)status;
    mem_free(req->data);
}

void wire_send(struct wire *c, const char *p, size_t n)
{
    uv_buf_t b = uv_buf_init((char *)p, (unsigned)n);
    int done = uv_try_write(&c->h.stream, &b, 1);
    struct loose *l;

    figure_add(&c->server->figures.bytes_out, (int64_t)n);
    if (done < 0)
        done = 0;
    if ((size_t)done == n)
        return;
    n -= (size_t)done;
    l = mem_alloc(sizeof *l + n);
    memcpy(l->bytes, p + done, n);
    l->req.data = l;
    b = uv_buf_init(l->bytes, (unsigned)n);
    if (uv_write(&l->req, &c->h.stream, &b, 1, on_loose) != 0)
        mem_free(l);
}

void wire_bad(struct wire *c, const struct parse_error *bad)
{
    struct buf b;

    figure_add(&c->server->figures.bad_requests, 1);
    figure_add(&c->server->figures.status[bad->status / 100], 1);
    buf_init(&b, 8192);
    answer_bad(&b, bad);
    wire_send(c, b.p, b.n);
    buf_finish(&b);
    wire_linger(c);
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

        /* D1: the socket's mode already excludes other users; check the peer's uid in case it was
         * changed. */
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
    if (c->via == HTTP_VIA_TCP ? s->tcp > s->limits.connections
                               : s->figures.connections > s->limits.connections + OWN_SLOTS)
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
    s->tcp += c->via == HTTP_VIA_TCP;
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
