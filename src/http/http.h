/*
 * HTTP for handlers: what a request is, how it is answered, and the row that announces a handler.
 * Nothing here knows sockets or sessions; server.h runs it on sockets, loopback.h without.
 *
 * A handler runs on a worker thread, never on the loop, so it may call the store. It must not wait
 * for the client: the body is there before it begins, or comes in pieces (http_route.piece), and
 * what it answers is collected and sent by the loop. An answer of any size is one of
 *   at once    http_json(), http_text(), http_write(): large ones spill into an unlinked file
 *   by pull    http_pull(): called on a worker whenever the client has taken what it got
 *   events     sse.h
 */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

enum http_method {
    HTTP_GET,
    HTTP_HEAD, /* finds the GET row; its answer is sent without a body */
    HTTP_POST,
    HTTP_PUT,
    HTTP_PATCH,
    HTTP_DELETE,
    HTTP_OPTIONS,
    HTTP_OTHER, /* well-formed, but no row can have it: 501 */
};

struct http_header {
    struct bough_str name; /* lower case */
    struct bough_str value;
};

/* How a request came in. Whoever may open the Unix socket owns the store: its peer is trusted. */
enum http_via { HTTP_VIA_UNIX, HTTP_VIA_TCP };

struct http_route;
struct http_app;

struct http_req {
    struct bough_arena *arena; /* for this request and its answer; gone when both are done */
    const struct http_app *app;
    const struct http_route *route;
    enum http_method method;
    enum http_via via;
    const char *path;               /* decoded, without query; no empty, "." or ".." segment */
    struct bough_str target, query; /* as they came; query without its "?" */
    struct http_header *headers;    /* in order; Host is there exactly once */
    size_t nheaders;
    struct bough_str body; /* whole, unless the route takes pieces */
    const char *id;        /* for logs: X-Request-Id when it is sane, else made here */
    const char *peer;      /* address of the client, "unix" on the socket */
    const bool *cancel;    /* becomes true when the client leaves: pass it to the store's scope */
    int64_t deadline_ms;   /* how long calls on its behalf may take */
    void *who;             /* set by the gate: on whose behalf */
    void *call;            /* the application's own, from its `begin` to its `end` */
    void *state;           /* the handler's own between pieces and pulls; see http_route.drop */
    struct http_param {
        const char *name, *value;
    } * params; /* from {name} in the path */
    size_t nparams;
    int64_t trace; /* private to http: when it began, in us */
};

/* The value of the first header of this lower-case name, or NULL. Those that must not come twice
 * (Host, Content-Length, Authorization, ...) have been refused. */
const char *http_header(const struct http_req *req, const char *name);

const char *http_param(const struct http_req *req, const char *name); /* NULL: no such {name} */

/* Query parameters, decoded. NULL when it is not there; BOUGH_INVALID names a bad one. An unknown
 * or doubled name is refused before the handler runs, by the rows in http_route.query. */
