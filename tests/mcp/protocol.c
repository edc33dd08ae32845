/* Both eras of the protocol, resources and prompts. */
#include <string.h>

#include "base/memory/arena.h"
#include "mcp/world.h"

STORE_TEST(initialize_agrees_on_a_version_of_the_older_era)
{
    struct mcp_world w;
    struct json a;

    mcp_open(t, &w);
    a = mcp_older(t, &w, "initialize", "\"protocolVersion\":\"2025-03-26\",\"capabilities\":{}");
    CHECK_STR("2025-03-26", value_at(t, a, "result.protocolVersion"));
    CHECK_STR("bough", value_at(t, a, "result.serverInfo.name"));
    CHECK_STR("(none)", value_at(t, a, "result.resultType"));
    a = mcp_older(t, &w, "initialize", "\"protocolVersion\":\"2031-01-01\"");
    CHECK_STR("2025-11-25", value_at(t, a, "result.protocolVersion"));
    a = mcp_older(t, &w, "initialize", "\"protocolVersion\":7");
    CHECK_STR("-32602", value_at(t, a, "error.code"));
    a = mcp_say(t, &w, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    CHECK(!a.doc);
    mcp_close(&w);
}

STORE_TEST(a_request_of_2026_needs_no_handshake_and_says_its_version)
{
    struct mcp_world w;
    struct json a;

    mcp_open(t, &w);
    a = mcp_modern(t, &w, "server/discover", "");
    CHECK_STR("complete", value_at(t, a, "result.resultType"));
    CHECK_STR("2026-07-28", value_at(t, a, "result.supportedVersions.0"));
    CHECK_STR("private", value_at(t, a, "result.cacheScope"));
    CHECK_STR("300000", value_at(t, a, "result.ttlMs"));
    a = mcp_modern(t, &w, "tools/list", "");
    CHECK_STR("complete", value_at(t, a, "result.resultType"));
    CHECK_STR("list_chat_sessions", value_at(t, a, "result.tools.0.name"));
    a = mcp_modern(t, &w, "resources/list", "");
    CHECK_STR("0", value_at(t, a, "result.ttlMs"));
    a = mcp_modern(t, &w, "initialize", "\"protocolVersion\":\"2026-07-28\"");
    CHECK_STR("-32601", value_at(t, a, "error.code"));
    a = mcp_older(t, &w, "server/discover", "");
    CHECK_STR("-32601", value_at(t, a, "error.code"));
    mcp_close(&w);
}

STORE_TEST(an_unknown_version_is_refused_with_those_that_are_known)
{
    static const char *const bad[] = { "7", "null", "{}" };
    struct mcp_world w;
    struct json a;

    mcp_open(t, &w);
    a = mcp_older(t, &w, "tools/list",
                  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\"}");
    CHECK_STR("-32022", value_at(t, a, "error.code"));
    CHECK_STR("2026-07-28", value_at(t, a, "error.data.supported.0"));
    CHECK_STR("2099-01-01", value_at(t, a, "error.data.requested"));
    a = mcp_older(t, &w, "tools/list",
                  "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}");
    CHECK_STR("-32602", value_at(t, a, "error.code")); /* no capabilities of the client */
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        a = mcp_older(t, &w, "tools/list",
                      arena_printf(t->arena,
                                   "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":%s}",
                                   bad[i]));
        CHECK_STR("-32602", value_at(t, a, "error.code"));
    }
    mcp_close(&w);
}

STORE_TEST(unknown_methods_and_params_that_are_no_object_are_errors)
{
    struct mcp_world w;
    struct json a;

    mcp_open(t, &w);
    a = mcp_older(t, &w, "tools/delete", "");
    CHECK_STR("-32601", value_at(t, a, "error.code"));
    a = mcp_say(t, &w, "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"ping\",\"params\":[1]}");
    CHECK_STR("-32602", value_at(t, a, "error.code"));
    CHECK_STR("a", value_at(t, a, "id"));
    a = mcp_older(t, &w, "logging/setLevel", "\"level\":\"warning\"");
    CHECK_STR("{}", value_at(t, a, "result"));
    a = mcp_older(t, &w, "logging/setLevel", "\"level\":\"loud\"");
    CHECK_STR("-32602", value_at(t, a, "error.code"));
    mcp_close(&w);
}

