/*
 * The JSON API as a whole: created for a store, given to a server.
 *
 * api.c and routes.c are the top: they know the nouns and the events. nouns/, originals/ and
 * events/ hold the handlers; they use kit/, and nothing in kit/ refers to them.
 */
#ifndef API_API_H
#define API_API_H

#include "api/kit/api.h"

struct api_config {
    struct bough_store *store;            /* borrowed */
    struct auth *auth;                    /* borrowed */
    const struct http_route *const *more; /* extra route tables, NULL-terminated; may be NULL */
    int requests_each, streams_each;      /* limits per caller; 0: 256 and 1024 */
};

struct api *api_create(const struct api_config *config);
void api_destroy(struct api *a);
/* The application to pass to a server or to the loopback. */
const struct http_app *api_app(struct api *a);
/* Set the server whose figures /metrics prints and whose draining makes /readyz fail. NULL detaches
 * it; the server must be detached before it is destroyed. */
void api_watch(struct api *a, const struct http_server *server);

extern const struct http_route *const api_tables[]; /* routes.c: NULL at the end; sorted by name */

#endif
