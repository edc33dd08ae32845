/* Event streams: hubs, who listens to them, and how an event reaches a client. See sse.h. */
#include <pthread.h>
#include <string.h>

#include "base/env.h"
#include "base/mem.h"
#include "base/str.h"
#include "http/wire.h"

enum {
    ABOUT_MAX = 256,
    PENDING_MAX = 65536, /* events the loop has not seen: more, and everybody starts again */
};

/* Formatted once. Counted by the loop only: it is made by the sender, then belongs to the loop. */
struct event {
    struct event *next;
    int64_t at;
    int refs;
    size_t about_size, n;
    unsigned char about[ABOUT_MAX];
    char text[];
};

struct http_hub {
    pthread_mutex_t lock; /* guards first, last, pending, sent, skipped, live, reset, server */
    struct event *first, *last;
    size_t pending;
    int64_t sent;    /* position of the last event sent, or of what was skipped since */
    int64_t skipped; /* up to here nobody was given anything */
    size_t live;     /* streams that get what is sent */
    bool reset;      /* every stream is to end */
    struct http_server *server;
    int64_t at; /* loop only: what live streams have been given */
    struct stream *streams;
    size_t nstreams;
};

struct stream {
    struct stream *prev, *next;
    struct wire *wire;
    struct http_hub *hub;
    bool (*wants)(void *user, const void *about, size_t about_size);
    void (*closed)(void *user);
    void *user;
    int64_t at, beat_us, ends_us;
};

struct http_hub *http_hub_create(int64_t at)
{
    struct http_hub *h = mem_zalloc(sizeof *h);

    pthread_mutex_init(&h->lock, NULL);
    h->at = h->sent = at;
    return h;
}

static void free_events(struct event *e)
{
    while (e) {
        struct event *next = e->next;

        mem_free(e);
        e = next;
    }
}

void http_hub_destroy(struct http_hub *h)
{
    if (!h)
        return;
    free_events(h->first);
    pthread_mutex_destroy(&h->lock);
    mem_free(h);
}

/* ---- sending ---- */

static void format(struct buf *b, const struct http_event *e)
{
    if (e->at && e->id)
        buf_printf(b, "id: %s\n", e->id);
    if (e->name)
        buf_printf(b, "event: %s\n", e->name);
    buf_puts(b, "data: ");
    buf_put_str(b, e->data);
    buf_puts(b, "\n\n");
}

void http_sse_write(struct http_res *res, const struct http_event *e)
{
    format(&res->out, e);
}

void http_hub_send(struct http_hub *h, const struct http_event *in)
{
    struct http_server *server;
    struct event *e;
    struct buf b;

    buf_init(&b, in->data.n + 1024);
    format(&b, in);
    e = mem_alloc(sizeof *e + b.n);
    *e = (struct event){ .at = in->at, .refs = 1, .n = b.n };
    memcpy(e->text, b.p, b.n);
    buf_finish(&b);
    if (in->about && in->about_size <= ABOUT_MAX) {
        e->about_size = in->about_size;
        memcpy(e->about, in->about, in->about_size);
    }
    pthread_mutex_lock(&h->lock);
    if (e->at)
        h->sent = e->at;
    server = h->server;
    if (server && h->pending < PENDING_MAX) {
        if (h->last)
            h->last->next = e;
        else
            h->first = e;
        h->last = e;
        h->pending++;
        e = NULL;
    } else if (server) {
        h->reset = true;
    }
    if (server)
        server_wake(server);
    pthread_mutex_unlock(&h->lock);
    mem_free(e); /* nobody listens: it is in the past already */
}

bool http_hub_skip(struct http_hub *h, int64_t at)
{
    bool skip;

    pthread_mutex_lock(&h->lock);
    skip = !h->live;
    if (skip)
        h->sent = h->skipped = at;
    pthread_mutex_unlock(&h->lock);
    return skip;
}

bool http_hub_heard(struct http_hub *h)
{
    bool heard;

    pthread_mutex_lock(&h->lock);
    heard = h->live > 0;
    pthread_mutex_unlock(&h->lock);
    return heard;
}

void http_hub_close_all(struct http_hub *h)
{
    pthread_mutex_lock(&h->lock);
    h->reset = true;
    if (h->server)
        server_wake(h->server);
    pthread_mutex_unlock(&h->lock);
}

size_t http_hub_streams(struct http_hub *h)
{
    return __atomic_load_n(&h->nstreams, __ATOMIC_RELAXED);
}

int64_t http_hub_at(struct http_hub *h)
{
    int64_t at;

    pthread_mutex_lock(&h->lock);
    at = h->sent;
    pthread_mutex_unlock(&h->lock);
    return at;
}

void http_sse(struct http_res *res, const struct http_sse *how)
{
    http_text(res, 200, "text/event-stream; charset=utf-8");
    res->events = true;
    res->sse = *how;
}

