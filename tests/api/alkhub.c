/* alkhub's API: the columns of its tables, its queries, its lifecycle. */
#include "api/world.h"
#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

#define SESSIONS "/alkhub/v1/sessions"

static struct json body_of(struct test *t, struct http_reply r)
{
    struct json j;

    CHECK_OK(json_parse(t->arena, r.body, &j, &t->err));
    return j;
}

static struct json first_of(struct json list)
{
    struct json_iter it = json_iter(list);

    return json_next(&it) ? it.value : (struct json){ 0 };
}

static void check_keys(struct test *t, struct json j, const char *names)
{
    struct json_iter it = json_iter(j);
    struct bough_str key;

    for (size_t n; *names; names += n + (names[n] == ' ')) {
        n = strcspn(names, " ");
        CHECK(json_next(&it));
        CHECK(json_str(t->arena, it.key, &key));
        CHECK_SPAN(arena_strndup(t->arena, names, n), key);
    }
    CHECK(!json_next(&it));
}

static const char *create(struct test *t, struct world *w, const char *body)
{
    struct http_reply r = world_own(t, w, "POST", SESSIONS, body);

    CHECK_INT(201, r.status);
    return json_cstr(t->arena, body_of(t, r), "id");
}

static const char *path(struct test *t, const char *id, const char *more)
{
    return arena_printf(t->arena, SESSIONS "/%s%s", id, more);
}

STORE_TEST(A2_a_session_has_the_columns_of_the_document_and_is_found_by_its_slug)
{
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    r = world_own(t, &w, "POST", SESSIONS,
                  "{\"title\":\"Fix The Door\",\"projectId\":\"p1\",\"workspaceId\":\"w1\","
                  "\"accountId\":\"a1\",\"provider\":\"direct\",\"roleName\":\"architect\","
                  "\"data\":{\"model\":\"m\"},\"metadata\":{\"k\":1}}");
    CHECK_INT(201, r.status);
    j = body_of(t, r);
    check_keys(t, j,
               "id metadata createdAt updatedAt accountId projectId workspaceId parentId slug "
               "title status version provider roleName data");
    CHECK(json_is(json_member(j, "slug"), "fix-the-door"));
    CHECK(json_is(json_member(j, "status"), "idle"));
    CHECK(json_is(json_member(j, "version"), "1"));
    CHECK_SPAN("{\"model\":\"m\"}", json_raw(json_member(j, "data")));
    CHECK_SPAN("null", json_raw(json_member(j, "parentId")));
    CHECK_INT(200, world_own(t, &w, "GET", path(t, "fix-the-door", ""), "").status);
    CHECK_INT(422, world_own(t, &w, "POST", SESSIONS, "{\"title\":\"x\"}").status);
    CHECK_INT(422, world_own(t, &w, "POST", SESSIONS, "{\"projectId\":\"p1\"}").status);
    world_close(&w);
}

STORE_TEST(A2_sessions_are_asked_for_by_their_columns_and_children_by_their_parent)
{
    const char *one, *child;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    one = create(t, &w, "{\"title\":\"one\",\"projectId\":\"p1\",\"roleName\":\"architect\"}");
    create(t, &w, "{\"title\":\"two\",\"projectId\":\"p2\"}");
    child =
        create(t, &w,
               arena_printf(t->arena,
                            "{\"title\":\"three\",\"projectId\":\"p1\",\"parentId\":\"%s\"}", one));
    j = json_member(body_of(t, world_own(t, &w, "GET", SESSIONS "?projectId=p1", "")), "items");
    CHECK_INT(2, json_count(j));
    j = json_member(body_of(t, world_own(t, &w, "GET", SESSIONS "?roleName=architect", "")),
                    "items");
    CHECK_INT(1, json_count(j));
    j = json_member(body_of(t, world_own(t, &w, "GET", path(t, one, "/children"), "")), "items");
    CHECK_INT(1, json_count(j));
    CHECK(json_is(json_member(first_of(j), "id"), child));
    CHECK(json_is(json_member(first_of(j), "parentId"), one));
    CHECK_INT(204, world_own(t, &w, "DELETE", path(t, one, ""), "").status);
    r = world_own(t, &w, "GET", path(t, child, ""), "");
    CHECK(strstr(r.body.p, "\"parentId\":null"));
    world_close(&w);
}