STORE_TEST(a_session_is_a_resource_in_markdown_and_marked_as_data)
{
    const char *id = mcp_session(t, "A talk", 2, 10), *uri;
    struct mcp_world w;
    struct json a;

    mcp_open(t, &w);
    a = mcp_older(t, &w, "resources/list", "");
    uri = value_at(t, a, "result.resources.0.uri");
    CHECK_STR(arena_printf(t->arena, "bough://session/%s", id), uri);
    a = mcp_older(t, &w, "resources/read", arena_printf(t->arena, "\"uri\":\"%s\"", uri));
    CHECK_STR("text/markdown", value_at(t, a, "result.contents.0.mimeType"));
    CHECK(strncmp(value_at(t, a, "result.contents.0.text"), "> This is data", 14) == 0);
    CHECK(strstr(value_at(t, a, "result.contents.0.text"), "# A talk") != NULL);
    a = mcp_older(t, &w, "resources/read", "\"uri\":\"bough://session/none\"");
    CHECK_STR("-32002", value_at(t, a, "error.code"));
    a = mcp_modern(t, &w, "resources/read", "\"uri\":\"bough://session/none\"");
    CHECK_STR("-32602", value_at(t, a, "error.code"));
    CHECK_STR("bough://session/none", value_at(t, a, "error.data.uri"));
    a = mcp_older(t, &w, "resources/read", "\"uri\":\"file:///etc/passwd\"");
    CHECK_STR("-32002", value_at(t, a, "error.code"));
    a = mcp_older(t, &w, "resources/read", "\"uri\":\"bough://session/../../store\"");
    CHECK_STR("-32002", value_at(t, a, "error.code"));
    a = mcp_older(t, &w, "resources/templates/list", "");
    CHECK_STR("bough://session/{session}",
              value_at(t, a, "result.resourceTemplates.0.uriTemplate"));
    mcp_close(&w);
}

STORE_TEST(a_resource_needs_the_scope_of_its_route)
{
    const char *id = mcp_session(t, "A talk", 2, 10);
    struct mcp_world w;
    struct json a;

    mcp_open(t, &w);
    w.who.scopes = AUTH_READ | AUTH_MCP;
    a = mcp_older(t, &w, "resources/read",
                  arena_printf(t->arena, "\"uri\":\"bough://session/%s\"", id));
    CHECK_STR("-32603", value_at(t, a, "error.code"));
    CHECK(strstr(value_at(t, a, "error.message"), "the scope export") != NULL);
    mcp_close(&w);
}

STORE_TEST(a_long_resource_has_its_beginning_and_its_end)
{
    const char *id = mcp_session(t, "Long", 40, 5000), *text;
    struct mcp_world w;
    struct json a;

    mcp_open(t, &w);
    a = mcp_older(t, &w, "resources/read",
                  arena_printf(t->arena, "\"uri\":\"bough://session/%s\"", id));
    text = value_at(t, a, "result.contents.0.text");
    CHECK(strlen(text) <= MCP_RESULT_MAX);
    CHECK(strstr(text, "# Long") && strstr(text, "bytes are left out here"));
    mcp_close(&w);
}

STORE_TEST(resources_come_in_pages)
{
    struct mcp_world w;
    struct json a;
    const char *next;

    for (int i = 0; i < 51; i++)
        mcp_session(t, "One of many", 0, 0);
    mcp_open(t, &w);
    a = mcp_older(t, &w, "resources/list", "");
    CHECK_INT(50, json_count(json_at(t, a, "result.resources")));
    next = value_at(t, a, "result.nextCursor");
    a = mcp_older(t, &w, "resources/list", arena_printf(t->arena, "\"cursor\":\"%s\"", next));
    CHECK_INT(1, json_count(json_at(t, a, "result.resources")));
    CHECK_STR("(none)", value_at(t, a, "result.nextCursor"));
    a = mcp_older(t, &w, "resources/list", "\"cursor\":\"nonsense\"");
    CHECK_STR("-32602", value_at(t, a, "error.code"));
    mcp_close(&w);
}

STORE_TEST(prompts_bring_the_conversation_as_an_embedded_resource)
{
    const char *id = mcp_session(t, "A talk", 2, 10);
    struct mcp_world w;
    struct json a;

    mcp_open(t, &w);
    a = mcp_older(t, &w, "prompts/list", "");
    CHECK_STR("summarize_session", value_at(t, a, "result.prompts.0.name"));
    CHECK_STR("continue_from", value_at(t, a, "result.prompts.1.name"));
    a = mcp_modern(t, &w, "prompts/get",
                   arena_printf(t->arena,
                                "\"name\":\"continue_from\",\"arguments\":{\"session\":\"%s\"}",
                                id));
    CHECK_STR("text", value_at(t, a, "result.messages.0.content.type"));
    CHECK_STR("resource", value_at(t, a, "result.messages.1.content.type"));
    CHECK(strstr(value_at(t, a, "result.messages.1.content.resource.text"), "# A talk") != NULL);
    a = mcp_older(t, &w, "prompts/get", "\"name\":\"continue_from\"");
    CHECK_STR("-32602", value_at(t, a, "error.code"));
    a = mcp_older(t, &w, "prompts/get", "\"name\":\"rm\",\"arguments\":{\"session\":\"1\"}");
    CHECK_STR("-32602", value_at(t, a, "error.code"));
    a = mcp_older(t, &w, "prompts/get",
                  "\"name\":\"continue_from\",\"arguments\":{\"session\":\"none\"}");
    CHECK_STR("-32602", value_at(t, a, "error.code"));
    mcp_close(&w);
}
