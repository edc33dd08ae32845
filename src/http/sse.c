/* Event hubs: events are formatted here and queued for the server's loop. See sse.h. */
#include "http/sse.h"

#include <string.h>

#include "base/memory/mem.h"
#include "base/text/str.h"
#include "http/exchange.h"
#include "http/hub.h"

/* Events not yet seen by the loop; beyond this all streams are reset. */
enum { PENDING_MAX = 65536 };

struct http_hub *http_hub_create(int64_t at)
{
    struct http_hub *h = mem_zalloc(sizeof *h);

    pthread_mutex_init(&h->lock, NULL);
    h->at = h->sent = at;
    return h;
}

static void free_events(struct hub_event *e)
{
    while (e) {
        struct hub_event *next = e->next;

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
    struct hub_event *e;
    struct buf b;

    buf_init(&b, in->data.n + 1024);
    format(&b, in);
    e = mem_alloc(sizeof *e + b.n);
    *e = (struct hub_event){ .at = in->at, .refs = 1, .n = b.n };
    memcpy(e->text, b.p, b.n);
    buf_finish(&b);
    if (in->about && in->about_size <= HUB_ABOUT_MAX) {
        e->about_size = in->about_size;
        memcpy(e->about, in->about, in->about_size);
    }
    pthread_mutex_lock(&h->lock);
    if (e->at)
        h->sent = e->at;
    if (h->server && h->pending < PENDING_MAX) {
        if (h->last)
            h->last->next = e;
        else
            h->first = e;
        h->last = e;
        h->pending++;
        e = NULL;
    } else if (h->server) {
        h->reset = true;
    }
    if (h->server)
        h->wake(h->server);
    pthread_mutex_unlock(&h->lock);
    mem_free(e); /* no server is attached: streams will replay it */
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
        h->wake(h->server);
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

/* ---- for the server's loop ---- */

void hub_attach(struct http_hub *h, void *server, void (*wake)(void *server))
{
    pthread_mutex_lock(&h->lock);
    h->server = server;
    h->wake = wake;
    if (server)
        h->at = h->sent;
    pthread_mutex_unlock(&h->lock);
}

struct hub_event *hub_take(struct http_hub *h, bool *reset, int64_t *skipped)
{
    struct hub_event *e;

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

void hub_unref(struct hub_event *e)
{
    if (--e->refs == 0)
        mem_free(e);
}

bool hub_join(struct http_hub *h, int64_t at)
{
    bool joined;

    pthread_mutex_lock(&h->lock);
    joined = h->skipped <= at;
    h->live += joined;
    pthread_mutex_unlock(&h->lock);
    return joined;
}

void hub_leave(struct http_hub *h)
{
    pthread_mutex_lock(&h->lock);
    h->live--;
    pthread_mutex_unlock(&h->lock);
}
