/* Turns of an external agent: what becomes of its updates, how they end, and what stays warm. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "world.h"

STORE_TEST_SECONDS(chunks_become_text_and_a_new_part_begins_at_another_message, 90)
{
    struct ext_world w;
    struct bough_run *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_turn(&w, "hello");
    CHECK_STR("", run->error);
    CHECK_INT(BOUGH_RUN_COMPLETED, run->status);
    CHECK_STR("Hello.|Again.", ext_world_story(&w));
    CHECK_STR("end_turn", ext_world_reply(&w)->finish);
    CHECK(strncmp(run->native_id, "ses-", 4) == 0);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_permission_is_asked_and_the_agent_is_told_allow_once_whatever_the_scope, 90)
{
    struct bough_approval_resolve_options yes = { .status = BOUGH_APPROVAL_APPROVED,
                                                  .scope = BOUGH_SCOPE_SESSION };
    struct bough_approval *p;
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_start(&w, "tools");
    p = ext_world_asked(&w, run);
    CHECK_INT(BOUGH_RUN_AWAITING_APPROVAL, ext_world_get(&w, run)->status);
    CHECK_STR("fake/execute", p->tool);
    CHECK_STR("ls", p->title);
    CHECK(strstr(p->options.p, "allow_always") != NULL && p->expires > p->created);
    ext_world_settle(&w, p, &yes);
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_wait(&w, run)->status);
    CHECK_STR("reasoning:Look first.|I will look.|tool ls completed|Done (once).",
              ext_world_story(&w));
    CHECK(strstr(ext_world_reply(&w)->parts[2].json.p, "\"diffs\":[{") != NULL);
    CHECK(strstr(ext_world_reply(&w)->parts[2].json.p, "\"input\":{\"command\":\"ls\"}") != NULL);
    /* The grant answers the next one. */
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "tools")->status);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_permission_before_any_tool_call_makes_the_call, 90)
{
    struct bough_approval_resolve_options no = { .status = BOUGH_APPROVAL_REJECTED };
    struct bough_run *ended;
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_start(&w, "before");
    ext_world_settle(&w, ext_world_asked(&w, run), &no);
    ended = ext_world_wait(&w, run);
    CHECK_INT(BOUGH_RUN_FAILED, ended->status); /* cancelled unasked, after a rejection */
    CHECK_STR("rejected", ended->error_code);
    CHECK_STR("tool Write a.txt error|Said no.", ext_world_story(&w));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_person_may_pick_an_option_that_lasts, 90)
{
    struct bough_approval_resolve_options yes = { .status = BOUGH_APPROVAL_APPROVED,
                                                  .option = "always" };
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_start(&w, "tools");
    ext_world_settle(&w, ext_world_asked(&w, run), &yes);
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_wait(&w, run)->status);
    CHECK(strstr(ext_world_story(&w), "Done (always).") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(rules_and_the_adapters_default_answer_without_a_person, 90)
{
    struct ext_world w;

    ext_world_open(t, &w, (const char *const[]){ "approve", "allow", NULL });
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "tools")->status);
    CHECK(strstr(ext_world_story(&w), "Done (once).") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_deny_rule_is_stronger_than_the_default, 90)
{
    struct ext_world w;

    ext_world_open(t, &w,
                   (const char *const[]){ "approve", "allow", "deny fake/execute", "", NULL });
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "tools")->status);
    CHECK(strstr(ext_world_story(&w), "You said no.") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(denial_without_a_reject_option_is_cancelled, 90)
{
    struct ext_world w;

    ext_world_open(t, &w, (const char *const[]){ "approve", "deny", NULL });
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "noreject")->status);
    CHECK(strstr(ext_world_story(&w), "cancelled") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(an_option_that_lasts_is_never_chosen_without_a_person, 90)
{
    struct bough_approval_resolve_options yes = { .status = BOUGH_APPROVAL_APPROVED,
                                                  .option = "always" };
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, (const char *const[]){ "approve", "allow", NULL });
    run = ext_world_start(&w, "onlyalways");
    ext_world_settle(&w, ext_world_asked(&w, run), &yes);
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_wait(&w, run)->status);
    CHECK(strstr(ext_world_story(&w), "always") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(two_permissions_wait_at_the_same_time, 90)
{
    struct bough_approval_resolve_options yes = { .status = BOUGH_APPROVAL_APPROVED };
    struct bough_approval_resolve_options no = { .status = BOUGH_APPROVAL_REJECTED };
    struct bough_approval *p;
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_start(&w, "two");
    p = ext_world_asked(&w, run);
    ext_world_settle(&w, p, strcmp(p->title, "one") == 0 ? &yes : &no);
    p = ext_world_asked(&w, run);
    ext_world_settle(&w, p, strcmp(p->title, "one") == 0 ? &yes : &no);
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_wait(&w, run)->status);
    CHECK(strstr(ext_world_story(&w), "once no") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_withdrawn_request_cancels_its_approval, 90)
{
    struct bough_approval_list_options all = { 0 };
    struct bough_approvals got;
    struct ext_world w;

    ext_world_open(t, &w, NULL);
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "withdraw")->status);
    CHECK(strstr(ext_world_story(&w), "error -32800") != NULL);
    CHECK_OK(bough_approval_list(t->store, t->arena, &all, &got, &t->err));
    CHECK_INT(1, got.n);
    CHECK_INT(BOUGH_APPROVAL_CANCELLED, got.at[0].status);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_rejection_that_stops_ends_the_run, 90)
{
    struct bough_approval_resolve_options no = { .status = BOUGH_APPROVAL_REJECTED, .stop = true };
    struct bough_run *ended;
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_start(&w, "tools");
    ext_world_settle(&w, ext_world_asked(&w, run), &no);
    ended = ext_world_wait(&w, run);
    CHECK_INT(BOUGH_RUN_FAILED, ended->status);
    CHECK_STR("rejected", ended->error_code);
    ext_world_close(&w);
}

