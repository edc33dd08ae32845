/* A session's status and lease, its totals, and its ancestors. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* ---- status ---- */

struct wanted {
    const char *status, *owner;
    int64_t lease_ms;
};

static const struct api_member status_members[] = {
    { "status", API_TEXT, offsetof(struct wanted, status) },
    { "owner", API_TEXT, offsetof(struct wanted, owner) },
    { "lease_ms", API_LEASE, offsetof(struct wanted, lease_ms) },
    { 0 },
};

static void put_status(struct http_res *res, const struct bough_session *s)
{
    struct json_writer *w = http_json(res, 200);

    jw_obj(w);
    jw_kv_cstr(w, "status", bough_status_name(s->status));
    if (s->lease && *s->lease->owner)
        form_lease(w, "lease", s->lease);
    jw_end_obj(w);
}

static enum bough_rc get_status(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        put_status(res, s);
    return rc;
}

static enum bough_rc set_status(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    struct wanted in = { 0 };
    enum bough_status status;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, status_members, &in, err);
    if (!rc)
        rc = api_status(in.status, &status, err);
    if (!rc)
        rc = bough_session_status(store, s->id, status, in.owner, in.lease_ms, NULL, err);
    if (rc == BOUGH_BUSY)
        api_busy(req, res, s->id);
    if (!rc)
        rc = bough_session_get(store, req->arena, s->id, &s, err);
    if (!rc)
        put_status(res, s);
    return rc;
}

/* ---- totals ---- */

static void put_totals(struct http_res *res, const struct bough_session *s)
{
    struct json_writer *w = http_json(res, 200);

    jw_obj(w);
    form_totals(w, "own", &s->own);
    form_totals(w, "rolled", &s->rolled);
    form_totals(w, "adjusted", &s->adjusted);
    jw_kv_i64(w, "calls", s->calls);
    jw_end_obj(w);
}

static enum bough_rc get_totals(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        put_totals(res, s);
    return rc;
}

static enum bough_rc read_delta(struct http_req *req, struct bough_totals *out,
                                struct bough_error *err)
{
    struct json body;
    enum bough_rc rc = http_body_json(req, &body, err);

    *out = (struct bough_totals){ 0 };
    return rc ? rc : api_totals(req, body, out, err);
}

static enum bough_rc add_totals(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    struct bough_totals delta;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = read_delta(req, &delta, err);
    if (!rc)
        rc = bough_totals_add(store, s->id, &delta, err);
    if (!rc)
        rc = bough_session_get(store, req->arena, s->id, &s, err);
    if (!rc)
        put_totals(res, s);
    return rc;
}

static enum bough_rc propagate(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_totals_propagate_result rows;
    struct bough_totals delta;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = read_delta(req, &delta, err);
    if (!rc)
        rc = api_sees_parents(req, s, err);
    if (!rc)
        rc = bough_totals_propagate(api_of(req)->store, req->arena, s->id, &delta, &rows, err);
    if (rc)
        return rc;
    w = http_json(res, 200);
    jw_obj(w);
    jw_key(w, "items");
    jw_arr(w);
    for (size_t i = 0; i < rows.n; i++) {
        jw_obj(w);
        jw_kv_cstr(w, "session", rows.at[i].id);
        form_totals(w, "rolled", &rows.at[i].rolled);
        jw_end_obj(w);
    }
    jw_end_arr(w);
    jw_kv_bool(w, "truncated", rows.truncated);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- ancestors ---- */

static enum bough_rc lineage(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_sessions chain;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_tree_lineage(api_of(req)->store, req->arena, s->id, &chain, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < chain.n && auth_sees(api_of(req)->who, chain.at[i].project); i++) {
        api_hide_parent(req, &chain.at[i]);
        form_session(w, &chain.at[i]);
    }
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc root(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s, *up;
    char id[BOUGH_ID_LEN + 1];
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_session_root(api_of(req)->store, s->id, id, err);
    if (!rc)
        rc = api_session_named(req, id, &up, err);
    if (rc == BOUGH_NOT_FOUND)
        return bough_fail(err, rc, "the root of this session does not exist");
    if (rc)
        return rc;
    api_hide_parent(req, up);
    form_session(http_json(res, 200), up);
    return BOUGH_OK;
}

const struct http_route api_status_routes[] = {
    { "GET", "/api/v1/sessions/{id}/lineage", lineage, AUTH_READ,
      "List the session and its ancestors over subagent links, the session first.",
      .gives = "Sessions" },
    { "GET", "/api/v1/sessions/{id}/root", root, AUTH_READ, "Get the topmost ancestor.",
      .gives = "Session" },
    { "GET", "/api/v1/sessions/{id}/status", get_status, AUTH_READ,
      "Get the status and, while busy, the lease.", .gives = "Status" },
    { "PUT", "/api/v1/sessions/{id}/status", set_status, AUTH_APPEND,
      "Set the status: busy takes or renews a lease, idle releases it or unarchives, archived "
      "archives.",
      .takes = "StatusSet", .gives = "Status" },
    { "GET", "/api/v1/sessions/{id}/totals", get_totals, AUTH_READ,
      "Get the tokens and cost of a session.", .gives = "SessionTotals" },
    { "POST", "/api/v1/sessions/{id}/totals", add_totals, AUTH_APPEND,
      "Adjust the rolled-up totals of a session.", .takes = "TotalsDelta",
      .gives = "SessionTotals" },
    { "POST", "/api/v1/sessions/{id}/totals/propagate", propagate, AUTH_APPEND,
      "Adjust the rolled-up totals of a session and all its parents.", .takes = "TotalsDelta",
      .gives = "Propagated" },
    { 0 },
};
