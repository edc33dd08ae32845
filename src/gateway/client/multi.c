/* libcurl's multi interface on libuv: sockets, timers, transfers. */
#include "gateway/client/multi.h"

#include <string.h>
#include <uv.h>

#include "base/env.h"
#include "base/memory/buf.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

enum {
    TICK_MS = 20,
    POOLED = 256,           /* idle connections */
    STREAMS = 32,           /* of HTTP/2, on one connection */
    HEAD_MOST = 256 * 1024, /* bytes of an answer's head */
};

struct multi {
    CURLM *curl;
    uv_loop_t *loop;
    uv_timer_t timer, tick;
    struct ticking *ticking;
    struct transfer *cancelled; /* removed when libcurl is not running */
    int inside;                 /* callbacks of libcurl that are running */
};

struct transfer {
    struct multi *multi;
    struct easy easy;
    const struct transfer_events *on; /* NULL: cancelled */
    void *user;
    struct buf head;
    bool headed, redialled;
    struct transfer *next; /* in multi.cancelled */
};

/* ---- transfers ---- */

static void destroy(struct transfer *t)
{
    curl_multi_remove_handle(t->multi->curl, t->easy.curl);
    easy_finish(&t->easy);
    buf_finish(&t->head);
    mem_free(t);
}

/* Only when no callback of libcurl is running. */
static void destroy_cancelled(struct multi *m)
{
    while (m->cancelled && !m->inside) {
        struct transfer *t = m->cancelled;

        m->cancelled = t->next;
        destroy(t);
    }
}

/* A line of the head; the blank one ends it. Heads of 1xx answers are skipped, and so are the
 * fields behind a body. */
static size_t on_header(char *p, size_t size, size_t n, void *user)
{
    struct transfer *t = user;
    long status = 0;

    n *= size;
    if (t->headed || !t->on)
        return n;
    if (n > 5 && memcmp(p, "HTTP/", 5) == 0) {
        buf_reset(&t->head);
        return n;
    }
    if (n > 2 || (n && *p != '\r' && *p != '\n')) {
        buf_put(&t->head, p, n);
        return t->head.over ? 0 : n;
    }
    curl_easy_getinfo(t->easy.curl, CURLINFO_RESPONSE_CODE, &status);
    if (status < 200)
        return n;
    t->headed = true;
    t->multi->inside++;
    t->on->head(t->user, (int)status, buf_str(&t->head));
    t->multi->inside--;
    return n;
}

static size_t on_bytes(char *p, size_t size, size_t n, void *user)
{
    struct transfer *t = user;
    bool taken;

    if (!t->on)
        return 0;
    t->multi->inside++;
    taken = t->on->bytes(t->user, p, size * n);
    t->multi->inside--;
    return !t->on ? 0 : taken ? size * n : CURL_WRITEFUNC_PAUSE;
}

struct transfer *transfer_start(struct multi *m, const struct easy_options *how,
                                const struct transfer_events *on, void *user)
{
    struct transfer *t = mem_zalloc(sizeof *t);

    t->multi = m;
    t->on = on;
    t->user = user;
    buf_init(&t->head, HEAD_MOST);
    if (!easy_init(&t->easy, how)) {
        buf_finish(&t->head);
        mem_free(t);
        return NULL;
    }
    curl_easy_setopt(t->easy.curl, CURLOPT_PRIVATE, t);
    curl_easy_setopt(t->easy.curl, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(t->easy.curl, CURLOPT_HEADERDATA, t);
    curl_easy_setopt(t->easy.curl, CURLOPT_WRITEFUNCTION, on_bytes);
    curl_easy_setopt(t->easy.curl, CURLOPT_WRITEDATA, t);
    curl_multi_add_handle(m->curl, t->easy.curl);
    return t;
}

void transfer_resume(struct transfer *t)
{
    (void)curl_easy_pause(t->easy.curl, CURLPAUSE_CONT);
}

void transfer_cancel(struct transfer *t)
{
    struct multi *m = t->multi;

    t->on = NULL;
    t->next = m->cancelled;
    m->cancelled = t;
    destroy_cancelled(m);
}

static enum transfer_how how_of(const struct transfer *t, CURLcode code)
{
    switch (code) {
    case CURLE_OK:
        return TRANSFER_DONE;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_CONNECT:
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_URL_MALFORMAT:
        return t->easy.kept_out ? TRANSFER_NOT_ALLOWED : TRANSFER_NOT_SENT;
    case CURLE_OPERATION_TIMEDOUT: {
        curl_off_t connected = 0;

        curl_easy_getinfo(t->easy.curl, CURLINFO_PRETRANSFER_TIME_T, &connected);
        return connected ? TRANSFER_SLOW : TRANSFER_NOT_SENT;
    }
    default:
        return TRANSFER_CUT;
    }
}

/* A pooled connection can have died unnoticed. libcurl dials again by itself if reading fails, but
 * not if sending does; a request of which no answer has begun is sent once more, on a new one. */
static bool redial(struct transfer *t, CURLcode code)
{
    long dialled = 1, answered = 0;

    if (t->redialled || !t->on ||
        (code != CURLE_SEND_ERROR && code != CURLE_RECV_ERROR && code != CURLE_GOT_NOTHING))
        return false;
    curl_easy_getinfo(t->easy.curl, CURLINFO_NUM_CONNECTS, &dialled);
    curl_easy_getinfo(t->easy.curl, CURLINFO_HEADER_SIZE, &answered);
    if (dialled || answered)
        return false;
    t->redialled = true;
    curl_multi_remove_handle(t->multi->curl, t->easy.curl);
    curl_easy_setopt(t->easy.curl, CURLOPT_FRESH_CONNECT, 1L);
    return curl_multi_add_handle(t->multi->curl, t->easy.curl) == CURLM_OK;
}

static void fetch_done(struct multi *m)
{
    CURLMsg *msg;
    int left;

    destroy_cancelled(m);
    while ((msg = curl_multi_info_read(m->curl, &left))) {
        CURLcode code = msg->data.result;
        const struct transfer_events *on;
        enum transfer_how how;
        struct transfer *t;
        const char *why;
        void *user;

        if (msg->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, &t);
        if (redial(t, code))
            continue;
        on = t->on;
        user = t->user;
        how = how_of(t, code);
        why = easy_why(&t->easy, code);
        if (on) { /* a cancelled one is in the list */
            destroy(t);
            on->done(user, how, why);
        }
        destroy_cancelled(m);
    }
}

/* ---- sockets and timers ---- */

struct watch {
    uv_poll_t poll;
    struct multi *multi;
    curl_socket_t fd;
};

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct watch *w = poll->data;
    struct multi *m = w->multi;
    int what = status < 0 ? CURL_CSELECT_ERR : 0, running;

    if (events & UV_READABLE)
        what |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        what |= CURL_CSELECT_OUT;
    curl_multi_socket_action(m->curl, w->fd, what, &running);
    fetch_done(m);
}

