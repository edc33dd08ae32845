/* Health, metrics, the index and openapi.json. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/stream.h"
#include "base/json/json.h"
#include "base/text/str.h"

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

/* The value of this metric in the reply. */
static int64_t figure(const struct http_reply *r, const char *name)
{
    const char *at = strstr(r->body.p, name);

    if (!at)
        FAIL("no %s", name);
    return strtoll(at + strlen(name), NULL, 10);
}

STORE_TEST(metrics_have_the_figures_of_the_server_and_its_end_is_announced)
{
    struct http_reply r;
    struct reader stream;
    struct live l;

    live_start(t, &l);
    api_watch(l.w.api, l.server);
    reader_open(t, &stream, &l, "/api/v1/events", "");
    CHECK(reader_hears(&stream, "event: ready", 1, 5000));
    r = world_own(t, &l.w, "GET", "/metrics", "");
    for (struct wait w = { 0 }; figure(&r, "\nbough_http_streams ") == 0 && wait_more(&w);) {
        r = world_own(t, &l.w, "GET", "/metrics", "");
    }
    CHECK_INT(1, figure(&r, "\nbough_http_streams "));
    CHECK_INT(1, figure(&r, "\nbough_http_connections "));
    CHECK_INT(1, figure(&r, "\nbough_http_requests_total "));
    CHECK_INT(1, figure(&r, "\nbough_http_responses_total{class=\"2xx\"} "));
    CHECK_INT(0, figure(&r, "\nbough_http_responses_total{class=\"5xx\"} "));
    CHECK(figure(&r, "\nbough_http_received_bytes_total ") > 30);
    CHECK(figure(&r, "\nbough_http_sent_bytes_total ") > 100);
    CHECK_INT(200, world_own(t, &l.w, "GET", "/readyz", "").status);
    reader_close(&stream);
    http_server_stop(l.server);
    r = world_own(t, &l.w, "GET", "/readyz", "");
    CHECK_INT(503, r.status);
    CHECK_STR("draining", text_at(t, reply_json(t, &r), "error.code"));
    CHECK_INT(200, world_own(t, &l.w, "GET", "/healthz", "").status); /* alive, and draining */
    http_server_join(l.server);
    api_watch(l.w.api, NULL);
    live_stop(&l);
}

STORE_TEST(the_index_is_a_page_that_runs_no_script)
{
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    r = world_ask(t, &w, "GET", "/api", "", "");
    CHECK_INT(200, r.status);
    CHECK(strstr(r.body.p, "<a href=\"/api/v1\">/api/v1</a>"));
    CHECK(strstr(r.body.p, "/api/v1/sessions"));
    CHECK(strstr(r.body.p, "/api/v1/sessions") < strstr(r.body.p, "/alkhub/"));
    CHECK(strstr(r.body.p, "/api/v1/sessions") < strstr(r.body.p, "/healthz"));
    CHECK(!strstr(r.body.p, "<script") && !strstr(r.body.p, "style=\""));
    CHECK(strstr(http_reply_header(&r, "content-security-policy"), "default-src 'none'"));
    CHECK_INT(200, world_ask(t, &w, "GET", "/api/style.css", "", "").status);
    world_close(&w);
}

STORE_TEST(the_api_names_its_store_and_the_caller)
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
