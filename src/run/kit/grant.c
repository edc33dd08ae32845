/* Who may make a grant over HTTP. */
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
