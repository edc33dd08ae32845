/* Writing entries: append new ones, and record a client's whole history. */
#include "api/kit/body.h"
#include "api/kit/forms.h"

/* ---- append ---- */

struct appending {
    struct bough_append_options in;
    struct json entries, call;
    const char *expect;
};

#define IN(field) offsetof(struct appending, in.field)

static const struct api_member append_members[] = {
    { "entries", API_LIST, offsetof(struct appending, entries) },
    { "call", API_OBJECT, offsetof(struct appending, call) },
    { "at", API_TEXT, IN(at) },
    { "at_root", API_FLAG, IN(at_root) },
    { "keep_head", API_FLAG, IN(keep_head) },
    { "expect_head", API_TEXT, offsetof(struct appending, expect) },
    { "owner", API_TEXT, IN(owner) },
    { 0 },
};

static enum bough_rc append(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct appending x = { .in.key = call->key };
    struct bough_entry_new *entries = NULL;
    struct bough_call_new *made = NULL;
    struct bough_append_result out;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, append_members, &x, err);
    if (!rc)
        rc = api_entries_new(req, x.entries, &entries, &x.in.n, err);
    if (!rc)
        rc = api_call_new(req, x.call, &made, err);
    if (!rc)
        rc = api_expect(req, res, x.expect, &x.in.expect_head, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &x.in.at, err);
    x.in.entries = entries;
    x.in.call = made;
    if (!rc)
        rc = api_head_lost(req, res, bough_append(call->store, req->arena, s->id, &x.in, &out, err),
                           err);
    if (rc == BOUGH_BUSY || rc == BOUGH_LEASE_LOST)
        api_busy(req, res, s->id);
    if (rc)
        return rc;
    api_head_etag(res, out.head);
    form_appended(http_json(res, 201), &out);
    return BOUGH_OK;
}

/* ---- record ---- */

struct recording {
    struct json history, reply, call;
    const char *owner;
};

static const struct api_member record_members[] = {
    { "history", API_LIST, offsetof(struct recording, history) },
    { "reply", API_OBJECT, offsetof(struct recording, reply) },
    { "call", API_OBJECT, offsetof(struct recording, call) },
    { "owner", API_TEXT, offsetof(struct recording, owner) },
    { 0 },
};

static enum bough_rc record(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_record_options in = { .key = call->key };
    struct bough_entry_new *history = NULL, reply;
    struct bough_call_new *made = NULL;
    struct recording x = { 0 };
    struct bough_record_result out;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, record_members, &x, err);
    if (!rc)
        rc = api_entries_new(req, x.history, &history, &in.nhistory, err);
    if (!rc && json_type(x.reply) == JSON_OBJECT) {
        rc = api_entry_new(req, x.reply, &reply, err);
        in.reply = &reply;
    }
    if (!rc)
        rc = api_call_new(req, x.call, &made, err);
    in.history = history;
    in.call = made;
    in.owner = x.owner;
    if (!rc)
        rc = bough_record(call->store, req->arena, s->id, &in, &out, err);
    if (rc == BOUGH_BUSY)
        api_busy(req, res, s->id);
    if (rc)
        return rc;
    api_head_etag(res, out.appended.head);
    w = http_json(res, 201);
    jw_obj(w);
    form_in_appended(w, &out.appended);
    jw_kv_i64(w, "matched", (int64_t)out.matched);
    jw_kv_bool(w, "branched", out.branched);
    jw_end_obj(w);
    return BOUGH_OK;
}

const struct http_route api_append_routes[] = {
    { "POST", "/api/v1/sessions/{id}/entries", append, AUTH_APPEND,
      "Append entries and a call, atomically.", .takes = "Append", .gives = "Appended",
      .status = 201, .flags = HTTP_KEYED | HTTP_MATCHES | HTTP_TAGS, .body_max = HTTP_BODY_FILE },
    { "POST", "/api/v1/sessions/{id}/record", record, AUTH_APPEND,
      "Record a whole history: only what is new is stored. An edited history becomes a branch.",
      .takes = "Record", .gives = "Recorded", .status = 201, .flags = HTTP_KEYED | HTTP_TAGS,
      .body_max = HTTP_BODY_FILE },
    { 0 },
};
