/* The agent loop: model calls and tool calls, their entries, limits and ends. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/script.h"

STORE_TEST(a_model_calls_a_tool_reads_its_result_and_answers)
{
    struct world w;
    const char *s = new_session(t, "s"), *run, *sent;
    struct bough_run *r;

    script_open(t, &w, NULL);
    say_call(&w, "demo_weather", "{\"city\":\"Oslo\"}");
    say_text(&w, "It rains.");
    run = start_run(&w, s, "weather?", "\"servers\":[\"demo\"]");
    r = wait_run(&w, run, BOUGH_RUN_COMPLETED);
    CHECK_STR("user:weather? assistant:demo_weather() tool:demo_weather=ok "
              "assistant:It rains.",
              story(&w, s));
    CHECK_INT(2, r->turns);
    CHECK_INT(1, r->tools);
    CHECK_STR("up", r->provider);
    CHECK_INT(BOUGH_RUN_START, r->why);
    sent = fake_asked(w.up, 0);
    CHECK(strstr(sent, "\"tools\":[") && strstr(sent, "demo_weather"));
    sent = fake_asked(w.up, 1);
    CHECK(strstr(sent, "\"role\":\"tool\"") && strstr(sent, "Weather in Oslo"));
    CHECK(!strstr(sent, "interrupted"));
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    world_close(&w);
}

STORE_TEST(C19_the_next_prompt_with_tools_continues_the_task_until_a_model_speaks)
{
    struct world w;
    const char *s = new_session(t, "s"), *one, *two, *three;
    struct bough_run *r;

    script_open(t, &w, NULL);
    say_text(&w, "1");
    one = start_run(&w, s, "a", "\"servers\":[\"demo\"]");
    wait_run(&w, one, BOUGH_RUN_COMPLETED);
    say_text(&w, "2");
    two = start_run(&w, s, "b", "\"servers\":[\"demo\"]");
    r = wait_run(&w, two, BOUGH_RUN_COMPLETED);
    CHECK_INT(BOUGH_RUN_CONTINUE, r->why);
    CHECK_STR(one, r->task);
    CHECK_STR(one, r->after);
    say_text(&w, "3");
    CHECK_INT(
        202, post(&w, arena_printf(t->arena, "/api/v1/sessions/%s/turns", s), "{\"content\":\"c\"}")
                 .status);
    check_path(&w, "user:a assistant:1 user:b assistant:2 user:c assistant:3");
    say_text(&w, "4");
    for (struct wait wait = { 0 }; get(t, s)->status != BOUGH_STATUS_IDLE;)
        CHECK(wait_more(&wait));
    three = start_run(&w, s, "d", "\"servers\":[\"demo\"]");
    r = wait_run(&w, three, BOUGH_RUN_COMPLETED);
    CHECK_INT(BOUGH_RUN_START, r->why);
    CHECK_STR(three, r->task);
    world_close(&w);
}

STORE_TEST(mistakes_of_the_model_are_errors_that_it_reads)
{
    static const char *const calls[] = { "no_such_tool", "{}",           "demo_weather",
                                         "[1]",          "demo_weather", "{\"town\":1}" };
    struct world w;
    const char *s = new_session(t, "s"), *run, *sent;

    script_open(t, &w, NULL);
    say_calls(&w, calls, 3);
    say_text(&w, "sorry");
    run = start_run(&w, s, "go", "\"servers\":[\"demo\"]");
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    sent = fake_asked(w.up, 1);
    CHECK(strstr(sent, "There is no tool no_such_tool"));
    CHECK(strstr(sent, "The arguments are not a JSON object"));
    CHECK(strstr(sent, "city"));
    world_close(&w);
}

STORE_TEST(a_long_result_is_cut_for_the_model_and_kept_whole)
{
    enum { SIZE = 300000 };
    struct world w;
    const char *s = new_session(t, "s"), *dir, *run, *sent;
    char *text = arena_alloc(t->arena, SIZE + 1);
    struct got g;
    int fd;

    script_open(t, &w, &dir);
    for (int i = 0; i < SIZE; i += 10)
        memcpy(text + i, i == SIZE / 2 ? "the middle" : "abcdefgh \n", 10);
    memcpy(text, "the begin ", 10);
    memcpy(text + SIZE - 10, "the finish", 10);
    fd = open(arena_printf(t->arena, "%s/long.txt", dir), O_WRONLY | O_CREAT, 0600);
    CHECK(write(fd, text, SIZE) == SIZE);
    close(fd);
    say_call(&w, "files_read", "{\"path\":\"long.txt\",\"limit\":100000}");
    say_text(&w, "done");
    run = start_run(&w, s, "read it",
                    arena_printf(t->arena, "\"servers\":[\"files\"],\"workspace\":\"%s\"", dir));
    wait_run(&w, run, BOUGH_RUN_COMPLETED);
    sent = fake_asked(w.up, 1);
    CHECK(strlen(sent) < 100000);
    CHECK(strstr(sent, "the begin"));
    CHECK(strstr(sent, "are left out here"));
    CHECK(!strstr(sent, "the middle"));
    CHECK(!strstr(sent, "result.txt")); /* the file is for people */
    g = get_path(&w, arena_printf(t->arena, "/api/v1/runs/%s/artifacts", run));
    CHECK_INT(200, g.status);
    CHECK(strstr(g.body.p, "\"kind\":\"result\""));
    world_close(&w);
}

