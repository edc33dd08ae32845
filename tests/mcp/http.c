/* POST /mcp: both eras, headers, rights, and what other methods get. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "mcp/world.h"

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define JSON "Content-Type: application/json\r\n"
#define MODERN "MCP-Protocol-Version: 2026-07-28\r\n"

static const char *token(struct test *t, const char *scopes, const char *project)
{
    struct auth_token in = { .label = scopes, .project = project }, out;
    const char *secret;

    CHECK_OK(auth_scopes_parse(scopes, &in.scopes, &t->err));
    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &secret, &out, &t->err));
    return arena_printf(t->arena, "Authorization: Bearer %s\r\n", secret);
}

static struct http_reply send_as(struct test *t, struct mcp_world *w, const char *method,
                                 const char *headers, const char *body)
{
    struct http_ask ask = { .method = method, .target = "/mcp", .via = HTTP_VIA_TCP };
    struct http_reply r;

    ask.headers = strstr(headers, "Host:")
                      ? headers
                      : arena_printf(t->arena, "Host: localhost:7331\r\n%s", headers);
    ask.body = str_of(body);
    http_loopback(api_app(w->api), t->arena, &ask, &r);
    return r;
}

/* POST with a token and JSON. */
static struct http_reply post(struct test *t, struct mcp_world *w, const char *who,
                              const char *headers, const char *body)
{
    return send_as(t, w, "POST", arena_printf(t->arena, "%s" JSON "%s", who, headers), body);
}

static struct json body_of(struct test *t, const struct http_reply *r)
{
    struct json j = { 0 };

    CHECK_OK(json_parse(t->arena, r->body, &j, &t->err));
    return j;
}

static void check_code(struct test *t, struct http_reply r, int status, const char *code)
{
    CHECK_INT(status, r.status);
    CHECK_STR(code, value_at(t, body_of(t, &r), "error.code"));
}

#define CALL(id, method, params)                                                                   \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" params "}}"

