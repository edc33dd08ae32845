/* Sessions: list, create, read, change, fork, delete. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/hash/crc32c.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* ---- answers ---- */

/* rev alone is not enough: totals of subagents and an expired lease change the answer,
 * but not rev. */
#define TAG_OF(s)                                                                                  \
    "%lld.%d.%x", (long long)(s)->rev, (int)(s)->status,                                           \
        (unsigned)crc32c(0, &(s)->rolled, sizeof(s)->rolled)

static void put_session(struct http_req *req, struct http_res *res, int status,
                        struct bough_session *s)
{
    http_etag(res, TAG_OF(s));
    api_hide_parent(req, s);
    form_session(http_json(res, status), s);
}

/* Answer with the session as it is after a change. */
static enum bough_rc answer(struct http_req *req, struct http_res *res, const char *id,
                            struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = bough_session_get(api_of(req)->store, req->arena, id, &s, err);

    if (!rc)
        put_session(req, res, 200, s);
    return rc;
}

/* ---- list ---- */

/* The i-th of a NULL-terminated list. */
static const char *kind_words(size_t i)
{
    static const char *const words[] = { "primary", "subagent", NULL };

    return http_word(words, i);
}

static const char *deleted_words(size_t i)
{
    static const char *const words[] = { "also", "only", NULL };

    return http_word(words, i);
}

static const char *order_words(size_t i)
{
    static const char *const words[] = { "created", "updated", "modified", "cost", NULL };

    return http_word(words, i);
}

static const char *state_words(size_t i)
{
    return i < BOUGH_OUTCOME_LAST ? bough_outcome_name((enum bough_outcome)(i + 1)) : NULL;
}

static const struct http_field list_query[] = {
    { "project", HTTP_STRING, "Only sessions of this project." },
    { "workspace", HTTP_STRING, "Only sessions of this workspace." },
    { "account", HTTP_STRING, "Only sessions of this account." },
    { "parent", HTTP_STRING, "Only forks and subagents of this session." },
    { "kind", HTTP_STRING, "Only sessions of this kind.", kind_words },
    { "roots", HTTP_BOOLEAN, "Only sessions without a parent." },
    { "status", HTTP_STRING,
      "Only sessions with one of these statuses, separated by blanks: idle busy retry archived." },
    { "active", HTTP_BOOLEAN, "Only sessions that are not archived." },
    { "archived", HTTP_BOOLEAN, "Only archived sessions." },
    { "role_name", HTTP_STRING, "Only sessions with this role." },
    { "provider_path", HTTP_STRING, "Only sessions with this provider path." },
    { "model_provider", HTTP_STRING, "Only sessions with this provider." },
    { "model_name", HTTP_STRING,
      "Only sessions with this model, or whose last call this model answered." },
    { "errors", HTTP_BOOLEAN, "Only sessions with errors: failed messages, failed tools." },
    { "last_state", HTTP_STRING, "Only sessions whose last message has this state.", state_words },
    { "min_cost_usd", HTTP_STRING, "Only sessions that cost at least this, with subagents." },
    { "created_from", HTTP_STRING, "Only sessions created at this time or later." },
    { "created_to", HTTP_STRING, "Only sessions created before this time." },
    { "updated_from", HTTP_STRING, "Only sessions updated at this time or later." },
    { "updated_to", HTTP_STRING, "Only sessions updated before this time." },
    { "deleted", HTTP_STRING, "also: include deleted sessions; only: list nothing else.",
      deleted_words },
    { "query", HTTP_STRING,
      "Text that the slug, title, directory or first user message contains." },
    { "order", HTTP_STRING,
      "What to order by: a time, newest first, or the cost, highest first (default: created).",
      order_words },
    { "count", HTTP_BOOLEAN,
      "Count all sessions that match: `total`, or `total_at_least` when it is given up after "
      "100,000." },
    API_PAGE_FIELDS,
    { 0 },
};

/* The index of the word, from 1; 0 when the query lacks it. */
static enum bough_rc one_of(const struct http_req *req, const char *name,
                            const char *(*words)(size_t i), int *out, struct bough_error *err)
{
    const char *value = http_query(req, name);

    for (*out = 0; value && words((size_t)*out); ++*out)
        if (strcmp(words((size_t)*out), value) == 0)
            break;
    if (value && !words((size_t)*out))
        return bough_fail(err, BOUGH_INVALID, "invalid %s: %.60s", name, value);
    *out += value != NULL;
    return BOUGH_OK;
}

