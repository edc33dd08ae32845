/* Where a session is: its head. */
#include "api/kit/body.h"
#include "api/kit/forms.h"

/* ---- the head ---- */

static enum bough_rc put_head(struct http_req *req, struct http_res *res, const char *session,
                              struct bough_error *err)
{
    struct bough_entry *e = NULL;
    struct bough_head at;
    struct json_writer *w;
    enum bough_rc rc = bough_head_get(api_of(req)->store, req->arena, session, &at, &e, err);

    if (rc)
        return rc;
    api_head_etag(res, at);
    w = http_json(res, 200);
    jw_obj(w);
    form_head(w, "head", at);
    jw_kv_cstr(w, "id", e ? e->id : NULL);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc get_head(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    return rc ? rc : put_head(req, res, s->id, err);
}

/* Answers 412, with the current head as detail, when the head is not the one in If-Match. */
static enum bough_rc still_there(struct http_req *req, struct http_res *res, const char *session,
                                 struct bough_error *err)
{
    struct bough_error lost = { .rc = BOUGH_CONFLICT };
    const struct bough_head *want;
    struct bough_head at;
    enum bough_rc rc = api_expect_head(req, res, &want, err);

    if (rc || !want)
        return rc;
    rc = bough_head_get(api_of(req)->store, req->arena, session, &at, NULL, err);
    if (rc || (at.branch == want->branch && at.depth == want->depth))
        return rc;
    bough_fail(&lost, BOUGH_CONFLICT, "the head has moved");
    lost.head = at;
    return api_head_lost(req, res, BOUGH_CONFLICT, &lost);
}

/* Move the head to an entry, or reset it when `entry` is NULL, and answer with the new head. */
static enum bough_rc put_at(struct http_req *req, struct http_res *res, const char *session,
                            const char *entry, struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    bool matched = api_match_begin(req);
    enum bough_rc rc = matched ? still_there(req, res, session, err) : BOUGH_OK;

    if (!rc)
        rc = entry ? bough_head_move(store, session, entry, err)
                   : bough_head_reset(store, session, err);
    api_match_end(req, matched);
    return rc ? rc : put_head(req, res, session, err);
}

static enum bough_rc move(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = { { "entry", API_TEXT, 0 }, { 0 } };
    const char *entry = NULL;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &entry, err);
    if (!rc && !entry)
        rc = bough_fail(err, BOUGH_INVALID, "entry is required");
    if (!rc)
        rc = api_entry_id(req, s->id, &entry, err);
    return rc ? rc : put_at(req, res, s->id, entry, err);
}

static enum bough_rc reset(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    return rc ? rc : put_at(req, res, s->id, NULL, err);
}

const struct http_route api_head_routes[] = {
    { "GET", "/api/v1/sessions/{id}/head", get_head, AUTH_READ,
      "Get the head. Its ETag can be sent as If-Match with an append.", .gives = "Head",
      .flags = HTTP_TAGS },
    { "PUT", "/api/v1/sessions/{id}/head", move, AUTH_APPEND,
      "Move the head to an entry on one of the session's paths.", .takes = "HeadMove",
      .gives = "Head", .flags = HTTP_MATCHES | HTTP_TAGS },
    { "DELETE", "/api/v1/sessions/{id}/head", reset, AUTH_APPEND,
      "Reset the head: the next append starts a new root. Nothing is removed.", .gives = "Head",
      .flags = HTTP_MATCHES | HTTP_TAGS },
    { 0 },
};
