/* Limits per caller (D10), and no work for events without listeners. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/stream.h"
#include "base/memory/arena.h"

static struct http_server *serve(struct test *t, struct live *l, struct api_config config)
{
    struct http_listen where = { .fd = -1 };

    world_open_with(t, &l->w, config);
    l->path = test_path(t, "sock");
    where.path = l->path;
    CHECK_OK(http_server_start(&l->server, api_app(l->w.api), &where, 1, NULL, &t->err));
    return l->server;
}

static bool begins(const struct reader *r, const char *status)
{
    return strncmp(r->got.p + 9, status, 3) == 0;
}

STORE_TEST(D10_a_caller_has_only_so_many_streams_and_gets_another_when_one_ends)
{
    struct reader one, two, three;
    struct live l;

    serve(t, &l, (struct api_config){ .streams_each = 2 });
    reader_open(t, &one, &l, "/api/v1/events", "");
    reader_open(t, &two, &l, "/api/v1/events", "");
    CHECK(begins(&one, "200") && begins(&two, "200"));
    reader_open(t, &three, &l, "/api/v1/events", "");
    CHECK(begins(&three, "429"));
    CHECK(reader_hears(&three, "Retry-After", 1, 1000));
    reader_close(&three);
    reader_close(&one);
    for (struct wait w = { 0 };; reader_close(&three)) { /* until the disconnect is noticed */
        reader_open(t, &three, &l, "/api/v1/events", "");
        if (begins(&three, "200"))
            break;
        CHECK(wait_more(&w));
    }
    reader_close(&three);
    reader_close(&two);
    live_stop(&l);
}

STORE_TEST(D10_a_caller_has_only_so_many_requests_at_a_time_and_others_are_not_held_up)
{
    struct bough_entry_new entry = { .role = BOUGH_ROLE_ASSISTANT };
    struct bough_message_open_options in = { .entry = &entry, .owner = "ann" };
    const char *id = new_session(t, "one"), *headers;
    struct bough_message_open_result opened;
    struct http_reply r = { 0 };
    struct reader waits;
    struct live l;

    CHECK_OK(bough_message_open(t->store, t->arena, id, &in, &opened, &t->err));
    serve(t, &l, (struct api_config){ .requests_each = 1 });
    headers = bearer(t, world_token(t, "other", "read", ""));
    /*
     * The owner waits for the message's next step. With one request per caller, either the waiting
     * request or the one that checks for it gets the slot; retry until the second one is refused.
     */
    for (int i = 0; i < 50 && r.status != 429; i++) {
        reader_open_only(t, &waits, &l,
                         of_session(t, id,
                                    arena_printf(t->arena, "/messages/%s?offset=0&wait_ms=9000",
                                                 opened.writing.id)),
                         "");
        if (!reader_hears(&waits, "HTTP/1.1 429", 1, 100))
            r = world_own(t, &l.w, "GET", "/api/v1", "");
        if (r.status != 429)
            reader_close(&waits);
    }
    CHECK_INT(429, r.status);
    CHECK_STR("1", http_reply_header(&r, "retry-after"));
    CHECK_INT(200, world_ask(t, &l.w, "GET", "/api/v1", headers, "").status);
    CHECK_INT(200, world_own(t, &l.w, "GET", "/healthz", "").status);
    reader_close(&waits);
    for (struct wait w = { 0 }; r.status != 200 && wait_more(&w);)
        r = world_own(t, &l.w, "GET", "/api/v1", "");
    CHECK_INT(200, r.status);
    live_stop(&l);
}

static int64_t unheard(struct test *t, struct live *l)
{
    struct http_reply r = world_own(t, &l->w, "GET", "/metrics", "");
    const char *at = strstr(r.body.p, "\nbough_events_unheard_total ");

    CHECK(at);
    return strtoll(at + 28, NULL, 10);
}

STORE_TEST(changes_without_listeners_are_not_formatted_and_are_replayed_later)
{
    const char *id = new_session(t, "one"), *last;
    struct reader r;
    struct live l;
    int64_t before, n;

    live_start(t, &l);
    reader_open(t, &r, &l, "/api/v1/events?kinds=message", "");
    user(t, id, "heard");
    CHECK(reader_hears(&r, "\"text\":\"heard\"", 1, 5000));
    last = arena_printf(t->arena, "Last-Event-ID: %s\r\n", reader_last_id(t, &r));
    reader_close(&r);
    before = n = unheard(t, &l);
    for (struct wait w = { 0 }; n == before && wait_more(&w);) { /* until it is noticed */
        user(t, id, "unheard");
        n = unheard(t, &l);
    }
    CHECK(n > before);
    user(t, id, "last");
    reader_open(t, &r, &l, "/api/v1/events?kinds=message", last);
    CHECK(reader_hears(&r, "\"text\":\"last\"", 1, 5000));
    CHECK(strstr(r.got.p, "\"text\":\"unheard\""));
    CHECK(!strstr(r.got.p, "\"text\":\"heard\""));
    user(t, id, "and on");
    CHECK(reader_hears(&r, "\"text\":\"and on\"", 1, 5000));
    reader_close(&r);
    live_stop(&l);
}