STORE_TEST(A7_the_status_follows_its_lifecycle_and_archived_is_read_only)
{
    const char *s,
        *message = "{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"data\":{\"text\":\"a\"}}]}";
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    s = create(t, &w, "{\"title\":\"one\",\"projectId\":\"p1\"}");
    CHECK_INT(409, world_own(t, &w, "PATCH", path(t, s, ""), "{\"status\":\"retry\"}").status);
    r = world_own(t, &w, "PATCH", path(t, s, ""), "{\"status\":\"busy\",\"owner\":\"one\"}");
    CHECK(strstr(r.body.p, "\"status\":\"busy\""));
    r = world_own(t, &w, "PATCH", path(t, s, ""), "{\"status\":\"busy\",\"owner\":\"other\"}");
    CHECK_INT(409, r.status);
    r = world_own(t, &w, "PATCH", path(t, s, ""), "{\"status\":\"idle\",\"owner\":\"one\"}");
    CHECK_INT(200, r.status);
    CHECK_INT(422, world_own(t, &w, "PATCH", path(t, s, ""), "{\"status\":\"asleep\"}").status);
    CHECK_INT(200, world_own(t, &w, "PATCH", path(t, s, ""), "{\"status\":\"archived\"}").status);
    CHECK_INT(409, world_own(t, &w, "POST", path(t, s, "/messages"), message).status);
    CHECK_INT(409, world_own(t, &w, "PATCH", path(t, s, ""), "{\"title\":\"x\"}").status);
    CHECK_INT(200, world_own(t, &w, "GET", path(t, s, "/messages"), "").status);
    r = world_own(t, &w, "GET", SESSIONS "?active=true", "");
    CHECK_INT(0, json_count(json_member(body_of(t, r), "items")));
    CHECK_INT(200, world_own(t, &w, "PATCH", path(t, s, ""), "{\"status\":\"idle\"}").status);
    CHECK_INT(201, world_own(t, &w, "POST", path(t, s, "/messages"), message).status);
    world_close(&w);
}

STORE_TEST(A4_all_tool_parts_of_a_session_are_asked_for_with_the_columns_of_the_document)
{
    struct http_reply r;
    struct json j, part;
    const char *s;
    struct world w;

    world_open(t, &w);
    s = create(t, &w, "{\"title\":\"one\",\"projectId\":\"p1\"}");
    r = world_own(
        t, &w, "POST", path(t, s, "/messages"),
        "{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"data\":{\"text\":\"look\"}}]}");
    CHECK_INT(201, r.status);
    r = world_own(t, &w, "POST", path(t, s, "/messages"),
                  "{\"role\":\"assistant\",\"data\":{\"modelID\":\"m\",\"providerID\":\"p\"},"
                  "\"parts\":[{\"type\":\"text\",\"data\":{\"text\":\"yes\"}},{\"type\":\"tool\","
                  "\"data\":{\"callID\":\"c\",\"tool\":\"ls\",\"state\":{\"status\":\"pending\","
                  "\"input\":{},\"raw\":\"\"}}}]}");
    CHECK_INT(201, r.status);
    check_keys(t, body_of(t, r), "id metadata createdAt updatedAt sessionId role data parts");
    CHECK(strstr(r.body.p, "\"data\":{\"time\":{\"created\":"));
    j = json_member(body_of(t, world_own(t, &w, "GET", path(t, s, "/parts?type=tool"), "")),
                    "items");
    CHECK_INT(1, json_count(j));
    part = first_of(j);
    check_keys(t, part, "id metadata createdAt updatedAt messageId sessionId type data");
    CHECK(json_is(json_member(part, "type"), "tool"));
    CHECK_SPAN("{\"callID\":\"c\",\"tool\":\"ls\",\"state\":{\"status\":\"pending\",\"input\":{},"
               "\"raw\":\"\"}}",
               json_raw(json_member(part, "data")));
    j = json_member(body_of(t, world_own(t, &w, "GET", path(t, s, "/parts"), "")), "items");
    CHECK_INT(3, json_count(j));
    CHECK_INT(422,
              world_own(t, &w, "POST", path(t, s, "/messages"), "{\"role\":\"tool\",\"parts\":[]}")
                  .status);
    world_close(&w);
}

STORE_TEST(A4_a_part_comes_back_with_its_id_metadata_and_unknown_type)
{
    const char *s;
    struct http_reply r;
    struct world w;
    struct json part;

    world_open(t, &w);
    s = create(t, &w, "{\"title\":\"one\",\"projectId\":\"p1\"}");
    r = world_own(t, &w, "POST", path(t, s, "/messages"),
                  "{\"role\":\"user\",\"parts\":[{\"id\":\"p1\",\"type\":\"hologram\","
                  "\"metadata\":{\"a\":1.0},\"data\":{\"id\":\"inner\",\"x\":2}}]}");
    CHECK_INT(201, r.status);
    part = first_of(json_member(
        body_of(t, world_own(t, &w, "GET", path(t, s, "/parts?type=hologram"), "")), "items"));
    CHECK_STR("p1", json_cstr(t->arena, part, "id"));
    CHECK_STR("hologram", json_cstr(t->arena, part, "type"));
    CHECK_SPAN("{\"a\":1.0}", json_raw(json_member(part, "metadata")));
    CHECK_SPAN("{\"id\":\"inner\",\"x\":2}", json_raw(json_member(part, "data")));
    CHECK_INT(422, world_own(t, &w, "POST", path(t, s, "/messages"),
                             "{\"role\":\"user\",\"parts\":[{\"type\":\"text\",\"data\":"
                             "{\"text\":\"a\"},\"lost\":1}]}")
                       .status);
    CHECK_INT(422, world_own(t, &w, "POST", path(t, s, "/messages"),
                             "{\"role\":\"developer\",\"parts\":[]}")
                       .status);
    world_close(&w);
}

