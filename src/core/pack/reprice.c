/* Old prices of a call, kept as a JSON array of [cost, source, until]. */
#include "core/pack/reprice.h"

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static struct json list_of(struct bough_arena *a, const struct call_body *call)
{
    struct json j = { 0 };

    if (call->was.n && json_parse(a, call->was, &j, NULL) != BOUGH_OK)
        return (struct json){ 0 };
    return j;
}

int64_t reprice_count(struct bough_arena *a, const struct call_body *call)
{
    return json_count(list_of(a, call));
}

bool reprice_was(struct bough_arena *a, const struct call_body *call, int64_t n,
                 struct old_price *out)
{
    struct json_iter it = json_iter(list_of(a, call)), pair;
    int64_t numbers[3] = { 0 };

    do
        if (!json_next(&it))
            return false;
    while (n-- > 0);
    pair = json_iter(it.value);
    for (int i = 0; i < 3 && json_next(&pair); i++)
        (void)json_i64(pair.value, &numbers[i]);
    *out = (struct old_price){ numbers[0], numbers[1], numbers[2] };
    return true;
}

struct old_price reprice_then(struct bough_arena *a, const struct call_body *call, int64_t n)
{
    struct old_price out;

    if (!reprice_was(a, call, n + 1, &out))
        out = (struct old_price){ .cost = call->used.cost, .source = call->cost_source };
    return out;
}

void reprice(struct bough_arena *a, struct call_body *call, int64_t cost, int64_t source,
             int64_t now)
{
    struct bough_str was = call->was;
    size_t inside = was.n > 2 ? was.n - 1 : 0; /* up to the closing bracket */

    call->was = str_of(arena_printf(a, "%.*s%s[%lld,%lld,%lld]]", (int)inside, was.p,
                                    inside ? "," : "[", (long long)call->used.cost,
                                    (long long)call->cost_source, (long long)now));
    call->used.cost = cost;
    call->cost_source = source;
}
