/* MCP servers at a URL: both eras, headers, streams, resumption, and faults. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "gateway/providers.h"
#include "lib/upstream.h"
#include "tools/world.h"

struct far {
    struct tools_world w;
    struct upstream *up;
};

static enum bough_rc open_far(struct test *t, struct far *f, const char *name, const char *value)
{
    static const char *const servers[] = { "far" };
    const struct gateway_setting settings[] = {
        { "tools \"far\"", "url", upstream_url(t, f->up, "/mcp") },
        { "tools \"far\"", "allow_private", "yes" },
        { "tools \"far\"", name, value },
    };
    const struct tool_host_config config = { .settings = settings, .n = name ? 3 : 2 };

    f->w = (struct tools_world){ 0 };
    CHECK_OK(tool_host_create(&f->w.host, &config, &t->err));
    return tool_set_open(&f->w.set, f->w.host,
                         &(struct tool_set_options){ .servers = servers, .n = 1 }, &t->err);
}

static void close_far(struct far *f)
{
    world_close(&f->w);
    upstream_stop(f->up);
}

/* One answer as a stream of events, written at once. */
static void stream(struct far *f, const char *target, const char *events, enum upstream_end end,
                   int times)
{
    const struct upstream_piece pieces[] = {
        { "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n", 0,
          false },
        { events, 0, false },
    };

    upstream_script(f->up, target, &(struct upstream_script){ pieces, 2, end, times });
}

static void say(struct far *f, const char *head, const char *body)
{
    const struct upstream_piece pieces[] = { { head, 0, false }, { body, 0, false } };

    upstream_script(f->up, "POST /mcp", &(struct upstream_script){ pieces, 2, UPSTREAM_CLOSE, 1 });
}

#define JSON_HEAD "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n"
#define NO_METHOD                                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"no such method\"}}"
#define ACCEPTED "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"

/* What a server of the older era says up to the list of tools. Ids: 1 discover, 2 initialize, 3
 * tools/list, 4 the first call. */
static void say_older(struct far *f)
{
    say(f, JSON_HEAD "\r\n", NO_METHOD);
    say(f, JSON_HEAD "Mcp-Session-Id: s-1\r\n\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-11-25\","
        "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"f\",\"version\":\"1\"}}}");
    say(f, ACCEPTED, "");
    say(f, JSON_HEAD "\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[{\"name\":\"echo\",\"inputSchema\":{"
        "\"type\":\"object\"}}]}}");
}

/* Ids: 1 discover, 2 tools/list, 3 the first call. */
static void say_modern(struct far *f, const char *tools)
{
    static char list[8192];

    snprintf(
        list, sizeof list,
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"resultType\":\"complete\",\"tools\":[%s]}}",
        tools);
    say(f, JSON_HEAD "\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"resultType\":\"complete\","
        "\"supportedVersions\":[\"2026-07-28\"],\"capabilities\":{\"tools\":{}}}}");
    say(f, JSON_HEAD "\r\n", list);
}

static struct upstream_request nth(struct test *t, struct far *f, const char *line, size_t n)
{
    for (size_t i = 0; i < upstream_count(f->up); i++) {
        struct upstream_request r = upstream_request(t, f->up, i);

        if (strncmp(r.line, line, strlen(line)) == 0 && n-- == 0)
            return r;
    }
    FAIL("there was no such request: %s", line);
}

static void check_header(struct test *t, const struct upstream_request *r, const char *name,
                         const char *value)
{
    const char *got = upstream_header(t, r, name);

    CHECK_STR(value ? value : "(none)", got ? got : "(none)");
}

#define RESULT(id, text)                                                                           \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                              \
    ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}"

/* ---- the older era ---- */

