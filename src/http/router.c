/* The router: finds the route of a path, and checks query and Content-Type against it. Pure. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "http/exchange.h"

static const char *method_name(enum http_method m)
{
    switch (m) {
    case HTTP_GET:
    case HTTP_HEAD:
        return "GET";
    case HTTP_POST:
        return "POST";
    case HTTP_PUT:
        return "PUT";
    case HTTP_PATCH:
        return "PATCH";
    case HTTP_DELETE:
        return "DELETE";
    case HTTP_OPTIONS:
        return "OPTIONS";
    case HTTP_OTHER:
        break;
    }
    return "";
}

/* Length of the segment at p, including its slash. */
static size_t segment(const char *p)
{
    size_t n = 1;

    while (p[n] && p[n] != '/')
        n++;
    return n;
}

/* Does the pattern's segment of n bytes match all that is left, "{path...}"? */
static bool takes_rest(const char *pattern, size_t n)
{
    return n > 6 && memcmp(pattern + n - 4, "...}", 4) == 0;
}

/* Match path and pattern segment by segment, and fill req->params. */
static bool fits(struct http_req *req, const char *pattern)
{
    const char *path = req->path;

    req->nparams = 0;
    while (*pattern && *path) {
        size_t p = segment(pattern), s = segment(path);

        if (*pattern != '/' || *path != '/')
            return false;
        if (p > 2 && pattern[1] == '{') {
            bool rest = takes_rest(pattern, p);

            s = rest ? strlen(path) : s;
            if (s == 1)
                return false;
            req->params[req->nparams++] =
                (struct http_param){ arena_strndup(req->arena, pattern + 2, p - (rest ? 6 : 3)),
                                     arena_strndup(req->arena, path + 1, s - 1) };
        } else if (p != s || memcmp(pattern, path, p) != 0) {
            return false;
        }
        pattern += p;
        path += s;
    }
    return !*pattern && !*path;
}

/* A cheap test before fits(), which allocates. Most rows end in a fixed word, so comparing the last
 * letter rules them out. */
static bool may_fit(const char *path, size_t n, const char *pattern)
{
    size_t p = strlen(pattern);

    if (pattern[p - 1] != '}' && pattern[p - 1] != path[n - 1])
        return false;
    while (*pattern && *pattern == *path) {
        pattern++;
        path++;
    }
    return *pattern == '{' || (!*pattern && !*path);
}

/* The methods of this path, for the Allow header. */
static const char *allowed(struct http_req *req, size_t n)
{
    const char *out = "";

    for (size_t i = 0; req->app->tables[i]; i++)
        for (const struct http_route *r = req->app->tables[i]; r->method; r++)
            if (may_fit(req->path, n, r->path) && fits(req, r->path))
                out = arena_printf(req->arena, "%s%s%s%s", out, *out ? ", " : "", r->method,
                                   strcmp(r->method, "GET") == 0 ? ", HEAD" : "");
    return out;
}

bool router_find(struct http_req *req, const char **allow)
{
    const char *method = method_name(req->method);
    size_t n = strlen(req->path);

    req->params = arena_array(req->arena, 16, sizeof *req->params);
    for (size_t i = 0; n && req->app->tables[i]; i++) {
        for (const struct http_route *r = req->app->tables[i]; r->method; r++) {
            if (r->method[0] == method[0] && may_fit(req->path, n, r->path) &&
                strcmp(r->method, method) == 0 && fits(req, r->path)) {
                req->route = r;
                return true;
            }
        }
    }
    *allow = n ? allowed(req, n) : "";
    return false;
}

static bool known_field(const struct http_route *r, const char *name)
{
    for (const struct http_field *f = r->query; f && f->name; f++)
        if (strcmp(f->name, name) == 0)
            return true;
    return false;
}

static enum bough_rc check_query(struct http_req *req, struct bough_error *err)
{
    struct bough_str rest = req->query, seen;
    const char *name, *value, *again;
    bool ok = true;

    if (req->route->flags & HTTP_ANY_QUERY)
        return BOUGH_OK;
    while (parse_query(req->arena, &rest, &name, &value, &ok)) {
        if (!known_field(req->route, name))
            return bough_fail(err, BOUGH_INVALID, "this path has no query parameter %.60s", name);
        seen = rest;
        while (parse_query(req->arena, &seen, &again, &value, &ok))
            if (strcmp(name, again) == 0)
                return bough_fail(err, BOUGH_INVALID, "%.60s was given twice", name);
    }
    return ok ? BOUGH_OK : bough_fail(err, BOUGH_INVALID, "the query is not UTF-8");
}

/* D8: a body must be application/json. An HTML form of another site cannot send that type. A
 * request without body and type passes; the gate refuses one that another site could have sent. */
static enum bough_rc check_type(struct http_req *req, struct http_res *res)
{
    const char *type = http_header(req, "content-type");
    struct bough_str word = str_of(type);
    const char *end;

    if ((req->route->flags & HTTP_RAW_BODY) || req->method == HTTP_GET ||
        req->method == HTTP_HEAD || req->method == HTTP_OPTIONS)
        return BOUGH_OK;
    if (!type && req->body.n == 0)
        return BOUGH_OK;
    end = memchr(word.p, ';', word.n);
    if (end)
        word.n = (size_t)(end - word.p);
    while (word.n && word.p[word.n - 1] == ' ')
        word.n--;
    if (parse_token_is(word, "application/json"))
        return BOUGH_OK;
    return http_refuse(res, 415, "unsupported_type", "send Content-Type: application/json");
}

/* Parse the body once, so that bytes that are not JSON are 400 on every route. */
static enum bough_rc check_body(struct http_req *req, struct http_res *res)
{
    struct bough_error err;

    if (req->route->flags & HTTP_RAW_BODY)
        return BOUGH_OK;
    if (req->body.n && json_parse(req->arena, req->body, &req->json, &err))
        return http_refuse(res, 400, "malformed", "the body is not JSON: %s", err.msg);
    if (!req->body.n && req->route->takes && !(req->route->flags & HTTP_BODY_OPTIONAL))
        return http_refuse(res, 400, "malformed", "this path requires a body");
    return BOUGH_OK;
}

enum bough_rc router_check(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    enum bough_rc rc = check_query(req, err);

    if (!rc)
        rc = check_type(req, res);
    return rc ? rc : check_body(req, res);
}
