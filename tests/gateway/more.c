/* Sharing: several clients, two gateways, slow readers, large bodies. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/world.h"

#define CHAT "/v1/chat/completions"
#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

static const char ask_hi[] =
    "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";

/* ---- many at once ---- */

enum { CLIENTS = 8 };

struct one {
    struct test t; /* only its arena is used: clients run side by side */
    struct world w;
    pthread_t thread;
    const char *headers;
    int number;
    struct got got;
};

static void *ask_one(void *user)
{
    struct one *c = user;
    char body[300];

    snprintf(body, sizeof body,
             "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"question %d\"}]}",
             c->number);
    c->got = ask(&c->w, CHAT, c->headers, body);
    return NULL;
}

STORE_TEST_SECONDS(eight_clients_on_one_session_lose_and_mix_nothing, 60)
{
    struct bough_session *s;
    struct one clients[CLIENTS];
    struct bough_entries_read_result own;
    struct world w;

    CHECK_OK(bough_session_create(
        t->store, t->arena, &(struct bough_session_create_options){ .title = "s" }, &s, &t->err));
    world_open(t, &w);
    for (int i = 0; i < CLIENTS; i++)
        fake_json(w.up, 200, "{\"choices\":[{\"message\":{\"content\":\"answer\"}}]}");
    for (int i = 0; i < CLIENTS; i++) {
        struct one *c = &clients[i];

        *c = (struct one){ .w = w, .number = i };
        c->headers = arena_printf(t->arena, "X-Bough-Session: %s\r\n", s->id);
        c->t.arena = bough_arena_create();
        c->w.t = &c->t;
        CHECK(pthread_create(&clients[i].thread, NULL, ask_one, &clients[i]) == 0);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i].thread, NULL);
    for (int i = 0; i < CLIENTS; i++)
        CHECK_INT(200, clients[i].got.status);
    for (int i = 0; i < CLIENTS; i++)
        bough_arena_destroy(clients[i].t.arena);
    CHECK_OK(bough_entries_read(
        t->store, t->arena, s->id,
        &(struct bough_entries_read_options){ .what = BOUGH_ENTRIES_OWN, .messages = true }, &own,
        &t->err));
    CHECK_INT(2 * CLIENTS, own.entries.n);
    for (int i = 0; i < CLIENTS; i++) {
        char want[40];
        int seen = 0;

        snprintf(want, sizeof want, "question %d", i);
        for (size_t k = 0; k < own.entries.n; k++)
            seen += strcmp(text_of(t, &own.entries.at[k]), want) == 0;
        CHECK_INT(1, seen);
    }
    world_close(&w);
}

/* ---- slow and large ---- */

STORE_TEST_SECONDS(a_client_that_does_not_read_stops_the_provider, 60)
{
    static char kilobyte[1024];
    struct world w;
    struct talk k;
    struct buf b;

    memset(kilobyte, ':', sizeof kilobyte - 2); /* comments of a stream */
    kilobyte[sizeof kilobyte - 2] = kilobyte[sizeof kilobyte - 1] = '\n';
    world_open(t, &w);
    buf_init(&b, 4 << 20);
    buf_puts(&b, HEAD);
    for (int i = 0; i < 64; i++)
        buf_put(&b, kilobyte, sizeof kilobyte);
    fake_say(w.up, &(struct fake_answer){
                       .bytes = buf_str(&b), .stop_at = sizeof HEAD - 1, .endless = true });
    fake_go(w.up);
    k = talk_begin(&w, CHAT, "", ask_hi);
    CHECK(talk_hears(&k, "\n\n"));
    /* Nothing is read any more: the provider's writes must come to a halt. */
    CHECK(fake_stalls(w.up));
    talk_leave(&k);
    CHECK(fake_left(w.up, 1));
    buf_finish(&b);
    world_close(&w);
}

