/* Tools: their list, and a call of one. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "mcp/server/inside.h"

static bool allowed(const struct mcp_call *c, const struct mcp_tool *t)
{
    return (t->needs & ~c->peer->who->scopes) == 0;
}

/* Tools that start runs are offered only by a server that works on runs: a program on standard
 * input and output ends when its client does. */
static bool offered(const struct mcp_call *c, const struct mcp_tool *t)
{
    return !t->runs || api_works(c->peer->api);
}

static bool reads(const struct mcp_tool *t)
{
    return strcmp(t->method, "GET") == 0;
}

static void put_tool(struct json_writer *w, const struct mcp_tool *t)
{
    jw_obj(w);
    jw_kv_cstr(w, "name", t->name);
    jw_kv_cstr(w, "title", t->title);
    jw_kv_cstr(w, "description", t->about);
    jw_key(w, "inputSchema");
    mcp_schema(w, t->fields);
    jw_key(w, "annotations");
    jw_obj(w);
    jw_kv_cstr(w, "title", t->title);
    jw_kv_bool(w, "readOnlyHint", reads(t));
    jw_kv_bool(w, "destructiveHint", !reads(t) && t->repeatable); /* it replaces */
    jw_kv_bool(w, "idempotentHint", reads(t) || t->repeatable);
    jw_kv_bool(w, "openWorldHint", false);
    jw_end_obj(w);
    jw_end_obj(w);
}

/* All tools fit into one page. */
void mcp_tools_list(struct mcp_call *c)
{
    struct json_writer *w;

    if (json_member(c->params, "cursor").doc) {
        mcp_error(c, RPC_INVALID_PARAMS, "there is only one page of tools: leave out cursor");
        return;
    }
    w = mcp_begin(c);
    jw_key(w, "tools");
    jw_arr(w);
    for (const struct mcp_tool *t = mcp_tools; t->name; t++)
        if (allowed(c, t) && offered(c, t))
            put_tool(w, t);
    jw_end_arr(w);
    mcp_end(c, MCP_KEEP_STATIC);
}

/* ---- a call ---- */

/* One text for the model; `structured`: the same as an object. */
static void put_result(struct mcp_call *c, struct bough_str text, bool structured, bool failed)
{
    struct json_writer *w = mcp_begin(c);

    jw_key(w, "content");
    jw_arr(w);
    jw_obj(w);
    jw_kv_cstr(w, "type", "text");
    jw_kv_str(w, "text", text);
    jw_end_obj(w);
    jw_end_arr(w);
    if (structured)
        jw_kv_raw(w, "structuredContent", text);
    jw_kv_bool(w, "isError", failed);
    mcp_end(c, MCP_KEEP_NOT);
}

/* An error of the tool, for the model to read: what is wrong, and what to do. */
static void put_failure(struct mcp_call *c, const char *text)
{
    put_result(c, str_of(text), false, true);
}

/* What can be done about an error of this name; "" for none. */
static const char *hint_of(const char *code)
{
    for (int rc = 0; strcmp(bough_rc_name((enum bough_rc)rc), "unknown_code") != 0; rc++)
        if (strcmp(bough_rc_name((enum bough_rc)rc), code) == 0)
            return bough_rc_hint((enum bough_rc)rc);
    return "";
}

/* The route's error as sentences. */
static const char *failure_text(struct bough_arena *a, struct bough_str json)
{
    struct json root, error = { 0 };
    const char *code, *message, *hint;

    if (!json_parse(a, json, &root, NULL))
        error = json_member(root, "error");
    code = json_cstr(a, error, "code");
    message = json_cstr(a, error, "message");
    if (!code || !message)
        return "the request failed, without a reason";
    hint = hint_of(code);
    return arena_printf(a, "%s: %s%s%s", code, message, *hint ? ". What to do: " : "", hint);
}

static void run(struct mcp_call *c, const struct mcp_tool *t, struct json arguments)
{
    struct mcp_result r;
    struct json_writer w;
    struct buf all;

    mcp_run(c->peer, c->a, t, arguments, &r);
    if (r.failed) {
        put_failure(c, failure_text(c->a, r.json));
        return;
    }
    buf_init(&all, 4 * MCP_RESULT_MAX);
    jw_init(&w, &all);
    jw_obj(&w);
    if (reads(t))
        jw_kv_cstr(&w, "notice", mcp_notice);
    jw_opt_raw(&w, "session", r.first);
    jw_kv_raw(&w, "result", r.json);
    if (t->paging != MCP_WHOLE)
        jw_kv_cstr(&w, "next_cursor", r.next);
    jw_end_obj(&w);
    put_result(c, buf_give(&all, c->a), true, false);
}

void mcp_tools_call(struct mcp_call *c)
{
    const char *name = mcp_param(c, "name");
    const struct mcp_tool *t = mcp_tools;
    struct json arguments = json_member(c->params, "arguments");
    struct bough_error err;

    while (name && t->name && strcmp(t->name, name) != 0)
        t++;
    if (!name || !t->name) {
        mcp_error(c, RPC_INVALID_PARAMS, "there is no tool %.80s: see tools/list",
                  name ? name : "without a name");
        return;
    }
    if (arguments.doc && json_type(arguments) != JSON_OBJECT) {
        mcp_error(c, RPC_INVALID_PARAMS, "arguments must be an object");
        return;
    }
    if (!arguments.doc && json_parse(c->a, str_of("{}"), &arguments, &err))
        return; /* cannot happen: it is JSON */
    if (!allowed(c, t))
        put_failure(c, "this server only reads for you: the user can allow writing with "
                       "`bough mcp --write`, or with a token that has the scopes");
    else if (!offered(c, t))
        put_failure(c, "not_ready: runs are started by a server: the user can start `bough serve`, "
                       "whose /mcp has this tool");
    else if (mcp_check(c->a, t->fields, arguments, &err))
        put_failure(c, arena_printf(c->a, "invalid arguments: %s", err.msg));
    else
        run(c, t, arguments);
}
