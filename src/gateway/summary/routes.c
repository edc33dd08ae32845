/* Summaries over HTTP. */
#include "gateway/summary/routes.h"

#include <string.h>

#include "api/kit/api.h"
#include "api/kit/body.h"
#include "gateway/kit/state.h"
#include "gateway/summary/compact.h"
#include "gateway/summary/navigate.h"

/* ---- compaction ---- */

static const struct api_member compact_members[] = {
    { "provider", API_TEXT, offsetof(struct compact_options, provider) },
    { "model", API_TEXT, offsetof(struct compact_options, model) },
    { "keep_tokens", API_INT, offsetof(struct compact_options, keep_tokens) },
    { "instructions", API_TEXT, offsetof(struct compact_options, instructions) },
    { 0 },
};

/* The model's answer takes a while: the call must not end with the time of a request. */
static struct bough_store *own_handle(struct http_req *req)
{
    const char *name = api_of(req)->who->name;

    return bough_store_scoped(
        gateway_store(gateway_of(req)),
        &(struct bough_store_scoped_options){
            .cancel = req->cancel, .principal = strncmp(name, "token:", 6) == 0 ? name : NULL });
}

static enum bough_rc compact(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct compact_options in = { 0 };
    struct compact_result out;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, compact_members, &in, err);
    if (!rc && in.keep_tokens < 0)
        rc = bough_fail(err, BOUGH_INVALID, "keep_tokens must not be negative");
    if (rc)
        return rc;
    in.session = s->id;
    in.store = own_handle(req);
    rc = compact_session(gateway_of(req), req->arena, &in, &out, err);
    bough_store_close(&in.store);
    if (rc)
        return rc;
    w = http_json(res, 201);
    jw_obj(w);
    jw_kv_cstr(w, "marker", out.marker);
    jw_kv_cstr(w, "summary", out.summary);
    jw_kv_cstr(w, "first_kept", out.first_kept);
    jw_kv_i64(w, "tokens_before", out.tokens_before);
    jw_kv_i64(w, "tokens_kept", out.tokens_kept);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- another place of the tree ---- */

static const struct api_member navigate_members[] = {
    { "entry", API_TEXT, offsetof(struct navigate_options, entry) },
    { "summarize", API_FLAG, offsetof(struct navigate_options, summarize) },
    { "provider", API_TEXT, offsetof(struct navigate_options, provider) },
    { "model", API_TEXT, offsetof(struct navigate_options, model) },
    { "instructions", API_TEXT, offsetof(struct navigate_options, instructions) },
    { "label", API_TEXT, offsetof(struct navigate_options, label) },
    { 0 },
};

static enum bough_rc go_to(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct navigate_options in = { 0 };
    struct navigate_result out;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, navigate_members, &in, err);
    if (!rc && (!in.entry || !*in.entry))
        rc = bough_fail(err, BOUGH_INVALID, "entry is missing");
    if (!rc)
        rc = api_entry_id(req, s->id, &in.entry, err);
    if (rc)
        return rc;
    in.session = s->id;
    in.store = own_handle(req);
    rc = navigate(gateway_of(req), req->arena, &in, &out, err);
    bough_store_close(&in.store);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_bool(w, "moved", out.moved);
    jw_kv_cstr(w, "head", out.head);
    jw_kv_cstr(w, "text", out.text);
    jw_kv_cstr(w, "summary", *out.summary ? out.summary : NULL);
    jw_end_obj(w);
    return BOUGH_OK;
}

const struct http_route gateway_summary_routes[] = {
    { "POST", "/api/v1/sessions/{id}/compact", compact, AUTH_APPEND | AUTH_GATEWAY,
      "Let a model summarise the older part of the conversation, and append the marker.",
      .takes = "CompactNew", .gives = "Compacted", .status = 201,
      .flags = HTTP_STREAMS | HTTP_BODY_OPTIONAL },
    { "POST", "/api/v1/sessions/{id}/navigate", go_to, AUTH_APPEND | AUTH_GATEWAY,
      "Go to another entry of the tree, and let a model summarise the branch that is left. A "
      "prompt that is chosen is left out, and its text comes back.",
      .takes = "Navigate", .gives = "Navigated", .flags = HTTP_STREAMS },
    { 0 },
};
