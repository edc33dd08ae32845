/*
 * The JSON API as a whole: created for a store, given to a server.
 *
 * api.c and routes.c are the top: they know the nouns and the events. nouns/, originals/ and
 * events/ hold the handlers; they use kit/, and nothing in kit/ refers to them.
 */
#ifndef API_API_H
#define API_API_H

#include "api/kit/api.h"
#include "http/loopback.h"

struct api_config {
    struct bough_store *store;            /* borrowed */
    struct auth *auth;                    /* borrowed */
    const struct http_route *const *more; /* extra route tables, NULL-terminated; may be NULL */
    void *gateway;                        /* for api_gateway(), borrowed; NULL: there is none */
    void *runner;                         /* for api_runner(), borrowed; NULL: there is none */
    /* Writes its metrics with api_metric(); may be NULL. */
    void (*metrics)(void *gateway, struct http_res *res);
    int requests_each, streams_each; /* limits per caller; 0: 256 and 1024 */
};

struct api *api_create(const struct api_config *config);
void api_destroy(struct api *a);
/* The application to pass to a server or to the loopback. */
const struct http_app *api_app(struct api *a);
/* A request that the program makes itself, on behalf of a caller. */
struct api_ask {
    const struct auth_who *who; /* must live as long as the call; its scopes decide */
    const bool *cancel;         /* NULL, or: once true, the store gives up */
    const char *method, *target;
    const char *key;       /* Idempotency-Key, without control characters; or NULL */
    struct bough_str body; /* JSON, or empty */
    size_t most;           /* bytes of the answer to take; out->cut says that there are more */
};

/* Run the route in the caller's thread, as http_loopback() does. Host, Origin and the credential
 * are not checked again: the caller has passed a gate, or is the owner. */
void api_ask(struct api *a, struct bough_arena *arena, const struct api_ask *ask,
             struct http_reply *out);

/* Set the server whose figures /metrics prints and whose draining makes /readyz fail. NULL detaches
 * it; the server must be detached before it is destroyed. */
void api_watch(struct api *a, const struct http_server *server);

extern const struct http_route *const api_tables[]; /* routes.c: NULL at the end; sorted by name */

#endif