/* ---- reports ---- */

STORE_TEST_SECONDS(plans_usage_options_titles_and_unknown_updates_find_their_places, 90)
{
    struct bough_session *s;
    struct bough_todos todos;
    struct bough_run *run;
    struct ext_world w;

    ext_world_open(t, &w, NULL);
    run = ext_world_turn(&w, "report");
    CHECK_STR("", run->error);
    CHECK_STR("acp-notice|file|acp-agent_message_chunk|of another session", ext_world_story(&w));
    CHECK(strstr(ext_world_reply(&w)->parts[0].json.p, "kept <b>raw</b>") != NULL);
    CHECK_INT(1200, run->context_used);
    CHECK_INT(200000, run->context_size);
    CHECK_OK(bough_todo_get(t->store, t->arena, w.session, &todos, &t->err));
    CHECK_INT(2, todos.n);
    CHECK_STR("in_progress", todos.at[1].status);
    CHECK_OK(bough_session_get(t->store, t->arena, w.session, &s, &t->err));
    CHECK_STR("A title of the agent", s->title);
    CHECK(strstr(s->data.p, "\"mode\":\"auto\"") && strstr(s->data.p, "review"));
    CHECK_STR("fake-small", s->last_model);
    CHECK_STR("fake", s->last_provider);
    CHECK_INT(250000000, s->own.cost);
    CHECK_INT(100, s->own.input);
    CHECK_INT(5, s->own.cache_read);
    ext_world_turn(&w, "report"); /* the figure is cumulative: it has grown by as much again */
    CHECK_OK(bough_session_get(t->store, t->arena, w.session, &s, &t->err));
    CHECK_INT(500000000, s->own.cost);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(terminal_deltas_become_output_and_an_update_alone_makes_a_call, 90)
{
    struct ext_world w;

    ext_world_open(t, &w, NULL);
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "delta")->status);
    CHECK_STR("tool run completed|tool only an update error|after", ext_world_story(&w));
    CHECK(strstr(ext_world_reply(&w)->parts[0].json.p, "\"output\":\"line 1\\nline 2\\n\"") !=
          NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(the_protocol_is_kept_as_an_attachment, 90)
{
    struct bough_entry *e;
    struct ext_world w;
    bool found = false;

    ext_world_open(t, &w, NULL);
    ext_world_turn(&w, "hello");
    e = ext_world_reply(&w);
    for (size_t i = 0; i < e->nparts; i++)
        found |= strstr(e->parts[i].json.p, "\"artifact\":\"protocol\"") != NULL;
    CHECK(found);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(ten_thousand_updates_are_one_text, 90)
{
    struct ext_world w;
    const char *story;

    ext_world_open(t, &w, NULL);
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "flood")->status);
    story = ext_world_story(&w);
    CHECK(strchr(story, '|') == NULL && strstr(story, "\n9999\n") != NULL);
    CHECK_INT(48890, strlen(story));
    ext_world_close(&w);
}

