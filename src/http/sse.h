/*
 * Server-sent events. A hub is what many clients listen to: an event is formatted once and given to
 * each stream that wants it. A stream that is behind the hub is brought up by pulls from the past,
 * and joins it without a gap and without a double.
 */
#ifndef HTTP_SSE_H
#define HTTP_SSE_H

#include "http/http.h"

/* Positions only grow; 0 stands for an event without one (a text delta): it goes to those who are
 * there, has no id, and is not repeated. */
struct http_event {
    int64_t at;
    const char *id;        /* what Last-Event-ID will be; NULL with at 0 */
    const char *name;      /* event: ...; NULL: "message" */
    struct bough_str data; /* without line ends, as our JSON is */
    const void *about;     /* for `wants`; borrowed during the call of http_hub_send */
    size_t about_size;     /* bytes of it, copied; at most 256 */
};

struct http_hub;

/* `at`: the position up to which everything lies in the past. */
struct http_hub *http_hub_create(int64_t at);
void http_hub_destroy(struct http_hub *h); /* after the server */

/* From any thread, in order of `at`. Never waits for a client. */
void http_hub_send(struct http_hub *h, const struct http_event *e);
/* Move on to `at` without an event, which is how it goes while nobody listens: whoever comes finds
 * what happened in the past. False, and nothing is done, when somebody does listen. */
bool http_hub_skip(struct http_hub *h, int64_t at);
bool http_hub_heard(struct http_hub *h); /* does anybody listen right now? */
/* Let every stream end (a `reset` of the store, a drain); clients come back by themselves. */
void http_hub_close_all(struct http_hub *h);
size_t http_hub_streams(struct http_hub *h);
int64_t http_hub_at(struct http_hub *h); /* where it is now */

/* One event as text, for a replay: into the answer. */
void http_sse_write(struct http_res *res, const struct http_event *e);

struct http_sse {
    struct http_hub *hub;
    int64_t at; /* what the client has seen */
    /*
     * On a worker: write what comes after *at with http_sse_write(), some of it, and move *at on.
     * Called until *at has reached the hub. Everything up to the hub's position must be readable
     * when this is called.
     */
    enum bough_rc (*replay)(void *user, struct http_req *req, struct http_res *res, int64_t *at,
                            struct bough_error *err);
    /* On the loop, so only a few instructions: is this event for this stream? NULL: all are. */
    bool (*wants)(void *user, const void *about, size_t about_size);
    void (*closed)(void *user); /* last, once, on any thread */
    /* Per stream and small, on the heap: thousands of them idle. `req` is only there in replay. */
    void *user;
};

/*
 * In a handler, instead of any other answer. The stream lives until the client leaves, falls
 * behind by more than its queue holds, has lived for stream_ms (it reconnects with Last-Event-ID
 * and loses nothing), or the server drains. A comment every 15 s keeps proxies awake.
 */
void http_sse(struct http_res *res, const struct http_sse *how);

#endif
