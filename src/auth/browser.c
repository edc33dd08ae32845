/* Browser sign-in: a one-time link becomes an HttpOnly cookie. Secrets are kept in memory only. */
#include <stdio.h>
#include <string.h>

#include "auth/inside.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

void auth_secret(struct auth *a, char out[2 * SECRET_BYTES + 1])
{
    unsigned char bytes[SECRET_BYTES];

    env_random(&a->env, bytes, sizeof bytes);
    sha256_hex(bytes, out);
}

/* ---- secrets handed out ---- */

/* Store the secret in a free element, or replace the one that expires first. */
static void keep(struct auth *a, struct held *in, const char *secret, int64_t ms)
{
    struct held *to = &in[0];

    pthread_mutex_lock(&a->lock);
    for (size_t i = 1; i < SIGNED_MAX; i++)
        if (in[i].expires < to->expires)
            to = &in[i];
    auth_hash(secret, to->hash);
    to->expires = env_now(&a->env) + ms;
    __atomic_add_fetch(&a->changes, 1, __ATOMIC_RELEASE); /* another one may have been replaced */
    pthread_mutex_unlock(&a->lock);
}

/* Is the secret stored and not expired? With `take`, also remove it. */
static bool known(struct auth *a, struct held *in, const char *secret, bool take)
{
    char hash[2 * SHA256_LEN + 1];
    int64_t now = env_now(&a->env);
    bool found = false;

    auth_hash(secret, hash);
    pthread_mutex_lock(&a->lock);
    for (size_t i = 0; i < SIGNED_MAX; i++) {
        bool same = auth_same(in[i].hash, hash);

        if (same && in[i].expires > now)
            found = true;
        if (same && take)
            in[i].expires = 0;
    }
    if (found && take)
        __atomic_add_fetch(&a->changes, 1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&a->lock);
    return found;
}

const char *auth_link(struct auth *a, struct bough_arena *arena)
{
    char secret[2 * SECRET_BYTES + 1];

    auth_secret(a, secret);
    keep(a, a->links, secret, LINK_MS);
    return arena_printf(arena, "/login?code=%s", secret);
}

int64_t auth_browser_expires(const struct auth *a, const char *hash)
{
    int64_t expires = 0;

    for (size_t i = 0; i < SIGNED_MAX; i++)
        if (auth_same(a->browsers[i].hash, hash))
            expires = a->browsers[i].expires;
    return expires;
}

bool auth_browser(struct auth *a, const char *secret, struct auth_pass *pass)
{
    bool found = known(a, a->browsers, secret, false);

    if (found)
        auth_pass_fill(a, pass, secret, true, env_now(&a->env) + 1); /* looked up at first use */
    return found;
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

    (void)err;
    /* HEAD comes from link previews: it must not use up the link. */
    if (!code || !known(a, a->links, code, req->method == HTTP_GET))
        return http_refuse(res, 403, "link_used",
                           "this link was used or is too old: `bough serve` prints a new one");
    if (req->method == HTTP_GET) {
        auth_secret(a, secret);
        keep(a, a->browsers, secret, COOKIE_MS);
        set_cookie(req, res, secret, COOKIE_MS / 1000);
    }
    send_home(res);
    return BOUGH_OK;
}

static enum bough_rc logout(struct http_req *req, struct http_res *res, struct bough_error *err)
{
    struct auth *a = auth_who(req)->auth;
    const char *secret = auth_cookie(req);

    (void)err;
    if (secret)
        (void)known(a, a->browsers, secret, true);
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
