/* Creates the gateway. */
#include "gateway/gateway.h"

#include <string.h>

#include "api/kit/api.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "gateway/client/multi.h"

/* ---- settings ---- */

static const char *const records[] = { "required", "best-effort", "off", NULL };
static const char *const leaves[] = { "stop", "finish", NULL };

/* The setting of [gateway], as the number of its word; without it 0. */
static enum bough_rc one_of(const struct gateway_setting *settings, size_t n, const char *name,
                            const char *const *words, int *out, struct bough_error *err)
{
    const char *value = words[0],
               *others = words[2] ? "required, best-effort or off" : "stop or finish";

    for (size_t i = 0; i < n; i++)
        if (strcmp(settings[i].section, "gateway") == 0 && strcmp(settings[i].name, name) == 0)
            value = settings[i].value;
    for (*out = 0; words[*out]; (*out)++)
        if (strcmp(words[*out], value) == 0)
            return BOUGH_OK;
    return bough_fail(err, BOUGH_INVALID, "[gateway] %s = %.40s: use %s", name, value, others);
}

static bool is_own(const char *name)
{
    return strcmp(name, "record") == 0 || strcmp(name, "on_leave") == 0 ||
           strcmp(name, "title_model") == 0;
}

/* Settings that no part of the gateway reads are mistakes. */
static enum bough_rc check_names(const struct gateway_setting *settings, size_t n,
                                 struct bough_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(settings[i].section, "gateway") == 0 && !is_own(settings[i].name) &&
            !providers_setting(settings[i].name))
            return bough_fail(err, BOUGH_INVALID, "[gateway] %.40s: there is no such setting",
                              settings[i].name);
    return BOUGH_OK;
}

static enum bough_rc read_settings(const struct gateway_setting *settings, size_t n, int *record,
                                   int *leave, struct bough_error *err)
{
    enum bough_rc rc = check_names(settings, n, err);

    if (!rc)
        rc = one_of(settings, n, "record", records, record, err);
    return rc ? rc : one_of(settings, n, "on_leave", leaves, leave, err);
}

static const char *title_model(struct bough_arena *a, const struct gateway_setting *settings,
                               size_t n)
{
    const char *model = "";

    for (size_t i = 0; i < n; i++)
        if (strcmp(settings[i].section, "gateway") == 0 &&
            strcmp(settings[i].name, "title_model") == 0)
            model = settings[i].value;
    return arena_strdup(a, model);
}

/* Prices of before stay in the arena: requests that run use them. */
static enum bough_rc use_settings(struct gateway *g, const struct gateway_setting *settings,
                                  size_t n, int record, int leave, struct bough_error *err)
{
    struct price_table *prices = arena_zalloc(g->arena, sizeof *prices);
    enum bough_rc rc = providers_prices(g->providers, g->arena, prices, err);

    if (rc)
        return rc;
    __atomic_store_n(&g->prices, prices, __ATOMIC_RELEASE);
    __atomic_store_n(&g->title_model, title_model(g->arena, settings, n), __ATOMIC_RELEASE);
    __atomic_store_n(&g->record, record, __ATOMIC_RELAXED);
    __atomic_store_n(&g->leave, leave, __ATOMIC_RELAXED);
    return BOUGH_OK;
}

/* ---- create and destroy ---- */

enum bough_rc gateway_create(struct gateway **out, const struct gateway_config *config,
                             struct bough_error *err)
{
    struct gateway *g = mem_zalloc(sizeof *g);
    int record, leave;
    enum bough_rc rc = read_settings(config->settings, config->n, &record, &leave, err);

    easy_library();
    g->store = config->store;
    g->arena = bough_arena_create();
    if (!rc)
        rc = providers_create(&g->providers, config->settings, config->n, err);
    if (!rc)
        rc = use_settings(g, config->settings, config->n, record, leave, err);
    if (rc) {
        gateway_destroy(g);
        return rc;
    }
    *out = g;
    return BOUGH_OK;
}

void gateway_destroy(struct gateway *g)
{
    if (!g)
        return;
    multi_destroy(g->multi);
    providers_destroy(g->providers);
    bough_arena_destroy(g->arena);
    mem_free(g);
}

enum bough_rc gateway_reload(struct gateway *g, const struct gateway_setting *settings, size_t n,
                             struct bough_error *err)
{
    int record, leave;
    enum bough_rc rc = read_settings(settings, n, &record, &leave, err);

    if (!rc)
        rc = providers_reload(g->providers, settings, n, err);
    return rc ? rc : use_settings(g, settings, n, record, leave, err);
}

void gateway_metrics(void *gateway, struct http_res *res)
{
    const struct gateway *g = gateway;

    api_metric(res, "gateway_requests_total", "counter", "Requests sent on to providers.",
               gateway_counted(g, GATEWAY_RELAYED));
    api_metric(res, "gateway_lost_total", "counter", "Exchanges that could not be recorded.",
               gateway_counted(g, GATEWAY_LOST));
}
