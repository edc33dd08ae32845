/* Memories, todos, calls, the queue and search over HTTP. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

STORE_TEST(memories_are_kept_by_scope_and_forgotten_once)
{
    const char *id = new_session(t, "one"), *m, *path;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    j = world_gives(t, &w, "POST", "/api/v1/memories",
                    "{\"scope\":\"session\",\"of\":\"one\",\"content\":\" tests run \",\"title\":"
                    "\"how\"}",
                    201);
    m = text_at(t, j, "id");
    CHECK_STR("tests run", text_at(t, j, "content"));
    CHECK_STR(id, text_at(t, j, "of"));
    world_gives(t, &w, "POST", "/api/v1/memories",
                "{\"scope\":\"project\",\"of\":\"/p\",\"content\":\"x\"}", 201);
    world_gives(t, &w, "POST", "/api/v1/memories", "{\"scope\":\"all\",\"content\":\"y\"}", 201);
    world_gives(t, &w, "POST", "/api/v1/memories", "{\"scope\":\"here\",\"content\":\"y\"}", 422);
    world_gives(t, &w, "POST", "/api/v1/memories", "{\"scope\":\"all\",\"content\":\" \"}", 422);
    j = world_gives(t, &w, "GET", "/api/v1/memories?scope=project&of=/p", "", 200);
    CHECK_STR("x", text_at(t, j, "items.0.content"));
    path = arena_printf(t->arena, "/api/v1/memories/%s?scope=session&of=%s", m, id);
    world_gives(t, &w, "DELETE", arena_printf(t->arena, "/api/v1/memories/%s?scope=all", m), "",
                404);
    world_gives(t, &w, "DELETE", path, "", 200);
    j = world_gives(t, &w, "DELETE", path, "", 404);
    CHECK_STR("memory_not_found", text_at(t, j, "error.code"));
    r = world_ask(t, &w, "GET", "/api/v1/memories?scope=project&of=/p",
                  bearer(t, world_token(t, "a", "read", "/q")), "");
    CHECK_INT(403, r.status);
    r = world_ask(t, &w, "GET", "/api/v1/memories?scope=project",
                  bearer(t, world_token(t, "b", "read", "/p")), "");
    CHECK_STR("x", text_at(t, reply_json(t, &r), "items.0.content"));
    r = world_ask(t, &w, "GET", "/api/v1/memories?scope=all",
                  bearer(t, world_token(t, "c", "read", "/p")), "");
    CHECK_INT(403, r.status);
    world_close(&w);
}

STORE_TEST(todos_are_replaced_whole)
{
    const char *id = new_session(t, "one");
    struct world w;
    struct json j;

    world_open(t, &w);
    j = world_gives(
        t, &w, "PUT", of_session(t, id, "/todos"),
        "{\"items\":[{\"content\":\"a\"},{\"content\":\"b\",\"status\":\"completed\"}]}", 200);
    CHECK_STR("1", text_at(t, j, "completed"));
    world_gives(t, &w, "PUT", of_session(t, id, "/todos"),
                "{\"items\":[{\"content\":\"a\",\"status\":\"odd\"}]}", 422);
    world_gives(t, &w, "PUT", of_session(t, id, "/todos"), "{}", 422);
    j = world_gives(t, &w, "GET", of_session(t, id, "/todos"), "", 200);
    CHECK_STR("pending", text_at(t, j, "items.0.status"));
    world_close(&w);
}

STORE_TEST(calls_are_listed_read_and_removed)
{
    const char *id = new_session(t, "one"), *call;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                "{\"call\":{\"provider\":\"p\",\"model\":\"m\",\"want_model\":\"n\",\"usage\":{"
                "\"x\":1},\"used\":{\"input\":7}}}",
                201);
    j = world_gives(t, &w, "GET", of_session(t, id, "/calls"), "", 200);
    CHECK_STR("n", text_at(t, j, "items.0.want_model"));
    CHECK_STR("false", text_at(t, j, "items.0.cost_known")); /* tokens, but no price */
    call = arena_printf(t->arena, "/api/v1/calls/%s", text_at(t, j, "items.0.id"));
    CHECK_STR("7", text_at(t, world_gives(t, &w, "GET", call, "", 200), "used.input"));
    r = world_ask(t, &w, "GET", call, bearer(t, world_token(t, "a", "read", "/q")), "");
    CHECK_INT(404, r.status);
    world_gives(t, &w, "DELETE", call, "", 204);
    world_gives(t, &w, "GET", call, "", 404);
    j = world_gives(t, &w, "GET", of_session(t, id, "/totals"), "", 200);
    CHECK_STR("7", text_at(t, j, "adjusted.input"));
    world_close(&w);
}

