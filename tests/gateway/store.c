/* A store that fails: what a client gets, by the setting `record`. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/world.h"
#include "lib/faulty_vfs.h"

#define MESSAGES "/v1/messages"
#define ASK                                                                                        \
    "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"

static const char stream[] =
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","
    "\"model\":\"m\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_tokens\":5,"
    "\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\","
    "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"hello\"}}\n\n"
    "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
    "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":"
    "\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n"
    "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

/* A world over a file whose writes can be made to fail. */
static void open_faulty(struct test *t, struct world *w, const char *record)
{
    struct bough_session *s;

    (void)faulty_disarm();
    faulty_vfs_install();
    CHECK_OK(bough_store_open(&t->store, arena_printf(t->arena, "sqlite:%s", test_path(t, "f.db")),
                              NULL, &t->err));
    CHECK_OK(bough_session_create(t->store, t->arena, NULL, &s, &t->err));
    world_prepare(t, w);
    world_set(w, "gateway", "record", record);
    world_start(w);
}

static void close_faulty(struct test *t, struct world *w)
{
    (void)faulty_disarm();
    world_close(w);
    bough_store_close(&t->store);
    faulty_vfs_remove();
}

TEST(with_required_a_reply_that_cannot_be_stored_never_looks_complete)
{
    struct world w;
    size_t asked;
    struct got g;

    open_faulty(t, &w, "required");
    faulty_arm(FAULTY_WRITE_FULL, 1, true);
    fake_events(w.up, stream);
    g = ask(&w, MESSAGES, "", ASK);
    /* The store fails beside the request: before the first byte it is 503, behind it an error. */
    if (g.status == 503) {
        CHECK(strstr(g.body.p, "\"error\""));
    } else {
        CHECK_INT(200, g.status);
        CHECK(!g.complete && strstr(g.body.p, "event: error") && !strstr(g.body.p, "message_stop"));
    }
    /* It is known to be down now: nothing more is sent. */
    asked = fake_count(w.up);
    g = ask(&w, MESSAGES, "", ASK);
    CHECK_INT(503, g.status);
    CHECK(g.complete);
    CHECK_INT(asked, fake_count(w.up));
    CHECK(gateway_counted(w.gateway, GATEWAY_LOST) >= 1);
    /* There is room again: it works again. */
    CHECK(faulty_disarm());
    fake_events(w.up, stream);
    g = ask(&w, MESSAGES, "", ASK);
    CHECK_INT(200, g.status);
    CHECK(g.complete);
    CHECK_SPAN(stream, g.body);
    close_faulty(t, &w);
}

TEST(with_best_effort_a_client_gets_all_of_its_reply_and_the_loss_is_counted)
{
    struct world w;
    struct got g;

    open_faulty(t, &w, "best-effort");
    faulty_arm(FAULTY_WRITE_FULL, 1, true);
    for (int i = 0; i < 2; i++) {
        fake_events(w.up, stream);
        g = ask(&w, MESSAGES, "", ASK);
        CHECK_INT(200, g.status);
        CHECK(g.complete);
        CHECK_SPAN(stream, g.body);
    }
    CHECK(gateway_counted(w.gateway, GATEWAY_LOST) >= 2);
    close_faulty(t, &w);
}

/* ---- sessions that cannot be written ---- */

STORE_TEST(a_named_session_that_is_archived_is_refused_before_anything_is_sent)
{
    const char *s = new_session(t, "s");
    struct world w;
    struct got g;

    CHECK_OK(bough_session_archive(t->store, s, &t->err));
    world_open(t, &w);
    g = ask(&w, MESSAGES, arena_printf(t->arena, "X-Bough-Session: %s\r\n", s), ASK);
    CHECK_INT(403, g.status);
    CHECK(strstr(g.body.p, "archived"));
    CHECK_INT(0, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(a_session_that_is_deleted_during_the_call_loses_nothing)
{
    const char *s = new_session(t, "s"), *moved;
    struct world w;
    struct talk k;
    struct got g;

    world_open(t, &w);
    fake_say(w.up, &(struct fake_answer){
                       .bytes = str_of(arena_printf(
                           t->arena, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n%s",
                           stream)),
                       .stop_at = 200,
                       .cut = true });
    k = talk_begin(&w, MESSAGES, arena_printf(t->arena, "X-Bough-Session: %s\r\n", s), ASK);
    CHECK(talk_hears(&k, "message_start"));
    CHECK_OK(bough_session_delete(t->store, s, &t->err));
    fake_go(w.up);
    g = talk_end(&k);
    CHECK(g.complete);
    moved = only_session(&w);
    CHECK(strcmp(moved, s) != 0);
    CHECK(strstr(messages_text(&w, moved), "hello"));
    world_close(&w);
}
