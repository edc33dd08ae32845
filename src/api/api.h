/*
 * The JSON API. A noun is one file, src/api/<noun>.c, that ends in a table of rows; the table's
 * name stands here and in routes.c. A handler finds its store, already bounded by the client's
 * patience, with api_of().
 */
#ifndef API_API_H
#define API_API_H

#include <bough/bough.h>

#include "auth/auth.h"
#include "http/http.h"
#include "http/server.h"
#include "http/sse.h"

struct api; /* one a server */

/* What a handler works with; lives as long as the request. */
struct api_call {
    struct bough_store *store; /* cancelled when the client leaves; principal and deadline set */
    const struct auth_who *who;
    struct api *api;
    bool counted;    /* among the requests of its caller */
    const char *key; /* Idempotency-Key, or NULL; only on rows with HTTP_KEYED */
};

struct api_call *api_of(const struct http_req *req);

struct api_config {
    struct bough_store *store;            /* borrowed */
    struct auth *auth;                    /* borrowed */
    const struct http_route *const *more; /* tables of other layers, NULL at the end; or NULL */
    int requests_each, streams_each;      /* of one caller at a time; 0: 256 and 1024 */
};

struct api *api_create(const struct api_config *config);
void api_destroy(struct api *a);
/* Give this to a server or the loopback. */
const struct http_app *api_app(struct api *a);
/* Whose figures /metrics shows, and whose end /readyz announces; NULL before and after. */
void api_watch(struct api *a, const struct http_server *server);
/* NULL at the end: the tables of this API, of auth, and config->more. */
const struct http_route *const *api_all(const struct api *a);
bool api_figures(struct api *a, struct http_figures *out); /* false: no server to ask */
bool api_draining(struct api *a);
struct event_pump *api_pump(struct api *a); /* event.h */

/* D10: of one caller (a token, the owner) only so much at a time. False: it is too much already.
 * The name must be given back as often as it was taken. */
bool api_stream_begin(struct api *a, const char *who);
void api_stream_end(struct api *a, const char *who);

/* ---- what handlers share ---- */

/*
 * Around "is it still what If-Match says, then change it": one such change at a time in this
 * server, so that of two clients who read the same one loses. False without an If-Match: nothing to
 * do. What does not say If-Match, and other processes, are not held up.
 */
bool api_match_begin(struct http_req *req);
void api_match_end(struct http_req *req, bool begun);

/* The session in {id}, as the caller may see it: BOUGH_NOT_FOUND when it is of a foreign project,
 * BOUGH_GONE when it was purged. */
BOUGH_MUST_CHECK enum bough_rc api_session(struct http_req *req, struct bough_session **out,
                                           struct bough_error *err);

/* The same by any name of a session. */
BOUGH_MUST_CHECK enum bough_rc api_session_named(struct http_req *req, const char *name,
                                                 struct bough_session **out,
                                                 struct bough_error *err);
/* For what tells about all projects: 403 to a token that is for one. */
BOUGH_MUST_CHECK enum bough_rc api_for_all(struct http_req *req, struct http_res *res);
/* What goes up the chain of parents must not reach one they cannot see: BOUGH_NOT_FOUND. */
BOUGH_MUST_CHECK enum bough_rc api_sees_parents(struct http_req *req, const struct bough_session *s,
                                                struct bough_error *err);
/* Before a session is shown: the ids of a parent they cannot see are left out. */
void api_hide_parent(struct http_req *req, struct bough_session *s);
/* An entry on a path of the session; what is on none of its paths is BOUGH_NOT_FOUND. "@3" is the
 * third message on the head's path. */
BOUGH_MUST_CHECK enum bough_rc api_entry(struct http_req *req, const char *session,
                                         const char *name, struct bough_entry **out,
                                         struct bough_error *err);
/* Put the id of the entry that *name names in its place; NULL stays. */
BOUGH_MUST_CHECK enum bough_rc api_entry_id(struct http_req *req, const char *session,
                                            const char **name, struct bough_error *err);

/* Before BOUGH_BUSY is returned: detail says who has the session, and since when. */
void api_busy(struct http_req *req, struct http_res *res, const char *session);

/* A time in the query: ISO 8601, or milliseconds since 1970. 0 when it is not there. */
BOUGH_MUST_CHECK enum bough_rc api_query_time(const struct http_req *req, const char *name,
                                              int64_t *out, struct bough_error *err);

/* The end of a handler with nothing to say: 204 when it went well. */
enum bough_rc api_done(struct http_res *res, enum bough_rc rc);

/* The frame of a list; `next` may be NULL. */
struct json_writer *api_items(struct http_res *res);
void api_items_end(struct json_writer *w, const char *next);

