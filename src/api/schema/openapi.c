/* openapi.json, printed from the route tables and the tables of this folder. */
#include <stdio.h>
#include <string.h>

#include "api/schema/schema.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* ---- parameters ---- */

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

static void query_schema(struct json_writer *w, const struct http_field *f)
{
    jw_obj(w);
    jw_kv_cstr(w, "type", type_name(f->type));
    if (f->words) {
        jw_key(w, "enum");
        jw_arr(w);
        for (size_t i = 0; f->words(i); i++)
            jw_cstr(w, f->words(i));
        jw_end_arr(w);
    }
    if (f->most) {
        jw_kv_i64(w, "minimum", f->least);
        jw_kv_i64(w, "maximum", f->most);
    }
    jw_end_obj(w);
}

static void query_parameter(struct json_writer *w, const struct http_field *f)
{
    jw_obj(w);
    jw_kv_cstr(w, "name", f->name);
    jw_kv_cstr(w, "in", "query");
    jw_kv_cstr(w, "description", f->about);
    jw_key(w, "schema");
    query_schema(w, f);
    jw_end_obj(w);
}

static void path_parameter(struct json_writer *w, struct bough_str name)
{
    const struct api_path_name *p = api_about_path(name);

    jw_obj(w);
    jw_kv_str(w, "name", name);
    jw_kv_cstr(w, "in", "path");
    jw_kv_bool(w, "required", true);
    jw_kv_cstr(w, "description", p ? p->about : NULL);
    jw_key(w, "schema");
    jw_obj(w);
    jw_kv_cstr(w, "type", "string");
    if (p && p->words) {
        jw_key(w, "enum");
        jw_arr(w);
        for (size_t i = 0; p->words[i]; i++)
            jw_cstr(w, p->words[i]);
        jw_end_arr(w);
    }
    jw_end_obj(w);
    jw_end_obj(w);
}

/* Request headers, by the flag of the routes that read them. */
static const struct {
    unsigned flag;
    bool get; /* only for GET */
    const char *name, *about;
    int most; /* characters; 0: unlimited */
} headers_in[] = {
    { HTTP_KEYED, false, "Idempotency-Key",
      "Repeating the request with the same key and the same body returns the first answer, for 7 "
      "days. Another body with the same key is 409.",
      LIMIT_KEY },
    { HTTP_MATCHES, false, "If-Match", "An ETag; 412 if the state has changed since.", 0 },
    { HTTP_TAGS, true, "If-None-Match", "ETags; 304 if the current one is among them.", 0 },
    { HTTP_RANGES, true, "Range", "A range of bytes, `bytes=0-1023`; 206 answers it.", 0 },
    { HTTP_RANGES, true, "If-Range", "An ETag; if it has changed, Range is ignored.", 0 },
    { HTTP_RESUMES, true, "Last-Event-ID",
      "The id of the last event; the stream continues after it.", 0 },
};

static bool is_get(const struct http_route *r)
{
    return strcmp(r->method, "GET") == 0;
}

static void header_parameters(struct json_writer *w, const struct http_route *r)
{
    for (size_t i = 0; i < sizeof headers_in / sizeof *headers_in; i++) {
        if (!(r->flags & headers_in[i].flag) || (headers_in[i].get && !is_get(r)))
            continue;
        jw_obj(w);
        jw_kv_cstr(w, "name", headers_in[i].name);
        jw_kv_cstr(w, "in", "header");
        jw_kv_cstr(w, "description", headers_in[i].about);
        jw_key(w, "schema");
        jw_obj(w);
        jw_kv_cstr(w, "type", "string");
        if (headers_in[i].most)
            jw_kv_i64(w, "maxLength", headers_in[i].most);
        jw_end_obj(w);
        jw_end_obj(w);
    }
}

static void parameters(struct json_writer *w, const struct http_route *r)
{
    jw_key(w, "parameters");
    jw_arr(w);
    for (const char *p = strchr(r->path, '{'); p; p = strchr(p + 1, '{'))
        path_parameter(w, str_make(p + 1, strcspn(p + 1, ".}")));
    for (const struct http_field *f = r->query; f && f->name; f++)
        query_parameter(w, f);
    header_parameters(w, r);
    jw_end_arr(w);
}

/* ---- bodies and answers ---- */

static void write_ref(struct json_writer *w, const char *kind, const char *name)
{
    char ref[128];

    snprintf(ref, sizeof ref, "#/components/%s/%s", kind, name);
    jw_obj(w);
    jw_kv_cstr(w, "$ref", ref);
    jw_end_obj(w);
}

