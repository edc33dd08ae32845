/* Tool servers over HTTP. */
#include "tools/tools.h"
#include "base/text/str.h"
#include "run/api/kit.h"
#include "run/api/routes.h"
#include "run/inside.h"

static void put_server(struct json_writer *w, const struct tool_server *s)
{
    jw_obj(w);
    jw_kv_cstr(w, "name", s->name);
    jw_kv_cstr(w, "kind", s->kind);
    jw_kv_cstr(w, "status", s->status);
    jw_kv_cstr(w, "protocol", s->protocol);
    jw_kv_cstr(w, "version", s->version);
    jw_kv_cstr(w, "error", s->error);
    jw_kv_cstr(w, "hint", s->hint);
    jw_kv_cstr(w, "stderr", s->err_tail);
    jw_kv_bool(w, "trusted", s->trusted);
    jw_kv_i64(w, "tools", (int64_t)s->tools);
    jw_end_obj(w);
}

static enum bough_rc host_of(struct http_req *req, struct tool_host **out, struct bough_error *err)
{
    struct runner *r;
    enum bough_rc rc = run_api_runner(req, &r, err);

    if (rc)
        return rc;
    *out = runner_tools(r);
    return *out ? BOUGH_OK : bough_fail(err, BOUGH_NOT_READY, "this server has no tools");
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct tool_servers all;
    struct tool_host *host;
    struct json_writer *w;
    enum bough_rc rc = host_of(req, &host, err);

    if (rc)
        return rc;
    all = tool_host_servers(host, req->arena);
    w = api_items(res);
    for (size_t i = 0; i < all.n; i++)
        put_server(w, &all.at[i]);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc probe(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct tool_server out;
    struct tool_host *host;
    enum bough_rc rc = host_of(req, &host, err);

    if (!rc)
        rc = tool_host_probe(host, req->arena, http_param(req, "server"), &out, err);
    if (!rc)
        put_server(http_json(res, 200), &out);
    return rc;
}

const struct http_route run_tool_routes[] = {
    { "GET", "/api/v1/tools", list, AUTH_READ, "List the tool servers of this server.",
      .gives = "ToolServers" },
    { "POST", "/api/v1/tools/{server}/probe", probe, AUTH_RUN,
      "Start a tool server and list its tools now.", .gives = "ToolServer", .flags = HTTP_STREAMS },
    { 0 },
};
