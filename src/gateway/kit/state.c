/* What the gateway's files ask its state for. */
#include "gateway/kit/state.h"

#include "api/kit/api.h"
#include "gateway/client/multi.h"

struct gateway *gateway_of(const struct http_req *req)
{
    return api_gateway(req);
}

struct bough_store *gateway_store(struct gateway *g)
{
    return g->store;
}

struct providers *gateway_providers(struct gateway *g)
{
    return g->providers;
}

enum gateway_record gateway_records(const struct gateway *g)
{
    return (enum gateway_record)__atomic_load_n(&g->record, __ATOMIC_RELAXED);
}

bool gateway_troubled(const struct gateway *g)
{
    return __atomic_load_n(&g->troubled, __ATOMIC_RELAXED);
}

void gateway_note_store(struct gateway *g, bool works)
{
    __atomic_store_n(&g->troubled, !works, __ATOMIC_RELAXED);
}

struct price_table gateway_prices(const struct gateway *g)
{
    return *__atomic_load_n(&g->prices, __ATOMIC_ACQUIRE);
}

const char *gateway_title_model(const struct gateway *g)
{
    return __atomic_load_n(&g->title_model, __ATOMIC_ACQUIRE);
}

bool gateway_finishes(const struct gateway *g)
{
    return __atomic_load_n(&g->leave, __ATOMIC_RELAXED) == 1;
}

struct multi *gateway_multi(struct gateway *g, struct uv_loop_s *loop)
{
    if (!g->multi)
        g->multi = multi_create(loop);
    return g->multi;
}

void gateway_count(struct gateway *g, enum gateway_count what)
{
    __atomic_add_fetch(&g->counts[what], 1, __ATOMIC_RELAXED);
}

int64_t gateway_counted(const struct gateway *g, enum gateway_count what)
{
    return __atomic_load_n(&g->counts[what], __ATOMIC_RELAXED);
}