/* Reference a schema by name; text, html, events and bytes are media types without a schema. */
static void content(struct json_writer *w, const char *schema, const char *also)
{
    static const struct {
        const char *name, *type;
    } others[] = {
        { "text", "text/plain" },
        { "html", "text/html" },
        { "events", "text/event-stream" },
        { "bytes", "application/octet-stream" },
    };
    const char *type = "application/json";

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(schema, others[i].name) == 0)
            type = others[i].type;
    jw_key(w, "content");
    jw_obj(w);
    jw_key(w, type);
    jw_obj(w);
    jw_key(w, "schema");
    if (strcmp(type, "application/json") == 0)
        write_ref(w, "schemas", schema);
    else
        jw_raw(w, str_of("{\"type\":\"string\"}"));
    jw_end_obj(w);
    if (also)
        jw_kv_raw(w, also, str_of("{\"schema\":{\"type\":\"string\"}}"));
    jw_end_obj(w);
}

static void header_ref(struct json_writer *w, const char *name)
{
    jw_key(w, name);
    write_ref(w, "headers", name);
}

static void success_headers(struct json_writer *w, const struct http_route *r, int status)
{
    jw_key(w, "headers");
    jw_obj(w);
    header_ref(w, "X-Request-Id");
    if (r->flags & HTTP_TAGS)
        header_ref(w, "ETag");
    if (r->flags & HTTP_LOCATES)
        header_ref(w, "Location");
    if (r->flags & HTTP_RANGES)
        header_ref(w, "Accept-Ranges");
    if (status == 206)
        header_ref(w, "Content-Range");
    if (r->flags & HTTP_DOWNLOADS)
        header_ref(w, "Content-Disposition");
    jw_end_obj(w);
}

static void success(struct json_writer *w, const struct http_route *r, int status,
                    const char *about, bool body)
{
    char key[8];

    snprintf(key, sizeof key, "%d", status);
    jw_key(w, key);
    jw_obj(w);
    jw_kv_cstr(w, "description", about);
    success_headers(w, r, status);
    if (body && r->gives)
        content(w, r->gives, r->also);
    jw_end_obj(w);
}

/* An error of a route that has a form of its own for them. */
static void own_error(struct json_writer *w, const struct http_route *r, const struct api_answer *a)
{
    jw_obj(w);
    jw_kv_cstr(w, "description", a->about);
    jw_key(w, "headers");
    jw_obj(w);
    header_ref(w, "X-Request-Id");
    jw_end_obj(w);
    content(w, r->errors->schema, NULL);
    jw_end_obj(w);
}

static void responses(struct json_writer *w, const struct http_route *r)
{
    int own = r->status ? r->status : 200;
    char key[8];

    jw_key(w, "responses");
    jw_obj(w);
    success(w, r, own, r->about, true);
    if (own != 204 && api_may_answer(r, 204))
        success(w, r, 204, "There is nothing to send.", false);
    if (api_may_answer(r, 206))
        success(w, r, 206, "The range that was asked for.", true);
    if (api_may_answer(r, 304))
        success(w, r, 304, "Nothing has changed since the ETag in If-None-Match.", false);
    for (const struct api_answer *a = api_answers; a->status; a++)
        if (api_may_answer(r, a->status)) {
            snprintf(key, sizeof key, "%d", a->status);
            jw_key(w, key);
            if (r->errors)
                own_error(w, r, a);
            else
                write_ref(w, "responses", a->name);
        }
    jw_end_obj(w);
}

/* ---- operations ---- */

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
    jw_key(w, "tags");
    jw_arr(w);
    jw_cstr(w, api_tag_of(r));
    jw_end_arr(w);
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
        content(w, r->takes, NULL);
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

/* "{path...}", which takes several segments, is "{path}" here. */
static void path_key(struct json_writer *w, const char *path)
{
    const char *dots = strstr(path, "...}");
    char text[256];

    snprintf(text, sizeof text, "%.*s%s", dots ? (int)(dots - path) : (int)strlen(path), path,
             dots ? "}" : "");
    jw_key(w, text);
}

static void paths(struct bough_arena *a, struct json_writer *w,
                  const struct http_route *const *tables)
{
    jw_key(w, "paths");
    jw_obj(w);
    for (size_t i = 0; tables[i]; i++) {
        for (const struct http_route *r = tables[i]; r->method; r++) {
            if ((r->flags & HTTP_PRIVATE) || !first_of_path(tables, r))
                continue;
            path_key(w, r->path);
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
    api_document_head(w);
    paths(req->arena, w, api_all(api_of(req)->api));
    api_document_components(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

const struct http_route api_openapi_routes[] = {
    { "GET", "/api/v1/openapi.json", openapi, AUTH_OPEN, "This API as OpenAPI 3.1.",
      .gives = "OpenAPI" },
    { 0 },
};
