/*
 * One request and its answer, without a socket: what server and loopback drive, step by step. The
 * steps that call handlers run on a worker, one at a time; between them the owner looks inside.
 */
#ifndef HTTP_EXCHANGE_H
#define HTTP_EXCHANGE_H

#include "http/http.h"
#include "http/parse.h"
#include "http/sse.h"

enum {
    OUT_MAX = 256 * 1024 * 1024, /* an answer in memory; who writes more calls http_spill() */
    SPILL_AT = 256 * 1024,
    PIECE = 64 * 1024, /* of a spilled answer, per pull */
    ETAG_MAX = 80,
};

struct gzip; /* gzip.c */

struct http_res {
    struct http_req *req;
    int status;
    struct buf head;  /* "Name: value\r\n" lines set by the handler */
    const char *type; /* Content-Type */
    struct buf out;   /* body that was not taken yet */
    struct json_writer json;
    bool refused; /* http_refuse() has said it all */
    bool failed;  /* is an error: no ETag, no range */
    struct bough_str detail;
    char etag[ETAG_MAX];
    http_puller *pull;
    int64_t later_ms;
    int64_t length; /* of all pulls together; -1: nobody knows */
    int spill;      /* descriptor, or -1 */
    int64_t spilled, taken;
    bool lost; /* what was to be spilled could not be */
    bool events;
    struct http_sse sse;
    struct gzip *gzip;
};

enum exchange_step {
    EXCHANGE_GATE,   /* who is it? */
    EXCHANGE_CALL,   /* gate, when it was not yet, then the handler */
    EXCHANGE_PIECE,  /* some of the body, in `piece` */
    EXCHANGE_PULL,   /* more of the answer */
    EXCHANGE_REPLAY, /* more of the past, for an event stream */
    EXCHANGE_END,    /* nobody wants the answer any more */
};

struct exchange {
    struct http_req req;
    struct http_res res;
    bool cancelled; /* atomic: req.cancel points here */
    bool keep_alive, http10, gated, begun, called, over;
    int64_t length; /* of the body as announced; -1: chunked, or none */
    bool chunked_in, expects;
    size_t body_max;
    struct buf piece; /* for EXCHANGE_PIECE */
    /* After a step: */
    bool answered;       /* the head of the answer is decided */
    enum http_more more; /* of the body, after what is in res.out */
    bool cut;            /* the answer must end here, visibly incomplete */
    int64_t worker_us;   /* time spent in handlers */
    int64_t sent;        /* bytes of the body, for the log */
};

/* Make it in an arena of its own, from a head whose bytes are copied. Finds the route: with none,
 * or a body it does not take, the answer is decided at once. */
struct exchange *exchange_create(const struct http_app *app, const struct parse_head *head,
                                 enum http_via via, const char *peer);
/* After the last step; EXCHANGE_END must have run when one of the others did. */
void exchange_destroy(struct exchange *x);

/* On a worker. */
void exchange_run(struct exchange *x, enum exchange_step step);

/* Answer with an error of ours (503, 408); only when no step is running. */
void exchange_refuse(struct exchange *x, int status, const char *code, const char *why);

/* The head of the answer, ready to send. Says whether the body goes out in chunks, and whether it
 * has one at all. `close`: the connection will end with it. */
void exchange_head(struct exchange *x, struct buf *out, bool close, bool *chunked, bool *body);

/* Does EXCHANGE_END still have to run? */
bool exchange_unfinished(const struct exchange *x);

const char *http_reason(int status);

/* An error answer for what was never a request: head and body. */
void exchange_bad(struct buf *out, const struct parse_error *bad);

/* ---- router.c ---- */

/* Fills req->route and params. False: *allow lists the methods of this path, "" when there is no
 * such path. */
bool router_find(struct http_req *req, const char **allow);

/* Query and Content-Type against the row, before the handler. */
enum bough_rc router_check(struct http_req *req, struct http_res *res, struct bough_error *err);

/* ---- response.c ---- */

void response_init(struct http_res *res, struct http_req *req);
void response_finish(struct http_res *res);
void response_reset(struct http_res *res); /* forget what was written */
bool response_none_match(const struct http_req *req, const char *etag);
/* When something was spilled, all of it is. */
void response_settle(struct http_res *res);
/* Move the next piece of a spilled answer into res->out; false when it could not be read. */
bool response_unspill(struct http_res *res);

/* ---- gzip.c ---- */

bool gzip_wanted(const struct http_req *req, const struct http_res *res);
struct gzip *gzip_create(void);
void gzip_destroy(struct gzip *g);
/* Replace what is in `b` by its compressed form; `last` ends the stream. */
void gzip_pass(struct gzip *g, struct buf *b, bool last);

#endif
