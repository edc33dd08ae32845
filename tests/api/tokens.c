/* Tokens over HTTP, and browsers that stay signed in. */
#include <stdio.h>
#include <string.h>

#include "api/world.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "store/engine/engine.h"

static struct http_reply ask(struct test *t, struct world *w, const char *method,
                             const char *target, const char *headers, const char *body)
{
    return world_ask(t, w, method, target,
                     arena_printf(t->arena, "Content-Type: application/json\r\n%s", headers), body);
}

STORE_TEST(a_token_is_created_listed_and_revoked_over_http)
{
    const char *secret, *id;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    j = world_gives(t, &w, "POST", "/api/v1/tokens",
                    "{\"name\":\"ci\",\"scopes\":\"read,export\",\"project\":\"/srv/shop\"}", 201);
    secret = text_at(t, j, "secret");
    id = text_at(t, j, "id");
    CHECK_STR("api", text_at(t, j, "kind"));
    CHECK_STR("read,export", text_at(t, j, "scopes"));
    CHECK_STR("null", text_at(t, j, "last_used"));
    CHECK(strcmp("null", text_at(t, j, "expires")) != 0); /* 90 days, as on the command line */
    CHECK_INT(200, world_ask(t, &w, "GET", "/api/v1/sessions", bearer(t, secret), "").status);
    r = world_own(t, &w, "GET", "/api/v1/tokens", "");
    CHECK(!strstr(r.body.p, secret) && !strstr(r.body.p, "secret") && !strstr(r.body.p, "hash"));
    j = world_gives(t, &w, "GET", "/api/v1/tokens", "", 200);
    CHECK_STR("ci", text_at(t, j, "items.0.name"));
    CHECK_STR("/srv/shop", text_at(t, j, "items.0.project"));
    CHECK(strcmp("null", text_at(t, j, "items.0.last_used")) != 0);
    world_gives(t, &w, "POST", "/api/v1/tokens", "{\"name\":\"ci\",\"scopes\":\"read\"}", 409);
    world_gives(t, &w, "POST", "/api/v1/tokens", "{\"name\":\"x\",\"scopes\":\"fly\"}", 422);
    world_gives(t, &w, "POST", "/api/v1/tokens", "{\"name\":\"\",\"scopes\":\"read\"}", 422);
    world_gives(t, &w, "POST", "/api/v1/tokens", "{\"name\":\"x\"}", 422);
    world_gives(t, &w, "POST", "/api/v1/tokens",
                "{\"name\":\"x\",\"scopes\":\"read\",\"expires\":\"2001-01-01\"}", 422);
    world_gives(t, &w, "DELETE", "/api/v1/tokens/ci", "", 404); /* by its id only */
    world_gives(t, &w, "DELETE", arena_printf(t->arena, "/api/v1/tokens/%s", id), "", 204);
    world_gives(t, &w, "DELETE", arena_printf(t->arena, "/api/v1/tokens/%s", id), "", 204);
    CHECK_INT(401, world_ask(t, &w, "GET", "/api/v1/sessions", bearer(t, secret), "").status);
    j = world_gives(t, &w, "GET", "/api/v1/tokens", "", 200);
    CHECK(strcmp("null", text_at(t, j, "items.0.revoked")) != 0);
    world_close(&w);
}

STORE_TEST(nobody_gives_a_scope_that_they_do_not_have)
{
    struct http_reply r;
    const char *admin, *bound;
    struct world w;

    world_open(t, &w);
    admin = bearer(t, world_token(t, "admin", "admin,read", ""));
    bound = bearer(t, world_token(t, "bound", "all", "/srv/shop"));
    r = ask(t, &w, "POST", "/api/v1/tokens", admin, "{\"name\":\"a\",\"scopes\":\"all\"}");
    CHECK_INT(403, r.status);
    CHECK_STR("scope", text_at(t, reply_json(t, &r), "error.code"));
    r = ask(t, &w, "POST", "/api/v1/tokens", admin, "{\"name\":\"a\",\"scopes\":\"delete\"}");
    CHECK_INT(403, r.status);
    r = ask(t, &w, "POST", "/api/v1/tokens", admin, "{\"name\":\"a\",\"scopes\":\"read\"}");
    CHECK_INT(201, r.status);
    CHECK_INT(
        403,
        ask(t, &w, "POST", "/api/v1/tokens", bound, "{\"name\":\"b\",\"scopes\":\"read\"}").status);
    CHECK_INT(403, ask(t, &w, "GET", "/api/v1/tokens", bound, "").status);
    world_close(&w);
}

