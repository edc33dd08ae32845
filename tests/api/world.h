/* An API over a store, called through the loopback. */
#ifndef API_WORLD_H
#define API_WORLD_H

#include "api/api.h"
#include "api/schema/schema.h"
#include "gateway/gateway.h"
#include "http/loopback.h"
#include "lib/store_test.h"

struct world {
    struct auth *auth;
    struct api *api;
    struct gateway *gateway; /* NULL if the test gave its own */
};

void world_open(struct test *t, struct world *w); /* over t->store; its host is localhost:7331 */
/* Without routes in `config.more`, those of the gateway are added. */
void world_open_with(struct test *t, struct world *w, struct api_config config);
void world_close(struct world *w);

/* Create a token and return its secret. `scopes` has the syntax of `bough token create`. */
const char *world_token(struct test *t, const char *label, const char *scopes, const char *project);

/* Send a request over TCP with these header lines. Host is added if missing. */
struct http_reply world_ask(struct test *t, struct world *w, const char *method, const char *target,
                            const char *headers, const char *body);
/* Send a request as the owner, over the Unix socket. */
struct http_reply world_own(struct test *t, struct world *w, const char *method, const char *target,
                            const char *body);
/* The same, and check the status and that the reply matches its route's schema, or Error. */
struct json world_gives(struct test *t, struct world *w, const char *method, const char *target,
                        const char *body, int status);
const char *bearer(struct test *t, const char *secret); /* the Authorization header line */

const struct http_route *world_row(struct world *w, const char *method, const char *target);
struct json schema_named(struct test *t, const char *name); /* as JSON Schema */
void check_fits(struct test *t, const char *schema, struct json value);
struct json reply_json(struct test *t, const struct http_reply *r);
/* The value at a path like "items.0.id": a string's text, or any other value's raw JSON. */
const char *text_at(struct test *t, struct json j, const char *path);
const char *of_session(struct test *t, const char *session, const char *rest); /* a path */

/* The path of a route with every {name} filled in. */
const char *world_path(struct test *t, const struct http_route *r);

#endif
