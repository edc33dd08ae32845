/* The models of all providers, by the names that clients use for them. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/providers/provider.h"

struct naming {
    struct bough_arena *a;
    struct gateway_model *at;
    size_t n;
    struct smap seen;
    const struct provider *p;
};

/* The first provider of a name has it; the others have it with their prefix. */
static void add(struct naming *g, const char *id, int64_t context)
{
    if (strchr(id, '*'))
        return;
    if (smap_get(&g->seen, str_of(id), NULL))
        id = arena_printf(g->a, "%s/%s", g->p->name, id);
    if (smap_get(&g->seen, str_of(id), NULL))
        return;
    smap_put(&g->seen, str_of(id), 1);
    g->at = arena_room(g->a, g->at, g->n, sizeof *g->at);
    g->at[g->n++] =
        (struct gateway_model){ arena_strdup(g->a, id), arena_strdup(g->a, g->p->name), context };
}

static bool has_listed(const struct provider *p, const char *id)
{
    for (size_t i = 0; i < p->state.list.n; i++)
        if (strcmp(p->state.list.at[i].id, id) == 0)
            return true;
    return false;
}

static void add_all(struct naming *g, const struct provider *p)
{
    g->p = p;
    for (size_t i = 0; i < p->naliases; i++)
        add(g, p->aliases[i].name, 0);
    for (size_t i = 0; i < p->models.n; i++)
        if (!has_listed(p, p->models.at[i]))
            add(g, p->models.at[i], 0);
    for (size_t i = 0; i < p->state.list.n; i++)
        add(g, p->state.list.at[i].id, p->state.list.at[i].context);
}

void providers_models(struct providers *p, struct bough_arena *a, unsigned wires,
                      struct gateway_models *out)
{
    struct provider_set *set = set_hold(p);
    struct naming g = { .a = a };

    smap_init(&g.seen);
    pthread_mutex_lock(&p->lock);
    for (int pass = 0; pass < 2; pass++) /* the preferred provider first, as in routing */
        for (size_t i = 0; i < set->n; i++) {
            const struct provider *one = set->at[i];
            bool there = !one->discovered || one->state.reachable;

            if ((one->wires & wires) && there && cstr_eq(one->name, set->preferred) == !pass)
                add_all(&g, one);
        }
    pthread_mutex_unlock(&p->lock);
    smap_finish(&g.seen);
    set_release(p, set);
    *out = (struct gateway_models){ g.at, g.n };
}

static int tools_of(const struct provider *p, const char *model)
{
    for (size_t i = 0; i < p->no_tools.n; i++)
        if (model_matches(p->no_tools.at[i], model))
            return 0;
    for (size_t i = 0; i < p->state.list.n; i++)
        if (strcmp(p->state.list.at[i].id, model) == 0)
            return p->state.list.at[i].tools;
    return -1;
}

int providers_tools(struct providers *p, const char *provider, const char *model)
{
    struct provider_set *set = set_hold(p);
    struct provider *one = provider_find(set, str_of(provider));
    int tools = -1;

    pthread_mutex_lock(&p->lock);
    if (one)
        tools = tools_of(one, model);
    pthread_mutex_unlock(&p->lock);
    set_release(p, set);
    return tools;
}
