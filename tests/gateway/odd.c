/* Streams that no provider should send: what comes passes unchanged, and the reply in it is kept.
 */
#include <string.h>
#include <zlib.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/world.h"

#define MESSAGES "/v1/messages"
#define ASK                                                                                        \
    "{\"model\":\"m\",\"stream\":true,\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}"
#define SSE "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
#define DELTA(text)                                                                                \
    "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{"  \
    "\"type\":\"text_delta\",\"text\":\"" text "\"}}\n\n"

static const char first[] =
    "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_1\","
    "\"model\":\"claude-sonnet-4-5\",\"role\":\"assistant\",\"content\":[],\"usage\":{"
    "\"input_tokens\":5,\"output_tokens\":1}}}\n\n"
    "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,"
    "\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n" DELTA("hel");
static const char last[] =
    DELTA("lo") "event: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n"
                "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{"
                "\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":9}}\n\n"
                "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";

/* A whole reply with `odd` in the middle of its text. */
static struct bough_str stream_with(struct test *t, struct bough_str odd)
{
    size_t a = sizeof first - 1, z = sizeof last - 1;
    char *all = arena_alloc(t->arena, a + odd.n + z + 1);

    memcpy(all, first, a);
    memcpy(all + a, odd.p, odd.n);
    memcpy(all + a + odd.n, last, z + 1);
    return str_make(all, a + odd.n + z);
}

/* Send `body` behind the lines of a head, and close. */
static void say_bytes(struct world *w, const char *head, struct bough_str body)
{
    size_t n = strlen(head);
    char *all = arena_alloc(w->t->arena, n + 2 + body.n);

    memcpy(all, head, n);
    memcpy(all + n, "\r\n", 2);
    memcpy(all + n + 2, body.p, body.n);
    fake_say(w->up, &(struct fake_answer){ .bytes = str_make(all, n + 2 + body.n), .cut = true });
}

static struct got ask_in(struct world *w, const char *session)
{
    return ask(w, MESSAGES, arena_printf(w->t->arena, "X-Bough-Session: %s\r\n", session), ASK);
}

static void check_reply(struct world *w, const char *what, const char *session, const char *want)
{
    const char *got;

    for (struct wait wait = { 0 }; strcmp(got = messages_text(w, session), want) != 0;)
        if (!wait_more(&wait))
            FAIL("%s: the path is %s, not %s", what, got, want);
}

STORE_TEST_SECONDS(odd_events_pass_unchanged_and_the_reply_around_them_is_kept, 60)
{
    static const struct {
        const char *name;
        struct bough_str bytes;
    } odd[] = {
#define ODD(name, bytes)                                                                           \
    {                                                                                              \
        name,                                                                                      \
        {                                                                                          \
            bytes, sizeof(bytes) - 1                                                               \
        }                                                                                          \
    }
        ODD("a comment", ": still there\n\n"),
        ODD("line ends of another system", "event: ping\r\ndata: {\"type\": \"ping\"}\r\n\r\n"),
        ODD("fields of the standard", "retry: 5\nid: 7\n\n"),
        ODD("an unknown event", "event: news\ndata: {\"type\":\"news\",\"x\":[1]}\n\n"),
        ODD("half an object", "data: {\"type\":\"content_block_del\n\n"),
        ODD("no object at all", "data: <html>502</html>\n\n"),
        ODD("members of other types",
            "data: {\"type\":\"content_block_delta\",\"index\":\"zero\",\"delta\":[]}\n\n"),
        ODD("a type that is no text", "data: {\"type\":{\"a\":1}}\n\n"),
        ODD("an index below 0", "data: {\"type\":\"content_block_stop\",\"index\":-1}\n\n"),
        ODD("a block that never began", "data: {\"type\":\"content_block_stop\",\"index\":7}\n\n"),
        ODD("zero bytes", "data: \0\0{}\n\n\0\n\n"),
        ODD("bytes that are no text", "data: {\"type\":\"ping\",\"x\":\"\xff\xfe\xc0\"}\n\n"),
        ODD("usage that goes down", "data: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{"
                                    "\"output_tokens\":-5}}\n\n"),
        ODD("usage of other types", "data: {\"type\":\"message_delta\",\"delta\":null,"
                                    "\"usage\":\"many\"}\n\n"),
#undef ODD
    };
    struct world w;

    world_open(t, &w);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct bough_str sent = stream_with(t, odd[i].bytes);
        const char *session = new_session(t, "odd");
        struct got g;

        say_bytes(&w, SSE, sent);
        g = ask_in(&w, session);
        if (!g.complete || g.body.n != sent.n || memcmp(g.body.p, sent.p, sent.n) != 0)
            FAIL("%s: %zu bytes came instead of %zu", odd[i].name, g.body.n, sent.n);
        check_reply(&w, odd[i].name, session, "user:hi assistant:hello");
    }
    world_close(&w);
}

