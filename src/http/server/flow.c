/* Flows: bytes from another connection to a client. Loop thread only. See http/flow.h. */
#include <stdio.h>
#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"
#include "http/server/wire.h"

struct http_flow {
    struct http_job *job;
    const struct http_flow_events *on;
    void *user;
    bool headed, full, left, over;
    bool working; /* a step is on a worker */
};

struct uv_loop_s *http_flow_loop(struct http_flow *f)
{
    return &f->job->server->loop;
}

struct http_res *http_flow_res(struct http_flow *f)
{
    return &f->job->x->res;
}

bool http_flow_headed(const struct http_flow *f)
{
    return f->headed;
}

bool http_flow_stopping(const struct http_flow *f)
{
    const struct http_server *s = f->job->server;

    return s->draining && mono_us() > s->drain_until_us;
}

/* ---- beginning ---- */

/* The parsed body is gone; only its bytes are still held. */
static void give_back_memory(struct http_job *job)
{
    size_t keeps = job->x->piece.n;

    if (job->held <= keeps)
        return;
    job->server->held -= job->held - keeps;
    job->held = keeps;
}

void flow_start(struct wire *c)
{
    struct http_job *job = c->job;
    struct exchange *x = job->x;
    struct http_flow *f = arena_zalloc(x->req.arena, sizeof *f);

    f->job = job;
    f->on = x->res.flow;
    f->user = x->res.flow_user;
    job->flow = f;
    job->busy++; /* until http_flow_end() */
    give_back_memory(job);
    c->state = WIRE_FLOW;
    c->until_us = 0;
    wire_read(c, true);
    f->on->start(f->user, f);
}

/* ---- sending ---- */

struct sending {
    uv_write_t req;
    char bytes[];
};

static void on_sent(uv_write_t *req, int status)
{
    struct wire *c = req->handle->data;
    size_t queued = uv_stream_get_write_queue_size(&c->h.stream);
    struct http_flow *f = c->job ? c->job->flow : NULL;

    mem_free(req->data);
    if (status < 0) {
        wire_close(c);
        return;
    }
    if (!queued)
        c->until_us = 0;
    if (f && f->full && queued <= HTTP_FLOW_LOW) {
        f->full = false;
        f->on->room(f->user);
    }
}

/* Queue a copy of what is left of the buffers behind their first `skip` bytes. */
static void queue(struct wire *c, const uv_buf_t *bufs, unsigned n, size_t skip, size_t total)
{
    struct sending *s = mem_alloc(sizeof *s + total - skip);
    size_t at = 0;
    uv_buf_t b;

    for (unsigned i = 0; i < n; i++) {
        size_t from = skip < bufs[i].len ? skip : bufs[i].len;

        memcpy(s->bytes + at, bufs[i].base + from, bufs[i].len - from);
        at += bufs[i].len - from;
        skip -= from;
    }
    s->req.data = s;
    b = uv_buf_init(s->bytes, (unsigned)at);
    if (uv_write(&s->req, &c->h.stream, &b, 1, on_sent) != 0) {
        mem_free(s);
        wire_close(c);
        return;
    }
    c->queued = uv_stream_get_write_queue_size(&c->h.stream);
    if (!c->until_us)
        c->until_us = mono_us() + c->server->limits.write_ms * 1000;
}

static void send_bufs(struct wire *c, uv_buf_t *bufs, unsigned n)
{
    size_t total = 0;
    int done = 0;

    for (unsigned i = 0; i < n; i++)
        total += bufs[i].len;
    figure_add(&c->server->figures.bytes_out, (int64_t)total);
    if (uv_stream_get_write_queue_size(&c->h.stream) == 0)
        done = uv_try_write(&c->h.stream, bufs, n);
    if (done < 0 && done != UV_EAGAIN && done != UV_ENOSYS)
        wire_close(c);
    else if (done < 0 || (size_t)done < total)
        queue(c, bufs, n, done > 0 ? (size_t)done : 0, total);
}

