/* Health, metrics, the index and openapi.json. */
#include <string.h>

#include "api/world.h"
#include "base/json.h"
#include "base/str.h"

STORE_TEST(health_says_ok_to_everybody_and_metrics_only_to_admins)
{
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    new_session(t, "one");
    r = world_ask(t, &w, "GET", "/healthz", "", "");
    CHECK_INT(200, r.status);
    CHECK_SPAN("ok\n", r.body);
    CHECK_SPAN("ready\n", world_ask(t, &w, "GET", "/readyz", "", "").body);
    CHECK_INT(401, world_ask(t, &w, "GET", "/metrics", "", "").status);
    r = world_own(t, &w, "GET", "/metrics", "");
    CHECK_INT(200, r.status);
    CHECK(strstr(r.body.p, "# TYPE bough_store_last_no counter\nbough_store_last_no 1\n"));
    world_close(&w);
}

STORE_TEST(the_index_is_a_page_that_runs_no_script)
{
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    r = world_ask(t, &w, "GET", "/", "", "");
    CHECK_INT(200, r.status);
    CHECK(strstr(r.body.p, "<a href=\"/api/v1\">/api/v1</a>"));
    CHECK(strstr(r.body.p, "/api/v1/sessions") < strstr(r.body.p, "/alkhub/"));
    CHECK(strstr(r.body.p, "/api/v1/sessions") < strstr(r.body.p, "/healthz"));
    CHECK(!strstr(r.body.p, "<script") && !strstr(r.body.p, "style=\""));
    CHECK(strstr(http_reply_header(&r, "content-security-policy"), "default-src 'none'"));
    CHECK_INT(200, world_ask(t, &w, "GET", "/style.css", "", "").status);
    world_close(&w);
}

STORE_TEST(the_api_says_whose_store_it_is_and_who_asks)
{
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    r = world_ask(t, &w, "GET", "/api/v1", bearer(t, world_token(t, "ci", "read", "/srv")), "");
    CHECK_OK(json_parse(t->arena, r.body, &j, &t->err));
    CHECK(json_is(json_member(j, "who"), "token:ci"));
    CHECK(json_is(json_member(j, "scopes"), "read"));
    CHECK(json_is(json_member(j, "project"), "/srv"));
    world_close(&w);
}

STORE_TEST(openapi_lists_every_row_once_with_an_id_of_its_own)
{
    struct http_reply r;
    struct json doc, paths;
    struct json_iter it;
    struct world w;
    size_t rows = 0, found = 0;

    world_open(t, &w);
    r = world_own(t, &w, "GET", "/api/v1/openapi.json", "");
    CHECK_OK(json_parse(t->arena, r.body, &doc, &t->err));
    CHECK(json_is(json_member(doc, "openapi"), "3.1.0"));
    paths = json_member(doc, "paths");
    for (it = json_iter(paths); json_next(&it);)
        found += json_count(it.value);
    for (const struct http_route *const *table = api_all(w.api); *table; table++)
        for (const struct http_route *row = *table; row->method; row++)
            rows++;
    CHECK_INT(rows, found);
    CHECK(json_is(json_member(json_member(json_member(paths, "/api/v1"), "get"), "operationId"),
                  "get_api_v1"));
    world_close(&w);
}