/* Half of a pair is no character: it comes back as it was sent, in JSON's own words. */
STORE_TEST(half_a_surrogate_pair_is_kept_as_it_came)
{
    struct bough_str sent;
    const char *session;
    struct world w;
    struct got g;

    world_open(t, &w);
    session = new_session(t, "odd");
    sent = stream_with(t, str_of(DELTA("\\ud83d")));
    say_bytes(&w, SSE, sent);
    g = ask_in(&w, session);
    CHECK(g.complete);
    CHECK_SPAN(sent.p, g.body);
    for (struct wait wait = { 0 };;) {
        const char *got = messages_text(&w, session);

        if (strncmp(got, "user:hi assistant:hel", 21) == 0 && !strstr(got, "(open)")) {
            CHECK(strcmp(got + strlen(got) - 2, "lo") == 0);
            break;
        }
        CHECK(wait_more(&wait));
    }
    world_close(&w);
}

STORE_TEST(nesting_and_lines_without_end_pass_and_cost_only_themselves)
{
    size_t n = 3 << 20;
    char *deep = arena_alloc(t->arena, n + 16), *line = arena_alloc(t->arena, n + 16);
    struct world w;

    world_open(t, &w);
    memset(deep, '[', n);
    memcpy(deep, "data: ", 6);
    memcpy(deep + n, "\n\n", 3);
    memset(line, 'x', n);
    memcpy(line + n, "\n\n", 3);
    for (int i = 0; i < 2; i++) {
        struct bough_str sent = stream_with(t, str_make(i ? line : deep, n + 2));
        const char *session = new_session(t, "odd");
        struct got g;

        say_bytes(&w, SSE, sent);
        g = ask_in(&w, session);
        CHECK(g.complete && g.body.n == sent.n && memcmp(g.body.p, sent.p, sent.n) == 0);
        check_reply(&w, "reply", session, "user:hi assistant:hello");
    }
    world_close(&w);
}

/* It was asked not to. A client that sees no Content-Encoding could not read it. */
STORE_TEST(an_answer_that_is_compressed_unasked_is_given_plain)
{
    struct bough_str sent;
    z_stream z = { 0 };
    const char *session;
    unsigned char *packed;
    struct world w;
    struct got g;

    world_open(t, &w);
    session = new_session(t, "odd");
    sent = stream_with(t, str_of(""));
    packed = arena_alloc(t->arena, sent.n + 1024);
    CHECK_INT(Z_OK, deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY));
    z.next_in = (unsigned char *)sent.p;
    z.avail_in = (unsigned)sent.n;
    z.next_out = packed;
    z.avail_out = (unsigned)sent.n + 1024;
    CHECK_INT(Z_STREAM_END, deflate(&z, Z_FINISH));
    say_bytes(&w,
              arena_printf(t->arena, SSE "Content-Encoding: gzip\r\nContent-Length: %lu\r\n",
                           z.total_out),
              str_make((char *)packed, z.total_out));
    deflateEnd(&z);
    g = ask_in(&w, session);
    CHECK(g.complete);
    CHECK_SPAN(sent.p, g.body);
    CHECK(!head_value(t, &g, "content-encoding"));
    check_reply(&w, "reply", session, "user:hi assistant:hello");
    world_close(&w);
}