static enum bough_rc read_words(const struct http_req *req, struct bough_session_list_options *f,
                                struct bough_error *err)
{
    int kind, del, order, state;
    enum bough_rc rc = one_of(req, "kind", kind_words, &kind, err);

    if (!rc)
        rc = one_of(req, "deleted", deleted_words, &del, err);
    if (!rc)
        rc = one_of(req, "order", order_words, &order, err);
    if (!rc)
        rc = one_of(req, "last_state", state_words, &state, err);
    if (rc)
        return rc;
    f->last_state = (enum bough_outcome)state;
    f->kinds = kind == 1 ? BOUGH_KINDS_PRIMARY : kind == 2 ? BOUGH_KINDS_SUBAGENT : BOUGH_KINDS_ALL;
    f->include_deleted = del > 0;
    f->only_deleted = del == 2;
    f->order = order ? (enum bough_session_order)(order - 1) : BOUGH_BY_CREATED;
    return BOUGH_OK;
}

static enum bough_rc read_usd(const struct http_req *req, const char *name, int64_t *nano,
                              struct bough_error *err)
{
    const char *text = http_query(req, name);
    struct json number;
    double usd;

    if (!text)
        return BOUGH_OK;
    if (json_parse(req->arena, str_of(text), &number, NULL) || !json_f64(number, &usd) || usd < 0)
        return bough_fail(err, BOUGH_INVALID, "%s must be a number of USD, not below 0", name);
    return bough_money_from_usd(usd, nano, err);
}

static enum bough_rc read_filter(struct http_req *req, struct bough_session_list_options *f,
                                 struct bough_error *err)
{
    const struct {
        const char *name;
        const char **to;
    } texts[] = {
        { "project", &f->project },
        { "workspace", &f->workspace },
        { "account", &f->account },
        { "parent", &f->parent },
        { "status", &f->status },
        { "role_name", &f->role_name },
        { "provider_path", &f->provider_path },
        { "model_provider", &f->model_provider },
        { "model_name", &f->model_name },
        { "query", &f->query },
    };
    const struct {
        const char *name;
        int64_t *to;
    } times[] = {
        { "created_from", &f->created_from },
        { "created_to", &f->created_to },
        { "updated_from", &f->updated_from },
        { "updated_to", &f->updated_to },
    };
    enum bough_rc rc = read_words(req, f, err);

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        *texts[i].to = http_query(req, texts[i].name);
    for (size_t i = 0; !rc && i < sizeof times / sizeof *times; i++)
        rc = api_query_time(req, times[i].name, times[i].to, err);
    if (!rc)
        rc = http_query_bool(req, "roots", &f->roots, err);
    if (!rc)
        rc = http_query_bool(req, "active", &f->active, err);
    if (!rc)
        rc = http_query_bool(req, "errors", &f->errors, err);
    if (!rc)
        rc = http_query_bool(req, "count", &f->count, err);
    if (!rc)
        rc = read_usd(req, "min_cost_usd", &f->cost_from, err);
    return rc ? rc : http_query_bool(req, "archived", &f->archived, err);
}

static enum bough_rc give_list(struct http_req *req, struct http_res *res,
                               struct bough_session_list_options *f, struct bough_error *err)
{
    const struct auth_who *who = api_of(req)->who;
    struct bough_sessions found = { 0 };
    struct api_page page;
    struct json_writer *w;
    enum bough_rc rc = api_page(req, &page, err);
    bool theirs = !f->project || auth_sees(who, f->project);

    f->limit = page.limit;
    f->cursor = page.cursor;
    if (*who->project)
        f->project = who->project;
    if (!rc && theirs)
        rc = bough_session_list(api_of(req)->store, req->arena, f, &found, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < found.n; i++) {
        api_hide_parent(req, &found.at[i]);
        form_session(w, &found.at[i]);
    }
    jw_end_arr(w);
    jw_kv_cstr(w, "next", cstr_empty(found.next) ? NULL : found.next);
    if (f->count)
        jw_kv_i64(w, found.total_at_least ? "total_at_least" : "total", found.total);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_list_options f = { 0 };
    struct bough_session *parent;
    enum bough_rc rc = read_filter(req, &f, err);

    if (!rc && f.parent) {
        rc = api_session_named(req, f.parent, &parent, err);
        if (!rc)
            f.parent = parent->id;
    }
    return rc ? rc : give_list(req, res, &f, err);
}

static enum bough_rc children(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_list_options f = { 0 };
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (rc)
        return rc;
    f.parent = s->id;
    return give_list(req, res, &f, err);
}