/* ---- browsers ---- */

/* Sign in and return the Cookie line. */
static const char *sign_in(struct test *t, struct world *w, const char *headers)
{
    struct http_reply r = world_ask(t, w, "GET", auth_link(w->auth, t->arena), headers, "");
    const char *cookie = http_reply_header(&r, "set-cookie");

    CHECK_INT(303, r.status);
    return arena_printf(t->arena, "Cookie: %.*s\r\n", (int)strcspn(cookie, ";"), cookie);
}

static int status(struct test *t, struct world *w, const char *cookie)
{
    return world_ask(t, w, "GET", "/api/v1", cookie, "").status;
}

STORE_TEST(a_browser_stays_signed_in_when_the_server_restarts)
{
    const char *cookie, *other, *id;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    cookie = sign_in(t, &w, "User-Agent: Firefox/1\t\xff\xc3\xa9\r\n");
    other = sign_in(t, &w, "");
    CHECK_INT(200, status(t, &w, cookie));
    world_close(&w);
    if (store_lasts(t))
        store_reopen(t);
    world_open(t, &w);
    CHECK_INT(200, status(t, &w, cookie));
    j = world_gives(t, &w, "GET", "/api/v1/tokens", "", 200);
    CHECK_INT(2, json_count(json_member(j, "items")));
    CHECK_STR("browser", text_at(t, j, "items.0.kind"));
    CHECK_STR("Firefox/1 ?\xc3\xa9", text_at(t, j, "items.0.user_agent"));
    id = text_at(t, j, "items.0.id");
    r = ask(t, &w, "DELETE", arena_printf(t->arena, "/api/v1/tokens/%s", id),
            arena_printf(t->arena, "Origin: http://localhost:7331\r\n%s", other), "");
    CHECK_INT(204, r.status); /* one browser signs out another */
    CHECK_INT(401, status(t, &w, cookie));
    CHECK_INT(200, status(t, &w, other));
    j = world_gives(t, &w, "GET", "/api/v1/tokens", "", 200);
    CHECK_INT(1, json_count(json_member(j, "items")));
    CHECK_RC(BOUGH_NOT_FOUND, auth_token_revoke(t->store, "browser", &t->err)); /* it is no name */
    world_close(&w);
}

STORE_TEST(a_cookie_is_no_token_and_a_token_is_no_cookie)
{
    const char *cookie, *secret = world_token(t, "ci", "read", "");
    struct world w;

    world_open(t, &w);
    cookie = sign_in(t, &w, "");
    CHECK_INT(401, status(t, &w, bearer(t, arena_strndup(t->arena, strchr(cookie, '=') + 1, 64))));
    CHECK_INT(401, status(t, &w, arena_printf(t->arena, "Cookie: bough_7331=%s\r\n", secret)));
    world_close(&w);
}

STORE_TEST(the_cookie_of_another_store_is_refused)
{
    const char *cookie, *url = store_url(t, "another"), *first = t->url;
    struct bough_store *ours = t->store, *theirs;
    struct world w;

    world_open(t, &w);
    cookie = sign_in(t, &w, "");
    CHECK_INT(200, status(t, &w, cookie));
    world_close(&w);
    CHECK_OK(bough_store_open(&theirs, url, NULL, &t->err));
    t->store = theirs;
    world_open(t, &w);
    CHECK_INT(401, status(t, &w, cookie));
    world_close(&w);
    t->store = ours;
    t->url = first;
    bough_store_close(&theirs);
    store_remove(url);
}

static bool count(void *user, const struct record_row *row)
{
    (void)row;
    ++*(int *)user;
    return true;
}

