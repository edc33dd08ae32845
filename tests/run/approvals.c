/* Approvals: who is asked, what an answer does, and that nothing runs without one. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/api.h"
#include "auth/auth.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "http/loopback.h"
#include "run/script.h"

#define WITH_FILES "\"servers\":[\"files\"],\"workspace\":\"%s\""

static const char *write_args(struct test *t, const char *path, const char *text)
{
    return arena_printf(t->arena, "{\"path\":\"%s\",\"content\":\"%s\"}", path, text);
}

/* The contents of a file of the workspace; "" without one. */
static const char *file_text(struct test *t, const char *dir, const char *name)
{
    char *text = arena_zalloc(t->arena, 1000);
    FILE *f = fopen(arena_printf(t->arena, "%s/%s", dir, name), "r");

    if (f) {
        CHECK(fread(text, 1, 999, f) < 999);
        fclose(f);
    }
    return text;
}

static const char *begin_write(struct world *w, const char *session, const char *dir,
                               const char *name)
{
    say_call(w, "files_write", write_args(w->t, name, "hello"));
    return start_run(w, session, "write", arena_printf(w->t->arena, WITH_FILES, dir));
}

STORE_TEST(a_run_waits_without_an_owner_and_goes_on_when_a_person_approves)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir, *run;
    struct bough_approval *p;
    struct bough_run *r;

    script_open(t, &w, &dir);
    run = begin_write(&w, s, dir, "a.txt");
    p = wait_asked(&w, run, 1);
    r = wait_run(&w, run, BOUGH_RUN_AWAITING_APPROVAL);
    CHECK_STR("files/write", p->tool);
    CHECK_STR(arena_printf(t->arena, "run:%s", run), r->lease->owner);
    CHECK_STR("", file_text(t, dir, "a.txt"));
    say_text(&w, "written");
    CHECK_INT(200, resolve(&w, p->id, "{\"decision\":\"approve\"}"));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    CHECK_STR("hello", file_text(t, dir, "a.txt"));
    CHECK_INT(409, resolve(&w, p->id, "{\"decision\":\"reject\"}"));
    CHECK_STR("user:write assistant:files_write() tool:files_write=ok assistant:written",
              story(&w, s));
    world_close(&w);
}

STORE_TEST(a_restart_while_it_waits_changes_nothing_and_the_next_server_goes_on)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir, *run;
    struct bough_approval *p;

    script_open(t, &w, &dir);
    run = begin_write(&w, s, dir, "a.txt");
    p = wait_asked(&w, run, 1);
    wait_run(&w, run, BOUGH_RUN_AWAITING_APPROVAL);
    world_close(&w);
    __atomic_add_fetch(&t->env.now, 7LL * 24 * 3600 * 1000, __ATOMIC_RELAXED);
    CHECK_INT(BOUGH_RUN_AWAITING_APPROVAL, run_now(&w, run)->status);
    CHECK_STR("", file_text(t, dir, "a.txt"));
    script_open(t, &w, &dir);
    say_text(&w, "written");
    CHECK_INT(200, resolve(&w, p->id, "{\"decision\":\"approve\"}"));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    CHECK_STR("hello", file_text(t, dir, "a.txt"));
    world_close(&w);
}

STORE_TEST(a_rejection_is_an_error_with_its_note_and_stop_ends_the_run)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir, *run;
    struct bough_run *r;

    script_open(t, &w, &dir);
    run = begin_write(&w, s, dir, "a.txt");
    say_text(&w, "all right");
    CHECK_INT(200, resolve(&w, wait_asked(&w, run, 1)->id,
                           "{\"decision\":\"reject\",\"note\":\"not on Fridays\"}"));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    CHECK(strstr(fake_asked(w.up, 1), "not on Fridays"));
    CHECK_STR("", file_text(t, dir, "a.txt"));
    run = begin_write(&w, s, dir, "b.txt");
    CHECK_INT(422,
              resolve(&w, wait_asked(&w, run, 1)->id, "{\"decision\":\"approve\",\"stop\":true}"));
    CHECK_INT(200,
              resolve(&w, wait_asked(&w, run, 1)->id, "{\"decision\":\"reject\",\"stop\":true}"));
    r = wait_run(&w, run, BOUGH_RUN_FAILED);
    CHECK_STR("rejected", r->error_code);
    CHECK_STR("", file_text(t, dir, "b.txt"));
    CHECK_INT(3, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(an_approval_counts_for_the_call_with_its_own_arguments)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir, *run;
    const char *calls[4];
    struct bough_approval *p;

    script_open(t, &w, &dir);
    calls[0] = calls[2] = "files_write";
    calls[1] = write_args(t, "a.txt", "one");
    calls[3] = write_args(t, "b.txt", "two");
    say_calls(&w, calls, 2);
    run = start_run(&w, s, "go", arena_printf(t->arena, WITH_FILES, dir));
    p = wait_asked(&w, run, 2);
    p = p[0].part == 1 ? &p[0] : &p[1];
    CHECK_INT(200, resolve(&w, p->id, "{\"decision\":\"approve\"}"));
    for (struct wait wait = { 0 }; !*file_text(t, dir, "b.txt");)
        CHECK(wait_more(&wait));
    wait_run(&w, run, BOUGH_RUN_AWAITING_APPROVAL);
    CHECK_STR("two", file_text(t, dir, "b.txt"));
    CHECK_STR("", file_text(t, dir, "a.txt"));
    CHECK_INT(1, fake_count(w.up)); /* the model waits for both */
    say_text(&w, "done");
    CHECK_INT(200, resolve(&w, wait_asked(&w, run, 1)->id, "{\"decision\":\"reject\"}"));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    CHECK_STR("", file_text(t, dir, "a.txt"));
    world_close(&w);
}

