/* What was spent, over HTTP. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"

#define DAY INT64_C(86400000)

static const char *session_in(struct test *t, const char *project, const char *title)
{
    struct bough_session_create_options in = { .project = project, .title = title };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return s->id;
}

static void pay(struct test *t, const char *session, const char *model, int64_t time, int64_t usd)
{
    struct bough_call_new call = { .provider = "acme",
                                   .model = model,
                                   .time = time,
                                   .used = { .input = 10, .cost = usd * 1000000000 } };
    struct bough_append_options in = { .call = &call };
    struct bough_append_result out;

    CHECK_OK(bough_append(t->store, t->arena, session, &in, &out, &t->err));
}

STORE_TEST(cost_is_served_in_groups_and_as_a_series)
{
    const char *one = session_in(t, "/shop", "One"), *two = session_in(t, "/site", "");
    int64_t today = t->env.now / DAY * DAY;
    struct world w;
    struct json j;

    world_open(t, &w);
    pay(t, one, "big", today, 3);
    pay(t, one, "small", today - DAY, 1);
    pay(t, two, "big", today - DAY, 5);
    pay(t, two, "big", today - 40 * DAY, 2);
    j = world_gives(t, &w, "GET", "/api/v1/cost", "", 200);
    CHECK_STR("9000000000", text_at(t, j, "total.cost_nano_usd"));
    CHECK_STR("2000000000", text_at(t, j, "previous.cost_nano_usd"));
    CHECK_STR("2", text_at(t, j, "total.sessions"));
    CHECK_STR("acme/big", text_at(t, j, "groups.0.key"));
    CHECK_STR("8", text_at(t, j, "groups.0.cost_usd"));
    CHECK_INT(30, json_count(json_member(j, "series")));
    CHECK_STR("4000000000", text_at(t, j, "session_median_nano_usd"));
    CHECK_STR("5000000000", text_at(t, j, "session_p90_nano_usd"));
    j = world_gives(t, &w, "GET", "/api/v1/cost?group=session&limit=1&step=month", "", 200);
    CHECK_STR(two, text_at(t, j, "groups.0.key"));
    CHECK_STR("null", text_at(t, j, "groups.1.key"));
    CHECK_STR("other", text_at(t, j, "groups.1.name"));
    j = world_gives(t, &w, "GET", "/api/v1/cost?group=project&step=none", "", 200);
    CHECK_STR("/site", text_at(t, j, "groups.0.name"));
    CHECK_INT(0, json_count(json_member(j, "series")));
    j = world_gives(t, &w, "GET",
                    arena_printf(t->arena, "/api/v1/cost?session=%s&group=none&step=week", one), "",
                    200);
    CHECK_STR("4000000000", text_at(t, j, "total.cost_nano_usd"));
    j = world_gives(t, &w, "GET",
                    arena_printf(t->arena, "/api/v1/cost?since=%lld&until=%lld",
                                 (long long)(today - 41 * DAY), (long long)(today - 30 * DAY)),
                    "", 200);
    CHECK_STR("2000000000", text_at(t, j, "total.cost_nano_usd"));
    world_gives(t, &w, "GET", "/api/v1/cost?group=colour", "", 422);
    world_gives(t, &w, "GET", "/api/v1/cost?step=hour", "", 422);
    world_gives(t, &w, "GET", "/api/v1/cost?limit=0", "", 422);
    world_gives(t, &w, "GET", "/api/v1/cost?since=2030-01-01&until=2029-01-01", "", 422);
    world_gives(t, &w, "GET", "/api/v1/cost?session=nope", "", 404);
    world_close(&w);
}

static const char *csv(struct test *t, struct world *w, const char *query, const char *headers)
{
    struct http_ask ask = { .method = "GET",
                            .target = arena_printf(t->arena, "/api/v1/cost%s", query),
                            .headers = headers,
                            .via = HTTP_VIA_UNIX };
    struct http_reply r;

    http_loopback(api_app(w->api), t->arena, &ask, &r);
    CHECK_INT(200, r.status);
    CHECK_STR("text/csv; charset=utf-8", http_reply_header(&r, "content-type"));
    return arena_strndup(t->arena, r.body.p, r.body.n);
}

#define COLUMNS                                                                                    \
    "key,name,calls,unknown,sessions,input,output,reasoning,cache_read,cache_write,duration_ms,"   \
    "cost_usd,cost_nano_usd\r\n"

STORE_TEST(cost_comes_as_a_table_whose_cells_are_no_formulas)
{
    const char *one = session_in(t, "/shop", "=HYPERLINK(\"http://evil\",\"x\")");
    int64_t today = t->env.now / DAY * DAY;
    char from[ISO_TEXT];
    struct world w;

    world_open(t, &w);
    pay(t, one, "a,b\"c", today, 3);
    CHECK_STR(arena_printf(t->arena,
                           COLUMNS
                           "\"%s\",\"'=HYPERLINK(\"\"http://evil\"\",\"\"x\"\")\",1,0,1,10,0,0,"
                           "0,0,0,3.000000000,3000000000\r\n",
                           one),
              csv(t, &w, "?group=session&step=none&format=csv", ""));
    iso_print(today, from);
    from[10] = '\0';
    CHECK_STR(arena_printf(t->arena,
                           "from," COLUMNS "%s,\"acme/a,b\"\"c\",\"acme/a,b\"\"c\",1,0,1,10,0,0,0,"
                           "0,0,3.000000000,3000000000\r\n",
                           from),
              csv(t, &w, "", "Accept: text/csv\r\n"));
    world_close(&w);
}

STORE_TEST(a_token_of_a_project_sees_only_what_was_spent_for_it)
{
    const char *ours = session_in(t, "/ours", "Ours"), *moved = session_in(t, "/ours", "Moved");
    const char *theirs = session_in(t, "/theirs", "Theirs"), *headers;
    struct bough_session_update_options away = { .project = "/theirs" };
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    pay(t, ours, "a", 0, 1);
    pay(t, moved, "a", 0, 2);
    CHECK_OK(bough_session_update(t->store, moved, &away, &t->err));
    pay(t, moved, "a", 0, 4);
    pay(t, theirs, "a", 0, 8);
    headers = bearer(t, world_token(t, "ours", "read", "/ours"));
    r = world_ask(t, &w, "GET", "/api/v1/cost?group=session", headers, "");
    CHECK_INT(200, r.status);
    j = reply_json(t, &r);
    check_fits(t, "Cost", j);
    CHECK_STR("3000000000", text_at(t, j, "total.cost_nano_usd"));
    CHECK(!strstr(r.body.p, moved) && !strstr(r.body.p, "Moved") && !strstr(r.body.p, theirs));
    CHECK_STR("", text_at(t, j, "groups.0.key")); /* it has left the project */
    CHECK_STR(ours, text_at(t, j, "groups.1.key"));
    CHECK_INT(403, world_ask(t, &w, "GET", "/api/v1/cost?project=/theirs", headers, "").status);
    CHECK_INT(404, world_ask(t, &w, "GET",
                             arena_printf(t->arena, "/api/v1/cost?session=%s", theirs), headers, "")
                       .status);
    world_close(&w);
}
