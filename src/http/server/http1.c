/* HTTP/1.1 on a connection: head, body, steps, answer, next request. Loop thread only. */
#include <string.h>

#include "base/env.h"
#include "base/text/str.h"
#include "http/server/wire.h"

static int64_t later(int64_t ms)
{
    return mono_us() + ms * 1000;
}

/* ---- the body ---- */

static void refuse(struct wire *c, int status, const char *code, const char *why)
{
    exchange_refuse(c->job->x, status, code, why);
    c->job->close = true;
    write_answer(c);
}

enum { BODY_COST = 10 }; /* memory that a byte of a body takes, with its parsed form */

/* Count memory for the body. False, with the answer 503, when all bodies together take too much.
 * The owner is not refused. */
static bool hold(struct wire *c, size_t n)
{
    struct http_server *s = c->server;

    c->job->held += n;
    s->held += n;
    if (c->via == HTTP_VIA_UNIX || s->held <= (uint64_t)s->limits.body_memory)
        return true;
    s->held -= c->job->held;
    c->job->held = 0;
    buf_finish(&c->job->x->piece); /* its reader is gone */
    buf_init(&c->job->x->piece, HTTP_BODY_FILE);
    figure_add(&s->figures.overloaded, 1);
    exchange_refuse(c->job->x, 503, "overloaded", "too many large requests at the same time");
    http_set(&c->job->x->res, "Retry-After", "1");
    c->job->close = true;
    write_answer(c);
    return false;
}

/* Move body bytes from c->in to the body buffer. False when the request was refused. */
static bool take_body(struct wire *c)
{
    struct http_job *job = c->job;
    struct exchange *x = job->x;
    struct buf *to = x->req.route->piece ? &job->pending : &x->piece;
    size_t at = 0;

    while (at < c->in.n && !job->body_over) {
        struct bough_str data = str_make(c->in.p + at, c->in.n - at);
        struct parse_error bad;
        enum parse_rc rc = PARSE_MORE;
        size_t used;

        if (x->chunked_in) {
            rc = parse_chunks(&job->chunks, c->in.p + at, c->in.n - at, &used, &data, &bad);
            if (rc == PARSE_BAD) {
                wire_bad(c, &bad);
                return false;
            }
            job->body_over = rc == PARSE_DONE;
        } else {
            if ((uint64_t)job->left < data.n)
                data.n = (size_t)job->left;
            job->left -= (int64_t)data.n;
            job->body_over = job->left == 0;
            used = data.n;
        }
        buf_put_str(to, data);
        c->heard += data.n;
        at += used;
        if (c->heard > x->body_max) {
            refuse(c, 413, "too_large", "the body is too large for this path");
            return false;
        }
        if (!x->req.route->piece && !hold(c, data.n * BODY_COST))
            return false;
    }
    memmove(c->in.p, c->in.p + at, c->in.n - at);
    c->in.n -= at;
    buf_end(&c->in);
    return true;
}

static void give_piece(struct wire *c)
{
    struct http_job *job = c->job;
    struct buf swap = job->x->piece;

    job->x->piece = job->pending;
    job->pending = swap;
    buf_reset(&job->pending);
    c->state = WIRE_WORK;
    job_submit(job, EXCHANGE_PIECE);
}

static void read_body(struct wire *c)
{
    struct http_job *job = c->job;
    struct exchange *x = job->x;

    if (!take_body(c))
        return;
    if (c->state == WIRE_WORK) { /* the previous piece is still on a worker */
        wire_read(c, job->pending.n < PIECES_MAX && c->in.n < AHEAD_MAX);
        return;
    }
    if (x->req.route->piece && (job->pending.n >= PIECE || (job->body_over && job->pending.n))) {
        give_piece(c);
        return;
    }
    wire_read(c, true);
    if (!job->body_over)
        return;
    if (!x->req.route->piece)
        x->req.body = buf_str(&x->piece);
    c->state = WIRE_WORK;
    c->until_us = 0;
    job_submit(job, EXCHANGE_CALL);
}

static void begin_body(struct wire *c)
{
    static const char text[] = "HTTP/1.1 100 Continue\r\n\r\n";

    c->state = WIRE_BODY;
    c->heard = 0;
    c->body_us = mono_us();
    c->until_us = c->body_us + c->server->limits.body_ms * 1000;
    if (c->job->x->req.route->piece && !hold(c, (size_t)2 * PIECES_MAX))
        return;
    if (c->job->x->expects && !c->in.n)
        wire_send(c, text, sizeof text - 1);
    read_body(c);
}

/* ---- the head ---- */

static void advance(struct wire *c);

