/* Budgets over HTTP. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *session_in(struct test *t, const char *project)
{
    struct bough_session_create_options in = { .project = project };
    struct bough_session *s;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    return s->id;
}

static const char *at(struct test *t, const char *id)
{
    return arena_printf(t->arena, "/api/v1/budgets/%s", id);
}

STORE_TEST(a_budget_is_set_read_and_removed_over_http)
{
    const char *s = session_in(t, "/shop"), *id;
    struct bough_call_new call = { .model = "m", .used = { .cost = 1500000000 } };
    struct bough_append_options in = { .call = &call };
    struct bough_budget_reserve_options ask = { .ask = { .estimate = 250000000 }, .session = s };
    struct bough_append_result out;
    char hold[BOUGH_ID_LEN + 1];
    struct world w;
    struct json j;

    world_open(t, &w);
    CHECK_OK(bough_append(t->store, t->arena, s, &in, &out, &t->err));
    j = world_gives(t, &w, "PUT", "/api/v1/budgets",
                    "{\"scope\":\"project\",\"of\":\"/shop\",\"window\":\"month\",\"cap_usd\":2.5}",
                    200);
    id = text_at(t, j, "id");
    CHECK_STR("1500000000", text_at(t, j, "spent_nano_usd"));
    CHECK_STR("1.5", text_at(t, j, "spent_usd"));
    CHECK_STR("false", text_at(t, j, "allow_unknown"));
    CHECK_OK(bough_budget_reserve(t->store, &ask, hold, &t->err));
    j = world_gives(t, &w, "GET", at(t, id), "", 200);
    CHECK_STR("250000000", text_at(t, j, "reserved_nano_usd"));
    CHECK_STR("1", text_at(t, j, "running"));
    CHECK(strcmp("null", text_at(t, j, "until")) != 0);
    j = world_gives(t, &w, "PUT", "/api/v1/budgets",
                    "{\"scope\":\"project\",\"of\":\"/shop\",\"window\":\"month\","
                    "\"cap_nano_usd\":7,\"allow_unknown\":true}",
                    200);
    CHECK_STR(id, text_at(t, j, "id"));
    j = world_gives(t, &w, "GET", "/api/v1/budgets", "", 200);
    CHECK_INT(1, json_count(json_member(j, "items")));
    CHECK_STR("7", text_at(t, j, "items.0.cap_nano_usd"));
    CHECK_STR("true", text_at(t, j, "items.0.allow_unknown"));
    world_gives(t, &w, "DELETE", at(t, id), "", 204);
    world_gives(t, &w, "DELETE", at(t, id), "", 404);
    world_gives(t, &w, "GET", at(t, id), "", 404);
    world_close(&w);
}

STORE_TEST(a_budget_that_makes_no_sense_is_refused_over_http)
{
    static const char *const bad[] = {
        "{}",
        "{\"scope\":\"store\",\"window\":\"day\"}",
        "{\"scope\":\"planet\",\"window\":\"day\",\"cap_usd\":1}",
        "{\"scope\":\"store\",\"window\":\"year\",\"cap_usd\":1}",
        "{\"scope\":\"store\",\"of\":\"x\",\"window\":\"day\",\"cap_usd\":1}",
        "{\"scope\":\"project\",\"window\":\"day\",\"cap_usd\":1}",
        "{\"scope\":\"store\",\"window\":\"day\",\"cap_usd\":1,\"cap_nano_usd\":1}",
        "{\"scope\":\"store\",\"window\":\"day\",\"cap_usd\":-2}",
        "{\"scope\":\"store\",\"window\":\"day\",\"cap_nano_usd\":-1}",
        "{\"scope\":\"store\",\"window\":\"day\",\"cap_usd\":1,\"colour\":1}",
    };
    struct world w;

    world_open(t, &w);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        world_gives(t, &w, "PUT", "/api/v1/budgets", bad[i], 422);
    world_gives(t, &w, "PUT", "/api/v1/budgets",
                "{\"scope\":\"session\",\"of\":\"nope\",\"window\":\"day\",\"cap_usd\":1}", 404);
    world_close(&w);
}

static void set_it(struct test *t, enum bough_budget_scope scope, const char *of)
{
    struct bough_budget_set_options in = { .scope = scope, .of = of, .cap = 1 };

    CHECK_OK(bough_budget_set(t->store, t->arena, &in, NULL, &t->err));
}

STORE_TEST(a_token_of_a_project_sees_its_own_budgets_and_changes_none)
{
    const char *ours = session_in(t, "/ours"), *theirs = session_in(t, "/theirs"), *headers;
    struct bough_budgets all;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    set_it(t, BOUGH_BUDGET_STORE, NULL);
    set_it(t, BOUGH_BUDGET_ACCOUNT, "ann");
    set_it(t, BOUGH_BUDGET_PROJECT, "/ours");
    set_it(t, BOUGH_BUDGET_PROJECT, "/theirs");
    set_it(t, BOUGH_BUDGET_SESSION, ours);
    set_it(t, BOUGH_BUDGET_SESSION, theirs);
    set_it(t, BOUGH_BUDGET_TOKEN, "token:ci");
    set_it(t, BOUGH_BUDGET_TOKEN, "token:other");
    headers = bearer(t, text_at(t,
                                world_gives(t, &w, "POST", "/api/v1/tokens",
                                            "{\"name\":\"ci\",\"scopes\":\"read,admin\","
                                            "\"project\":\"/ours\"}",
                                            201),
                                "secret"));
    r = world_ask(t, &w, "GET", "/api/v1/budgets", headers, "");
    CHECK_INT(200, r.status);
    CHECK(strstr(r.body.p, "\"/ours\"") && strstr(r.body.p, ours) && strstr(r.body.p, "token:ci"));
    CHECK(!strstr(r.body.p, "/theirs") && !strstr(r.body.p, theirs));
    CHECK(!strstr(r.body.p, "token:other") && !strstr(r.body.p, "ann"));
    CHECK(!strstr(r.body.p, "\"store\""));
    CHECK_OK(bough_budget_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(8, all.n);
    for (size_t i = 0; i < all.n; i++) {
        bool own = strcmp(all.at[i].of, "/ours") == 0 || strcmp(all.at[i].of, ours) == 0 ||
                   strcmp(all.at[i].of, "token:ci") == 0;

        CHECK_INT(own ? 200 : 404,
                  world_ask(t, &w, "GET", at(t, all.at[i].id), headers, "").status);
        CHECK_INT(403, world_ask(t, &w, "DELETE", at(t, all.at[i].id), headers, "").status);
    }
    headers = arena_printf(t->arena, "Content-Type: application/json\r\n%s", headers);
    CHECK_INT(403, world_ask(t, &w, "PUT", "/api/v1/budgets", headers,
                             "{\"scope\":\"project\",\"of\":\"/ours\",\"window\":\"total\","
                             "\"cap_usd\":9}")
                       .status);
    world_close(&w);
}
