/* Answers on their way out: try at once, queue the rest, go on when it is taken. Loop thread only.
 */
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/mem.h"
#include "http/wire.h"

/* All of the last piece is with the kernel. */
static void written(struct call *call)
{
    struct wire *c = call->wire;
    struct exchange *x = call->x;

    if (!c) {
        if (!call->busy)
            call_finish(call);
        return;
    }
    c->until_us = 0;
    c->queued = 0;
    if (x->cut) {
        wire_close(c);
    } else if (x->res.events) {
        stream_step(c);
    } else if (x->more == HTTP_END) {
        bool close = call->close || !x->keep_alive;

        call_finish(call);
        if (close)
            wire_linger(c);
        else
            wire_next(c);
    } else if (x->more == HTTP_LATER) {
        c->state = WIRE_LATER;
        call->later_us = mono_us() + x->res.later_ms * 1000;
        wire_read(c, c->in.n < AHEAD_MAX);
    } else {
        c->state = WIRE_WORK;
        call_submit(call, EXCHANGE_PULL);
    }
}

static void on_written(uv_write_t *req, int status)
{
    struct call *call = req->data;

    call->busy--;
    if (status < 0 && call->wire)
        wire_close(call->wire); /* abandons the call, which ends it */
    else
        written(call);
}

static void send_bufs(struct wire *c, uv_buf_t *bufs, unsigned n)
{
    struct call *call = c->call;
    size_t total = 0;
    int done;

    for (unsigned i = 0; i < n; i++)
        total += bufs[i].len;
    figure_add(&c->server->figures.bytes_out, (int64_t)total);
    c->state = WIRE_WRITE;
    done = total ? uv_try_write(&c->h.stream, bufs, n) : 0;
    if (done < 0 && done != UV_EAGAIN && done != UV_ENOSYS) {
        wire_close(c);
        return;
    }
    if (done > 0 && (size_t)done == total)
        total = 0;
    if (total == 0) {
        written(call);
        return;
    }
    for (; done > 0 && n > 0; bufs++, n--) {
        if ((size_t)done < bufs->len) {
            *bufs = uv_buf_init(bufs->base + done, (unsigned)(bufs->len - (size_t)done));
            break;
        }
        done -= (int)bufs->len;
    }
    call->write.data = call;
    call->busy++;
    if (uv_write(&call->write, &c->h.stream, bufs, n, on_written) != 0) {
        call->busy--;
        wire_close(c);
        return;
    }
    c->queued = uv_stream_get_write_queue_size(&c->h.stream);
    c->until_us = mono_us() + c->server->limits.write_ms * 1000;
    wire_read(c, c->in.n < AHEAD_MAX);
}

/* The piece in res.out, framed; behind the head when there is one to send. */
static void send_piece(struct wire *c, bool head)
{
    struct call *call = c->call;
    struct exchange *x = call->x;
    struct buf *out = &x->res.out;
    bool last = x->more == HTTP_END && !x->cut && !x->res.events;
    uv_buf_t bufs[4];
    unsigned n = 0;

    if (head)
        bufs[n++] = uv_buf_init(call->head.p, (unsigned)call->head.n);
    if (call->has_body && out->n) {
        if (call->chunked_out) {
            int w = snprintf(call->size_line, sizeof call->size_line, "%zx\r\n", out->n);

            bufs[n++] = uv_buf_init(call->size_line, (unsigned)w);
        }
        bufs[n++] = uv_buf_init(out->p, (unsigned)out->n);
        x->sent += (int64_t)out->n;
    }
    if (call->chunked_out && call->has_body) {
        static char ends[] = "\r\n0\r\n\r\n";
        size_t skip = out->n ? 0 : 2, len = last ? 7 - skip : 2 - skip;

        if (len)
            bufs[n++] = uv_buf_init(ends + skip, (unsigned)len);
    }
    send_bufs(c, bufs, n);
}

void write_answer(struct wire *c)
{
    struct call *call = c->call;
    bool close = call->close || !call->x->keep_alive || c->server->draining;

    exchange_head(call->x, &call->head, close, &call->chunked_out, &call->has_body);
    send_piece(c, true);
}

void write_more(struct wire *c)
{
    send_piece(c, false);
}

/* ---- without a call ---- */

struct loose {
    uv_write_t req;
    char bytes[];
};

static void on_loose(uv_write_t *req, int status)
{
    (void)status;
    mem_free(req->data);
}

void write_bytes(struct wire *c, const char *p, size_t n)
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

void write_continue(struct wire *c)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

    write_bytes(c, text, sizeof text - 1);
}