/* ---- create and read ---- */

struct created {
    struct bough_session_create_options in;
    const char *kind, *totals_mode;
    struct json require;
};

#define NEW(field) offsetof(struct created, in.field)

static const struct api_member new_members[] = {
    { "id", API_TEXT, NEW(id) },
    { "kind", API_TEXT, offsetof(struct created, kind) },
    { "parent", API_TEXT, NEW(parent) },
    { "fork_entry", API_TEXT, NEW(fork_entry) },
    { "parent_tool_use_id", API_TEXT, NEW(parent_tool_use_id) },
    { "title", API_TEXT, NEW(title) },
    { "slug", API_TEXT, NEW(slug) },
    { "project", API_TEXT, NEW(project) },
    { "workspace", API_TEXT, NEW(workspace) },
    { "account", API_TEXT, NEW(account) },
    { "provider_path", API_TEXT, NEW(provider_path) },
    { "role_name", API_TEXT, NEW(role_name) },
    { "model_provider", API_TEXT, NEW(model_provider) },
    { "model_name", API_TEXT, NEW(model_name) },
    { "system_prompt", API_TEXT, NEW(system_prompt) },
    { "user_name", API_TEXT, NEW(user_name) },
    { "version", API_TEXT, NEW(version) },
    { "data", API_RAW, NEW(data) },
    { "metadata", API_RAW, NEW(metadata) },
    { "totals_mode", API_TEXT, offsetof(struct created, totals_mode) },
    { "created", API_WHEN, NEW(created) },
    { "require", API_LIST, offsetof(struct created, require) },
    { 0 },
};

static enum bough_rc read_new_words(struct created *c, struct bough_error *err)
{
    struct json_iter it = json_iter(c->require);

    if (c->kind && strcmp(c->kind, "primary") != 0 && strcmp(c->kind, "subagent") != 0)
        return bough_fail(err, BOUGH_INVALID, "kind must be primary or subagent");
    c->in.kind = c->kind && *c->kind == 's' ? BOUGH_SUBAGENT : BOUGH_PRIMARY;
    if (c->totals_mode && strcmp(c->totals_mode, "auto") != 0 &&
        strcmp(c->totals_mode, "manual") != 0)
        return bough_fail(err, BOUGH_INVALID, "totals_mode must be auto or manual");
    c->in.totals_mode =
        c->totals_mode && *c->totals_mode == 'm' ? BOUGH_TOTALS_MANUAL : BOUGH_TOTALS_AUTO;
    while (json_next(&it)) {
        if (json_is(it.value, "project"))
            c->in.require |= BOUGH_REQUIRE_PROJECT;
        else if (json_is(it.value, "model"))
            c->in.require |= BOUGH_REQUIRE_MODEL;
        else
            return bough_fail(err, BOUGH_INVALID, "require may only contain project and model");
    }
    return BOUGH_OK;
}

/* The slug of a session that the caller cannot see must not show by an error: the new session gets
 * another one. */
static enum bough_rc create_one(struct http_req *req, struct bough_session_create_options *in,
                                struct bough_session **made, struct bough_error *err)
{
    struct bough_store *store = api_of(req)->store;
    struct bough_session *s;

    if (!cstr_empty(in->slug) && *api_of(req)->who->project &&
        bough_session_get(store, req->arena, in->slug, &s, NULL) == BOUGH_OK &&
        !auth_sees(api_of(req)->who, s->project))
        in->slug = NULL;
    return bough_session_create(store, req->arena, in, made, err);
}

static enum bough_rc create(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const struct api_call *call = api_of(req);
    struct created c = { .in.key = call->key };
    struct bough_session *parent, *made;
    enum bough_rc rc = api_body(req, new_members, &c, err);

    if (!rc)
        rc = read_new_words(&c, err);
    if (!rc && !cstr_empty(c.in.fork_entry) && !(call->who->scopes & AUTH_FORK))
        rc = http_refuse(res, 403, "scope", "creating a fork requires the scope fork");
    if (!rc)
        rc = api_own_project(req, res, &c.in.project);
    if (!rc && !cstr_empty(c.in.parent)) {
        rc = api_session_named(req, c.in.parent, &parent, err);
        if (!rc)
            c.in.parent = parent->id;
        if (!rc && !cstr_empty(c.in.fork_entry))
            rc = api_entry_id(req, parent->id, &c.in.fork_entry, err);
    }
    if (!rc)
        rc = create_one(req, &c.in, &made, err);
    if (rc)
        return rc;
    http_setf(res, "Location", "/api/v1/sessions/%s", made->id);
    put_session(req, res, 201, made);
    return BOUGH_OK;
}

