/* The interface for HTTP handlers: the request, the functions that answer it, and the route row.
 * Independent of sockets and sessions: server.h runs handlers on sockets, loopback.h without.
 *
 * A handler runs on a worker thread, never on the loop thread, so it may call the store. It must
 * not wait for the client. The body is complete before the handler runs, or arrives in pieces
 * (http_route.piece). The loop thread sends the answer. An answer is one of
 *   at once    http_json(), http_text(), http_write(): large ones spill into an unlinked file
 *   by pull    http_pull(): called on a worker each time the client has taken the previous piece
 *   events     sse.h
 *   flow       flow.h: bytes that come from another connection */
#ifndef HTTP_HTTP_H
#define HTTP_HTTP_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json/json.h"
#include "base/memory/buf.h"

enum http_method {
    HTTP_GET,
    HTTP_HEAD, /* uses the GET row; the answer is sent without its body */
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

/* How a request arrived. The peer of the Unix socket is trusted: only the store's owner can open
 * it. */
enum http_via { HTTP_VIA_UNIX, HTTP_VIA_TCP };

struct http_route;
struct http_app;

struct http_req {
    struct bough_arena *arena; /* for the request and its answer; freed after both */
    const struct http_app *app;
    const struct http_route *route;
    enum http_method method;
    enum http_via via;
    /* Decoded, without query; no segment is "." or "..", only the last may be empty. */
    const char *path;
    struct bough_str target, query; /* as received; query without its "?" */
    struct http_header *headers;    /* in order; Host is there exactly once */
    size_t nheaders;
    struct bough_str body; /* complete, unless the route has `piece`; then empty */
    struct json json;      /* the body, parsed; nothing for an empty body and HTTP_RAW_BODY */
    const char *id;        /* for logs: X-Request-Id if it is well-formed, else generated */
    const char *peer;      /* address of the client, or "unix" */
    /* Becomes true when the client leaves or time is up: pass it to the store's scope. */
    const bool *cancel;
    int64_t deadline_ms; /* limit for each store call of this request; 0: the default */
    void *who;           /* the caller, set by the gate */
    void *call;          /* the application's own data, valid from its `begin` to its `end` */
    /* The handler's own data, kept between pieces and pulls; freed by http_route.drop. */
    void *state;
    struct http_param {
        const char *name, *value;
    } * params; /* one per {name} in the path */
    size_t nparams;
    int64_t trace; /* private to http: when the request began, in us (mono_us) */
};

/* The value of the first header with this lower-case name, or NULL. The parser has already refused
 * requests that repeat a header such as Host, Content-Length or Authorization. */
const char *http_header(const struct http_req *req, const char *name);

const char *http_param(const struct http_req *req, const char *name); /* NULL: no such {name} */

/* May the answer be compressed with gzip? */
bool http_takes_gzip(const struct http_req *req);

/* Query parameters, decoded. http_query() returns NULL when the parameter is absent; the others
 * then return the fallback, or false. BOUGH_INVALID names a value that is malformed or out of
 * range. Unknown or repeated names are refused before the handler runs, by the rows in
 * http_route.query. */
const char *http_query(const struct http_req *req, const char *name);
BOUGH_MUST_CHECK enum bough_rc http_query_i64(const struct http_req *req, const char *name,
                                              int64_t fallback, int64_t least, int64_t most,
                                              int64_t *out, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc http_query_bool(const struct http_req *req, const char *name,
                                               bool *out, struct bough_error *err);

/* The body as JSON. BOUGH_INVALID unless it is one object; bytes that are not JSON were already
 * answered with 400. Not for routes with HTTP_RAW_BODY. */
BOUGH_MUST_CHECK enum bough_rc http_body_json(struct http_req *req, struct json *out,
                                              struct bough_error *err);

/* ---- answering ---- */

struct http_res;

/* What a pull reports: the answer is complete, more now, or more after later_ms. */
enum http_more { HTTP_END, HTTP_MORE, HTTP_LATER };

/* Writes the next piece (about 64 KB) with http_write() or http_json_more(). Called on a worker,
 * one call at a time per request. An error ends the answer: the client sees it truncated, never
 * complete. */
typedef enum bough_rc http_puller(struct http_req *req, struct http_res *res, enum http_more *more,
                                  struct bough_error *err);

void http_status(struct http_res *res, int status);
/* Add a header. Name and value are copied; control characters in the value become blanks. */
void http_set(struct http_res *res, const char *name, const char *value);
/* Answer with this X-Request-Id instead of the request's own, if it is well-formed. Not copied. */
void http_set_id(struct http_res *res, const char *id);
void http_setf(struct http_res *res, const char *name, const char *fmt, ...) BOUGH_PRINTF(3, 4);

/* Begin a JSON answer; the handler then writes one value. Call http_spill() now and then if it is
 * long. */
struct json_writer *http_json(struct http_res *res, int status);
struct json_writer *http_json_more(struct http_res *res); /* the same writer, in a pull */
/* Begin an answer of another type; then http_write(). `type` is borrowed. */
void http_text(struct http_res *res, int status, const char *type);
void http_write(struct http_res *res, const void *p, size_t n);
void http_puts(struct http_res *res, const char *text);

/* If much is buffered, move it to an unlinked file. A failure (disk full) is reported when the
 * handler returns. */
void http_spill(struct http_res *res);

/* After http_json() or http_text(): call `pull` for more of the body after the handler has
 * returned. After HTTP_LATER it is called again in `later_ms`. */
void http_pull(struct http_res *res, http_puller *pull, int64_t later_ms);

/* The total size of all pulls, if known: it becomes Content-Length. */
void http_length(struct http_res *res, int64_t n);

void http_no_content(struct http_res *res); /* 204 */

/* Answer {"error":{"code","message","detail"}} with this status, replacing everything written so
 * far. Returns BOUGH_DENIED for the handler to return. Any other code that a handler returns is
 * turned into an answer by the table of codes. */
enum bough_rc http_refuse(struct http_res *res, int status, const char *code, const char *fmt, ...)
    BOUGH_PRINTF(4, 5);
/* The same from an error object. For BOUGH_CONFLICT about a head, `detail` has the current head. */
void http_fail(struct http_res *res, const struct bough_error *err);
/* Raw JSON for the `detail` member if this answer becomes an error. Copied. */
void http_detail(struct http_res *res, struct bough_str json);

/* Strong ETag, without its quotes. On GET and HEAD a matching If-None-Match turns the answer into
 * 304. */
void http_etag(struct http_res *res, const char *fmt, ...) BOUGH_PRINTF(2, 3);
/* Check If-Match, if present, against this tag. On a mismatch the answer is 412: return the
 * code. */
BOUGH_MUST_CHECK enum bough_rc http_if_match(const struct http_req *req, struct http_res *res,
                                             const char *etag, struct bough_error *err);

/* Apply the Range and If-Range headers to an answer of `size` bytes; call http_etag() first. The
 * handler must write *length bytes starting at *from; the status and Content-Range are set. Without
 * a range, with several or with a malformed one, it is the whole answer. 416 when the range begins
 * at or after the end: return the code. */
BOUGH_MUST_CHECK enum bough_rc http_range(const struct http_req *req, struct http_res *res,
                                          int64_t size, int64_t *from, int64_t *length,
                                          struct bough_error *err);

/* ---- routes ---- */

typedef enum bough_rc http_handler(struct http_req *req, struct http_res *res,
                                   struct bough_error *err);

/* Types of query parameters, for openapi.json. */
enum http_type { HTTP_STRING, HTTP_INTEGER, HTTP_BOOLEAN };

struct http_field {
    const char *name;
    enum http_type type;
    const char *about;              /* one sentence */
    const char *(*words)(size_t i); /* its i-th value, NULL behind the last; NULL: any value */
    int64_t least, most;            /* HTTP_INTEGER: the range; `most` 0: any */
};

/* For http_field.words: the i-th of a list that ends with NULL. */
static inline const char *http_word(const char *const *words, size_t i)
{
    while (*words && i--)
        words++;
    return *words;
}

enum http_flag {
    HTTP_STREAMS = 1,  /* events, or a pull without an end: the request has no deadline */
    HTTP_RAW_BODY = 2, /* any Content-Type; without it a body must be application/json */
    HTTP_KEYED = 4,    /* accepts an Idempotency-Key */
    HTTP_MATCHES = 8,  /* accepts If-Match */
    HTTP_LONG = 16,    /* scans the store: its calls get nearly the whole time of the request */
    HTTP_ON_LOOP = 32, /* gate and handler never wait: answered even when all workers are busy */
    HTTP_BODY_OPTIONAL = 64, /* an empty body counts as {}; without it, it is 400 where `takes` */
    /* For openapi.json; the tests compare answers with them. */
    HTTP_TAGS = 128,         /* answers with an ETag */
    HTTP_RANGES = 256,       /* takes Range: 206 and 416 */
    HTTP_MAY_BE_EMPTY = 512, /* 204 when there is nothing to send */
    HTTP_LOCATES = 1024,     /* answers with a Location */
    HTTP_DOWNLOADS = 2048,   /* answers with a Content-Disposition */
    HTTP_RESUMES = 4096,     /* takes Last-Event-ID */
    /* Not part of the API: left out of openapi.json and of the index. */
    HTTP_PRIVATE = 8192,
    HTTP_ANY_QUERY = 16384, /* the query is for the client that gets the answer */
    HTTP_ENCODED = 32768,   /* the handler decodes a body with a Content-Encoding itself */
};

/* How routes write their errors, if not as http_refuse() says. */
struct http_error_form {
    const char *schema; /* of the body, by name in api/schemas */
    /* Write the body, one object. `detail` is what http_detail() got, or empty. */
    void (*write)(struct json_writer *w, const struct http_req *req, const char *code,
                  const char *message, struct bough_str detail);
};

/* One route. Tables of rows end with { 0 }. openapi.json and the index are printed from the rows; a
 * test fails for a row without `about` or `needs`. */
struct http_route {
    const char *method; /* "GET" */
    /* "/api/v1/sessions/{id}"; {id} matches one whole segment, {path...} at the end all the rest.
     */
    const char *path;
    http_handler *handler;
    unsigned needs;                 /* scopes the caller needs, see auth.h; never 0 */
    const char *about;              /* one sentence */
    const struct http_field *query; /* ends with { 0 }; NULL: no parameters */
    const char *takes, *gives; /* schemas of body and answer, by name in api/schemas; or NULL */
    const char *also;          /* a media type it answers with when asked to; or NULL */
    int status;                /* on success; 0: 200 */
    unsigned flags;
    size_t body_max; /* 0: HTTP_BODY_JSON for POST, PUT and PATCH, no body for the rest */
    /* For bodies that are not held in memory. Called on a worker for each piece, in order, before
     * the handler. */
    enum bough_rc (*piece)(struct http_req *req, struct bough_str piece, struct bough_error *err);
    /* Frees req->state. Called once, on a worker, after the last call of piece, handler and
     * pull. */
    void (*drop)(struct http_req *req);
    const struct http_error_form *errors; /* NULL: the usual form */
};

/* What a server serves. Must outlive the server. */
struct http_app {
    const struct http_route *const *tables; /* NULL-terminated; the first row that matches wins */
    void *user;
    /* Identifies the caller and checks its rights. Runs on a worker before the body is read. Sets
     * req->who. A failure, or http_refuse(), becomes the answer. */
    http_handler *gate;
    /* Set up and release what the application needs for a request. Both run on a worker: `begin`
     * after the gate, `end` after drop. Either may be NULL. */
    void (*begin)(struct http_req *req);
    void (*end)(struct http_req *req);
    /* May the caller still receive? Asked on a worker before each further piece of a pulled answer
     * or of an event stream's replay; false cuts the answer. May be NULL. */
    bool (*still)(struct http_req *req);
    /* The caller's label for the access log; NULL or "" if unknown. */
    const char *(*label)(const struct http_req *req);
};

enum {
    HTTP_BODY_JSON = 8 * 1024 * 1024,
    HTTP_BODY_FILE = 64 * 1024 * 1024,
};

#endif
