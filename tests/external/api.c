/* External agents and changed files over HTTP. */
#include "api/api.h"

#include <string.h>

#include "auth/auth.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "http/loopback.h"
#include "run/api/routes.h"
#include "world.h"

struct served {
    struct ext_world w;
    struct auth *auth;
    struct api *api;
    struct http_reply got;
};

static void serve(struct test *t, struct served *s)
{
    static const struct http_route *const more[] = { run_agent_routes, run_file_routes,
                                                     run_approval_routes, NULL };

    ext_world_open(t, &s->w, NULL);
    s->auth = auth_create(t->store, NULL, NULL);
    s->api = api_create(&(struct api_config){
        .store = t->store, .auth = s->auth, .more = more, .runner = s->w.runner });
}

static void serve_end(struct served *s)
{
    api_destroy(s->api);
    auth_destroy(s->auth);
    ext_world_close(&s->w);
}

/* The status of a request; its answer is in s->got. `token` NULL: the owner. */
static int say(struct served *s, const char *method, const char *path, const char *body,
               const char *token)
{
    struct test *t = s->w.t;
    struct http_ask in = { .method = method,
                           .target = path,
                           .body = str_of(body),
                           .via = token ? HTTP_VIA_TCP : HTTP_VIA_UNIX };

    in.headers = arena_printf(t->arena, "Content-Type: application/json\r\n%s%s%s",
                              token ? "Host: localhost:80\r\nAuthorization: Bearer " : "",
                              token ? token : "", token ? "\r\n" : "");
    http_loopback(api_app(s->api), t->arena, &in, &s->got);
    return s->got.status;
}

static bool says(const struct served *s, const char *part)
{
    return strstr(s->got.body.p, part) != NULL;
}

STORE_TEST_SECONDS(agents_are_listed_and_probed_over_http, 90)
{
    struct served s;

    serve(t, &s);
    CHECK_INT(200, say(&s, "GET", "/api/v1/agents", "", NULL));
    CHECK(says(&s, "\"name\":\"fake\"") && says(&s, "\"name\":\"gemini\""));
    CHECK_INT(200, say(&s, "POST", "/api/v1/agents/fake/probe", "{}", NULL));
    CHECK(says(&s, "\"status\":\"ready\"") && says(&s, "\"version\":\"1.2.3\""));
    CHECK_INT(404, say(&s, "POST", "/api/v1/agents/nobody/probe", "{}", NULL));
    serve_end(&s);
}

STORE_TEST_SECONDS(options_of_an_agent_count_from_its_next_turn_on, 90)
{
    struct auth_token in = { .label = "runs", .project = "", .scopes = AUTH_READ | AUTH_RUN }, out;
    const char *path, *token;
    struct bough_session *now;
    struct served s;

    serve(t, &s);
    path = arena_printf(t->arena, "/api/v1/sessions/%s/agent-options", s.w.session);
    CHECK_INT(422, say(&s, "PUT", path, "{\"options\":{\"model\":\"fake-small\"}}", NULL));
    ext_world_turn(&s.w, "hello");
    CHECK_INT(200, say(&s, "GET", path, "", NULL));
    CHECK(says(&s, "\"adapter\":\"fake\"") && says(&s, "fake-large"));
    CHECK_INT(200, say(&s, "PUT", path,
                       "{\"options\":{\"model\":\"fake-small\",\"mode\":\"auto\"}}", NULL));
    ext_world_turn(&s.w, "hello");
    CHECK_OK(bough_session_get(t->store, t->arena, s.w.session, &now, &t->err));
    CHECK_STR("fake-small", now->last_model);
    CHECK(strstr(now->data.p, "\"mode\":\"auto\"") != NULL);
    CHECK_INT(422, say(&s, "PUT", path, "{\"options\":{\"model\":7}}", NULL));
    /* A mode in which the agent approves for itself is a matter of approving. */
    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &token, &out, &t->err));
    auth_allow_host(s.auth, "127.0.0.1", 80);
    CHECK_INT(403, say(&s, "PUT", path, "{\"options\":{\"mode\":\"auto\"}}", token));
    CHECK_INT(200, say(&s, "PUT", path, "{\"options\":{\"mode\":\"ask\"}}", token));
    serve_end(&s);
}

STORE_TEST_SECONDS(an_approval_without_a_fitting_option_lists_the_options, 90)
{
    struct bough_approval *p;
    const char *run, *path;
    struct served s;

    serve(t, &s);
    run = ext_world_start(&s.w, "onlyalways");
    p = ext_world_asked(&s.w, run);
    path = arena_printf(t->arena, "/api/v1/approvals/%s/resolve", p->id);
    CHECK_INT(409, say(&s, "POST", path, "{\"decision\":\"approve\"}", NULL));
    CHECK(says(&s, "allow_always"));
    CHECK_INT(409, say(&s, "POST", path, "{\"decision\":\"approve\",\"option\":\"x\"}", NULL));
    CHECK_INT(200, say(&s, "POST", path, "{\"decision\":\"approve\",\"option\":\"always\"}", NULL));
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_wait(&s.w, run)->status);
    serve_end(&s);
}

STORE_TEST_SECONDS(changed_files_are_listed_shown_and_taken_back_over_http, 90)
{
    const char *run, *path;
    struct served s;

    serve(t, &s);
    shell(&s.w,
          "git init -q . && mkdir d && echo one > a.txt && git add . && git -c user.name=t -c "
          "user.email=t@example.org commit -qm first");
    run = ext_world_start(&s.w, "write");
    ext_world_wait(&s.w, run);
    path = arena_printf(t->arena, "/api/v1/runs/%s/files", run);
    CHECK_INT(200, say(&s, "GET", path, "", NULL));
    CHECK(says(&s, "{\"path\":\"made.txt\",\"status\":\"added\",\"additions\":1,\"deletions\":0}"));
    path = arena_printf(t->arena, "/api/v1/runs/%s/diff", run);
    CHECK_INT(200, say(&s, "GET", arena_printf(t->arena, "%s?path=made.txt", path), "", NULL));
    CHECK(says(&s, "+made") && !says(&s, "+more"));
    CHECK_INT(200, say(&s, "GET", path, "", NULL));
    CHECK(says(&s, "+made") && says(&s, "+more"));
    CHECK_INT(404, say(&s, "GET", arena_printf(t->arena, "%s?path=d/other", path), "", NULL));
    path = arena_printf(t->arena, "/api/v1/runs/%s/revert", run);
    CHECK_INT(404, say(&s, "POST", path, "{\"paths\":[\"../x\"]}", NULL));
    CHECK_INT(200, say(&s, "POST", path, "{\"paths\":[\"made.txt\"]}", NULL));
    CHECK(file_text(&s.w, "made.txt") == NULL);
    CHECK(ext_world_told(&s.w, "files_reverted"));
    CHECK_INT(409, say(&s, "POST", path, "{}", NULL)); /* one of them is gone already */
    serve_end(&s);
}