STORE_TEST_SECONDS(a_reply_that_is_larger_than_can_be_recorded_passes_whole, 120)
{
    enum { EVENTS = 70, SIZE = 1 << 20 };
    struct world w;
    struct got g;
    struct buf b;

    world_open(t, &w);
    buf_init(&b, 128 << 20);
    buf_puts(&b, HEAD);
    for (int i = 0; i < EVENTS; i++) {
        buf_puts(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"");
        for (int n = 0; n < SIZE; n += 64)
            buf_puts(&b, "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz0123456789-+");
        buf_puts(&b, "\"}}]}\n\n");
    }
    buf_puts(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                 "data: [DONE]\n\n");
    fake_say(w.up, &(struct fake_answer){ .bytes = buf_str(&b), .cut = true });
    g = ask(&w, CHAT, "", ask_hi);
    CHECK(g.complete);
    CHECK_INT(b.n - (sizeof HEAD - 1), g.body.n);
    CHECK(memcmp(b.p + sizeof HEAD - 1, g.body.p, g.body.n) == 0);
    buf_finish(&b);
    world_close(&w);
}

/* ---- other things that tools ask for ---- */

STORE_TEST(what_else_real_tools_ask_for_is_answered)
{
    struct world w;
    struct talk k;
    struct got g;

    world_open(t, &w);
    k = talk_begin_raw(&w, "GET", "/v1/responses",
                       "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\n", str_of(""));
    g = talk_end(&k);
    CHECK_INT(426, g.status);
    CHECK_STR("close", head_value(t, &g, "Connection"));
    k = talk_begin_raw(&w, "HEAD", "/api/hello", "", str_of(""));
    CHECK_INT(200, talk_end(&k).status);
    fake_json(w.up, 200, "{\"id\":\"resp_7\"}");
    k = talk_begin_raw(&w, "GET", "/v1/responses/resp_7?include=x", "", str_of(""));
    g = talk_end(&k);
    CHECK_INT(200, g.status);
    CHECK_SPAN("{\"id\":\"resp_7\"}", g.body);
    CHECK(strstr(fake_asked(w.up, 0), "GET /v1/responses/resp_7?include=x HTTP/1.1\r\n"));
    fake_json(w.up, 200, "{\"data\":[]}");
    g = ask(&w, "/v1/embeddings", "", "{\"model\":\"e\",\"input\":\"x\"}");
    CHECK_SPAN("{\"data\":[]}", g.body);
    world_close(&w);
}

STORE_TEST(connections_to_a_provider_are_used_again)
{
    struct world w;

    world_open(t, &w);
    for (int i = 0; i < 5; i++) {
        fake_json(w.up, 200, "{\"choices\":[{\"message\":{\"content\":\"ok\"}}]}");
        CHECK_INT(200, ask(&w, CHAT, "", ask_hi).status);
    }
    CHECK_INT(1, fake_connections(w.up));
    world_close(&w);
}

STORE_TEST(metrics_count_what_was_sent_on)
{
    struct world w;
    struct talk k;
    struct got g;

    world_open(t, &w);
    fake_json(w.up, 200, "{\"choices\":[{\"message\":{\"content\":\"ok\"}}]}");
    CHECK_INT(200, ask(&w, CHAT, "", ask_hi).status);
    k = talk_begin_raw(&w, "GET", "/metrics", "", str_of(""));
    g = talk_end(&k);
    CHECK(strstr(g.body.p, "\nbough_gateway_requests_total 1\n"));
    CHECK(strstr(g.body.p, "\nbough_gateway_lost_total 0\n"));
    world_close(&w);
}

/* ---- modes of recording ---- */