/* Lists answer {"items": [...], "next": "cursor" or null}. */
enum { API_PAGE = 50, API_PAGE_MAX = 1000 };

struct api_page {
    int64_t limit;      /* ?limit= */
    const char *cursor; /* ?cursor=; NULL: the first page. Opaque to clients */
};

extern const struct http_field api_page_query[]; /* for rows that take nothing else */
#define API_PAGE_FIELDS                                                                            \
    { "limit", HTTP_INTEGER, "How many at most, 1 to 1000; 50 unless given." },                    \
    {                                                                                              \
        "cursor", HTTP_STRING, "`next` of the page before."                                        \
    }

BOUGH_MUST_CHECK enum bough_rc api_page(const struct http_req *req, struct api_page *out,
                                        struct bough_error *err);

/* A cursor made of numbers: "3.17". False for anything else. */
const char *api_cursor(struct bough_arena *a, int64_t one, int64_t two);
bool api_cursor_read(const char *text, int64_t *one, int64_t *two);

/* The ETag of a head, "<branch>.<depth>"; If-Match with it fills the expected head. */
void api_head_etag(struct http_res *res, struct bough_head head);
BOUGH_MUST_CHECK enum bough_rc api_expect_head(const struct http_req *req, struct http_res *res,
                                               bool *has, struct bough_head *out,
                                               struct bough_error *err);

/* The same, or from "#branch.depth" in a body ("" is nothing), which wins. */
BOUGH_MUST_CHECK enum bough_rc api_expect(struct http_req *req, struct http_res *res,
                                          const char *place, bool *has, struct bough_head *out,
                                          struct bough_error *err);
/* Around a write with an expected head: with If-Match a lost head is 412 and not 409, and detail
 * says in both where it is. */
BOUGH_MUST_CHECK enum bough_rc api_head_lost(const struct http_req *req, struct http_res *res,
                                             enum bough_rc rc, const struct bough_error *err);

void api_put_id(struct http_res *res, int status, const char *id); /* {"id": ...} */

/* ---- JSON forms and their schemas ---- */

/*
 * One row a schema in api/schemas.c: openapi.json lists them, tests check answers by them.
 *
 * A schema is JSON Schema, or an object in a line of words: "id:string time?:time|null
 * items:[Session] kind:'a'|'b'". A name with ? may be missing. Types are string, integer, number,
 * boolean, null, object, time, any, [array], 'a word', or the name of another row. With "only "
 * before it nothing else may be there.
 */
struct api_schema {
    const char *name; /* "Session" */
    const char *json;
};

void api_schema_write(struct json_writer *w, const struct api_schema *s); /* as JSON Schema */

extern const struct api_schema api_schemas[]; /* ends with { 0 } */

/* ---- the nouns: each table ends with { 0 } and has its line in routes.c ---- */

extern const struct http_route *const api_tables[]; /* NULL at the end; sorted by name */

extern const struct http_route api_alkhub_message_routes[]; /* .../messages, .../parts */
extern const struct http_route api_alkhub_routes[];         /* /alkhub/v1/sessions */
extern const struct http_route api_append_routes[];         /* append, record */
extern const struct http_route api_attachment_routes[];     /* files that messages show */
extern const struct http_route api_care_routes[];           /* /healthz /readyz /metrics */
extern const struct http_route api_entry_routes[];          /* entries, parts */
extern const struct http_route api_events_routes[];         /* events */
extern const struct http_route api_head_routes[];           /* head, labels, markers, context */
extern const struct http_route api_hecate_queue_routes[];   /* .../queue */
extern const struct http_route api_hecate_routes[];         /* /hecate/v1/chat/sessions */
extern const struct http_route api_index_routes[];          /* "/", /api/v1 */
extern const struct http_route api_message_routes[];        /* messages that are being written */
extern const struct http_route api_note_routes[];           /* memories, todos, calls */
extern const struct http_route api_openapi_routes[];        /* openapi.json */
extern const struct http_route api_queue_routes[];          /* waiting prompts */
extern const struct http_route api_search_routes[];         /* search */
extern const struct http_route api_session_routes[];        /* sessions */
extern const struct http_route api_source_routes[];         /* import sources */
extern const struct http_route api_status_routes[];         /* status, totals, ancestors */
extern const struct http_route api_store_routes[];          /* the store, its log, places */
extern const struct http_route api_transfer_routes[];       /* import, export */
extern const struct http_route api_tree_routes[];           /* branches, comparing */
extern const struct http_route api_ui_routes[];             /* .../ui-messages, .../ui-stream */

#endif
