/* What was spent: by day and model, project, session or account, as JSON or CSV. */
#include <string.h>

#include <bough/spend.h>

#include "api/kit/api.h"
#include "api/kit/forms.h"
#include "base/text/iso.h"
#include "base/text/str.h"

#define DAY_MS (INT64_C(24) * 3600 * 1000)

enum { DAYS = 30, GROUPS = 20, GROUPS_MOST = 1000 };

static const char *step_words(size_t i)
{
    static const char *const words[] = { "none", "day", "week", "month", NULL };

    return http_word(words, i);
}

static const char *group_words(size_t i)
{
    static const char *const words[] = { "none",    "model",   "provider", "project",
                                         "session", "account", "role",     NULL };

    return http_word(words, i);
}

static const char *format_words(size_t i)
{
    static const char *const words[] = { "json", "csv", NULL };

    return http_word(words, i);
}

/* The words of both parameters are in the order of their enums. */
static enum bough_rc read_word(const struct http_req *req, const char *name,
                               const char *(*words)(size_t i), int *out, struct bough_error *err)
{
    const char *text = http_query(req, name);

    for (size_t i = 0; text && words(i); i++)
        if (strcmp(text, words(i)) == 0) {
            *out = (int)i;
            return BOUGH_OK;
        }
    return text ? bough_fail(err, BOUGH_INVALID, "%s has an unknown value", name) : BOUGH_OK;
}

/* Without `until`, to the end of today; without `since`, the last 30 days of it. */
static enum bough_rc read_period(struct http_req *req, struct bough_spend_options *how,
                                 struct bough_error *err)
{
    enum bough_rc rc = api_query_time(req, "since", &how->since, err);

    if (!rc)
        rc = api_query_time(req, "until", &how->until, err);
    if (rc)
        return rc;
    if (!how->until)
        how->until = api_now(req) + 1;
    if (!how->since)
        how->since = how->until - DAYS * DAY_MS + DAY_MS;
    if (how->since < 0 || how->since >= how->until)
        return bough_fail(err, BOUGH_INVALID, "since must be before until");
    return BOUGH_OK;
}

static enum bough_rc read_how(struct http_req *req, struct http_res *res,
                              struct bough_spend_options *how, struct bough_error *err)
{
    const char *session = http_query(req, "session");
    int step = BOUGH_SPEND_DAILY, by = BOUGH_SPEND_BY_MODEL;
    struct bough_session *s;
    enum bough_rc rc = BOUGH_OK;

    how->project = http_query(req, "project");
    how->account = http_query(req, "account");
    how->previous = true;
    if (session) {
        rc = api_session_named(req, session, &s, err);
        how->session = rc ? NULL : s->id;
    }
    if (!rc)
        rc = api_own_project(req, res, &how->project);
    if (!rc)
        rc = read_period(req, how, err);
    if (!rc)
        rc = read_word(req, "step", step_words, &step, err);
    if (!rc)
        rc = read_word(req, "group", group_words, &by, err);
    if (!rc)
        rc = http_query_i64(req, "limit", GROUPS, 1, GROUPS_MOST, &how->limit, err);
    how->step = (enum bough_spend_step)step;
    how->by = (enum bough_spend_by)by;
    return rc;
}

/* ---- JSON ---- */

static void put_spent(struct json_writer *w, const struct bough_spent *s)
{
    jw_kv_i64(w, "calls", s->calls);
    jw_kv_i64(w, "unknown", s->unknown);
    jw_kv_i64(w, "sessions", s->sessions);
    form_in_totals(w, &s->used);
    jw_kv_i64(w, "duration_ms", s->duration);
}

static void put_sum(struct json_writer *w, const char *key, const struct bough_spent *s)
{
    jw_key(w, key);
    jw_obj(w);
    put_spent(w, s);
    jw_end_obj(w);
}

static void put_groups(struct json_writer *w, const struct bough_spend_result *r)
{
    jw_key(w, "groups");
    jw_arr(w);
    for (size_t i = 0; i < r->ngroups; i++) {
        jw_obj(w);
        jw_kv_cstr(w, "key", r->groups[i].key);
        jw_kv_cstr(w, "name", r->groups[i].name);
        put_spent(w, &r->groups[i].spent);
        jw_end_obj(w);
    }
    jw_end_arr(w);
}

static void put_part(struct json_writer *w, const struct bough_spend_result *r,
                     const struct bough_spend_part *p)
{
    jw_obj(w);
    jw_kv_cstr(w, "key", r->groups[p->group].key);
    jw_kv_i64(w, "cost_nano_usd", p->spent.used.cost);
    jw_kv_i64(w, "calls", p->spent.calls);
    jw_kv_i64(w, "input", p->spent.used.input);
    jw_kv_i64(w, "output", p->spent.used.output);
    jw_kv_i64(w, "cache_read", p->spent.used.cache_read);
    jw_end_obj(w);
}

