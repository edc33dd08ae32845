/* An MCP server over a store, asked message by message. */
#include "mcp/world.h"
#include "run/api/routes.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"

void mcp_open(struct test *t, struct mcp_world *w)
{
    static const struct http_route *const more[] = { mcp_routes, run_turn_routes, run_routes,
                                                     run_approval_routes, NULL };

    w->auth = auth_create(t->store, NULL, NULL);
    auth_allow_host(w->auth, "127.0.0.1", 7331);
    w->api = api_create(&(struct api_config){ .store = t->store, .auth = w->auth, .more = more });
    w->who = (struct auth_who){ .name = "owner",
                                .project = "",
                                .auth = w->auth,
                                .scopes = AUTH_READ | AUTH_EXPORT | AUTH_MCP };
    w->cancel = false;
}

void mcp_close(struct mcp_world *w)
{
    api_destroy(w->api);
    auth_destroy(w->auth);
}

struct json mcp_say(struct test *t, struct mcp_world *w, const char *line)
{
    struct mcp_peer peer = { w->api, &w->who, &w->cancel };
    struct json answer = { 0 };
    struct rpc_message m;
    struct rpc_bad bad;
    struct buf out;

    buf_init(&out, 4 * 1024 * 1024);
    CHECK(rpc_read(t->arena, str_of(line), &m, &bad));
    mcp_answer(&peer, t->arena, &m, &out);
    CHECK(!out.over && !memchr(out.p, '\n', out.n));
    if (out.n)
        CHECK_OK(json_parse(t->arena, buf_give(&out, t->arena), &answer, &t->err));
    buf_finish(&out);
    return answer;
}

struct json mcp_older(struct test *t, struct mcp_world *w, const char *method, const char *params)
{
    return mcp_say(t, w,
                   arena_printf(t->arena,
                                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"%s\",\"params\":{%s}}",
                                method, params));
}

struct json mcp_modern(struct test *t, struct mcp_world *w, const char *method, const char *params)
{
    return mcp_older(t, w, method,
                     arena_printf(t->arena,
                                  "%s%s\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":"
                                  "\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":"
                                  "{}}",
                                  params, *params ? "," : ""));
}

struct json mcp_tool_call(struct test *t, struct mcp_world *w, const char *tool,
                          const char *arguments)
{
    return mcp_older(t, w, "tools/call",
                     arena_printf(t->arena, "\"name\":\"%s\",\"arguments\":{%s}", tool, arguments));
}

static struct json element(struct json j, const char *step)
{
    struct json_iter it = json_iter(j);
    long n = strtol(step, NULL, 10);

    if (json_type(j) != JSON_ARRAY)
        return json_member(j, step);
    while (json_next(&it))
        if (n-- == 0)
            return it.value;
    return (struct json){ 0 };
}

struct json json_at(struct test *t, struct json j, const char *path)
{
    char *rest = arena_strdup(t->arena, path), *step;

    while ((step = strsep(&rest, ".")))
        j = element(j, step);
    return j;
}

const char *value_at(struct test *t, struct json j, const char *path)
{
    struct json found = json_at(t, j, path);
    struct bough_str text;

    if (!found.doc)
        return "(none)";
    if (json_str(t->arena, found, &text))
        return text.p;
    return arena_strndup(t->arena, json_raw(found).p, json_raw(found).n);
}

const char *mcp_session(struct test *t, const char *title, int n, size_t bytes)
{
    struct bough_session_create_options in = { .title = title };
    struct bough_append_result out;
    struct bough_session *s;
    char *text = arena_zalloc(t->arena, bytes + 1);

    memset(text, 'x', bytes);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    for (int i = 0; i < n; i++) {
        struct bough_entry_new e = { .role = i % 2 ? BOUGH_ROLE_ASSISTANT : BOUGH_ROLE_USER,
                                     .text = text };
        struct bough_append_options how = { .entries = &e, .n = 1 };

        CHECK_OK(bough_append(t->store, t->arena, s->id, &how, &out, &t->err));
    }
    return s->id;
}
