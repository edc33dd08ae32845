/* Sessions over HTTP. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

STORE_TEST(a_session_is_made_read_changed_hidden_and_brought_back)
{
    struct http_reply r;
    struct world w;
    struct json s;
    const char *id;

    world_open(t, &w);
    s = world_gives(t, &w, "POST", "/api/v1/sessions",
                    "{\"title\":\"Cache bug\",\"project\":\"/srv/shop\",\"model_name\":\"m\","
                    "\"metadata\":{\"a\":1.50},\"created\":\"2026-01-02T03:04:05Z\"}",
                    201);
    id = text_at(t, s, "id");
    CHECK_STR("cache-bug", text_at(t, s, "slug"));
    CHECK_STR("2026-01-02T03:04:05.000Z", text_at(t, s, "created"));
    CHECK_STR("{\"a\":1.50}", text_at(t, s, "metadata"));
    r = world_own(t, &w, "GET", "/api/v1/sessions/cache-bug", "");
    CHECK_INT(200, r.status);
    CHECK(http_reply_header(&r, "etag"));
    s = world_gives(t, &w, "PATCH", of_session(t, id, ""),
                    "{\"title\":\"Cache\",\"model_provider\":\"p\",\"data\":{\"b\":2}}", 200);
    CHECK_STR("Cache", text_at(t, s, "title"));
    CHECK_STR("p", text_at(t, s, "model_provider"));
    CHECK_STR("m", text_at(t, s, "model_name"));
    s = world_gives(t, &w, "PATCH", of_session(t, id, ""), "{\"title\":\"\"}", 200);
    CHECK_STR("", text_at(t, s, "title"));
    s = world_gives(t, &w, "DELETE", of_session(t, id, ""), "", 200);
    CHECK(strcmp(text_at(t, s, "deleted"), "null") != 0);
    CHECK_STR("[]", text_at(t, world_gives(t, &w, "GET", "/api/v1/sessions", "", 200), "items"));
    CHECK_STR(id, text_at(t, world_gives(t, &w, "GET", "/api/v1/sessions?deleted=only", "", 200),
                          "items.0.id"));
    s = world_gives(t, &w, "POST", of_session(t, id, "/restore"), "", 200);
    CHECK_STR("null", text_at(t, s, "deleted"));
    world_close(&w);
}

STORE_TEST(a_purge_says_what_it_removed_and_then_the_session_is_gone)
{
    const char *id = new_session(t, "one"), *entry = user(t, id, "hello"), *fork;
    struct world w;
    struct json s;

    world_open(t, &w);
    fork = text_at(t,
                   world_gives(t, &w, "POST", of_session(t, id, "/fork"),
                               arena_printf(t->arena, "{\"entry\":\"%s\"}", entry), 201),
                   "id");
    s = world_gives(t, &w, "POST", of_session(t, id, "/purge"), "", 200);
    CHECK_STR("1", text_at(t, s, "kept"));
    CHECK_STR(fork, text_at(t, s, "keepers.0"));
    world_gives(t, &w, "GET", of_session(t, id, ""), "", 410);
    CHECK_STR("hello", path_text(t, fork));
    world_close(&w);
}

STORE_TEST(sessions_are_listed_in_pages_by_every_filter)
{
    struct world w;
    struct json page;
    const char *next = "", *target;
    int n = 0;

    world_open(t, &w);
    for (int i = 0; i < 7; i++)
        new_session(t, arena_printf(t->arena, "s%d", i));
    world_gives(t, &w, "POST", "/api/v1/sessions",
                "{\"kind\":\"subagent\",\"parent\":\"s3\",\"project\":\"/p\",\"role_name\":\"r\"}",
                201);
    do {
        target =
            arena_printf(t->arena, "/api/v1/sessions?limit=3%s%s", *next ? "&cursor=" : "", next);
        page = world_gives(t, &w, "GET", target, "", 200);
        n += (int)json_count(json_member(page, "items"));
        next = text_at(t, page, "next");
    } while (strcmp(next, "null") != 0);
    CHECK_INT(8, n);
    {
        static const struct {
            const char *query;
            unsigned found;
        } rows[] = { { "project=/p", 1 },
                     { "kind=subagent", 1 },
                     { "kind=primary", 7 },
                     { "roots=true", 7 },
                     { "parent=s3", 1 },
                     { "role_name=r", 1 },
                     { "query=S5", 1 },
                     { "status=idle", 8 },
                     { "archived=true", 0 },
                     { "active=true", 8 },
                     { "model_name=none", 0 },
                     { "created_from=1", 8 },
                     { "created_to=2000-01-01T00:00:00Z", 0 },
                     { "order=modified", 8 } };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            page =
                world_gives(t, &w, "GET",
                            arena_printf(t->arena, "/api/v1/sessions?%s", rows[i].query), "", 200);
            if (json_count(json_member(page, "items")) != rows[i].found)
                FAIL("%s: %u", rows[i].query, json_count(json_member(page, "items")));
        }
    }
    world_gives(t, &w, "GET", "/api/v1/sessions?kind=odd", "", 422);
    world_gives(t, &w, "GET", "/api/v1/sessions?created_from=soon", "", 422);
    world_gives(t, &w, "GET", "/api/v1/sessions?limit=1001", "", 422);
    world_gives(t, &w, "GET", "/api/v1/sessions?cursor=x", "", 422);
    page = world_gives(t, &w, "GET", "/api/v1/sessions/s3/children", "", 200);
    CHECK_INT(1, json_count(json_member(page, "items")));
    page = world_gives(t, &w, "GET", of_session(t, text_at(t, page, "items.0.id"), "/lineage"), "",
                       200);
    CHECK_STR("s3", text_at(t, page, "items.1.slug"));
    world_gives(t, &w, "GET", "/api/v1/continue?project=/p", "", 404);
    world_gives(t, &w, "GET", "/api/v1/continue", "", 422);
    world_gives(t, &w, "PATCH", "/api/v1/sessions/s2", "{\"project\":\"/p\"}", 200);
    page = world_gives(t, &w, "GET", "/api/v1/continue?project=/p", "", 200);
    CHECK_STR("s2", text_at(t, page, "slug"));
    world_close(&w);
}

STORE_TEST(missing_taken_and_unknown_values_have_their_own_status)
{
    struct world w;
    struct json e;

    world_open(t, &w);
    world_gives(t, &w, "POST", "/api/v1/sessions", "{\"id\":\"mine\"}", 201);
    e = world_gives(t, &w, "POST", "/api/v1/sessions", "{\"id\":\"mine\"}", 409);
    CHECK_STR("exists", text_at(t, e, "error.code"));
    e = world_gives(t, &w, "POST", "/api/v1/sessions", "{\"require\":[\"project\"]}", 422);
    CHECK_STR("invalid", text_at(t, e, "error.code"));
    e = world_gives(t, &w, "POST", "/api/v1/sessions", "{\"titel\":\"x\"}", 422);
    CHECK_STR("the body has no member titel", text_at(t, e, "error.message"));
    world_gives(t, &w, "POST", "/api/v1/sessions", "{\"title\":7}", 422);
    world_gives(t, &w, "POST", "/api/v1/sessions", "{\"require\":[\"luck\"]}", 422);
    world_gives(t, &w, "POST", "/api/v1/sessions", "[1]", 422);
    world_gives(t, &w, "GET", "/api/v1/sessions/nobody", "", 404);
    world_gives(t, &w, "POST", "/api/v1/sessions", "{\"parent\":\"nobody\"}", 404);
    world_close(&w);
}

STORE_TEST(a_busy_session_is_refused_with_its_owner_and_since_when)
{
    const char *id = new_session(t, "one");
    struct world w;
    struct json e;

    world_open(t, &w);
    e = world_gives(t, &w, "PUT", of_session(t, id, "/status"),
                    "{\"status\":\"busy\",\"owner\":\"ann\",\"lease_ms\":60000}", 200);
    CHECK_STR("ann", text_at(t, e, "lease.owner"));
    e = world_gives(t, &w, "PUT", of_session(t, id, "/status"),
                    "{\"status\":\"busy\",\"owner\":\"bob\",\"lease_ms\":60000}", 409);
    CHECK_STR("busy", text_at(t, e, "error.code"));
    CHECK_STR("ann", text_at(t, e, "error.detail.lease.owner"));
    CHECK(strstr(text_at(t, e, "error.detail.lease.since"), "T"));
    world_gives(t, &w, "PUT", of_session(t, id, "/status"),
                "{\"status\":\"idle\",\"owner\":\"ann\"}", 200);
    world_gives(t, &w, "PUT", of_session(t, id, "/status"), "{\"status\":\"archived\"}", 200);
    CHECK_STR(
        "archived",
        text_at(t, world_gives(t, &w, "GET", of_session(t, id, "/status"), "", 200), "status"));
    world_gives(t, &w, "PUT", of_session(t, id, "/status"), "{\"status\":\"idle\"}", 200);
    world_gives(t, &w, "PUT", of_session(t, id, "/status"), "{\"status\":\"asleep\"}", 422);
    world_close(&w);
}

STORE_TEST(totals_are_adjusted_here_and_up_the_chain)
{
    const char *id = new_session(t, "one");
    struct world w;
    struct json j;

    world_open(t, &w);
    world_gives(t, &w, "POST", "/api/v1/sessions",
                "{\"id\":\"sub\",\"kind\":\"subagent\",\"parent\":\"one\"}", 201);
    j = world_gives(t, &w, "POST", of_session(t, "sub", "/totals"),
                    "{\"input\":5,\"cost_usd\":0.000000001}", 200);
    CHECK_STR("5", text_at(t, j, "rolled.input"));
    CHECK_STR("0.000000001", text_at(t, j, "adjusted.cost_usd"));
    j = world_gives(t, &w, "POST", of_session(t, "sub", "/totals/propagate"), "{\"output\":2}",
                    200);
    CHECK_STR(id, text_at(t, j, "items.1.session"));
    CHECK_STR("false", text_at(t, j, "truncated"));
    j = world_gives(t, &w, "GET", of_session(t, id, "/totals"), "", 200);
    CHECK_STR("2", text_at(t, j, "rolled.output"));
    CHECK_STR(id,
              text_at(t, world_gives(t, &w, "GET", of_session(t, "sub", "/root"), "", 200), "id"));
    world_gives(t, &w, "POST", of_session(t, id, "/totals"), "{\"inputs\":5}", 422);
    world_close(&w);
}

STORE_TEST(U8_a_session_is_named_by_its_number)
{
    const char *id = new_session(t, "Cache bug");
    struct world w;

    world_open(t, &w);
    CHECK(strstr(world_own(t, &w, "GET", "/api/v1/sessions/1", "").body.p, id));
    CHECK(strstr(world_own(t, &w, "GET", "/api/v1/sessions/%231", "").body.p, id));
    CHECK_INT(404, world_own(t, &w, "GET", "/api/v1/sessions/2", "").status);
    world_close(&w);
}

STORE_TEST(a_session_is_removed_by_its_full_id_only)
{
    struct bough_session_create_options in = { .id = "given-1", .title = "Cache bug" };
    const char *rest[] = { "", "/purge" }, *ways[] = { "DELETE", "POST" };
    const char *names[] = { "cache-bug", "%231", "1", NULL };
    struct bough_session *s;
    struct world w;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    world_open(t, &w);
    names[3] = arena_strndup(t->arena, s->id, 10);
    for (size_t i = 0; i < 4; i++)
        for (size_t k = 0; k < 2; k++)
            world_gives(t, &w, ways[k], of_session(t, names[i], rest[k]), "", 422);
    CHECK_INT(0, get(t, s->id)->deleted);
    world_gives(t, &w, "DELETE", of_session(t, "given-1", ""), "", 200);
    world_gives(t, &w, "POST", of_session(t, s->id, "/purge"), "", 200);
    world_close(&w);
}

STORE_TEST(a_token_of_another_project_cannot_take_the_name_of_a_session)
{
    struct bough_session_create_options in = { .title = "Cache bug", .project = "/ours" };
    struct bough_session *s;
    const char *thief;
    struct world w;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    world_open(t, &w);
    thief = arena_printf(t->arena, "%sContent-Type: application/json\r\n",
                         bearer(t, world_token(t, "thief", "read,append", "/theirs")));
    CHECK_INT(409,
              world_ask(t, &w, "POST", "/api/v1/sessions", thief, "{\"id\":\"cache-bug\"}").status);
    CHECK_INT(422, world_ask(t, &w, "POST", "/api/v1/sessions", thief, "{\"id\":\"#1\"}").status);
    CHECK_STR(s->id,
              text_at(t, world_gives(t, &w, "GET", "/api/v1/sessions/cache-bug", "", 200), "id"));
    world_close(&w);
}

STORE_TEST(sessions_are_filtered_by_what_went_wrong_and_counted)
{
    const char *one = new_session(t, "one"), *two = new_session(t, "two");
    struct world w;
    struct json j;

    world_open(t, &w);
    user(t, one, "fine");
    world_gives(t, &w, "POST", of_session(t, two, "/entries"),
                "{\"entries\":[{\"role\":\"assistant\",\"error\":{\"name\":\"Overloaded\"},"
                "\"usage\":{\"input\":3,\"cost_usd\":0.25},\"call_model\":\"m\"}]}",
                201);
    j = world_gives(t, &w, "GET", "/api/v1/sessions?errors=true&count=true", "", 200);
    CHECK_STR(two, text_at(t, j, "items.0.id"));
    CHECK_STR("1", text_at(t, j, "items.0.errors"));
    CHECK_STR("error", text_at(t, j, "items.0.last_state"));
    CHECK_STR("1", text_at(t, j, "total"));
    j = world_gives(t, &w, "GET", "/api/v1/sessions?last_state=ok", "", 200);
    CHECK_STR(one, text_at(t, j, "items.0.id"));
    CHECK_INT(1, json_count(json_member(j, "items")));
    j = world_gives(t, &w, "GET", "/api/v1/sessions?min_cost_usd=0.25&order=cost", "", 200);
    CHECK_INT(1, json_count(json_member(j, "items")));
    j = world_gives(t, &w, "GET", "/api/v1/sessions?min_cost_usd=0.26", "", 200);
    CHECK_INT(0, json_count(json_member(j, "items")));
    j = world_gives(t, &w, "GET", "/api/v1/sessions?model_name=m&count=true&limit=1", "", 200);
    CHECK_STR("1", text_at(t, j, "total"));
    j = world_gives(t, &w, "GET", "/api/v1/facets", "", 200);
    CHECK_STR("m", text_at(t, j, "models.0.name"));
    CHECK_STR("true", text_at(t, j, "complete"));
    world_gives(t, &w, "GET", "/api/v1/sessions?last_state=bad", "", 422);
    world_gives(t, &w, "GET", "/api/v1/sessions?min_cost_usd=x", "", 422);
    world_gives(t, &w, "GET", "/api/v1/sessions?min_cost_usd=-1", "", 422);
    world_gives(t, &w, "GET", "/api/v1/sessions?order=size", "", 422);
    world_close(&w);
}

STORE_TEST(a_token_of_a_project_sees_the_facets_of_its_project)
{
    struct bough_session_create_options ours = { .project = "/ours", .model_name = "a" };
    struct bough_session_create_options theirs = { .project = "/theirs", .model_name = "b" };
    struct bough_source source = { .path = "/x.jsonl", .format = "pi" };
    struct bough_session *s;
    struct http_reply r;
    const char *headers;
    struct world w;

    world_open(t, &w);
    CHECK_OK(bough_session_create(t->store, t->arena, &ours, &s, &t->err));
    CHECK_OK(bough_session_create(t->store, t->arena, &theirs, &s, &t->err));
    CHECK_OK(bough_source_put(t->store, t->arena, &source, NULL, &t->err));
    headers = bearer(t, world_token(t, "ours", "read", "/ours"));
    r = world_ask(t, &w, "GET", "/api/v1/facets", headers, "");
    CHECK_INT(200, r.status);
    check_fits(t, "Facets", reply_json(t, &r));
    CHECK(strstr(r.body.p, "/ours") && !strstr(r.body.p, "/theirs") && !strstr(r.body.p, "\"pi\""));
    CHECK_INT(403, world_ask(t, &w, "GET", "/api/v1/facets?project=/theirs", headers, "").status);
    world_close(&w);
}

STORE_TEST(a_purge_is_looked_at_before_it_is_done)
{
    const char *one = new_session(t, "one"), *fork, *headers;
    struct bough_session_update_options ours = { .project = "/ours" };
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    user(t, one, "a");
    fork = fork_at(t, one, "#1.1");
    user(t, one, "b");
    j = world_gives(t, &w, "GET", of_session(t, one, "/purge"), "", 200);
    CHECK_STR("1", text_at(t, j, "entries"));
    CHECK_STR("1", text_at(t, j, "kept"));
    CHECK_STR(fork, text_at(t, j, "keepers.0.id"));
    CHECK_STR("1", text_at(t, j, "keepers.0.entries"));
    CHECK_STR(fork, text_at(t, j, "detached.0.id"));
    CHECK_STR("null", text_at(t, j, "cost_to"));
    world_gives(t, &w, "GET", "/api/v1/sessions/one/purge", "", 422); /* by its full id only */
    CHECK_OK(bough_session_update(t->store, one, &ours, &t->err));
    headers = bearer(t, world_token(t, "ours", "all", "/ours"));
    r = world_ask(t, &w, "GET", of_session(t, one, "/purge"), headers, "");
    CHECK_INT(200, r.status);
    CHECK(!strstr(r.body.p, fork)); /* it is of another project */
    CHECK_STR("1", text_at(t, reply_json(t, &r), "kept"));
    headers = bearer(t, world_token(t, "reader", "read", ""));
    CHECK_INT(403, world_ask(t, &w, "GET", of_session(t, one, "/purge"), headers, "").status);
    CHECK_INT(2, get(t, one)->messages);
    world_close(&w);
}
