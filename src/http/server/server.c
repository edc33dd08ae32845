/* The server: loop thread, deadlines, draining. See server.h. */
#include "http/server/server.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/env.h"
#include "base/memory/mem.h"
#include "http/server/wire.h"

enum {
    TICK_MS = 100,
    BODY_RATE = 16 * 1024, /* bytes per second: a body of 8 MB takes at most nine minutes */
};

/* ---- workers ---- */

static void fetch_done(struct http_server *s)
{
    struct work *w = workers_done(s->workers);

    while (w) {
        struct work *next = w->next;

        s->out--;
        if (job_is_bound((struct http_job *)w)) {
            s->bound--;
            s->out_of[w->caller]--;
        }
        http1_done((struct http_job *)w);
        w = next;
    }
}

static void on_kick(uv_timer_t *t)
{
    struct http_server *s = t->data;

    fetch_done(s);
    workers_kick(s->workers);
    if (s->out)
        (void)uv_timer_start(&s->kick, on_kick, 1, 0);
}

static void on_flush(uv_prepare_t *p)
{
    struct http_server *s = p->data;

    flow_flush(s);
    if (!s->gathered.n)
        return;
    workers_submit(s->workers, &s->gathered);
    if (!uv_is_active((uv_handle_t *)&s->kick))
        (void)uv_timer_start(&s->kick, on_kick, 1, 0);
}

/* ---- deadlines ---- */

static void timed_out(struct wire *c, const char *why)
{
    figure_add(&c->server->figures.timed_out, 1);
    wire_bad(c, &(struct parse_error){ 408, why });
}

/* After the grace period a body must arrive at 1 KB/s on average. */
static bool body_too_slow(const struct wire *c, int64_t now)
{
    int64_t allowed = c->server->limits.body_ms * 1000 + (int64_t)c->heard * 1000000 / BODY_RATE;

    return now - c->body_us > allowed;
}

/* The deadline restarts whenever the client reads some bytes, however slowly. */
static bool write_stuck(struct wire *c, int64_t now)
{
    size_t queued = uv_stream_get_write_queue_size(&c->h.stream);

    if (queued < c->queued)
        c->until_us = now + c->server->limits.write_ms * 1000;
    c->queued = queued;
    return queued && c->until_us && now > c->until_us;
}

static void check(struct wire *c, int64_t now)
{
    struct http_server *s = c->server;

    switch ((enum wire_state)c->state) {
    case WIRE_IDLE:
    case WIRE_LINGER:
        if (now > c->until_us)
            wire_close(c);
        break;
    case WIRE_HEAD:
        if (now > c->until_us)
            timed_out(c, "the head took too long");
        break;
    case WIRE_BODY:
        if (body_too_slow(c, now))
            timed_out(c, "the body came too slowly");
        break;
    case WIRE_LATER:
        http1_later(c);
        break;
    case WIRE_EVENTS:
        stream_beat(c, now);
        if (c->state == WIRE_EVENTS && c->until_us && write_stuck(c, now))
            wire_close(c);
        break;
    case WIRE_WRITE:
    case WIRE_FLOW:
        if (write_stuck(c, now)) {
            figure_add(&s->figures.timed_out, 1);
            wire_close(c);
        }
        break;
    case WIRE_GATE:
    case WIRE_WORK:
        break;
    case WIRE_CLOSING:
        return;
    }
    /* Cancelling makes store calls fail, so the handler can answer that it took too long. */
    if (c->job && !(c->job->x->req.route && (c->job->x->req.route->flags & HTTP_STREAMS)) &&
        now - c->job->began_us > s->limits.request_ms * 1000 && c->state == WIRE_WORK)
        __atomic_store_n(&c->job->x->cancelled, true, __ATOMIC_RELAXED);
}

/* ---- draining ---- */

static void on_walk(uv_handle_t *h, void *user)
{
    (void)user;
    if (!uv_is_closing(h))
        uv_close(h, NULL);
}

static void drain_begin(struct http_server *s)
{
    struct wire *c, *next;

    __atomic_store_n(&s->draining, true, __ATOMIC_RELAXED);
    s->drain_until_us = mono_us() + s->limits.drain_ms * 1000;
    for (size_t i = 0; i < s->nlisteners; i++)
        listen_close(&s->listeners[i]);
    for (c = s->wires; c; c = next) {
        next = c->next;
        if (c->state == WIRE_IDLE || c->state == WIRE_EVENTS || c->state == WIRE_LATER)
            wire_close(c);
    }
}

static void drain(struct http_server *s)
{
    if (!s->draining && __atomic_load_n(&s->stop_wanted, __ATOMIC_ACQUIRE))
        drain_begin(s);
    if (!s->draining || s->closed)
        return;
    if (mono_us() > s->drain_until_us)
        for (struct wire *c = s->wires; c; c = c->next)
            wire_close(c);
    if (s->wires || s->jobs)
        return;
    s->closed = true;
    uv_walk(&s->loop, on_walk, NULL);
}

/* ---- the loop ---- */

static void on_wake(uv_async_t *a)
{
    struct http_server *s = a->data;

    fetch_done(s);
    hubs_deliver(s);
    drain(s);
}

