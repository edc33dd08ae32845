/* Where a session is: its head, labels, markers, and what a model sees from there. */
#include <string.h>

#include "api/body.h"
#include "api/forms.h"
#include "base/str.h"

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

/* 412 when the head is not where If-Match says; detail has where it is. */
static enum bough_rc still_there(struct http_req *req, struct http_res *res, const char *session,
                                 struct bough_error *err)
{
    struct bough_error lost = { .rc = BOUGH_CONFLICT };
    struct bough_head at, want;
    bool has;
    enum bough_rc rc = api_expect_head(req, res, &has, &want, err);

    if (rc || !has)
        return rc;
    rc = bough_head_get(api_of(req)->store, req->arena, session, &at, NULL, err);
    if (rc || (at.branch == want.branch && at.depth == want.depth))
        return rc;
    bough_fail(&lost, BOUGH_CONFLICT, "the head is elsewhere now");
    lost.head = at;
    return api_head_lost(req, res, BOUGH_CONFLICT, &lost);
}

/* The head on an entry, or at nothing; then where it is. */
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
        rc = bough_fail(err, BOUGH_INVALID, "entry says where to");
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

/* ---- labels ---- */

static enum bough_rc labels(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_labels found;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_label_list(api_of(req)->store, req->arena, s->id, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++)
        form_label(w, &found.at[i]);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

/* Set it, or leave it when `text` is NULL, and say what it is. */
static enum bough_rc label(struct http_req *req, struct http_res *res, const char *session,
                           const char *text, struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    const char *entry = http_param(req, "entry");
    struct json_writer *w;
    enum bough_rc rc = api_entry_id(req, session, &entry, err);

    if (!rc && text)
        rc = bough_label_set(store, session, entry, text, err);
    if (!rc)
        rc = bough_label_get(store, req->arena, session, entry, &text, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_kv_cstr(w, "entry", entry);
    jw_kv_cstr(w, "label", text);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc get_label(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    return rc ? rc : label(req, res, s->id, NULL, err);
}

static enum bough_rc set_label(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = { { "label", API_TEXT, 0 }, { 0 } };
    const char *text = NULL;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, members, &text, err);
    if (!rc && !text)
        rc = bough_fail(err, BOUGH_INVALID, "label is a text; DELETE removes one");
    return rc ? rc : label(req, res, s->id, text, err);
}

static enum bough_rc drop_label(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    return rc ? rc : label(req, res, s->id, "", err);
}

/* ---- markers ---- */

static enum bough_rc markers(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_entries found;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_marker_list(api_of(req)->store, req->arena, s->id, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++)
        form_entry(w, &found.at[i]);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc latest(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_entry *marker = NULL;
    struct bough_session *s;
    bool inherit = false;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = http_query_bool(req, "inherit", &inherit, err);
    if (!rc)
        rc = bough_marker_latest(api_of(req)->store, req->arena, s->id, inherit, &marker, err);
    if (!rc && !marker)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "this session was never compacted");
    if (!rc)
        form_entry(http_json(res, 200), marker);
    return rc;
}

static const struct api_member compact_members[] = {
    { "summary", API_TEXT, offsetof(struct bough_compaction, summary) },
    { "before", API_TEXT, offsetof(struct bough_compaction, before) },
    { "first_kept", API_TEXT, offsetof(struct bough_compaction, first_kept) },
    { "tokens_before", API_INT, offsetof(struct bough_compaction, tokens_before) },
    { "tokens_saved", API_INT, offsetof(struct bough_compaction, tokens_saved) },
    { "details", API_RAW, offsetof(struct bough_compaction, details) },
    { "from_hook", API_FLAG, offsetof(struct bough_compaction, from_hook) },
    { 0 },
};

void api_put_id(struct http_res *res, int status, const char *id)
{
    struct json_writer *w = http_json(res, status);

    jw_obj(w);
    jw_kv_cstr(w, "id", id);
    jw_end_obj(w);
}

static enum bough_rc compact(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_compaction in = { .key = api_of(req)->key };
    char id[BOUGH_ID_LEN + 1];
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, compact_members, &in, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &in.before, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &in.first_kept, err);
    if (!rc)
        rc = bough_compact(api_of(req)->store, s->id, &in, id, err);
    if (!rc)
        api_put_id(res, 201, id);
    return rc;
}

/* ---- context ---- */

static enum bough_rc context(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *dialect = http_query(req, "dialect");
    struct bough_context_options how = { .at = http_query(req, "at"),
                                         .dialect = dialect ? dialect : "pi" };
    struct bough_context x;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = http_query_bool(req, "inherit", &how.inherit, err);
    if (!rc)
        rc = http_query_bool(req, "at_nothing", &how.at_nothing, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &how.at, err);
    if (!rc)
        rc = bough_context(api_of(req)->store, req->arena, s->id, &how, &x, err);
    if (!rc)
        form_context(http_json(res, 200), &x);
    return rc;
}

static const struct http_field context_query[] = {
    { "dialect", HTTP_STRING, "pi (the usual), hygge or ui." },
    { "at", HTTP_STRING, "The context of this entry instead of the head." },
    { "at_nothing", HTTP_BOOLEAN, "The context of no entry at all." },
    { "inherit", HTTP_BOOLEAN, "hygge: markers of the sessions it was forked from count too." },
    { 0 },
};

static const struct http_field latest_query[] = {
    { "inherit", HTTP_BOOLEAN, "Markers of the sessions it was forked from count too." },
    { 0 },
};

const struct http_route api_head_routes[] = {
    { "GET", "/api/v1/sessions/{id}/context", context, AUTH_READ,
      "What a model would get, and what in it is not verbatim.", context_query,
      .gives = "Context" },
    { "GET", "/api/v1/sessions/{id}/head", get_head, AUTH_READ,
      "Where the session is; the ETag is for If-Match of an append.", .gives = "Head" },
    { "PUT", "/api/v1/sessions/{id}/head", move, AUTH_APPEND,
      "Put the head on an entry of one of its paths.", .takes = "HeadMove", .gives = "Head",
      .flags = HTTP_MATCHES },
    { "DELETE", "/api/v1/sessions/{id}/head", reset, AUTH_APPEND,
      "Put the head at nothing: the next append begins a new root.", .gives = "Head",
      .flags = HTTP_MATCHES },
    { "GET", "/api/v1/sessions/{id}/labels", labels, AUTH_READ, "All labels.", .gives = "Labels" },
    { "GET", "/api/v1/sessions/{id}/labels/{entry}", get_label, AUTH_READ,
      "The label of an entry; empty when it has none.", .gives = "LabelOf" },
    { "PUT", "/api/v1/sessions/{id}/labels/{entry}", set_label, AUTH_APPEND, "Label an entry.",
      .takes = "LabelSet", .gives = "LabelOf" },
    { "DELETE", "/api/v1/sessions/{id}/labels/{entry}", drop_label, AUTH_APPEND,
      "Remove the label of an entry.", .gives = "LabelOf" },
    { "GET", "/api/v1/sessions/{id}/markers", markers, AUTH_READ,
      "All compactions this session wrote, oldest first.", .gives = "Entries" },
    { "POST", "/api/v1/sessions/{id}/markers", compact, AUTH_APPEND,
      "Compact: a summary stands for what came before.", .takes = "Compaction", .gives = "Id",
      .status = 201, .flags = HTTP_KEYED },
    { "GET", "/api/v1/sessions/{id}/markers/latest", latest, AUTH_READ, "The latest compaction.",
      latest_query, .gives = "Entry" },
    { 0 },
};