/* Start an HTTP job for a parsed head. */
static void begin_job(struct wire *c, struct exchange *x)
{
    struct http_job *job = job_create(c, x);
    bool body = !job->body_over;

    c->heard = 0;
    if (x->answered) {
        job->close = body;
        write_answer(c);
        return;
    }
    if (x->req.route->flags & HTTP_ON_LOOP && !body) {
        exchange_run(x, EXCHANGE_CALL);
        write_answer(c);
        return;
    }
    /* A small body that arrived with its head: skip the separate gate step. */
    if (body && !x->req.route->piece && !x->chunked_in && (uint64_t)x->length <= c->in.n) {
        if (!take_body(c))
            return;
        x->req.body = buf_str(&x->piece);
    }
    c->state = job->body_over ? WIRE_WORK : WIRE_GATE;
    if (job_try_submit(job, job->body_over ? EXCHANGE_CALL : EXCHANGE_GATE)) {
        advance(c);
        return;
    }
    figure_add(&c->server->figures.overloaded, 1);
    job->close = !job->body_over;
    exchange_refuse(x, 503, "overloaded", "too much is waiting already");
    http_set(&x->res, "Retry-After", "1");
    write_answer(c);
}

/* Remove the first n bytes; an empty buffer frees its memory. */
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
    begin_job(c, x);
}

/* ---- what comes next ---- */

static void advance_once(struct wire *c)
{
    switch ((enum wire_state)c->state) {
    case WIRE_IDLE:
    case WIRE_HEAD:
        read_head(c);
        break;
    case WIRE_BODY:
        read_body(c);
        break;
    case WIRE_WORK:
        if (c->job && !c->job->body_over)
            read_body(c); /* store one piece while the next arrives */
        else
            wire_read(c, c->in.n < AHEAD_MAX);
        break;
    case WIRE_GATE:
    case WIRE_WRITE:
    case WIRE_LATER:
    case WIRE_FLOW:
        wire_read(c, c->in.n < AHEAD_MAX);
        break;
    case WIRE_EVENTS:
    case WIRE_LINGER:
    case WIRE_CLOSING:
        break;
    }
}

/* Parse and process what is in c->in. A loop instead of recursion, for pipelined requests that are
 * answered at once. */
static void advance(struct wire *c)
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

/* The answer is sent: process the next request, or wait for one. */
static void next_request(struct wire *c)
{
    c->state = WIRE_IDLE;
    c->until_us = later(c->server->limits.idle_ms);
    wire_read(c, true);
    if (c->in.n)
        advance(c);
    else if (c->server->draining)
        wire_close(c);
}

/* ---- after a step on a worker ---- */

static void after_gate(struct wire *c)
{
    if (c->job->x->answered) {
        c->job->close = true;
        write_answer(c);
        return;
    }
    begin_body(c);
}

static void after_piece(struct wire *c)
{
    if (c->job->x->answered) {
        c->job->close = !c->job->body_over;
        write_answer(c);
        return;
    }
    c->state = WIRE_BODY;
    read_body(c);
}

void http1_done(struct http_job *job)
{
    struct wire *c = job->wire;

    job->busy--;
    if (job->step == EXCHANGE_WORK) {
        flow_worked(job);
        return;
    }
    if (!c) {
        if (!job->busy)
            job_finish(job);
        return;
    }
    switch (job->step) {
    case EXCHANGE_GATE:
        after_gate(c);
        break;
    case EXCHANGE_PIECE:
        after_piece(c);
        break;
    case EXCHANGE_CALL:
        if (job->x->res.flow)
            flow_start(c);
        else
            write_answer(c);
        break;
    case EXCHANGE_PULL:
    case EXCHANGE_REPLAY:
        write_more(c);
        break;
    case EXCHANGE_WORK:
        break;
    case EXCHANGE_END:
        job_finish(job);
        break;
    }
}

void http1_later(struct wire *c)
{
    if (c->state != WIRE_LATER || mono_us() < c->job->later_us)
        return;
    c->state = WIRE_WORK;
    job_submit(c->job, EXCHANGE_PULL);
}

/* ---- events of the connection ---- */

/* The last piece is completely written: continue, or finish. */
static void on_written(struct http_job *job)
{
    struct wire *c = job->wire;
    struct exchange *x = job->x;

    if (!c) {
        if (!job->busy)
            job_finish(job);
        return;
    }
    c->until_us = 0;
    c->queued = 0;
    if (x->cut) {
        wire_close(c);
    } else if (x->res.events) {
        stream_step(c);
    } else if (x->more == HTTP_END) {
        bool close = job->close || !x->keep_alive;

        job_finish(job);
        if (close)
            wire_linger(c);
        else
            next_request(c);
    } else if (x->more == HTTP_LATER) {
        c->state = WIRE_LATER;
        job->later_us = mono_us() + x->res.later_ms * 1000;
        wire_read(c, c->in.n < AHEAD_MAX);
    } else {
        c->state = WIRE_WORK;
        job_submit(job, EXCHANGE_PULL);
    }
}

static void on_end(struct wire *c)
{
    if (c->job)
        job_abandon(c->job);
    stream_close(c);
}

const struct wire_events http1_events = {
    .bytes = advance,
    .written = on_written,
    .end = on_end,
};
