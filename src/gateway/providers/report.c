/* How providers are, for people and programs: a copy of what is known, and what to do next. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/providers/provider.h"

struct reporting {
    struct bough_arena *a;
    const struct provider *p;
    struct provider_info *to;
    const char *no_key; /* why there is none; NULL: it has one, or needs none */
};

static void add_step(struct reporting *r, const char *act, const char *text)
{
    struct provider_step *steps = (struct provider_step *)r->to->steps;

    steps = arena_room(r->a, steps, r->to->nsteps, sizeof *steps);
    steps[r->to->nsteps++] = (struct provider_step){ act, text };
    r->to->steps = steps;
}

static void say_key(struct reporting *r)
{
    if (r->no_key) {
        r->to->configured = false;
        r->to->blocked = "no_key";
        add_step(r, "set_key", r->no_key);
    } else if (r->p->state.key_refused) {
        r->to->blocked = "key_refused";
        add_step(r, "check_key",
                 arena_printf(r->a, "The key from the %s was refused: make a new one.",
                              r->to->key_source));
    }
}

static void say_reach(struct reporting *r)
{
    const struct provider *p = r->p;
    const struct runtime_row *row = runtime_row(p->runtime);

    if (r->to->blocked || !p->state.asked)
        return;
    if (!p->state.reachable) {
        r->to->blocked = "not_reachable";
        if (p->runtime != RUNTIME_NONE)
            add_step(r, "start",
                     arena_printf(r->a, "Start %s: nothing answers at %s.", row->title, p->origin));
        else
            add_step(r, "check_url",
                     arena_printf(r->a, "Check base_url and the network: %s.", p->state.error));
    } else if (p->local && p->state.list.time && !p->state.list.n) {
        r->to->blocked = "no_models";
        add_step(r, "pull_model",
                 arena_printf(r->a, "%s has no model yet: %s%s", p->name, row->get,
                              row->get_named ? "NAME" : ""));
    }
}

static void copy_models(struct reporting *r)
{
    const struct model_list *l = &r->p->state.list;
    struct provider_model *to = arena_array(r->a, l->n + 1, sizeof *to);

    for (size_t i = 0; i < l->n; i++) {
        to[i] = l->at[i];
        to[i].id = arena_strdup(r->a, l->at[i].id);
    }
    r->to->models = to;
    r->to->nmodels = l->n;
    r->to->models_time = l->time;
}

static void fill(struct reporting *r, const struct provider_set *set)
{
    const struct provider *p = r->p;

    *r->to = (struct provider_info){
        .name = arena_strdup(r->a, p->name),
        .base_url = arena_strdup(r->a, p->base),
        .price_name = arena_strdup(r->a, p->price_name),
        .kind = p->kind,
        .auth = p->auth,
        .wires = p->wires,
        .configured = true,
        .key_source = p->auth == PROVIDER_KEY ? provider_key_where(r->a, p) : "",
        .discovered = p->discovered,
        .preferred = cstr_eq(p->name, set->preferred),
        .asked = p->state.asked,
        .reachable = p->state.reachable,
        .checked = p->state.checked,
        .latency_ms = p->state.latency_ms,
        .last_error = arena_strdup(r->a, p->state.error),
        .last_error_time = p->state.error_time,
    };
    copy_models(r);
    say_key(r);
    say_reach(r);
}

/* A command is not run to find out whether it prints a key. */
static const char *missing_key(struct providers *all, struct bough_arena *a, struct provider *p)
{
    struct bough_error err;
    const char *key;

    if (p->auth != PROVIDER_KEY || p->source == KEY_COMMAND ||
        provider_key(all, p, a, &key, &err) == BOUGH_OK)
        return NULL;
    return arena_strdup(a, err.msg);
}

static void report(struct providers *all, const struct provider_set *set, struct provider *p,
                   struct bough_arena *a, struct provider_info *to)
{
    struct reporting r = { .a = a, .p = p, .to = to, .no_key = missing_key(all, a, p) };

    pthread_mutex_lock(&all->lock);
    fill(&r, set);
    pthread_mutex_unlock(&all->lock);
}

static bool is_shown(struct providers *all, const struct provider *p)
{
    bool shown;

    pthread_mutex_lock(&all->lock);
    shown = !p->discovered || p->state.reachable || p->state.list.time;
    pthread_mutex_unlock(&all->lock);
    return shown;
}

void providers_list(struct providers *p, struct bough_arena *a, struct provider_infos *out)
{
    struct provider_set *set = set_hold(p);
    struct provider_info *to = arena_array(a, set->n + 1, sizeof *to);
    size_t n = 0;

    for (size_t i = 0; i < set->n; i++)
        if (is_shown(p, set->at[i]))
            report(p, set, set->at[i], a, &to[n++]);
    set_release(p, set);
    *out = (struct provider_infos){ to, n };
}

enum bough_rc providers_info(struct providers *p, struct bough_arena *a, const char *name,
                             struct provider_info *out, struct bough_error *err)
{
    struct provider_set *set = set_hold(p);
    struct provider *one = provider_find(set, str_of(name));
    enum bough_rc rc = BOUGH_OK;

    if (!one || !is_shown(p, one))
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no provider \"%.40s\"", name);
    else
        report(p, set, one, a, out);
    set_release(p, set);
    return rc;
}
