/* The server: sockets, deadlines, workers. One loop thread for all sockets, a few workers. */
#ifndef HTTP_SERVER_H
#define HTTP_SERVER_H

#include "http/http.h"

/* 0 means the value behind it. Times in milliseconds. */
struct http_limits {
    int64_t head_ms;    /* 10 s: from the first byte of a head to its last */
    int64_t body_ms;    /* 10 s without body_rate bytes a second on average: gone */
    int64_t idle_ms;    /* 60 s between requests */
    int64_t write_ms;   /* 30 s without the client taking a byte */
    int64_t request_ms; /* 120 s for a handler and its pulls */
    int64_t drain_ms;   /* 10 s to finish what is running when told to stop */
    int64_t beat_ms;    /* 15 s between comments on quiet event streams */
    int64_t stream_ms;  /* 1 h, then an event stream ends and its client comes back */
    int connections;    /* 10000 at a time */
    int per_peer;       /* 256 of one address; the Unix socket and loopback are not counted */
    int workers; /* 32: what writes waits for the disk, and shares its sync with the others */
    int queue;   /* 256 requests waiting for a worker; beyond: 503 */
    size_t write_queue; /* 1 MB a connection; an event stream over it is closed */
};

struct http_listen {
    const char *host; /* "127.0.0.1", "::1"; NULL: `path` */
    int port;         /* 0: any; see http_server_port */
    const char *path; /* Unix socket, made with mode 0600; replaced when nobody answers on it */
    int fd;           /* or one that is listening already (socket activation); -1: none */
};

struct http_server;

/* Bind and start the threads. Nothing is served when it fails. */
BOUGH_MUST_CHECK enum bough_rc http_server_start(struct http_server **out,
                                                 const struct http_app *app,
                                                 const struct http_listen *where, size_t n,
                                                 const struct http_limits *limits,
                                                 struct bough_error *err);
int http_server_port(const struct http_server *s, size_t i); /* of where[i] */

/* Stop listening, finish what is running for at most drain_ms, close. Any thread, also a signal
 * handler's; returns at once. */
void http_server_stop(struct http_server *s);
/* Wait until it has stopped. */
void http_server_join(struct http_server *s);
void http_server_destroy(struct http_server *s); /* stops and joins first; NULL is fine */
bool http_server_draining(const struct http_server *s);

/* How long ago its loop last came round: it does so every 100 ms, unless something holds it up. */
int64_t http_server_quiet_ms(const struct http_server *s);

struct http_figures {
    int64_t accepted, refused_full, connections; /* refused: over `connections` or `per_peer` */
    int64_t requests, bad_requests, overloaded, cancelled, timed_out;
    int64_t status[6]; /* by hundred: status[2] is 2xx */
    int64_t bytes_in, bytes_out;
    int64_t waiting, running; /* requests in the queue, on workers */
    int64_t streams, stream_events, stream_dropped, stream_aged;
    int64_t worker_us; /* time spent in handlers */
};

void http_server_figures(const struct http_server *s, struct http_figures *out);

#endif
