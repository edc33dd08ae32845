/* openapi.json, printed from the route tables and the schemas. */
#include <stdio.h>
#include <string.h>

#include "api/kit/api.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

static const char *type_name(enum http_type t)
{
    switch (t) {
    case HTTP_STRING:
        return "string";
    case HTTP_INTEGER:
        return "integer";
    case HTTP_BOOLEAN:
        return "boolean";
    }
    return "string";
}

static void parameter(struct json_writer *w, const char *where, struct bough_str name,
                      const char *type, const char *about, const char *(*words)(size_t i))
{
    jw_obj(w);
    jw_kv_str(w, "name", name);
    jw_kv_cstr(w, "in", where);
    if (strcmp(where, "path") == 0)
        jw_kv_bool(w, "required", true);
    if (about)
        jw_kv_cstr(w, "description", about);
    jw_key(w, "schema");
    jw_obj(w);
    jw_kv_cstr(w, "type", type);
    if (words) {
        jw_key(w, "enum");
        jw_arr(w);
        for (size_t i = 0; words(i); i++)
            jw_cstr(w, words(i));
        jw_end_arr(w);
    }
    jw_end_obj(w);
    jw_end_obj(w);
}

static void parameters(struct json_writer *w, const struct http_route *r)
{
    jw_key(w, "parameters");
    jw_arr(w);
    for (const char *p = strchr(r->path, '{'); p; p = strchr(p + 1, '{'))
        parameter(w, "path", str_make(p + 1, strcspn(p + 1, "}")), "string", NULL, NULL);
    for (const struct http_field *f = r->query; f && f->name; f++)
        parameter(w, "query", str_of(f->name), type_name(f->type), f->about, f->words);
    if (r->flags & HTTP_KEYED)
        parameter(w, "header", str_of("Idempotency-Key"), "string",
                  "Repeating the request with the same key returns the same response, for 7 days.",
                  NULL);
    if (r->flags & HTTP_MATCHES)
        parameter(w, "header", str_of("If-Match"), "string",
                  "An ETag; 412 if the state has changed since.", NULL);
    jw_end_arr(w);
}

/* Reference a schema by name; text, html, events and bytes are media types without a schema. */
static void content(struct json_writer *w, const char *schema)
{
    bool text = strcmp(schema, "text") == 0, html = strcmp(schema, "html") == 0;
    bool events = strcmp(schema, "events") == 0, bytes = strcmp(schema, "bytes") == 0;

    jw_key(w, "content");
    jw_obj(w);
    jw_key(w, text     ? "text/plain"
              : html   ? "text/html"
              : events ? "text/event-stream"
              : bytes  ? "application/octet-stream"
                       : "application/json");
    jw_obj(w);
    jw_key(w, "schema");
    jw_obj(w);
    if (text || html || events || bytes) {
        jw_kv_cstr(w, "type", "string");
    } else {
        char ref[128];

        snprintf(ref, sizeof ref, "#/components/schemas/%s", schema);
        jw_kv_cstr(w, "$ref", ref);
    }
    jw_end_obj(w);
    jw_end_obj(w);
    jw_end_obj(w);
}

static void responses(struct json_writer *w, const struct http_route *r)
{
    char status[8];

    snprintf(status, sizeof status, "%d", r->status ? r->status : 200);
    jw_key(w, "responses");
    jw_obj(w);
    jw_key(w, status);
    jw_obj(w);
    jw_kv_cstr(w, "description", r->about);
    if (r->gives)
        content(w, r->gives);
    jw_end_obj(w);
    jw_key(w, "4XX");
    jw_obj(w);
    jw_kv_cstr(w, "description", "An error, with a stable code and a message.");
    content(w, "Error");
    jw_end_obj(w);
    jw_end_obj(w);
}

