/* A request being served: its body comes in, its steps go to workers. Loop thread only. */
#include <string.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/log.h"
#include "base/str.h"
#include "http/wire.h"

/* What nginx says for the same. */
enum { GONE = 499 };

static void on_worker(struct work *w)
{
    struct call *call = (struct call *)w;

    exchange_run(call->x, call->step);
}

void call_submit(struct call *call, enum exchange_step step)
{
    call->step = step;
    call->busy++;
    (void)server_submit(call, false);
}

static void destroy(struct call *call)
{
    struct exchange *x = call->x;

    call->server->calls--;
    buf_finish(&call->pending);
    buf_finish(&call->head);
    exchange_destroy(x);
}

/* The log has no query and no body: D14. */
static void log_call(const struct call *call)
{
    const struct exchange *x = call->x;
    const char *who, *trace;

    if (!log_wanted(LOG_INFO))
        return;
    who = x->req.app->label ? x->req.app->label(&x->req) : NULL;
    trace = http_header(&x->req, "traceparent");
    log_msg(LOG_INFO,
            "http method=%s route=%s status=%d bytes=%lld us=%lld id=%s who=%s peer=%s%s%s",
            x->req.route ? x->req.route->method : "-", x->req.route ? x->req.route->path : "-",
            x->res.status, (long long)x->sent, (long long)(mono_us() - call->began_us), x->req.id,
            cstr_empty(who) ? "-" : who, x->req.peer, trace ? " trace=" : "", trace ? trace : "");
}

static void count_call(struct call *call)
{
    struct http_figures *f = &call->server->figures;
    int hundred = call->x->res.status / 100;

    if (call->counted)
        return;
    call->counted = true;
    if (!call->x->answered)
        call->x->res.status = GONE; /* for the log: the client left first */
    log_call(call);
    if (hundred >= 1 && hundred <= 5)
        figure_add(&f->status[hundred], 1);
    figure_add(&f->worker_us, call->x->worker_us);
}

/* The answer is out, or nobody is there for it. Only when nothing is under way. */
void call_finish(struct call *call)
{
    count_call(call);
    if (call->wire)
        call->wire->call = NULL;
    call->wire = NULL;
    if (exchange_unfinished(call->x))
        call_submit(call, EXCHANGE_END);
    else
        destroy(call);
}

/* What is on a worker or being written comes back, and finds nobody: then it is finished. */
void call_abandon(struct call *call)
{
    figure_add(&call->server->figures.cancelled, 1);
    __atomic_store_n(&call->x->cancelled, true, __ATOMIC_RELAXED);
    call->wire->call = NULL;
    call->wire = NULL;
    if (!call->busy)
        call_finish(call);
}

/* ---- the body ---- */

static void refuse(struct wire *c, int status, const char *code, const char *why)
{
    exchange_refuse(c->call->x, status, code, why);
    c->call->close = true;
    write_answer(c);
}

/* Move what is in c->in to where the body is collected. False when it was refused. */
static bool take_body(struct wire *c)
{
    struct call *call = c->call;
    struct exchange *x = call->x;
    struct buf *to = x->req.route->piece ? &call->pending : &x->piece;
    size_t at = 0;

    while (at < c->in.n && !call->body_over) {
        struct bough_str data = str_make(c->in.p + at, c->in.n - at);
        struct parse_error bad;
        enum parse_rc rc = PARSE_MORE;
        size_t used;

        if (x->chunked_in) {
            rc = parse_chunks(&call->chunks, c->in.p + at, c->in.n - at, &used, &data, &bad);
            if (rc == PARSE_BAD) {
                wire_bad(c, &bad);
                return false;
            }
            call->body_over = rc == PARSE_DONE;
        } else {
            if ((uint64_t)call->left < data.n)
                data.n = (size_t)call->left;
            call->left -= (int64_t)data.n;
            call->body_over = call->left == 0;
            used = data.n;
        }
        buf_put_str(to, data);
        c->heard += data.n;
        at += used;
        if (c->heard > x->body_max) {
            refuse(c, 413, "too_large", "the body is too large for this path");
            return false;
        }
    }
    memmove(c->in.p, c->in.p + at, c->in.n - at);
    c->in.n -= at;
    buf_end(&c->in);
    return true;
}