static void put_series(struct http_res *res, struct json_writer *w,
                       const struct bough_spend_result *r)
{
    jw_key(w, "series");
    jw_arr(w);
    for (size_t i = 0; i < r->nseries; i++) {
        jw_obj(w);
        form_time(w, "from", r->series[i].from);
        jw_key(w, "groups");
        jw_arr(w);
        for (size_t k = 0; k < r->series[i].n; k++)
            put_part(w, r, &r->series[i].at[k]);
        jw_end_arr(w);
        jw_end_obj(w);
        http_spill(res);
    }
    jw_end_arr(w);
}

static void put_json(struct http_res *res, const struct bough_spend_result *r)
{
    struct json_writer *w = http_json(res, 200);

    jw_obj(w);
    form_time(w, "since", r->since);
    form_time(w, "until", r->until);
    put_sum(w, "total", &r->total);
    put_sum(w, "previous", &r->previous);
    put_groups(w, r);
    put_series(res, w, r);
    jw_kv_i64(w, "session_median_nano_usd", r->session_median);
    jw_kv_i64(w, "session_p90_nano_usd", r->session_p90);
    jw_end_obj(w);
}

/* ---- CSV ---- */

/* A spreadsheet takes a cell that begins like a formula for one: a quote in front makes it text. */
static void cell(struct buf *b, const char *text)
{
    bool formula = *text && strchr("=+-@\t\r", *text);

    buf_putc(b, '"');
    if (formula)
        buf_putc(b, '\'');
    for (; *text; text++) {
        if (*text == '"')
            buf_putc(b, '"');
        buf_putc(b, *text);
    }
    buf_puts(b, "\",");
}

static void csv_row(struct http_res *res, const char *from, const struct bough_spend_group *g,
                    const struct bough_spent *s)
{
    const struct bough_totals *t = &s->used;
    struct buf b;

    buf_init(&b, 64 * 1024);
    if (from) {
        buf_put(&b, from, 10);
        buf_putc(&b, ',');
    }
    cell(&b, g->key ? g->key : "other");
    cell(&b, g->name);
    buf_printf(&b, "%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld,%lld.%09lld,%lld\r\n",
               (long long)s->calls, (long long)s->unknown, (long long)s->sessions,
               (long long)t->input, (long long)t->output, (long long)t->reasoning,
               (long long)t->cache_read, (long long)t->cache_write, (long long)s->duration,
               (long long)(t->cost / 1000000000), (long long)(t->cost % 1000000000),
               (long long)t->cost);
    http_write(res, b.p, b.n);
    http_spill(res);
    buf_finish(&b);
}

static void put_csv(struct http_res *res, const struct bough_spend_options *how,
                    const struct bough_spend_result *r)
{
    char from[ISO_TEXT];

    http_text(res, 200, "text/csv; charset=utf-8");
    http_puts(res, how->step ? "from," : "");
    http_puts(res, "key,name,calls,unknown,sessions,input,output,reasoning,cache_read,cache_write,"
                   "duration_ms,cost_usd,cost_nano_usd\r\n");
    for (size_t i = 0; !how->step && i < r->ngroups; i++)
        csv_row(res, NULL, &r->groups[i], &r->groups[i].spent);
    for (size_t i = 0; how->step && i < r->nseries; i++) {
        iso_print(r->series[i].from, from);
        for (size_t k = 0; k < r->series[i].n; k++)
            csv_row(res, from, &r->groups[r->series[i].at[k].group], &r->series[i].at[k].spent);
    }
}

static enum bough_rc cost(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *accept = http_header(req, "accept");
    struct bough_spend_options how = { 0 };
    struct bough_spend_result r;
    int csv = accept && strstr(accept, "text/csv") && !strstr(accept, "json");
    enum bough_rc rc = read_how(req, res, &how, err);

    if (!rc)
        rc = read_word(req, "format", format_words, &csv, err);
    if (!rc)
        rc = bough_spend(api_of(req)->store, req->arena, &how, &r, err);
    if (rc)
        return rc;
    if (csv)
        put_csv(res, &how, &r);
    else
        put_json(res, &r);
    return BOUGH_OK;
}

static const struct http_field cost_query[] = {
    { "since", HTTP_STRING,
      "The first day, in UTC: a time in it. Default: the 30 days before `until`." },
    { "until", HTTP_STRING, "The end: days that begin before this time count. Default: now." },
    { "step", HTTP_STRING, "The steps of the series (default day).", step_words },
    { "group", HTTP_STRING, "What to group by (default model).", group_words },
    { "project", HTTP_STRING, "Only calls made for this project." },
    { "account", HTTP_STRING, "Only calls made for this account." },
    { "session", HTTP_STRING, "Only this session and its subagents at any depth." },
    { "limit", HTTP_INTEGER, "Groups, 1 to 1000 (default 20); the rest becomes one more.",
      .least = 1, .most = GROUPS_MOST },
    { "format", HTTP_STRING, "csv: as a table, as with `Accept: text/csv`.", format_words },
    { 0 },
};

const struct http_route api_cost_routes[] = {
    { "GET", "/api/v1/cost", cost, AUTH_READ,
      "Add up what was spent in whole days of UTC, in groups and as a series.", cost_query,
      .gives = "Cost", .also = "text/csv", .flags = HTTP_LONG },
    { 0 },
};
