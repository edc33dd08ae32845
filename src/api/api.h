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
    const char *key; /* Idempotency-Key, or NULL; only on rows with HTTP_KEYED */
};

struct api_call *api_of(const struct http_req *req);

struct api_config {
    struct bough_store *store;            /* borrowed */
    struct auth *auth;                    /* borrowed */
    const struct http_route *const *more; /* tables of other layers, NULL at the end; or NULL */
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

/* ---- what handlers share ---- */

/* The session in {id}, as the caller may see it: BOUGH_NOT_FOUND when it is of a foreign project,
 * BOUGH_GONE when it was purged. */
BOUGH_MUST_CHECK enum bough_rc api_session(struct http_req *req, struct bough_session **out,
                                           struct bough_error *err);

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

/* Members of a body. A wrong type is BOUGH_INVALID and names the member. Missing: untouched. */
BOUGH_MUST_CHECK enum bough_rc api_member_str(struct http_req *req, struct json body,
                                              const char *name, const char **out,
                                              struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc api_member_i64(struct json body, const char *name, int64_t *out,
                                              struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc api_member_bool(struct json body, const char *name, bool *out,
                                               struct bough_error *err);
/* Any member that is not in `known` (NULL at the end) is BOUGH_INVALID: typos are not ignored. */
BOUGH_MUST_CHECK enum bough_rc api_members_only(struct http_req *req, struct json body,
                                                const char *const *known, struct bough_error *err);

/* The ETag of a head, "<branch>.<depth>"; If-Match with it fills the expected head. */
void api_head_etag(struct http_res *res, struct bough_head head);
BOUGH_MUST_CHECK enum bough_rc api_expect_head(const struct http_req *req, struct http_res *res,
                                               bool *has, struct bough_head *out,
                                               struct bough_error *err);

/* ---- JSON forms and their schemas ---- */

/* One row a schema in api/schemas.c: openapi.json lists them, tests check answers by them. */
struct api_schema {
    const char *name; /* "Session" */
    const char *json; /* JSON Schema */
};

extern const struct api_schema api_schemas[]; /* ends with { 0 } */

/* ---- the nouns: each table ends with { 0 } and has its line in routes.c ---- */

extern const struct http_route *const api_tables[]; /* NULL at the end; sorted by name */

extern const struct http_route api_alkhub_message_routes[]; /* .../messages, .../parts */
extern const struct http_route api_alkhub_routes[];         /* /alkhub/v1/sessions */
extern const struct http_route api_care_routes[];           /* /healthz /readyz /metrics */
extern const struct http_route api_events_routes[];         /* events */
extern const struct http_route api_hecate_routes[];         /* /hecate/v1/chat/sessions */
extern const struct http_route api_hecate_queue_routes[];   /* .../queue */
extern const struct http_route api_index_routes[];          /* "/", /api/v1 */
extern const struct http_route api_openapi_routes[];        /* openapi.json */
extern const struct http_route api_ui_routes[];             /* .../ui-messages, .../ui-stream */

#endif