static enum bough_rc get_one(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        put_session(req, res, 200, s);
    return rc;
}

static enum bough_rc latest(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *project = http_query(req, "project");
    struct bough_session *s;
    enum bough_rc rc = api_own_project(req, res, &project);

    if (!rc && !project)
        rc = bough_fail(err, BOUGH_INVALID, "project is required");
    if (!rc)
        rc = bough_session_continue(api_of(req)->store, req->arena, project, &s, err);
    if (!rc)
        put_session(req, res, 200, s);
    return rc;
}

/* ---- change ---- */

#define EDIT(field) offsetof(struct bough_session_update_options, field)

static const struct api_member edit_members[] = {
    { "title", API_TEXT, EDIT(title), true },
    { "project", API_TEXT, EDIT(project), true },
    { "workspace", API_TEXT, EDIT(workspace), true },
    { "account", API_TEXT, EDIT(account), true },
    { "provider_path", API_TEXT, EDIT(provider_path), true },
    { "role_name", API_TEXT, EDIT(role_name), true },
    { "model_provider", API_TEXT, EDIT(model_provider), true },
    { "model_name", API_TEXT, EDIT(model_name), true },
    { "system_prompt", API_TEXT, EDIT(system_prompt), true },
    { "user_name", API_TEXT, EDIT(user_name), true },
    { "version", API_TEXT, EDIT(version), true },
    { "data", API_RAW, EDIT(data), true },
    { "metadata", API_RAW, EDIT(metadata), true },
    { 0 },
};

static enum bough_rc patch(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_update_options edit = { 0 };
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);
    bool matched;

    if (!rc)
        rc = api_body(req, edit_members, &edit, err);
    if (!rc && edit.project)
        rc = api_own_project(req, res, &edit.project);
    if (rc)
        return rc;
    matched = api_match_begin(req);
    if (matched)
        rc = api_session(req, &s, err); /* read again under the lock */
    if (!rc && matched)
        rc = http_if_match(req, res, arena_printf(req->arena, TAG_OF(s)), err);
    if (!rc)
        rc = bough_session_update(api_of(req)->store, s->id, &edit, err);
    api_match_end(req, matched);
    return rc ? rc : answer(req, res, s->id, err);
}

/* An operation that takes only a session. */
typedef enum bough_rc plain_op(struct bough_store *s, const char *id, struct bough_error *err);

static enum bough_rc plain(struct http_req *req, struct http_res *res, plain_op *op,
                           struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = op(api_of(req)->store, s->id, err);
    return rc ? rc : answer(req, res, s->id, err);
}

static enum bough_rc clear(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return plain(req, res, bough_session_clear, err);
}

static enum bough_rc restore(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return plain(req, res, bough_session_restore, err);
}

static enum bough_rc del(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    return plain(req, res, bough_session_delete, err);
}

/* ---- fork and purge ---- */

static const struct api_member fork_members[] = {
    { "entry", API_TEXT, offsetof(struct bough_session_fork_options, entry) },
    { "before", API_FLAG, offsetof(struct bough_session_fork_options, before) },
    { "copy", API_FLAG, offsetof(struct bough_session_fork_options, copy) },
    { "id", API_TEXT, offsetof(struct bough_session_fork_options, id) },
    { "title", API_TEXT, offsetof(struct bough_session_fork_options, title) },
    { "model_provider", API_TEXT, offsetof(struct bough_session_fork_options, model_provider) },
    { "model_name", API_TEXT, offsetof(struct bough_session_fork_options, model_name) },
    { 0 },
};

static enum bough_rc fork_session(struct http_req *req, struct http_res *res,
                                  struct bough_error *err)
{
    struct bough_session_fork_options how = { .key = api_of(req)->key };
    struct bough_session *s, *made;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = api_body(req, fork_members, &how, err);
    if (!rc)
        rc = api_entry_id(req, s->id, &how.entry, err);
    if (!rc)
        rc = bough_session_fork(api_of(req)->store, req->arena, s->id, &how, &made, err);
    if (rc)
        return rc;
    http_setf(res, "Location", "/api/v1/sessions/%s", made->id);
    put_session(req, res, 201, made);
    return BOUGH_OK;
}

static size_t concerns_seen(struct http_req *req, struct bough_purge_concern *at, size_t n)
{
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (auth_sees(api_of(req)->who, at[i].session->project))
            at[kept++] = at[i];
    return kept;
}