TEST_SECONDS(a_session_of_the_older_era_is_kept_and_ended, 60)
{
    struct upstream_request r;
    struct far f = { .up = upstream_start() };

    say_older(&f);
    say(&f, JSON_HEAD "\r\n", RESULT("4", "answer"));
    setenv("CANARY", "canary-in-the-mine", 1);
    CHECK_OK(open_far(t, &f, "header", "Authorization: Bearer $CANARY"));
    CHECK_STR("answer", world_good(t, &f.w, "mcp__far__echo", "{}"));
    world_close(&f.w);
    r = nth(t, &f, "POST", 0);
    check_header(t, &r, "authorization", "Bearer canary-in-the-mine");
    check_header(t, &r, "mcp-protocol-version", "2026-07-28");
    r = nth(t, &f, "POST", 1);
    check_header(t, &r, "mcp-protocol-version", NULL);
    check_header(t, &r, "mcp-session-id", NULL);
    r = nth(t, &f, "POST", 4);
    check_header(t, &r, "mcp-protocol-version", "2025-11-25");
    check_header(t, &r, "mcp-session-id", "s-1");
    check_header(t, &r, "accept", "application/json, text/event-stream");
    check_header(t, &r, "mcp-method", NULL);
    r = nth(t, &f, "DELETE", 0);
    check_header(t, &r, "mcp-session-id", "s-1");
    upstream_stop(f.up);
}

TEST_SECONDS(an_answer_in_a_stream_comes_after_progress_and_requests, 60)
{
    struct far f = { .up = upstream_start() };
    struct upstream_request r;

    say_older(&f);
    CHECK_OK(open_far(t, &f, NULL, NULL));
    stream(
        &f, "POST /mcp",
        ": comment\n\nid: 1\nevent: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":"
        "\"notifications/progress\",\"params\":{\"progressToken\":4,\"progress\":1,"
        "\"message\":\"half way\"}}\n\n"
        "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"elicitation/create\",\"params\":{}}\n\n"
        "data: " RESULT("4", "streamed") "\n\ndata: " RESULT("4", "again") "\n\n",
        UPSTREAM_CLOSE, 1);
    say(&f, ACCEPTED, "");
    CHECK_STR("streamed", world_good(t, &f.w, "mcp__far__echo", "{}"));
    CHECK_STR("half way", f.w.progress);
    r = nth(t, &f, "POST", 5);
    CHECK_HAS(r.body.p, "\"id\":7,\"error\":{\"code\":-32601");
    close_far(&f);
}

TEST_SECONDS(a_stream_that_breaks_is_resumed_behind_its_last_event, 60)
{
    struct far f = { .up = upstream_start() };
    struct upstream_request r = { 0 };

    upstream_say(f.up, "GET /mcp", 405, "{}"); /* no stream of its own */
    say_older(&f);
    CHECK_OK(open_far(t, &f, NULL, NULL));
    for (struct wait w = { 0 }; upstream_count(f.up) < 5 && wait_more(&w);)
        ;
    upstream_forget(f.up, "GET /mcp");
    stream(&f, "POST /mcp", "id: e-1\nretry: 10\ndata:\n\n", UPSTREAM_CLOSE, 1);
    stream(&f, "GET /mcp", "id: e-2\ndata:\n\n", UPSTREAM_RESET, 1);
    stream(&f, "GET /mcp", "id: e-3\ndata: " RESULT("4", "at last") "\n\n", UPSTREAM_CLOSE, 1);
    CHECK_STR("at last", world_good(t, &f.w, "mcp__far__echo", "{}"));
    r = nth(t, &f, "GET", 1);
    check_header(t, &r, "last-event-id", "e-1");
    check_header(t, &r, "mcp-session-id", "s-1");
    r = nth(t, &f, "GET", 2);
    check_header(t, &r, "last-event-id", "e-2");
    close_far(&f);
}

TEST_SECONDS(a_session_that_is_gone_is_begun_again, 60)
{
    struct far f = { .up = upstream_start() };

    say_older(&f);
    say(&f, "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n", "");
    say_older(&f);
    CHECK_OK(open_far(t, &f, NULL, NULL));
    CHECK_HAS(world_bad(t, &f.w, "mcp__far__echo", "{}"), "does not know its session");
    upstream_forget(f.up, "POST /mcp");
    say(&f, JSON_HEAD "\r\n", NO_METHOD);
    say(&f, JSON_HEAD "Mcp-Session-Id: s-2\r\n\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"protocolVersion\":\"2025-03-26\","
        "\"capabilities\":{\"tools\":{}}}}");
    say(&f, ACCEPTED, "");
    say(&f, JSON_HEAD "\r\n", RESULT("3", "again"));
    CHECK_STR("again", world_good(t, &f.w, "mcp__far__echo", "{}"));
    close_far(&f);
}

