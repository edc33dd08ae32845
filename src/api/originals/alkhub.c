/* alkhub's sessions: list with filters, create, change columns, and the status lifecycle. */
#include "api/originals/alkhub.h"
#include "api/kit/body.h"

#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* ---- shared ---- */

void alkhub_common(struct json_writer *w, const char *id, struct bough_str metadata,
                   int64_t created, int64_t updated)
{
    jw_kv_cstr(w, "id", id);
    jw_kv_raw(w, "metadata", metadata.n ? metadata : str_of("{}"));
    form_time(w, "createdAt", created);
    form_time(w, "updatedAt", updated);
}

/* ---- writing JSON ---- */

static const char *or_null(const char *text)
{
    return *text ? text : NULL;
}

static void put_session(struct http_req *req, struct json_writer *w, struct bough_session *s)
{
    api_hide_parent(req, s);
    jw_obj(w);
    alkhub_common(w, s->id, s->metadata, s->created, s->updated);
    jw_kv_cstr(w, "accountId", or_null(s->account));
    jw_kv_cstr(w, "projectId", s->project);
    jw_kv_cstr(w, "workspaceId", or_null(s->workspace));
    jw_kv_cstr(w, "parentId", or_null(s->parent));
    jw_kv_cstr(w, "slug", s->slug);
    jw_kv_cstr(w, "title", s->title);
    jw_kv_cstr(w, "status", bough_status_name(s->status));
    jw_kv_cstr(w, "version", s->version);
    jw_kv_cstr(w, "provider", or_null(s->provider_path));
    jw_kv_cstr(w, "roleName", or_null(s->role_name));
    jw_kv_raw(w, "data", s->data);
    jw_end_obj(w);
}

static enum bough_rc answer(struct http_req *req, struct http_res *res, const char *id, int status,
                            struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = bough_session_get(api_of(req)->store, req->arena, id, &s, err);

    if (!rc)
        put_session(req, http_json(res, status), s);
    return rc;
}

/* Like api_session(), but a deleted session is BOUGH_NOT_FOUND. */
static enum bough_rc session_of(struct http_req *req, struct bough_session **out,
                                struct bough_error *err)
{
    enum bough_rc rc = api_session(req, out, err);

    if (!rc && (*out)->deleted)
        return bough_fail(err, BOUGH_NOT_FOUND, "no session %.60s", http_param(req, "id"));
    return rc;
}

static enum bough_rc get(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = session_of(req, &s, err);

    if (!rc)
        put_session(req, http_json(res, 200), s);
    return rc;
}

/* ---- list ---- */

static enum bough_rc list_of(struct http_req *req, struct http_res *res,
                             struct bough_session_list_options *filter, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_sessions found;
    struct json_writer *w;
    struct api_page page;
    enum bough_rc rc = api_page(req, &page, err);

    if (rc)
        return rc;
    filter->limit = page.limit;
    filter->cursor = page.cursor;
    if (*call->who->project && !cstr_empty(filter->project) &&
        strcmp(filter->project, call->who->project) != 0) {
        api_items_end(api_items(res), NULL);
        return BOUGH_OK;
    }
    if (*call->who->project)
        filter->project = call->who->project;
    rc = bough_session_list(call->store, req->arena, filter, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++)
        put_session(req, w, &found.at[i]);
    api_items_end(w, found.next);
    return BOUGH_OK;
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_list_options filter = { .project = http_query(req, "projectId"),
                                                 .workspace = http_query(req, "workspaceId"),
                                                 .account = http_query(req, "accountId"),
                                                 .role_name = http_query(req, "roleName"),
                                                 .provider_path = http_query(req, "provider"),
                                                 .status = http_query(req, "status"),
                                                 .order = BOUGH_BY_CREATED };
    enum bough_rc rc = http_query_bool(req, "active", &filter.active, err);

    return rc ? rc : list_of(req, res, &filter, err);
}

