/* An API over a store, called through the loopback. */
#include "api/world.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/providers_api.h"
#include "run/api/routes.h"
#include "run/hecate/routes.h"

void world_open(struct test *t, struct world *w)
{
    world_open_with(t, w, (struct api_config){ 0 });
}

void world_open_with(struct test *t, struct world *w, struct api_config config)
{
    static const struct http_route *const more[] = { gateway_provider_routes, RUN_ROUTE_TABLES,
                                                     HECATE_ROUTE_TABLES, NULL };
    struct gateway_config gateway = { .store = t->store };
    static struct bough_env env;

    env = (struct bough_env){ .now = t->env.env.now,
                              .random = t->env.env.random,
                              .user = t->env.env.user };
    w->auth = auth_create(t->store, NULL, &env);
    auth_allow_host(w->auth, "127.0.0.1", 7331);
    auth_allow_host(w->auth, "::1", 7331);
    config.store = t->store;
    config.auth = w->auth;
    w->gateway = NULL;
    if (!config.gateway) {
        CHECK_OK(gateway_create(&w->gateway, &gateway, &t->err));
        config.gateway = w->gateway;
    }
    if (!config.more)
        config.more = more;
    w->api = api_create(&config);
}

void world_close(struct world *w)
{
    api_destroy(w->api);
    auth_destroy(w->auth);
    gateway_destroy(w->gateway);
}

const char *world_token(struct test *t, const char *label, const char *scopes, const char *project)
{
    struct auth_token in = { .label = label, .project = project }, out;
    const char *secret;

    CHECK_OK(auth_scopes_parse(scopes, &in.scopes, &t->err));
    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &secret, &out, &t->err));
    return secret;
}

static struct http_reply ask(struct test *t, struct world *w, struct http_ask a)
{
    struct http_reply r;

    http_loopback(api_app(w->api), t->arena, &a, &r);
    return r;
}

struct http_reply world_ask(struct test *t, struct world *w, const char *method, const char *target,
                            const char *headers, const char *body)
{
    if (!strstr(headers, "Host:"))
        headers = arena_printf(t->arena, "Host: localhost:7331\r\n%s", headers);
    return ask(t, w, (struct http_ask){ method, target, headers, str_of(body), HTTP_VIA_TCP, 0 });
}

struct http_reply world_own(struct test *t, struct world *w, const char *method, const char *target,
                            const char *body)
{
    return ask(t, w,
               (struct http_ask){ method, target, "Content-Type: application/json\r\n",
                                  str_of(body), HTTP_VIA_UNIX, 0 });
}

const char *bearer(struct test *t, const char *secret)
{
    return arena_printf(t->arena, "Authorization: Bearer %s\r\n", secret);
}

const char *world_path(struct test *t, const struct http_route *r)
{
    char *path = arena_strdup(t->arena, r->path), *p;

    while ((p = strchr(path, '{'))) {
        char *end = strchr(p, '}');

        *p = 'x';
        memmove(p + 1, end + 1, strlen(end + 1) + 1);
    }
    return path;
}
