/*
 * The HTTP server on sockets: one loop thread for all sockets, and a pool of workers.
 *
 * Its files, from top to bottom. Each one calls only files below it:
 *
 *   server.c     start and stop, the loop, deadlines, draining
 *   listen.c     listening sockets; accepted connections go to wire.c
 *   http1.c      HTTP/1.1: which request, body or answer comes next on a connection
 *   stream.c     connections that are event streams
 *   flow.c       answers that come from another connection
 *   job.c        one request: its steps on workers, its end
 *   write.c      sends the pieces of an answer
 *   wire.c       a connection: accept, read, send, close
 *   workers.c    the pool of threads
 *
 * Calls from below to above go through tables. The loop calls wire.c and write.c when a socket is
 * ready. They report it through `struct wire_events`: bytes have arrived, an answer is written, the
 * connection ends. http1.c is that table. Workers wake the loop, and the loop fetches their
 * finished work. A hub (http/sse.h) wakes the loop, and the loop delivers its events.
 */
#ifndef HTTP_SERVER_SERVER_H
#define HTTP_SERVER_SERVER_H

#include "http/http.h"

/* A field that is 0 means the default, which is the first value in its comment. Times in ms. */
struct http_limits {
    int64_t head_ms;    /* 10 s: from the first byte of a head to its last */
    int64_t body_ms;    /* 10 s of grace, then a body must arrive at 16 KB/s on average, else 408 */
    int64_t idle_ms;    /* 60 s between requests, then the connection is closed */
    int64_t write_ms;   /* 30 s without the client reading a byte, then it is closed */
    int64_t request_ms; /* 120 s for a handler, then its store calls are cancelled */
    int64_t drain_ms;   /* 10 s to finish running requests after http_server_stop() */
    int64_t beat_ms;    /* 15 s between keep-alive comments on quiet event streams */
    int64_t stream_ms;  /* 1 h, then an event stream is closed and its client reconnects */
    int connections;    /* 10000 at a time; the Unix socket has 64 more */
    int per_peer;       /* 256 per address; Unix socket and loopback addresses are not limited */
    int64_t body_memory; /* 1 GB: for the bodies of all requests, and what they become when parsed;
                            further ones get 503 */
    int workers; /* 32: writers wait for the disk together, so many threads share one sync */
    int queue;   /* 256 requests waiting for a worker; further ones get 503. One caller has at
                    most three quarters of the queue and of the workers */
    size_t write_queue; /* 1 MB per connection; an event stream that exceeds it is closed */
};

struct http_listen {
    const char *host; /* "127.0.0.1", "::1"; NULL: use `path` */
    int port;         /* 0: any free port; see http_server_port() */
    /* Unix socket, created with mode 0600; NULL: use `fd`. A stale one is replaced. */
    const char *path;
    int fd; /* a socket that is already bound (socket activation) */
};

struct http_server;

/* Bind and start the threads. `app` is borrowed, the rest is copied. On failure *out is untouched
 * and nothing is served. BOUGH_BUSY: port in use. BOUGH_EXISTS: another server uses the path. */
BOUGH_MUST_CHECK enum bough_rc http_server_start(struct http_server **out,
                                                 const struct http_app *app,
                                                 const struct http_listen *where, size_t n,
                                                 const struct http_limits *limits,
                                                 struct bough_error *err);
int http_server_port(const struct http_server *s, size_t i); /* of where[i]; 0 for a Unix socket */

/* Stop listening, let running requests finish for at most drain_ms, then close. Returns at once.
 * May be called from any thread and from a signal handler. */
void http_server_stop(struct http_server *s);
/* Wait until the server has stopped. */
void http_server_join(struct http_server *s);
void http_server_destroy(struct http_server *s); /* stops and joins first; NULL is allowed */
bool http_server_draining(const struct http_server *s);

/* Time since the loop last ticked. It ticks every 100 ms, so more means that something blocks
 * it. */
int64_t http_server_quiet_ms(const struct http_server *s);

struct http_figures {
    /* refused_full: over `connections` or `per_peer`. */
    int64_t accepted, refused_full, connections;
    int64_t requests, bad_requests, overloaded, cancelled, timed_out;
    int64_t status[6]; /* by class: status[2] is 2xx */
    int64_t bytes_in, bytes_out;
    int64_t waiting, running; /* requests in the queue, and on workers */
    int64_t streams, stream_events, stream_dropped, stream_aged;
    int64_t worker_us; /* time spent in steps on workers */
};

/* Read all counters. Any thread; the counters are read one by one, not as a snapshot. */
void http_server_figures(const struct http_server *s, struct http_figures *out);

#endif
