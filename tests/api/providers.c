/* Providers and models over HTTP. */
#include <stdlib.h>
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/upstream.h"

/* A gateway with one local runtime and two hosted providers that are not asked. */
static struct gateway *gateway_with(struct test *t, struct upstream *u)
{
    const struct gateway_setting settings[] = {
        { "provider \"here\"", "kind", "openai-compatible" },
        { "provider \"here\"", "base_url", upstream_url(t, u, "") },
        { "provider \"here\"", "allow_private", "yes" },
        { "provider \"here\"", "alias", "fast=m-1" },
        { "provider \"claude\"", "kind", "anthropic" },
        { "provider \"claude\"", "key_env", "BOUGH_TEST_KEY" },
        { "provider \"claude\"", "models", "claude-opus-5 claude-*" },
        { "provider \"more\"", "kind", "openai" },
        { "provider \"more\"", "key_env", "BOUGH_TEST_KEY" },
        { "provider \"more\"", "models", "m-1 gpt-5" },
        { "gateway", "default", "more" },
    };
    struct gateway_config config = { t->store, settings, sizeof settings / sizeof *settings };
    struct gateway *g = NULL;

    CHECK_OK(gateway_create(&g, &config, &t->err));
    return g;
}

struct scene {
    struct upstream *u;
    struct gateway *g;
    struct world w;
};

static void scene_open(struct test *t, struct scene *s)
{
    s->u = upstream_start();
    upstream_say(s->u, "GET /v1/models", 200,
                 "{\"data\":[{\"id\":\"m-1\",\"context_window\":4096},{\"id\":\"m-2\"}]}");
    s->g = gateway_with(t, s->u);
    world_open_with(t, &s->w, (struct api_config){ .gateway = s->g });
}

static void scene_close(struct scene *s)
{
    world_close(&s->w);
    gateway_destroy(s->g);
    upstream_stop(s->u);
}

STORE_TEST(providers_are_listed_with_what_to_do_next)
{
    struct scene s;
    struct json j;

    unsetenv("BOUGH_TEST_KEY");
    scene_open(t, &s);
    j = world_gives(t, &s.w, "GET", "/api/v1/providers", "", 200);
    CHECK_STR("here", text_at(t, j, "items.0.name"));
    CHECK_STR("null", text_at(t, j, "items.0.reachable"));
    CHECK_STR("[\"/v1/chat/completions\"]", text_at(t, j, "items.0.routes"));
    CHECK_STR("claude", text_at(t, j, "items.1.name"));
    CHECK_STR("false", text_at(t, j, "items.1.configured"));
    CHECK_STR("no_key", text_at(t, j, "items.1.blocked"));
    CHECK_STR("environment BOUGH_TEST_KEY", text_at(t, j, "items.1.key_source"));
    CHECK_STR("set_key", text_at(t, j, "items.1.next_steps.0.do"));
    CHECK_STR("true", text_at(t, j, "items.2.default"));
    scene_close(&s);
}

STORE_TEST(a_refresh_asks_the_provider_and_shows_its_models)
{
    struct scene s;
    struct json j;

    scene_open(t, &s);
    j = world_gives(t, &s.w, "POST", "/api/v1/providers/here/refresh", "", 200);
    CHECK_STR("true", text_at(t, j, "reachable"));
    CHECK_STR("2", text_at(t, j, "model_count"));
    CHECK_STR("m-1", text_at(t, j, "models.0.id"));
    CHECK_STR("4096", text_at(t, j, "models.0.context"));
    j = world_gives(t, &s.w, "GET", "/api/v1/providers/here", "", 200);
    CHECK_STR("m-2", text_at(t, j, "models.1.id"));
    world_gives(t, &s.w, "GET", "/api/v1/providers/nobody", "", 404);
    world_gives(t, &s.w, "POST", "/api/v1/providers/nobody/refresh", "", 404);
    scene_close(&s);
}

STORE_TEST(a_key_is_never_in_an_answer)
{
    static const char *const paths[] = { "/api/v1/providers", "/api/v1/providers/claude",
                                         "/v1/models", "/api/v1/openapi.json" };
    struct scene s;

    setenv("BOUGH_TEST_KEY", "sk-canary", 1);
    scene_open(t, &s);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        struct http_reply r = world_own(t, &s.w, "GET", paths[i], "");

        CHECK_INT(200, r.status);
        CHECK(!memmem(r.body.p, r.body.n, "canary", 6));
    }
    unsetenv("BOUGH_TEST_KEY");
    scene_close(&s);
}

STORE_TEST(models_are_listed_in_the_shape_of_the_client)
{
    const char *token;
    struct http_reply r;
    struct scene s;
    struct json j;

    scene_open(t, &s);
    world_gives(t, &s.w, "POST", "/api/v1/providers/here/refresh", "", 200);
    j = world_gives(t, &s.w, "GET", "/v1/models?limit=5", "", 200);
    CHECK_STR("list", text_at(t, j, "object"));
    CHECK_STR("m-1", text_at(t, j, "data.0.id")); /* of the default provider */
    CHECK_STR("more", text_at(t, j, "data.0.owned_by"));
    CHECK_STR("gpt-5", text_at(t, j, "data.1.id"));
    CHECK_STR("fast", text_at(t, j, "data.2.id"));
    CHECK_STR("here/m-1", text_at(t, j, "data.3.id"));
    CHECK_STR("m-2", text_at(t, j, "data.4.id"));
    CHECK_INT(5, json_count(json_member(j, "data")));
    j = world_gives(t, &s.w, "GET", "/v1/models/m-2", "", 200);
    CHECK_STR("here", text_at(t, j, "owned_by"));
    j = world_gives(t, &s.w, "GET", "/v1/models/here/m-1", "", 200);
    CHECK_STR("4096", text_at(t, j, "context_window"));
    world_gives(t, &s.w, "GET", "/v1/models/none", "", 404);
    token = world_token(t, "tool", "gateway", "");
    r = world_ask(
        t, &s.w, "GET", "/v1/models",
        arena_printf(t->arena, "x-api-key: %s\r\nanthropic-version: 2023-06-01\r\n", token), "");
    CHECK_INT(200, r.status);
    j = reply_json(t, &r);
    CHECK_STR("claude-opus-5", text_at(t, j, "data.0.id"));
    CHECK_STR("model", text_at(t, j, "data.0.type"));
    CHECK_STR("claude-opus-5", text_at(t, j, "last_id"));
    CHECK_STR("false", text_at(t, j, "has_more"));
    CHECK_INT(1, json_count(json_member(j, "data")));
    scene_close(&s);
}
