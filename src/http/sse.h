/* Server-sent events. A hub distributes events to many streams: each event is formatted once and
 * sent to every stream that wants it. A stream that is behind the hub first replays past events by
 * pulls, then joins the hub without a gap and without duplicates. */
#ifndef HTTP_SSE_H
#define HTTP_SSE_H

#include "http/http.h"

/* An event. Positions only grow. Position 0 is for an event without one (a text delta): it is sent
 * to the streams that are live now, has no id, and is never replayed. */
struct http_event {
    int64_t at;
    const char *id;        /* becomes the client's Last-Event-ID; NULL with at 0 */
    const char *name;      /* the `event:` field; NULL: "message" */
    struct bough_str data; /* without line ends */
    const void *about;     /* passed to `wants`; copied by http_hub_send() */
    size_t about_size;     /* at most 256, else `wants` gets 0 bytes */
};

struct http_hub;

/* `at`: the current position; everything up to it can be replayed. */
struct http_hub *http_hub_create(int64_t at);
void http_hub_destroy(struct http_hub *h); /* after the server is destroyed; NULL is allowed */

/* Send an event to all live streams. Any thread, but in order of `at`. Never waits for a client. */
void http_hub_send(struct http_hub *h, const struct http_event *e);
/* Advance to `at` without an event, while no stream is live: streams that join later replay it.
 * Returns false and does nothing if a stream is live. */
bool http_hub_skip(struct http_hub *h, int64_t at);
bool http_hub_heard(struct http_hub *h); /* is any stream live? */
/* Close every stream (after a reset of the store, or on drain). The clients reconnect. */
void http_hub_close_all(struct http_hub *h);
size_t http_hub_streams(struct http_hub *h);
int64_t http_hub_at(struct http_hub *h); /* the current position */

/* Write one event to the answer. For replay. */
void http_sse_write(struct http_res *res, const struct http_event *e);

struct http_sse {
    struct http_hub *hub;
    int64_t at; /* the last position the client has seen */
    /* Runs on a worker: write some of the events after *at with http_sse_write(), and advance *at.
     * Called until *at reaches the hub's position. Everything up to the hub's position must be
     * readable by then. NULL: no replay, the stream starts live. */
    enum bough_rc (*replay)(void *user, struct http_req *req, struct http_res *res, int64_t *at,
                            struct bough_error *err);
    /* Runs on the loop thread, so it must be fast: does this stream want the event? NULL: it wants
     * all. */
    bool (*wants)(void *user, const void *about, size_t about_size);
    /* Runs on the loop thread several times a second: may the client still receive? false ends the
     * stream. NULL: always. */
    bool (*still)(void *user);
    void (*closed)(void *user); /* frees `user`; called once, last, on any thread */
    /* On the heap and small, because thousands of streams may be idle. After the replay `req` is
     * gone, so `user` must not point into it. */
    void *user;
};

/* Answer with an event stream. Call it in a handler, instead of any other answer. The stream ends
 * when the client leaves, falls behind by more than its write queue holds, has lived for stream_ms
 * (the client then reconnects with Last-Event-ID and loses nothing), or when the server drains. A
 * comment every 15 s keeps proxies from timing out. */
void http_sse(struct http_res *res, const struct http_sse *how);

#endif
