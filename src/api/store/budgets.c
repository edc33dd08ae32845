/* Budgets over HTTP: list with what was spent, set, remove. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/text/str.h"

enum { NOT_GIVEN = -1 };

/* A token that is bound to a project sees the budgets of the project, of its sessions, and its own.
 */
static bool sees(struct http_req *req, const struct bough_budget *b)
{
    const struct auth_who *who = api_of(req)->who;
    struct bough_session *s;

    if (!*who->project)
        return true;
    switch (b->scope) {
    case BOUGH_BUDGET_PROJECT:
        return auth_sees(who, b->of);
    case BOUGH_BUDGET_TOKEN:
        return strcmp(who->name, b->of) == 0;
    case BOUGH_BUDGET_SESSION:
        return api_session_named(req, b->of, &s, NULL) == BOUGH_OK;
    case BOUGH_BUDGET_STORE:
    case BOUGH_BUDGET_ACCOUNT:
        break;
    }
    return false;
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct bough_budgets all;
    struct json_writer *w;
    enum bough_rc rc = bough_budget_list(api_of(req)->store, req->arena, &all, err);

    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < all.n; i++)
        if (sees(req, &all.at[i]))
            form_budget(w, &all.at[i]);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

static enum bough_rc one(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *id = http_param(req, "budget");
    struct bough_budget b;
    enum bough_rc rc = bough_budget_status(api_of(req)->store, req->arena, id, &b, err);

    if (!rc && !sees(req, &b))
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no budget %.60s", id);
    if (!rc)
        form_budget(http_json(res, 200), &b);
    return rc;
}

struct new_budget {
    const char *scope, *of, *window;
    int64_t usd, nano;
    bool allow_unknown;
};

static enum bough_rc read_cap(const struct new_budget *in, int64_t *cap, struct bough_error *err)
{
    if (in->usd == NOT_GIVEN && in->nano == NOT_GIVEN)
        return bough_fail(err, BOUGH_INVALID, "cap_usd or cap_nano_usd is required");
    if (in->usd != NOT_GIVEN && in->nano != NOT_GIVEN && in->usd != in->nano)
        return bough_fail(err, BOUGH_INVALID, "cap_usd and cap_nano_usd are different amounts");
    *cap = in->nano != NOT_GIVEN ? in->nano : in->usd;
    return BOUGH_OK;
}

static enum bough_rc read_words(const struct new_budget *in, struct bough_budget_set_options *out,
                                struct bough_error *err)
{
    if (!in->scope || !bough_budget_scope_parse(in->scope, &out->scope))
        return bough_fail(err, BOUGH_INVALID, "scope is store, project, account, token or session");
    if (!in->window || !bough_budget_window_parse(in->window, &out->window))
        return bough_fail(err, BOUGH_INVALID, "window is total, day or month");
    return BOUGH_OK;
}

static enum bough_rc set(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "scope", API_TEXT, offsetof(struct new_budget, scope) },
        { "of", API_TEXT, offsetof(struct new_budget, of) },
        { "window", API_TEXT, offsetof(struct new_budget, window) },
        { "cap_usd", API_USD, offsetof(struct new_budget, usd) },
        { "cap_nano_usd", API_INT, offsetof(struct new_budget, nano) },
        { "allow_unknown", API_FLAG, offsetof(struct new_budget, allow_unknown) },
        { 0 },
    };
    struct new_budget in = { .usd = NOT_GIVEN, .nano = NOT_GIVEN };
    struct bough_budget_set_options set = { 0 };
    struct bough_budget b;
    enum bough_rc rc = api_for_all(req, res);

    if (rc)
        return rc;
    rc = api_body(req, members, &in, err);
    if (!rc)
        rc = read_words(&in, &set, err);
    if (!rc)
        rc = read_cap(&in, &set.cap, err);
    set.of = in.of;
    set.allow_unknown = in.allow_unknown;
    if (!rc)
        rc = bough_budget_set(api_of(req)->store, req->arena, &set, &b, err);
    if (!rc)
        form_budget(http_json(res, 200), &b);
    return rc;
}

static enum bough_rc drop(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    enum bough_rc rc = api_for_all(req, res);

    if (rc)
        return rc;
    return api_done(res, bough_budget_remove(api_of(req)->store, http_param(req, "budget"), err));
}

const struct http_route api_budget_routes[] = {
    { "GET", "/api/v1/budgets", list, AUTH_READ,
      "List the budgets, with what was spent and is reserved in their windows.", .gives = "Budgets",
      .flags = HTTP_LONG },
    { "PUT", "/api/v1/budgets", set, AUTH_ADMIN,
      "Set the budget of a scope and a window: there is one of each.", .takes = "BudgetNew",
      .gives = "Budget" },
    { "GET", "/api/v1/budgets/{budget}", one, AUTH_READ,
      "A budget, with what was spent and is reserved in its window.", .gives = "Budget" },
    { "DELETE", "/api/v1/budgets/{budget}", drop, AUTH_ADMIN,
      "Remove a budget. Calls that run go on.", .status = 204 },
    { 0 },
};
