/* Conditional changes: If-Match. */
#include <pthread.h>
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"

static const char *with_tag(struct test *t, const char *tag)
{
    static int tokens;
    const char *label = arena_printf(t->arena, "any%d", tokens++);

    return arena_printf(t->arena, "Content-Type: application/json\r\n%sIf-Match: %s\r\n",
                        bearer(t, world_token(t, label, "all", "")), tag);
}

static struct http_reply change(struct test *t, struct world *w, const char *method,
                                const char *target, const char *tag, const char *body)
{
    return world_ask(t, w, method, target, with_tag(t, tag), body);
}

static const char *tag_of(struct test *t, struct world *w, const char *target)
{
    struct http_reply r = world_own(t, w, "GET", target, "");

    CHECK_INT(200, r.status);
    return http_reply_header(&r, "etag");
}

STORE_TEST(a_session_is_patched_only_as_it_was_read)
{
    const char *id = new_session(t, "one"), *target = of_session(t, id, ""), *first, *second;
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    first = tag_of(t, &w, target);
    r = change(t, &w, "PATCH", target, first, "{\"title\":\"two\"}");
    CHECK_INT(200, r.status);
    second = http_reply_header(&r, "etag");
    CHECK(strcmp(first, second) != 0);
    r = change(t, &w, "PATCH", target, first, "{\"title\":\"three\"}");
    CHECK_INT(412, r.status);
    CHECK_STR("two", text_at(t, world_gives(t, &w, "GET", target, "", 200), "title"));
    CHECK_INT(412, change(t, &w, "PATCH", target, "\"1.2.3\"", "{\"title\":\"x\"}").status);
    CHECK_INT(200, change(t, &w, "PATCH", target, second, "{\"title\":\"three\"}").status);
    CHECK_INT(200, change(t, &w, "PATCH", target, "*", "{\"title\":\"four\"}").status);
    /* An unknown session is 404, whatever the tag is. */
    CHECK_INT(404, change(t, &w, "PATCH", of_session(t, "nobody", ""), first, "{}").status);
    world_close(&w);
}

STORE_TEST(the_head_is_moved_only_from_where_it_was_read)
{
    const char *id = new_session(t, "one"), *a = user(t, id, "a"), *target, *first, *body;
    struct http_reply r;
    struct world w;

    agent(t, id, "b");
    world_open(t, &w);
    target = of_session(t, id, "/head");
    body = arena_printf(t->arena, "{\"entry\":\"%s\"}", a);
    first = tag_of(t, &w, target);
    CHECK_STR("\"1.2\"", first);
    r = change(t, &w, "PUT", target, first, body);
    CHECK_INT(200, r.status);
    CHECK_STR("\"1.1\"", http_reply_header(&r, "etag"));
    r = change(t, &w, "PUT", target, first, body);
    CHECK_INT(412, r.status);
    CHECK_STR("1", text_at(t, reply_json(t, &r), "error.detail.head.depth"));
    CHECK_INT(412, change(t, &w, "DELETE", target, first, "").status);
    CHECK_INT(412, change(t, &w, "DELETE", target, "nonsense", "").status);
    CHECK_INT(200, change(t, &w, "DELETE", target, "\"1.1\"", "").status);
    CHECK_STR("null", text_at(t, world_gives(t, &w, "GET", target, "", 200), "head"));
    world_close(&w);
}

/* ---- concurrent changes ---- */

struct editor {
    struct test *t;
    struct world *w;
    const char *target, *headers;
    pthread_t thread;
    int status;
};

static void *edit(void *user)
{
    struct editor *e = user;
    struct bough_arena *a = bough_arena_create();
    struct http_ask ask = { "PATCH",      e->target, e->headers, { "{\"title\":\"mine\"}", 16 },
                            HTTP_VIA_TCP, 0 };
    struct http_reply r;

    http_loopback(api_app(e->w->api), a, &ask, &r);
    e->status = r.status;
    bough_arena_destroy(a);
    return NULL;
}

STORE_TEST(of_many_conditional_patches_one_succeeds)
{
    enum { EDITORS = 8 };
    const char *id = new_session(t, "one"), *target = of_session(t, id, "");
    struct editor all[EDITORS];
    const char *headers;
    struct world w;
    int won = 0;

    world_open(t, &w);
    headers =
        arena_printf(t->arena, "Host: localhost:7331\r\n%s", with_tag(t, tag_of(t, &w, target)));
    for (int i = 0; i < EDITORS; i++) {
        all[i] = (struct editor){ t, &w, target, headers, 0, 0 };
        CHECK_INT(0, pthread_create(&all[i].thread, NULL, edit, &all[i]));
    }
    for (int i = 0; i < EDITORS; i++) {
        pthread_join(all[i].thread, NULL);
        won += all[i].status == 200;
        CHECK(all[i].status == 200 || all[i].status == 412);
    }
    CHECK_INT(1, won);
    world_close(&w);
}
