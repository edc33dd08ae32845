/* The routes of providers: a request is read, checked, edited and sent on. */
#include <string.h>

#include "api/kit/api.h"
#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/wire/client.h"
#include "core/wire/fault.h"
#include "core/wire/request.h"
#include "gateway/decode.h"
#include "gateway/gateway.h"
#include "gateway/kit/record.h"
#include "gateway/relay/headers.h"
#include "gateway/relay/relay.h"

/* What is done with a request besides sending it on. */
enum passing { PLAIN, READ, RECORDED };

/* One request on its way. */
struct forward {
    struct gateway *g;
    struct http_req *req;
    struct http_res *res;
    enum wire wire;
    const char *path;    /* behind "/v1" */
    const char *purpose; /* of forward_for() */
    bool recorded;
    struct bough_arena *a; /* of what is read; the recorder's at the end */
    struct wire_request request;
    struct client_found client;
    struct bough_session *session; /* named by the client; NULL: none */
    struct provider_route route;
    struct relay_target *targets;
    struct price_table prices;
    struct bough_budget_ask ask;
    struct bough_budget_refusal refusal;
    struct bough_error err;
};

/* ---- refusals, as the wire's own provider would write them ---- */

static enum bough_rc refuse(struct forward *f, int status, const char *code, struct bough_str more)
{
    struct wire_fault fault = {
        .status = status, .code = code, .message = f->err.msg, .more = more
    };
    struct bough_str text = wire_fault_body(f->req->arena, f->wire, &fault);

    http_text(f->res, status, "application/json");
    http_write(f->res, text.p, text.n);
    return BOUGH_OK;
}

static int status_of(enum bough_rc rc)
{
    switch (rc) {
    case BOUGH_INVALID:
    case BOUGH_INVALID_PART:
    case BOUGH_TOO_DEEP:
    case BOUGH_AMBIGUOUS:
        return 400;
    case BOUGH_NOT_FOUND:
    case BOUGH_GONE:
        return 404;
    case BOUGH_TOO_LARGE:
        return 413;
    case BOUGH_BUDGET_EXCEEDED:
    case BOUGH_PRICE_UNKNOWN:
        return 402;
    case BOUGH_ARCHIVED:
        return 403;
    default: /* never 409: clients try that again */
        return 503;
    }
}

static enum bough_rc refuse_rc(struct forward *f, enum bough_rc rc)
{
    return refuse(f, status_of(rc), bough_rc_name(rc), str_of(""));
}

static struct bough_str refusal_json(struct forward *f)
{
    const struct bough_budget_refusal *no = &f->refusal;
    struct json_writer w;
    struct buf b;

    buf_init(&b, 4096);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "scope", bough_budget_scope_name(no->scope));
    jw_kv_cstr(&w, "window", bough_budget_window_name(no->window));
    jw_kv_i64(&w, "spent_nano_usd", no->spent);
    jw_kv_i64(&w, "held_nano_usd", no->held);
    jw_kv_i64(&w, "cap_nano_usd", no->cap);
    if (no->until)
        jw_kv_i64(&w, "window_ends_ms", no->until);
    jw_end_obj(&w);
    return buf_give(&b, f->req->arena);
}

/* ---- reading ---- */

static enum bough_rc read_request(struct forward *f)
{
    struct client_header *headers =
        arena_array(f->a, f->req->nheaders ? f->req->nheaders : 1, sizeof *headers);
    struct bough_str body;
    bool unknown;
    enum bough_rc rc = decode_body(f->req, &body, &unknown, &f->err);

    if (unknown)
        return refuse(f, 415, "unsupported_encoding", str_of("")) ? rc : BOUGH_DENIED;
    if (!rc)
        rc = wire_request_read(f->a, f->wire, body, &f->request, &f->err);
    for (size_t i = 0; i < f->req->nheaders; i++)
        headers[i] = (struct client_header){ f->req->headers[i].name, f->req->headers[i].value };
    if (!rc)
        client_identify(f->a, &f->request, headers, f->req->nheaders, &f->client);
    if (!rc && f->purpose)
        f->client.purpose = f->purpose;
    return rc;
}

static enum bough_rc find_session(struct forward *f)
{
    const char *name = http_header(f->req, "x-bough-session");

    if (!name)
        name = f->request.session_id;
    return name ? api_session_named(f->req, name, &f->session, &f->err) : BOUGH_OK;
}

