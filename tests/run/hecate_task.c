/* Hecate's tasks over runs of the loop. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/hecate_world.h"

static const char *new_task(struct world *w, const char *dir)
{
    struct test *t = w->t;
    struct got g = post(w, TASKS,
                        arena_printf(t->arena,
                                     "{\"prompt\":\"Look around.\",\"requested_model\":\"gpt-5.5\","
                                     "\"requested_provider\":\"up\",\"working_directory\":\"%s\"}",
                                     dir));

    if (g.status != 200)
        FAIL("%d: %s", g.status, g.body.p);
    return at(t, g, "data.id");
}

/* POST to a task and wait for the end of the run that this starts; its id. */
static const char *start(struct world *w, const char *path, const char *body,
                         enum bough_run_status status)
{
    struct test *t = w->t;
    struct got g = post(w, path, body);
    const char *run;

    if (g.status != 200)
        FAIL("%d: %s", g.status, g.body.p);
    CHECK_STR("task_run", at(t, g, "object"));
    run = at(t, g, "data.id");
    CHECK(strncmp(run, "run_", 4) == 0);
    wait_run(w, run + 4, status);
    return run;
}

static const char *in_run(struct world *w, const char *task, const char *run, const char *rest)
{
    return in_task(w, task, arena_printf(w->t->arena, "/runs/%s%s", run, rest));
}

STORE_TEST(a_task_is_created_started_and_shown_with_its_steps)
{
    const char *task, *dir, *run, *step;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    task = new_task(&w, dir);
    g = get_path(&w, in_task(&w, task, ""));
    CHECK_STR("created", at(t, g, "data.status"));
    CHECK_STR("Look around.", at(t, g, "data.title"));
    CHECK_STR("Look around.", at(t, g, "data.prompt"));
    CHECK_STR("agent_loop", at(t, g, "data.execution_kind"));
    CHECK_STR(dir, at(t, g, "data.working_directory"));
    CHECK_STR("(none)", at(t, g, "data.origin_kind"));
    say_call(&w, "files_list", "{\"path\":\".\"}");
    say_text(&w, "Nothing.");
    run = start(&w, in_task(&w, task, "/start"), "", BOUGH_RUN_COMPLETED);
    g = get_path(&w, in_run(&w, task, run, ""));
    CHECK_STR(task, at(t, g, "data.task_id"));
    CHECK_STR("completed", at(t, g, "data.status"));
    CHECK_STR("1", at(t, g, "data.number"));
    CHECK_STR("3", at(t, g, "data.step_count"));
    CHECK_STR("gpt-5.5", at(t, g, "data.model"));
    g = get_path(&w, in_task(&w, task, ""));
    CHECK_STR("completed", at(t, g, "data.status"));
    CHECK_STR(run, at(t, g, "data.latest_run_id"));
    CHECK_STR("3", at(t, g, "data.step_count"));
    g = get_path(&w, TASKS);
    CHECK_STR("tasks", at(t, g, "object"));
    CHECK_STR(task, at(t, g, "data.0.id"));
    CHECK_STR("(none)", at(t, g, "data.1"));
    g = get_path(&w, in_run(&w, task, run, "/steps"));
    CHECK_STR("model", at(t, g, "data.0.kind"));
    CHECK_STR("tool", at(t, g, "data.1.kind"));
    CHECK_STR("files_list", at(t, g, "data.1.tool_name"));
    CHECK_STR("{\"path\":\".\"}", at(t, g, "data.1.input"));
    CHECK_STR("completed", at(t, g, "data.1.status"));
    step = at(t, g, "data.1.id");
    g = get_path(&w, in_run(&w, task, run, arena_printf(t->arena, "/steps/%s", step)));
    CHECK_STR("2", at(t, g, "data.index"));
    CHECK_STR("not_found", error_type(t, get_path(&w, in_run(&w, task, run, "/steps/x")), 404));
    CHECK_STR("not_found", error_type(t, get_path(&w, in_run(&w, task, "run_x", "")), 404));
    CHECK_STR("not_found", error_type(t, get_path(&w, in_task(&w, "task_x", "")), 404));
    CHECK_STR("task_artifacts", at(t, get_path(&w, in_run(&w, task, run, "/artifacts")), "object"));
    CHECK_STR("task_artifacts", at(t, get_path(&w, in_task(&w, task, "/artifacts")), "object"));
    CHECK_STR("not_found", error_type(t, get_path(&w, in_run(&w, task, run, "/artifacts/x")), 404));
    CHECK_INT(204, remove_path(&w, in_task(&w, task, "")).status);
    CHECK_INT(404, get_path(&w, in_task(&w, task, "")).status);
    world_close(&w);
}

