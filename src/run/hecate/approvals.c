/* Approvals and grants of agent chats. A rejected approval is shown as denied. */
#include <string.h>

#include "api/kit/body.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/hecate/hecate.h"
#include "run/kit/grant.h"

enum { FIELDS_MOST = 64 * 1024 };

/* ---- words ---- */

const char *hecate_scope_name(enum bough_approval_scope scope)
{
    static const char *const names[] = { "once", "session", "workspace_tool", "adapter_tool" };

    return names[scope];
}

static bool scope_parse(const char *word, enum bough_approval_scope *out)
{
    for (int i = 0; i <= BOUGH_SCOPE_LAST; i++)
        if (strcmp(word, hecate_scope_name((enum bough_approval_scope)i)) == 0) {
            *out = (enum bough_approval_scope)i;
            return true;
        }
    return false;
}

const char *hecate_approval_status(enum bough_approval_status status)
{
    return status == BOUGH_APPROVAL_REJECTED ? "denied" : bough_approval_status_name(status);
}

const char *hecate_approval_path(enum bough_approval_path path)
{
    static const char *const names[] = { "",        "operator",         "grant", "default_mode",
                                         "timeout", "request_cancelled" };

    return names[path];
}

/* Of an agent its kind of tool, else the words of the tool's name. */
const char *hecate_tool_kind(const char *kind, const char *tool)
{
    static const struct {
        const char *word, *kind;
    } words[] = {
        { "execute", "shell_exec" }, { "shell", "shell_exec" }, { "edit", "file_write" },
        { "write", "file_write" },   { "read", "file_read" },   { "list", "file_read" },
        { "fetch", "network" },      { "http", "network" },     { "move", "file_move" },
        { "delete", "file_delete" }, { "search", "search" },    { "think", "think" },
    };

    for (size_t i = 0; !cstr_empty(kind) && i < sizeof words / sizeof *words; i++)
        if (strcmp(kind, words[i].word) == 0)
            return words[i].kind;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(tool, words[i].word))
            return words[i].kind;
    return "other";
}

/* ---- JSON ---- */

static void put_option(struct json_writer *w, struct bough_arena *a, struct json option)
{
    const char *id = json_cstr(a, option, "optionId");

    jw_obj(w);
    jw_kv_cstr(w, "option_id", id ? id : json_cstr(a, option, "id"));
    jw_kv_cstr(w, "kind", json_cstr(a, option, "kind"));
    jw_kv_cstr(w, "name", json_cstr(a, option, "name"));
    jw_end_obj(w);
}

static void put_options(struct json_writer *w, struct bough_arena *a, const char *key,
                        struct bough_str options)
{
    struct json_iter it;
    struct json list;

    jw_key(w, key);
    jw_arr(w);
    if (options.n && json_parse(a, options, &list, NULL) == BOUGH_OK) {
        it = json_iter(list);
        while (json_next(&it))
            put_option(w, a, it.value);
    }
    jw_end_arr(w);
}

void hecate_put_scopes(struct json_writer *w, const struct bough_run *run)
{
    jw_key(w, "scope_choices");
    jw_arr(w);
    for (int i = 0; i <= BOUGH_SCOPE_LAST; i++)
        if (i != BOUGH_SCOPE_WORKSPACE || (run && *run->workspace))
            jw_cstr(w, hecate_scope_name((enum bough_approval_scope)i));
    jw_end_arr(w);
}

static bool is_decided(const struct bough_approval *x)
{
    return x->status == BOUGH_APPROVAL_APPROVED || x->status == BOUGH_APPROVAL_REJECTED;
}

void hecate_put_approval(struct json_writer *w, struct bough_arena *a,
                         const struct bough_approval *x, const struct bough_run *run)
{
    jw_obj(w);
    hecate_id(w, "id", HECATE_APPROVAL, x->id);
    hecate_id(w, "session_id", HECATE_CHAT, x->session);
    jw_kv_cstr(w, "adapter_id", run && *run->adapter ? run->adapter : "hecate");
    jw_opt_cstr(w, "workspace", run ? run->workspace : "");
    jw_kv_cstr(w, "tool_kind", hecate_tool_kind(x->kind, x->tool));
    jw_kv_cstr(w, "tool_name", *x->title ? x->title : x->tool);
    jw_kv_cstr(w, "status", hecate_approval_status(x->status));
    put_options(w, a, "acp_options", x->options);
    hecate_put_scopes(w, run);
    jw_opt_cstr(w, "selected_option", x->option);
    if (is_decided(x)) {
        jw_kv_cstr(w, "scope", hecate_scope_name(x->scope));
        jw_kv_cstr(w, "decision", x->status == BOUGH_APPROVAL_APPROVED ? "approve" : "deny");
    }
    jw_opt_cstr(w, "path", hecate_approval_path(x->path));
    jw_opt_cstr(w, "decision_note", x->note);
    hecate_time(w, "created_at", x->created);
    hecate_time(w, "resolved_at", x->settled);
    hecate_time(w, "expires_at", x->expires);
    jw_end_obj(w);
}