/* ---- planning ---- */

static enum bough_rc find_route(struct forward *f)
{
    struct provider_ask ask = { .wire = f->wire, .path = f->path, .model = f->request.model };
    enum bough_rc rc =
        providers_route(gateway_providers(f->g), f->req->arena, &ask, &f->route, &f->err);

    if (!rc)
        return BOUGH_OK;
    if (rc == BOUGH_NOT_FOUND)
        (void)refuse(f, 404, "model_not_found", str_of(""));
    else if (rc == BOUGH_DENIED)
        (void)refuse(f, 503, "provider_not_configured", str_of(""));
    else
        (void)refuse_rc(f, rc);
    return BOUGH_DENIED;
}

static void make_targets(struct forward *f)
{
    f->targets = arena_array(f->req->arena, f->route.n, sizeof *f->targets);
    for (size_t i = 0; i < f->route.n; i++) {
        const struct provider_target *to = &f->route.targets[i];
        struct relay_target *t = &f->targets[i];
        struct wire_edit_options how = {
            .prompt = f->session && *f->session->system_prompt ? f->session->system_prompt : NULL,
            .model = to->model,
        };

        t->to = *to;
        if (f->req->query.n)
            t->to.url = arena_printf(f->req->arena, "%s?%s", to->url, f->req->query.p);
        t->headers = headers_up(f->req, to);
        t->body = wire_request_edit(f->req->arena, &f->request, &how);
        how.ask_usage = to->ask_usage && f->recorded && f->wire == WIRE_CHAT && f->request.stream &&
                        f->request.usage == WIRE_USAGE_OPEN;
        if (how.ask_usage) {
            t->plain = t->body;
            t->body = wire_request_edit(f->req->arena, &f->request, &how);
        }
    }
}

/* What the call may cost, if there is a budget that could refuse it. */
static enum bough_rc ask_budget(struct forward *f, bool *wanted)
{
    struct answered who = { .provider = f->targets[0].to.price_name,
                            .model = f->targets[0].to.model ? f->targets[0].to.model
                                                            : f->request.model };
    struct bough_budgets budgets;
    struct cost cost;
    enum bough_rc rc = bough_budget_list(api_of(f->req)->store, f->a, &budgets, &f->err);

    *wanted = !rc && budgets.n > 0;
    if (!*wanted)
        return rc;
    cost = cost_estimate(price_find(&f->prices, who.provider, who.model, env_now(&env_system)),
                         (int64_t)f->request.body.n,
                         f->request.max_output > 0 ? f->request.max_output : 0);
    f->ask = (struct bough_budget_ask){ .estimate = cost.nano,
                                        .unknown = cost.source == BOUGH_COST_UNKNOWN,
                                        .refusal = &f->refusal };
    return BOUGH_OK;
}

/* The recorder. It begins before the request is sent where that can refuse it: a budget, a session
 * that the client named, or with `required` a store that failed a moment ago. Else it begins beside
 * it. */
static enum bough_rc make_record(struct forward *f, struct record **out)
{
    const struct auth_who *who = auth_who(f->req);
    bool budget = false;
    enum bough_rc rc = ask_budget(f, &budget);
    struct record *r;

    if (rc)
        return rc;
    r = record_create(&(struct record_options){
        .store = gateway_store(f->g),
        .principal = strncmp(who->name, "token:", 6) == 0 ? who->name : NULL,
        .project = who->project,
        .id = f->req->id,
        .reading = f->a,
        .request = &f->request,
        .client = &f->client,
        .session = f->session ? f->session->id : NULL,
        .sent_reply = f->request.stream,
        .targets = f->targets,
        .prices = f->prices,
        .budget = budget ? &f->ask : NULL,
    });
    f->a = NULL;
    if (budget || f->session ||
        (gateway_records(f->g) == GATEWAY_REQUIRED && gateway_troubled(f->g)))
        rc = record_begin(r, &f->err);
    if (rc)
        record_destroy(r);
    else
        *out = r;
    return rc;
}

static enum bough_rc plan(struct forward *f)
{
    bool required = gateway_records(f->g) == GATEWAY_REQUIRED;
    struct relay_plan p = {
        .gateway = f->g,
        .wire = f->wire,
        .method = f->req->route->method,
        .id = f->req->id,
        .targets = f->targets,
        .ntargets = f->route.n,
        .retries = f->route.retries,
        .drop_usage = f->targets[0].plain.n > 0,
        .required = required,
        .finish = gateway_finishes(f->g),
    };
    enum bough_rc rc = BOUGH_OK;