static void on_closed(uv_handle_t *h)
{
    mem_free(h->data);
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *user, void *socket)
{
    struct multi *m = user;
    struct watch *w = socket;
    int events = (what & CURL_POLL_IN ? UV_READABLE : 0) | (what & CURL_POLL_OUT ? UV_WRITABLE : 0);

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (w)
            uv_close((uv_handle_t *)&w->poll, on_closed);
        curl_multi_assign(m->curl, fd, NULL);
        return 0;
    }
    if (!w) {
        w = mem_zalloc(sizeof *w);
        w->multi = m;
        w->fd = fd;
        w->poll.data = w;
        if (uv_poll_init_socket(m->loop, &w->poll, fd) != 0) {
            mem_free(w);
            return -1;
        }
        curl_multi_assign(m->curl, fd, w);
    }
    return uv_poll_start(&w->poll, events, on_poll);
}

static void on_timer(uv_timer_t *timer)
{
    struct multi *m = timer->data;
    int running;

    curl_multi_socket_action(m->curl, CURL_SOCKET_TIMEOUT, 0, &running);
    fetch_done(m);
}

static int on_timeout(CURLM *curl, long ms, void *user)
{
    struct multi *m = user;

    (void)curl;
    if (ms < 0)
        uv_timer_stop(&m->timer);
    else
        (void)uv_timer_start(&m->timer, on_timer, (uint64_t)ms, 0);
    return 0;
}

/* ---- ticks ---- */

static void on_tick(uv_timer_t *timer)
{
    struct multi *m = timer->data;
    int64_t now = mono_us();
    struct ticking *t, *next;

    for (t = m->ticking; t; t = next) {
        next = t->next;
        t->tick(t, now);
    }
    destroy_cancelled(m);
}

void multi_tick(struct multi *m, struct ticking *t)
{
    if (!m->ticking)
        (void)uv_timer_start(&m->tick, on_tick, TICK_MS, TICK_MS);
    t->prev = NULL;
    t->next = m->ticking;
    if (t->next)
        t->next->prev = t;
    m->ticking = t;
}

void multi_untick(struct multi *m, struct ticking *t)
{
    if (t->prev)
        t->prev->next = t->next;
    else
        m->ticking = t->next;
    if (t->next)
        t->next->prev = t->prev;
    if (!m->ticking)
        uv_timer_stop(&m->tick);
}

/* ---- beginning and end ---- */

struct multi *multi_create(struct uv_loop_s *loop)
{
    struct multi *m = mem_zalloc(sizeof *m);

    m->loop = loop;
    m->curl = curl_multi_init();
    (void)uv_timer_init(loop, &m->timer);
    (void)uv_timer_init(loop, &m->tick);
    m->timer.data = m->tick.data = m;
    curl_multi_setopt(m->curl, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(m->curl, CURLMOPT_SOCKETDATA, m);
    curl_multi_setopt(m->curl, CURLMOPT_TIMERFUNCTION, on_timeout);
    curl_multi_setopt(m->curl, CURLMOPT_TIMERDATA, m);
    curl_multi_setopt(m->curl, CURLMOPT_PIPELINING, (long)CURLPIPE_MULTIPLEX);
    curl_multi_setopt(m->curl, CURLMOPT_MAX_CONCURRENT_STREAMS, (long)STREAMS);
    curl_multi_setopt(m->curl, CURLMOPT_MAXCONNECTS, (long)POOLED);
    return m;
}

void multi_destroy(struct multi *m)
{
    if (!m)
        return;
    curl_multi_setopt(m->curl, CURLMOPT_SOCKETFUNCTION, NULL);
    curl_multi_setopt(m->curl, CURLMOPT_TIMERFUNCTION, NULL);
    curl_multi_cleanup(m->curl);
    mem_free(m);
}
