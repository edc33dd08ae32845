/* The route of cherry-picks: POST /api/v1/sessions/{id}/pick. */
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

#define BODY(...) arena_printf(t->arena, __VA_ARGS__)

STORE_TEST(U24_entries_are_put_onto_a_branch_or_a_session_over_http)
{
    const char *id = new_session(t, "one"), *a = user(t, id, "a"), *b = agent(t, id, "b");
    const char *c = user(t, id, "c"), *other = new_session(t, "other");
    struct world w;
    struct json j;

    world_open(t, &w);
    j = world_gives(t, &w, "POST", of_session(t, other, "/pick"),
                    BODY("{\"from\":\"%s\",\"entries\":[\"%s\"]}", id, c), 201);
    CHECK_STR("0", text_at(t, j, "shared"));
    CHECK_STR("#2.1", text_at(t, j, "head"));
    CHECK_STR("c", path_text(t, other));
    j = world_gives(t, &w, "POST", of_session(t, id, "/pick"),
                    BODY("{\"at\":\"%s\",\"entries\":[\"%s\"]}", a, b), 201);
    CHECK_STR("1", text_at(t, j, "shared"));
    CHECK_STR(b, text_at(t, j, "ids.0"));
    CHECK_STR("a b", path_text(t, id));
    world_close(&w);
}

STORE_TEST(U24_a_pick_over_http_says_what_is_wrong)
{
    const char *id = new_session(t, "one"), *a = user(t, id, "a");
    struct world w;
    struct http_reply r;

    world_open(t, &w);
    world_gives(t, &w, "POST", of_session(t, id, "/pick"), "{}", 422);
    world_gives(t, &w, "POST", of_session(t, id, "/pick"), "{\"entries\":[1]}", 422);
    world_gives(t, &w, "POST", of_session(t, id, "/pick"), "{\"entries\":[\"nope\"]}", 404);
    world_gives(t, &w, "POST", of_session(t, id, "/pick"),
                BODY("{\"entries\":[\"%s\",\"%s\"]}", a, a), 422);
    world_gives(t, &w, "POST", of_session(t, id, "/pick"),
                BODY("{\"from\":\"nobody\",\"entries\":[\"%s\"]}", a), 404);
    world_gives(t, &w, "POST", of_session(t, id, "/pick"),
                BODY("{\"expect_head\":\"#9.9\",\"entries\":[\"%s\"]}", a), 409);
    r = world_ask(t, &w, "POST", of_session(t, id, "/pick"),
                  arena_printf(t->arena,
                               "%sIf-Match: \"9.9\"\r\nContent-Type: application/json\r\n",
                               bearer(t, world_token(t, "w", "read,append", NULL))),
                  BODY("{\"entries\":[\"%s\"]}", a));
    CHECK_INT(412, r.status);
    CHECK_STR("a", path_text(t, id));
    world_close(&w);
}

STORE_TEST(D13_a_token_picks_only_from_sessions_that_it_sees)
{
    struct bough_session_create_options in = { .title = "mine", .project = "/mine" };
    struct bough_session *mine;
    const char *secret, *foreign = new_session(t, "foreign"), *a = user(t, foreign, "a"), *b;
    struct world w;
    struct http_reply r;

    CHECK_OK(bough_session_create(t->store, t->arena, &in, &mine, &t->err));
    b = user(t, mine->id, "b");
    world_open(t, &w);
    secret = world_token(t, "w", "read,append", "/mine");
    r = world_ask(t, &w, "POST", of_session(t, mine->id, "/pick"),
                  arena_printf(t->arena, "%sContent-Type: application/json\r\n", bearer(t, secret)),
                  BODY("{\"from\":\"%s\",\"entries\":[\"%s\"]}", foreign, a));
    CHECK_INT(404, r.status);
    r = world_ask(t, &w, "POST", of_session(t, mine->id, "/pick"),
                  arena_printf(t->arena, "%sContent-Type: application/json\r\n", bearer(t, secret)),
                  BODY("{\"from\":\"%s\",\"entries\":[\"%s\"]}", mine->id, b));
    CHECK_INT(201, r.status);
    secret = world_token(t, "a", "append", NULL); /* picking reads what it copies */
    r = world_ask(t, &w, "POST", of_session(t, mine->id, "/pick"),
                  arena_printf(t->arena, "%sContent-Type: application/json\r\n", bearer(t, secret)),
                  BODY("{\"from\":\"%s\",\"entries\":[\"%s\"]}", foreign, a));
    CHECK_INT(403, r.status);
    CHECK_STR("b b", path_text(t, mine->id));
    world_close(&w);
}
