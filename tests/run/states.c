/* The states of runs at work: who claims them, what makes them wait, and how they end. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/script.h"

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

/* A reply that stops in the middle until fake_go(). */
static void say_half(struct world *w)
{
    static const char text[] =
        HEAD "data: {\"id\":\"c\",\"model\":\"gpt-5.5\",\"choices\":[{\"index\":0,\"delta\":{"
             "\"content\":\"half\"}}]}\n\ndata: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{"
             "\"content\":\" whole\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";

    fake_say(w->up, &(struct fake_answer){ .bytes = str_of(text),
                                           .stop_at = (size_t)(strstr(text, "data: {\"id\":\"c\","
                                                                            "\"choices\"") -
                                                               text),
                                           .cut = true });
}

/* Wait until some of the reply has come. */
static void wait_half(struct world *w, const char *session)
{
    struct test *t = w->t;

    for (struct wait wait = { 0 };;) {
        struct bough_open_messages open;
        struct bough_message_follow_result got = { 0 };

        CHECK_OK(bough_message_list(t->store, t->arena, session, &open, &t->err));
        if (open.n)
            CHECK_OK(bough_message_follow(t->store, t->arena, open.at[0].id, -1, 0, &got, &t->err));
        if (got.nparts)
            return;
        CHECK(wait_more(&wait));
    }
}

static const char *id_of(struct test *t, const struct got *g)
{
    struct json j;

    CHECK_INT(202, g->status);
    CHECK_OK(json_parse(t->arena, g->body, &j, &t->err));
    return json_cstr(t->arena, json_member(j, "run"), "id");
}

static const char *turns_of(struct test *t, const char *session)
{
    return arena_printf(t->arena, "/api/v1/sessions/%s/turns", session);
}

STORE_TEST(C21_a_busy_session_names_its_run_and_queued_prompts_follow_in_order)
{
    struct world w;
    const char *s = new_session(t, "s"), *first;
    struct got g;

    script_open(t, &w, NULL);
    say_half(&w);
    g = post(&w, turns_of(t, s), "{\"content\":\"one\",\"model\":\"gpt-5.5\"}");
    first = id_of(t, &g);
    CHECK(fake_asked(w.up, 0));
    g = post(&w, turns_of(t, s), "{\"content\":\"two\"}");
    CHECK_INT(409, g.status);
    CHECK(strstr(g.body.p, arena_printf(t->arena, "\"run\":\"%s\"", first)));
    CHECK(strstr(g.body.p, "\"status\":\"running\"") && strstr(g.body.p, "\"since\":"));
    CHECK(strstr(g.body.p, arena_printf(t->arena, "\"owner\":\"run:%s@here\"", first)));
    say_text(&w, "2");
    say_text(&w, "3");
    CHECK_INT(202, post(&w, turns_of(t, s), "{\"content\":\"two\",\"queue\":true}").status);
    CHECK_INT(202, post(&w, turns_of(t, s), "{\"content\":\"three\",\"queue\":true}").status);
    fake_go(w.up);
    check_path(&w, "user:one assistant:half whole user:two assistant:2 user:three assistant:3");
    world_close(&w);
}

STORE_TEST(C22_a_cancelled_run_lets_the_next_queued_prompt_start)
{
    struct world w;
    const char *s = new_session(t, "s"), *first;
    struct got g;

    script_open(t, &w, NULL);
    say_half(&w);
    g = post(&w, turns_of(t, s), "{\"content\":\"one\",\"model\":\"gpt-5.5\"}");
    first = id_of(t, &g);
    wait_half(&w, s);
    say_text(&w, "2");
    CHECK_INT(202, post(&w, turns_of(t, s), "{\"content\":\"two\",\"queue\":true}").status);
    CHECK_INT(202, post(&w, arena_printf(t->arena, "/api/v1/runs/%s/cancel", first), "").status);
    check_path(&w, "user:one assistant:half user:two assistant:2");
    CHECK_INT(BOUGH_RUN_CANCELLED, run_now(&w, first)->status);
    world_close(&w);
}