STORE_TEST(A3_messages_come_in_pages_in_order_and_one_by_one)
{
    const char *s, *next;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    s = create(t, &w, "{\"title\":\"one\",\"projectId\":\"p1\"}");
    user(t, s, "a");
    agent(t, s, "b");
    user(t, s, "c");
    j = body_of(t, world_own(t, &w, "GET", path(t, s, "/messages?limit=2"), ""));
    CHECK_INT(2, json_count(json_member(j, "items")));
    next = json_cstr(t->arena, j, "next");
    j = body_of(
        t, world_own(t, &w, "GET",
                     path(t, s, arena_printf(t->arena, "/messages?limit=2&cursor=%s", next)), ""));
    CHECK_INT(1, json_count(json_member(j, "items")));
    CHECK_SPAN("null", json_raw(json_member(j, "next")));
    r = world_own(t, &w, "GET",
                  path(t, s,
                       arena_printf(t->arena, "/messages/%s",
                                    json_cstr(t->arena, first_of(json_member(j, "items")), "id"))),
                  "");
    CHECK(strstr(r.body.p, "\"type\":\"text\",\"data\":{\"text\":\"c\"}"));
    CHECK_INT(404, world_own(t, &w, "GET", path(t, s, "/messages/nobody"), "").status);
    CHECK_INT(422, world_own(t, &w, "GET", path(t, s, "/messages?cursor=x"), "").status);
    world_close(&w);
}

STORE_TEST(D13_alkhubs_sessions_of_another_project_are_not_there)
{
    const char *foreign, *headers;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    foreign = create(t, &w, "{\"title\":\"secret\",\"projectId\":\"p1\"}");
    headers = arena_printf(t->arena, "%sContent-Type: application/json\r\n",
                           bearer(t, world_token(t, "x", "all", "p2")));
    r = world_ask(t, &w, "GET", SESSIONS, headers, "");
    CHECK_INT(200, r.status);
    CHECK(!strstr(r.body.p, "secret"));
    r = world_ask(t, &w, "GET", SESSIONS "?projectId=p1", headers, "");
    CHECK_INT(200, r.status);
    CHECK(!strstr(r.body.p, "secret"));
    CHECK_INT(404, world_ask(t, &w, "GET", path(t, foreign, ""), headers, "").status);
    CHECK_INT(404, world_ask(t, &w, "GET", path(t, foreign, "/parts"), headers, "").status);
    CHECK_INT(404,
              world_ask(t, &w, "POST", SESSIONS, headers, "{\"title\":\"x\",\"projectId\":\"p1\"}")
                  .status);
    CHECK_INT(404,
              world_ask(t, &w, "POST", SESSIONS, headers,
                        arena_printf(t->arena, "{\"title\":\"x\",\"parentId\":\"%s\"}", foreign))
                  .status);
    world_close(&w);
}

STORE_TEST(A10_tokens_and_cost_of_a_turn_are_counted_and_its_model_is_required)
{
    static const char turn[] =
        "{\"role\":\"assistant\",\"parts\":[],\"data\":{\"modelID\":\"m\",\"providerID\":\"p\","
        "\"cost\":0.25,\"tokens\":{\"input\":10,\"output\":5,\"reasoning\":2,"
        "\"cache\":{\"read\":3,\"write\":4}}}}";
    struct bough_session_create_options in = { .title = "x", .project = "p" };
    struct bough_session *s;
    struct bough_calls calls;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    r = world_own(t, &w, "POST", path(t, s->id, "/messages"), turn);
    CHECK_INT(201, r.status);
    CHECK(strstr(r.body.p, "\"cost\":0.25"));
    CHECK_OK(bough_session_get(t->store, t->arena, s->id, &s, &t->err));
    CHECK_INT(250000000, s->own.cost);
    CHECK_INT(10, s->own.input);
    CHECK_INT(5, s->own.output);
    CHECK_INT(2, s->own.reasoning);
    CHECK_INT(3, s->own.cache_read);
    CHECK_INT(4, s->own.cache_write);
    CHECK_OK(bough_call_list(t->store, t->arena, s->id, &calls, &t->err));
    CHECK_INT(1, (int)calls.n);
    CHECK_STR("m", calls.at[0].model);
    CHECK_STR("p", calls.at[0].provider);
    r = world_own(t, &w, "POST", path(t, s->id, "/messages"),
                  "{\"role\":\"assistant\",\"parts\":[],\"data\":{\"modelID\":\"m\"}}");
    CHECK_INT(422, r.status);
    CHECK(strstr(r.body.p, "providerID"));
    r = world_own(t, &w, "POST", path(t, s->id, "/messages"),
                  "{\"role\":\"assistant\",\"parts\":[],\"data\":{\"modelID\":\"m\","
                  "\"providerID\":\"p\",\"cost\":\"free\"}}");
    CHECK_INT(422, r.status);
    world_close(&w);
}