STORE_TEST(prompts_wait_in_order_are_changed_and_taken_once)
{
    const char *id = new_session(t, "one"), *second;
    struct world w;
    struct json j;

    world_open(t, &w);
    world_gives(t, &w, "POST", of_session(t, id, "/queue"),
                "{\"content\":\"first\",\"model\":\"m\",\"data\":{\"a\":1}}", 201);
    second = text_at(
        t, world_gives(t, &w, "POST", of_session(t, id, "/queue"), "{\"content\":\"second\"}", 201),
        "id");
    world_gives(t, &w, "POST", of_session(t, id, "/queue"), "{\"content\":\" \"}", 422);
    world_gives(t, &w, "PATCH", of_session(t, id, arena_printf(t->arena, "/queue/%s", second)),
                "{\"content\":\"2nd\"}", 200);
    world_gives(t, &w, "POST",
                of_session(t, id, arena_printf(t->arena, "/queue/%s/promote", second)), "", 204);
    j = world_gives(t, &w, "GET", of_session(t, id, "/queue"), "", 200);
    CHECK_STR("2nd", text_at(t, j, "items.0.content"));
    CHECK_STR("m", text_at(t, j, "items.1.model"));
    CHECK_STR("2nd",
              text_at(t, world_gives(t, &w, "POST", of_session(t, id, "/queue/take"), "", 200),
                      "content"));
    world_gives(t, &w, "DELETE", of_session(t, id, arena_printf(t->arena, "/queue/%s", second)), "",
                404);
    world_gives(t, &w, "DELETE",
                of_session(t, id, arena_printf(t->arena, "/queue/%s", text_at(t, j, "items.1.id"))),
                "", 204);
    world_gives(t, &w, "POST", of_session(t, id, "/queue/take"), "", 404);
    world_close(&w);
}

STORE_TEST(search_is_paged_and_limited_to_visible_projects)
{
    const char *id = new_session(t, "one"), *other = new_session(t, "two");
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    user(t, id, "the quokka smiles");
    agent(t, id, "a quokka again");
    user(t, other, "no quokka here");
    world_gives(t, &w, "PATCH", of_session(t, other, ""), "{\"project\":\"/p\"}", 200);
    j = world_gives(t, &w, "GET", "/api/v1/search?query=quokka&limit=2", "", 200);
    CHECK_INT(2, json_count(json_member(j, "items")));
    CHECK_STR("true", text_at(t, j, "complete"));
    j = world_gives(
        t, &w, "GET",
        arena_printf(t->arena, "/api/v1/search?query=quokka&cursor=%s", text_at(t, j, "next")), "",
        200);
    CHECK_STR("the quokka smiles", text_at(t, j, "items.0.snippet"));
    j = world_gives(t, &w, "GET", "/api/v1/search?query=quokka&session=one&roles=assistant", "",
                    200);
    CHECK_INT(1, json_count(json_member(j, "items")));
    j = world_gives(t, &w, "GET", "/api/v1/search?query=re:qu(", "", 200);
    CHECK(strcmp("null", text_at(t, j, "refused")) != 0);
    world_gives(t, &w, "GET", "/api/v1/search?query=x&at=y", "", 422);
    world_gives(t, &w, "GET", "/api/v1/search?query=x&session=nobody", "", 404);
    r = world_ask(t, &w, "GET", "/api/v1/search?query=quokka",
                  bearer(t, world_token(t, "a", "read", "/p")), "");
    j = reply_json(t, &r);
    CHECK_INT(1, json_count(json_member(j, "items")));
    CHECK_STR(other, text_at(t, j, "items.0.session"));
    r = world_ask(t, &w, "GET", "/api/v1/search?query=quokka&project=/q",
                  bearer(t, world_token(t, "b", "read", "/p")), "");
    CHECK_INT(0, json_count(json_member(reply_json(t, &r), "items")));
    world_gives(t, &w, "POST", "/api/v1/search/rebuild", "", 204);
    world_close(&w);
}

STORE_TEST(a_token_bound_to_a_part_of_a_projects_name_finds_nothing_of_it)
{
    struct bough_session_create_options in = { .project = "/srv/shop" };
    struct bough_session *s;
    struct http_reply r;
    struct world w;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    user(t, s->id, "a quokka");
    world_open(t, &w);
    r = world_ask(t, &w, "GET", "/api/v1/search?query=quokka",
                  bearer(t, world_token(t, "part", "read", "shop")), "");
    CHECK_INT(200, r.status);
    CHECK_STR("[]", text_at(t, reply_json(t, &r), "items"));
    world_close(&w);
}
