/*
 * The JSON API, for its handlers. A noun is one file, src/api/nouns/<noun>.c, that ends in a table
 * of rows; the table's name stands here and in routes.c. A handler finds its store, already bounded
 * by the client's deadline, with api_of().
 */
#ifndef API_KIT_API_H
#define API_KIT_API_H

#include <bough/bough.h>

#include "auth/auth.h"
#include "http/http.h"
#include "http/server/server.h"
#include "http/sse.h"

struct api; /* one per server */

/* The context of one request. Created by the gate, destroyed when the request ends. */
struct api_call {
    struct bough_store *store; /* scoped: principal, deadline, cancelled on disconnect */
    const struct auth_who *who;
    struct api *api;
    bool counted;    /* counts toward the caller's limit of concurrent requests */
    const char *key; /* Idempotency-Key, or NULL; only on routes with HTTP_KEYED */
};

struct api_call *api_of(const struct http_req *req);

/* All route tables, NULL-terminated: this API's, auth's, then config->more. */
const struct http_route *const *api_all(const struct api *a);
/* Write one metric of /metrics. */
void api_metric(struct http_res *res, const char *name, const char *type, const char *help,
                int64_t value);
/* Write those of api_config.metrics. */
void api_more_metrics(const struct http_req *req, struct http_res *res);
bool api_figures(struct api *a, struct http_figures *out); /* false: no server attached */
/* True while the attached server is shutting down. */
bool api_draining(struct api *a);
struct event_pump *api_pump(struct api *a); /* event.h */
/* The gateway of this server (a struct gateway, which the API does not know); NULL: none. */
void *api_gateway(const struct http_req *req);
/* The same for its runner (a struct runner). */
void *api_runner(const struct http_req *req);
/* Are runs worked on here: is there a runner? */
bool api_works(const struct api *a);

/* D10: limit the event streams one caller (a token, or the owner) has open at the same time. False
 * when the limit is reached; nothing is counted then. Each successful begin needs one end. */
bool api_stream_begin(struct api *a, const char *who);
void api_stream_end(struct api *a, const char *who);

/* ---- helpers for handlers ---- */

/*
 * Serialize "compare with If-Match, then write" within this server: of two clients that send the
 * same ETag, one gets 412. Returns false, without locking, when the request has no If-Match. Writes
 * without If-Match and other processes are not excluded. Pass the result to api_match_end().
 */
bool api_match_begin(struct http_req *req);
void api_match_end(struct http_req *req, bool begun);

/* The session named by {id}. BOUGH_NOT_FOUND when it does not exist or belongs to a project the
 * caller cannot see; BOUGH_GONE when it was purged. A token bound to one project gets
 * BOUGH_NOT_FOUND for purged sessions as well. On routes that need AUTH_DELETE, BOUGH_INVALID
 * unless {id} is a full id, ours or the one that was given. */
BOUGH_MUST_CHECK enum bough_rc api_session(struct http_req *req, struct bough_session **out,
                                           struct bough_error *err);

/* The same for any name of a session: id, slug, number or unique prefix. */
BOUGH_MUST_CHECK enum bough_rc api_session_named(struct http_req *req, const char *name,
                                                 struct bough_session **out,
                                                 struct bough_error *err);
/* For routes that cover all projects: answers 403 to a token bound to one project. */
BOUGH_MUST_CHECK enum bough_rc api_for_all(struct http_req *req, struct http_res *res);
/* For routes that take a project: NULL becomes the token's project; answers 403 when the caller may
 * not use *project. */
BOUGH_MUST_CHECK enum bough_rc api_own_project(struct http_req *req, struct http_res *res,
                                               const char **project);
/* For operations that climb to the parents: BOUGH_NOT_FOUND when the caller cannot see one. */
BOUGH_MUST_CHECK enum bough_rc api_sees_parents(struct http_req *req, const struct bough_session *s,
                                                struct bough_error *err);
/* Clear the ids of the parent and the fork entry when the caller cannot see the parent. */
void api_hide_parent(struct http_req *req, struct bough_session *s);
/* An entry on one of the session's paths; BOUGH_NOT_FOUND for all others. `name` is an id,
 * "#branch.depth", a foreign id, or "@3" for the third message on the path to the head. */
BOUGH_MUST_CHECK enum bough_rc api_entry(struct http_req *req, const char *session,
                                         const char *name, struct bough_entry **out,
                                         struct bough_error *err);
/* An entry, or the entry of a part, by its id alone. BOUGH_NOT_FOUND unless the caller can see the
 * session that wrote it. */
BOUGH_MUST_CHECK enum bough_rc api_entry_anywhere(struct http_req *req, const char *name,
                                                  struct bough_entry **out,
                                                  struct bough_error *err);
/* Replace *name by the entry's id. NULL is left alone. Fails as api_entry() does. */
BOUGH_MUST_CHECK enum bough_rc api_entry_id(struct http_req *req, const char *session,
                                            const char **name, struct bough_error *err);

