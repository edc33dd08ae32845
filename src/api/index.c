/* The index: an HTML page and /api/v1. The page is printed from the route tables. */
#include <string.h>

#include "api/kit/api.h"
#include "base/text/str.h"

static const char page_policy[] = "default-src 'none'; style-src 'self'; base-uri 'none'; "
                                  "form-action 'none'; frame-ancestors 'none'";

static const char style[] =
    "body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;"
    "color:#1c2321;background:#fbfbf8}\n"
    "h1{font-size:1.6rem;margin:0}p{margin:.4rem 0 1.2rem}\n"
    "table{border-collapse:collapse;width:100%}\n"
    "td{padding:.35rem .8rem .35rem 0;border-top:1px solid #dde2dc;vertical-align:top}\n"
    "code{font:14px ui-monospace,monospace}.m{color:#2f6b4f;font-weight:600}.s{color:#6b7470}\n"
    "@media(prefers-color-scheme:dark){body{color:#e6e9e6;background:#151816}"
    "td{border-color:#2c322e}.m{color:#7fc8a3}.s{color:#98a29c}a{color:#9cc9ff}}\n";

static void put_escaped(struct http_res *res, const char *s)
{
    for (; *s; s++) {
        if (*s == '<')
            http_puts(res, "&lt;");
        else if (*s == '&')
            http_puts(res, "&amp;");
        else if (*s == '"')
            http_puts(res, "&quot;");
        else
            http_write(res, s, 1);
    }
}

/* A link only for GET routes without parameters. */
static void put_path(struct http_res *res, const struct http_route *r)
{
    bool link = strcmp(r->method, "GET") == 0 && !strchr(r->path, '{') &&
                !(r->flags & HTTP_STREAMS) && strcmp(r->path, "/login") != 0;

    http_puts(res, "<td><code>");
    if (link) {
        http_puts(res, "<a href=\"");
        put_escaped(res, r->path);
        http_puts(res, "\">");
    }
    put_escaped(res, r->path);
    http_puts(res, link ? "</a></code></td>" : "</code></td>");
}

/* With `ours` the routes of our own API, else the others. */
static void put_rows(struct http_req *req, struct http_res *res,
                     const struct http_route *const *tables, bool ours)
{
    for (size_t i = 0; tables[i]; i++) {
        for (const struct http_route *r = tables[i]; r->method; r++) {
            if ((r->flags & HTTP_PRIVATE) || ours != (strncmp(r->path, "/api/v1", 7) == 0))
                continue;
            http_puts(res, "<tr><td class=\"m\"><code>");
            put_escaped(res, r->method);
            http_puts(res, "</code></td>");
            put_path(res, r);
            http_puts(res, "<td>");
            put_escaped(res, r->about);
            http_puts(res, "</td><td class=\"s\"><code>");
            put_escaped(res, r->needs & AUTH_OPEN ? "" : auth_scopes_text(req->arena, r->needs));
            http_puts(res, "</code></td></tr>\n");
        }
    }
}

static void put_page(struct http_req *req, struct http_res *res)
{
    const struct http_route *const *tables = api_all(api_of(req)->api);

    http_text(res, 200, "text/html; charset=utf-8");
    http_set(res, "Content-Security-Policy", page_policy);
    http_puts(res, "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                   "<meta name=\"viewport\" content=\"width=device-width\">"
                   "<title>bough</title><link rel=\"stylesheet\" href=\"/api/style.css\">"
                   "<h1>bough</h1><p class=\"s\">The session store for AI agents, version ");
    http_puts(res, bough_version());
    http_puts(res, ". Sign in a browser with the link that <code>bough serve</code> prints; "
                   "programs send a token from <code>bough token create</code>.</p><table>");
    put_rows(req, res, tables, true);
    put_rows(req, res, tables, false);
    http_puts(res, "</table></html>\n");
}

static enum bough_rc home(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    (void)err;
    put_page(req, res);
    return BOUGH_OK;
}

static enum bough_rc css(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    (void)req;
    (void)err;
    http_text(res, 200, "text/css; charset=utf-8");
    http_puts(res, style);
    return BOUGH_OK;
}

static enum bough_rc about(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_store_info_result info;
    struct json_writer *w;
    enum bough_rc rc = bough_store_info(call->store, req->arena, &info, err);

    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "version", bough_version());
    jw_kv_cstr(w, "store", info.store_id);
    jw_kv_cstr(w, "backend", info.backend);
    jw_kv_i64(w, "epoch", info.epoch);
    jw_kv_i64(w, "last_no", info.last_no);
    jw_kv_cstr(w, "who", call->who->name);
    jw_kv_cstr(w, "scopes", auth_scopes_text(req->arena, call->who->scopes));
    jw_kv_cstr(w, "project", *call->who->project ? call->who->project : NULL);
    jw_end_obj(w);
    return BOUGH_OK;
}

const struct http_route api_index_routes[] = {
    { "GET", "/api", home, AUTH_OPEN, "This page.", .gives = "html" },
    { "GET", "/api/style.css", css, AUTH_OPEN, "The style sheet of this page.", .gives = "text" },
    { "GET", "/api/v1", about, AUTH_READ, "Information about the store and the caller.",
      .gives = "About" },
    { 0 },
};