STORE_TEST(limits_end_a_run_and_a_resumed_one_goes_on)
{
    struct world w;
    const char *s = new_session(t, "s"), *run;
    struct bough_run *r;
    struct got g;
    struct json j;

    script_open(t, &w, NULL);
    say_call(&w, "demo_weather", "{\"city\":\"A\"}");
    say_call(&w, "demo_weather", "{\"city\":\"B\"}");
    run = start_run(&w, s, "go", "\"servers\":[\"demo\"],\"limits\":{\"turns\":2}");
    r = wait_run(&w, run, BOUGH_RUN_FAILED);
    CHECK_STR("turns", r->error_code);
    CHECK_INT(2, fake_count(w.up));
    say_text(&w, "done");
    g = post(&w, arena_printf(t->arena, "/api/v1/runs/%s/resume", run),
             "{\"limits\":{\"turns\":5}}");
    CHECK_INT(202, g.status);
    CHECK_OK(json_parse(t->arena, g.body, &j, &t->err));
    r = wait_run(&w, json_cstr(t->arena, json_member(j, "run"), "id"), BOUGH_RUN_COMPLETED);
    CHECK_INT(BOUGH_RUN_RESUME, r->why);
    CHECK_STR(run, r->after);
    CHECK(strstr(fake_asked(w.up, 2), "Weather in B"));
    /* Money counts over resumed runs. */
    say_call(&w, "demo_weather", "{\"city\":\"C\"}");
    run = start_run(&w, s, "more", "\"servers\":[\"demo\"],\"limits\":{\"cost_usd\":0.0000001}");
    r = wait_run(&w, run, BOUGH_RUN_FAILED);
    CHECK_STR("budget", r->error_code);
    g = post(&w, arena_printf(t->arena, "/api/v1/runs/%s/resume", run), "");
    CHECK_INT(422, g.status);
    CHECK(strstr(g.body.p, "\"limit\""));
    say_text(&w, "done");
    g = post(&w, arena_printf(t->arena, "/api/v1/runs/%s/resume", run),
             "{\"limits\":{\"cost_usd\":10}}");
    CHECK_OK(json_parse(t->arena, g.body, &j, &t->err));
    wait_run(&w, json_cstr(t->arena, json_member(j, "run"), "id"), BOUGH_RUN_COMPLETED);
    world_close(&w);
}

STORE_TEST(a_run_is_cancelled_while_a_tool_works)
{
    struct world w;
    const char *s = new_session(t, "s"), *run;

    script_open(t, &w, NULL);
    say_call(&w, "demo_slow", "{\"seconds\":60}");
    run = start_run(&w, s, "go", "\"servers\":[\"demo\"]");
    for (struct wait wait = { 0 }; !run_now(&w, run)->tools;) {
        struct bough_approvals asked;

        CHECK_OK(bough_approval_list(
            t->store, t->arena,
            &(struct bough_approval_list_options){ .run = run, .status = "pending" }, &asked,
            &t->err));
        if (asked.n)
            CHECK_INT(200, resolve(&w, asked.at[0].id, "{\"decision\":\"approve\"}"));
        CHECK(wait_more(&wait));
    }
    CHECK_INT(202, post(&w, arena_printf(t->arena, "/api/v1/runs/%s/cancel", run), "").status);
    wait_run(&w, run, BOUGH_RUN_CANCELLED);
    CHECK_INT(409, post(&w, arena_printf(t->arena, "/api/v1/runs/%s/cancel", run), "").status);
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    CHECK_INT(1, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(what_a_run_needs_is_checked_before_anything_is_stored)
{
    struct world w;
    const char *s = new_session(t, "s"), *dir,
               *turns = arena_printf(t->arena, "/api/v1/sessions/%s/turns", s);
    struct got g;

    script_open(t, &w, &dir);
    g = post(&w, turns, "{\"content\":\"x\",\"model\":\"gpt-5.5\",\"servers\":[\"nothing\"]}");
    CHECK_INT(422, g.status);
    CHECK(strstr(g.body.p, "not_ready") && strstr(g.body.p, "nothing"));
    g = post(&w, turns,
             "{\"content\":\"x\",\"model\":\"gpt-5.5\",\"servers\":[\"files\"],\"workspace\":"
             "\"/\"}");
    CHECK_INT(422, g.status);
    CHECK(strstr(g.body.p, "[workspaces] root"));
    g = post(&w, turns,
             arena_printf(t->arena,
                          "{\"content\":\"x\",\"model\":\"gpt-5.5\",\"servers\":[\"files\"],"
                          "\"workspace\":\"%s/../\"}",
                          dir));
    CHECK_INT(422, g.status);
    CHECK_INT(422, post(&w, turns, "{\"content\":\"x\",\"runtime\":\"robot\"}").status);
    CHECK_INT(422, post(&w, turns, "{\"content\":\"x\",\"runtime\":\"external\"}").status);
    CHECK_STR("", story(&w, s));
    CHECK_INT(BOUGH_STATUS_IDLE, get(t, s)->status);
    world_close(&w);
}
