/* Providers over HTTP: how they are, and the models that clients can ask for. */
#include "gateway/providers_api.h"

#include <string.h>

#include "api/kit/api.h"
#include "api/kit/body.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "gateway/gateway.h"
#include "gateway/kit/try.h"

/* ---- forms ---- */

static void put_time(struct json_writer *w, const char *name, int64_t time)
{
    char text[ISO_TEXT];

    iso_print(time, text);
    jw_kv_cstr(w, name, *text ? text : NULL);
}

static void put_models(struct json_writer *w, const struct provider_info *p)
{
    jw_key(w, "models");
    jw_arr(w);
    for (size_t i = 0; i < p->nmodels; i++) {
        jw_obj(w);
        jw_kv_cstr(w, "id", p->models[i].id);
        jw_opt_i64(w, "context", p->models[i].context);
        if (p->models[i].loaded >= 0)
            jw_kv_bool(w, "loaded", p->models[i].loaded);
        jw_end_obj(w);
    }
    jw_end_arr(w);
}

static void put_routes(struct json_writer *w, const struct provider_info *p)
{
    jw_key(w, "routes");
    jw_arr(w);
    for (unsigned wire = WIRE_CHAT; wire <= WIRE_MESSAGES; wire++)
        if (p->wires & 1u << wire)
            jw_cstr(w, wire_path((enum wire)wire));
    jw_end_arr(w);
}

static void put_steps(struct json_writer *w, const struct provider_info *p)
{
    jw_key(w, "next_steps");
    jw_arr(w);
    for (size_t i = 0; i < p->nsteps; i++) {
        jw_obj(w);
        jw_kv_cstr(w, "do", p->steps[i].act);
        jw_kv_cstr(w, "text", p->steps[i].text);
        jw_end_obj(w);
    }
    jw_end_arr(w);
}

void provider_form(struct json_writer *w, const struct provider_info *p, bool models)
{
    jw_obj(w);
    jw_kv_cstr(w, "name", p->name);
    jw_kv_cstr(w, "kind", provider_kind_name(p->kind));
    jw_kv_cstr(w, "base_url", p->base_url);
    put_routes(w, p);
    jw_kv_cstr(w, "auth", provider_auth_name(p->auth));
    jw_kv_bool(w, "configured", p->configured);
    jw_kv_cstr(w, "key_source", p->key_source);
    jw_kv_bool(w, "discovered", p->discovered);
    jw_kv_bool(w, "default", p->preferred);
    jw_key(w, "reachable");
    if (p->asked)
        jw_bool(w, p->reachable);
    else
        jw_null(w);
    put_time(w, "checked_at", p->checked);
    jw_kv_i64(w, "latency_ms", p->latency_ms);
    jw_kv_i64(w, "model_count", (int64_t)p->nmodels);
    put_time(w, "models_at", p->models_time);
    if (models)
        put_models(w, p);
    jw_kv_cstr(w, "last_error", *p->last_error ? p->last_error : NULL);
    put_time(w, "last_error_at", p->last_error_time);
    jw_kv_cstr(w, "blocked", p->blocked);
    put_steps(w, p);
    jw_end_obj(w);
}

/* ---- /api/v1/providers ---- */

static struct providers *providers_of(const struct http_req *req)
{
    struct gateway *g = api_gateway(req);

    return gateway_providers(g);
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct provider_infos all;
    struct json_writer *w;

