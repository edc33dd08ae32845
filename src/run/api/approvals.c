/* Approvals and grants over HTTP. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms_run.h"
#include "base/text/str.h"
#include "run/api/kit.h"
#include "run/api/routes.h"
#include "run/kit/grant.h"

enum { LOOKS_MOST = 20 };

static bool sees_session(struct http_req *req, const char *session)
{
    struct bough_session *s;

    return api_session_named(req, session, &s, NULL) == BOUGH_OK;
}

static enum bough_rc find(struct http_req *req, struct bough_approval **out,
                          struct bough_error *err)
{
    const char *id = http_param(req, "approval");
    enum bough_rc rc = bough_approval_get(api_of(req)->store, req->arena, id, out, err);

    if (!rc && !sees_session(req, (*out)->session))
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no approval %.60s", id);
    return rc;
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_approval_list_options how = { .status = http_query(req, "status"),
                                               .run = http_query(req, "run") };
    struct bough_approvals page = { .next = "" };
    struct json_writer *w;
    struct api_page want;
    enum bough_rc rc = api_page(req, &want, err);

    how.limit = want.limit;
    how.cursor = want.cursor;
    for (int i = 0; !rc && i < LOOKS_MOST; i++) {
        rc = bough_approval_list(api_of(req)->store, req->arena, &how, &page, err);
        if (page.n || !*page.next)
            break;
        how.cursor = page.next;
    }
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < page.n; i++)
        if (sees_session(req, page.at[i].session))
            form_approval(w, &page.at[i]);
    api_items_end(w, page.next);
    return BOUGH_OK;
}

static enum bough_rc one(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_approval *p;
    enum bough_rc rc = find(req, &p, err);

    if (!rc)
        form_approval(http_json(res, 200), p);
    return rc;
}

/* ---- settling ---- */

struct decision {
    const char *decision, *scope, *option, *note;
    bool stop;
};

static const struct api_member members[] = {
    { "decision", API_TEXT, offsetof(struct decision, decision) },
    { "scope", API_TEXT, offsetof(struct decision, scope) },
    { "option", API_TEXT, offsetof(struct decision, option) },
    { "note", API_TEXT, offsetof(struct decision, note) },
    { "stop", API_FLAG, offsetof(struct decision, stop) },
    { 0 },
};

static enum bough_rc read_decision(const struct decision *in,
                                   struct bough_approval_resolve_options *out,
                                   struct bough_error *err)
{
    if (cstr_eq(in->decision, "approve"))
        out->status = BOUGH_APPROVAL_APPROVED;
    else if (cstr_eq(in->decision, "reject"))
        out->status = BOUGH_APPROVAL_REJECTED;
    else
        return bough_fail(err, BOUGH_INVALID, "decision is approve or reject");
    if (in->scope && !bough_approval_scope_parse(in->scope, &out->scope))
        return bough_fail(err, BOUGH_INVALID, "scope is once, session, workspace or always");
    if (in->stop && out->status == BOUGH_APPROVAL_APPROVED)
        return bough_fail(err, BOUGH_INVALID, "only a rejection stops the run");
    out->option = in->option;
    out->note = in->note;
    out->stop = in->stop;
    return BOUGH_OK;
}

/* An option must be one of those that were offered. Without one, an agent is told allow_once: it
 * must be among them. */
static enum bough_rc check_option(struct http_req *req, struct http_res *res,
                                  const struct bough_approval *p,
                                  const struct bough_approval_resolve_options *how,
                                  struct bough_error *err)
{
    const char *option = how->option;
    struct json_iter it;
    struct json all;

    if (cstr_empty(option) && (how->status != BOUGH_APPROVAL_APPROVED || p->options.n <= 2))
        return BOUGH_OK;
    if (json_parse(req->arena, p->options, &all, NULL) == BOUGH_OK &&
        json_type(all) == JSON_ARRAY) {
        it = json_iter(all);
        while (json_next(&it)) {
            const char *id = json_cstr(req->arena, it.value, "optionId");

            if (cstr_empty(option) ? json_is(json_member(it.value, "kind"), "allow_once")
                                   : cstr_eq(id, option))
                return BOUGH_OK;
        }
    }
    http_detail(res, p->options.n ? p->options : str_of("[]"));
    if (cstr_empty(option))
        return bough_fail(err, BOUGH_CONFLICT, "the agent offers no such answer: pick an option");
    return bough_fail(err, BOUGH_CONFLICT, "no option of this approval is %.60s", option);
}

static enum bough_rc resolve(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_approval_resolve_options how = { 0 };
    struct decision in = { 0 };
    struct bough_approval *p;
    enum bough_rc rc = api_body(req, members, &in, err);

    if (!rc)
        rc = read_decision(&in, &how, err);
    if (!rc)
        rc = find(req, &p, err);
    if (!rc)
        rc = grant_check(req, how.scope, err);
    if (!rc)
        rc = check_option(req, res, p, &how, err);
    if (!rc)
        rc = bough_approval_resolve(api_of(req)->store, req->arena, p->id, &how, &p, err);
    if (!rc)
        form_approval(http_json(res, 200), p);
    return rc;
}

/* ---- grants ---- */

static enum bough_rc grants(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *session = http_query(req, "session");
    struct bough_grant_list_options how = { .whole_store = !*api_of(req)->who->project,
                                            .tool = http_query(req, "tool") };
    struct bough_grants all;
    struct bough_session *s;
    struct json_writer *w;
    enum bough_rc rc = BOUGH_OK;

    if (!cstr_empty(session)) {
        rc = api_session_named(req, session, &s, err);
        how.session = rc ? NULL : s->id;
    }
    if (!rc)
        rc = bough_grant_list(api_of(req)->store, req->arena, &how, &all, err);
    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < all.n; i++)
        form_grant(w, &all.at[i]);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc revoke(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_grant *g;
    enum bough_rc rc = grant_find(req, http_param(req, "grant"), &g, err);

    if (!rc)
        rc = bough_grant_remove(api_of(req)->store, g->id, err);
    return api_done(res, rc);
}

static const struct http_field list_query[] = {
    API_PAGE_FIELDS,
    { "status", HTTP_STRING, "Only approvals with one of these statuses." },
    { "run", HTTP_STRING, "Only approvals of this run." },
    { 0 },
};
static const struct http_field grant_query[] = {
    { "session", HTTP_STRING, "Grants of this session, too." },
    { "tool", HTTP_STRING, "Only grants for this tool: `server/tool`." },
    { 0 },
};

const struct http_route run_approval_routes[] = {
    { "GET", "/api/v1/approvals", list, AUTH_READ, "List approvals, newest first.",
      .gives = "Approvals", .query = list_query, .flags = HTTP_LONG },
    { "GET", "/api/v1/approvals/{approval}", one, AUTH_READ, "An approval.", .gives = "Approval" },
    { "POST", "/api/v1/approvals/{approval}/resolve", resolve, AUTH_APPROVE,
      "Approve or reject a tool call. 409 when that was done already: the message says by whom and "
      "when.",
      .takes = "ApprovalResolve", .gives = "Approval" },
    { "GET", "/api/v1/grants", grants, AUTH_READ,
      "List the tools that may be used without asking, newest first.", .gives = "Grants",
      .query = grant_query },
    { "DELETE", "/api/v1/grants/{grant}", revoke, AUTH_APPROVE, "Take a grant back.",
      .status = 204 },
    { 0 },
};