/* ---- ends ---- */

static void ends(struct ext_world *w, const char *scenario, enum bough_run_status status,
                 const char *code, const char *part)
{
    struct test *t = w->t;
    struct bough_run *run = ext_world_turn(w, scenario);

    if (run->status != status || strcmp(run->error_code, code) != 0 || !strstr(run->error, part))
        FAIL("%s: %s %s \"%s\"", scenario, bough_run_status_name(run->status), run->error_code,
             run->error);
    (void)t;
}

STORE_TEST_SECONDS(stop_reasons_and_errors_are_told_apart, 90)
{
    struct ext_world w;

    ext_world_open(t, &w, NULL);
    ends(&w, "refusal", BOUGH_RUN_COMPLETED, "", "");
    CHECK_STR("refusal", ext_world_reply(&w)->finish);
    ends(&w, "max", BOUGH_RUN_COMPLETED, "", "");
    CHECK_STR("max_tokens", ext_world_reply(&w)->finish);
    ends(&w, "unasked", BOUGH_RUN_CANCELLED, "", "");
    ends(&w, "error", BOUGH_RUN_FAILED, "agent_error",
         "Internal error (-32603): the model said 400");
    ends(&w, "auth", BOUGH_RUN_FAILED, "auth", "sign in to the agent: Log in");
    ends(&w, "exit", BOUGH_RUN_FAILED, "agent_gone", "exited with 3");
    ends(&w, "garbage", BOUGH_RUN_COMPLETED, "", "");
    ends(&w, "wrongids", BOUGH_RUN_COMPLETED, "", "");
    ext_world_close(&w);
}

