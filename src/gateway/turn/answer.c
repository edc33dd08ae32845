/* A turn at work: the request to the provider, the reply while it comes, its end. */
#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "core/wire/fault.h"
#include "core/wire/reply/reply.h"
#include "gateway/client/fetch.h"
#include "gateway/kit/ask.h"
#include "gateway/kit/call.h"
#include "gateway/kit/secret.h"
#include "gateway/kit/state.h"
#include "gateway/turn/inside.h"

enum { ERROR_MOST = 64 << 10 };

/* Keep the leases of the session and of the open message, also while nothing comes: models think
 * for minutes. */
static void renew(void *user)
{
    struct turn *t = user;
    struct bough_error err = { 0 };

    if (mono_us() - t->renewed_us < t->all->renew_ms * 1000)
        return;
    t->renewed_us = mono_us();
    turn_warn(t, "its lease was not renewed",
              bough_session_status(t->store, t->session, BOUGH_STATUS_BUSY, t->owner, LEASE_MS,
                                   NULL, &err),
              &err);
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

/* Send the request and take the reply. Returns an error as raw JSON; empty: none. */
static struct bough_str exchange(struct turn *t, struct bough_str *body, int *status)
{
    const struct provider_target *to = turn_target(t);
    struct bough_error err = { 0 };
    struct fetch_answer answer;
    struct ask_options ask = { .to = to,
                               .wire = t->ask.wire,
                               .model = t->ask.model,
                               .session = t->session,
                               .at = t->user,
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
                                 .stop = &t->cancel };

    *status = 0;
    if (ask_body(t->store, t->a, &ask, body, &err))
        return wire_fault_keep(t->a, str_of(arena_strdup(t->a, err.msg)), ERROR_MOST);
    how.body = *body;
    if (!fetch(t->a, &how, &answer) && !turn_flag(&t->cancel)) {
        providers_failed(gateway_providers(t->all->gateway), to->provider, answer.why);
        *status = answer.status;
        return wire_fault_keep(t->a, str_of(arena_printf(t->a, "%s: %s", to->provider, answer.why)),
                               ERROR_MOST);
    }
    *status = answer.status;
    if (answer.status && answer.status / 100 != 2)
        return wire_fault_keep(t->a, secret_without(t->a, to, answer.body), ERROR_MOST);
    return str_of("");
}

static const char *status_word(const struct turn *t, const struct reply_result *got, bool failed)
{
    if (turn_flag(&t->stop))
        return "interrupted";
    if (turn_flag(&t->cancel))
        return "cancelled";
    if (failed || got->error.n)
        return "error";
    return got->choices[0].refused ? "refused" : got->choices[0].cut ? "interrupted" : "ok";
}

static void seal(struct turn *t, struct bough_str error, struct bough_str body, int status)
{
    const struct reply_result *got = reply_end(t->reply);
    const struct reply_choice *c = &got->choices[0];
    const struct provider_target *to = turn_target(t);
    struct price_table prices = gateway_prices(t->all->gateway);
    struct bough_error err = { 0 };
    struct bough_call_new call = {
        .want_provider = t->ask.name ? t->ask.name : "",
        .want_model = t->ask.model,
        .provider = to->provider,
        .model = *got->model ? got->model
                 : to->model ? to->model
                             : t->ask.model,
        .status = status_word(t, got, error.n > 0),
        .error = error.n ? error : got->error,
        .duration = (mono_us() - t->began_us) / 1000,
        .first_byte = t->first_ms,
        .time = t->began,
        .attempt = 1,
    };
    struct bough_message_seal_options how = {
        .finish = *c->finish ? c->finish : call.status,
        .error = error.n ? error : got->error,
        .data = c->data,
        .duration = call.duration,
        .call = &call,
        .parts = c->nparts ? c->parts : NULL,
        .nparts = c->nparts,
    };

    if (status / 100 == 2)
        call_money(t->a, &prices,
                   &(struct call_asked){ to->price_name, t->ask.model, (int64_t)body.n }, got,
                   &call);
    turn_warn(t, "the reply was not stored",
              bough_message_seal(t->store, t->a, &t->writing, &how, NULL, &err), &err);
    turn_release(t);
}

void turn_answer(struct turn *t)
{
    struct bough_str error, body = str_of("");
    int status;

    t->reply = reply_create(t->ask.wire, true);
    t->began = env_now(&env_system);
    t->began_us = t->renewed_us = mono_us();
    t->first_ms = 0;
    t->steps_lost = false;
    error = exchange(t, &body, &status);
    seal(t, error, body, status);
    reply_destroy(t->reply);
    t->reply = NULL;
}