/* "GET /api/v1/sessions/{id}" is get_api_v1_sessions_id. */
static void operation_id(struct json_writer *w, const struct http_route *r)
{
    struct buf b;

    buf_init(&b, 512);
    for (const char *p = r->method; *p; p++)
        buf_putc(&b, (char)(*p + 32));
    for (const char *p = r->path; *p; p++) {
        bool letter = (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9');

        if (letter)
            buf_putc(&b, *p);
        else if (b.p[b.n - 1] != '_')
            buf_putc(&b, '_');
    }
    while (b.p[b.n - 1] == '_')
        b.n--;
    jw_kv_str(w, "operationId", buf_str(&b));
    buf_finish(&b);
}

static void operation(struct bough_arena *a, struct json_writer *w, const struct http_route *r)
{
    char method[16];
    size_t n = 0;

    for (; r->method[n] && n + 1 < sizeof method; n++)
        method[n] = (char)(r->method[n] + 32);
    method[n] = '\0';
    jw_key(w, method);
    jw_obj(w);
    operation_id(w, r);
    jw_kv_cstr(w, "summary", r->about);
    if (r->needs & AUTH_OPEN) {
        jw_key(w, "security");
        jw_arr(w);
        jw_end_arr(w);
    } else {
        jw_kv_cstr(w, "x-scopes", auth_scopes_text(a, r->needs));
    }
    parameters(w, r);
    if (r->takes) {
        jw_key(w, "requestBody");
        jw_obj(w);
        jw_kv_bool(w, "required", !(r->flags & HTTP_BODY_OPTIONAL));
        content(w, r->takes);
        jw_end_obj(w);
    }
    responses(w, r);
    jw_end_obj(w);
}

/* True for the first row with this path: a path is printed once, with all its methods. */
static bool first_of_path(const struct http_route *const *tables, const struct http_route *row)
{
    for (size_t i = 0; tables[i]; i++) {
        for (const struct http_route *r = tables[i]; r->method; r++) {
            if (r == row)
                return true;
            if (strcmp(r->path, row->path) == 0)
                return false;
        }
    }
    return true;
}

static void paths(struct bough_arena *a, struct json_writer *w,
                  const struct http_route *const *tables)
{
    jw_key(w, "paths");
    jw_obj(w);
    for (size_t i = 0; tables[i]; i++) {
        for (const struct http_route *r = tables[i]; r->method; r++) {
            if (!first_of_path(tables, r))
                continue;
            jw_key(w, r->path);
            jw_obj(w);
            for (size_t k = 0; tables[k]; k++)
                for (const struct http_route *same = tables[k]; same->method; same++)
                    if (strcmp(same->path, r->path) == 0)
                        operation(a, w, same);
            jw_end_obj(w);
        }
    }
    jw_end_obj(w);
}

static enum bough_rc openapi(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct json_writer *w = http_json(res, 200);

    (void)err;
    jw_obj(w);
    jw_kv_cstr(w, "openapi", "3.1.0");
    jw_key(w, "info");
    jw_obj(w);
    jw_kv_cstr(w, "title", "bough");
    jw_kv_cstr(w, "version", bough_version());
    jw_kv_cstr(w, "summary", "The session store for AI agents.");
    jw_key(w, "license");
    jw_raw(w, str_of("{\"name\":\"MIT\",\"identifier\":\"MIT\"}"));
    jw_end_obj(w);
    jw_key(w, "servers");
    jw_raw(w, str_of("[{\"url\":\"/\"}]"));
    jw_key(w, "security");
    jw_raw(w, str_of("[{\"token\":[]},{\"browser\":[]}]"));
    paths(req->arena, w, api_all(api_of(req)->api));
    jw_key(w, "components");
    jw_obj(w);
    jw_key(w, "securitySchemes");
    jw_raw(w,
           str_of("{\"token\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
                  "\"browser\":{\"type\":\"apiKey\",\"in\":\"cookie\",\"name\":\"bough_PORT\"}}"));
    jw_key(w, "schemas");
    jw_obj(w);
    for (const struct api_schema *s = api_schemas; s->name; s++) {
        jw_key(w, s->name);
        api_schema_write(w, s);
    }
    jw_end_obj(w);
    jw_end_obj(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

const struct http_route api_openapi_routes[] = {
    { "GET", "/api/v1/openapi.json", openapi, AUTH_OPEN, "This API as OpenAPI 3.1.",
      .gives = "OpenAPI" },
    { 0 },
};
