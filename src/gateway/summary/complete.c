/* One question to a model and its whole answer. */
#include "gateway/summary/complete.h"

#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/wire/fault.h"
#include "core/wire/reply/reply.h"
#include "gateway/client/fetch.h"
#include "gateway/kit/ask.h"
#include "gateway/kit/call.h"
#include "gateway/kit/secret.h"
#include "gateway/kit/try.h"

enum { ANSWER_MOST = 8 << 20, WHOLE_MS = 300000, ERROR_MOST = 64 << 10 };

/* ---- the body ---- */

static void put_message(struct json_writer *w, const char *role, const char *text)
{
    jw_obj(w);
    jw_kv_cstr(w, "role", role);
    jw_kv_cstr(w, "content", text);
    jw_end_obj(w);
}

static struct bough_str body_of(struct bough_arena *a, const struct complete_options *in,
                                enum wire wire, const struct provider_target *to)
{
    bool openai = strcmp(to->price_name, "openai") == 0;
    struct json_writer w;
    struct buf b;

    buf_init(&b, 256 << 20);
    jw_init(&w, &b);
    jw_obj(&w);
    jw_kv_cstr(&w, "model", to->model ? to->model : in->model);
    if (wire != WIRE_CHAT)
        jw_kv_cstr(&w, wire == WIRE_MESSAGES ? "system" : "instructions", in->system);
    jw_key(&w, wire == WIRE_RESPONSES ? "input" : "messages");
    jw_arr(&w);
    if (wire == WIRE_CHAT)
        put_message(&w, "system", in->system);
    put_message(&w, "user", in->prompt);
    jw_end_arr(&w);
    if (wire == WIRE_RESPONSES)
        jw_kv_bool(&w, "store", false);
    jw_kv_i64(&w,
              wire == WIRE_RESPONSES        ? "max_output_tokens"
              : wire == WIRE_CHAT && openai ? "max_completion_tokens"
                                            : "max_tokens",
              in->max_output);
    jw_end_obj(&w);
    return buf_give(&b, a);
}

/* ---- the answer ---- */

static const char *text_of(struct bough_arena *a, const struct reply_choice *c)
{
    struct buf b;

    buf_init(&b, ANSWER_MOST);
    for (size_t i = 0; i < c->nparts; i++) {
        struct bough_part part = { .json = c->parts[i] };

        if (bough_part_check(part.json, &part.type, NULL) == BOUGH_OK &&
            part.type == BOUGH_PART_TEXT)
            buf_put_str(&b, bough_part_plain(a, &part));
    }
    return buf_give(&b, a).p; /* a C string: a buffer ends with a NUL */
}

struct asking {
    struct gateway *g;
    struct bough_arena *a;
    const struct complete_options *in;
    struct provider_ask ask;
    struct provider_route route;
    struct bough_str body;
    struct fetch_answer answer;
    int64_t began, began_us;
};

/* Store the call, with its cost or its error. */
static void put_call(struct asking *k, const struct reply_result *got, bool failed)
{
    const struct provider_target *to = &k->route.targets[0];
    struct price_table prices = gateway_prices(k->g);
    struct bough_error err = { 0 };
    struct bough_call_new call = {
        .want_model = k->in->model,
        .provider = to->provider,
        .model = *got->model ? got->model
                 : to->model ? to->model
                             : k->in->model,
        .status = failed ? "error" : "ok",
        .duration = (mono_us() - k->began_us) / 1000,
        .time = k->began,
        .attempt = 1,
        .purpose = k->in->purpose,
    };
    struct bough_append_options how = { .call = &call, .keep_head = true };
    struct bough_append_result out;

    if (failed)
        call.error = wire_fault_keep(
            k->a, k->answer.body.n ? k->answer.body : str_of(k->answer.why ? k->answer.why : ""),
            ERROR_MOST);
    else
        call_money(k->a, &prices,
                   &(struct call_asked){ to->price_name, k->in->model, (int64_t)k->body.n }, got,
                   &call);
    if (bough_append(k->in->store, k->a, k->in->session, &how, &out, &err))
        log_msg(LOG_WARN, "turn session=%s msg=a call was not stored: %s", k->in->session, err.msg);
}

static enum bough_rc fetch_text(struct asking *k, const char **out, struct bough_error *err)
{
    const struct provider_target *to = &k->route.targets[0];
    struct reply *reply = reply_create(k->ask.wire, false);
    const struct reply_result *got;
    bool fetched, failed;

    k->began = env_now(&env_system);
    k->began_us = mono_us();
    fetched = fetch(k->a,
                    &(struct fetch_options){ .url = to->url,
                                             .headers = ask_headers(k->a, to),
                                             .body = k->body,
                                             .allow_private = to->allow_private,
                                             .connect_ms = to->connect_ms,
                                             .whole_ms = WHOLE_MS,
                                             .most = ANSWER_MOST,
                                             .stop = k->in->stop },
                    &k->answer);
    k->answer.body = secret_without(k->a, to, k->answer.body);
    if (fetched && k->answer.status / 100 == 2)
        reply_feed(reply, k->answer.body.p, k->answer.body.n);
    got = reply_end(reply);
    *out = arena_strdup(k->a, text_of(k->a, &got->choices[0]));
    failed = !fetched || k->answer.status / 100 != 2 || got->error.n;
    put_call(k, got, failed);
    reply_destroy(reply);
    if (!fetched)
        return bough_fail(err, BOUGH_IO, "%s: %s", to->provider, k->answer.why);
    if (failed)
        return bough_fail(err, BOUGH_IO, "%s answered with %d: %.*s", to->provider,
                          k->answer.status, k->answer.body.n > 300 ? 300 : (int)k->answer.body.n,
                          k->answer.body.p);
    if (!text_trim(str_of(*out)).n)
        return bough_fail(err, BOUGH_IO, "%s answered without a text", to->provider);
    return BOUGH_OK;
}

enum bough_rc complete(struct gateway *g, struct bough_arena *a, const struct complete_options *in,
                       const char **out, struct bough_error *err)
{
    struct asking k = { .g = g, .a = a, .in = in };
    struct price_table prices = gateway_prices(g);
    const struct provider_target *to;
    char hold[BOUGH_ID_LEN + 1];
    struct cost cost;
    enum bough_rc rc;

    k.ask = (struct provider_ask){ .model = in->model, .name = in->provider };
    rc = providers_route_any(gateway_providers(g), a, &k.ask, &k.route, err);
    if (rc)
        return rc;
    to = &k.route.targets[0];
    k.body = body_of(a, in, k.ask.wire, to);
    cost = cost_estimate(price_find(&prices, to->price_name, to->model ? to->model : in->model,
                                    env_now(&env_system)),
                         (int64_t)k.body.n, in->max_output);
    rc = bough_budget_reserve(
        in->store,
        &(struct bough_budget_reserve_options){
            .session = in->session,
            .ask = { .estimate = cost.nano, .unknown = cost.source == BOUGH_COST_UNKNOWN } },
        hold, err);
    if (rc)
        return rc;
    rc = fetch_text(&k, out, err);
    (void)!bough_budget_release(in->store, hold, NULL);
    return rc;
}