    if (f->recorded)
        rc = make_record(f, &p.record);
    if (rc == BOUGH_BUDGET_EXCEEDED || rc == BOUGH_PRICE_UNKNOWN) {
        (void)refuse(f, 402, rc == BOUGH_PRICE_UNKNOWN ? "price_unknown" : "budget_exceeded",
                     refusal_json(f));
        return BOUGH_DENIED;
    }
    /* A client's mistake is refused in any case; a store that is away only where it is required. */
    if (rc && (required || status_of(rc) != 503))
        return rc;
    if (rc)
        gateway_count(f->g, GATEWAY_LOST);
    relay_answer(f->req, f->res, &p);
    return BOUGH_OK;
}

static enum bough_rc run(struct forward *f)
{
    enum bough_rc rc = read_request(f);

    if (!rc)
        rc = find_session(f);
    if (!rc)
        rc = find_route(f);
    if (!rc) {
        f->prices = gateway_prices(f->g);
        make_targets(f);
        rc = plan(f);
    }
    return rc;
}

/* A request that is neither read nor recorded: only its model is looked at, to find its
 * provider. */
static enum bough_rc run_plain(struct forward *f)
{
    struct relay_plan p = { .gateway = f->g,
                            .wire = f->wire,
                            .method = f->req->route->method,
                            .id = f->req->id,
                            .ntargets = 1 };
    struct bough_str body;
    struct json json = { 0 };
    bool unknown;
    enum bough_rc rc = decode_body(f->req, &body, &unknown, &f->err);

    if (!rc && body.n)
        rc = json_parse(f->a, body, &json, &f->err);
    if (rc)
        return rc;
    f->request.model = body.n ? json_cstr(f->a, json, "model") : NULL;
    if (!f->request.model)
        f->request.model = "";
    rc = find_route(f);
    if (rc)
        return rc;
    f->targets = arena_array(f->req->arena, 1, sizeof *f->targets);
    f->targets[0] = (struct relay_target){ .to = f->route.targets[0],
                                           .headers = headers_up(f->req, &f->route.targets[0]),
                                           .body = body };
    if (f->req->query.n)
        f->targets[0].to.url =
            arena_printf(f->req->arena, "%s?%s", f->targets[0].to.url, f->req->query.p);
    p.targets = f->targets;
    relay_answer(f->req, f->res, &p);
    return BOUGH_OK;
}

/* `purpose`: why the request is made beside its conversation, where its path says so; or NULL. */
static enum bough_rc forward_for(struct http_req *req, struct http_res *res, enum wire wire,
                                 enum passing how, const char *purpose)
{
    /* In the request's arena, because the recorder keeps pointers to its members. */
    struct forward *f = arena_zalloc(req->arena, sizeof *f);
    enum bough_rc rc;

    f->g = gateway_of(req);
    f->req = req;
    f->res = res;
    f->wire = wire;
    f->purpose = purpose;
    f->path = req->path + 3;
    f->recorded = how == RECORDED && gateway_records(f->g) != GATEWAY_OFF;
    f->a = bough_arena_create();
    rc = how == PLAIN ? run_plain(f) : run(f);
    bough_arena_destroy(f->a);
    if (rc && rc != BOUGH_DENIED) /* DENIED: the answer is written */
        return refuse_rc(f, rc);
    return BOUGH_OK;
}

static enum bough_rc forward(struct http_req *req, struct http_res *res, enum wire wire,
                             enum passing how)
{
    return forward_for(req, res, wire, how, NULL);
}

static enum bough_rc post_chat(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    (void)err;
    return forward(req, res, WIRE_CHAT, RECORDED);
}

static enum bough_rc post_responses(struct http_req *req, struct http_res *res,
                                    struct bough_error *err)
{
    (void)err;
    return forward(req, res, WIRE_RESPONSES, RECORDED);
}

/* What the provider made of the conversation comes back as the history of the next request, which
 * then becomes a marker. This one must not move the head. */
static enum bough_rc compact_responses(struct http_req *req, struct http_res *res,
                                       struct bough_error *err)
{
    (void)err;
    return forward_for(req, res, WIRE_RESPONSES, RECORDED, "compaction");
}

