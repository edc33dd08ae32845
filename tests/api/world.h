/* An API over a store, through the loopback. */
#ifndef API_WORLD_H
#define API_WORLD_H

#include "api/api.h"
#include "http/loopback.h"
#include "lib/store_test.h"

struct world {
    struct auth *auth;
    struct api *api;
};

void world_open(struct test *t, struct world *w); /* over t->store; names localhost:7331 */
void world_open_with(struct test *t, struct world *w, struct api_config config);
void world_close(struct world *w);

/* A new token's secret. `scopes` as `bough token create` reads them. */
const char *world_token(struct test *t, const char *label, const char *scopes, const char *project);

/* Over TCP, with these header lines (Host is added when there is none). */
struct http_reply world_ask(struct test *t, struct world *w, const char *method, const char *target,
                            const char *headers, const char *body);
/* As the owner, over the Unix socket. */
struct http_reply world_own(struct test *t, struct world *w, const char *method, const char *target,
                            const char *body);
/* The same; the status must be this one, and the answer must fit the schema of its row, or Error.
 */
struct json world_gives(struct test *t, struct world *w, const char *method, const char *target,
                        const char *body, int status);
const char *bearer(struct test *t, const char *secret); /* its header line */

const struct http_route *world_row(struct world *w, const char *method, const char *target);
struct json schema_named(struct test *t, const char *name); /* as JSON Schema */
void check_fits(struct test *t, const char *schema, struct json value);
struct json reply_json(struct test *t, const struct http_reply *r);
/* A string, or the raw text, at "items.0.id". */
const char *text_at(struct test *t, struct json j, const char *path);
const char *of_session(struct test *t, const char *session, const char *rest); /* a path */

#endif
