/* Accessors for handlers: headers, path parameters, query, body. */
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "http/http.h"
#include "http/parse/parse.h"

const char *http_header(const struct http_req *req, const char *name)
{
    for (size_t i = 0; i < req->nheaders; i++)
        if (str_is(req->headers[i].name, name))
            return req->headers[i].value.p; /* NUL-terminated by exchange_create() */
    return NULL;
}

const char *http_param(const struct http_req *req, const char *name)
{
    for (size_t i = 0; i < req->nparams; i++)
        if (strcmp(req->params[i].name, name) == 0)
            return req->params[i].value;
    return NULL;
}

const char *http_query(const struct http_req *req, const char *name)
{
    struct bough_str rest = req->query;
    const char *key, *value;
    bool ok;

    while (parse_query(req->arena, &rest, &key, &value, &ok))
        if (strcmp(key, name) == 0)
            return value;
    return NULL;
}

enum bough_rc http_query_i64(const struct http_req *req, const char *name, int64_t fallback,
                             int64_t least, int64_t most, int64_t *out, struct bough_error *err)
{
    const char *text = http_query(req, name);

    *out = fallback;
    if (!text)
        return BOUGH_OK;
    if (!json_span_i64(str_of(text), out) || *out < least || *out > most)
        return bough_fail(err, BOUGH_INVALID, "%s is a number from %lld to %lld", name,
                          (long long)least, (long long)most);
    return BOUGH_OK;
}

enum bough_rc http_query_bool(const struct http_req *req, const char *name, bool *out,
                              struct bough_error *err)
{
    const char *text = http_query(req, name);

    *out = text && strcmp(text, "true") == 0;
    if (text && !*out && strcmp(text, "false") != 0)
        return bough_fail(err, BOUGH_INVALID, "%s is true or false", name);
    return BOUGH_OK;
}

enum bough_rc http_body_json(struct http_req *req, struct json *out, struct bough_error *err)
{
    *out = req->json;
    if (!req->body.n || json_type(req->json) != JSON_OBJECT)
        return bough_fail(err, BOUGH_INVALID, "the body must be a JSON object");
    return BOUGH_OK;
}
