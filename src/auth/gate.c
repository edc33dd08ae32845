/* The gate: Host, Origin, one credential, its scopes. In this order, before a body is read. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "auth/inside.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"

/* ---- making one ---- */

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

/* ---- who asks from where ---- */

static bool lists(struct auth *a, const struct names *names, const char *name)
{
    bool found = false;

    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < names->n && !found; i++)
        found = strcasecmp(names->at[i], name) == 0;
    pthread_mutex_unlock(&a->lock);
    return found;
}

/* A page of another origin must not use this browser's sign-in, nor a name that leads here. */
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
    /* Another port of this host is the same site to a browser, and sends the cookie along. */
    if (site && with_cookie && strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0)
        return http_refuse(res, 403, "wrong_origin", "pages of other origins may not call this");
    return BOUGH_OK;
}

/* ---- failures ---- */

static bool too_many(struct auth *a, const char *peer)
{
    uint64_t n = 0;

    pthread_mutex_lock(&a->lock);
    if (env_now(&a->env) - a->minute > 60000) {
        a->minute = env_now(&a->env);
        smap_clear(&a->failures);
    }
    (void)smap_get(&a->failures, str_of(peer), &n);
    pthread_mutex_unlock(&a->lock);
    return n >= FAILURES_MAX;
}

static enum bough_rc unknown(struct auth *a, struct http_req *req, struct http_res *res,
                             const char *why, bool failed)
{
    enum bough_rc rc;
    uint64_t n = 0;

    if (failed) {
        pthread_mutex_lock(&a->lock);
        (void)smap_get(&a->failures, str_of(req->peer), &n);
        smap_put(&a->failures, str_of(req->peer), n + 1);
        pthread_mutex_unlock(&a->lock);
    }
    rc = http_refuse(res, 401, "unauthorized", "%s", why);
    http_set(res, "WWW-Authenticate", "Bearer realm=\"bough\"");
    return rc;
}

/* ---- credentials ---- */

static enum bough_rc by_token(struct auth *a, struct http_req *req, struct http_res *res,
                              const char *value, struct auth_who *who, struct bough_error *err)
{
    static const char prefix[] = "token:";
    struct store_token *t;
    enum bough_rc rc;
    char *name;

    if (strncasecmp(value, "Bearer ", 7) != 0 || !value[7])
        return unknown(a, req, res, "send Authorization: Bearer and a token", false);
    rc = auth_find(a, req->arena, value + 7, req->trace, &t, err);
    if (rc)
        return rc;
    if (!t)
        return unknown(a, req, res, "this token is not known, expired or revoked", true);
    name = arena_alloc(req->arena, sizeof prefix + strlen(t->label));
    memcpy(name, prefix, sizeof prefix - 1);
    memcpy(name + sizeof prefix - 1, t->label, strlen(t->label) + 1);
    who->name = name;
    who->scopes = (unsigned)t->scopes;
    who->project = t->project;
    return BOUGH_OK;
}

static enum bough_rc by_browser(struct auth *a, struct http_req *req, struct http_res *res,
                                const char *secret, struct auth_who *who)
{
    if (!auth_browser(a, secret))
        return unknown(a, req, res, "this browser is no longer signed in", true);
    who->name = "owner";
    who->scopes = AUTH_ALL;
    who->browser = true;
    return BOUGH_OK;
}

static enum bough_rc identify(struct auth *a, struct http_req *req, struct http_res *res,
                              struct auth_who *who, struct bough_error *err)
{
    const char *token = http_header(req, "authorization"), *cookie = auth_cookie(req);
    enum bough_rc rc = check_origin(a, req, res, cookie != NULL);

    if (rc || (req->route->needs & AUTH_OPEN))
        return rc;
    if (token && cookie)
        return http_refuse(res, 400, "two_credentials", "send a token or the cookie, not both");
    if (too_many(a, req->peer)) {
        rc = http_refuse(res, 429, "too_many_failures", "wait a minute before the next attempt");
        http_set(res, "Retry-After", "60");
        return rc;
    }
    if (token)
        return by_token(a, req, res, token, who, err);
    if (cookie)
        return by_browser(a, req, res, cookie, who);
    return unknown(a, req, res, "send Authorization: Bearer and a token", false);
}

enum bough_rc auth_gate(struct auth *a, struct http_req *req, struct http_res *res,
                        struct bough_error *err)
{
    struct auth_who *who = arena_zalloc(req->arena, sizeof *who);
    unsigned missing;
    enum bough_rc rc = BOUGH_OK;

    *who = (struct auth_who){ .name = "", .project = "", .auth = a };
    req->who = who;
    if (!req->route->needs) /* a row that forgot to say is nobody's */
        return http_refuse(res, 403, "denied", "this path is closed");
    if (req->via == HTTP_VIA_UNIX) {
        who->name = "owner";
        who->scopes = AUTH_ALL;
    } else {
        rc = identify(a, req, res, who, err);
    }
    missing = req->route->needs & AUTH_ALL & ~who->scopes;
    if (rc || !missing || (req->route->needs & AUTH_OPEN))
        return rc;
    return http_refuse(res, 403, "scope", "this needs a token with the scope %s",
                       auth_scopes_text(req->arena, missing));
}

const struct auth_who *auth_who(const struct http_req *req)
{
    return req->who;
}

bool auth_sees(const struct auth_who *who, const char *project)
{
    return !*who->project || strcmp(who->project, project) == 0;
}