static enum bough_rc children(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_list_options filter = { .order = BOUGH_BY_CREATED };
    struct bough_session *s;
    enum bough_rc rc = session_of(req, &s, err);

    if (rc)
        return rc;
    filter.parent = s->id;
    return list_of(req, res, &filter, err);
}

/* ---- create ---- */

static const struct api_member new_members[] = {
    { "accountId", API_TEXT, offsetof(struct bough_session_create_options, account) },
    { "projectId", API_TEXT, offsetof(struct bough_session_create_options, project) },
    { "workspaceId", API_TEXT, offsetof(struct bough_session_create_options, workspace) },
    { "parentId", API_TEXT, offsetof(struct bough_session_create_options, parent) },
    { "slug", API_TEXT, offsetof(struct bough_session_create_options, slug) },
    { "title", API_TEXT, offsetof(struct bough_session_create_options, title) },
    { "version", API_TEXT, offsetof(struct bough_session_create_options, version) },
    { "provider", API_TEXT, offsetof(struct bough_session_create_options, provider_path) },
    { "roleName", API_TEXT, offsetof(struct bough_session_create_options, role_name) },
    { "data", API_MAP, offsetof(struct bough_session_create_options, data) },
    { "metadata", API_MAP, offsetof(struct bough_session_create_options, metadata) },
    { 0 },
};

/* The caller must be able to see the parent, and a project is required (A2). */
static enum bough_rc check_new(struct http_req *req, struct bough_session_create_options *in,
                               struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct bough_session *parent;
    enum bough_rc rc;

    if (*call->who->project && cstr_empty(in->project))
        in->project = call->who->project;
    if (!auth_sees(call->who, in->project ? in->project : ""))
        return bough_fail(err, BOUGH_NOT_FOUND, "no project %.60s", in->project);
    in->require = BOUGH_REQUIRE_PROJECT;
    if (cstr_empty(in->title))
        return bough_fail(err, BOUGH_INVALID, "title is required");
    if (cstr_empty(in->parent))
        return BOUGH_OK;
    rc = bough_session_get(call->store, req->arena, in->parent, &parent, err);
    if (rc == BOUGH_NOT_FOUND || rc == BOUGH_GONE ||
        (!rc && !auth_sees(call->who, parent->project)))
        return bough_fail(err, BOUGH_NOT_FOUND, "no session %.60s", in->parent);
    in->kind = BOUGH_SUBAGENT;
    return rc;
}

static enum bough_rc create(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_create_options in = { 0 };
    struct bough_session *s;
    enum bough_rc rc = api_body(req, new_members, &in, err);

    if (!rc)
        rc = check_new(req, &in, err);
    if (!rc)
        rc = bough_session_create(api_of(req)->store, req->arena, &in, &s, err);
    if (!rc)
        put_session(req, http_json(res, 201), s);
    return rc;
}

/* ---- change ---- */

/* A7: idle and retry may become busy or archived; busy may become idle or retry; archived only
 * idle. */
static enum bough_rc change_status(struct http_req *req, const struct bough_session *s,
                                   const char *word, const char *owner, int64_t lease_ms,
                                   struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    int64_t epoch;

    if (strcmp(word, "archived") == 0)
        return bough_session_archive(store, s->id, err);
    if (s->status == BOUGH_STATUS_ARCHIVED && strcmp(word, "idle") == 0)
        return bough_session_unarchive(store, s->id, err);
    for (int i = BOUGH_STATUS_IDLE; i <= BOUGH_STATUS_RETRY; i++)
        if (strcmp(word, bough_status_name((enum bough_status)i)) == 0)
            return bough_session_status(store, s->id, (enum bough_status)i, owner, lease_ms, &epoch,
                                        err);
    return bough_fail(err, BOUGH_INVALID, "status must be idle, busy, retry or archived");
}

struct change {
    struct bough_session_update_options edit;
    const char *status, *owner;
    int64_t lease_ms;
};