STORE_TEST(the_older_era_needs_no_session_over_http)
{
    struct mcp_world w;
    struct http_reply r;
    const char *who;

    mcp_open(t, &w);
    who = token(t, "mcp,read", "");
    r = post(t, &w, who, "Accept: application/json, text/event-stream\r\n",
             CALL("0", "initialize", "\"protocolVersion\":\"2025-11-25\",\"capabilities\":{}"));
    CHECK_INT(200, r.status);
    CHECK_STR("2025-11-25", value_at(t, body_of(t, &r), "result.protocolVersion"));
    CHECK(!http_reply_header(&r, "mcp-session-id"));
    r = post(t, &w, who, "", "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    CHECK_INT(202, r.status);
    CHECK_INT(0, (int64_t)r.body.n);
    r = post(t, &w, who, "MCP-Protocol-Version: 2025-11-25\r\nMcp-Session-Id: any\r\n",
             CALL("1", "tools/list", ""));
    CHECK_INT(6, json_count(json_at(t, body_of(t, &r), "result.tools")));
    r = post(t, &w, who, "MCP-Protocol-Version: 1999-01-01\r\n", CALL("1", "tools/list", ""));
    check_code(t, r, 400, "-32600");
    CHECK_INT(405, send_as(t, &w, "GET", who, "").status);
    CHECK_INT(405, send_as(t, &w, "DELETE", who, "").status);
    mcp_close(&w);
}

STORE_TEST(headers_of_2026_must_say_what_the_body_says)
{
    static const struct {
        const char *headers, *body;
        int status;
        const char *code;
    } cases[] = {
        { MODERN "Mcp-Method: tools/list\r\n", CALL("1", "tools/list", META), 200, "(none)" },
        { "Mcp-Method: tools/list\r\n", CALL("1", "tools/list", META), 400, "-32020" },
        { MODERN, CALL("1", "tools/list", META), 400, "-32020" },
        { MODERN "Mcp-Method: tools/call\r\n", CALL("1", "tools/list", META), 400, "-32020" },
        { MODERN "Mcp-Method: tools/list\r\n", CALL("1", "tools/list", ""), 400, "-32602" },
        { MODERN "Mcp-Method: tools/list\r\n",
          CALL("1", "tools/list", "\"_meta\":{\"io.modelcontextprotocol/clientCapabilities\":{}}"),
          400, "-32602" },
        { MODERN "Mcp-Method: tools/list\r\n",
          CALL("1", "tools/list",
               "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"),
          400, "-32602" },
        { MODERN "Mcp-Method: tools/list\r\n",
          CALL("1", "tools/list",
               "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\"}"),
          400, "-32020" },
        { MODERN "Mcp-Method: tools/call\r\nMcp-Name: no_such\r\n",
          CALL("1", "tools/call", "\"name\":\"no_such\"," META), 200, "-32602" },
        { "MCP-Protocol-Version: 2025-11-25\r\nMcp-Method: tools/list\r\n",
          CALL("1", "tools/list", META), 400, "-32020" },
        { MODERN "Mcp-Method: tools/call\r\nMcp-Name: get_cost\r\n",
          CALL("1", "tools/call", "\"name\":\"get_cost\"," META), 200, "(none)" },
        { MODERN "Mcp-Method: tools/call\r\nMcp-Name: =?base64?Z2V0X2Nvc3Q=?=\r\n",
          CALL("1", "tools/call", "\"name\":\"get_cost\"," META), 200, "(none)" },
        { MODERN "Mcp-Method: tools/call\r\nMcp-Name: =?base64?!?=\r\n",
          CALL("1", "tools/call", "\"name\":\"get_cost\"," META), 400, "-32020" },
        { MODERN "Mcp-Method: tools/call\r\nMcp-Name: get_tree\r\n",
          CALL("1", "tools/call", "\"name\":\"get_cost\"," META), 400, "-32020" },
        { MODERN "Mcp-Method: tools/call\r\n",
          CALL("1", "tools/call", "\"name\":\"get_cost\"," META), 400, "-32020" },
        { MODERN "Mcp-Method: no/such\r\n", CALL("1", "no/such", META), 404, "-32601" },
        { "MCP-Protocol-Version: 2099-01-01\r\nMcp-Method: tools/list\r\n",
          CALL("1", "tools/list",
               "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\"}"),
          400, "-32022" },
    };
    struct mcp_world w;
    const char *who;

    mcp_open(t, &w);
    who = token(t, "mcp,read", "");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check_code(t, post(t, &w, who, cases[i].headers, cases[i].body), cases[i].status,
                   cases[i].code);
    mcp_close(&w);
}

STORE_TEST(D21_the_gate_of_the_server_guards_mcp)
{
    const char *ping = CALL("1", "ping", ""), *who, *headers;
    struct mcp_world w;

    mcp_open(t, &w);
    who = token(t, "mcp", "");
    CHECK_INT(200, post(t, &w, who, "", ping).status);
    CHECK_INT(401, post(t, &w, "", "", ping).status);
    CHECK_INT(403, post(t, &w, token(t, "read", ""), "", ping).status);
    headers = arena_printf(t->arena, "Host: evil.example\r\n%s" JSON, who);
    CHECK_INT(421, send_as(t, &w, "POST", headers, ping).status);
    CHECK_INT(403, post(t, &w, who, "Origin: http://evil.example\r\n", ping).status);
    CHECK_INT(200, post(t, &w, who, "Origin: http://localhost:7331\r\n", ping).status);
    headers = arena_printf(t->arena, "%sContent-Type: text/plain\r\n", who);
    CHECK_INT(415, send_as(t, &w, "POST", headers, ping).status);
    mcp_close(&w);
}

STORE_TEST(scopes_and_the_project_of_a_token_decide_what_tools_do)
{
    const char *id = mcp_session(t, "Elsewhere", 1, 5), *who, *get;
    struct http_reply r;
    struct mcp_world w;

    mcp_open(t, &w);
    r = post(t, &w, token(t, "mcp", ""), "", CALL("1", "tools/list", ""));
    CHECK_INT(0, json_count(json_at(t, body_of(t, &r), "result.tools")));
    r = post(t, &w, token(t, "mcp,read,append", ""), "", CALL("1", "tools/list", ""));
    CHECK_INT(9, json_count(json_at(t, body_of(t, &r), "result.tools")));
    who = token(t, "mcp,read,export", "/srv/mine");
    get = arena_printf(
        t->arena,
        CALL("1", "tools/call", "\"name\":\"get_chat_session\",\"arguments\":{\"session\":\"%s\"}"),
        id);
    r = post(t, &w, who, "", get);
    CHECK_STR("true", value_at(t, body_of(t, &r), "result.isError"));
    CHECK(strstr(value_at(t, body_of(t, &r), "result.content.0.text"), "not_found") != NULL);
    mcp_close(&w);
}

STORE_TEST(what_is_no_message_is_400_and_json_rpc)
{
    struct mcp_world w;
    const char *who;

    mcp_open(t, &w);
    who = token(t, "mcp", "");
    check_code(t, post(t, &w, who, "", "{"), 400, "-32700");
    check_code(t, post(t, &w, who, "", "[" CALL("1", "ping", "") "]"), 400, "-32600");
    check_code(t, post(t, &w, who, "", "{\"id\":1}"), 400, "-32600");
    check_code(t, post(t, &w, who, "", CALL("1", "no/such", "")), 200, "-32601");
    mcp_close(&w);
}