static int records(struct test *t)
{
    struct snap snap;
    int n = 0;

    CHECK_OK(snap_begin(t->store, &snap, &t->err));
    CHECK_OK(snap.ops->record_scan(snap.v, 0, RECORD_TOKEN, 1, false, count, &n, &t->err));
    snap_end(&snap);
    return n;
}

/* Records have no gaps, so those of browsers that are gone are used again. */
STORE_TEST(signing_in_again_and_again_leaves_a_bounded_number_of_records)
{
    const char *first, *last = "";
    struct world w;

    world_open(t, &w);
    first = sign_in(t, &w, "");
    for (int i = 0; i < 70; i++)
        last = sign_in(t, &w, "");
    CHECK_INT(64, records(t));
    CHECK_INT(401, status(t, &w, first)); /* it expired first */
    CHECK_INT(200, status(t, &w, last));
    t->env.now += INT64_C(8) * 24 * 3600 * 1000;
    CHECK_INT(401, status(t, &w, last));
    CHECK_INT(
        0, json_count(json_member(world_gives(t, &w, "GET", "/api/v1/tokens", "", 200), "items")));
    CHECK_INT(200, status(t, &w, sign_in(t, &w, "")));
    CHECK_INT(64, records(t));
    world_close(&w);
}

static bool holds(struct test *t, const char *path, const char *text)
{
    FILE *f = fopen(path, "rb");
    char *bytes = arena_alloc(t->arena, 1 << 22);
    size_t n = f ? fread(bytes, 1, 1 << 22, f) : 0;

    if (f)
        fclose(f);
    return n && memmem(bytes, n, text, strlen(text));
}

STORE_TEST(the_store_holds_the_hash_of_a_cookie_and_never_the_cookie)
{
    const char *cookie, *path;
    struct bough_store_info_result info;
    struct world w;

    if (!store_has_file(t))
        SKIP("this backend has no file");
    world_open(t, &w);
    cookie = strchr(sign_in(t, &w, "User-Agent: Firefox/1\r\n"), '=') + 1;
    cookie = arena_strndup(t->arena, cookie, 64);
    world_close(&w);
    CHECK_OK(bough_store_info(t->store, t->arena, &info, &t->err));
    path = arena_strdup(t->arena, info.path);
    store_reopen(t);
    CHECK(holds(t, path, "Firefox/1"));
    CHECK(!holds(t, path, cookie) && !holds(t, arena_printf(t->arena, "%s-wal", path), cookie));
}

STORE_TEST(the_owner_makes_a_link_that_signs_a_browser_in_once)
{
    const char *link;
    struct http_reply r;
    struct world w;
    struct json j;

    world_open(t, &w);
    /* A server without TCP has no page for a browser. */
    auth_allow_host(w.auth, "127.0.0.1", 7331);
    j = world_gives(t, &w, "POST", "/api/v1/login-links", "", 201);
    link = text_at(t, j, "link");
    CHECK(strncmp(link, "http://", 7) == 0 && strstr(link, "/login?code="));
    link = strstr(link, "/login");
    r = world_ask(t, &w, "GET", link, "Host: 127.0.0.1:7331\r\n", "");
    CHECK_INT(303, r.status);
    CHECK(strstr(http_reply_header(&r, "set-cookie"), "HttpOnly"));
    r = world_ask(t, &w, "GET", link, "Host: 127.0.0.1:7331\r\n", "");
    CHECK_INT(403, r.status);
    world_close(&w);
}

STORE_TEST(a_token_with_less_than_every_right_makes_no_link)
{
    const char *all = world_token(t, "all", "all", NULL);
    const char *some = world_token(t, "some", "read,admin", NULL);
    const char *one = world_token(t, "one", "all", "/srv/shop");
    struct http_reply r;
    struct world w;

    world_open(t, &w);
    r = world_ask(t, &w, "POST", "/api/v1/login-links", bearer(t, one), "");
    CHECK_INT(403, r.status);
    r = world_ask(t, &w, "POST", "/api/v1/login-links", bearer(t, some), "");
    CHECK_INT(403, r.status);
    r = world_ask(t, &w, "POST", "/api/v1/login-links", bearer(t, all), "");
    CHECK_INT(201, r.status);
    world_close(&w);
}