static enum bough_rc post_messages(struct http_req *req, struct http_res *res,
                                   struct bough_error *err)
{
    (void)err;
    return forward(req, res, WIRE_MESSAGES, RECORDED);
}

static enum bough_rc count_messages(struct http_req *req, struct http_res *res,
                                    struct bough_error *err)
{
    (void)err;
    return forward(req, res, WIRE_MESSAGES, READ);
}

static enum bough_rc count_responses(struct http_req *req, struct http_res *res,
                                     struct bough_error *err)
{
    (void)err;
    return forward(req, res, WIRE_RESPONSES, READ);
}

enum { PASSES = HTTP_STREAMS | HTTP_RAW_BODY | HTTP_ANY_QUERY | HTTP_ENCODED };

static enum bough_rc pass_chat(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    (void)err;
    return forward(req, res, WIRE_CHAT, PLAIN);
}

static enum bough_rc pass_responses(struct http_req *req, struct http_res *res,
                                    struct bough_error *err)
{
    (void)err;
    return forward(req, res, WIRE_RESPONSES, PLAIN);
}

/* Claude Code asks at every start whether the server is there. */
static enum bough_rc say_hello(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    (void)req;
    (void)err;
    http_text(res, 200, "text/plain");
    return BOUGH_OK;
}

const struct http_route gateway_routes[] = {
    { "POST", "/v1/chat/completions", post_chat, AUTH_GATEWAY,
      "Send a chat completion to its provider, and record it.", .flags = PASSES,
      .body_max = DECODED_MOST, .drop = relay_drop },
    { "POST", "/v1/responses", post_responses, AUTH_GATEWAY,
      "Send a response request to its provider, and record it.", .flags = PASSES,
      .body_max = DECODED_MOST, .drop = relay_drop },
    { "POST", "/v1/messages", post_messages, AUTH_GATEWAY,
      "Send a messages request to its provider, and record it.", .flags = PASSES,
      .body_max = DECODED_MOST, .drop = relay_drop },
    { "POST", "/v1/messages/count_tokens", count_messages, AUTH_GATEWAY,
      "Count the tokens of a messages request, by its provider.", .flags = PASSES,
      .body_max = DECODED_MOST, .drop = relay_drop },
    { "POST", "/v1/responses/input_tokens", count_responses, AUTH_GATEWAY,
      "Count the tokens of a response request, by its provider.", .flags = PASSES,
      .body_max = DECODED_MOST, .drop = relay_drop },
    { "POST", "/v1/responses/compact", compact_responses, AUTH_GATEWAY,
      "Compact a conversation, by its provider; it is recorded beside the conversation.",
      .flags = PASSES, .body_max = DECODED_MOST, .drop = relay_drop },
    { "GET", "/v1/responses/{id}", pass_responses, AUTH_GATEWAY,
      "Read a stored response, from its provider.", .flags = PASSES, .drop = relay_drop },
    { "DELETE", "/v1/responses/{id}", pass_responses, AUTH_GATEWAY,
      "Delete a stored response, at its provider.", .flags = PASSES, .drop = relay_drop },
    { "POST", "/v1/responses/{id}/cancel", pass_responses, AUTH_GATEWAY,
      "Cancel a response that runs in the background.", .flags = PASSES, .drop = relay_drop },
    { "GET", "/v1/responses/{id}/input_items", pass_responses, AUTH_GATEWAY,
      "Read the items of a stored response, from its provider.", .flags = PASSES,
      .drop = relay_drop },
    { "POST", "/v1/embeddings", pass_chat, AUTH_GATEWAY,
      "Send an embeddings request to its provider; it is not recorded.", .flags = PASSES,
      .body_max = DECODED_MOST, .drop = relay_drop },
    { "POST", "/v1/completions", pass_chat, AUTH_GATEWAY,
      "Send a completion of the old kind to its provider; it is not recorded.", .flags = PASSES,
      .body_max = DECODED_MOST, .drop = relay_drop },
    { "POST", "/v1/moderations", pass_chat, AUTH_GATEWAY,
      "Send a moderation request to its provider; it is not recorded.", .flags = PASSES,
      .body_max = DECODED_MOST, .drop = relay_drop },
    { "GET", "/api/hello", say_hello, AUTH_OPEN, "Answers that the server is there.",
      .flags = HTTP_PRIVATE },
    { 0 },
};