static void on_tick(uv_timer_t *t)
{
    struct http_server *s = t->data;
    int64_t now = mono_us();
    struct wire *c, *next;

    __atomic_store_n(&s->ticked_us, now, __ATOMIC_RELAXED);
    for (c = s->wires; c; c = next) {
        next = c->next;
        check(c, now);
    }
    drain(s);
}

static void run(void *user)
{
    struct http_server *s = user;

    uv_run(&s->loop, UV_RUN_DEFAULT);
}

static void on_done(void *user)
{
    struct http_server *s = user;

    uv_async_send(&s->wake);
}

/* ---- starting and stopping ---- */

#define DEFAULT(name, value) (l->name = l->name ? l->name : (value))

static void fill_limits(struct http_limits *l)
{
    DEFAULT(head_ms, 10000);
    DEFAULT(body_ms, 10000);
    DEFAULT(idle_ms, 60000);
    DEFAULT(write_ms, 30000);
    DEFAULT(request_ms, 120000);
    DEFAULT(drain_ms, 10000);
    DEFAULT(beat_ms, 15000);
    DEFAULT(stream_ms, 3600000);
    DEFAULT(connections, 10000);
    DEFAULT(per_peer, 256);
    DEFAULT(body_memory, INT64_C(1) << 30);
    DEFAULT(workers, 32);
    DEFAULT(queue, 256);
    DEFAULT(write_queue, 1024 * 1024);
}

static void release(struct http_server *s)
{
    while (uv_loop_close(&s->loop) == UV_EBUSY) {
        uv_walk(&s->loop, on_walk, NULL);
        uv_run(&s->loop, UV_RUN_DEFAULT);
    }
    smap_finish(&s->peers);
    mem_free(s->listeners);
    mem_free(s);
}

/* Block all signals in our threads: the program handles them elsewhere. */
static void start_threads(struct http_server *s)
{
    sigset_t all, old;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    s->workers = workers_start(s->limits.workers, on_done, s);
    if (uv_thread_create(&s->thread, run, s) != 0)
        abort();
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

enum bough_rc http_server_start(struct http_server **out, const struct http_app *app,
                                const struct http_listen *where, size_t n,
                                const struct http_limits *limits, struct bough_error *err)
{
    struct http_server *s = mem_zalloc(sizeof *s);
    int64_t tick = TICK_MS;
    enum bough_rc rc = BOUGH_OK;

    s->app = app;
    s->on = &http1_events;
    if (limits)
        s->limits = *limits;
    fill_limits(&s->limits);
    smap_init(&s->peers);
    s->listeners = mem_zalloc(mem_array(n ? n : 1, sizeof *s->listeners));
    s->nlisteners = n;
    if (uv_loop_init(&s->loop) != 0 || uv_async_init(&s->loop, &s->wake, on_wake) != 0)
        abort();
    (void)uv_timer_init(&s->loop, &s->tick);
    (void)uv_timer_init(&s->loop, &s->kick);
    (void)uv_prepare_init(&s->loop, &s->flush);
    (void)uv_prepare_start(&s->flush, on_flush);
    s->wake.data = s->tick.data = s->kick.data = s->flush.data = s;
    for (size_t i = 0; !rc && i < n; i++)
        rc = listen_open(s, &s->listeners[i], &where[i], err);
    if (rc) {
        for (size_t i = 0; i < n; i++)
            listen_close(&s->listeners[i]);
        release(s);
        return rc;
    }
    if (s->limits.head_ms < tick * 4)
        tick = s->limits.head_ms / 4 + 1;
    (void)uv_timer_start(&s->tick, on_tick, (uint64_t)tick, (uint64_t)tick);
    s->ticked_us = mono_us();
    start_threads(s);
    *out = s;
    return BOUGH_OK;
}

int http_server_port(const struct http_server *s, size_t i)
{
    return s->listeners[i].port;
}

void http_server_stop(struct http_server *s)
{
    __atomic_store_n(&s->stop_wanted, true, __ATOMIC_RELEASE);
    uv_async_send(&s->wake);
}

void http_server_join(struct http_server *s)
{
    if (s->joined)
        return;
    uv_thread_join(&s->thread);
    hubs_detach(s);
    workers_stop(s->workers);
    s->joined = true;
}

void http_server_destroy(struct http_server *s)
{
    if (!s)
        return;
    if (!s->joined)
        http_server_stop(s);
    http_server_join(s);
    release(s);
}

bool http_server_draining(const struct http_server *s)
{
    return __atomic_load_n(&s->draining, __ATOMIC_RELAXED) ||
           __atomic_load_n(&s->stop_wanted, __ATOMIC_RELAXED);
}

int64_t http_server_quiet_ms(const struct http_server *s)
{
    return (mono_us() - __atomic_load_n(&s->ticked_us, __ATOMIC_RELAXED)) / 1000;
}

void http_server_figures(const struct http_server *s, struct http_figures *out)
{
    const int64_t *from = (const int64_t *)&s->figures;
    int64_t *to = (int64_t *)out;
    int waiting, running;

    for (size_t i = 0; i < sizeof *out / sizeof *to; i++)
        to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
    workers_count(s->workers, &waiting, &running);
    out->waiting = waiting;
    out->running = running;
}
