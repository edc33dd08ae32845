/* Inside a hub: what the server's event streams need of it. Handlers use sse.h. */
#ifndef HTTP_HUB_H
#define HTTP_HUB_H

#include <pthread.h>

#include "http/sse.h"

enum { HUB_ABOUT_MAX = 256 };

/* A formatted event. The sender creates it; then the loop owns it, so `refs` needs no lock. */
struct hub_event {
    struct hub_event *next;
    int64_t at;
    int refs;
    size_t about_size, n;
    unsigned char about[HUB_ABOUT_MAX];
    char text[];
};

struct stream; /* http/server/stream.c */

struct http_hub {
    pthread_mutex_t
        lock; /* guards first, last, pending, sent, skipped, live, reset, server, wake */
    struct hub_event *first, *last;
    size_t pending;
    int64_t sent;    /* position of the last event sent or skipped */
    int64_t skipped; /* events up to this position were not sent to any stream */
    size_t live;     /* number of live streams */
    bool reset;      /* close every stream */
    void *server;    /* passed to `wake`; NULL: no server is attached */
    void (*wake)(void *server);
    int64_t at; /* loop only: position delivered to live streams */
    struct stream *streams;
    size_t nstreams;
};

/* Call wake(server) for every event from now on. NULL detaches the hub. */
void hub_attach(struct http_hub *h, void *server, void (*wake)(void *server));

/* Take all pending events. *reset: every stream must be closed after them. Events up to *skipped
 * were not sent to any stream. */
struct hub_event *hub_take(struct http_hub *h, bool *reset, int64_t *skipped);
void hub_unref(struct hub_event *e);

/* Count a stream as live, so that events are sent from now on. False when events after `at` were
 * skipped: the stream must replay them first. */
bool hub_join(struct http_hub *h, int64_t at);
void hub_leave(struct http_hub *h);

#endif