const char *http_query(const struct http_req *req, const char *name);
BOUGH_MUST_CHECK enum bough_rc http_query_i64(const struct http_req *req, const char *name,
                                              int64_t fallback, int64_t least, int64_t most,
                                              int64_t *out, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc http_query_bool(const struct http_req *req, const char *name,
                                               bool *out, struct bough_error *err);

/* The body as JSON; BOUGH_INVALID unless it is one object. Lives in req->arena. */
BOUGH_MUST_CHECK enum bough_rc http_body_json(struct http_req *req, struct json *out,
                                              struct bough_error *err);

/* ---- answering ---- */

struct http_res;

/* What a pull has to say: is there more at once, more later, or was that all? */
enum http_more { HTTP_END, HTTP_MORE, HTTP_LATER };

/* Writes the next piece (some 64 KB) with http_write() or http_json_more(). Called on a worker,
 * never twice at a time. An error ends the answer: the client sees it cut, never complete. */
typedef enum bough_rc http_puller(struct http_req *req, struct http_res *res, enum http_more *more,
                                  struct bough_error *err);

void http_status(struct http_res *res, int status);
/* Name and value are copied; a value with a control character in it is our bug. */
void http_set(struct http_res *res, const char *name, const char *value);
void http_setf(struct http_res *res, const char *name, const char *fmt, ...) BOUGH_PRINTF(3, 4);

/* Begin an answer in JSON; write one value. Call http_spill() now and then while it is long. */
struct json_writer *http_json(struct http_res *res, int status);
struct json_writer *http_json_more(struct http_res *res); /* the same writer, in a pull */
/* Begin an answer of another type; then http_write(). */
void http_text(struct http_res *res, int status, const char *type);
void http_write(struct http_res *res, const void *p, size_t n);
void http_puts(struct http_res *res, const char *text);

/* Move what is written so far out of memory, when it is much. What cannot be kept (no space left)
 * is said when the handler returns. */
void http_spill(struct http_res *res);

/* After http_json() or http_text(): go on with `pull` when the handler has returned. With
 * HTTP_LATER it is called again after `later_ms`. */
void http_pull(struct http_res *res, http_puller *pull, int64_t later_ms);

/* How many bytes the pulls will write in all, when it is known: the client sees its progress. */
void http_length(struct http_res *res, int64_t n);

void http_no_content(struct http_res *res); /* 204 */

/* {"error":{"code","message","detail"}} with a status of its own. Returns BOUGH_DENIED, so that a
 * handler can end with it; every other code a handler returns is answered from the table of
 * codes. */
enum bough_rc http_refuse(struct http_res *res, int status, const char *code, const char *fmt, ...)
    BOUGH_PRINTF(4, 5);
/* The same from an error object; with BOUGH_CONFLICT about a head, detail says where it is. */
void http_fail(struct http_res *res, const struct bough_error *err);
/* Raw JSON for the detail of whatever error this answer becomes. Copied. */
void http_detail(struct http_res *res, struct bough_str json);

/* Strong ETag, without its quotes. GET: a matching If-None-Match turns the answer into 304. */
void http_etag(struct http_res *res, const char *fmt, ...) BOUGH_PRINTF(2, 3);
/* Does If-Match, when there is one, name this tag? If not the answer is 412: return the rc. */
BOUGH_MUST_CHECK enum bough_rc http_if_match(const struct http_req *req, struct http_res *res,
                                             const char *etag, struct bough_error *err);

/* Range for an answer of `size` bytes: *from and *length say what to write; the status and
 * Content-Range are set. Without one, or with several, it is the whole. 416 when it lies outside.
 */
BOUGH_MUST_CHECK enum bough_rc http_range(const struct http_req *req, struct http_res *res,
                                          int64_t size, int64_t *from, int64_t *length,
                                          struct bough_error *err);

/* ---- rows ---- */

typedef enum bough_rc http_handler(struct http_req *req, struct http_res *res,
                                   struct bough_error *err);

/* Types in a query, as openapi.json and the check before the handler know them. */
enum http_type { HTTP_STRING, HTTP_INTEGER, HTTP_BOOLEAN };

struct http_field {
    const char *name;
    enum http_type type;
    const char *about; /* a sentence */
};

enum http_flag {
    HTTP_STREAMS = 1,  /* events or a pull without an end: no deadline for the whole request */
    HTTP_RAW_BODY = 2, /* any Content-Type; without it a body must be application/json */
    HTTP_KEYED = 4,    /* takes an Idempotency-Key */
    HTTP_MATCHES = 8,  /* takes If-Match */
    HTTP_LONG = 16,    /* walks over the store: its calls may take nearly as long as a request */
};

/*
 * One route. Tables of rows end with { 0 }. A route without `about` or `needs` fails a test:
 * openapi.json and the index are printed from the rows.
 */
struct http_route {
    const char *method; /* "GET" */
    const char *path;   /* "/api/v1/sessions/{id}"; a name takes one whole segment */
    http_handler *handler;
    unsigned needs;                 /* what the gate asks of the caller: auth.h; never 0 */
    const char *about;              /* one sentence */
    const struct http_field *query; /* ends with { 0 }; NULL: takes none */
    const char *takes, *gives; /* schemas of body and answer, by name in api/schemas; or NULL */
    int status;                /* of success; 0: 200 */
    unsigned flags;
    size_t body_max; /* 0: HTTP_BODY_JSON for POST, PUT and PATCH, none for the rest */
    /* For bodies that are not held in memory: called on a worker for each piece in order, before
     * the handler. */
    enum bough_rc (*piece)(struct http_req *req, struct bough_str piece, struct bough_error *err);
    /* Always called last, on a worker, when piece or handler was: lets go of req->state. */
    void (*drop)(struct http_req *req);
};

/* What a server serves. Lives as long as the server. */
struct http_app {
    const struct http_route *const *tables; /* NULL at the end; the first row that fits wins */
    void *user;
    /* On a worker, before the body is read: who is it, and may they? Sets req->who. A failure, or
     * http_refuse(), is the answer. */
    http_handler *gate;
    /* Around piece, handler, pulls and drop, on a worker: what a request needs beside its rows. Any
     * of them may be NULL. */
    void (*begin)(struct http_req *req);
    void (*end)(struct http_req *req);
    /* The label of the caller for the access log; NULL or "" when nobody is known. */
    const char *(*label)(const struct http_req *req);
};

enum {
    HTTP_BODY_JSON = 8 * 1024 * 1024,
    HTTP_BODY_FILE = 64 * 1024 * 1024,
};

#endif
