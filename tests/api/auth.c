/* Access control: every route with every credential, carrier, Host and Origin. */
#include <stdlib.h>
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"

/* True if the gate let the request through, whatever the handler answered. 400 is also the answer
 * to a missing body. */
static bool passed(const struct http_reply *r)
{
    int status = r->status;

    if (status == 400)
        return strstr(r->body.p, "two_credentials") == NULL;
    return status != 401 && status != 403 && status != 421 && status != 429;
}

struct credential {
    const char *name, *headers;
    unsigned scopes; /* scopes it grants; 0: none */
    int refused;     /* status on every route that is not open; 0: accepted */
};

struct origin {
    const char *headers;
    int refused; /* expected status; 0: let through */
    bool cookie_only;
};

static void check_row(struct test *t, struct world *w, const struct http_route *r,
                      const struct credential *c, const struct origin *o)
{
    bool cookie = strstr(c->headers, "bough_7331=") != NULL;
    const char *headers =
        arena_printf(t->arena, "%s%sContent-Type: application/json\r\n", c->headers, o->headers);
    struct http_reply got = world_ask(t, w, r->method, world_path(t, r), headers, "");
    int want = 0;

    if (strcmp(r->path, "/login") == 0)
        return; /* its handler answers 403 itself; tested below */
    if (o->refused && (!o->cookie_only || cookie))
        want = o->refused;
    else if (r->needs & AUTH_OPEN)
        want = 0;
    else if (c->refused)
        want = c->refused;
    else if (r->needs & AUTH_ALL & ~c->scopes)
        want = 403;
    if (want ? got.status != want : !passed(&got))
        FAIL("%s %s as %s with %s: %d, not %d", r->method, r->path, c->name, o->headers, got.status,
             want);
    if (want && strstr(got.body.p, "sqlite"))
        FAIL("%s %s says too much: %s", r->method, r->path, got.body.p);
}

STORE_TEST_SECONDS(every_route_asks_for_its_scope_from_an_allowed_host_and_origin, 120)
{
    struct world w;
    const char *link, *cookie;
    struct http_reply r;

    world_open(t, &w);
    link = auth_link(w.auth, t->arena);
    r = world_ask(t, &w, "GET", link, "", "");
    CHECK_INT(303, r.status);
    cookie = arena_strdup(t->arena, http_reply_header(&r, "set-cookie"));
    cookie = arena_printf(t->arena, "Cookie: a=b; %.*s\r\n", (int)strcspn(cookie, ";"), cookie);
    {
        const char *reader = world_token(t, "reader", "read", ""),
                   *dead = world_token(t, "dead", "all", "");
        const struct credential credentials[] = {
            { "nobody", "", 0, 401 },
            { "a reader", bearer(t, reader), AUTH_READ, 0 },
            { "a writer", bearer(t, world_token(t, "writer", "append,fork", "")),
              AUTH_APPEND | AUTH_FORK, 0 },
            { "an admin", bearer(t, world_token(t, "admin", "all", "")), AUTH_ALL, 0 },
            { "a browser", cookie, AUTH_ALL, 0 },
            { "a revoked token", bearer(t, dead), 0, 401 },
            { "another scheme", "Authorization: Basic YTpi\r\n", 0, 401 },
            { "no token", "Authorization: Bearer \r\n", 0, 401 },
            { "two carriers", arena_printf(t->arena, "%s%s", bearer(t, reader), cookie), 0, 400 },
            { "a token as the cookie", arena_printf(t->arena, "Cookie: bough_7331=%s\r\n", reader),
              0, 401 },
            { "a cookie of another port", "Cookie: bough_80=x\r\n", 0, 401 },
        };
        static const struct origin origins[] = {
            { "", 0, false },
            { "Origin: http://localhost:7331\r\n", 0, false },
            { "Origin: https://evil.example\r\n", 403, false },
            { "Origin: http://localhost:7332\r\n", 403, false },
            { "Origin: null\r\n", 403, false },
            { "Sec-Fetch-Site: cross-site\r\n", 403, false },
            { "Sec-Fetch-Site: same-site\r\n", 403, true },
            { "Sec-Fetch-Site: same-origin\r\n", 0, false },
            { "Host: evil.example\r\n", 421, false },
            { "Host: localhost:7332\r\n", 421, false },
            { "Host: 127.0.0.1:7331\r\n", 0, false },
            { "Host: [::1]:7331\r\n", 0, false },
        };
        const struct http_route *const *tables = api_all(w.api);

        CHECK_OK(auth_token_revoke(t->store, "dead", &t->err));
        for (size_t i = 0; tables[i]; i++)
            for (const struct http_route *row = tables[i]; row->method; row++)
                for (size_t c = 0; c < sizeof credentials / sizeof *credentials; c++) {
                    t->env.now += 61000; /* failed attempts are forgotten after a minute */
                    for (size_t o = 0; o < sizeof origins / sizeof *origins; o++)
                        if (strcmp(row->path, "/logout") != 0)
                            check_row(t, &w, row, &credentials[c], &origins[o]);
                }
    }
    world_close(&w);
}

