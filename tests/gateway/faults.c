/* Providers that fail, clients that leave, and a store that is not there. */
#include <stdio.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/world.h"

#define CHAT "/v1/chat/completions"
#define MESSAGES "/v1/messages"
#define ASK                                                                                        \
    "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n" /* ends with the body */

static const char stream[] =
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","
    "\"model\":\"claude-sonnet-4-5\",\"role\":\"assistant\",\"content\":[],\"usage\":{\"input_"
    "tokens\":5,"
    "\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\","
    "\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n"
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{"
    "\"type\":\"text_delta\",\"text\":\"hello\"}}\n\nevent: content_block_stop\n"
    "data: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: message_delta\n"
    "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{"
    "\"output_tokens\":9}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

static void say_cut(struct world *w, size_t n, bool reset)
{
    const char *text = arena_printf(w->t->arena, HEAD "%.*s", (int)n, stream);

    fake_say(w->up, &(struct fake_answer){ .bytes = str_of(text), .cut = !reset, .reset = reset });
}

/* What came of the stream is there, perhaps without the beginning of an event; then an error as the
 * wire has it, in a line of its own; then a cut. */
static void check_told(const struct got *g, const char *sent, size_t n)
{
    const char *error = strstr(g->body.p, "event: error\n");
    size_t kept;

    CHECK(!g->complete);
    CHECK(error);
    CHECK(error == g->body.p || error[-1] == '\n');
    kept = (size_t)(error - g->body.p);
    if (kept > n || memcmp(g->body.p, sent, kept) != 0)
        kept--; /* the end of the line is ours */
    CHECK(kept <= n && memcmp(g->body.p, sent, kept) == 0);
    CHECK(n - kept < 40 || strncmp(sent + kept, "event: response.completed", 25) == 0);
}

STORE_TEST_SECONDS(a_stream_that_is_cut_anywhere_never_looks_complete, 120)
{
    struct world w;

    world_open(t, &w);
    for (size_t n = 0; n + 1 < sizeof stream; n += 7) {
        struct bough_session *s;
        const char *id;
        struct got g;

        say_cut(&w, n, false);
        g = ask(&w, MESSAGES, "", ASK);
        CHECK_INT(200, g.status);
        if (n < sizeof stream - 60)
            check_told(&g, stream, n);
        id = head_value(t, &g, "x-bough-session");
        if (id)
            CHECK_OK(bough_session_get(t->store, t->arena, id, &s, &t->err));
    }
    say_cut(&w, sizeof stream - 1, false);
    CHECK(ask(&w, MESSAGES, "", ASK).complete);
    world_close(&w);
}

/* The last event of this wire has the whole reply: half of it is no end. */
STORE_TEST_SECONDS(a_response_that_is_cut_in_its_last_event_never_looks_complete, 120)
{
    static const char sent[] =
        "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"id\":"
        "\"resp_1\",\"status\":\"in_progress\",\"output\":[]}}\n\n"
        "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\","
        "\"item_id\":\"m1\",\"output_index\":0,\"content_index\":0,\"delta\":\"hello\"}\n\n"
        "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"id\":"
        "\"resp_1\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"m1\","
        "\"role\":\"assistant\",\"content\":[{\"type\":\"output_text\",\"text\":\"hello\"}]}]}}"
        "\n\n";
    struct world w;

    world_open(t, &w);
    for (size_t n = 1; n + 4 < sizeof sent; n += n < 300 ? 29 : 5) {
        const char *text = arena_printf(t->arena, HEAD "%.*s", (int)n, sent);
        struct got g;

        fake_say(w.up, &(struct fake_answer){ .bytes = str_of(text), .cut = true });
        g = ask(&w, "/v1/responses", "", "{\"model\":\"m\",\"stream\":true,\"input\":\"hi\"}");
        check_told(&g, sent, n);
    }
    fake_events(w.up, sent);
    CHECK(ask(&w, "/v1/responses", "", "{\"model\":\"m\",\"stream\":true,\"input\":\"hi\"}")
              .complete);
    world_close(&w);
}

STORE_TEST(a_reset_in_the_middle_is_recorded_as_what_came)
{
    const char *delta = strstr(stream, "event: content_block_stop");
    struct world w;
    struct talk k;
    struct got g;

    world_open(t, &w);
    fake_say(w.up,
             &(struct fake_answer){ .bytes = str_of(arena_printf(
                                        t->arena,
                                        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                                        "Transfer-Encoding: chunked\r\n\r\n%zx\r\n%.*s\r\n",
                                        (size_t)(delta - stream), (int)(delta - stream), stream)),
                                    .stop_at = sizeof HEAD + 30 + (size_t)(delta - stream),
                                    .reset = true });
    k = talk_begin(&w, MESSAGES, "", ASK);
    CHECK(talk_hears(&k, "hello"));
    fake_go(w.up);
    g = talk_end(&k);
    CHECK(!g.complete);
    CHECK(strstr(g.body.p, "event: error"));
    check_path(&w, "user:hi assistant:hello");
    CHECK_STR("error claude-sonnet-4-5 5+3 estimated", calls_text(&w, only_session(&w)));
    world_close(&w);
}

STORE_TEST(single_bytes_give_the_same_stream)
{
    struct world w;
    struct got g;

    world_open(t, &w);
    fake_say(w.up,
             &(struct fake_answer){ .bytes = str_of(arena_printf(t->arena, HEAD "%s", stream)),
                                    .piece = 1,
                                    .cut = true });
    g = ask(&w, MESSAGES, "", ASK);
    CHECK(g.complete);
    CHECK_SPAN(stream, g.body);
    check_path(&w, "user:hi assistant:hello");
    CHECK_STR("ok claude-sonnet-4-5 5+9 list", calls_text(&w, only_session(&w)));
    world_close(&w);
}

STORE_TEST(errors_of_the_provider_pass_unchanged_and_leave_a_call)
{
    static const int statuses[] = { 400, 401, 403, 404, 422, 429, 500, 503, 529 };
    struct world w;

    world_open(t, &w);
    for (size_t i = 0; i < sizeof statuses / sizeof *statuses; i++) {
        const char *body = arena_printf(
            t->arena, "{\"type\":\"error\",\"error\":{\"type\":\"e%d\"}}", statuses[i]);
        struct got g;

        fake_json(w.up, statuses[i], body);
        g = ask(&w, MESSAGES, "", ASK);
        CHECK_INT(statuses[i], g.status);
        CHECK_SPAN(body, g.body);
        CHECK(g.complete);
    }
    check_path(&w, "user:hi");
    CHECK(strstr(calls_text(&w, only_session(&w)), "error m 0+0"));
    world_close(&w);
}

STORE_TEST(a_redirect_is_not_followed)
{
    struct world w;
    struct got g;

    world_open(t, &w);
    fake_say(w.up, &(struct fake_answer){
                       .bytes = str_of("HTTP/1.1 307 Moved\r\nLocation: http://127.0.0.1:1/\r\n"
                                       "Content-Length: 0\r\n\r\n") });
    g = ask(&w, CHAT, "", ASK);
    CHECK_INT(502, g.status);
    CHECK(strstr(g.body.p, "redirect"));
    CHECK_INT(1, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(a_provider_that_is_not_there_is_502_and_the_question_is_kept)
{
    struct world w;
    struct got g;

    world_prepare(t, &w);
    w.settings[1].value = "http://127.0.0.1:1/v1";
    world_start(&w);
    g = ask(&w, CHAT, "", ASK);
    CHECK_INT(502, g.status);
    CHECK(strstr(g.body.p, "\"error\""));
    CHECK(g.complete);
    check_path(&w, "user:hi");
    CHECK_STR("error m 0+0", calls_text(&w, only_session(&w)));
    world_close(&w);
}

STORE_TEST(a_silent_provider_is_504_and_one_that_stalls_is_cut)
{
    const char *delta = strstr(stream, "event: content_block_stop");
    struct world w;
    struct got g;

    world_prepare(t, &w);
    world_set(&w, "provider \"claude\"", "first_timeout", "300ms");
    world_set(&w, "provider \"claude\"", "between_timeout", "300ms");
    world_start(&w);
    fake_say(w.up, &(struct fake_answer){ .bytes = str_of(HEAD), .stop_at = 5 });
    g = ask(&w, MESSAGES, "", ASK);
    CHECK_INT(504, g.status);
    CHECK(fake_left(w.up, 1));
    fake_say(w.up,
             &(struct fake_answer){ .bytes = str_of(arena_printf(t->arena, HEAD "%s", stream)),
                                    .stop_at = sizeof HEAD - 1 + (size_t)(delta - stream) });
    g = ask(&w, MESSAGES, "", ASK);
    CHECK_INT(200, g.status);
    CHECK(!g.complete && strstr(g.body.p, "event: error"));
    CHECK(fake_left(w.up, 2));
    check_path(&w, "user:hi assistant:hello");
    world_close(&w);
}

STORE_TEST(a_client_that_leaves_ends_the_request_and_what_came_is_kept)
{
    const char *delta = strstr(stream, "event: content_block_stop");
    struct world w;
    struct talk k;

    world_open(t, &w);
    fake_say(w.up,
             &(struct fake_answer){ .bytes = str_of(arena_printf(t->arena, HEAD "%s", stream)),
                                    .stop_at = sizeof HEAD - 1 + (size_t)(delta - stream) });
    k = talk_begin(&w, MESSAGES, "", ASK);
    CHECK(talk_hears(&k, "hello"));
    check_path(&w, "user:hi assistant:(open)"); /* others see it grow */
    talk_leave(&k);
    CHECK(fake_left(w.up, 1));
    check_path(&w, "user:hi assistant:hello");
    CHECK_STR("cancelled claude-sonnet-4-5 5+3 estimated", calls_text(&w, only_session(&w)));
    /* Before the first byte, too. */
    fake_say(w.up, &(struct fake_answer){ .bytes = str_of(HEAD), .stop_at = 5 });
    k = talk_begin(&w, MESSAGES, "", ASK);
    CHECK(fake_asked(w.up, 1));
    talk_leave(&k);
    CHECK(fake_left(w.up, 2));
    world_close(&w);
}

STORE_TEST(on_leave_finish_reads_the_reply_to_its_end)
{
    const char *delta = strstr(stream, "event: content_block_stop");
    struct world w;
    struct talk k;

    world_prepare(t, &w);
    world_set(&w, "gateway", "on_leave", "finish");
    world_start(&w);
    fake_say(w.up,
             &(struct fake_answer){ .bytes = str_of(arena_printf(t->arena, HEAD "%s", stream)),
                                    .stop_at = sizeof HEAD - 1 + (size_t)(delta - stream),
                                    .cut = true });
    k = talk_begin(&w, MESSAGES, "", ASK);
    CHECK(talk_hears(&k, "hello"));
    talk_leave(&k);
    fake_go(w.up);
    check_path(&w, "user:hi assistant:hello");
    CHECK_STR("ok claude-sonnet-4-5 5+9 list", calls_text(&w, only_session(&w)));
    world_close(&w);
}

STORE_TEST(the_last_bytes_come_when_the_reply_is_stored)
{
    const char *stop = strstr(stream, "event: message_stop");
    struct world w;
    struct talk k;
    struct got g;

    world_open(t, &w);
    fake_say(w.up,
             &(struct fake_answer){ .bytes = str_of(arena_printf(t->arena, HEAD "%s", stream)),
                                    .stop_at = sizeof HEAD - 1 + (size_t)(stop + 12 - stream),
                                    .cut = true });
    k = talk_begin(&w, MESSAGES, "", ASK);
    CHECK(talk_hears(&k, "message_delta"));
    CHECK(!memmem(k.in.p, k.in.n, "message_stop", 12));
    fake_go(w.up);
    CHECK(talk_hears(&k, "message_stop"));
    /* A client that has read the end mark finds the reply. */
    CHECK_STR("user:hi assistant:hello", messages_text(&w, only_session(&w)));
    g = talk_end(&k);
    CHECK(g.complete);
    world_close(&w);
}

STORE_TEST(retries_and_fallbacks_happen_before_the_first_byte_only)
{
    struct world w;
    struct got g;

    world_prepare(t, &w);
    world_set(&w, "provider \"claude\"", "retries", "2");
    world_start(&w);
    fake_json(w.up, 529, "{\"type\":\"error\"}");
    fake_json(w.up, 503, "{\"type\":\"error\"}");
    fake_say(w.up, &(struct fake_answer){
                       .bytes = str_of(arena_printf(t->arena, HEAD "%s", stream)), .cut = true });
    g = ask(&w, MESSAGES, "", ASK);
    CHECK_INT(200, g.status);
    CHECK_SPAN(stream, g.body);
    check_path(&w, "user:hi assistant:hello");
    CHECK_STR("error m 0+0, error m 0+0, ok claude-sonnet-4-5 5+9 list",
              calls_text(&w, only_session(&w)));
    /* No retry is left: the error passes. */
    for (int i = 0; i < 3; i++)
        fake_json(w.up, 503, "{\"type\":\"error\",\"n\":1}");
    g = ask(&w, MESSAGES, "", ASK);
    CHECK_INT(503, g.status);
    CHECK_SPAN("{\"type\":\"error\",\"n\":1}", g.body);
    CHECK_INT(6, fake_count(w.up));
    /* A stream that has begun is not tried again. */
    say_cut(&w, 300, false);
    g = ask(&w, MESSAGES, "", ASK);
    CHECK(!g.complete);
    CHECK_INT(7, fake_count(w.up));
    world_close(&w);
}

static void say_ok(struct world *w, bool reset_next)
{
    static const char body[] = "{\"id\":\"c\",\"object\":\"chat.completion\",\"model\":\"m\","
                               "\"choices\":[{\"index\":0,\"finish_reason\":\"stop\",\"message\":"
                               "{\"role\":\"assistant\",\"content\":\"yes\"}}]}";
    const char *text = arena_printf(w->t->arena,
                                    "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                    "Content-Length: %zu\r\n\r\n%s",
                                    sizeof body - 1, body);

    fake_say(w->up, &(struct fake_answer){ .bytes = str_of(text), .reset_next = reset_next });
}

/* Short requests fail when the answer is read, long ones while they are sent. */
STORE_TEST(a_pooled_connection_that_died_is_dialled_again_once)
{
    static const size_t sizes[] = { 1, 4 << 20 };
    struct world w;

    world_open(t, &w);
    for (size_t i = 0; i < 2; i++) {
        char *words = arena_alloc(t->arena, sizes[i] + 1);
        size_t before = fake_connections(w.up);
        struct got g;

        memset(words, 'a', sizes[i]);
        words[sizes[i]] = 0;
        say_ok(&w, true);
        CHECK_INT(200, ask(&w, CHAT, "", ASK).status);
        say_ok(&w, false);
        g = ask(&w, CHAT, "",
                arena_printf(t->arena,
                             "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":"
                             "\"%s\"}]}",
                             words));
        CHECK_INT(200, g.status);
        CHECK(strstr(g.body.p, "yes"));
        CHECK_INT(2 * (i + 1), fake_count(w.up));
        CHECK_INT(before + 2 - i, fake_connections(w.up));
    }
    world_close(&w);
}

/* Not so a new one: the provider may have seen the request. */
STORE_TEST(a_new_connection_that_dies_without_an_answer_is_not_dialled_again)
{
    struct world w;

    world_open(t, &w);
    fake_say(w.up, &(struct fake_answer){ .reset = true });
    CHECK_INT(502, ask(&w, CHAT, "", ASK).status);
    CHECK_INT(1, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(bad_requests_are_refused_before_anything_is_sent)
{
    struct world w;
    struct got g;

    world_open(t, &w);
    g = ask(&w, CHAT, "", "{\"model\":\"m\"");
    CHECK_INT(400, g.status);
    CHECK(strstr(g.body.p, "\"error\""));
    g = ask(&w, MESSAGES, "", "{\"model\":\"m\",\"messages\":7}");
    CHECK_INT(400, g.status);
    CHECK(strstr(g.body.p, "invalid_request_error"));
    g = ask(&w, CHAT, "Content-Encoding: br\r\n", ASK);
    CHECK_INT(415, g.status);
    g = ask(&w, CHAT, "Content-Encoding: gzip\r\n", ASK);
    CHECK_INT(400, g.status);
    CHECK_INT(0, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(a_budget_that_is_used_up_is_402_with_what_was_spent)
{
    struct bough_budget_set_options in = { .cap = 1000, .window = BOUGH_BUDGET_DAY };
    struct world w;
    struct got g;

    CHECK_OK(bough_budget_set(t->store, t->arena, &in, NULL, &t->err));
    world_open(t, &w);
    g = ask(&w, MESSAGES, "",
            "{\"model\":\"claude-sonnet-4-5\",\"max_tokens\":1000,\"messages\":[{\"role\":\"user\","
            "\"content\":\"hi\"}]}");
    CHECK_INT(402, g.status);
    CHECK(strstr(g.body.p, "billing_error"));
    CHECK(strstr(g.body.p, "\"cap_nano_usd\":1000"));
    g = ask(&w, MESSAGES, "", ASK); /* a model without a price */
    CHECK_INT(402, g.status);
    CHECK(strstr(g.body.p, "price_unknown"));
    CHECK_INT(0, fake_count(w.up));
    world_close(&w);
}
