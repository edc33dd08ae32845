/* Internals of the server: connections, and the HTTP job each one is working on. Only the loop
 * thread may touch them, except for an exchange while one of its steps runs on a worker. */
#ifndef HTTP_SERVER_WIRE_H
#define HTTP_SERVER_WIRE_H

#include <uv.h>

#include "base/memory/map.h"
#include "http/exchange.h"
#include "http/server/server.h"
#include "http/server/workers.h"

enum {
    READ_SIZE = 64 * 1024,  /* bytes per read; all connections share one buffer */
    GIVEN_SIZE = 16 * 1024, /* bytes of flows that are sent together; one buffer for all */
    AHEAD_MAX = 64 * 1024,  /* pipelined bytes buffered while an answer is sent */
    /* Bytes of a body buffered when it arrives faster than it is stored. */
    PIECES_MAX = 256 * 1024,
    LINGER_MS = 1000,         /* how long to read from a client after its last answer */
    LINGER_BYTES = 512 * 1024 /* and how many bytes */
};

enum wire_state {
    WIRE_IDLE,    /* between requests */
    WIRE_HEAD,    /* part of a head has arrived */
    WIRE_GATE,    /* the gate is running; the body is not read yet */
    WIRE_BODY,    /* reading the body */
    WIRE_WORK,    /* a step runs on a worker; a body in pieces keeps arriving */
    WIRE_WRITE,   /* sending the answer */
    WIRE_LATER,   /* the answer continues after later_ms */
    WIRE_EVENTS,  /* an event stream */
    WIRE_FLOW,    /* an answer that comes from another connection; see http/flow.h */
    WIRE_LINGER,  /* sent the last answer: reading and discarding what still arrives */
    WIRE_CLOSING, /* waiting for libuv to close the handle */
};

/* An HTTP job: one request being processed. Lives in its exchange's arena. */
struct http_job {
    struct work work; /* must be first */
    struct exchange *x;
    struct wire *wire; /* NULL: the client is gone */
    struct http_server *server;
    enum exchange_step step;
    bool body_over, chunked_out, has_body, close, counted;
    int busy; /* steps on workers and writes in progress; the job must not be destroyed before 0 */
    uv_write_t write;
    char size_line[24];
    size_t held;                /* memory for its body, counted in http_server.held */
    int64_t left;               /* bytes left of a body with Content-Length */
    struct parse_chunks chunks; /* of a chunked body */
    struct buf pending;         /* body bytes for the next piece */
    struct buf head;            /* of the answer */
    int64_t began_us, later_us;
    struct http_flow *flow; /* set in WIRE_FLOW, until the end of the job */
};

struct stream; /* stream.c */

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
    struct buf in; /* received bytes that are not parsed yet */
    struct parse_scan scan;
    struct http_job *job;  /* the HTTP job in progress, or NULL */
    struct stream *stream; /* set in WIRE_EVENTS */
    int64_t until_us;      /* deadline; meaning depends on the state; 0: none */
    size_t queued;         /* bytes in the write queue at the last check */
    size_t heard;          /* WIRE_LINGER: bytes discarded; WIRE_BODY: bytes of the body */
    int64_t body_us;       /* when the body began to arrive */
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
    char path[108]; /* socket file to remove on close; "" if none */
};

