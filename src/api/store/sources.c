/* Import sources: how far each file was read, and which process is reading it. */
#include "api/kit/body.h"
#include "api/kit/forms.h"

static void put_source(struct json_writer *w, const struct bough_source *s)
{
    jw_obj(w);
    jw_kv_cstr(w, "path", s->path);
    jw_kv_cstr(w, "format", s->format);
    jw_kv_cstr(w, "hash", s->hash);
    jw_kv_cstr(w, "session", s->session);
    jw_kv_i64(w, "size", s->size);
    jw_kv_i64(w, "offset", s->offset);
    jw_kv_cstr(w, "owner", s->owner);
    form_time(w, "expires", s->expires);
    form_time(w, "updated", s->updated);
    jw_kv_i64(w, "ver", s->ver);
    jw_end_obj(w);
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *path = http_query(req, "path");
    struct bough_sources found = { 0 };
    struct bough_source *one;
    struct json_writer *w;
    enum bough_rc rc = api_for_all(req, res);

    if (!rc && path) {
        rc = bough_source_get(api_of(req)->store, req->arena, path, &one, err);
        found = (struct bough_sources){ .at = one, .n = 1 };
    } else if (!rc) {
        rc = bough_source_list(api_of(req)->store, req->arena, &found, err);
    }
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++) {
        put_source(w, &found.at[i]);
        http_spill(res);
    }
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static const struct api_member put_members[] = {
    { "path", API_TEXT, offsetof(struct bough_source, path) },
    { "format", API_TEXT, offsetof(struct bough_source, format) },
    { "hash", API_TEXT, offsetof(struct bough_source, hash) },
    { "session", API_TEXT, offsetof(struct bough_source, session) },
    { "size", API_INT, offsetof(struct bough_source, size) },
    { "offset", API_INT, offsetof(struct bough_source, offset) },
    { "owner", API_TEXT, offsetof(struct bough_source, owner) },
    { "ver", API_INT, offsetof(struct bough_source, ver) },
    { 0 },
};

static enum bough_rc put(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_source in = { 0 }, *out;
    enum bough_rc rc = api_for_all(req, res);

    if (!rc)
        rc = api_body(req, put_members, &in, err);
    if (!rc)
        rc = bough_source_put(api_of(req)->store, req->arena, &in, &out, err);
    if (!rc)
        put_source(http_json(res, 200), out);
    return rc;
}

struct claim {
    const char *path, *owner;
    int64_t ms;
};

static enum bough_rc claim(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "path", API_TEXT, offsetof(struct claim, path) },
        { "owner", API_TEXT, offsetof(struct claim, owner) },
        { "ms", API_INT, offsetof(struct claim, ms) },
        { 0 },
    };
    struct claim in = { 0 };
    struct bough_source *out;
    enum bough_rc rc = api_for_all(req, res);

    if (!rc)
        rc = api_body(req, members, &in, err);
    if (!rc)
        rc =
            bough_source_claim(api_of(req)->store, req->arena, in.path, in.owner, in.ms, &out, err);
    if (!rc)
        put_source(http_json(res, 200), out);
    return rc;
}

static const struct http_field list_query[] = {
    { "path", HTTP_STRING, "Only this path; 404 if it was never imported." },
    { 0 },
};

const struct http_route api_source_routes[] = {
    { "GET", "/api/v1/sources", list, AUTH_READ | AUTH_ADMIN, "List the imported files.",
      list_query, .gives = "Sources" },
    { "PUT", "/api/v1/sources", put, AUTH_APPEND | AUTH_ADMIN, "Record how far a file was read.",
      .takes = "SourcePut", .gives = "Source" },
    { "POST", "/api/v1/sources/claim", claim, AUTH_APPEND | AUTH_ADMIN,
      "Claim a path for one reader for some time; 0 ms releases it.", .takes = "SourceClaim",
      .gives = "Source" },
    { 0 },
};