static bool known_schema(const char *name)
{
    static const char *const others[] = { "text", "html", "events", "bytes" };

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], name) == 0)
            return true;
    for (size_t i = 0; api_schema_at(i); i++)
        if (strcmp(api_schema_at(i)->name, name) == 0)
            return true;
    return false;
}

STORE_TEST(every_route_row_has_a_description_and_scopes)
{
    struct world w;
    const struct http_route *const *tables;

    world_open(t, &w);
    tables = api_all(w.api);
    for (size_t i = 0; tables[i]; i++) {
        for (const struct http_route *r = tables[i]; r->method; r++) {
            if (!r->needs || !r->about || r->about[strlen(r->about) - 1] == ' ')
                FAIL("%s %s has no needs or no about", r->method, r->path);
            if (!strchr(".?", r->about[strlen(r->about) - 1]))
                FAIL("%s %s: a sentence ends with a stop", r->method, r->path);
            for (int k = 0; k < 2; k++) {
                const char *name = k ? r->gives : r->takes;

                if (name && !known_schema(name))
                    FAIL("%s %s: no schema %s", r->method, r->path, name);
            }
        }
    }
    world_close(&w);
}

/* Clients of providers send the token as they send a provider's key. */
STORE_TEST(D5_a_route_of_the_gateway_takes_the_token_as_clients_send_it)
{
    const char *ours, *other;
    struct world w;

    world_open(t, &w);
    ours = world_token(t, "tool", "gateway", "");
    other = world_token(t, "other", "gateway", "");
    {
        const struct {
            const char *headers;
            int status;
        } rows[] = {
            { bearer(t, ours), 200 },
            { arena_printf(t->arena, "x-api-key: %s\r\n", ours), 200 },
            { arena_printf(t->arena, "X-Bough-Token: %s\r\n", ours), 200 },
            { arena_printf(t->arena, "x-api-key: %s\r\n%s", ours, bearer(t, ours)), 200 },
            /* two that differ, also if both are valid */
            { arena_printf(t->arena, "x-api-key: %s\r\n%s", ours, bearer(t, other)), 400 },
            { arena_printf(t->arena, "x-api-key: sk-own\r\n%s", bearer(t, ours)), 400 },
            { arena_printf(t->arena, "x-api-key: %s\r\nAuthorization: Basic YTpi\r\n", ours), 400 },
            /* next to X-Bough-Token both are the client's own key */
            { arena_printf(t->arena, "X-Bough-Token: %s\r\nx-api-key: sk-own\r\n", ours), 200 },
            { arena_printf(t->arena, "X-Bough-Token: %s\r\n%s", ours, bearer(t, "sk-own")), 200 },
            { arena_printf(t->arena, "X-Bough-Token: wrong\r\n%s", bearer(t, ours)), 401 },
            { "x-api-key: sk-own\r\n", 401 },
            { "X-Bough-Token: \r\n", 401 },
            { arena_printf(t->arena, "x-api-key: %s\r\nCookie: bough_7331=x\r\n", ours), 400 },
            { arena_printf(t->arena, "X-Bough-Token: %s\r\nCookie: bough_7331=x\r\n", ours), 400 },
            { arena_printf(t->arena, "x-api-key: %s\r\nx-api-key: %s\r\n", ours, ours), 400 },
        };

        for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
            int got = world_ask(t, &w, "GET", "/v1/models", rows[i].headers, "").status;

            if (got != rows[i].status)
                FAIL("row %zu: %d, not %d", i, got, rows[i].status);
        }
    }
    world_close(&w);
}