/* Put the current lease into the error's detail. Call before returning BOUGH_BUSY. */
void api_busy(struct http_req *req, struct http_res *res, const char *session);

int64_t api_now(const struct http_req *req); /* on the store's clock, in ms */
/* A time in the query: ISO 8601, or milliseconds since 1970. 0 when absent. */
BOUGH_MUST_CHECK enum bough_rc api_query_time(const struct http_req *req, const char *name,
                                              int64_t *out, struct bough_error *err);

/* End of a handler without a body: 204 when `rc` is BOUGH_OK. Returns `rc`. */
enum bough_rc api_done(struct http_res *res, enum bough_rc rc);

/* Begin and end a list answer; write the items in between. `next` may be NULL. */
struct json_writer *api_items(struct http_res *res);
void api_items_end(struct json_writer *w, const char *next);

/* Every list answers {"items": [...], "next": "cursor" or null}. */
enum { API_PAGE = 50, API_PAGE_MAX = 1000 };

struct api_page {
    int64_t limit;      /* ?limit= */
    const char *cursor; /* ?cursor=, opaque to clients; NULL: the first page */
};

extern const struct http_field api_page_query[]; /* for routes without other query fields */
#define API_PAGE_FIELDS                                                                            \
    { "limit", HTTP_INTEGER, "Page size, 1 to 1000 (default 50).", .least = 1,                     \
      .most = API_PAGE_MAX },                                                                      \
    {                                                                                              \
        "cursor", HTTP_STRING, "`next` of the previous page."                                      \
    }

BOUGH_MUST_CHECK enum bough_rc api_page(const struct http_req *req, struct api_page *out,
                                        struct bough_error *err);

/* A head as "<branch>.<depth>". False for anything else. */
bool api_head_read(const char *text, struct bough_head *out);
/* The ETag of a head is "<branch>.<depth>". api_expect_head() reads it from If-Match: *out is NULL
 * when there is none or it is "*"; a tag that is not a head's answers 412. */
void api_head_etag(struct http_res *res, struct bough_head head);
BOUGH_MUST_CHECK enum bough_rc api_expect_head(const struct http_req *req, struct http_res *res,
                                               const struct bough_head **out,
                                               struct bough_error *err);

/* The same, or `place` from the body when it is not NULL: "#branch.depth", or "" for no entry. */
BOUGH_MUST_CHECK enum bough_rc api_expect(struct http_req *req, struct http_res *res,
                                          const char *place, const struct bough_head **out,
                                          struct bough_error *err);
/* Pass the result of a write with an expected head through this: with If-Match a conflict becomes
 * 412 instead of 409, with the current head as detail. Without If-Match the 409 carries the head as
 * well. */
BOUGH_MUST_CHECK enum bough_rc api_head_lost(const struct http_req *req, struct http_res *res,
                                             enum bough_rc rc, const struct bough_error *err);

void api_put_id(struct http_res *res, int status, const char *id); /* {"id": ...} */

/* ---- the nouns: each table ends with { 0 } and is listed in routes.c ---- */

extern const struct http_route api_alkhub_message_routes[]; /* .../messages, .../parts */
extern const struct http_route api_alkhub_routes[];         /* /alkhub/v1/sessions */
extern const struct http_route api_append_routes[];         /* append, record */
extern const struct http_route api_attachment_routes[];     /* attachments of messages */
extern const struct http_route api_budget_routes[];         /* budgets */
extern const struct http_route api_care_routes[];           /* /healthz /readyz /metrics */
extern const struct http_route api_context_routes[];        /* context, markers */
extern const struct http_route api_cost_routes[];           /* cost */
extern const struct http_route api_entry_routes[];          /* entries, parts */
extern const struct http_route api_events_routes[];         /* events */
extern const struct http_route api_facet_routes[];          /* facets */
extern const struct http_route api_head_routes[];           /* head */
extern const struct http_route api_hecate_queue_routes[];   /* .../queue */
extern const struct http_route api_hecate_routes[];         /* /hecate/v1/chat/sessions */
extern const struct http_route api_index_routes[];          /* "/", /api/v1 */
extern const struct http_route api_message_routes[];        /* open messages */
extern const struct http_route api_note_routes[];           /* labels, memories, todos, calls */
extern const struct http_route api_openapi_routes[];        /* openapi.json */
extern const struct http_route api_outline_routes[];        /* outline, prompts */
extern const struct http_route api_queue_routes[];          /* waiting prompts */
extern const struct http_route api_search_routes[];         /* search */
extern const struct http_route api_session_routes[];        /* sessions */
extern const struct http_route api_source_routes[];         /* import sources */
extern const struct http_route api_status_routes[];         /* status, totals, ancestors */
extern const struct http_route api_store_routes[];          /* the store, its changelog, groups */
extern const struct http_route api_token_routes[];          /* tokens */
extern const struct http_route api_transfer_routes[];       /* import, export */
extern const struct http_route api_tree_routes[];           /* branches, diff */
extern const struct http_route api_ui_routes[];             /* .../ui-messages, .../ui-stream */

#endif