static enum bough_rc answer(struct http_req *req, struct http_res *res,
                            const struct bough_approval *x, struct bough_error *err)
{
    struct bough_run *run;
    struct json_writer *w;
    enum bough_rc rc = bough_run_get(api_of(req)->store, req->arena, x->run, &run, err);

    if (rc)
        return rc;
    w = hecate_begin(res, "agent_chat_approval");
    hecate_put_approval(w, req->arena, x, run);
    jw_end_obj(w);
    return BOUGH_OK;
}

/* ---- reading ---- */

static enum bough_rc find(struct http_req *req, struct bough_approval **out,
                          struct bough_error *err)
{
    const char *id = hecate_id_read(HECATE_APPROVAL, http_param(req, "approval"));
    struct bough_session *s;
    enum bough_rc rc = hecate_chat_session(req, &s, err);

    if (rc)
        return rc;
    rc = bough_approval_get(api_of(req)->store, req->arena, id, out, err);
    if (rc == BOUGH_INVALID || (!rc && strcmp((*out)->session, s->id) != 0))
        rc = BOUGH_NOT_FOUND;
    return rc == BOUGH_NOT_FOUND ? bough_fail(err, rc, "no approval %.60s in this chat", id) : rc;
}

static const struct bough_run *run_of(const struct bough_runs *runs, const char *id)
{
    for (size_t i = 0; i < runs->n; i++)
        if (strcmp(runs->at[i].id, id) == 0)
            return &runs->at[i];
    return NULL;
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *status = http_query(req, "status");
    struct bough_approval_list_options of = { .limit = HECATE_RUNS_MAX };
    struct bough_run_list_options all = { .limit = HECATE_RUNS_MAX };
    struct bough_approvals found;
    struct bough_session *s;
    struct bough_runs runs;
    struct json_writer *w;
    enum bough_rc rc = hecate_chat_session(req, &s, err);

    all.session = of.session = rc ? NULL : s->id;
    if (!rc)
        rc = bough_run_list(api_of(req)->store, req->arena, &all, &runs, err);
    of.status = cstr_eq(status, "denied") ? "rejected" : status;
    if (!rc)
        rc = bough_approval_list(api_of(req)->store, req->arena, &of, &found, err);
    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "list");
    jw_arr(w);
    for (size_t i = found.n; i--;) /* oldest first */
        hecate_put_approval(w, req->arena, &found.at[i], run_of(&runs, found.at[i].run));
    jw_end_arr(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc get(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_approval *x;
    enum bough_rc rc = find(req, &x, err);

    if (!rc)
        rc = answer(req, res, x, err);
    return hecate_done(res, rc, err);
}

/* ---- settling ---- */

struct decision {
    const char *decision, *scope, *option, *note;
};

/* 409 with the options to choose from. */
static enum bough_rc refuse_options(struct http_req *req, struct http_res *res,
                                    const struct bough_approval *x, const char *why)
{
    struct json_writer w;
    struct buf b;
    enum bough_rc rc;

    buf_init(&b, FIELDS_MOST);
    jw_init(&w, &b);
    jw_obj(&w);
    put_options(&w, req->arena, "options", x->options);
    jw_end_obj(&w);
    rc = hecate_refuse(res, 409, "conflict", buf_str(&b), "%s: name one as selected_option", why);
    buf_finish(&b);
    return rc;
}

static const char *id_of(struct bough_arena *a, struct json option)
{
    const char *id = json_cstr(a, option, "optionId");

    id = id ? id : json_cstr(a, option, "id");
    return id ? id : "";
}

static bool begins_with(const char *text, const char *word)
{
    return text && strncmp(text, word, strlen(word)) == 0;
}

/*
 * The option that fits the decision. Without a choice it is the one that holds for this once:
 * grants are ours, so an agent is not told to allow something for ever unless a person chose that.
 */
static enum bough_rc find_option(struct http_req *req, struct http_res *res,
                                 const struct bough_approval *x, const struct decision *in,
                                 bool allow, const char **out)
{
    const char *once = allow ? "allow_once" : "reject_once";
    const char *word = allow ? "allow" : "reject";
    struct json_iter it;
    struct json list;
    size_t fits = 0;

    *out = in->option;
    if (!x->options.n || json_parse(req->arena, x->options, &list, NULL) || !json_count(list))
        return cstr_empty(in->option)
                   ? BOUGH_OK
                   : http_refuse(res, 400, "invalid_request", "this approval has no options");
    it = json_iter(list);
    while (json_next(&it)) {
        const char *kind = json_cstr(req->arena, it.value, "kind");

        if (!cstr_empty(in->option)) {
            if (strcmp(id_of(req->arena, it.value), in->option) == 0)
                return begins_with(kind, word)
                           ? BOUGH_OK
                           : http_refuse(res, 400, "invalid_request",
                                         "the option %.80s says the opposite", in->option);
        } else if (cstr_eq(kind, once)) {
            *out = id_of(req->arena, it.value);
            fits++;
        }
    }
    if (!cstr_empty(in->option))
        return http_refuse(res, 400, "invalid_request", "there is no option %.80s", in->option);
    if (fits > 1)
        return refuse_options(req, res, x, "several options fit");
    return fits || !allow ? BOUGH_OK : refuse_options(req, res, x, "no option fits");
}

static enum bough_rc read_decision(struct http_req *req, struct http_res *res,
                                   const struct bough_approval *x,
                                   struct bough_approval_resolve_options *out,
                                   struct bough_error *err)
{
    static const struct api_member members[] = {
        { "decision", API_TEXT, offsetof(struct decision, decision) },
        { "scope", API_TEXT, offsetof(struct decision, scope) },
        { "selected_option", API_TEXT, offsetof(struct decision, option) },
        { "note", API_TEXT, offsetof(struct decision, note) },
        { 0 },
    };
    struct decision in = { 0 };
    enum bough_rc rc = api_body(req, members, &in, err);
    bool allow = cstr_eq(in.decision, "approve");

    if (rc)
        return rc;
    if (!allow && !cstr_eq(in.decision, "deny"))
        return bough_fail(err, BOUGH_INVALID, "decision must be approve or deny");
    if (!cstr_empty(in.scope) && !scope_parse(in.scope, &out->scope))
        return bough_fail(err, BOUGH_INVALID,
                          "scope must be once, session, workspace_tool or adapter_tool");
    out->status = allow ? BOUGH_APPROVAL_APPROVED : BOUGH_APPROVAL_REJECTED;
    out->scope = allow ? out->scope : BOUGH_SCOPE_ONCE;
    out->note = in.note;
    return x->status == BOUGH_APPROVAL_PENDING ? find_option(req, res, x, &in, allow, &out->option)
                                               : BOUGH_OK;
}

static enum bough_rc settle(struct http_req *req, struct http_res *res, struct bough_approval *x,
                            const struct bough_approval_resolve_options *how,
                            struct bough_error *err)
{
    enum bough_rc rc = bough_approval_resolve(api_of(req)->store, req->arena, x->id, how, &x, err);

    return rc ? rc : answer(req, res, x, err);
}

static enum bough_rc resolve(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_approval_resolve_options how = { 0 };
    struct bough_approval *x;
    enum bough_rc rc = find(req, &x, err);

    if (!rc)
        rc = read_decision(req, res, x, &how, err);
    if (!rc)
        rc = grant_check(req, how.scope, err);
    if (!rc)
        rc = settle(req, res, x, &how, err);
    return hecate_done(res, rc, err);
}

static enum bough_rc cancel(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_approval_resolve_options how = { .status = BOUGH_APPROVAL_CANCELLED };
    struct bough_approval *x;
    enum bough_rc rc = find(req, &x, err);

    if (!rc)
        rc = settle(req, res, x, &how, err);
    return hecate_done(res, rc, err);
}

/* ---- grants ---- */

/* Whose tool it is: what is before the slash names an agent or a tool server. */
static const char *adapter_of(struct bough_arena *a, const struct bough_grant *g)
{
    return arena_strndup(a, g->tool, strcspn(g->tool, "/"));
}

static const char *kind_of(const struct bough_grant *g)
{
    const char *slash = strchr(g->tool, '/');

    return hecate_tool_kind(slash ? slash + 1 : "", g->tool);
}

static void put_grant(struct json_writer *w, struct bough_arena *a, const struct bough_grant *g)
{
    jw_obj(w);
    hecate_id(w, "id", HECATE_GRANT, g->id);
    jw_kv_cstr(w, "scope", hecate_scope_name(g->scope));
    jw_kv_cstr(w, "adapter_id", adapter_of(a, g));
    jw_kv_cstr(w, "tool_kind", kind_of(g));
    jw_kv_cstr(w, "tool_name", g->tool);
    jw_opt_cstr(w, "workspace", g->workspace);
    if (*g->session)
        hecate_id(w, "session_id", HECATE_CHAT, g->session);
    jw_kv_cstr(w, "decision", "approve");
    jw_opt_cstr(w, "granted_by", g->by);
    hecate_time(w, "granted_at", g->created);
    jw_end_obj(w);
}

/* Grants of a session, if the query names one, and those beyond sessions, which belong to no
 * project: a token that is bound to one does not see them. */
static enum bough_rc find_grants(struct http_req *req, struct bough_grants *out,
                                 struct bough_error *err)
{
    const char *named = http_query(req, "session_id");
    struct bough_grant_list_options of = { .whole_store = !*api_of(req)->who->project };
    struct bough_session *s;
    enum bough_rc rc = BOUGH_OK;

    if (!cstr_empty(named)) {
        rc = api_session_named(req, hecate_id_read(HECATE_CHAT, named), &s, err);
        of.session = rc ? NULL : s->id;
    }
    return rc ? rc : bough_grant_list(api_of(req)->store, req->arena, &of, out, err);
}

static bool is_wanted(const char *query, const char *value)
{
    return cstr_empty(query) || strcmp(query, value) == 0;
}

static enum bough_rc list_grants(struct http_req *req, struct http_res *res,
                                 struct bough_error *err)
{
    struct bough_grants found;
    struct json_writer *w;
    enum bough_rc rc = find_grants(req, &found, err);

    if (rc)
        return hecate_done(res, rc, err);
    w = hecate_begin(res, "list");
    jw_arr(w);
    for (size_t i = 0; i < found.n; i++) {
        const struct bough_grant *g = &found.at[i];

        if (is_wanted(http_query(req, "adapter_id"), adapter_of(req->arena, g)) &&
            is_wanted(http_query(req, "scope"), hecate_scope_name(g->scope)) &&
            is_wanted(http_query(req, "tool_kind"), kind_of(g)))
            put_grant(w, req->arena, g);
    }
    jw_end_arr(w);
    jw_end_obj(w);
    return BOUGH_OK;
}

static enum bough_rc remove_grant(struct http_req *req, struct http_res *res,
                                  struct bough_error *err)
{
    const char *id = hecate_id_read(HECATE_GRANT, http_param(req, "grant"));
    struct bough_grant *g;
    enum bough_rc rc = grant_find(req, id, &g, err);

    if (!rc)
        rc = bough_grant_remove(api_of(req)->store, g->id, err);
    return hecate_done(res, api_done(res, rc), err);
}

/* ---- routes ---- */

static const struct http_field list_query[] = {
    { "status", HTTP_STRING, "Only approvals with this status." },
    { 0 },
};

static const struct http_field grants_query[] = {
    { "adapter_id", HTTP_STRING, "Only grants of this agent or tool server." },
    { "scope", HTTP_STRING, "Only grants of this scope." },
    { "tool_kind", HTTP_STRING, "Only grants of this kind of tool." },
    { "session_id", HTTP_STRING, "Those of this chat, too." },
    { 0 },
};

const struct http_route hecate_approval_routes[] = {
    { "GET", "/hecate/v1/agent-chat/sessions/{id}/approvals", list, AUTH_READ,
      "Hecate: list the approvals of a chat, oldest first.", list_query,
      .gives = "HecateAgentApprovals", .errors = &hecate_errors },
    { "GET", "/hecate/v1/agent-chat/sessions/{id}/approvals/{approval}", get, AUTH_READ,
      "Hecate: get an approval of a chat.", .gives = "HecateAgentApprovalAnswer",
      .errors = &hecate_errors },
    { "POST", "/hecate/v1/agent-chat/sessions/{id}/approvals/{approval}/resolve", resolve,
      AUTH_APPROVE, "Hecate: approve or deny what an agent asked for.",
      .takes = "HecateAgentDecision", .gives = "HecateAgentApprovalAnswer",
      .errors = &hecate_errors },
    { "POST", "/hecate/v1/agent-chat/sessions/{id}/approvals/{approval}/cancel", cancel,
      AUTH_APPROVE, "Hecate: take back the question of an approval, without a decision.",
      .gives = "HecateAgentApprovalAnswer", .errors = &hecate_errors },
    { "GET", "/hecate/v1/agent-chat/grants", list_grants, AUTH_READ,
      "Hecate: list what tools may do without asking, newest first.", grants_query,
      .gives = "HecateAgentGrants", .errors = &hecate_errors },
    { "DELETE", "/hecate/v1/agent-chat/grants/{grant}", remove_grant, AUTH_APPROVE,
      "Hecate: take a grant back.", .status = 204, .errors = &hecate_errors },
    { 0 },
};
