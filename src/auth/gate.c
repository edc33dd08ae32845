/* The gate: checks Host, Origin, credential and scopes, in this order, before the body is read. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "auth/inside.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/text/str.h"

/* ---- setup ---- */

static void copy_names(struct auth *a, struct names *to, const char *const *from)
{
    size_t n = 0;

    while (from && from[n])
        n++;
    to->at = arena_array(a->names, n + 1, sizeof *to->at);
    to->n = n;
    for (size_t i = 0; i < n; i++)
        to->at[i] = arena_strdup(a->names, from[i]);
}

void auth_reconfigure(struct auth *a, const struct auth_config *config)
{
    pthread_mutex_lock(&a->lock);
    copy_names(a, &a->hosts, config->hosts);
    copy_names(a, &a->origins, config->origins);
    a->tls = config->tls;
    pthread_mutex_unlock(&a->lock);
}

struct auth *auth_create(struct bough_store *s, const struct auth_config *config,
                         const struct bough_env *env)
{
    static const struct auth_config nothing;
    struct auth *a = mem_zalloc(sizeof *a);

    a->store = s;
    a->env = env ? (struct env){ env->now, env->random, env->user } : env_system;
    a->names = bough_arena_create();
    a->arena = bough_arena_create();
    smap_init(&a->failures);
    pthread_mutex_init(&a->lock, NULL);
    auth_reconfigure(a, config ? config : &nothing);
    return a;
}

void auth_destroy(struct auth *a)
{
    if (!a)
        return;
    smap_finish(&a->failures);
    pthread_mutex_destroy(&a->lock);
    bough_arena_destroy(a->names);
    bough_arena_destroy(a->arena);
    explicit_bzero(a, sizeof *a);
    mem_free(a);
}

static void add_bound(struct auth *a, const char *name)
{
    const char **to = arena_array(a->names, a->bound.n + 1, sizeof *to);

    if (a->bound.n)
        memcpy(to, a->bound.at, a->bound.n * sizeof *to);
    to[a->bound.n++] = name;
    a->bound.at = to;
}

void auth_allow_host(struct auth *a, const char *host, int port)
{
    bool six = strchr(host, ':') != NULL;

    pthread_mutex_lock(&a->lock);
    add_bound(a, six ? arena_printf(a->names, "[%s]:%d", host, port)
                     : arena_printf(a->names, "%s:%d", host, port));
    if (strcmp(host, "127.0.0.1") == 0 || strcmp(host, "::1") == 0)
        add_bound(a, arena_printf(a->names, "localhost:%d", port));
    pthread_mutex_unlock(&a->lock);
}

const char *auth_address(struct auth *a, struct bough_arena *arena)
{
    const char *at;

    pthread_mutex_lock(&a->lock);
    at = arena_strdup(arena, a->bound.n ? a->bound.at[0] : "");
    pthread_mutex_unlock(&a->lock);
    return at;
}

/* ---- Host and Origin ---- */

static bool lists(struct auth *a, const struct names *names, const char *name)
{
    bool found = false;

    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < names->n && !found; i++)
        found = strcasecmp(names->at[i], name) == 0;
    pthread_mutex_unlock(&a->lock);
    return found;
}

/* Host defends against DNS rebinding. Origin and Sec-Fetch-Site defend against pages of other
 * origins that use this browser's cookie. */
