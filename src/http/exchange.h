/* One request and its answer, independent of sockets. The server and the loopback drive it step by
 * step. Steps that call handlers run on a worker, one at a time; the owner may read the fields
 * between steps. */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include "http/flow.h"
#include "http/http.h"
#include "http/parse/parse.h"
#include "http/sse.h"

enum {
    OUT_MAX = 256 * 1024 * 1024, /* largest answer in memory; longer ones must call http_spill() */
    SPILL_AT = 256 * 1024,
    PIECE = 64 * 1024, /* bytes of a spilled answer per pull */
    ETAG_MAX = 80,
};

struct gzip; /* gzip.c */

struct http_res {
    struct http_req *req;
    int status;
    struct buf head;  /* "Name: value\r\n" lines set by the handler */
    const char *type; /* Content-Type */
    const char *id;   /* X-Request-Id; NULL: the request's own */
    struct buf out;   /* body bytes that are not sent yet */
    struct json_writer json;
    bool refused; /* http_refuse() has written the answer */
    bool failed;  /* the answer is an error: no ETag, no range */
    struct bough_str detail;
    char etag[ETAG_MAX];
    http_puller *pull;
    int64_t later_ms;
    int64_t length; /* of all pulls together; -1: unknown */
    int spill;      /* descriptor of the spill file, or -1 */
    int64_t spilled, taken;
    bool lost; /* spilling failed: bytes of the body are missing */
    bool events;
    struct http_sse sse;
    const struct http_flow_events *flow; /* the answer is a flow; NULL: it is not */
    void *flow_user;
    struct gzip *gzip;
};

enum exchange_step {
    EXCHANGE_GATE,   /* authenticate the caller */
    EXCHANGE_CALL,   /* the gate, unless it has run, then the handler */
    EXCHANGE_PIECE,  /* give `piece`, part of the body, to the route */
    EXCHANGE_PULL,   /* produce more of the answer */
    EXCHANGE_REPLAY, /* produce more past events for an event stream */
    EXCHANGE_WORK,   /* the work of a flow */
    EXCHANGE_END,    /* release everything; the answer is not needed any more */
};

struct exchange {
    struct http_req req;
    struct http_res res;
    bool cancelled; /* atomic: req.cancel points here */
    bool keep_alive, http10, gated, begun, called, over;
    int64_t length; /* of the body, from Content-Length; -1: chunked, or no body */
    bool chunked_in, expects;
    size_t body_max;
    struct buf piece; /* the bytes for EXCHANGE_PIECE; without http_route.piece, the whole body */
    /* Results of a step: */
    bool answered;       /* status and headers of the answer are decided */
    enum http_more more; /* is there more of the body after res.out? */
    bool cut;            /* end the connection here, so that the client sees a truncated answer */
    int64_t worker_us;   /* time spent in steps */
    int64_t sent;        /* bytes of the body sent, for the access log */
};

/* Create an exchange in its own arena; the head's bytes are copied. Finds the route. If there is
 * none, or the route does not take this body, `answered` is set at once. */
struct exchange *exchange_create(const struct http_app *app, const struct parse_head *head,
                                 enum http_via via, const char *peer);
/* Caller must run EXCHANGE_END first if exchange_unfinished(). NULL is allowed. */
void exchange_destroy(struct exchange *x);

/* Run one step. Worker thread only. */
void exchange_run(struct exchange *x, enum exchange_step step);

/* Answer with an error of the server (503, 413). Only while no step is running. */
void exchange_refuse(struct exchange *x, int status, const char *code, const char *why);

/* Must EXCHANGE_END still run? */
bool exchange_unfinished(const struct exchange *x);

/* ---- answer.c ---- */

/* Write the head of the answer to `out`. *chunked: the body must be sent in chunks. *body: the
 * answer has a body. `close`: the connection will be closed after it. */
void answer_head(struct exchange *x, struct buf *out, bool close, bool *chunked, bool *body);

/* Is it a valid traceparent, 00-<32 hex>-<16 hex>-<2 hex>? Such a one is echoed, so that clients
 * can match answers, and logged. */
bool answer_sane_trace(const char *s);

/* "Not Found" for 404; "Status" for an unknown one. */
const char *http_reason(int status);

/* Write a complete error answer for bytes that are not a valid request. */
void answer_bad(struct buf *out, const struct parse_error *bad);

/* ---- router.c ---- */

/* Set req->route and params. On false, *allow lists the methods of this path; "" means there is no
 * such path. */
bool router_find(struct http_req *req, const char **allow);

/* Check the query and Content-Type against the route. Runs before the handler. */
enum bough_rc router_check(struct http_req *req, struct http_res *res, struct bough_error *err);

/* ---- response.c ---- */

void response_init(struct http_res *res, struct http_req *req);
void response_finish(struct http_res *res);
/* Drop body, headers set so far, pull and ETag; keep the status. */
void response_reset(struct http_res *res);
/* Does If-None-Match name this tag? */
bool response_none_match(const struct http_req *req, const char *etag);
/* Once part of the body is spilled, spill the rest too. */
void response_settle(struct http_res *res);
/* Move the next piece of a spilled answer into res->out; false on a read error. */
bool response_unspill(struct http_res *res);

/* ---- gzip.c ---- */

/* Does the client accept gzip, and is this answer worth compressing? */
bool gzip_wanted(const struct http_req *req, const struct http_res *res);
/* NULL on failure: the answer is then sent uncompressed. */
struct gzip *gzip_create(void);
void gzip_destroy(struct gzip *g);
/* Replace the contents of `b` by its compressed form; `last` ends the stream. */
void gzip_pass(struct gzip *g, struct buf *b, bool last);

#endif