TEST_SECONDS(a_change_on_the_listening_stream_lists_the_tools_again, 60)
{
    static const char *const servers[] = { "far" };
    struct far f = { .up = upstream_start() };
    const struct upstream_piece pieces[] = {
        { "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n", 0,
          false },
        { "data: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/tools/list_changed\"}\n\n", 0,
          true },
        { ": wait\n\n", 0, true },
    };
    size_t n;

    upstream_script(f.up, "GET /mcp", &(struct upstream_script){ pieces, 3, UPSTREAM_CLOSE, 0 });
    say_older(&f);
    CHECK_OK(open_far(t, &f, NULL, NULL));
    tool_set_close(f.w.set);
    n = upstream_count(f.up);
    upstream_let(f.up);
    say(&f, JSON_HEAD "\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{\"tools\":[{\"name\":\"new\",\"inputSchema\":{"
        "\"type\":\"object\"}}]}}");
    f.w.set = NULL;
    for (struct wait w = { 0 }; wait_more(&w);) { /* the list is good until the event has come */
        CHECK_OK(tool_set_open(&f.w.set, f.w.host,
                               &(struct tool_set_options){ .servers = servers, .n = 1 }, &t->err));
        if (tool_find(f.w.set, "mcp__far__new"))
            break;
        tool_set_close(f.w.set);
        f.w.set = NULL;
    }
    CHECK(f.w.set != NULL && upstream_count(f.up) > n);
    close_far(&f);
}

/* ---- 2026-07-28 ---- */