/* ---- to one client ---- */

struct sending {
    uv_write_t req;
    struct event *e;
};

static void unref(struct event *e)
{
    if (--e->refs == 0)
        mem_free(e);
}

static void on_sent(uv_write_t *req, int status)
{
    struct sending *s = req->data;
    struct wire *c = req->handle->data;

    unref(s->e);
    mem_free(s);
    if (status < 0)
        wire_close(c);
    else if (uv_stream_get_write_queue_size(&c->h.stream) == 0)
        c->until_us = 0;
}

/* A client that does not keep up is closed: it comes back with Last-Event-ID and misses nothing. */
static void give(struct wire *c, struct event *e)
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
        unref(e);
        mem_free(sending);
        wire_close(c);
        return;
    }
    if (!c->until_us) {
        c->queued = uv_stream_get_write_queue_size(&c->h.stream);
        c->until_us = mono_us() + s->limits.write_ms * 1000;
    }
}

/* ---- on the loop ---- */

static struct event *take_pending(struct http_hub *h, bool *reset, int64_t *skipped)
{
    struct event *e;

    pthread_mutex_lock(&h->lock);
    e = h->first;
    h->first = h->last = NULL;
    h->pending = 0;
    *reset = h->reset;
    *skipped = h->skipped;
    h->reset = false;
    pthread_mutex_unlock(&h->lock);
    return e;
}

static void deliver(struct http_hub *h)
{
    bool reset;
    int64_t skipped;
    struct event *e = take_pending(h, &reset, &skipped), *next_event;
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
        unref(e);
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
    for (size_t i = 0; i < s->nhubs; i++) {
        pthread_mutex_lock(&s->hubs[i]->lock);
        s->hubs[i]->server = NULL;
        pthread_mutex_unlock(&s->hubs[i]->lock);
    }
}

/* From now on what is sent to this hub wakes this server. */
static bool attach(struct http_hub *h, struct http_server *s)
{
    if (h->server == s)
        return true;
    if (s->nhubs == sizeof s->hubs / sizeof *s->hubs)
        return false;
    pthread_mutex_lock(&h->lock);
    h->server = s;
    h->at = h->sent;
    pthread_mutex_unlock(&h->lock);
    s->hubs[s->nhubs++] = h;
    return true;
}

/* From now on it gets what is sent; false when something was skipped that it has not seen. */
static bool join(struct http_hub *h, int64_t at)
{
    bool joined;

    pthread_mutex_lock(&h->lock);
    joined = h->skipped <= at;
    h->live += joined;
    pthread_mutex_unlock(&h->lock);
    return joined;
}

static void leave(struct http_hub *h)
{
    pthread_mutex_lock(&h->lock);
    h->live--;
    pthread_mutex_unlock(&h->lock);
}

/* Not all of those who came together come back together. */
static int64_t end_of_life(const struct http_server *s)
{
    int64_t most = s->limits.stream_ms * 1000;

    return mono_us() + most - s->figures.streams % 64 * (most / 640);
}

static void go_live(struct wire *c)
{
    struct http_sse *how = &c->call->x->res.sse;
    struct stream *st = mem_zalloc(sizeof *st);

    *st = (struct stream){ .wire = c,
                           .hub = how->hub,
                           .wants = how->wants,
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
    c->call->x->res.events = false; /* its user is ours now */
    c->stream = st;
    c->state = WIRE_EVENTS;
    call_finish(c->call);
    buf_finish(&c->in);
    buf_init(&c->in, PARSE_HEAD_MAX);
    wire_read(c, true);
}

void stream_step(struct wire *c)
{
    struct http_sse *how = &c->call->x->res.sse;

    if (c->server->draining || !attach(how->hub, c->server)) {
        wire_close(c);
        return;
    }
    deliver(how->hub);
    if (how->replay && (how->at < how->hub->at || !join(how->hub, how->at))) {
        c->state = WIRE_WORK;
        call_submit(c->call, EXCHANGE_REPLAY);
        return;
    }
    if (!how->replay)
        (void)join(how->hub, INT64_MAX);
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
    leave(st->hub);
    figure_add(&c->server->figures.streams, -1);
    if (st->closed)
        st->closed(st->user);
    mem_free(st);
}

void stream_beat(struct wire *c, int64_t now)
{
    /* D12: none lives for ever; who is in the middle of an event may finish it. */
    if (now > c->stream->ends_us && uv_stream_get_write_queue_size(&c->h.stream) == 0) {
        figure_add(&c->server->figures.stream_aged, 1);
        wire_close(c);
        return;
    }
    if (now - c->stream->beat_us < c->server->limits.beat_ms * 1000)
        return;
    c->stream->beat_us = now;
    if (uv_stream_get_write_queue_size(&c->h.stream) == 0)
        write_bytes(c, ":\n\n", 3);
}