STORE_TEST(record_off_passes_and_stores_nothing)
{
    struct bough_sessions list;
    struct world w;
    struct got g;

    world_prepare(t, &w);
    world_set(&w, "gateway", "record", "off");
    world_start(&w);
    fake_events(w.up, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n");
    g = ask(&w, CHAT, "", ask_hi);
    CHECK(g.complete);
    CHECK(strstr(g.body.p, "[DONE]"));
    CHECK(!strstr(fake_asked(w.up, 0), "stream_options"));
    CHECK_OK(bough_session_list(t->store, t->arena, NULL, &list, &t->err));
    CHECK_INT(0, list.n);
    world_close(&w);
}

STORE_TEST(best_effort_passes_and_stores_the_reply)
{
    struct world w;
    struct got g;

    world_prepare(t, &w);
    world_set(&w, "gateway", "record", "best-effort");
    world_start(&w);
    fake_events(w.up, "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n");
    g = ask(&w, CHAT, "", ask_hi);
    CHECK(g.complete);
    CHECK_SPAN("data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]\n\n", g.body);
    check_path(&w, "user:hi assistant:a");
    world_close(&w);
}

/* ---- large streams ---- */

/* More than the server sends together, an event that is larger than that, and small ones again. */
static const char *many_events(struct test *t)
{
    const char *out;
    struct buf b;

    buf_init(&b, 4 << 20);
    for (int i = 0; i < 3000; i++) {
        buf_printf(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d \"}}]}\n\n",
                   i);
        if (i == 1500)
            buf_printf(&b, ": %0100000d\n\n", 7);
    }
    buf_puts(&b, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n"
                 "data: [DONE]\n\n");
    out = arena_strndup(t->arena, b.p, b.n);
    buf_finish(&b);
    return out;
}

STORE_TEST(thousands_of_events_at_once_arrive_in_order_and_unchanged)
{
    static const char *const modes[] = { "off", "best-effort", "required" };
    const char *events = many_events(t);

    for (size_t i = 0; i < 3; i++) {
        struct world w;
        struct got g;

        world_prepare(t, &w);
        world_set(&w, "gateway", "record", modes[i]);
        world_start(&w);
        fake_events(w.up, events);
        g = ask(&w, CHAT, "", ask_hi);
        CHECK(g.complete);
        CHECK_SPAN(events, g.body);
        world_close(&w);
    }
}

/* The provider compacts: its answer costs money and is kept, and the conversation stays where it
 * was. */
STORE_TEST(a_compaction_by_the_provider_is_recorded_beside_the_conversation)
{
    static const char key[] = "session-id: thread-0001\r\n";
    struct bough_sessions list;
    struct world w;
    struct got g;

    world_open(t, &w);
    fake_json(w.up, 200,
              "{\"id\":\"resp_1\",\"object\":\"response\",\"status\":\"completed\",\"output\":[{"
              "\"type\":\"message\",\"id\":\"m1\",\"role\":\"assistant\",\"content\":[{\"type\":"
              "\"output_text\",\"text\":\"hello\"}]}],\"usage\":{\"input_tokens\":5,"
              "\"output_tokens\":2}}");
    CHECK_INT(200, ask(&w, "/v1/responses", key, "{\"model\":\"m\",\"input\":\"hi\"}").status);
    check_path(&w, "user:hi assistant:hello");
    fake_json(
        w.up, 200,
        "{\"id\":\"resp_2\",\"object\":\"response.compaction\",\"output\":[{\"type\":"
        "\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":"
        "\"hi\"}]},{\"type\":\"compaction\",\"id\":\"cmp_1\",\"encrypted_content\":\"gAAA\"}],"
        "\"usage\":{\"input_tokens\":7,\"output_tokens\":3}}");
    g = ask(&w, "/v1/responses/compact", key,
            "{\"model\":\"m\",\"input\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":"
            "\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\"}]}]}");
    CHECK_INT(200, g.status);
    CHECK(strstr(g.body.p, "gAAA"));
    CHECK(strstr(fake_asked(w.up, 1), "POST /v1/responses/compact HTTP/1.1\r\n"));
    for (struct wait wait = { 0 };;) {
        int64_t input = 0;

        CHECK_OK(bough_session_list(t->store, t->arena,
                                    &(struct bough_session_list_options){ .limit = 10 }, &list,
                                    &t->err));
        for (size_t i = 0; i < list.n; i++) {
            input += list.at[i].own.input;
            if (list.at[i].kind == BOUGH_PRIMARY)
                CHECK_STR("user:hi assistant:hello", messages_text(&w, list.at[i].id));
        }
        if (input == 12) /* both calls are counted */
            break;
        CHECK(wait_more(&wait));
    }
    world_close(&w);
}