static void give_piece(struct wire *c)
{
    struct call *call = c->call;
    struct buf swap = call->x->piece;

    call->x->piece = call->pending;
    call->pending = swap;
    buf_reset(&call->pending);
    c->state = WIRE_WORK;
    call_submit(call, EXCHANGE_PIECE);
}

void call_body(struct wire *c)
{
    struct call *call = c->call;
    struct exchange *x = call->x;

    if (!take_body(c))
        return;
    if (c->state == WIRE_WORK) { /* a piece is on a worker */
        wire_read(c, call->pending.n < PIECES_MAX && c->in.n < AHEAD_MAX);
        return;
    }
    if (x->req.route->piece && (call->pending.n >= PIECE || (call->body_over && call->pending.n))) {
        give_piece(c);
        return;
    }
    wire_read(c, true);
    if (!call->body_over)
        return;
    if (!x->req.route->piece)
        x->req.body = buf_str(&x->piece);
    c->state = WIRE_WORK;
    c->until_us = 0;
    call_submit(call, EXCHANGE_CALL);
}

static void begin_body(struct wire *c)
{
    c->state = WIRE_BODY;
    c->heard = 0;
    c->body_us = mono_us();
    c->until_us = c->body_us + c->server->limits.body_ms * 1000;
    if (c->call->x->expects && !c->in.n)
        write_continue(c);
    call_body(c);
}

/* ---- beginning ---- */

void call_begin(struct wire *c, struct exchange *x)
{
    struct http_server *s = c->server;
    struct call *call = arena_zalloc(x->req.arena, sizeof *call);
    bool body = x->chunked_in || x->length > 0;

    call->work.run = on_worker;
    call->x = x;
    call->wire = c;
    call->server = s;
    call->left = x->length;
    call->body_over = !body;
    call->began_us = x->req.trace;
    buf_init(&call->pending, PIECES_MAX + 4 * READ_SIZE);
    buf_init(&call->head, 32 * 1024);
    s->calls++;
    c->call = call;
    c->heard = 0;
    if (x->answered) {
        call->close = body;
        write_answer(c);
        return;
    }
    /* A small body that came along with its head waits for nothing. */
    if (body && !x->req.route->piece && !x->chunked_in && (uint64_t)x->length <= c->in.n) {
        if (!take_body(c))
            return;
        x->req.body = buf_str(&x->piece);
    }
    call->step = call->body_over ? EXCHANGE_CALL : EXCHANGE_GATE;
    c->state = call->body_over ? WIRE_WORK : WIRE_GATE;
    if (server_submit(call, true)) {
        call->busy++;
        wire_advance(c);
        return;
    }
    figure_add(&s->figures.overloaded, 1);
    call->close = !call->body_over;
    exchange_refuse(x, 503, "overloaded", "too much is waiting already");
    http_set(&x->res, "Retry-After", "1");
    write_answer(c);
}

/* ---- coming back from a worker ---- */

static void after_gate(struct wire *c)
{
    if (c->call->x->answered) {
        c->call->close = true;
        write_answer(c);
        return;
    }
    begin_body(c);
}

static void after_piece(struct wire *c)
{
    if (c->call->x->answered) {
        c->call->close = !c->call->body_over;
        write_answer(c);
        return;
    }
    c->state = WIRE_BODY;
    call_body(c);
}

void call_done(struct call *call)
{
    struct wire *c = call->wire;

    call->busy--;
    if (!c) {
        if (!call->busy)
            call_finish(call);
        return;
    }
    switch (call->step) {
    case EXCHANGE_GATE:
        after_gate(c);
        break;
    case EXCHANGE_PIECE:
        after_piece(c);
        break;
    case EXCHANGE_CALL:
        write_answer(c);
        break;
    case EXCHANGE_PULL:
    case EXCHANGE_REPLAY:
        write_more(c);
        break;
    case EXCHANGE_END:
        call_finish(call);
        break;
    }
}

void call_later(struct wire *c)
{
    if (c->state != WIRE_LATER || mono_us() < c->call->later_us)
        return;
    c->state = WIRE_WORK;
    call_submit(c->call, EXCHANGE_PULL);
}