static enum bough_rc check_origin(struct auth *a, struct http_req *req, struct http_res *res,
                                  bool with_cookie)
{
    const char *host = http_header(req, "host"), *origin = http_header(req, "origin");
    const char *site = http_header(req, "sec-fetch-site");

    if (!lists(a, &a->bound, host) && !lists(a, &a->hosts, host))
        return http_refuse(res, 421, "wrong_host", "this server is not %.80s", host);
    if (origin && lists(a, &a->origins, origin))
        return BOUGH_OK;
    if (origin && strcasecmp(origin, arena_printf(req->arena, "%s://%s", a->tls ? "https" : "http",
                                                  host)) != 0)
        return http_refuse(res, 403, "wrong_origin", "pages of %.80s may not call this", origin);
    if (site && strcmp(site, "cross-site") == 0)
        return http_refuse(res, 403, "wrong_origin", "pages of other sites may not call this");
    /* D8: a page of another site can send a POST without body and type. Browsers say where it comes
     * from; one that does not is refused. */
    if (with_cookie && !origin && !site && req->method != HTTP_GET && req->method != HTTP_HEAD &&
        !http_header(req, "content-type"))
        return http_refuse(res, 403, "wrong_origin", "send Origin with the cookie");
    /* Another port of this host is the same site to a browser, so the cookie is sent. */
    if (site && with_cookie && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return http_refuse(res, 403, "wrong_origin", "pages of other origins may not call this");
    return BOUGH_OK;
}

/* ---- failed attempts ---- */

/* Count a failed attempt of this peer. True: it has made too many within a minute. */
static bool too_many(struct auth *a, const char *peer)
{
    uint64_t n = 0;

    pthread_mutex_lock(&a->lock);
    if (env_now(&a->env) - a->minute > 60000) {
        a->minute = env_now(&a->env);
        smap_clear(&a->failures);
    }
    (void)smap_get(&a->failures, str_of(peer), &n);
    smap_put(&a->failures, str_of(peer), n + 1);
    pthread_mutex_unlock(&a->lock);
    return n >= FAILURES_MAX;
}

static enum bough_rc no_credential(struct http_res *res, const char *why)
{
    enum bough_rc rc = http_refuse(res, 401, "unauthorized", "%s", why);

    http_set(res, "WWW-Authenticate", "Bearer realm=\"bough\"");
    return rc;
}

/* A credential that is not valid. Many clients can share an address (a proxy, a stale browser tab),
 * so failures slow down only further failures, never a valid credential. */
static enum bough_rc unknown(struct auth *a, struct http_req *req, struct http_res *res,
                             const char *why)
{
    enum bough_rc rc;

    if (!too_many(a, req->peer))
        return no_credential(res, why);
    rc = http_refuse(res, 429, "too_many_failures", "wait a minute before the next attempt");
    http_set(res, "Retry-After", "60");
    return rc;
}

/* ---- credentials ---- */

static enum bough_rc by_token(struct auth *a, struct http_req *req, struct http_res *res,
                              const char *secret, struct auth_who *who, struct bough_error *err)
{
    static const char prefix[] = "token:";
    struct store_token *t;
    enum bough_rc rc;
    char *name;

    if (!*secret)
        return no_credential(res, "send Authorization: Bearer and a token");
    rc = auth_find(a, req->arena, TOKEN_API, secret, req->trace, &t, err);
    if (rc)
        return rc;
    if (!t)
        return unknown(a, req, res, "this token is not known, expired or revoked");
    name = arena_alloc(req->arena, sizeof prefix + strlen(t->label));
    memcpy(name, prefix, sizeof prefix - 1);
    memcpy(name + sizeof prefix - 1, t->label, strlen(t->label) + 1);
    who->name = name;
    who->scopes = (unsigned)t->scopes;
    who->project = t->project;
    auth_pass_fill(a, &who->pass, secret, false, t->expires);
    return BOUGH_OK;
}

static enum bough_rc by_browser(struct auth *a, struct http_req *req, struct http_res *res,
                                const char *secret, struct auth_who *who, struct bough_error *err)
{
    struct store_token *t;
    enum bough_rc rc = auth_find(a, req->arena, TOKEN_BROWSER, secret, req->trace, &t, err);

    if (rc)
        return rc;
    if (!t)
        return unknown(a, req, res, "this browser is no longer signed in");
    who->name = "owner";
    who->scopes = AUTH_ALL;
    who->browser = true;
    auth_pass_fill(a, &who->pass, secret, true, t->expires);
    return BOUGH_OK;
}

/* The token in Authorization; "" if it is something else; NULL: there is no such header. */
static const char *bearer(const struct http_req *req)
{
    const char *value = http_header(req, "authorization");

    return !value ? NULL : strncasecmp(value, "Bearer ", 7) == 0 ? value + 7 : "";
}

/* The token of a request. Clients of providers send it as they send a provider's key: on routes of
 * the gateway x-api-key counts like Authorization, and next to X-Bough-Token both are the client's
 * own key for the provider. NULL: none was sent. Two that differ are refused (D5). */
static enum bough_rc find_token(struct http_req *req, struct http_res *res, const char **out)
{
    bool gateway = req->route->needs & AUTH_GATEWAY;
    const char *ours = gateway ? http_header(req, "x-bough-token") : NULL;
    const char *key = gateway ? http_header(req, "x-api-key") : NULL, *token = bearer(req);

    *out = ours ? ours : token ? token : key;
    if (!ours && token && key && strcmp(token, key) != 0)
        return http_refuse(res, 400, "two_credentials",
                           "Authorization and x-api-key differ: send one token, or ours as "
                           "X-Bough-Token");
    return BOUGH_OK;
}

static enum bough_rc identify(struct auth *a, struct http_req *req, struct http_res *res,
                              struct auth_who *who, struct bough_error *err)
{
    const char *token, *cookie = auth_cookie(req);
    enum bough_rc rc = check_origin(a, req, res, cookie != NULL);

    if (rc || (req->route->needs & AUTH_OPEN))
        return rc;
    rc = find_token(req, res, &token);
    if (rc)
        return rc;
    if (token && cookie)
        return http_refuse(res, 400, "two_credentials", "send a token or the cookie, not both");
    if (token)
        return by_token(a, req, res, token, who, err);
    if (cookie)
        return by_browser(a, req, res, cookie, who, err);
    return no_credential(res, "send Authorization: Bearer and a token");
}

enum bough_rc auth_admit(struct http_req *req, struct http_res *res)
{
    const struct auth_who *who = req->who;
    unsigned missing = req->route->needs & AUTH_ALL & ~who->scopes;

    if (!req->route->needs) /* a route whose row does not set `needs` is closed */
        return http_refuse(res, 403, "denied", "this path is closed");
    if (req->route->needs & AUTH_OPEN)
        return BOUGH_OK;
    if ((req->route->needs & AUTH_ADMIN) && *who->project)
        return http_refuse(res, 403, "denied",
                           "this concerns the whole store, and the token is bound to one project");
    if (!missing)
        return BOUGH_OK;
    return http_refuse(res, 403, "scope", "this needs a token with the scope %s",
                       auth_scopes_text(req->arena, missing));
}

enum bough_rc auth_gate(struct auth *a, struct http_req *req, struct http_res *res,
                        struct bough_error *err)
{
    struct auth_who *who = arena_zalloc(req->arena, sizeof *who);
    enum bough_rc rc = BOUGH_OK;

    *who = (struct auth_who){ .name = "", .project = "", .auth = a };
    req->who = who;
    if (!req->route->needs)
        return auth_admit(req, res);
    if (req->via == HTTP_VIA_UNIX) {
        who->name = "owner";
        who->scopes = AUTH_ALL;
    } else {
        rc = identify(a, req, res, who, err);
    }
    return rc ? rc : auth_admit(req, res);
}