STORE_TEST(C24_a_prompt_that_is_sent_again_with_its_key_is_the_same_run)
{
    struct world w;
    const char *s = new_session(t, "s"), *first;
    struct got g;

    script_open(t, &w, NULL);
    say_text(&w, "1");
    g = ask(&w, turns_of(t, s), "Idempotency-Key: k1\r\n",
            "{\"content\":\"one\",\"model\":\"gpt-5.5\"}");
    first = id_of(t, &g);
    wait_run(&w, first, BOUGH_RUN_COMPLETED);
    g = ask(&w, turns_of(t, s), "Idempotency-Key: k1\r\n",
            "{\"content\":\"one\",\"model\":\"gpt-5.5\"}");
    CHECK_STR(first, id_of(t, &g));
    CHECK_INT(409, ask(&w, turns_of(t, s), "Idempotency-Key: k1\r\n",
                       "{\"content\":\"other\",\"model\":\"gpt-5.5\"}")
                       .status);
    CHECK_STR("user:one assistant:1", messages_text(&w, s));
    CHECK_INT(1, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(a_server_without_workers_accepts_runs_and_leaves_them_to_others)
{
    struct world w;
    const char *s = new_session(t, "s"), *run;

    world_prepare(t, &w);
    world_set(&w, "provider \"up\"", "wires", "chat");
    world_set(&w, "runs", "workers", "0");
    world_start(&w);
    CHECK_OK(runner_watch(w.runner, &t->err));
    run = start_run(&w, s, "go", "\"servers\":[\"demo\"]");
    CHECK_INT(BOUGH_RUN_QUEUED, run_now(&w, run)->status);
    CHECK_INT(0, runner_look(w.runner));
    world_close(&w);
    CHECK_INT(BOUGH_RUN_QUEUED, run_now(&w, run)->status);
    world_prepare(t, &w);
    world_set(&w, "provider \"up\"", "wires", "chat");
    w.host = "another";
    say_text(&w, "done");
    world_start(&w);
    CHECK_OK(runner_watch(w.runner, &t->err));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    world_close(&w);
}

STORE_TEST(a_run_with_a_workspace_is_for_the_server_that_accepted_it)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir = test_path(t, "work");
    struct bough_run_start_options how = { .text = "go",
                                           .runtime = BOUGH_RUNTIME_AGENT,
                                           .model = "gpt-5.5",
                                           .host = "elsewhere",
                                           .workspace = dir };
    struct bough_run_start_result out;

    script_open(t, &w, &dir);
    CHECK_OK(bough_run_start(t->store, t->arena, s, &how, &out, &t->err));
    CHECK_INT(0, runner_look(w.runner));
    CHECK(!runner_take(w.runner, out.run->id));
    CHECK_INT(BOUGH_RUN_QUEUED, run_now(&w, out.run->id)->status);
    world_close(&w);
}

STORE_TEST(a_workspace_that_leads_elsewhere_when_the_run_starts_is_refused)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir, *inside;
    struct bough_run_start_options how = {
        .text = "go", .runtime = BOUGH_RUNTIME_AGENT, .model = "gpt-5.5", .host = "here"
    };
    struct bough_run_start_result out;
    struct bough_run *r;

    script_open(t, &w, &dir);
    inside = arena_printf(t->arena, "%s/project", dir);
    CHECK_INT(0, symlink("/", inside)); /* it was a folder when the run was accepted */
    how.workspace = inside;
    CHECK_OK(bough_run_start(t->store, t->arena, s, &how, &out, &t->err));
    r = wait_run(&w, out.run->id, BOUGH_RUN_FAILED);
    CHECK_STR("not_ready", r->error_code);
    CHECK_INT(0, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(a_server_that_stops_ends_the_loop_with_shutdown_and_resume_goes_on)
{
    struct world w;
    const char *s = new_session(t, "s"), *run;
    struct bough_run *r;
    struct got g;

    script_open(t, &w, NULL);
    say_half(&w);
    run = start_run(&w, s, "go", "\"servers\":[\"demo\"]");
    CHECK(fake_asked(w.up, 0));
    world_close(&w);
    r = run_now(&w, run);
    CHECK_INT(BOUGH_RUN_FAILED, r->status);
    CHECK_STR("shutdown", r->error_code);
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    script_open(t, &w, NULL);
    say_text(&w, "done");
    g = post(&w, arena_printf(t->arena, "/api/v1/runs/%s/resume", run), "");
    wait_run(&w, id_of(t, &g), BOUGH_RUN_COMPLETED);
    world_close(&w);
}

STORE_TEST(a_run_whose_owner_is_gone_is_interrupted_and_its_tool_is_not_repeated)
{
    struct world w;
    const char *s = new_session(t, "s"), *sent;
    struct bough_run_start_options how = { .text = "go",
                                           .runtime = BOUGH_RUNTIME_AGENT,
                                           .model = "gpt-5.5",
                                           .host = "gone",
                                           .servers = str_of("[\"demo\"]"),
                                           .claim = true };
    struct bough_entry_new reply = { .role = BOUGH_ROLE_ASSISTANT },
                           tool = { .role = BOUGH_ROLE_TOOL };
    struct bough_str part = str_of("{\"type\":\"function\",\"id\":\"call_0\",\"function\":{"
                                   "\"name\":\"demo_weather\",\"arguments\":\"{}\"}}");
    struct bough_append_options add = { .entries = &reply, .n = 1 };
    struct bough_message_open_options open = { .entry = &tool };
    struct bough_message_open_result opened;
    struct bough_append_result added;
    struct bough_run_start_result out;
    struct bough_run *r;
    struct got g;

    reply.parts = &part;
    reply.nparts = 1;
    CHECK_OK(bough_run_start(t->store, t->arena, s, &how, &out, &t->err));
    add.owner = open.owner = out.run->lease->owner;
    add.epoch = open.epoch = out.epoch;
    CHECK_OK(bough_append(t->store, t->arena, s, &add, &added, &t->err));
    CHECK_OK(bough_message_open(t->store, t->arena, s, &open, &opened, &t->err));
    script_open(t, &w, NULL);
    CHECK_INT(BOUGH_RUN_RUNNING, run_now(&w, out.run->id)->status);
    __atomic_add_fetch(&t->env.now, 31000, __ATOMIC_RELAXED);
    CHECK_INT(0, runner_look(w.runner)); /* or the watcher was faster */
    r = wait_run(&w, out.run->id, BOUGH_RUN_FAILED);
    CHECK_STR("interrupted", r->error_code);
    say_text(&w, "I see");
    g = post(&w, arena_printf(t->arena, "/api/v1/runs/%s/resume", out.run->id), "");
    wait_run(&w, id_of(t, &g), BOUGH_RUN_COMPLETED);
    sent = fake_asked(w.up, 0);
    CHECK(strstr(sent, "interrupted"));
    CHECK(!strstr(sent, "Weather in"));
    world_close(&w);
}

STORE_TEST(a_run_is_done_again_from_one_of_its_turns)
{
    struct world w;
    const char *s = new_session(t, "s"), *run;
    struct got g;

    script_open(t, &w, NULL);
    say_call(&w, "demo_weather", "{\"city\":\"Oslo\"}");
    say_text(&w, "first");
    run = start_run(&w, s, "go", "\"servers\":[\"demo\"]");
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    say_text(&w, "second");
    g = post(&w, arena_printf(t->arena, "/api/v1/runs/%s/retry", run), "{\"turn\":2}");
    wait_run(&w, id_of(t, &g), BOUGH_RUN_COMPLETED);
    CHECK_STR("user:go assistant:demo_weather() tool:demo_weather=ok assistant:second",
              story(&w, s));
    say_text(&w, "third");
    g = post(&w, arena_printf(t->arena, "/api/v1/runs/%s/retry", run), "");
    wait_run(&w, id_of(t, &g), BOUGH_RUN_COMPLETED);
    CHECK_STR("user:go assistant:third", story(&w, s));
    CHECK_INT(
        422, post(&w, arena_printf(t->arena, "/api/v1/runs/%s/retry", run), "{\"turn\":9}").status);
    world_close(&w);
}

STORE_TEST(a_resumed_run_is_done_again_from_where_it_went_on)
{
    struct world w;
    const char *s = new_session(t, "s"), *run, *path;
    struct got g;

    script_open(t, &w, NULL);
    say_call(&w, "demo_weather", "{\"city\":\"Oslo\"}");
    run = start_run(&w, s, "go", "\"servers\":[\"demo\"],\"limits\":{\"turns\":1}");
    wait_run(&w, run, BOUGH_RUN_FAILED);
    say_call(&w, "demo_weather", "{\"city\":\"Bergen\"}");
    say_text(&w, "first");
    g = post(&w, arena_printf(t->arena, "/api/v1/runs/%s/resume", run),
             "{\"limits\":{\"turns\":5}}");
    run = id_of(t, &g);
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    path = arena_printf(t->arena, "/api/v1/runs/%s/retry", run);
    say_text(&w, "second");
    g = post(&w, path, "");
    CHECK_INT(202, g.status);
    wait_run(&w, id_of(t, &g), BOUGH_RUN_COMPLETED);
    CHECK_STR("user:go assistant:demo_weather() tool:demo_weather=ok assistant:second",
              story(&w, s));
    say_text(&w, "third");
    g = post(&w, path, "{\"turn\":2}");
    CHECK_INT(202, g.status);
    wait_run(&w, id_of(t, &g), BOUGH_RUN_COMPLETED);
    CHECK_STR("user:go assistant:demo_weather() tool:demo_weather=ok assistant:demo_weather() "
              "tool:demo_weather=ok assistant:third",
              story(&w, s));
    CHECK_INT(422, post(&w, path, "{\"turn\":3}").status);
    CHECK_INT(422, post(&w, path, "{\"turn\":0}").status);
    world_close(&w);
}

STORE_TEST(a_turn_that_cannot_be_understood_is_refused_before_anything_is_stored)
{
    static const char *const wrong[] = {
        "{}",
        "{\"content\":\"\"}",
        "{\"content\":\"x\",\"retry\":true}",
        "{\"content\":\"x\",\"runtime\":\"robot\"}",
        "{\"content\":\"x\",\"runtime\":\"external\"}",
        "{\"content\":\"x\",\"servers\":[1]}",
        "{\"content\":\"x\",\"max_output_tokens\":-1}",
    };
    static const char too_many[] =
        "{\"content\":\"x\",\"servers\":[\"1\",\"2\",\"3\",\"4\",\"5\",\"6\",\"7\",\"8\",\"9\","
        "\"10\",\"11\",\"12\",\"13\",\"14\",\"15\",\"16\",\"17\"]}";
    struct world w;
    const char *s = new_session(t, "s");
    const char *path = arena_printf(t->arena, "/api/v1/sessions/%s/turns", s);
    struct bough_runs runs;
    struct got g;

    script_open(t, &w, NULL);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK_INT(422, post(&w, path, wrong[i]).status);
    CHECK_INT(422, post(&w, path, too_many).status);
    CHECK_OK(bough_run_list(t->store, t->arena, NULL, &runs, &t->err));
    CHECK_INT(0, runs.n);
    /* Text and parts are one message. */
    say_text(&w, "done");
    g = post(&w, path,
             "{\"content\":\"go\",\"model\":\"gpt-5.5\",\"runtime\":\"agent\",\"parts\":[{"
             "\"type\":\"text\",\"text\":\" on\"}]}");
    CHECK_INT(202, g.status);
    wait_run(&w, id_of(t, &g), BOUGH_RUN_COMPLETED);
    CHECK_INT(1, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(what_a_run_did_is_told_over_http_and_as_events)
{
    struct world w;
    const char *s = new_session(t, "s"), *run;
    struct talk k;
    struct got g;

    script_open(t, &w, NULL);
    k = talk_begin_raw(&w, "GET", "/api/v1/events", "", str_of(""));
    CHECK(talk_hears(&k, "200 OK"));
    say_call(&w, "demo_edit", "{\"path\":\"a\",\"content\":\"b\"}");
    say_text(&w, "done");
    run = start_run(&w, s, "go", "\"servers\":[\"demo\"]");
    CHECK(talk_hears(&k, "event: run.created"));
    CHECK(talk_hears(&k, "event: approval.requested"));
    CHECK_INT(200, resolve(&w, wait_asked(&w, run, 1)->id, "{\"decision\":\"approve\"}"));
    CHECK(talk_hears(&k, "event: approval.resolved"));
    CHECK(talk_hears(&k, "\"status\":\"completed\""));
    talk_leave(&k);
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    g = get_path(&w, arena_printf(t->arena, "/api/v1/runs/%s/activity", run));
    CHECK_INT(200, g.status);
    CHECK(strstr(g.body.p, "\"type\":\"tool_call\"") && strstr(g.body.p, "\"final_answer\""));
    CHECK(strstr(g.body.p, "\"bottleneck\""));
    g = get_path(&w, arena_printf(t->arena, "/api/v1/runs/%s/activity?limit=1", run));
    CHECK(strstr(g.body.p, "\"next\":\"2\""));
    g = get_path(&w, arena_printf(t->arena, "/api/v1/sessions/%s/runs", s));
    CHECK(strstr(g.body.p, run));
    g = get_path(&w, "/api/v1/runs?status=completed");
    CHECK(strstr(g.body.p, run));
    g = get_path(&w, "/api/v1/runs?status=failed");
    CHECK(!strstr(g.body.p, run));
    g = get_path(&w, arena_printf(t->arena, "/api/v1/approvals?run=%s", run));
    CHECK(strstr(g.body.p, "\"status\":\"approved\""));
    g = get_path(&w, "/api/v1/tools");
    CHECK(strstr(g.body.p, "\"name\":\"demo\""));
    CHECK_INT(200, post(&w, "/api/v1/tools/demo/probe", "{}").status);
    CHECK_INT(404, post(&w, "/api/v1/tools/none/probe", "{}").status);
    world_close(&w);
}
