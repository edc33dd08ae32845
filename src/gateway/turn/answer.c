/* A turn at work: the request to the provider, the reply while it comes, its end. */
#include <string.h>
#include <time.h>

#include "base/env.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/wire/fault.h"
#include "core/wire/reply/reply.h"
#include "gateway/client/fetch.h"
#include "gateway/kit/call.h"
#include "gateway/kit/secret.h"
#include "gateway/kit/state.h"
#include "gateway/turn/inside.h"

enum { ERROR_MOST = 64 << 10, RETRY_MS = 500 };

static bool is_set(const bool *flag)
{
    return flag && __atomic_load_n(flag, __ATOMIC_ACQUIRE);
}

/* Keep the lease of the open message, also while nothing comes: models think for minutes. */
static void renew(void *user)
{
    struct turn *t = user;
    struct bough_error err = { 0 };

    if (mono_us() - t->renewed_us < t->how->renew_ms * 1000)
        return;
    t->renewed_us = mono_us();
    turn_warn(t, "its reply's lease was not renewed",
              bough_message_flush(t->store, &t->writing, NULL, &err), &err);
}

static void on_bytes(void *user, const char *p, size_t n)
{
    struct turn *t = user;
    struct bough_error err = { 0 };
    const struct bough_step *steps;
    size_t nsteps;

    if (!t->first_ms)
        t->first_ms = (mono_us() - t->began_us) / 1000 + 1;
    reply_feed(t->reply, p, n);
    steps = reply_steps(t->reply, &nsteps);
    if (nsteps && !t->steps_lost &&
        bough_message_step(t->store, &t->writing, 0, steps, nsteps, NULL, &err))
        t->steps_lost = true;
}

/* ---- one attempt ---- */

struct attempt {
    struct bough_str body;  /* as it was sent */
    struct bough_str error; /* raw JSON; empty: none */
    const char *why;        /* the same for people, or "" */
    int status;             /* of HTTP; 0: not reached */
    bool sent;              /* the context could be built */
};

/* The provider's own words, if there are any. */
static const char *words_of(struct turn *t, struct bough_str body, int status)
{
    const char *provider = turn_target(t)->provider, *text = NULL;
    struct json root, e;

    if (json_parse(t->a, body, &root, NULL) == BOUGH_OK) {
        e = json_member(root, "error");
        text = json_type(e) == JSON_OBJECT ? json_cstr(t->a, e, "message")
                                           : json_cstr(t->a, root, "message");
    }
    return text ? arena_printf(t->a, "%s answered with %d: %.500s", provider, status, text)
                : arena_printf(t->a, "%s answered with %d", provider, status);
}

static void fail(struct turn *t, struct attempt *x, struct bough_str kept, const char *why)
{
    x->error = wire_fault_keep(t->a, kept, ERROR_MOST);
    x->why = why;
}

/* Send the request and take the reply. */
static struct attempt try_once(struct turn *t)
{
    const struct provider_target *to = turn_target(t);
    struct attempt x = { .why = "" };
    struct bough_error err = { 0 };
    struct fetch_answer answer;
    struct ask_options ask = { .to = to,
                               .wire = t->ask.wire,
                               .model = t->ask.model,
                               .session = t->session,
                               .at = t->at,
                               .system_prompt = t->how->system_prompt,
                               .tools = t->how->tools,
                               .ntools = t->how->ntools,
                               .max_output = t->max_output };
    struct fetch_options how = { .url = to->url,
                                 .headers = ask_headers(t->a, to),
                                 .allow_private = to->allow_private,
                                 .connect_ms = to->connect_ms,
                                 .whole_ms = to->whole_ms,
                                 .silent_ms = to->first_ms,
                                 .most = ERROR_MOST,
                                 .take = on_bytes,
                                 .user = t,
                                 .beat = renew,
                                 .stop = t->how->cancel };
    bool fetched;

    if (ask_body(t->store, t->a, &ask, &x.body, &err)) {
        fail(t, &x, str_of(arena_strdup(t->a, err.msg)), arena_strdup(t->a, err.msg));
        return x;
    }
    x.sent = true;
    how.body = x.body;
    fetched = fetch(t->a, &how, &answer);
    x.status = answer.status;
    if (!fetched && !is_set(t->how->cancel)) {
        providers_failed(gateway_providers(t->gateway), to->provider, answer.why);
        x.why = arena_printf(t->a, "%s: %s", to->provider, answer.why);
        fail(t, &x, str_of(x.why), x.why);
    } else if (answer.status && answer.status / 100 != 2) {
        struct bough_str clean = secret_without(t->a, to, answer.body);

        fail(t, &x, clean, words_of(t, clean, answer.status));
    }
    return x;
}

