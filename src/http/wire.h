/*
 * Inside the server: connections and what they are in the middle of. Everything here belongs to the
 * loop thread, except an exchange while one of its steps is on a worker.
 */
#ifndef HTTP_WIRE_H
#define HTTP_WIRE_H

#include <uv.h>

#include "base/map.h"
#include "http/exchange.h"
#include "http/server.h"
#include "http/workers.h"

enum {
    READ_SIZE = 64 * 1024,    /* what one read takes; one buffer for all connections */
    AHEAD_MAX = 64 * 1024,    /* pipelined bytes kept while an answer is on its way */
    PIECES_MAX = 256 * 1024,  /* of a body that arrives faster than it is stored */
    LINGER_MS = 1000,         /* how long a refused client may finish talking */
    LINGER_BYTES = 512 * 1024 /* and how much it may say */
};

enum wire_state {
    WIRE_IDLE,    /* between requests */
    WIRE_HEAD,    /* a head has begun */
    WIRE_GATE,    /* who is it? Its body waits */
    WIRE_BODY,    /* reading it */
    WIRE_WORK,    /* a worker has it; for pieces: the body goes on arriving */
    WIRE_WRITE,   /* the answer is on its way */
    WIRE_LATER,   /* the answer goes on after a while */
    WIRE_EVENTS,  /* an event stream */
    WIRE_LINGER,  /* answered for the last time: reading what it still says */
    WIRE_CLOSING, /* libuv will tell when it is gone */
};

/* A request being served; lives in its exchange's arena. */
struct call {
    struct work work; /* first */
    struct exchange *x;
    struct wire *wire; /* NULL: the client is gone */
    struct http_server *server;
    enum exchange_step step;
    bool body_over, chunked_out, has_body, close, counted;
    int busy; /* steps on workers and writes under way: until 0 it must not go */
    uv_write_t write;
    char size_line[24];
    int64_t left;               /* of a body with a length */
    struct parse_chunks chunks; /* of one without */
    struct buf pending;         /* body not yet given to a piece */
    struct buf head;            /* of the answer */
    int64_t began_us, later_us;
};

struct stream; /* sse.c */

struct wire {
    struct wire *prev, *next;
    struct http_server *server;
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } h;
    enum http_via via;
    bool reading, counted, advancing, again;
    unsigned char state; /* enum wire_state */
    char peer[46];
    struct buf in; /* bytes that were not understood yet */
    struct parse_scan scan;
    struct call *call;     /* while a request is served */
    struct stream *stream; /* WIRE_EVENTS */
    int64_t until_us;      /* gone when nothing happens until then; 0: no limit */
    size_t queued;         /* bytes in the write queue when last looked at */
    size_t heard;          /* WIRE_LINGER: bytes read since; WIRE_BODY: bytes of the body */
    int64_t body_us;       /* when the body began */
};

struct listener {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_tcp_t tcp;
        uv_pipe_t pipe;
    } h;
    struct http_server *server;
    enum http_via via;
    int port;
    char path[108]; /* to remove when it ends */
};

struct http_server {
    const struct http_app *app;
    struct http_limits limits;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t tick;
    uv_timer_t kick;    /* while anything is with the workers; see workers.h */
    uv_prepare_t flush; /* before the loop sleeps: what was gathered goes to the workers */
    struct work_list gathered;
    int out; /* gathered, waiting, running, or done and not fetched */
    uv_thread_t thread;
    struct workers *workers;
    struct listener *listeners;
    size_t nlisteners;
    struct wire *wires;
    struct smap peers; /* how many connections of an address */
    struct parse_head head;
    char read_buf[READ_SIZE];
    int calls; /* requests whose exchange is not destroyed yet */
    struct http_hub *hubs[4];
    size_t nhubs;
    bool stop_wanted; /* atomic */
    bool draining;    /* atomic for readers outside */
    bool closed, joined;
    int64_t ticked_us; /* atomic */
    int64_t drain_until_us;
    struct http_figures figures; /* written by the loop only, read anywhere: atomic, relaxed */
};

static inline void figure_add(int64_t *f, int64_t n)
{
    __atomic_store_n(f, *f + n, __ATOMIC_RELAXED);
}

/* ---- wire.c ---- */

void wire_accept(struct listener *l);
void wire_advance(struct wire *c);       /* go on with what is in c->in */
void wire_close(struct wire *c);         /* at once; what it was doing is cancelled */
void wire_linger(struct wire *c);        /* say goodbye, then close */
void wire_read(struct wire *c, bool on); /* backpressure */
void wire_next(struct wire *c);          /* the answer is out: the next request, or goodbye */
void wire_bad(struct wire *c, const struct parse_error *bad);

/* ---- call.c ---- */

void call_begin(struct wire *c, struct exchange *x); /* a head was read */
void call_body(struct wire *c);                      /* more of the body is in c->in */
void call_done(struct call *call);                   /* a worker has finished a step */
void call_submit(struct call *call, enum exchange_step step);
void call_abandon(struct call *call); /* the client is gone */
void call_later(struct wire *c);      /* its time has come */
void call_finish(struct call *call);  /* answered; see call.c */

/* ---- write.c ---- */

void write_answer(struct wire *c);   /* head and first piece */
void write_more(struct wire *c);     /* what a pull gave */
void write_continue(struct wire *c); /* 100 */
/* Copied, nobody waits for it. */
void write_bytes(struct wire *c, const char *p, size_t n);

/* ---- sse.c ---- */

void stream_step(struct wire *c);                    /* replay, or go live */
void stream_close(struct wire *c);                   /* the connection ends */
void stream_beat(struct wire *c, int64_t now);       /* a comment when it was quiet for long */
void hubs_deliver(struct http_server *s);            /* what was sent since */
void hubs_detach(struct http_server *s);             /* the server ends: senders let go of it */
bool server_submit(struct call *call, bool bounded); /* to a worker, at its pace */
void server_wake(struct http_server *s);             /* any thread */

/* ---- listen.c ---- */

enum bough_rc listen_open(struct http_server *s, struct listener *l, const struct http_listen *how,
                          struct bough_error *err);
void listen_close(struct listener *l);

#endif