STORE_TEST(a_grant_of_the_session_lets_the_next_call_run_and_can_be_taken_back)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir, *run;
    struct got g;
    struct json j, first;
    struct json_iter it;
    struct talk k;

    script_open(t, &w, &dir);
    run = begin_write(&w, s, dir, "a.txt");
    say_text(&w, "1");
    CHECK_INT(200, resolve(&w, wait_asked(&w, run, 1)->id,
                           "{\"decision\":\"approve\",\"scope\":\"session\"}"));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    run = begin_write(&w, s, dir, "b.txt");
    say_text(&w, "2");
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    CHECK_STR("hello", file_text(t, dir, "b.txt"));
    CHECK_INT(1, run_now(&w, run)->approvals); /* settled by the grant, and told */
    g = get_path(&w, arena_printf(t->arena, "/api/v1/grants?session=%s", s));
    CHECK_OK(json_parse(t->arena, g.body, &j, &t->err));
    it = json_iter(json_member(j, "items"));
    CHECK(json_next(&it));
    first = it.value;
    k = talk_begin_raw(
        &w, "DELETE", arena_printf(t->arena, "/api/v1/grants/%s", json_cstr(t->arena, first, "id")),
        "", str_of(""));
    CHECK_INT(204, talk_end(&k).status);
    run = begin_write(&w, s, dir, "c.txt");
    wait_asked(&w, run, 1);
    world_close(&w);
}

STORE_TEST(rules_come_in_order_and_deny_rules_come_before_grants)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir = test_path(t, "work"), *run;
    struct bough_grant_add_options grant = { .scope = BOUGH_SCOPE_ALWAYS, .tool = "files/edit" };
    struct bough_grant *made;
    const char *calls[6];

    (void)mkdir(dir, 0700);
    world_prepare(t, &w);
    world_set(&w, "provider \"up\"", "wires", "chat");
    world_set(&w, "workspaces", "root", dir);
    world_set(&w, "approvals", "rule", "ask files/write workspace=/elsewhere");
    world_set(&w, "approvals", "rule", arena_printf(t->arena, "allow files/wr* workspace=%s", dir));
    world_set(&w, "approvals", "rule", "deny files/edit");
    world_set(&w, "approvals", "rule", "ask files/list");
    world_start(&w);
    CHECK_OK(bough_grant_add(t->store, t->arena, &grant, &made, &t->err));
    calls[0] = "files_write";
    calls[1] = write_args(t, "a.txt", "one");
    calls[2] = "files_edit";
    calls[3] = "{\"path\":\"a.txt\",\"old_text\":\"one\",\"new_text\":\"two\"}";
    calls[4] = "files_list";
    calls[5] = "{}";
    say_calls(&w, calls, 3);
    run = start_run(&w, s, "go", arena_printf(t->arena, WITH_FILES, dir));
    CHECK_STR("files/list", wait_asked(&w, run, 1)->tool);
    wait_run(&w, run, BOUGH_RUN_AWAITING_APPROVAL);
    CHECK_STR("one", file_text(t, dir, "a.txt"));
    CHECK(strstr(story(&w, s), "files_edit=error"));
    world_close(&w);
}

/* With a token, over TCP. */
static int with_token(struct world *w, const char *token, const char *path, const char *body)
{
    struct http_ask in = { .method = "POST",
                           .target = path,
                           .headers = arena_printf(w->t->arena,
                                                   "Host: localhost:80\r\n"
                                                   "Authorization: Bearer %s\r\n"
                                                   "Content-Type: application/json\r\n",
                                                   token),
                           .body = str_of(body),
                           .via = HTTP_VIA_TCP };
    struct http_reply out;

    auth_allow_host(w->auth, "127.0.0.1", 80);
    http_loopback(api_app(w->api), w->t->arena, &in, &out);
    return out.status;
}