struct http_server {
    const struct http_app *app;
    const struct wire_events *on; /* events of its connections */
    struct http_limits limits;
    uv_loop_t loop;
    uv_async_t wake;
    uv_timer_t tick;
    uv_timer_t kick;    /* runs while work is out; see workers.h */
    uv_prepare_t flush; /* before the loop sleeps: send `given`, submit `gathered` to the workers */
    struct work_list gathered;
    int out;                  /* work gathered, queued, running, or done and not fetched */
    int bound;                /* of it, what the queue limit counts: all but the work of flows */
    int out_of[WORK_CALLERS]; /* the same for each caller */
    size_t held;              /* memory for the bodies of all jobs, parsed ones included */
    int tcp;                  /* connections that are not of the Unix socket */
    uv_thread_t thread;
    struct workers *workers;
    struct listener *listeners;
    size_t nlisteners;
    struct wire *wires;
    struct smap peers; /* peer address -> number of connections */
    struct parse_head head;
    char read_buf[READ_SIZE];
    struct http_flow *giving; /* whose bytes are in `given`; NULL: none */
    size_t ngiven;
    char given[GIVEN_SIZE]; /* sent together before the loop sleeps; see flow.c */
    int jobs;               /* HTTP jobs that are not destroyed yet */
    struct http_hub *hubs[4];
    size_t nhubs;
    bool stop_wanted; /* atomic */
    bool draining;    /* atomic: other threads read it */
    bool closed, joined;
    int64_t ticked_us; /* atomic */
    int64_t drain_until_us;
    struct http_figures figures; /* written by the loop only, read by any thread: relaxed atomics */
};

static inline void figure_add(int64_t *f, int64_t n)
{
    __atomic_store_n(f, *f + n, __ATOMIC_RELAXED);
}

/* ---- wire.c: bytes on a connection ---- */

/* What a connection reports to the layer above it. The server sets the table once, so that wire.c
 * and write.c need not know who handles their events. */
struct wire_events {
    void (*bytes)(struct wire *c);         /* bytes were added to c->in */
    void (*written)(struct http_job *job); /* everything given to write.c is sent */
    /* The connection takes no more requests: drop its job and its event stream. May come twice. */
    void (*end)(struct wire *c);
};

void wire_accept(struct listener *l);
void wire_close(struct wire *c); /* at once; cancels the HTTP job */
/* Close after the client has read the answer; see wire.c. */
void wire_linger(struct wire *c);
void wire_read(struct wire *c, bool on); /* start or stop reading (backpressure) */
/* Send a copy of the bytes. Not an answer: no event follows. */
void wire_send(struct wire *c, const char *p, size_t n);
/* Answer bytes that are not a valid request, then linger. */
void wire_bad(struct wire *c, const struct parse_error *bad);

/* ---- write.c: answers ---- */

void write_answer(struct wire *c); /* send head and first piece */
void write_more(struct wire *c);   /* send what a pull produced */

/* ---- job.c ---- */

struct http_job *job_create(struct wire *c, struct exchange *x); /* becomes c->job */
/* Give the next step to a worker. Not bounded by the queue limit. */
void job_submit(struct http_job *job, enum exchange_step step);
/* Does the queue limit count its step? Not the work of a flow: each has one step at most, and many
 * that wait for a slow store must not keep other requests out. */
bool job_is_bound(const struct http_job *job);
/* The same for a first step: false when the queue is full. */
bool job_try_submit(struct http_job *job, enum exchange_step step);
void job_abandon(struct http_job *job); /* the client is gone: cancel, and destroy once idle */
void job_finish(struct http_job *job);  /* the answer is sent or not wanted; destroys the job */

/* ---- stream.c ---- */

void stream_step(struct wire *c);              /* replay past events, or go live */
void stream_close(struct wire *c);             /* the connection ends */
void stream_beat(struct wire *c, int64_t now); /* keep-alive comment, and end of life */
void hubs_deliver(struct http_server *s);      /* send pending events to the streams */
/* The server ends: hubs must not wake it any more. */
void hubs_detach(struct http_server *s);

/* ---- flow.c ---- */

void flow_start(struct wire *c);        /* the handler has answered with a flow */
void flow_worked(struct http_job *job); /* a worker has finished its step */
void flow_left(struct http_job *job);   /* the client is gone */
void flow_flush(struct http_server *s); /* send `given` */

/* ---- http1.c ---- */

extern const struct wire_events http1_events;
void http1_done(struct http_job *job); /* a worker has finished a step */
void http1_later(struct wire *c);      /* WIRE_LATER: pull again if later_ms has passed */

/* ---- listen.c ---- */

/* On failure the listener may hold a handle: call listen_close() on it. */
enum bough_rc listen_open(struct http_server *s, struct listener *l, const struct http_listen *how,
                          struct bough_error *err);
void listen_close(struct listener *l);

#endif
