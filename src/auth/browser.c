/* Browser sign-in: a one-time link, kept in memory, becomes an HttpOnly cookie, kept as its hash in
 * the store. */
#include <stdio.h>
#include <string.h>

#include "auth/inside.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "base/text/utf8.h"

void auth_secret(struct auth *a, char out[2 * SECRET_BYTES + 1])
{
    unsigned char bytes[SECRET_BYTES];

    env_random(&a->env, bytes, sizeof bytes);
    sha256_hex(bytes, out);
}

/* ---- one-time links ---- */

/* Store the secret in a free element, or replace the one that expires first. */
static void keep_link(struct auth *a, const char *secret)
{
    struct held *to = &a->links[0];

    pthread_mutex_lock(&a->lock);
    for (size_t i = 1; i < LINKS_MAX; i++)
        if (a->links[i].expires < to->expires)
            to = &a->links[i];
    auth_hash(secret, to->hash);
    to->expires = env_now(&a->env) + LINK_MS;
    pthread_mutex_unlock(&a->lock);
}

/* Is this the secret of a link that has not expired? With `take`, it works no more. */
static bool link_known(struct auth *a, const char *secret, bool take)
{
    char hash[2 * SHA256_LEN + 1];
    int64_t now = env_now(&a->env);
    bool found = false;

    auth_hash(secret, hash);
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < LINKS_MAX; i++) {
        bool same = auth_same(a->links[i].hash, hash);

        if (same && a->links[i].expires > now)
            found = true;
        if (same && take)
            a->links[i].expires = 0;
    }
    pthread_mutex_unlock(&a->lock);
    return found;
}

const char *auth_link(struct auth *a, struct bough_arena *arena)
{
    char secret[2 * SECRET_BYTES + 1];

    auth_secret(a, secret);
    keep_link(a, secret);
    return arena_printf(arena, "/login?code=%s", secret);
}

/* ---- signing in and out ---- */

/* The browser's User-Agent, cut, without control characters and invalid UTF-8. */
static const char *agent_of(struct http_req *req)
{
    const char *text = http_header(req, "user-agent");
    char *out = arena_strdup(req->arena, text ? text : "");
    size_t n = strlen(out), valid;

    for (size_t i = 0; i < n; i++)
        if ((unsigned char)out[i] < 0x20 || out[i] == 0x7f)
            out[i] = ' ';
    while ((valid = utf8_valid(out, n)) < n)
        out[valid] = '?';
    out[utf8_cut(out, n, AGENT_BYTES)] = '\0';
    return out;
}

/* The store keeps the hash of the cookie, so that a browser stays signed in when the server
 * restarts. */
static enum bough_rc sign_in(struct auth *a, struct http_req *req, const char *secret,
                             struct bough_error *err)
{
    struct store_token in = { .kind = TOKEN_BROWSER,
                              .label = "browser",
                              .project = "",
                              .agent = agent_of(req),
                              .scopes = AUTH_ALL,
                              .expires = env_now(&a->env) + COOKIE_MS },
                       out;

    auth_hash(secret, in.hash);
    return store_token_add(a->store, req->arena, &in, &out, err);
}

/* ---- cookies ---- */

const char *auth_cookie_name(struct http_req *req)
{
    const char *host = http_header(req, "host");
    const char *port = host ? strrchr(host, ':') : NULL;

    if (port && strchr(port, ']'))
        port = NULL; /* the colon belongs to an IPv6 address */
    return arena_printf(req->arena, "bough_%s", port ? port + 1 : "80");
}

const char *auth_cookie(struct http_req *req)
{
    const char *p = http_header(req, "cookie"), *name = auth_cookie_name(req);
    size_t n = strlen(name);

    while (p && *p) {
        p += strspn(p, "; ");
        if (strncmp(p, name, n) == 0 && p[n] == '=')
            return arena_strndup(req->arena, p + n + 1, strcspn(p + n + 1, ";"));
        p += strcspn(p, ";");
    }
    return NULL;
}

static void set_cookie(struct http_req *req, struct http_res *res, const char *value, int64_t age)
{
    http_setf(res, "Set-Cookie", "%s=%s; Path=/; Max-Age=%lld; HttpOnly; SameSite=Strict%s",
              auth_cookie_name(req), value, (long long)age,
              auth_who(req)->auth->tls ? "; Secure" : "");
}

static void send_home(struct http_res *res)
{
    http_text(res, 303, "text/plain; charset=utf-8");
    http_set(res, "Location", "/");
    http_puts(res, "See /\n");
}

static enum bough_rc login(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct auth *a = auth_who(req)->auth;
    const char *code = http_query(req, "code");
    char secret[2 * SECRET_BYTES + 1];
    enum bough_rc rc;

    /* HEAD comes from link previews: it must not use up the link. */
    if (!code || !link_known(a, code, req->method == HTTP_GET))
        return http_refuse(res, 403, "link_used",
                           "this link was used or is too old: `bough serve` prints a new one");
    if (req->method == HTTP_GET) {
        auth_secret(a, secret);
        rc = sign_in(a, req, secret, err);
        if (rc)
            return rc;
        set_cookie(req, res, secret, COOKIE_MS / 1000);
    }
    send_home(res);
    return BOUGH_OK;
}

static enum bough_rc logout(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct auth *a = auth_who(req)->auth;
    const char *secret = auth_cookie(req);
    struct store_token *t = NULL;
    enum bough_rc rc = BOUGH_OK;

    if (secret)
        rc = auth_find(a, req->arena, TOKEN_BROWSER, secret, req->trace, &t, err);
    if (!rc && t)
        rc = store_token_revoke(a->store, t->id, err);
    if (rc)
        return rc;
    set_cookie(req, res, "", 0);
    http_no_content(res);
    return BOUGH_OK;
}

static const struct http_field login_query[] = {
    { "code", HTTP_STRING, "From the link that `bough serve` printed." },
    { 0 },
};

const struct http_route auth_routes[] = {
    { "GET", "/login", login, AUTH_OPEN, "Sign a browser in by its one-time link.",
      .query = login_query, .status = 303 },
    { "POST", "/logout", logout, AUTH_READ, "Sign this browser out.", .status = 204 },
    { 0 },
};