STORE_TEST(scopes_of_tokens_divide_starting_from_approving)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir, *run, *starts, *settles, *path;
    struct auth_token in = { .label = "starts",
                             .project = "",
                             .scopes = AUTH_READ | AUTH_APPEND | AUTH_GATEWAY | AUTH_RUN };
    struct auth_token out;
    struct bough_approval *p;

    script_open(t, &w, &dir);
    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &starts, &out, &t->err));
    in.label = "settles";
    in.scopes = AUTH_READ | AUTH_APPEND | AUTH_GATEWAY | AUTH_APPROVE;
    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &settles, &out, &t->err));
    run = begin_write(&w, s, dir, "a.txt");
    p = wait_asked(&w, run, 1);
    path = arena_printf(t->arena, "/api/v1/approvals/%s/resolve", p->id);
    CHECK_INT(403, with_token(&w, starts, path, "{\"decision\":\"approve\"}"));
    CHECK_INT(403,
              with_token(&w, settles,
                         arena_printf(t->arena, "/api/v1/sessions/%s/turns", new_session(t, "2")),
                         "{\"content\":\"x\",\"model\":\"gpt-5.5\",\"runtime\":\"agent\"}"));
    say_text(&w, "done");
    CHECK_INT(200, with_token(&w, settles, path, "{\"decision\":\"approve\"}"));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    CHECK_OK(bough_approval_get(t->store, t->arena, p->id, &p, &t->err));
    CHECK_STR("token:settles", p->by);
    world_close(&w);
}

/* A token with all scopes, bound to a project. */
static const char *project_token(struct test *t, const char *project)
{
    struct auth_token in = { .label = project, .project = project, .scopes = AUTH_ALL }, out;
    const char *token;

    CHECK_OK(auth_token_create(t->store, t->arena, &in, NULL, &token, &out, &t->err));
    return token;
}

STORE_TEST(D13_a_token_of_a_project_settles_and_grants_in_its_own_sessions_only)
{
    static const char *const wide[] = { "workspace", "always" };
    struct bough_session_create_options in = { .project = "/ours" };
    struct bough_grant_list_options all = { .whole_store = true };
    struct bough_session *s;
    struct world w;
    const char *dir, *run, *ours, *theirs, *path;
    struct bough_approval *p;
    struct bough_grants grants;

    script_open(t, &w, &dir);
    CHECK_OK(bough_session_create(t->store, t->arena, &in, &s, &t->err));
    ours = project_token(t, "/ours");
    theirs = project_token(t, "/theirs");
    run = begin_write(&w, s->id, dir, "a.txt");
    p = wait_asked(&w, run, 1);
    path = arena_printf(t->arena, "/api/v1/approvals/%s/resolve", p->id);
    CHECK_INT(404, with_token(&w, theirs, path, "{\"decision\":\"approve\"}"));
    CHECK_INT(404,
              with_token(&w, theirs, arena_printf(t->arena, "/api/v1/runs/%s/cancel", run), "{}"));
    for (size_t i = 0; i < 2; i++)
        CHECK_INT(403,
                  with_token(&w, ours, path,
                             arena_printf(t->arena, "{\"decision\":\"approve\",\"scope\":\"%s\"}",
                                          wide[i])));
    CHECK_OK(bough_approval_get(t->store, t->arena, p->id, &p, &t->err));
    CHECK_INT(BOUGH_APPROVAL_PENDING, p->status);
    say_text(&w, "done");
    CHECK_INT(200, with_token(&w, ours, path, "{\"decision\":\"approve\",\"scope\":\"session\"}"));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    CHECK_OK(bough_grant_list(t->store, t->arena, &all, &grants, &t->err));
    CHECK_INT(0, grants.n);
    all.session = s->id;
    CHECK_OK(bough_grant_list(t->store, t->arena, &all, &grants, &t->err));
    CHECK_INT(1, grants.n);
    world_close(&w);
}

STORE_TEST(a_waiting_run_is_cancelled_at_once_and_its_approvals_with_it)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir, *run;
    struct bough_approval *p;

    script_open(t, &w, &dir);
    run = begin_write(&w, s, dir, "a.txt");
    p = wait_asked(&w, run, 1);
    wait_run(&w, run, BOUGH_RUN_AWAITING_APPROVAL);
    CHECK_INT(202, post(&w, arena_printf(t->arena, "/api/v1/runs/%s/cancel", run),
                        "{\"note\":\"enough\"}")
                       .status);
    CHECK_INT(BOUGH_RUN_CANCELLED, run_now(&w, run)->status);
    CHECK_INT(409, resolve(&w, p->id, "{\"decision\":\"approve\"}"));
    CHECK_STR("", file_text(t, dir, "a.txt"));
    world_close(&w);
}
