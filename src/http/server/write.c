/* Sends answers: write at once, queue the rest, continue when it is sent. Loop thread only. */
#include <stdio.h>

#include "base/env.h"
#include "http/server/wire.h"

static void on_written(uv_write_t *req, int status)
{
    struct http_job *job = req->data;

    job->busy--;
    if (status < 0 && job->wire)
        wire_close(job->wire); /* abandons the HTTP job, which finishes it */
    else
        job->server->on->written(job);
}

static void send_bufs(struct wire *c, uv_buf_t *bufs, unsigned n)
{
    struct http_job *job = c->job;
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
        c->server->on->written(job);
        return;
    }
    for (; done > 0 && n > 0; bufs++, n--) {
        if ((size_t)done < bufs->len) {
            *bufs = uv_buf_init(bufs->base + done, (unsigned)(bufs->len - (size_t)done));
            break;
        }
        done -= (int)bufs->len;
    }
    job->write.data = job;
    job->busy++;
    if (uv_write(&job->write, &c->h.stream, bufs, n, on_written) != 0) {
        job->busy--;
        wire_close(c);
        return;
    }
    c->queued = uv_stream_get_write_queue_size(&c->h.stream);
    c->until_us = mono_us() + c->server->limits.write_ms * 1000;
    wire_read(c, c->in.n < AHEAD_MAX);
}

/* Send the piece in res.out, framed; `head`: with the answer's head before it. */
static void send_piece(struct wire *c, bool head)
{
    struct http_job *job = c->job;
    struct exchange *x = job->x;
    struct buf *out = &x->res.out;
    bool last = x->more == HTTP_END && !x->cut && !x->res.events;
    uv_buf_t bufs[4];
    unsigned n = 0;

    if (head)
        bufs[n++] = uv_buf_init(job->head.p, (unsigned)job->head.n);
    if (job->has_body && out->n) {
        if (job->chunked_out) {
            int w = snprintf(job->size_line, sizeof job->size_line, "%zx\r\n", out->n);

            bufs[n++] = uv_buf_init(job->size_line, (unsigned)w);
        }
        bufs[n++] = uv_buf_init(out->p, (unsigned)out->n);
        x->sent += (int64_t)out->n;
    }
    if (job->chunked_out && job->has_body) {
        static char ends[] = "\r\n0\r\n\r\n";
        size_t skip = out->n ? 0 : 2, len = last ? 7 - skip : 2 - skip;

        if (len)
            bufs[n++] = uv_buf_init(ends + skip, (unsigned)len);
    }
    send_bufs(c, bufs, n);
}

void write_answer(struct wire *c)
{
    struct http_job *job = c->job;
    bool close = job->close || !job->x->keep_alive || c->server->draining;

    answer_head(job->x, &job->head, close, &job->chunked_out, &job->has_body);
    send_piece(c, true);
}

void write_more(struct wire *c)
{
    send_piece(c, false);
}
