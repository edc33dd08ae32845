/* alkhub's sessions: the columns, the queries its indexes stand for, the status lifecycle. */
#include "api/alkhub.h"
#include "api/body.h"

#include <string.h>

#include "api/forms.h"
#include "base/arena.h"
#include "base/str.h"

/* ---- shared ---- */

void alkhub_common(struct json_writer *w, const char *id, struct bough_str metadata,
                   int64_t created, int64_t updated)
{
    jw_kv_cstr(w, "id", id);
    jw_kv_raw(w, "metadata", metadata.n ? metadata : str_of("{}"));
    form_time(w, "createdAt", created);
    form_time(w, "updatedAt", updated);
}

/* ---- out ---- */

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

/* A session that was deleted is not there. */
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

static enum bough_rc list_of(struct http_req *req, struct http_res *res, struct bough_list *filter,
                             struct bough_error *err)
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
    struct bough_list filter = { .project = http_query(req, "projectId"),
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
    struct bough_list filter = { .order = BOUGH_BY_CREATED };
    struct bough_session *s;
    enum bough_rc rc = session_of(req, &s, err);

    if (rc)
        return rc;
    filter.parent = s->id;
    return list_of(req, res, &filter, err);
}

/* ---- create ---- */

static const struct api_member new_members[] = {
    { "accountId", API_TEXT, offsetof(struct bough_session_new, account) },
    { "projectId", API_TEXT, offsetof(struct bough_session_new, project) },
    { "workspaceId", API_TEXT, offsetof(struct bough_session_new, workspace) },
    { "parentId", API_TEXT, offsetof(struct bough_session_new, parent) },
    { "slug", API_TEXT, offsetof(struct bough_session_new, slug) },
    { "title", API_TEXT, offsetof(struct bough_session_new, title) },
    { "version", API_TEXT, offsetof(struct bough_session_new, version) },
    { "provider", API_TEXT, offsetof(struct bough_session_new, provider_path) },
    { "roleName", API_TEXT, offsetof(struct bough_session_new, role_name) },
    { "data", API_MAP, offsetof(struct bough_session_new, data) },
    { "metadata", API_MAP, offsetof(struct bough_session_new, metadata) },
    { 0 },
};

/* The parent must be there for the caller, and a project is required (A2). */
static enum bough_rc check_new(struct http_req *req, struct bough_session_new *in,
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
        return bough_fail(err, BOUGH_INVALID, "a session has a title");
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
    struct bough_session_new in = { 0 };
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

/* A7: idle and retry become busy or archived, busy becomes idle or retry; archived only idle. */
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
    return bough_fail(err, BOUGH_INVALID, "status is idle, busy, retry or archived");
}

struct change {
    struct bough_session_edit edit;
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
    { "leaseMs", API_INT, offsetof(struct change, lease_ms) },
    { 0 },
};

/* Is anything but the status to change? */
static bool edits(const struct bough_session_edit *e)
{
    return e->account || e->workspace || e->title || e->version || e->provider_path ||
           e->role_name || e->data.n || e->metadata.n;
}

static enum bough_rc patch(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct change c = { .lease_ms = 60000 };
    struct bough_session *s;
    enum bough_rc rc = session_of(req, &s, err);
    bool any;

    if (!rc)
        rc = api_body(req, change_members, &c, err);
    any = edits(&c.edit);
    if (!rc && any && c.status)
        return bough_fail(err, BOUGH_INVALID, "change the status in a request of its own");
    if (!rc && any && s->status == BOUGH_STATUS_ARCHIVED)
        return bough_fail(err, BOUGH_ARCHIVED, "session %s is archived: it can only be read",
                          s->id);
    if (!rc && any)
        rc = bough_session_update(api_of(req)->store, s->id, &c.edit, err);
    if (!rc && c.status)
        rc = change_status(req, s, c.status, c.owner ? c.owner : api_of(req)->who->name, c.lease_ms,
                           err);
    return rc ? rc : answer(req, res, s->id, 200, err);
}

static enum bough_rc destroy(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_purge_report report;
    struct bough_session *s;
    enum bough_rc rc = session_of(req, &s, err);

    if (!rc)
        rc = bough_session_purge(api_of(req)->store, req->arena, s->id, &report, err);
    return api_done(res, rc);
}

static const struct http_field list_query[] = {
    { "projectId", HTTP_STRING, "Only of this project." },
    { "workspaceId", HTTP_STRING, "Only of this workspace." },
    { "accountId", HTTP_STRING, "Only of this account." },
    { "roleName", HTTP_STRING, "Only of this role." },
    { "provider", HTTP_STRING, "Only by this execution path: direct, opencode." },
    { "status", HTTP_STRING, "Only in one of these states, with blanks: `idle busy`." },
    { "active", HTTP_BOOLEAN, "Only what is not archived." },
    API_PAGE_FIELDS,
    { 0 },
};

const struct http_route api_alkhub_routes[] = {
    { "GET", "/alkhub/v1/sessions", list, AUTH_READ, "alkhub: sessions, newest first.", list_query,
      .gives = "AlkhubPage" },
    { "POST", "/alkhub/v1/sessions", create, AUTH_APPEND, "alkhub: a new session.",
      .takes = "AlkhubSessionNew", .gives = "AlkhubSession", .status = 201 },
    { "GET", "/alkhub/v1/sessions/{id}", get, AUTH_READ, "alkhub: a session, by id or slug.",
      .gives = "AlkhubSession" },
    { "PATCH", "/alkhub/v1/sessions/{id}", patch, AUTH_APPEND,
      "alkhub: change columns, or the status along its lifecycle; archived is read-only.",
      .takes = "AlkhubSessionEdit", .gives = "AlkhubSession" },
    { "DELETE", "/alkhub/v1/sessions/{id}", destroy, AUTH_DELETE,
      "alkhub: remove a session with its messages and parts; children are detached.",
      .status = 204 },
    { "GET", "/alkhub/v1/sessions/{id}/children", children, AUTH_READ,
      "alkhub: sessions whose parent it is.", api_page_query, .gives = "AlkhubPage" },
    { 0 },
};