STORE_TEST(a_task_runs_again_goes_on_and_takes_another_prompt)
{
    const char *task, *dir, *one, *two, *three, *four;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    task = new_task(&w, dir);
    say_call(&w, "files_list", "{\"path\":\".\"}");
    say_text(&w, "A");
    one = start(&w, in_task(&w, task, "/start"), "", BOUGH_RUN_COMPLETED);
    say_text(&w, "B");
    two = start(&w, in_run(&w, task, one, "/continue"), "{\"prompt\":\"And now?\"}",
                BOUGH_RUN_COMPLETED);
    CHECK(strstr(fake_asked(w.up, 2), "And now?") && strstr(fake_asked(w.up, 2), "Look around."));
    say_text(&w, "C");
    three = start(&w, in_run(&w, task, two, "/retry"), "", BOUGH_RUN_COMPLETED);
    CHECK(strstr(fake_asked(w.up, 3), "Look around.") && !strstr(fake_asked(w.up, 3), "And now?"));
    say_text(&w, "D");
    four =
        start(&w, in_run(&w, task, one, "/retry-from-turn"), "{\"turn\":2}", BOUGH_RUN_COMPLETED);
    CHECK(strstr(fake_asked(w.up, 4), "\"role\":\"tool\""));
    CHECK_STR(
        "invalid_request",
        error_type(t, post(&w, in_run(&w, task, one, "/retry-from-turn"), "{\"turn\":9}"), 400));
    CHECK_STR(
        "invalid_request",
        error_type(t, post(&w, in_run(&w, task, one, "/continue"), "{\"prompt\":\"\"}"), 400));
    g = get_path(&w, in_task(&w, task, "/runs"));
    CHECK_STR(four, at(t, g, "data.0.id"));
    CHECK_STR(three, at(t, g, "data.1.id"));
    CHECK_STR(two, at(t, g, "data.2.id"));
    CHECK_STR(one, at(t, g, "data.3.id"));
    CHECK_STR(four, at(t, get_path(&w, in_task(&w, task, "/runs?limit=1")), "data.0.id"));
    world_close(&w);
}

STORE_TEST(a_rejected_tool_call_ends_the_run_and_a_resumed_run_goes_on)
{
    const char *task, *dir, *run, *approval;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    task = new_task(&w, dir);
    say_call(&w, "files_write", "{\"path\":\"a\",\"content\":\"x\"}");
    run = start(&w, in_task(&w, task, "/start"), "", BOUGH_RUN_AWAITING_APPROVAL);
    CHECK_STR("conflict", error_type(t, post(&w, in_task(&w, task, "/start"), ""), 409));
    CHECK_STR("conflict", error_type(t, post(&w, in_run(&w, task, run, "/retry"), ""), 409));
    CHECK_STR("conflict", error_type(t, post(&w, in_run(&w, task, run, "/resume"), ""), 409));
    CHECK_STR("conflict", error_type(t, remove_path(&w, in_task(&w, task, "")), 409));
    CHECK_STR("1", at(t, get_path(&w, in_task(&w, task, "")), "data.pending_approval_count"));
    g = get_path(&w, in_task(&w, task, "/approvals"));
    CHECK_STR("agent_loop_tool_call", at(t, g, "data.0.kind"));
    CHECK_STR("pending", at(t, g, "data.0.status"));
    approval = arena_printf(t->arena, "/approvals/%s", at(t, g, "data.0.id"));
    CHECK_STR(run, at(t, get_path(&w, in_task(&w, task, approval)), "data.run_id"));
    approval = arena_printf(t->arena, "%s/resolve", approval);
    CHECK_STR("invalid_request",
              error_type(t, post(&w, in_task(&w, task, approval), "{\"decision\":\"deny\"}"), 400));
    g = post(&w, in_task(&w, task, approval), "{\"decision\":\"reject\",\"note\":\"no\"}");
    CHECK_STR("rejected", at(t, g, "data.status"));
    CHECK_STR("no", at(t, g, "data.resolution_note"));
    wait_run(&w, run + 4, BOUGH_RUN_FAILED);
    CHECK_STR(
        "conflict",
        error_type(t, post(&w, in_task(&w, task, approval), "{\"decision\":\"approve\"}"), 409));
    say_text(&w, "Then not.");
    start(&w, in_run(&w, task, run, "/resume"), "{\"budget_micros_usd\":500000}",
          BOUGH_RUN_COMPLETED);
    CHECK_STR("2", at(t, get_path(&w, in_task(&w, task, "/runs")), "data.0.number"));
    world_close(&w);
}

STORE_TEST(a_run_is_cancelled_twice_with_the_same_answer)
{
    const char *task, *dir, *run;
    struct world w;

    script_open(t, &w, &dir);
    task = new_task(&w, dir);
    say_call(&w, "files_write", "{\"path\":\"a\",\"content\":\"x\"}");
    run = start(&w, in_task(&w, task, "/start"), "", BOUGH_RUN_AWAITING_APPROVAL);
    CHECK_INT(200, post(&w, in_run(&w, task, run, "/cancel"), "").status);
    wait_run(&w, run + 4, BOUGH_RUN_CANCELLED);
    CHECK_STR("cancelled", at(t, post(&w, in_run(&w, task, run, "/cancel"), ""), "data.status"));
    CHECK_STR("cancelled", at(t, get_path(&w, in_task(&w, task, "/approvals")), "data.0.status"));
    world_close(&w);
}