/* Drop the ids of sessions the caller cannot see; returns how many are left. */
static size_t seen_only(struct http_req *req, const char **ids, size_t n)
{
    struct bough_session *s;
    size_t kept = 0;

    for (size_t i = 0; i < n; i++)
        if (!*api_of(req)->who->project || !api_session_named(req, ids[i], &s, NULL))
            ids[kept++] = ids[i];
    return kept;
}

static enum bough_rc purge_preview(struct http_req *req, struct http_res *res,
                                   struct bough_error *err)
{
    struct bough_session_purge_preview_result r;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_session_purge_preview(api_of(req)->store, req->arena, s->id, &r, err);
    if (rc)
        return rc;
    r.nkeepers = concerns_seen(req, r.keepers, r.nkeepers);
    r.ndetached = concerns_seen(req, r.detached, r.ndetached);
    if (*r.cost_to && *api_of(req)->who->project && api_session_named(req, r.cost_to, &s, NULL))
        r.cost_to = "";
    form_purge_preview(http_json(res, 200), http_param(req, "id"), &r);
    return BOUGH_OK;
}

static enum bough_rc purge(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_session_purge_result r;
    struct bough_session *s;
    enum bough_rc rc = api_session(req, &s, err);

    if (!rc)
        rc = bough_session_purge(api_of(req)->store, req->arena, s->id, &r, err);
    if (rc)
        return rc;
    r.nkeepers = seen_only(req, r.keepers, r.nkeepers);
    r.ndetached = seen_only(req, r.detached, r.ndetached);
    form_purged(http_json(res, 200), s->id, &r);
    return BOUGH_OK;
}

static const struct http_field latest_query[] = {
    { "project", HTTP_STRING, "The project. Optional for a token bound to one project." },
    { 0 },
};

const struct http_route api_session_routes[] = {
    { "GET", "/api/v1/sessions", list, AUTH_READ, "List sessions, newest first.", list_query,
      .gives = "Sessions" },
    { "POST", "/api/v1/sessions", create, AUTH_APPEND, "Create a session, a subagent or a fork.",
      .takes = "SessionNew", .gives = "Session", .status = 201,
      .flags = HTTP_KEYED | HTTP_BODY_OPTIONAL | HTTP_TAGS | HTTP_LOCATES },
    { "GET", "/api/v1/continue", latest, AUTH_READ,
      "Get the most recently modified session of a project that is not deleted.", latest_query,
      .gives = "Session", .flags = HTTP_TAGS },
    { "GET", "/api/v1/sessions/{id}", get_one, AUTH_READ, "Get a session with its totals.",
      .gives = "Session", .flags = HTTP_TAGS },
    { "PATCH", "/api/v1/sessions/{id}", patch, AUTH_APPEND,
      "Change the given fields; null or an empty string clears a field.", .takes = "SessionEdit",
      .gives = "Session", .flags = HTTP_MATCHES | HTTP_TAGS },
    { "DELETE", "/api/v1/sessions/{id}", del, AUTH_DELETE,
      "Delete a session: hide it from lists and search. It can be restored.", .gives = "Session",
      .flags = HTTP_TAGS },
    { "GET", "/api/v1/sessions/{id}/children", children, AUTH_READ,
      "List the forks and subagents of a session, newest first.", api_page_query,
      .gives = "Sessions" },
    { "POST", "/api/v1/sessions/{id}/clear", clear, AUTH_APPEND,
      "Reset the head, as DELETE of the head does, and answer with the session.",
      .gives = "Session", .flags = HTTP_TAGS },
    { "POST", "/api/v1/sessions/{id}/fork", fork_session, AUTH_FORK,
      "Fork: create a session that shares the history up to an entry.", .takes = "Fork",
      .gives = "Session", .status = 201,
      .flags = HTTP_KEYED | HTTP_BODY_OPTIONAL | HTTP_TAGS | HTTP_LOCATES },
    { "GET", "/api/v1/sessions/{id}/purge", purge_preview, AUTH_DELETE,
      "Get what a purge would remove and keep, without doing it.", .gives = "PurgePreview" },
    { "POST", "/api/v1/sessions/{id}/purge", purge, AUTH_DELETE,
      "Permanently remove a session. Entries that forks show are kept.", .gives = "Purged",
      .flags = HTTP_LONG },
    { "POST", "/api/v1/sessions/{id}/restore", restore, AUTH_DELETE, "Restore a deleted session.",
      .gives = "Session", .flags = HTTP_TAGS },
    { 0 },
};