STORE_TEST(D5_other_routes_take_the_token_only_as_a_bearer)
{
    const char *reader;
    struct world w;

    world_open(t, &w);
    reader = world_token(t, "reader", "read", "");
    CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1",
                             arena_printf(t->arena, "x-api-key: %s\r\n", reader), "")
                       .status);
    CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1",
                             arena_printf(t->arena, "X-Bough-Token: %s\r\n", reader), "")
                       .status);
    CHECK_INT(200,
              world_ask(t, &w, "GET", "/api/v1",
                        arena_printf(t->arena, "X-Bough-Token: x\r\n%s", bearer(t, reader)), "")
                  .status);
    world_close(&w);
}

STORE_TEST(a_link_signs_in_once_and_the_cookie_is_out_of_reach_of_scripts)
{
    struct world w;
    struct http_reply r;
    const char *link, *cookie, *line;

    world_open(t, &w);
    link = auth_link(w.auth, t->arena);
    CHECK_INT(303, world_ask(t, &w, "HEAD", link, "", "").status); /* HEAD does not consume it */
    r = world_ask(t, &w, "GET", link, "", "");
    CHECK_INT(303, r.status);
    CHECK_STR("/", http_reply_header(&r, "location"));
    cookie = http_reply_header(&r, "set-cookie");
    CHECK(strstr(cookie, "; HttpOnly; SameSite=Strict") && !strstr(cookie, "Secure"));
    CHECK(strncmp(cookie, "bough_7331=", 11) == 0);
    CHECK_INT(403, world_ask(t, &w, "GET", link, "", "").status);
    CHECK_INT(403, world_ask(t, &w, "GET", "/login?code=x", "", "").status);
    line = arena_printf(t->arena, "Cookie: %.*s\r\n", (int)strcspn(cookie, ";"), cookie);
    CHECK_INT(200, world_ask(t, &w, "GET", "/api/v1", line, "").status);
    t->env.now += INT64_C(8) * 24 * 3600 * 1000;
    CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1", line, "").status);
    link = auth_link(w.auth, t->arena);
    t->env.now += 11 * 60 * 1000;
    CHECK_INT(403, world_ask(t, &w, "GET", link, "", "").status); /* the link has expired */
    world_close(&w);
}

STORE_TEST(signing_out_ends_the_cookie)
{
    struct world w;
    struct http_reply r;
    const char *line;

    world_open(t, &w);
    r = world_ask(t, &w, "GET", auth_link(w.auth, t->arena), "", "");
    line = http_reply_header(&r, "set-cookie");
    line = arena_printf(t->arena, "Cookie: %.*s\r\nContent-Type: application/json\r\n",
                        (int)strcspn(line, ";"), line);
    CHECK_INT(204, world_ask(t, &w, "POST", "/logout", line, "").status);
    CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1", line, "").status);
    world_close(&w);
}

STORE_TEST(a_token_is_shown_once_and_kept_as_its_hash)
{
    struct auth_token in = { .label = "ci", .scopes = AUTH_READ, .project = "/srv/shop" }, made;
    struct auth_tokens all;
    const char *secret, *again;

    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &secret, &made, &t->err));
    CHECK_INT(6 + 64, strlen(secret));
    CHECK(strncmp(secret, "bough_", 6) == 0);
    CHECK_RC(BOUGH_EXISTS,
             auth_token_create(t->store, t->arena, &in, NULL, &again, &made, &t->err));
    CHECK_OK(auth_token_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(1, all.n);
    CHECK_STR("ci", all.at[0].label);
    CHECK_STR("/srv/shop", all.at[0].project);
    CHECK_STR("read", auth_scopes_text(t->arena, all.at[0].scopes));
    CHECK_OK(auth_token_revoke(t->store, all.at[0].id, &t->err));
    CHECK_OK(auth_token_revoke(t->store, "ci", &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, auth_token_revoke(t->store, "cd", &t->err));
    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &again, &made, &t->err));
    CHECK(strcmp(secret, again) != 0);
    in.scopes = 0;
    CHECK_RC(BOUGH_INVALID,
             auth_token_create(t->store, t->arena, &in, NULL, &again, &made, &t->err));
    CHECK_RC(BOUGH_INVALID, auth_scopes_parse("read,fly", &in.scopes, &t->err));
}