STORE_TEST_SECONDS(an_agent_that_is_not_installed_says_what_to_do, 90)
{
    struct bough_run *run;
    struct ext_world w;

    ext_world_open(t, &w,
                   (const char *const[]){ "command", "no-such-agent", "install", "get it", NULL });
    run = ext_world_turn(&w, "hello");
    CHECK_INT(BOUGH_RUN_FAILED, run->status);
    CHECK_STR("not_ready", run->error_code);
    CHECK(strstr(run->error, "get it") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(an_agent_that_wants_authentication_fails_the_run_as_auth, 90)
{
    struct bough_run *run;
    struct ext_world w;

    ext_world_open(t, &w, (const char *const[]){ "set", "FAKE_NEW=auth", NULL });
    run = ext_world_turn(&w, "hello");
    CHECK_STR("auth", run->error_code);
    ext_world_close(&w);
}

static void cancel(struct ext_world *w, const char *run)
{
    struct test *t = w->t;

    CHECK_OK(bough_run_cancel(t->store, t->arena, run, NULL, NULL, &t->err));
}

/* Wait until the agent has said something. */
static void wait_talk(struct ext_world *w)
{
    struct bough_open_messages open = { 0 };
    struct bough_message_follow_result got = { 0 };
    struct test *t = w->t;

    for (struct wait wait = { 0 }; !got.nparts;) {
        CHECK(wait_more(&wait));
        CHECK_OK(bough_message_list(t->store, t->arena, w->session, &open, &t->err));
        if (open.n)
            CHECK_OK(bough_message_follow(t->store, t->arena, open.at[0].id, -1, 0, &got, &t->err));
    }
}

STORE_TEST_SECONDS(a_cancelled_agent_stops_in_its_text, 90)
{
    struct bough_run *ended;
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_start(&w, "slow");
    wait_talk(&w);
    cancel(&w, run);
    ended = ext_world_wait(&w, run);
    CHECK_INT(BOUGH_RUN_CANCELLED, ended->status);
    CHECK_STR("cancelled", ext_world_reply(&w)->finish);
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "hello")->status); /* the same process */
    CHECK_STR(ended->native_id, ext_world_get(&w, run)->native_id);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(a_cancel_while_a_person_is_asked_cancels_the_permission, 90)
{
    struct bough_approval *p;
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_start(&w, "tools");
    p = ext_world_asked(&w, run);
    cancel(&w, run);
    CHECK_INT(BOUGH_RUN_CANCELLED, ext_world_wait(&w, run)->status);
    CHECK_OK(bough_approval_get(t->store, t->arena, p->id, &p, &t->err));
    CHECK_INT(BOUGH_APPROVAL_CANCELLED, p->status);
    CHECK(strstr(ext_world_story(&w), "tool ls error") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(what_an_agent_says_after_a_cancel_still_belongs_to_its_turn, 90)
{
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_start(&w, "late");
    wait_talk(&w);
    cancel(&w, run);
    CHECK_INT(BOUGH_RUN_CANCELLED, ext_world_wait(&w, run)->status);
    CHECK_STR("working after the cancel|tool late completed", ext_world_story(&w));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(an_agent_that_does_not_stop_is_killed, 90)
{
    struct ext_world w;
    const char *run;

    ext_world_open(t, &w, NULL);
    run = ext_world_start(&w, "deaf");
    wait_talk(&w);
    cancel(&w, run);
    CHECK_INT(BOUGH_RUN_CANCELLED, ext_world_wait(&w, run)->status);
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "hello")->status); /* a new process */
    ext_world_close(&w);
}

STORE_TEST_SECONDS(an_agent_that_dies_while_a_person_is_asked_fails_the_run, 90)
{
    struct bough_run *run;
    struct ext_world w;

    ext_world_open(t, &w, NULL);
    run = ext_world_turn(&w, "askexit");
    CHECK_INT(BOUGH_RUN_FAILED, run->status);
    CHECK_STR("agent_gone", run->error_code);
    ext_world_close(&w);
}

/* ---- processes and sessions ---- */

STORE_TEST_SECONDS(one_process_serves_the_turns_of_a_session, 90)
{
    struct ext_world w;

    ext_world_open(t, &w, NULL);
    ext_world_turn(&w, "hello");
    ext_world_turn(&w, "history");
    CHECK_STR("3", ext_world_story(&w)); /* two prompts, and nothing was handed over again */
    CHECK(!ext_world_told(&w, "recovered"));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(another_server_goes_on_with_the_session_of_the_agent, 90)
{
    struct ext_world w;
    const char *native;

    ext_world_open(t, &w, NULL);
    native = ext_world_turn(&w, "hello")->native_id;
    ext_world_restart(&w);
    CHECK_STR(native, ext_world_turn(&w, "history")->native_id);
    CHECK_STR("3", ext_world_story(&w));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(an_agent_that_can_only_load_replays_into_nothing, 90)
{
    struct ext_world w;
    const char *native;

    ext_world_open(t, &w, (const char *const[]){ "set", "FAKE_NO_RESUME=1", NULL });
    native = ext_world_turn(&w, "hello")->native_id;
    ext_world_restart(&w);
    CHECK_STR(native, ext_world_turn(&w, "hello")->native_id);
    CHECK_STR("Hello.|Again.", ext_world_story(&w));
    ext_world_close(&w);
}

static const char *prompts_of(struct ext_world *w, const char *native)
{
    const char *file = arena_printf(w->t->arena, "../agent/%s", native);

    return file_text(w, file);
}

STORE_TEST_SECONDS(a_lost_session_is_begun_anew_with_the_transcript, 90)
{
    struct bough_run *first, *second;
    struct ext_world w;

    ext_world_open(t, &w, NULL);
    first = ext_world_turn(&w, "hello");
    ext_world_restart(&w);
    shell(&w, "rm -r ../agent");
    second = ext_world_turn(&w, "hello");
    CHECK_INT(BOUGH_RUN_COMPLETED, second->status);
    CHECK(strcmp(first->native_id, second->native_id) != 0);
    CHECK(ext_world_told(&w, "recovered"));
    CHECK(strstr(prompts_of(&w, second->native_id), "\"type\":\"resource\"") != NULL);
    CHECK(strstr(prompts_of(&w, second->native_id), "## Assistant\\n\\nHello.") != NULL);
    CHECK(strstr(prompts_of(&w, first->native_id) ? "" : "gone", "gone") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(handover_can_be_turned_off, 90)
{
    struct bough_run *run;
    struct ext_world w;

    ext_world_open(t, &w, (const char *const[]){ "handover", "no", NULL });
    ext_world_turn(&w, "hello");
    ext_world_restart(&w);
    shell(&w, "rm -r ../agent");
    run = ext_world_turn(&w, "hello");
    CHECK(strstr(prompts_of(&w, run->native_id), "resource") == NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(the_adapters_mode_is_set_when_a_session_begins, 90)
{
    struct bough_session *s;
    struct ext_world w;

    ext_world_open(t, &w, (const char *const[]){ "mode", "workspace-write", NULL });
    ext_world_turn(&w, "hello");
    CHECK_OK(bough_session_get(t->store, t->arena, w.session, &s, &t->err));
    CHECK(strstr(s->data.p, "\"mode\":\"workspace-write\"") != NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(the_environment_of_an_agent_holds_nothing_else, 90)
{
    struct ext_world w;

    setenv("CANARY_KEY", "must not be seen", 1);
    ext_world_open(t, &w, NULL);
    ext_world_turn(&w, "env");
    unsetenv("CANARY_KEY");
    CHECK(strstr(ext_world_story(&w), "FAKE_HOME") != NULL);
    CHECK(strstr(ext_world_story(&w), "CANARY") == NULL);
    ext_world_close(&w);
}

STORE_TEST_SECONDS(secrets_of_an_adapter_reach_the_agent_and_are_never_stored, 90)
{
    struct ext_world w;

    setenv("MY_SECRET", "s3cret-of-the-agent", 1);
    ext_world_open(t, &w, (const char *const[]){ "set", "FAKE_KEY=$MY_SECRET", NULL });
    ext_world_turn(&w, "secret");
    unsetenv("MY_SECRET");
    CHECK_STR("key xxxxxxxxxxxxxxxxxxx", ext_world_story(&w));
    ext_world_close(&w);
}

STORE_TEST_SECONDS(mcp_servers_that_a_run_names_are_passed_on, 90)
{
    static const char *const names[] = { "notes", "files" };
    struct ext_world w;
    const char *servers;

    ext_world_open(t, &w, NULL);
    w.servers = names;
    w.nservers = 2;
    CHECK_INT(BOUGH_RUN_COMPLETED, ext_world_turn(&w, "hello")->status);
    servers = file_text(&w, "../agent/servers");
    CHECK(strstr(servers,
                 "[{\"name\":\"notes\",\"command\":\"notes-server\",\"args\":[\"--dir\",") != NULL);
    CHECK(strstr(servers, "{\"name\":\"NOTES_MODE\",\"value\":\"plain\"}") != NULL);
    CHECK(strstr(servers, "\"files\"") == NULL); /* built in: it is not an MCP server */
    ext_world_close(&w);
}
