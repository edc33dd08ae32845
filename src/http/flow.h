/*
 * Flows: answers whose bytes come on the loop thread, from another connection. A handler prepares
 * the flow on a worker; then the loop moves bytes, and work that may wait, such as storing what
 * passes, runs as steps on workers, one at a time.
 */
#ifndef HTTP_FLOW_H
#define HTTP_FLOW_H

#include "http/http.h"

struct http_flow; /* the client's side of a running one; loop thread only */

enum {
    HTTP_FLOW_HIGH = 256 * 1024, /* bytes queued for the client: stop giving */
    HTTP_FLOW_LOW = 64 * 1024,   /* `room` is called when as few are left */
};

/* All but `work` run on the loop thread, so they must not wait. */
struct http_flow_events {
    void (*start)(void *user, struct http_flow *f); /* once, first */
    void (*room)(void *user);                       /* after http_flow_full(): go on */
    /* The client is gone: nothing can be given any more, but http_flow_end() must still be called.
     * Comes at most once. */
    void (*left)(void *user);
    void (*work)(void *user);   /* on a worker; see http_flow_work() */
    void (*worked)(void *user); /* it has returned */
};

/* Answer with a flow. Call it in a handler, instead of any other answer. `user` must live until
 * http_route.drop. */
void http_flow(struct http_res *res, const struct http_flow_events *on, void *user);

struct uv_loop_s *http_flow_loop(struct http_flow *f);

/* The answer, for http_status(), http_set() and http_text() before http_flow_head(). */
struct http_res *http_flow_res(struct http_flow *f);
/* Send the head. Call it before the first byte is given. */
void http_flow_head(struct http_flow *f);
bool http_flow_headed(const struct http_flow *f);

/* Send bytes before the loop sleeps, together with what is given until then. Those that the client
 * does not take at once are queued. */
void http_flow_give(struct http_flow *f, const char *p, size_t n);
/* Is enough queued? Then `room` is called later. */
bool http_flow_full(struct http_flow *f);

/* Run `work` on a worker. False: it is running already. */
bool http_flow_work(struct http_flow *f);

/* The answer is complete; with `cut` the connection ends so that the client sees a truncated
 * answer. No event comes after it, and `f` is gone. Not while work is running. */
void http_flow_end(struct http_flow *f, bool cut);

/* Close the client's connection now; `left` follows. */
void http_flow_drop(struct http_flow *f);

/* Is the server stopping, with its time to finish used up? */
bool http_flow_stopping(const struct http_flow *f);

#endif
