/* Who may make a grant over HTTP, and take it back. */
#include "run/kit/grant.h"

#include "api/kit/api.h"

enum bough_rc grant_check(const struct http_req *req, enum bough_approval_scope scope,
                          struct bough_error *err)
{
    const char *project = api_of(req)->who->project;

    if (scope <= BOUGH_SCOPE_SESSION || !project || !*project)
        return BOUGH_OK;
    return bough_fail(err, BOUGH_DENIED,
                      "a token of a project grants tools in its own sessions only: use the scope "
                      "once or session");
}

enum bough_rc grant_find(struct http_req *req, const char *id, struct bough_grant **out,
                         struct bough_error *err)
{
    struct bough_session *s;
    enum bough_rc rc = bough_grant_get(api_of(req)->store, req->arena, id, out, err);
    bool seen;

    if (rc)
        return rc;
    seen = *(*out)->session ? api_session_named(req, (*out)->session, &s, NULL) == BOUGH_OK
                            : !*api_of(req)->who->project;
    return seen ? BOUGH_OK : bough_fail(err, BOUGH_NOT_FOUND, "there is no grant %.60s", id);
}