/* A page of a proxy between here and the provider, with status 200. */
STORE_TEST(an_answer_of_another_type_passes_and_is_no_reply)
{
    static const char page[] = "<html><body>Sign in to the hotel's network</body></html>";
    const char *session;
    struct world w;
    struct got g;

    world_open(t, &w);
    session = new_session(t, "odd");
    say_bytes(&w, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n", str_of(page));
    g = ask_in(&w, session);
    CHECK_INT(200, g.status);
    CHECK_SPAN(page, g.body);
    for (struct wait wait = { 0 }; strstr(messages_text(&w, session), "(open)");)
        CHECK(wait_more(&wait));
    CHECK(!strstr(messages_text(&w, session), "assistant:Sign"));
    CHECK(strncmp(calls_text(&w, session), "ok", 2) != 0);
    world_close(&w);
}

STORE_TEST(an_error_with_status_200_passes_and_is_an_error)
{
    static const char error[] = "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\","
                                "\"message\":\"Overloaded\"}}";
    const char *session;
    struct world w;
    struct got g;

    world_open(t, &w);
    session = new_session(t, "odd");
    fake_json(w.up, 200, error);
    g = ask_in(&w, session);
    CHECK_INT(200, g.status);
    CHECK_SPAN(error, g.body);
    for (struct wait wait = { 0 }; !*calls_text(&w, session);)
        CHECK(wait_more(&wait));
    CHECK_STR("error m 0+0 unknown", calls_text(&w, session));
    world_close(&w);
}

/* Every client leaves at another byte. What it has heard is stored, and no request stays open. */
STORE_TEST_SECONDS(a_client_may_leave_at_any_byte, 120)
{
    struct bough_str sent = stream_with(t, str_of(""));
    struct world w;

    world_open(t, &w);
    for (size_t at = 1; at < sent.n; at += 97) {
        const char *session = new_session(t, "odd");
        struct talk k;

        fake_say(w.up, &(struct fake_answer){
                           .bytes = str_of(arena_printf(t->arena, SSE "\r\n%s", sent.p)),
                           .stop_at = sizeof SSE + 1 + at,
                           .cut = true });
        k = talk_begin(&w, MESSAGES, arena_printf(t->arena, "X-Bough-Session: %s\r\n", session),
                       ASK);
        CHECK(talk_hears(&k, arena_strndup(t->arena, sent.p, at < 40 ? at : 40)));
        talk_leave(&k);
        for (struct wait wait = { 0 }; !*calls_text(&w, session);)
            CHECK(wait_more(&wait));
        if (strncmp(calls_text(&w, session), "cancelled", 9) != 0)
            FAIL("at %zu of %zu: %s", at, sent.n, calls_text(&w, session));
        CHECK(!strstr(messages_text(&w, session), "(open)"));
    }
    world_close(&w);
}

/* Some servers do not know `stream`, others know nothing else. */
STORE_TEST(a_reply_of_the_other_form_is_recorded_all_the_same)
{
    static const char whole[] =
        "{\"id\":\"msg_2\",\"type\":\"message\",\"role\":\"assistant\",\"model\":"
        "\"claude-sonnet-4-5\",\"content\":[{\"type\":\"text\",\"text\":\"whole\"}],"
        "\"stop_reason\":\"end_turn\",\"usage\":{\"input_tokens\":5,\"output_tokens\":9}}";
    const char *one = new_session(t, "one"), *two = new_session(t, "two");
    struct bough_str events = stream_with(t, str_of(""));
    struct world w;
    struct got g;

    world_open(t, &w);
    fake_json(w.up, 200, whole);
    g = ask_in(&w, one); /* asks for a stream */
    CHECK(g.complete);
    CHECK_SPAN(whole, g.body);
    check_reply(&w, "a document", one, "user:hi assistant:whole");
    CHECK_STR("ok claude-sonnet-4-5 5+9 list", calls_text(&w, one));
    fake_events(w.up, events.p);
    g = ask(&w, MESSAGES, arena_printf(t->arena, "X-Bough-Session: %s\r\n", two),
            "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
    CHECK(g.complete);
    CHECK_SPAN(events.p, g.body);
    check_reply(&w, "events", two, "user:hi assistant:hello");
    CHECK_STR("ok claude-sonnet-4-5 5+9 list", calls_text(&w, two));
    world_close(&w);
}
