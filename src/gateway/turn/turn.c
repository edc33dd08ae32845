/* The beginning of a turn: which model, may it cost that, and the open reply. */
#include "gateway/turn/turn.h"

#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "gateway/kit/state.h"
#include "gateway/kit/try.h"
#include "gateway/turn/inside.h"

void turn_warn(const struct turn *t, const char *what, enum bough_rc rc,
               const struct bough_error *err)
{
    if (rc)
        log_msg(LOG_WARN, "turn session=%s msg=%s: %s", t->session, what, err->msg);
}

void turn_release(struct turn *t)
{
    struct bough_error err = { 0 };

    if (*t->hold)
        turn_warn(t, "its budget stays reserved for a while",
                  bough_budget_release(t->store, t->hold, &err), &err);
    t->hold[0] = '\0';
}

/* The model that is asked for, that of the session, or that of its last call. */
static void choose_model(struct turn *t, const struct bough_session *s, const char *provider,
                         const char *model)
{
    bool own = cstr_empty(model);

    if (own)
        model = cstr_empty(s->model_name) ? s->last_model : s->model_name;
    own = own && cstr_empty(provider);
    if (own)
        provider = cstr_empty(s->model_name) ? s->last_provider : s->model_provider;
    t->any_provider = own && cstr_empty(s->model_name);
    t->ask =
        (struct provider_ask){ .model = arena_strdup(t->a, model ? model : ""),
                               .name = cstr_empty(provider) ? NULL : arena_strdup(t->a, provider) };
}

static enum bough_rc find_route(struct turn *t, struct bough_error *err)
{
    struct providers *p = gateway_providers(t->gateway);
    enum bough_rc rc;

    if (!*t->ask.model)
        return bough_fail(err, BOUGH_INVALID, "name a model: the session has none yet");
    rc = providers_route_any(p, t->a, &t->ask, &t->route, err);
    if (rc == BOUGH_NOT_FOUND && t->any_provider) { /* the provider of old calls may be gone */
        t->ask.name = NULL;
        rc = providers_route_any(p, t->a, &t->ask, &t->route, err);
    }
    return rc;
}

static enum bough_rc reserve(struct turn *t, struct bough_budget_refusal *refusal,
                             struct bough_error *err)
{
    struct price_table prices = gateway_prices(t->gateway);
    const struct provider_target *to = turn_target(t);
    struct cost cost =
        cost_estimate(price_find(&prices, to->price_name, to->model ? to->model : t->ask.model,
                                 env_now(&env_system)),
                      0, t->max_output);

    return bough_budget_reserve(t->store,
                                &(struct bough_budget_reserve_options){
                                    .session = t->session,
                                    .ask = { .estimate = cost.nano,
                                             .unknown = cost.source == BOUGH_COST_UNKNOWN,
                                             .refusal = refusal } },
                                t->hold, err);
}

enum bough_rc turn_create(struct turn **out, struct gateway *g, const struct turn_options *in,
                          struct bough_error *err)
{
    struct turn *t = mem_zalloc(sizeof *t);
    struct bough_session *s;
    enum bough_rc rc;

    t->gateway = g;
    t->a = bough_arena_create();
    t->store = in->store;
    t->session = arena_strdup(t->a, in->session);
    t->max_output = in->max_output;
    rc = bough_session_get(t->store, t->a, t->session, &s, err);
    if (!rc) {
        choose_model(t, s, in->provider, in->model);
        rc = find_route(t, err);
    }
    if (!rc)
        rc = reserve(t, in->refusal, err);
    if (rc) {
        t->hold[0] = '\0';
        turn_destroy(t);
        return rc;
    }
    *out = t;
    return BOUGH_OK;
}

void turn_destroy(struct turn *t)
{
    if (!t)
        return;
    turn_release(t);
    bough_arena_destroy(t->a);
    mem_free(t);
}

void turn_use_store(struct turn *t, struct bough_store *store)
{
    t->store = store;
}

const char *turn_provider(const struct turn *t)
{
    return turn_target(t)->provider;
}

const char *turn_model(const struct turn *t)
{
    return t->ask.model;
}

enum bough_rc turn_open(struct turn *t, const struct turn_open_options *in, const char **reply,
                        struct bough_error *err)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options how = {
        .entry = &e, .at = in->at, .owner = in->owner, .epoch = in->epoch, .lease_ms = TURN_LEASE_MS
    };
    struct bough_message_open_result out;
    enum bough_rc rc = bough_message_open(t->store, t->a, t->session, &how, &out, err);

    if (rc)
        return rc;
    memcpy(t->at, in->at, strlen(in->at) < sizeof t->at ? strlen(in->at) + 1 : 0);
    t->writing = out.writing;
    *reply = t->writing.id;
    return BOUGH_OK;
}
