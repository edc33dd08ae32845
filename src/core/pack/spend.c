/* Spend rows: sums that do not overflow, and what calls and adjustments stand for. Pure. */
#include "core/pack/spend.h"

#include <stddef.h>
#include <string.h>
#include <time.h>

#include "base/json/json.h"
#include "base/limits.h"
#include "base/text/str.h"
#include "core/model/text.h"
#include "core/model/totals.h"

_Static_assert(offsetof(struct spend_row, duration) - offsetof(struct spend_row, calls) ==
                   (SPEND_NUMBERS - 1) * sizeof(int64_t),
               "the numbers of a spend row lie side by side");

int64_t *spend_numbers(struct spend_row *row)
{
    return &row->calls;
}

bool spend_is_zero(const struct spend_row *row)
{
    static const int64_t zero[SPEND_NUMBERS];

    return memcmp(&row->calls, zero, sizeof zero) == 0;
}

void spend_add(struct spend_row *to, const struct spend_row *more)
{
    const int64_t *from = &more->calls;
    int64_t *sum = spend_numbers(to);

    for (int i = 0; i < SPEND_NUMBERS; i++)
        if (__builtin_add_overflow(sum[i], from[i], &sum[i]))
            sum[i] = INT64_MAX;
}

/* ---- what spends ---- */

int64_t spend_day(int64_t ms)
{
    return ms >= 0 ? ms / DAY_MS : -((-ms + DAY_MS - 1) / DAY_MS);
}

int64_t spend_month(int64_t day, int add)
{
    time_t s = (time_t)(day * (DAY_MS / 1000));
    struct tm tm;

    if (!gmtime_r(&s, &tm))
        return day;
    tm.tm_mday = 1;
    tm.tm_mon += add;
    return spend_day((int64_t)timegm(&tm) * 1000);
}

struct spend_row spend_of_call(int64_t sid, const struct call_body *call)
{
    return (struct spend_row){ .day = spend_day(call->time),
                               .sid = sid,
                               .project = call->project - 1,
                               .account = call->account - 1,
                               .provider = call->provider,
                               .model = call->model,
                               .principal = call->principal,
                               .calls = 1,
                               .unknown =
                                   !totals_cost_known(&call->used, call->usage,
                                                      (enum bough_cost_source)call->cost_source),
                               .input = call->used.input,
                               .output = call->used.output,
                               .reasoning = call->used.reasoning,
                               .cache_read = call->used.cache_read,
                               .cache_write = call->used.cache_write,
                               .cost = call->used.cost,
                               .duration = call->duration };
}

static int64_t at_least_0(int64_t v)
{
    return v > 0 ? v : 0;
}

/* A purge by an older bough kept only the sum. */
static struct spend_row bare_sum(int64_t sid, const struct adjust_body *adj)
{
    const struct bough_totals *t = &adj->delta;

    return (struct spend_row){ .day = spend_day(adj->time),
                               .sid = sid,
                               .project = sid ? SPEND_AS_SESSION : adj->project,
                               .account = sid ? SPEND_AS_SESSION : 0,
                               .provider = "",
                               .model = "",
                               .principal = "",
                               .input = at_least_0(t->input),
                               .output = at_least_0(t->output),
                               .reasoning = at_least_0(t->reasoning),
                               .cache_read = at_least_0(t->cache_read),
                               .cache_write = at_least_0(t->cache_write),
                               .cost = at_least_0(t->cost) };
}

bool spend_of_adjust(struct bough_arena *a, int64_t sid, const struct adjust_body *adj, spend_fn fn,
                     void *user)
{
    struct spend_row row;

    if (adj->spend.n)
        return spend_unpack(a, adj->spend, sid, fn, user);
    /* The money of a deleted call is in the row of the call. Adjustments by hand are no calls. */
    if (strcmp(adj->why, SPEND_WHY_PURGED) != 0)
        return true;
    row = bare_sum(sid, adj);
    (void)fn(user, &row);
    return true;
}

/* ---- rows of purged sessions ---- */

struct spend_row spend_inherited(const struct spend_row *row, int64_t sid, int64_t project,
                                 int64_t account)
{
    struct spend_row out = *row;

    out.sid = sid;
    out.project = row->project == SPEND_AS_SESSION ? project : row->project;
    out.account = row->account == SPEND_AS_SESSION ? account : row->account;
    out.provider = out.model = "";
    return out;
}

struct bough_str spend_pack(struct bough_arena *a, const struct spend_row *rows, size_t n)
{
    struct json_writer w;
    struct bough_str out;
    struct buf b;

    buf_init(&b, LIMIT_DATA);
    jw_init(&w, &b);
    jw_arr(&w);
    for (size_t i = 0; i < n; i++) {
        struct spend_row row = rows[i];
        const int64_t *numbers = spend_numbers(&row);

        jw_arr(&w);
        jw_i64(&w, row.day);
        jw_i64(&w, row.project);
        jw_i64(&w, row.account);
        for (int k = 0; k < SPEND_NUMBERS; k++)
            jw_i64(&w, numbers[k]);
        if (*row.principal)
            jw_cstr(&w, row.principal);
        jw_end_arr(&w);
    }
    jw_end_arr(&w);
    out = b.over ? str_of("") : text_keep(a, &b);
    buf_finish(&b);
    return out;
}

static bool unpack_row(struct bough_arena *a, struct json in, struct spend_row *out)
{
    struct json_iter it = json_iter(in);
    int64_t *const first[] = { &out->day, &out->project, &out->account };
    int64_t *numbers = spend_numbers(out);
    struct bough_str principal;
    bool good = json_type(in) == JSON_ARRAY;

    for (int i = 0; i < 3 && good; i++)
        good = json_next(&it) && json_i64(it.value, first[i]);
    for (int i = 0; i < SPEND_NUMBERS && good; i++)
        good = json_next(&it) && json_i64(it.value, &numbers[i]) && numbers[i] >= 0;
    if (good && json_next(&it)) {
        good = json_str(a, it.value, &principal) && !memchr(principal.p, 0, principal.n);
        out->principal = good ? principal.p : "";
    }
    return good;
}

bool spend_unpack(struct bough_arena *a, struct bough_str packed, int64_t sid, spend_fn fn,
                  void *user)
{
    struct json_iter it;
    struct json list;

    if (json_parse(a, packed, &list, NULL) || json_type(list) != JSON_ARRAY)
        return false;
    for (it = json_iter(list); json_next(&it);) {
        struct spend_row row = { .sid = sid, .provider = "", .model = "", .principal = "" };

        if (!unpack_row(a, it.value, &row))
            return false;
        if (!fn(user, &row))
            break;
    }
    return true;
}