STORE_TEST(events_and_the_stream_of_a_run_go_on_behind_a_sequence)
{
    const char *task, *dir, *run, *last;
    struct talk stream;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    task = new_task(&w, dir);
    say_call(&w, "files_write", "{\"path\":\"a\",\"content\":\"x\"}");
    run = start(&w, in_task(&w, task, "/start"), "", BOUGH_RUN_AWAITING_APPROVAL);
    stream = talk_begin_raw(&w, "GET", in_run(&w, task, run, "/stream"), "", str_of(""));
    CHECK(talk_hears(&stream, "\"status\":\"awaiting_approval\""));
    say_text(&w, "Done.");
    g = get_path(&w, in_task(&w, task, "/approvals"));
    CHECK_INT(200,
              post(&w,
                   in_task(&w, task,
                           arena_printf(t->arena, "/approvals/%s/resolve", at(t, g, "data.0.id"))),
                   "{\"decision\":\"approve\"}")
                  .status);
    CHECK(talk_hears(&stream, "event: done"));
    g = talk_end(&stream);
    CHECK(g.complete && strstr(g.body.p, "\"terminal\":true") && strstr(g.body.p, "id: "));
    g = get_path(&w, in_run(&w, task, run, "/events"));
    CHECK_STR("task_run_events", at(t, g, "object"));
    CHECK_STR("run.created", at(t, g, "data.0.type"));
    CHECK_STR("1", at(t, g, "data.0.schema_version"));
    CHECK(strstr(g.body.p, "approval.requested") && strstr(g.body.p, "approval.resolved"));
    CHECK(strstr(g.body.p, "run.finished") && strstr(g.body.p, "assistant.final_answer"));
    CHECK(strstr(g.body.p, "tool.completed"));
    last = at(t, g, "next_after_sequence");
    g = get_path(&w,
                 in_run(&w, task, run, arena_printf(t->arena, "/events?after_sequence=%s", last)));
    CHECK_STR("[]", at(t, g, "data"));
    g = get_path(&w, in_run(&w, task, run, "/events?limit=1"));
    CHECK_STR("(none)", at(t, g, "data.1"));
    stream = talk_begin_raw(&w, "GET", in_run(&w, task, run, "/stream"),
                            arena_printf(t->arena, "Last-Event-ID: %s\r\n", last), str_of(""));
    g = talk_end(&stream);
    CHECK(g.complete && strstr(g.body.p, "event: done"));
    world_close(&w);
}

STORE_TEST(what_a_task_cannot_be_is_refused_by_name)
{
    const char *task, *dir;
    struct world w;

    script_open(t, &w, &dir);
    CHECK_STR("invalid_request", error_type(t, post(&w, TASKS, "{\"prompt\":\" \"}"), 400));
    CHECK_STR(
        "invalid_request",
        error_type(t, post(&w, TASKS, "{\"prompt\":\"x\",\"execution_kind\":\"shell\"}"), 422));
    CHECK_STR(
        "invalid_request",
        error_type(t, post(&w, TASKS, "{\"prompt\":\"x\",\"workspace_mode\":\"ephemeral\"}"), 422));
    CHECK_STR("not_ready",
              error_type(t,
                         post(&w, TASKS,
                              "{\"prompt\":\"x\",\"mcp_servers\":[{\"name\":\"a\",\"command\":"
                              "\"b\"}]}"),
                         422));
    CHECK_STR("invalid_request",
              error_type(t, post(&w, TASKS, "{\"prompt\":\"x\",\"sandbox_network\":true}"), 400));
    task = at(t, post(&w, TASKS, "{\"prompt\":\"x\"}"), "data.id");
    CHECK_STR("agent_chat.model_required",
              error_type(t, post(&w, in_task(&w, task, "/start"), ""), 400));
    task = new_task(&w, dir);
    CHECK_STR(
        "not_found",
        error_type(t, ask_as(&w, "GET", in_task(&w, task, ""), "read", "elsewhere", ""), 404));
    CHECK_STR(
        "forbidden",
        error_type(t, ask_as(&w, "POST", in_task(&w, task, "/start"), "read", NULL, ""), 403));
    world_close(&w);
}

STORE_TEST(the_backing_task_of_a_chat_is_a_task_too)
{
    const char *chat, *dir, *task;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    chat = new_chat(&w, arena_printf(t->arena,
                                     "{\"runtime_kind\":\"agent\",\"model\":\"gpt-5.5\","
                                     "\"workspace\":\"%s\"}",
                                     dir));
    say_text(&w, "Hello.");
    g = post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\"Hi there\"}");
    task = at(t, g, "data.task_id");
    g = get_path(&w, in_task(&w, task, ""));
    CHECK_STR(task, at(t, g, "data.id"));
    CHECK_STR("agent_chat", at(t, g, "data.origin_kind"));
    CHECK_STR(chat, at(t, g, "data.origin_id"));
    CHECK_STR("Hi there", at(t, g, "data.prompt"));
    CHECK_STR(task, at(t, get_path(&w, TASKS), "data.0.id"));
    CHECK_STR("conflict", error_type(t, remove_path(&w, in_task(&w, task, "")), 409));
    world_close(&w);
}
