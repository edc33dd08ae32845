/* Event streams: each is a connection that gets the events of a hub. Loop thread only. */
#include "base/env.h"
#include "base/memory/mem.h"
#include "http/hub.h"
#include "http/server/wire.h"

struct stream {
    struct stream *prev, *next;
    struct wire *wire;
    struct http_hub *hub;
    bool (*wants)(void *user, const void *about, size_t about_size);
    bool (*still)(void *user);
    void (*closed)(void *user);
    void *user;
    int64_t at, beat_us, ends_us;
};

/* ---- sending to one client ---- */

struct sending {
    uv_write_t req;
    struct hub_event *e;
};

static void on_sent(uv_write_t *req, int status)
{
    struct sending *s = req->data;
    struct wire *c = req->handle->data;

    hub_unref(s->e);
    mem_free(s);
    if (status < 0)
        wire_close(c);
    else if (uv_stream_get_write_queue_size(&c->h.stream) == 0)
        c->until_us = 0;
}

/* A client that does not keep up is disconnected. It reconnects with Last-Event-ID and misses
 * nothing. */
static void give(struct wire *c, struct hub_event *e)
{
    struct http_server *s = c->server;
    size_t queued = uv_stream_get_write_queue_size(&c->h.stream);
    uv_buf_t b = uv_buf_init(e->text, (unsigned)e->n);
    struct sending *sending;
    int done;

    if (queued + e->n > s->limits.write_queue) {
        figure_add(&s->figures.stream_dropped, 1);
        wire_close(c);
        return;
    }
    figure_add(&s->figures.stream_events, 1);
    figure_add(&s->figures.bytes_out, (int64_t)e->n);
    done = queued ? UV_EAGAIN : uv_try_write(&c->h.stream, &b, 1);
    if (done == (int)e->n)
        return;
    if (done < 0 && done != UV_EAGAIN) {
        wire_close(c);
        return;
    }
    if (done > 0)
        b = uv_buf_init(e->text + done, (unsigned)(e->n - (size_t)done));
    sending = mem_alloc(sizeof *sending);
    sending->req.data = sending;
    sending->e = e;
    e->refs++;
    if (uv_write(&sending->req, &c->h.stream, &b, 1, on_sent) != 0) {
        hub_unref(e);
        mem_free(sending);
        wire_close(c);
        return;
    }
    if (!c->until_us) {
        c->queued = uv_stream_get_write_queue_size(&c->h.stream);
        c->until_us = mono_us() + s->limits.write_ms * 1000;
    }
}

/* ---- on the loop thread ---- */

static void deliver(struct http_hub *h)
{
    bool reset;
    int64_t skipped;
    struct hub_event *e = hub_take(h, &reset, &skipped), *next_event;
    struct stream *st, *next;
    int64_t now = e ? mono_us() : 0;

    for (; e; e = next_event) {
        next_event = e->next;
        if (e->at)
            h->at = e->at;
        for (st = h->streams; st; st = next) {
            next = st->next;
            if (e->at && e->at <= st->at)
                continue;
            if (e->at)
                st->at = e->at;
            if (st->wants && !st->wants(st->user, e->about, e->about_size))
                continue;
            st->beat_us = now;
            give(st->wire, e);
        }
        hub_unref(e);
    }
    if (h->at < skipped)
        h->at = skipped;
    for (st = reset ? h->streams : NULL; st; st = next) {
        next = st->next;
        wire_close(st->wire);
    }
}

void hubs_deliver(struct http_server *s)
{
    for (size_t i = 0; i < s->nhubs; i++)
        deliver(s->hubs[i]);
}

void hubs_detach(struct http_server *s)
{
    for (size_t i = 0; i < s->nhubs; i++)
        hub_attach(s->hubs[i], NULL, NULL);
}

static void wake(void *server)
{
    struct http_server *s = server;

    uv_async_send(&s->wake);
}

/* Events sent to this hub wake this server from now on. False when the server has too many hubs. */
static bool attach(struct http_hub *h, struct http_server *s)
{
    if (h->server == s)
        return true;
    if (s->nhubs == sizeof s->hubs / sizeof *s->hubs)
        return false;
    hub_attach(h, s, wake);
    s->hubs[s->nhubs++] = h;
    return true;
}

/* Stagger expiry by up to 10 % to avoid a reconnect stampede. */
static int64_t end_of_life(const struct http_server *s)
{
    int64_t most = s->limits.stream_ms * 1000;

    return mono_us() + most - s->figures.streams % 64 * (most / 640);
}

static void go_live(struct wire *c)
{
    struct http_sse *how = &c->job->x->res.sse;
    struct stream *st = mem_zalloc(sizeof *st);

    *st = (struct stream){ .wire = c,
                           .hub = how->hub,
                           .wants = how->wants,
                           .still = how->still,
                           .closed = how->closed,
                           .user = how->user,
                           .at = how->at,
                           .beat_us = mono_us(),
                           .ends_us = end_of_life(c->server),
                           .next = how->hub->streams };
    if (st->next)
        st->next->prev = st;
    st->hub->streams = st;
    __atomic_store_n(&st->hub->nstreams, st->hub->nstreams + 1, __ATOMIC_RELAXED);
    figure_add(&c->server->figures.streams, 1);
    c->job->x->res.events = false; /* the stream owns `user` now */
    c->stream = st;
    c->state = WIRE_EVENTS;
    job_finish(c->job);
    buf_finish(&c->in);
    buf_init(&c->in, PARSE_HEAD_MAX);
    wire_read(c, true);
}

void stream_step(struct wire *c)
{
    struct http_sse *how = &c->job->x->res.sse;

    if (c->server->draining || !attach(how->hub, c->server)) {
        wire_close(c);
        return;
    }
    deliver(how->hub);
    if (how->replay && (how->at < how->hub->at || !hub_join(how->hub, how->at))) {
        c->state = WIRE_WORK;
        job_submit(c->job, EXCHANGE_REPLAY);
        return;
    }
    if (!how->replay)
        (void)hub_join(how->hub, INT64_MAX);
    go_live(c);
}

void stream_close(struct wire *c)
{
    struct stream *st = c->stream;

    if (!st)
        return;
    c->stream = NULL;
    if (st->prev)
        st->prev->next = st->next;
    else
        st->hub->streams = st->next;
    if (st->next)
        st->next->prev = st->prev;
    __atomic_store_n(&st->hub->nstreams, st->hub->nstreams - 1, __ATOMIC_RELAXED);
    hub_leave(st->hub);
    figure_add(&c->server->figures.streams, -1);
    if (st->closed)
        st->closed(st->user);
    mem_free(st);
}

void stream_beat(struct wire *c, int64_t now)
{
    if (c->stream->still && !c->stream->still(c->stream->user)) {
        wire_close(c);
        return;
    }
    /* D12: limited lifetime; an event that is being written is completed first. */
    if (now > c->stream->ends_us && uv_stream_get_write_queue_size(&c->h.stream) == 0) {
        figure_add(&c->server->figures.stream_aged, 1);
        wire_close(c);
        return;
    }
    if (now - c->stream->beat_us < c->server->limits.beat_ms * 1000)
        return;
    c->stream->beat_us = now;
    if (uv_stream_get_write_queue_size(&c->h.stream) == 0)
        wire_send(c, ":\n\n", 3);
}