    (void)err;
    providers_list(providers_of(req), req->arena, &all);
    w = api_items(res);
    for (size_t i = 0; i < all.n; i++)
        provider_form(w, &all.at[i], false);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc one(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct provider_info p;
    enum bough_rc rc =
        providers_info(providers_of(req), req->arena, http_param(req, "provider"), &p, err);

    if (!rc)
        provider_form(http_json(res, 200), &p, true);
    return rc;
}

static enum bough_rc refresh(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    enum bough_rc rc = providers_refresh(providers_of(req), http_param(req, "provider"), err);

    return rc ? rc : one(req, res, err);
}

struct test_body {
    const char *model;
};

static const struct api_member test_members[] = {
    { "model", API_TEXT, offsetof(struct test_body, model) },
    { 0 },
};

static enum bough_rc test(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct provider_tried tried = { .why = "" };
    struct test_body in = { 0 };
    struct json_writer *w;
    enum bough_rc rc = api_body(req, test_members, &in, err);

    if (!rc && cstr_empty(in.model))
        rc = bough_fail(err, BOUGH_INVALID, "model is missing: name the model to test");
    if (!rc)
        rc = providers_try(providers_of(req), req->arena, http_param(req, "provider"), in.model,
                           &tried, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "provider", tried.provider);
    jw_kv_cstr(w, "model", in.model);
    jw_kv_cstr(w, "route", tried.path);
    jw_kv_bool(w, "answered", !*tried.why);
    jw_kv_i64(w, "status", tried.status);
    jw_kv_i64(w, "latency_ms", tried.ms);
    jw_kv_cstr(w, "error", *tried.why ? tried.why : NULL);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- /v1/models, as clients of OpenAI and Anthropic expect it ---- */

static bool is_anthropic(const struct http_req *req)
{
    return http_header(req, "anthropic-version") != NULL;
}

static void read_models(const struct http_req *req, struct gateway_models *out)
{
    unsigned wires =
        is_anthropic(req) ? 1u << WIRE_MESSAGES : 1u << WIRE_CHAT | 1u << WIRE_RESPONSES;

    providers_models(providers_of(req), req->arena, wires, out);
}

static void put_model(struct json_writer *w, const struct gateway_model *m, bool anthropic)
{
    jw_obj(w);
    jw_kv_cstr(w, "id", m->id);
    if (anthropic) {
        jw_kv_cstr(w, "type", "model");
        jw_kv_cstr(w, "display_name", m->id);
        jw_kv_cstr(w, "created_at", "1970-01-01T00:00:00Z"); /* not known, but expected */
    } else {
        jw_kv_cstr(w, "object", "model");
        jw_kv_i64(w, "created", 0);
        jw_kv_cstr(w, "owned_by", m->provider);
        jw_opt_i64(w, "context_window", m->context);
    }
    jw_end_obj(w);
}

static enum bough_rc models(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    bool anthropic = is_anthropic(req);
    struct gateway_models all;
    struct json_writer *w;

    (void)err;
    read_models(req, &all);
    w = http_json(res, 200);
    jw_obj(w);
    if (!anthropic)
        jw_kv_cstr(w, "object", "list");
    jw_key(w, "data");
    jw_arr(w);
    for (size_t i = 0; i < all.n; i++)
        put_model(w, &all.at[i], anthropic);
    jw_end_arr(w);
    if (anthropic) {
        jw_kv_bool(w, "has_more", false);
        jw_kv_cstr(w, "first_id", all.n ? all.at[0].id : NULL);
        jw_kv_cstr(w, "last_id", all.n ? all.at[all.n - 1].id : NULL);
    }
    jw_end_obj(w);
    return BOUGH_OK;
}

/* {provider}/{model} is a name with a slash. */
static enum bough_rc model(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *prefix = http_param(req, "provider"), *name = http_param(req, "model");
    const char *id = prefix ? arena_printf(req->arena, "%s/%s", prefix, name) : name;
    struct gateway_models all;

    read_models(req, &all);
    for (size_t i = 0; i < all.n; i++)
        if (strcmp(all.at[i].id, id) == 0) {
            put_model(http_json(res, 200), &all.at[i], is_anthropic(req));
            return BOUGH_OK;
        }
    return bough_fail(err, BOUGH_NOT_FOUND,
                      "there is no model \"%.80s\": GET /v1/models lists them", id);
}

const struct http_route gateway_provider_routes[] = {
    { "GET", "/api/v1/providers", list, AUTH_READ,
      "List the providers of models: whether they can be used, and what to do if not.",
      .gives = "Providers" },
    { "GET", "/api/v1/providers/{provider}", one, AUTH_READ,
      "A provider, with its models and how it is.", .gives = "Provider" },
    { "POST", "/api/v1/providers/{provider}/refresh", refresh, AUTH_ADMIN,
      "Ask a provider now how it is and which models it has.", .gives = "Provider",
      .flags = HTTP_LONG },
    { "POST", "/api/v1/providers/{provider}/test", test, AUTH_ADMIN,
      "Send one request of at most 16 tokens to a provider, to see whether it answers. It may cost "
      "a "
      "little money. A provider that refuses is told of in the answer, with status 200.",
      .takes = "ProviderTest", .gives = "ProviderTested", .flags = HTTP_LONG },
    { "GET", "/v1/models", models, AUTH_GATEWAY,
      "The models that can be asked for, as OpenAI answers; with anthropic-version, as Anthropic.",
      .gives = "ModelList", .flags = HTTP_ANY_QUERY },
    { "GET", "/v1/models/{model}", model, AUTH_GATEWAY, "One model, in the same form.",
      .gives = "Model", .flags = HTTP_ANY_QUERY },
    { "GET", "/v1/models/{provider}/{model}", model, AUTH_GATEWAY,
      "One model whose name has a slash, such as that of a provider.", .gives = "Model",
      .flags = HTTP_ANY_QUERY },
    { 0 },
};
