/* Streams that pass: what is given on at once, what is held, what is left out. */
#include "core/wire/reply/scan.h"

#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "lib/test.h"

struct passed {
    struct buf given;
    int calls;
};

static void on_give(void *user, const char *p, size_t n)
{
    struct passed *to = user;

    CHECK(n > 0);
    buf_put(&to->given, p, n);
    to->calls++;
}

struct seen {
    const char *given, *held;
    bool ended;
};

/* Feed the text in pieces of `size` bytes. */
static struct seen scan_in(struct test *t, enum wire wire, bool drop, const char *text, size_t size)
{
    struct wire_scan s;
    struct passed to = { 0 };
    struct seen out;
    size_t n = strlen(text);

    buf_init(&to.given, 1 << 20);
    wire_scan_init(&s, wire, drop);
    for (size_t at = 0; at < n; at += size)
        wire_scan_feed(&s, text + at, n - at < size ? n - at : size, on_give, &to);
    out.given = arena_strndup(t->arena, to.given.p, to.given.n);
    out.held = arena_strndup(t->arena, s.held.p, s.held.n);
    out.ended = s.ended;
    wire_scan_finish(&s);
    buf_finish(&to.given);
    return out;
}

/* The same in pieces of every size. */
static void check_scan(struct test *t, enum wire wire, bool drop, const char *text,
                       const char *given, const char *held)
{
    for (size_t size = 1; size <= strlen(text) + 1; size++) {
        struct seen got = scan_in(t, wire, drop, text, size);

        CHECK_STR(given, got.given);
        CHECK_STR(held, got.held);
        CHECK(got.ended == (*held != '\0'));
    }
}

#define DELTA "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n"
#define USAGE "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":3}}\n\n"
#define DONE "data: [DONE]\n\n"

TEST(a_stream_passes_unchanged_and_its_end_mark_is_held)
{
    check_scan(t, WIRE_CHAT, false, DELTA USAGE DONE, DELTA USAGE, DONE);
    check_scan(t, WIRE_CHAT, false, DELTA "data:[DONE]\r\n\r\n", DELTA, "data:[DONE]\r\n\r\n");
    check_scan(t, WIRE_MESSAGES, false,
               "event: message_start\r\ndata: {}\r\n\r\n: ping\r\n\r\nevent: message_stop\r\n"
               "data: {\"type\":\"message_stop\"}\r\n\r\n",
               "event: message_start\r\ndata: {}\r\n\r\n: ping\r\n\r\n",
               "event: message_stop\r\ndata: {\"type\":\"message_stop\"}\r\n\r\n");
    check_scan(t, WIRE_RESPONSES, false,
               "event: response.created\ndata: {}\n\nevent: response.incomplete\ndata: {}\n\n",
               "event: response.created\ndata: {}\n\n", "event: response.incomplete\ndata: {}\n\n");
}

TEST(bytes_that_only_look_like_an_end_mark_pass)
{
    check_scan(t, WIRE_CHAT, false, "data: [DO not]\n\n" DELTA, "data: [DO not]\n\n" DELTA, "");
    check_scan(t, WIRE_CHAT, false, "data: {\"text\":\"data: [DONE]\"}\n\n",
               "data: {\"text\":\"data: [DONE]\"}\n\n", "");
    check_scan(t, WIRE_MESSAGES, false, "event: message_stopped_not\ndata: {}\n\n", "",
               "event: message_stopped_not\ndata: {}\n\n"); /* held, then given at the end */
    check_scan(t, WIRE_GEMINI, false, DELTA DONE, DELTA DONE, "");
}

TEST(usage_that_was_not_asked_for_is_left_out_and_nothing_else)
{
    check_scan(t, WIRE_CHAT, true, DELTA USAGE DONE, DELTA, DONE);
    check_scan(t, WIRE_CHAT, true, ": hello\n\n" DELTA ": keep\n" USAGE DELTA DONE,
               ": hello\n\n" DELTA DELTA, DONE);
    check_scan(t, WIRE_CHAT, true, "data: {\"choices\":[],\"usage\":null}\n\n" DONE,
               "data: {\"choices\":[],\"usage\":null}\n\n", DONE);
    check_scan(t, WIRE_CHAT, true,
               "data: {\"choices\":[{\"delta\":{}}],\"usage\":{\"prompt_tokens\":3}}\n\n" DONE,
               "data: {\"choices\":[{\"delta\":{}}],\"usage\":{\"prompt_tokens\":3}}\n\n", DONE);
}

TEST(an_event_that_is_larger_than_can_be_held_passes)
{
    size_t n = 17 << 20;
    char *big = arena_alloc(t->arena, n);
    struct passed to = { 0 };
    struct wire_scan s;

    memset(big, 'x', n);
    memcpy(big, "data: ", 6);
    big[n - 2] = big[n - 1] = '\n';
    buf_init(&to.given, 64 << 20);
    wire_scan_init(&s, WIRE_CHAT, true);
    for (size_t at = 0; at < n; at += 1 << 16)
        wire_scan_feed(&s, big + at, n - at < 1 << 16 ? n - at : 1 << 16, on_give, &to);
    wire_scan_feed(&s, USAGE DELTA DONE, strlen(USAGE DELTA DONE), on_give, &to);
    CHECK_INT(n + strlen(DELTA), to.given.n);
    CHECK(memcmp(to.given.p, big, n) == 0);
    CHECK(s.ended);
    wire_scan_finish(&s);
    buf_finish(&to.given);
}

TEST(without_usage_to_leave_out_bytes_do_not_wait_for_the_end_of_their_event)
{
    struct seen got = scan_in(t, WIRE_CHAT, false, "data: {\"choices\":[{\"del", 7);

    CHECK_STR("data: {\"choices\":[{\"del", got.given);
    CHECK_STR("", got.held);
    got = scan_in(t, WIRE_CHAT, true, DELTA "data: {\"choices\":[{\"del", 7);
    CHECK_STR(DELTA, got.given);
    CHECK_STR("data: {\"choices\":[{\"del", got.held);
}