/* ---- attempts ---- */

/* Not now, or not reached: nothing of the reply has come. */
static bool is_worth_another(const struct turn *t, const struct attempt *x)
{
    int s = x->status;

    return x->sent && x->error.n && !t->first_ms && !is_set(t->how->cancel) &&
           (s == 0 || s == 429 || s == 500 || s == 502 || s == 503 || s == 529);
}

static void pause_before_next(const struct turn *t)
{
    int64_t until = mono_us() + RETRY_MS * 1000;

    while (t->route.n < 2 && mono_us() < until && !is_set(t->how->cancel))
        nanosleep(&(struct timespec){ .tv_nsec = 20 * 1000 * 1000 }, NULL);
}

static struct attempt exchange(struct turn *t)
{
    struct attempt x;

    for (int left = t->route.retries;; left--) {
        t->attempt++;
        t->began = env_now(&env_system);
        t->began_us = mono_us();
        x = try_once(t);
        if (left <= 0 || !is_worth_another(t, &x))
            return x;
        t->target = (t->target + 1) % t->route.n;
        pause_before_next(t);
    }
}

/* ---- the end ---- */

static const char *status_word(const struct turn *t, const struct reply_result *got, bool failed)
{
    if (is_set(t->how->stop))
        return "interrupted";
    if (is_set(t->how->cancel))
        return "cancelled";
    if (failed || got->error.n)
        return "error";
    return got->choices[0].refused ? "refused" : got->choices[0].cut ? "interrupted" : "ok";
}

static const char *error_text(struct turn *t, const struct attempt *x,
                              const struct reply_result *got)
{
    struct json j;
    const char *text;

    if (*x->why)
        return x->why;
    if (!got->error.n || json_parse(t->a, got->error, &j, NULL))
        return "the provider's answer is an error";
    text = json_cstr(t->a, j, "message");
    return text ? text : arena_strndup(t->a, got->error.p, got->error.n > 500 ? 500 : got->error.n);
}

static enum bough_rc seal(struct turn *t, const struct attempt *x, struct turn_result *out,
                          struct bough_error *err)
{
    const struct reply_result *got = reply_end(t->reply);
    const struct reply_choice *c = &got->choices[0];
    const struct provider_target *to = turn_target(t);
    struct price_table prices = gateway_prices(t->gateway);
    struct bough_call_new call = {
        .want_provider = t->ask.name ? t->ask.name : "",
        .want_model = t->ask.model,
        .provider = to->provider,
        .model = *got->model ? got->model
                 : to->model ? to->model
                             : t->ask.model,
        .status = status_word(t, got, x->error.n > 0),
        .error = x->error.n ? x->error : got->error,
        .duration = (mono_us() - t->began_us) / 1000,
        .first_byte = t->first_ms,
        .time = t->began,
        .attempt = t->attempt,
    };
    struct bough_message_seal_options how = {
        .finish = *c->finish ? c->finish : call.status,
        .error = call.error,
        .data = c->data,
        .duration = call.duration,
        .call = &call,
        .parts = c->nparts ? c->parts : NULL,
        .nparts = c->nparts,
    };

    if (x->status / 100 == 2)
        call_money(t->a, &prices,
                   &(struct call_asked){ to->price_name, t->ask.model, (int64_t)x->body.n }, got,
                   &call);
    out->status = call.status;
    out->error = strcmp(call.status, "error") == 0 ? error_text(t, x, got) : "";
    out->cost = call.used.cost;
    out->context =
        call.used.input + call.used.cache_read + call.used.cache_write + call.used.output;
    return bough_message_seal(t->store, t->a, &t->writing, &how, &out->reply, err);
}

enum bough_rc turn_answer(struct turn *t, const struct turn_answer_options *in,
                          struct turn_result *out, struct bough_error *err)
{
    struct attempt x;
    enum bough_rc rc;

    *out = (struct turn_result){ .status = "", .error = "" };
    t->how = in;
    t->reply = reply_create(t->ask.wire, true);
    t->renewed_us = mono_us();
    x = exchange(t);
    if (in->ending)
        __atomic_store_n(in->ending, true, __ATOMIC_RELEASE);
    rc = seal(t, &x, out, err);
    turn_release(t);
    reply_destroy(t->reply);
    t->reply = NULL;
    return rc;
}