STORE_TEST(revoked_and_expired_tokens_are_refused_at_the_next_request)
{
    struct auth_token in = { .label = "short", .scopes = AUTH_READ, .expires = t->env.now + 1000 },
                      made;
    const char *secret, *other;
    struct world w;

    world_open(t, &w);
    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &secret, &made, &t->err));
    other = world_token(t, "other", "read", "");
    CHECK_INT(200, world_ask(t, &w, "GET", "/api/v1", bearer(t, secret), "").status);
    t->env.now += 2000;
    CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1", bearer(t, secret), "").status);
    CHECK_INT(200, world_ask(t, &w, "GET", "/api/v1", bearer(t, other), "").status);
    CHECK_OK(auth_token_revoke(t->store, "other", &t->err));
    CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1", bearer(t, other), "").status);
    world_close(&w);
}

STORE_TEST(a_token_remembers_roughly_when_it_was_used)
{
    const char *secret = world_token(t, "ci", "read", "");
    struct auth_tokens all;
    struct world w;
    int64_t first;

    world_open(t, &w);
    CHECK_INT(200, world_ask(t, &w, "GET", "/api/v1", bearer(t, secret), "").status);
    CHECK_OK(auth_token_list(t->store, t->arena, &all, &t->err));
    first = all.at[0].used;
    CHECK(first > 0);
    t->env.now += 30 * 1000;
    CHECK_INT(200, world_ask(t, &w, "GET", "/api/v1", bearer(t, secret), "").status);
    CHECK_OK(auth_token_list(t->store, t->arena, &all, &t->err));
    CHECK_INT(first, all.at[0].used); /* at most one write a minute */
    t->env.now += 31 * 1000;
    CHECK_INT(200, world_ask(t, &w, "GET", "/api/v1", bearer(t, secret), "").status);
    CHECK_OK(auth_token_list(t->store, t->arena, &all, &t->err));
    CHECK(all.at[0].used > first);
    world_close(&w);
}

STORE_TEST(guessing_is_slowed_down_and_valid_credentials_of_the_same_address_are_not)
{
    const char *secret = world_token(t, "ci", "read", "");
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    for (int i = 0; i < 20; i++)
        CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1", bearer(t, "bough_x"), "").status);
    for (int i = 0; i < 20; i++) {
        r = world_ask(t, &w, "GET", "/api/v1", bearer(t, "bough_x"), "");
        CHECK_INT(429, r.status);
        CHECK_STR("60", http_reply_header(&r, "retry-after"));
        CHECK_INT(429,
                  world_ask(t, &w, "GET", "/api/v1", "Cookie: bough_7331=stale\r\n", "").status);
        CHECK_INT(200, world_ask(t, &w, "GET", "/api/v1", bearer(t, secret), "").status);
    }
    CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1", "", "").status);
    t->env.now += 61000;
    CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1", bearer(t, "bough_x"), "").status);
    world_close(&w);
}

/* No proxy is configured, so what a request says about its sender counts for nothing. */
STORE_TEST(a_forwarded_address_does_not_hide_who_guesses)
{
    struct world w;

    world_open(t, &w);
    for (int i = 0; i < 20; i++)
        CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1",
                                 arena_printf(t->arena, "%sX-Forwarded-For: 10.0.0.%d\r\n",
                                              bearer(t, "bough_x"), i),
                                 "")
                           .status);
    CHECK_INT(429, world_ask(t, &w, "GET", "/api/v1", bearer(t, "bough_x"), "").status);
    world_close(&w);
}