void http_flow_head(struct http_flow *f)
{
    struct http_job *job = f->job;
    struct wire *c = job->wire;
    uv_buf_t b;

    f->headed = true;
    job->x->answered = true;
    answer_head(job->x, &job->head, job->close || !job->x->keep_alive || job->server->draining,
                &job->chunked_out, &job->has_body);
    if (!c)
        return;
    b = uv_buf_init(job->head.p, (unsigned)job->head.n);
    send_bufs(c, &b, 1);
}

static void send_piece(struct http_flow *f, const char *p, size_t n)
{
    struct http_job *job = f->job;
    uv_buf_t bufs[3];
    unsigned k = 0;

    if (job->chunked_out) {
        int w = snprintf(job->size_line, sizeof job->size_line, "%zx\r\n", n);

        bufs[k++] = uv_buf_init(job->size_line, (unsigned)w);
    }
    bufs[k++] = uv_buf_init((char *)p, (unsigned)n);
    if (job->chunked_out)
        bufs[k++] = uv_buf_init((char *)"\r\n", 2);
    send_bufs(job->wire, bufs, k);
}

void flow_flush(struct http_server *s)
{
    struct http_flow *f = s->giving;

    s->giving = NULL;
    if (f)
        send_piece(f, s->given, s->ngiven); /* a failed send may end the flow */
}

/* One read from the other connection may bring many pieces: they are sent with one call, when the
 * next flow gives, or before the loop sleeps. */
void http_flow_give(struct http_flow *f, const char *p, size_t n)
{
    struct http_job *job = f->job;
    struct http_server *s = job->server;

    if (!job->wire || !n || !job->has_body)
        return;
    job->x->sent += (int64_t)n;
    if (s->giving && (s->giving != f || n > GIVEN_SIZE - s->ngiven)) {
        flow_flush(s);
        if (!job->wire)
            return;
    }
    if (n > GIVEN_SIZE) {
        send_piece(f, p, n);
        return;
    }
    if (!s->giving)
        s->ngiven = 0;
    memcpy(s->given + s->ngiven, p, n);
    s->ngiven += n;
    s->giving = f;
}

static void flush_own(struct http_flow *f)
{
    if (f->job->server->giving == f)
        flow_flush(f->job->server);
}

bool http_flow_full(struct http_flow *f)
{
    struct wire *c = f->job->wire;

    f->full = c && uv_stream_get_write_queue_size(&c->h.stream) >= HTTP_FLOW_HIGH;
    return f->full;
}

/* ---- work ---- */

bool http_flow_work(struct http_flow *f)
{
    if (f->working)
        return false;
    f->working = true;
    job_submit(f->job, EXCHANGE_WORK);
    return true;
}

void flow_worked(struct http_job *job)
{
    struct http_flow *f = job->flow;

    f->working = false;
    f->on->worked(f->user);
}

/* ---- ending ---- */

void flow_left(struct http_job *job)
{
    struct http_flow *f = job->flow;

    if (job->server->giving == f)
        job->server->giving = NULL;
    if (f->over) {
        if (!job->busy)
            job_finish(job);
        return;
    }
    f->left = true;
    f->on->left(f->user);
}

void http_flow_drop(struct http_flow *f)
{
    flush_own(f);
    if (f->job->wire)
        wire_close(f->job->wire);
}

void http_flow_end(struct http_flow *f, bool cut)
{
    struct http_job *job = f->job;
    struct wire *c;

    flush_own(f);
    c = job->wire;
    f->over = true;
    job->busy--;
    job->x->more = HTTP_END;
    job->x->cut = cut;
    if (!c) {
        if (!job->busy)
            job_finish(job);
        return;
    }
    if (!cut && job->chunked_out && job->has_body) {
        uv_buf_t last = uv_buf_init((char *)"0\r\n\r\n", 5);

        send_bufs(c, &last, 1);
        if (!job->wire) { /* the send failed, and the job was abandoned */
            if (!job->busy)
                job_finish(job);
            return;
        }
    }
    job->server->on->written(job);
}