static const struct api_member change_members[] = {
    { "accountId", API_TEXT, offsetof(struct change, edit.account) },
    { "workspaceId", API_TEXT, offsetof(struct change, edit.workspace) },
    { "title", API_TEXT, offsetof(struct change, edit.title) },
    { "version", API_TEXT, offsetof(struct change, edit.version) },
    { "provider", API_TEXT, offsetof(struct change, edit.provider_path) },
    { "roleName", API_TEXT, offsetof(struct change, edit.role_name) },
    { "data", API_MAP, offsetof(struct change, edit.data) },
    { "metadata", API_MAP, offsetof(struct change, edit.metadata) },
    { "status", API_TEXT, offsetof(struct change, status) },
    { "owner", API_TEXT, offsetof(struct change, owner) },
    { "leaseMs", API_LEASE, offsetof(struct change, lease_ms) },
    { 0 },
};

/* True when the request changes anything besides the status. */
static bool edits(const struct bough_session_update_options *e)
{
    return e->account || e->workspace || e->title || e->version || e->provider_path ||
           e->role_name || e->data.n || e->metadata.n;
}

static enum bough_rc patch(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct change c = { 0 };
    struct bough_session *s;
    enum bough_rc rc = session_of(req, &s, err);
    bool any;

    if (!rc)
        rc = api_body(req, change_members, &c, err);
    any = edits(&c.edit);
    if (!rc && any && c.status)
        return bough_fail(err, BOUGH_INVALID, "the status must be changed in a separate request");
    if (!rc && any && s->status == BOUGH_STATUS_ARCHIVED)
        return bough_fail(err, BOUGH_ARCHIVED, "session %s is archived and read-only", s->id);
    if (!rc && any)
        rc = bough_session_update(api_of(req)->store, s->id, &c.edit, err);
    if (!rc && c.status)
        rc = change_status(req, s, c.status, c.owner ? c.owner : api_of(req)->who->name, c.lease_ms,
                           err);
    return rc ? rc : answer(req, res, s->id, 200, err);
}

static enum bough_rc destroy(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_purge_result report;
    struct bough_session *s;
    enum bough_rc rc = session_of(req, &s, err);

    if (!rc)
        rc = bough_session_purge(api_of(req)->store, req->arena, s->id, &report, err);
    return api_done(res, rc);
}

static const struct http_field list_query[] = {
    { "projectId", HTTP_STRING, "Only sessions of this project." },
    { "workspaceId", HTTP_STRING, "Only sessions of this workspace." },
    { "accountId", HTTP_STRING, "Only sessions of this account." },
    { "roleName", HTTP_STRING, "Only sessions with this role." },
    { "provider", HTTP_STRING, "Only sessions with this execution path: direct, opencode." },
    { "status", HTTP_STRING,
      "Only sessions with one of these statuses, separated by blanks: `idle busy`." },
    { "active", HTTP_BOOLEAN, "Only sessions that are not archived." },
    API_PAGE_FIELDS,
    { 0 },
};

const struct http_route api_alkhub_routes[] = {
    { "GET", "/alkhub/v1/sessions", list, AUTH_READ, "alkhub: list sessions, newest first.",
      list_query, .gives = "AlkhubSessions" },
    { "POST", "/alkhub/v1/sessions", create, AUTH_APPEND, "alkhub: create a session.",
      .takes = "AlkhubSessionNew", .gives = "AlkhubSession", .status = 201 },
    { "GET", "/alkhub/v1/sessions/{id}", get, AUTH_READ, "alkhub: get a session by id or slug.",
      .gives = "AlkhubSession" },
    { "PATCH", "/alkhub/v1/sessions/{id}", patch, AUTH_APPEND,
      "alkhub: change columns, or the status. Archived sessions are read-only.",
      .takes = "AlkhubSessionEdit", .gives = "AlkhubSession" },
    { "DELETE", "/alkhub/v1/sessions/{id}", destroy, AUTH_DELETE,
      "alkhub: delete a session with its messages and parts. Child sessions are detached.",
      .status = 204 },
    { "GET", "/alkhub/v1/sessions/{id}/children", children, AUTH_READ,
      "alkhub: list the child sessions.", api_page_query, .gives = "AlkhubSessions" },
    { 0 },
};
