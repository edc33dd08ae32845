/* Tokens of the API and signed-in browsers: list, create, revoke. */
#include <string.h>

#include "api/kit/body.h"
#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

#define DEFAULT_MS (INT64_C(90) * 24 * 3600 * 1000) /* as `bough token create` */

static void put_token(struct http_req *req, struct json_writer *w, const struct auth_token *t,
                      const char *secret)
{
    jw_obj(w);
    auth_token_form(w, req->arena, t);
    jw_opt_cstr(w, "secret", secret);
    jw_end_obj(w);
}

static enum bough_rc list(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct auth_tokens all;
    struct json_writer *w;
    enum bough_rc rc = auth_token_list(api_of(req)->store, req->arena, &all, err);

    if (rc)
        return rc;
    w = api_items(res);
    for (size_t i = 0; i < all.n; i++)
        put_token(req, w, &all.at[i], NULL);
    api_items_end(w, NULL);
    return BOUGH_OK;
}

struct new_token {
    const char *name, *scopes, *project;
    int64_t expires;
};

static enum bough_rc create(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    static const struct api_member members[] = {
        { "name", API_TEXT, offsetof(struct new_token, name) },
        { "scopes", API_TEXT, offsetof(struct new_token, scopes) },
        { "project", API_TEXT, offsetof(struct new_token, project) },
        { "expires", API_WHEN, offsetof(struct new_token, expires) },
        { 0 },
    };
    const struct auth_who *who = api_of(req)->who;
    struct new_token in = { 0 };
    struct auth_token token = { 0 }, made;
    const char *secret;
    enum bough_rc rc = api_body(req, members, &in, err);

    if (!rc && (cstr_empty(in.name) || !in.scopes))
        rc = bough_fail(err, BOUGH_INVALID, "name and scopes are required");
    if (!rc)
        rc = auth_scopes_parse(in.scopes, &token.scopes, err);
    if (!rc && token.scopes & ~who->scopes)
        return http_refuse(res, 403, "scope", "you cannot give a scope that you do not have: %s",
                           auth_scopes_text(req->arena, token.scopes & ~who->scopes));
    if (!rc && in.expires && in.expires <= api_now(req))
        rc = bough_fail(err, BOUGH_INVALID, "expires must be in the future");
    token.label = in.name;
    token.project = in.project;
    token.expires = in.expires ? in.expires : api_now(req) + DEFAULT_MS;
    if (!rc)
        rc = auth_token_create(api_of(req)->store, req->arena, &token, NULL, &secret, &made, err);
    if (!rc)
        put_token(req, http_json(res, 201), &made, secret);
    return rc;
}

/* By id only: a name may mean another token by now. */
static enum bough_rc revoke(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    const char *id = http_param(req, "token");
    struct auth_tokens all;
    bool known = false;
    enum bough_rc rc = auth_token_list(api_of(req)->store, req->arena, &all, err);

    for (size_t i = 0; !rc && i < all.n; i++)
        known = known || strcmp(all.at[i].id, id) == 0;
    if (!rc && !known)
        rc = bough_fail(err, BOUGH_NOT_FOUND, "no token %.60s", id);
    return api_done(res, rc ? rc : auth_token_revoke(api_of(req)->store, id, err));
}

/* A link like the one that the server printed when it started. Who opens it has every right, so
 * the caller must have them, too. */
static enum bough_rc link_new(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct auth *auth = api_of(req)->who->auth;
    const char *address = auth_address(auth, req->arena);
    struct json_writer *w;
    enum bough_rc rc = api_for_all(req, res);

    if (!rc && (api_of(req)->who->scopes & AUTH_ALL) != AUTH_ALL)
        return http_refuse(res, 403, "scope", "a browser gets every scope: you need all of them");
    if (!rc && !*address)
        rc = bough_fail(err, BOUGH_CONFLICT,
                        "this server does not listen for browsers: start it with --http");
    if (rc)
        return rc;
    w = http_json(res, 201);
    jw_obj(w);
    jw_kv_cstr(w, "link",
               arena_printf(req->arena, "http://%s%s", address, auth_link(auth, req->arena)));
    jw_end_obj(w);
    return BOUGH_OK;
}

const struct http_route api_token_routes[] = {
    { "POST", "/api/v1/login-links", link_new, AUTH_ADMIN,
      "Make a link that signs a browser in: once, within ten minutes.", .gives = "LoginLink",
      .status = 201 },
    { "GET", "/api/v1/tokens", list, AUTH_ADMIN,
      "List the tokens, revoked ones included, and the browsers that are signed in.",
      .gives = "Tokens" },
    { "POST", "/api/v1/tokens", create, AUTH_ADMIN,
      "Create a token. Its secret is in this answer and never again.", .takes = "TokenNew",
      .gives = "TokenCreated", .status = 201 },
    { "DELETE", "/api/v1/tokens/{token}", revoke, AUTH_ADMIN,
      "Revoke a token or sign a browser out, from the next request on; its event streams end.",
      .status = 204 },
    { 0 },
};
