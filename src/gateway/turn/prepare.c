/* The beginning of a turn: which model, may it cost that, and the messages that are stored. */
#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
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

void turn_release(const struct turn *t)
{
    struct bough_error err = { 0 };

    turn_warn(t, "its budget stays reserved for a while",
              bough_budget_release(t->store, t->hold, &err), &err);
}

/* The model that is asked for, that of the session, or that of its last call. */
static void choose_model(struct turn *t, const struct bough_session *s, const char *provider,
                         const char *model)
{
    bool own = cstr_empty(model);

    if (own)
        model = cstr_empty(s->model_name) ? s->last_model : s->model_name;
    if (own && cstr_empty(provider))
        provider = cstr_empty(s->model_name) ? s->last_provider : s->model_provider;
    t->ask =
        (struct provider_ask){ .model = arena_strdup(t->a, model ? model : ""),
                               .name = cstr_empty(provider) ? NULL : arena_strdup(t->a, provider) };
}

static enum bough_rc find_route(struct turn *t, struct bough_error *err)
{
    struct providers *p = gateway_providers(t->all->gateway);
    enum bough_rc rc;

    if (!*t->ask.model)
        return bough_fail(err, BOUGH_INVALID, "name a model: the session has none yet");
    rc = providers_route_any(p, t->a, &t->ask, &t->route, err);
    if (rc == BOUGH_NOT_FOUND && t->ask.name) { /* the provider of old calls may be gone */
        t->ask.name = NULL;
        rc = providers_route_any(p, t->a, &t->ask, &t->route, err);
    }
    return rc;
}

static enum bough_rc reserve(struct turn *t, struct bough_budget_refusal *refusal,
                             struct bough_error *err)
{
    struct price_table prices = gateway_prices(t->all->gateway);
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

/* The message to answer: a new one, or one that is there. */
static enum bough_rc put_user(struct turn *t, const struct turn_options *in, bool *replayed,
                              struct bough_error *err)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_USER,
                                 .parts = in->parts,
                                 .nparts = in->nparts };
    struct bough_append_options how = { .entries = &e,
                                        .n = 1,
                                        .at = in->at,
                                        .at_root = in->at_root,
                                        .key = in->key,
                                        .owner = t->owner };
    struct bough_append_result out;
    struct bough_entries_read_result path;
    enum bough_rc rc;

    if (in->nparts) {
        rc = bough_append(t->store, t->a, t->session, &how, &out, err);
        if (rc)
            return rc;
        memcpy(t->user, out.ids[0], sizeof t->user);
        *replayed = out.replayed;
        return BOUGH_OK;
    }
    rc = bough_entries_read(t->store, t->a, t->session,
                            &(struct bough_entries_read_options){
                                .at = in->at, .newest = true, .messages = true, .limit = 1 },
                            &path, err);
    if (rc)
        return rc;
    if (!path.entries.n || path.entries.at[0].role != BOUGH_ROLE_USER)
        return bough_fail(err, BOUGH_INVALID, "only a message of the user can be answered again");
    memcpy(t->user, path.entries.at[0].id, sizeof t->user);
    return BOUGH_OK;
}

static enum bough_rc open_reply(struct turn *t, struct bough_error *err)
{
    struct bough_entry_new e = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options how = {
        .entry = &e, .at = t->user, .owner = t->owner, .lease_ms = LEASE_MS
    };
    struct bough_message_open_result out;
    enum bough_rc rc = bough_message_open(t->store, t->a, t->session, &how, &out, err);

    if (!rc)
        t->writing = out.writing;
    return rc;
}

enum bough_rc turn_prepare(struct turn *t, const struct turn_options *in, bool *replayed,
                           struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = bough_session_get(t->store, t->a, t->session, &s, err);

    *replayed = false;
    t->max_output = in->max_output;
    t->hold[0] = '\0';
    if (!rc) {
        choose_model(t, s, in->provider, in->model);
        rc = find_route(t, err);
    }
    if (!rc)
        rc = reserve(t, in->refusal, err);
    if (!rc)
        rc = put_user(t, in, replayed, err);
    if (!rc && !*replayed)
        rc = open_reply(t, err);
    if (rc || *replayed)
        turn_release(t);
    return rc;
}
