/* The definition of which rows a query matches and how they are ordered. Pure. */
#include <string.h>

#include "base/text/str.h"
#include "store/contract/backend.h"

static bool number_ok(int64_t want, int64_t have)
{
    return !want || want == have;
}

static bool text_ok(const char *want, const char *have)
{
    return cstr_empty(want) || strcmp(want, have) == 0;
}

static bool within(int64_t from, int64_t to, int64_t t)
{
    return (!from || t >= from) && (!to || t < to);
}

static bool state_ok(const struct list_query *q, const struct list_row *row)
{
    if (q->kinds && !(q->kinds >> row->kind & 1))
        return false;
    if (q->statuses && !(q->statuses >> row->status & 1))
        return false;
    if (q->roots && row->parent)
        return false;
    return !(q->alive && row->deleted) && !(q->dead && !row->deleted);
}

static bool after_ok(const struct list_query *q, const struct list_row *row)
{
    int64_t key = list_key(q->order, row);

    return !q->after_set || key < q->after_key || (key == q->after_key && row->sid < q->after_sid);
}

bool list_matches(const struct list_query *q, const struct list_row *row)
{
    return number_ok(q->project, row->project) && number_ok(q->workspace, row->workspace) &&
           number_ok(q->account, row->account) && number_ok(q->parent, row->parent) &&
           state_ok(q, row) && text_ok(q->role_name, row->role_name) &&
           text_ok(q->provider_path, row->provider_path) &&
           text_ok(q->model_provider, row->model_provider) &&
           (text_ok(q->model_name, row->model_name) || text_ok(q->model_name, row->last_model)) &&
           (!q->errors || row->errors > 0) && number_ok(q->last_state, row->last_state) &&
           (!q->cost_from || row->cost >= q->cost_from) &&
           within(q->created_from, q->created_to, row->created) &&
           within(q->updated_from, q->updated_to, row->updated) &&
           (cstr_empty(q->hay) || strstr(row->hay, q->hay)) && after_ok(q, row);
}

int64_t list_key(enum list_order order, const struct list_row *row)
{
    switch (order) {
    case ORDER_CREATED:
        return row->created;
    case ORDER_UPDATED:
        return row->updated;
    case ORDER_MODIFIED:
        return row->modified;
    case ORDER_COST:
        return row->cost;
    }
    return 0;
}

int list_compare(enum list_order order, const struct list_row *a, const struct list_row *b)
{
    int64_t x = list_key(order, a), y = list_key(order, b);

    if (x != y)
        return x > y ? -1 : 1;
    return a->sid > b->sid ? -1 : a->sid < b->sid;
}

uint64_t list_asks(const struct list_query *q)
{
    const bool asked[ASKS_COUNT] = {
        [ASKS_PROJECT] = q->project != 0,
        [ASKS_WORKSPACE] = q->workspace != 0,
        [ASKS_ACCOUNT] = q->account != 0,
        [ASKS_PARENT] = q->parent != 0,
        [ASKS_STATUSES] = q->statuses != 0,
        [ASKS_ROLE] = !cstr_empty(q->role_name),
        [ASKS_PATH] = !cstr_empty(q->provider_path),
        [ASKS_PROVIDER] = !cstr_empty(q->model_provider),
        [ASKS_MODEL] = !cstr_empty(q->model_name),
        [ASKS_CREATED_FROM] = q->created_from != 0,
        [ASKS_CREATED_TO] = q->created_to != 0,
        [ASKS_UPDATED_FROM] = q->updated_from != 0,
        [ASKS_UPDATED_TO] = q->updated_to != 0,
        [ASKS_HAY] = !cstr_empty(q->hay),
        [ASKS_ROOTS] = q->roots,
        [ASKS_ERRORS] = q->errors,
        [ASKS_LAST_STATE] = q->last_state != 0,
        [ASKS_COST] = q->cost_from != 0,
    };
    uint64_t bits = 0;

    for (int i = 0; i < ASKS_COUNT; i++)
        bits |= (uint64_t)asked[i] << i;
    return bits;
}

enum list_condition list_lead(const struct list_query *q)
{
    static const enum list_condition order[] = { ASKS_PARENT,  ASKS_PROJECT, ASKS_WORKSPACE,
                                                 ASKS_ACCOUNT, ASKS_ROLE,    ASKS_LAST_STATE,
                                                 ASKS_ERRORS,  ASKS_STATUSES };
    uint64_t asks = list_asks(q);

    if (q->order == ORDER_COST)
        asks &= UINT64_C(1) << ASKS_PROJECT;
    if (q->last_state <= BOUGH_OUTCOME_OK) /* the usual state has no index */
        asks &= ~(UINT64_C(1) << ASKS_LAST_STATE);
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (asks >> order[i] & 1)
            return order[i];
    return ASKS_COUNT;
}

unsigned list_arms(const struct list_query *q)
{
    unsigned kinds = q->kinds ? (unsigned)q->kinds & 3 : 3;

    return (q->dead ? 0 : kinds) | (q->alive ? 0 : kinds << 2);
}

/* ---- spend rows ---- */

static bool among(const struct spend_query *q, int64_t sid)
{
    size_t lo = 0, hi = q->nsids;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;

        if (q->sids[mid] == sid)
            return true;
        if (q->sids[mid] < sid)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}

bool spend_matches(const struct spend_query *q, const struct spend_row *row)
{
    return row->day >= q->from && row->day <= q->to &&
           (!q->project || row->project == q->project) &&
           (!q->account || row->account == q->account) &&
           (!q->principal || !*q->principal || strcmp(row->principal, q->principal) == 0) &&
           (!q->within || among(q, row->sid));
}