TEST_SECONDS(requests_of_2026_07_28_have_their_headers, 60)
{
    struct far f = { .up = upstream_start() };
    struct upstream_request r;

    say_modern(
        &f, "{\"name\":\"na\xc3\xafve\",\"inputSchema\":{\"type\":\"object\",\"properties\":{"
            "\"region\":{\"type\":\"string\",\"x-mcp-header\":\"Region\"},"
            "\"deep\":{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\","
            "\"x-mcp-header\":\"N\"}}},\"off\":{\"type\":\"boolean\",\"x-mcp-header\":\"Off\"}}}},"
            /* wrong ones, which are left out */
            "{\"name\":\"a\",\"inputSchema\":{\"properties\":{\"x\":{\"type\":\"number\","
            "\"x-mcp-header\":\"X\"}}}},"
            "{\"name\":\"b\",\"inputSchema\":{\"properties\":{\"x\":{\"type\":\"string\","
            "\"x-mcp-header\":\"a b\"}}}},"
            "{\"name\":\"c\",\"inputSchema\":{\"properties\":{\"x\":{\"type\":\"string\","
            "\"x-mcp-header\":\"X\"},\"y\":{\"type\":\"string\",\"x-mcp-header\":\"x\"}}}},"
            "{\"name\":\"d\",\"inputSchema\":{\"items\":{\"type\":\"string\",\"x-mcp-header\":"
            "\"X\"}}},"
            "{\"name\":\"e\",\"inputSchema\":{\"properties\":{\"x\":{\"type\":\"string\","
            "\"x-mcp-header\":\"\"}}}}");
    say(&f, JSON_HEAD "\r\n", RESULT("3", "done"));
    CHECK_OK(open_far(t, &f, NULL, NULL));
    CHECK_INT(1, tool_set_list(f.w.set).n);
    CHECK_STR("done", world_good(t, &f.w, tool_set_list(f.w.set).at[0].name,
                                 "{\"region\":\" \xc3\xbc\",\"deep\":{\"n\":7},\"off\":false,"
                                 "\"other\":1}"));
    r = nth(t, &f, "POST", 2);
    check_header(t, &r, "mcp-protocol-version", "2026-07-28");
    check_header(t, &r, "mcp-method", "tools/call");
    check_header(t, &r, "mcp-name", "=?base64?bmHDr3Zl?=");
    check_header(t, &r, "mcp-param-region", "=?base64?IMO8?=");
    check_header(t, &r, "mcp-param-n", "7");
    check_header(t, &r, "mcp-param-off", "false");
    check_header(t, &r, "mcp-session-id", NULL);
    CHECK_HAS(r.body.p, "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"");
    CHECK_HAS(r.body.p, "\"progressToken\":3");
    close_far(&f);
}

static void *cancel_when_asked(void *user)
{
    struct far *f = user;

    for (struct wait w = { 0 }; upstream_count(f->up) < 3 && wait_more(&w);)
        ;
    __atomic_store_n(&f->w.cancel, true, __ATOMIC_RELEASE);
    return NULL;
}

TEST_SECONDS(a_cancelled_call_closes_its_stream, 60)
{
    const struct upstream_piece pieces[] = {
        { "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n", 0,
          false },
        { ": never\n\n", 0, true },
    };
    struct far f = { .up = upstream_start() };
    pthread_t thread;

    say_modern(&f, "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}");
    CHECK_OK(open_far(t, &f, NULL, NULL));
    upstream_script(f.up, "POST /mcp", &(struct upstream_script){ pieces, 2, UPSTREAM_CLOSE, 1 });
    CHECK_INT(0, pthread_create(&thread, NULL, cancel_when_asked, &f));
    CHECK_STR("cancelled", world_bad(t, &f.w, "mcp__far__echo", "{}"));
    CHECK(f.w.last.cancelled);
    CHECK_INT(0, pthread_join(thread, NULL));
    for (struct wait w = { 0 }; !upstream_gone(f.up) && wait_more(&w);)
        ;
    CHECK_INT(1, upstream_gone(f.up));
    CHECK_INT(3, upstream_count(f.up)); /* nothing else is said */
    close_far(&f);
}

/* ---- faults ---- */

TEST_SECONDS(answers_that_are_no_answers_are_errors, 60)
{
    struct far f = { .up = upstream_start() };

    say_modern(&f, "{\"name\":\"echo\",\"inputSchema\":{\"type\":\"object\"}}");
    CHECK_OK(open_far(t, &f, NULL, NULL));
    setenv("CANARY", "canary-in-the-mine", 1);
    say(&f, JSON_HEAD "\r\n", "<html>");
    CHECK_HAS(world_bad(t, &f.w, "mcp__far__echo", "{}"), "without a result");
    say(&f, JSON_HEAD "\r\n", RESULT("99", "of another"));
    CHECK_HAS(world_bad(t, &f.w, "mcp__far__echo", "{}"), "without a result");
    say(&f, "HTTP/1.1 500 Oops\r\nConnection: close\r\n\r\n", "it burns");
    CHECK_HAS(world_bad(t, &f.w, "mcp__far__echo", "{}"), "HTTP 500: it burns");
    say(&f, "HTTP/1.1 401 No\r\nConnection: close\r\n\r\n", "");
    CHECK_HAS(world_bad(t, &f.w, "mcp__far__echo", "{}"), "HTTP 401 (check the headers");
    say(&f, "HTTP/1.1 400 No\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n",
        "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32020,\"message\":\"wrong "
        "header\"}}");
    CHECK_HAS(world_bad(t, &f.w, "mcp__far__echo", "{}"), "wrong header");
    say(&f, "HTTP/1.1 302 Away\r\nLocation: http://127.0.0.1:1/\r\nConnection: close\r\n\r\n", "");
    CHECK_HAS(world_bad(t, &f.w, "mcp__far__echo", "{}"), "HTTP 302");
    stream(&f, "POST /mcp", "data: not JSON\n\n", UPSTREAM_CLOSE, 1);
    CHECK_HAS(world_bad(t, &f.w, "mcp__far__echo", "{}"), "without a result");
    stream(&f, "POST /mcp", "data: half", UPSTREAM_RESET, 1);
    CHECK_HAS(world_bad(t, &f.w, "mcp__far__echo", "{}"), "ended early");
    say(&f, JSON_HEAD "\r\n", RESULT("11", "well again"));
    CHECK_STR("well again", world_good(t, &f.w, "mcp__far__echo", "{}"));
    close_far(&f);
}

TEST_SECONDS(a_private_address_needs_to_be_allowed, 60)
{
    static const char *const servers[] = { "far" };
    struct far f = { .up = upstream_start() };
    const struct gateway_setting settings[] = {
        { "tools \"far\"", "url",
          arena_printf(t->arena, "https://127.0.0.1:%d/", upstream_port(f.up)) },
    };
    const struct tool_host_config config = { .settings = settings, .n = 1 };

    CHECK_OK(tool_host_create(&f.w.host, &config, &t->err));
    CHECK_RC(BOUGH_IO,
             tool_set_open(&f.w.set, f.w.host,
                           &(struct tool_set_options){ .servers = servers, .n = 1 }, &t->err));
    CHECK_HAS(t->err.msg, "allow_private");
    CHECK_INT(0, upstream_count(f.up));
    tool_host_destroy(f.w.host);
    upstream_stop(f.up);
}
