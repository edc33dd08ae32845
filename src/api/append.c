/* Writing entries: append, and record the whole history a client sent. */
#include <stdio.h>
#include <string.h>

#include "api/body.h"
#include "api/forms.h"
#include "base/str.h"

/* ---- expected heads ---- */

/* "#1.2", or "" for nothing. */
static enum bough_rc read_place(const char *text, struct bough_head *out, struct bough_error *err)
{
    *out = (struct bough_head){ 0 };
    if (!*text || (text[0] == '#' && api_cursor_read(text + 1, &out->branch, &out->depth)))
        return BOUGH_OK;
    return bough_fail(err, BOUGH_INVALID, "expect_head is \"#branch.depth\", or \"\" for nothing");
}

enum bough_rc api_expect(struct http_req *req, struct http_res *res, const char *place, bool *has,
                         struct bough_head *out, struct bough_error *err)
{
    enum bough_rc rc = api_expect_head(req, res, has, out, err);

    if (rc || !place)
        return rc;
    *has = true;
    return read_place(place, out, err);
}

enum bough_rc api_head_lost(const struct http_req *req, struct http_res *res, enum bough_rc rc,
                            const struct bough_error *err)
{
    char text[96];

    if (rc != BOUGH_CONFLICT || !http_header(req, "if-match"))
        return rc;
    snprintf(text, sizeof text, "{\"head\":{\"branch\":%lld,\"depth\":%lld}}",
             (long long)err->head.branch, (long long)err->head.depth);
    http_detail(res, str_of(text));
    return http_refuse(res, 412, "precondition_failed", "%s", err->msg);
}

/* ---- append ---- */

struct appending {
    struct bough_append in;
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
    struct bough_appended out;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, append_members, &x, err);
    if (!rc)
        rc = api_entries_new(req, x.entries, &entries, &x.in.n, err);
    if (!rc)
        rc = api_call_new(req, x.call, &made, err);
    if (!rc)
        rc = api_expect(req, res, x.expect, &x.in.has_expect, &x.in.expect, err);
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
};

static const struct api_member record_members[] = {
    { "history", API_LIST, offsetof(struct recording, history) },
    { "reply", API_OBJECT, offsetof(struct recording, reply) },
    { "call", API_OBJECT, offsetof(struct recording, call) },
    { 0 },
};

static enum bough_rc record(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_record in = { .key = call->key };
    struct bough_entry_new *history = NULL, reply;
    struct bough_call_new *made = NULL;
    struct recording x = { 0 };
    struct bough_recorded out;
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
    if (!rc)
        rc = bough_record(call->store, req->arena, s->id, &in, &out, err);
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
      "Append entries and a call, all or nothing.", .takes = "Append", .gives = "Appended",
      .status = 201, .flags = HTTP_KEYED | HTTP_MATCHES, .body_max = HTTP_BODY_FILE },
    { "POST", "/api/v1/sessions/{id}/record", record, AUTH_APPEND,
      "Store what is new of a whole history; an edited one becomes a branch.", .takes = "Record",
      .gives = "Recorded", .status = 201, .flags = HTTP_KEYED, .body_max = HTTP_BODY_FILE },
    { 0 },
};
