/* Request bodies: which requests need one, and what the server says about a wrong one. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static bool changes(const struct http_route *r)
{
    return strcmp(r->method, "GET") != 0 && !(r->flags & HTTP_RAW_BODY);
}

static const char *cookie_of(struct test *t, struct world *w)
{
    struct http_reply r = world_ask(t, w, "GET", auth_link(w->auth, t->arena), "", "");
    const char *cookie = http_reply_header(&r, "set-cookie");

    CHECK_INT(303, r.status);
    return arena_printf(t->arena, "Cookie: %.*s\r\n", (int)strcspn(cookie, ";"), cookie);
}

STORE_TEST(a_request_without_a_body_needs_no_content_type)
{
    const char *token;
    struct world w;
    int n = 0;

    world_open(t, &w);
    token = bearer(t, world_token(t, "all", "all", ""));
    for (const struct http_route *const *table = api_all(w.api); *table; table++)
        for (const struct http_route *r = *table; r->method; r++) {
            int status;

            if (!changes(r))
                continue;
            status = world_ask(t, &w, r->method, world_path(t, r), token, "").status;
            if (r->takes && !(r->flags & HTTP_BODY_OPTIONAL) ? status != 400
                                                             : status == 400 || status == 415)
                FAIL("%s %s without a body: %d", r->method, r->path, status);
            n++;
        }
    CHECK(n > 40);
    world_close(&w);
}

STORE_TEST(a_cookie_without_body_type_and_origin_changes_nothing)
{
    static const char path[] = "/api/v1/search/rebuild";
    const char *cookie;
    struct world w;

    world_open(t, &w);
    cookie = cookie_of(t, &w);
    CHECK_INT(403, world_ask(t, &w, "POST", path, cookie, "").status);
    CHECK_INT(415, world_ask(t, &w, "POST", path,
                             arena_printf(t->arena, "%sContent-Type: text/plain\r\n", cookie), "")
                       .status);
    CHECK_INT(204,
              world_ask(t, &w, "POST", path,
                        arena_printf(t->arena, "%sOrigin: http://localhost:7331\r\n", cookie), "")
                  .status);
    CHECK_INT(204,
              world_ask(t, &w, "POST", path,
                        arena_printf(t->arena, "%sSec-Fetch-Site: same-origin\r\n", cookie), "")
                  .status);
    world_close(&w);
}

STORE_TEST(malformed_json_is_400_and_a_wrong_value_is_422)
{
    struct world w;
    struct json made;
    const char *path;

    world_open(t, &w);
    made = world_gives(t, &w, "POST", "/api/v1/sessions", "", 201);
    path = of_session(t, text_at(t, made, "id"), "/entries");
    CHECK_STR("malformed",
              text_at(t, world_gives(t, &w, "POST", path, "{\"entries\":[", 400), "error.code"));
    (void)world_gives(t, &w, "POST", path, "{\"entries\":[]} x", 400);
    (void)world_gives(t, &w, "POST", path, " ", 400);
    (void)world_gives(t, &w, "POST", path, "", 400);
    (void)world_gives(t, &w, "POST", path, "[]", 422);
    (void)world_gives(t, &w, "POST", path, "{\"entries\":3}", 422);
    (void)world_gives(t, &w, "POST", of_session(t, text_at(t, made, "id"), "/totals"), "{", 400);
    world_close(&w);
}

STORE_TEST(a_compressed_body_is_415_before_it_is_read)
{
    const char *token;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    token = bearer(t, world_token(t, "all", "all", ""));
    r = world_ask(t, &w, "POST", "/api/v1/sessions",
                  arena_printf(t->arena,
                               "%sContent-Type: application/json\r\nContent-Encoding: gzip\r\n",
                               token),
                  "\x1f\x8b");
    CHECK_INT(415, r.status);
    CHECK_STR("unsupported_encoding", text_at(t, reply_json(t, &r), "error.code"));
    CHECK_STR("identity", http_reply_header(&r, "accept-encoding"));
    CHECK_INT(415, world_ask(t, &w, "POST", "/api/v1/import",
                             arena_printf(t->arena, "%sContent-Encoding: gzip\r\n", token), "x")
                       .status);
    CHECK_INT(201, world_ask(t, &w, "POST", "/api/v1/sessions",
                             arena_printf(t->arena,
                                          "%sContent-Type: application/json\r\n"
                                          "Content-Encoding: identity\r\n",
                                          token),
                             "{}")
                       .status);
    world_close(&w);
}

STORE_TEST(a_session_is_created_once_for_an_idempotency_key)
{
    const char *headers;
    struct http_reply one, again;
    struct world w;

    world_open(t, &w);
    headers = arena_printf(t->arena, "%sContent-Type: application/json\r\nIdempotency-Key: k-1\r\n",
                           bearer(t, world_token(t, "all", "all", "")));
    one = world_ask(t, &w, "POST", "/api/v1/sessions", headers, "{\"title\":\"x\"}");
    again = world_ask(t, &w, "POST", "/api/v1/sessions", headers, "{\"title\":\"x\"}");
    CHECK_INT(201, one.status);
    CHECK_INT(201, again.status);
    CHECK_STR(text_at(t, reply_json(t, &one), "id"), text_at(t, reply_json(t, &again), "id"));
    again = world_ask(t, &w, "POST", "/api/v1/sessions", headers, "{\"title\":\"y\"}");
    CHECK_INT(409, again.status);
    CHECK_STR("key_conflict", text_at(t, reply_json(t, &again), "error.code"));
    world_close(&w);
}

STORE_TEST(lease_ms_is_1_to_a_day_and_without_it_a_minute)
{
    static const char *const wrong[] = { "0", "-1", "86400001", "9223372036854775807", "\"x\"" };
    const char *id, *status, *messages;
    struct world w;

    world_open(t, &w);
    id = text_at(t, world_gives(t, &w, "POST", "/api/v1/sessions", "{}", 201), "id");
    status = of_session(t, id, "/status");
    messages = of_session(t, id, "/messages");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        (void)world_gives(t, &w, "PUT", status,
                          arena_printf(t->arena, "{\"status\":\"busy\",\"lease_ms\":%s}", wrong[i]),
                          422);
        (void)world_gives(
            t, &w, "POST", messages,
            arena_printf(t->arena, "{\"entry\":{\"role\":\"user\"},\"lease_ms\":%s}", wrong[i]),
            422);
    }
    (void)world_gives(t, &w, "PUT", status, "{\"status\":\"busy\",\"owner\":\"ann\"}", 200);
    t->env.now += 59000;
    (void)world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                      "{\"entries\":[{\"role\":\"user\",\"text\":\"x\"}]}", 409);
    (void)world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                      "{\"owner\":\"ann\",\"entries\":[{\"role\":\"user\",\"text\":\"x\"}]}", 201);
    (void)world_gives(t, &w, "POST", of_session(t, id, "/record"),
                      "{\"history\":[{\"role\":\"user\",\"text\":\"y\"}]}", 409);
    t->env.now += 2000;
    (void)world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                      "{\"entries\":[{\"role\":\"user\",\"text\":\"x\"}]}", 201);
    world_close(&w);
}

STORE_TEST(money_is_also_an_integer_of_nano_usd_in_and_out)
{
    static const char *const same[] = { "\"cost_nano_usd\":100000007", "\"cost_usd\":0.100000007",
                                        "\"cost_usd\":0.100000007,\"cost_nano_usd\":100000007" };
    const char *entries, *id;
    struct json j;
    struct world w;

    world_open(t, &w);
    id = text_at(t, world_gives(t, &w, "POST", "/api/v1/sessions", "{}", 201), "id");
    entries = of_session(t, id, "/entries");
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        (void)world_gives(t, &w, "POST", entries,
                          arena_printf(t->arena,
                                       "{\"entries\":[{\"role\":\"assistant\",\"text\":\"x\","
                                       "\"usage\":{%s}}]}",
                                       same[i]),
                          201);
    j = world_gives(t, &w, "GET", of_session(t, id, ""), "", 200);
    CHECK_STR("300000021", text_at(t, j, "own.cost_nano_usd"));
    CHECK_STR("0.300000021", text_at(t, j, "own.cost_usd"));
    CHECK_STR("100000007", text_at(t, j, "last_cost_nano_usd"));
    j = world_gives(t, &w, "POST", entries,
                    "{\"entries\":[{\"role\":\"assistant\",\"text\":\"x\",\"usage\":"
                    "{\"cost_usd\":1,\"cost_nano_usd\":1}}]}",
                    422);
    CHECK(strstr(text_at(t, j, "error.message"), "different amounts"));
    world_close(&w);
}

STORE_TEST(null_in_a_patch_clears_a_field_and_a_missing_one_stays)
{
    const char *id, *path;
    struct json j;
    struct world w;

    world_open(t, &w);
    j = world_gives(t, &w, "POST", "/api/v1/sessions",
                    "{\"title\":\"x\",\"role_name\":\"r\",\"project\":\"p\",\"account\":\"a\","
                    "\"data\":{\"k\":1}}",
                    201);
    id = text_at(t, j, "id");
    path = of_session(t, id, "");
    j = world_gives(t, &w, "PATCH", path,
                    "{\"title\":null,\"role_name\":null,\"account\":null,\"data\":null}", 200);
    CHECK_STR("", text_at(t, j, "title"));
    CHECK_STR("p", text_at(t, j, "project"));
    CHECK_STR("{}", text_at(t, j, "data"));
    CHECK(json_type(json_member(j, "role_name")) == JSON_NULL);
    CHECK(json_type(json_member(j, "account")) == JSON_NULL);
    j = world_gives(t, &w, "PATCH", arena_printf(t->arena, "/alkhub/v1/sessions/%s", id),
                    "{\"workspaceId\":\"w\",\"roleName\":\"again\",\"title\":\"y\"}", 200);
    CHECK_STR("again", text_at(t, j, "roleName"));
    j = world_gives(t, &w, "PATCH", arena_printf(t->arena, "/alkhub/v1/sessions/%s", id),
                    "{\"workspaceId\":null,\"roleName\":null}", 200);
    CHECK_STR("null", text_at(t, j, "workspaceId"));
    CHECK_STR("null", text_at(t, j, "roleName"));
    CHECK_STR("y", text_at(t, j, "title"));
    world_close(&w);
}

STORE_TEST(messages_are_corrected_and_outputs_compacted_over_http)
{
    const char *id, *one, *context;
    struct json j;
    struct world w;

    world_open(t, &w);
    id = text_at(t, world_gives(t, &w, "POST", "/api/v1/sessions", "{}", 201), "id");
    j = world_gives(t, &w, "POST", of_session(t, id, "/entries"),
                    "{\"entries\":[{\"role\":\"user\",\"parts\":[{\"type\":\"tool_result\","
                    "\"tool_use_id\":\"c\",\"content\":\"much\"}]}]}",
                    201);
    one = text_at(t, j, "ids.0");
    context = of_session(t, id, "/context?dialect=hygge&memories=true");
    (void)world_gives(t, &w, "POST",
                      of_session(t, id, arena_printf(t->arena, "/entries/%s/amend", one)),
                      "{\"parts\":\"corrected\"}", 201);
    (void)world_gives(t, &w, "POST",
                      of_session(t, id, arena_printf(t->arena, "/entries/%s/amend", one)),
                      "{\"parts\":[]}", 422);
    CHECK(strstr(text_at(t, world_gives(t, &w, "GET", context, "", 200), "messages"), "corrected"));
    (void)world_gives(t, &w, "POST",
                      of_session(t, id, arena_printf(t->arena, "/entries/%s/compact", one)), "",
                      201);
    CHECK(!strstr(text_at(t, world_gives(t, &w, "GET", context, "", 200), "messages"), "much"));
    world_close(&w);
}

STORE_TEST(D13_a_token_of_one_project_gets_no_memories_of_the_store_in_a_context)
{
    struct bough_memory all = { .scope = BOUGH_MEMORY_OF_STORE, .content = "of all" };
    struct bough_memory own = { .scope = BOUGH_MEMORY_OF_PROJECT, .of = "p", .content = "of p" };
    struct bough_session_create_options in = { .project = "p" };
    struct bough_session *s;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    CHECK_OK(bough_memory_add(t->store, t->arena, &all, NULL, &t->err));
    CHECK_OK(bough_memory_add(t->store, t->arena, &own, NULL, &t->err));
    r = world_ask(t, &w, "GET", of_session(t, s->id, "/context?memories=true"),
                  bearer(t, world_token(t, "bound", "read", "p")), "");
    CHECK_INT(200, r.status);
    CHECK(strstr(r.body.p, "of p") && !strstr(r.body.p, "of all"));
    world_close(&w);
}
