/* The client of ACP against the scripted agent: sessions, turns and faults. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "world.h"

/* ---- beginning ---- */

TEST_SECONDS(a_session_begins_and_says_what_can_be_set, 60)
{
    struct acp_world w;

    agent_begin(t, &w, NULL);
    CHECK_STR("fake", acp_agent(w.acp)->name);
    CHECK_STR("1.2.3", acp_agent(w.acp)->version);
    CHECK(acp_agent(w.acp)->load && acp_agent(w.acp)->resume && acp_agent(w.acp)->embedded);
    CHECK_STR("fake-large", acp_model(w.acp, t->arena));
    CHECK(strstr(acp_options(w.acp, t->arena).p, "\"mode\":\"ask\"") != NULL);
    agent_end(&w);
}

TEST_SECONDS(version_1_is_offered_and_another_one_is_refused, 60)
{
    struct acp_world w;
    struct acp_wait wait = agent_patience();

    agent_start(t, &w, (const char *const[]){ "FAKE_INIT=version", NULL });
    CHECK(!acp_initialize(w.acp, t->arena, &wait, &w.failure));
    CHECK(strstr(w.failure.message, "version 2") != NULL);
    CHECK(strstr(acp_raw(w.acp, t->arena).p, "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                                             "\"initialize\",\"params\":{\"protocolVersion\":1,"));
    agent_end(&w);
}

TEST_SECONDS(an_agent_that_does_not_begin_is_given_up, 60)
{
    struct acp_world w;
    struct acp_wait wait = { .ms = 300 };

    agent_start(t, &w, (const char *const[]){ "FAKE_INIT=silent", NULL });
    CHECK(!acp_initialize(w.acp, t->arena, &wait, &w.failure));
    CHECK_STR("the agent did not answer initialize in time", w.failure.message);
    agent_end(&w);
}

TEST_SECONDS(an_agent_that_exits_at_once_says_how, 60)
{
    struct acp_world w;
    struct acp_wait wait = agent_patience();

    agent_start(t, &w, (const char *const[]){ "FAKE_INIT=exit", NULL });
    CHECK(!acp_initialize(w.acp, t->arena, &wait, &w.failure));
    CHECK_STR("the agent's process exited with 7", w.failure.message);
    CHECK_INT(0, w.failure.code);
    CHECK(acp_gone(w.acp));
    agent_end(&w);
}

TEST_SECONDS(authentication_that_is_missing_has_its_own_code, 60)
{
    struct acp_world w;
    struct acp_wait wait = agent_patience();

    agent_start(t, &w, (const char *const[]){ "FAKE_NEW=auth", NULL });
    CHECK(acp_initialize(w.acp, t->arena, &wait, &w.failure));
    CHECK(acp_authenticate(w.acp, t->arena, "login", &wait, &w.failure));
    CHECK(!acp_authenticate(w.acp, t->arena, "nothing", &wait, &w.failure));
    CHECK(!acp_session(w.acp, t->arena, ACP_NEW, NULL, "/tmp", str_of("[]"), &wait, &w.failure));
    CHECK_INT(ACP_AUTH_REQUIRED, w.failure.code);
    CHECK_STR("", acp_session_id(w.acp));
    agent_end(&w);
}

static void count(void *user, const struct acp_update *u)
{
    (void)u;
    ++*(int *)user;
}

TEST_SECONDS(a_session_goes_on_in_a_new_process_and_its_replay_is_swallowed, 60)
{
    struct acp_wait wait = agent_patience();
    const char *id, *text;
    struct acp_world w;
    int updates = 0;

    agent_begin(t, &w, NULL);
    CHECK_STR("end_turn", agent_turn(t, &w, "hello", NULL, NULL));
    id = arena_strdup(t->arena, acp_session_id(w.acp));
    agent_end(&w);

    agent_start(t, &w, NULL);
    wait.update = count;
    wait.user = &updates;
    CHECK(acp_initialize(w.acp, t->arena, &wait, &w.failure));
    CHECK(!acp_session(w.acp, t->arena, ACP_LOAD, "unknown", "/tmp", str_of("[]"), &wait,
                       &w.failure));
    CHECK_INT(-32002, w.failure.code);
    CHECK(acp_session(w.acp, t->arena, ACP_LOAD, id, "/tmp", str_of("[]"), &wait, &w.failure));
    CHECK_STR(id, acp_session_id(w.acp));
    CHECK_STR("end_turn", agent_turn(t, &w, "history", NULL, &text));
    CHECK_STR("3", text); /* two prompts */
    CHECK_INT(0, updates);
    CHECK(acp_session(w.acp, t->arena, ACP_RESUME, id, "/tmp", str_of("[]"), &wait, &w.failure));
    agent_end(&w);
}

TEST_SECONDS(options_are_set_by_the_request_that_the_agent_has, 60)
{
    struct acp_wait wait = agent_patience();
    struct acp_world w;

    agent_begin(t, &w, NULL);
    CHECK(acp_set_option(w.acp, t->arena, "model", str_of("fake-small"), &wait, &w.failure));
    CHECK_STR("fake-small", acp_model(w.acp, t->arena));
    CHECK(acp_set_option(w.acp, t->arena, "mode", str_of("auto"), &wait, &w.failure));
    CHECK(strstr(acp_options(w.acp, t->arena).p, "\"mode\":\"auto\"") != NULL);
    CHECK(acp_set_option(w.acp, t->arena, "loud", str_of("true"), &wait, &w.failure));
    CHECK(strstr(acp_raw(w.acp, t->arena).p, "\"type\":\"boolean\",\"value\":true") != NULL);
    CHECK(!acp_set_option(w.acp, t->arena, "nothing", str_of("1"), &wait, &w.failure));
    agent_end(&w);
}

/* ---- turns ---- */

TEST_SECONDS(request_ids_of_every_kind_are_answered_with_themselves, 60)
{
    struct acp_world w;
    const char *text;

    agent_begin(t, &w, NULL);
    CHECK_STR("end_turn", agent_turn(t, &w, "tools", "once", &text)); /* its id is 0 */
    CHECK_STR("I will look.Done (once).", text);
    CHECK_STR("end_turn", agent_turn(t, &w, "before", "once", &text)); /* a UUID */
    CHECK_STR("Said once.", text);
    CHECK(strstr(acp_raw(w.acp, t->arena).p, "> {\"jsonrpc\":\"2.0\",\"id\":0,\"result\"") != NULL);
    agent_end(&w);
}

TEST_SECONDS(an_agent_that_answers_with_ids_as_text_is_understood, 60)
{
    struct acp_world w;

    agent_begin(t, &w, (const char *const[]){ "FAKE_TEXT_IDS=1", NULL });
    CHECK_STR("end_turn", agent_turn(t, &w, "hello", NULL, NULL));
    agent_end(&w);
}

TEST_SECONDS(files_terminals_and_extensions_are_refused, 60)
{
    struct acp_world w;
    const char *text;

    agent_begin(t, &w, NULL);
    CHECK_STR("end_turn", agent_turn(t, &w, "files", NULL, &text));
    CHECK_STR("-32601 -32601 -32601", text);
    agent_end(&w);
}

TEST_SECONDS(a_request_that_is_withdrawn_gets_its_own_code, 60)
{
    struct acp_world w;
    struct acp_event e = { 0 };
    const char *text;
    int64_t id;

    agent_begin(t, &w, NULL);
    id = agent_prompt(t, &w, "withdraw");
    for (struct wait wait = { 0 }; e.kind != ACP_ASKED && wait_more(&wait);)
        acp_next(w.acp, t->arena, 100, &e); /* it is not answered */
    CHECK(e.kind == ACP_ASKED);
    CHECK_STR("end_turn", agent_finish(t, &w, id, NULL, &text));
    CHECK_STR("error -32800", text);
    agent_end(&w);
}

TEST_SECONDS(requests_are_answered_while_nobody_takes_messages, 60)
{
    struct acp_world w;
    const char *text;
    int64_t id;

    agent_begin(t, &w, NULL);
    acp_rest(w.acp, true);
    id = agent_prompt(t, &w, "two");
    for (struct wait wait = { 0 };
         !strstr(acp_raw(w.acp, t->arena).p, "\"id\":1,\"result\":{\"outcome\"");)
        CHECK(wait_more(&wait));
    acp_rest(w.acp, false);
    CHECK_STR("end_turn", agent_finish(t, &w, id, "once", &text));
    CHECK_STR("cancelled cancelled", text);
    agent_end(&w);
}

TEST_SECONDS(updates_of_another_session_are_left_out, 60)
{
    struct acp_world w;
    const char *text;

    agent_begin(t, &w, NULL);
    CHECK_STR("end_turn", agent_turn(t, &w, "report", NULL, &text));
    CHECK(strstr(text, "NOT OURS") == NULL);
    CHECK(strstr(text, "[image image/png]") != NULL);
    CHECK(strstr(acp_options(w.acp, t->arena).p, "\"mode\":\"auto\"") != NULL);
    CHECK_STR("fake-small", acp_model(w.acp, t->arena));
    agent_end(&w);
}

TEST_SECONDS(an_error_of_the_agent_keeps_code_message_and_data, 60)
{
    struct acp_world w;

    agent_begin(t, &w, NULL);
    CHECK_STR("Internal error", agent_turn(t, &w, "error", NULL, NULL));
    CHECK_INT(-32603, w.failure.code);
    CHECK_SPAN("{\"details\":\"the model said 400\"}", w.failure.data);
    CHECK_STR("end_turn", agent_turn(t, &w, "hello", NULL, NULL));
    agent_end(&w);
}

/* ---- faults ---- */

TEST_SECONDS(half_lines_and_garbage_do_no_harm, 60)
{
    struct acp_world w;
    const char *text;

    agent_begin(t, &w, NULL);
    CHECK_STR("end_turn", agent_turn(t, &w, "half", NULL, &text));
    CHECK_STR("whole", text);
    CHECK_STR("end_turn", agent_turn(t, &w, "garbage", NULL, &text));
    CHECK_STR("still here", text);
    agent_end(&w);
}

TEST_SECONDS(answers_with_unknown_ids_are_not_taken_for_ours, 60)
{
    struct acp_world w;
    const char *text;

    agent_begin(t, &w, NULL);
    CHECK_STR("end_turn", agent_turn(t, &w, "wrongids", NULL, &text));
    CHECK_STR("fine", text);
    agent_end(&w);
}

TEST_SECONDS(an_agent_that_exits_in_a_turn_is_noticed, 60)
{
    struct acp_world w;
    const char *text;

    agent_begin(t, &w, NULL);
    CHECK_STR("the agent's process exited with 3", agent_turn(t, &w, "exit", NULL, &text));
    CHECK_STR("Bye.", text);
    CHECK_SPAN("fatal: it broke\n", acp_stderr(w.acp, t->arena));
    agent_end(&w);
    agent_begin(t, &w, NULL);
    CHECK_STR("the agent's process exited with 0", agent_turn(t, &w, "halfexit", NULL, &text));
    agent_end(&w);
}

TEST_SECONDS(a_long_line_is_read_and_one_of_more_than_64_mb_ends_the_turn, 120)
{
    struct acp_world w;
    const char *text;

    agent_begin(t, &w, NULL);
    CHECK_STR("end_turn", agent_turn(t, &w, "huge", NULL, &text));
    CHECK_INT(8 << 20, strlen(text));
    CHECK(acp_raw(w.acp, t->arena).n <= ACP_RAW_MOST);
    CHECK_STR("the agent sent a line of more than 64 MB",
              agent_turn(t, &w, "toolong", NULL, &text));
    agent_end(&w);
}

TEST_SECONDS(ten_thousand_updates_arrive_in_order, 120)
{
    struct acp_world w;
    const char *text, *at;

    agent_begin(t, &w, NULL);
    CHECK_STR("end_turn", agent_turn(t, &w, "flood", NULL, &text));
    at = text;
    for (int i = 0; i < 10000; i++) {
        char *end;

        CHECK_INT(i, strtol(at, &end, 10));
        at = end + 1;
    }
    agent_end(&w);
}

TEST_SECONDS(secrets_are_blanked_in_all_that_the_agent_says, 60)
{
    struct acp_world w;
    const char *text;

    agent_begin(t, &w, (const char *const[]){ "FAKE_KEY=s3cret-value", NULL });
    CHECK_STR("end_turn", agent_turn(t, &w, "secret", NULL, &text));
    CHECK_STR("key xxxxxxxxxxxx", text);
    for (struct wait wait = { 0 }; !acp_stderr(w.acp, t->arena).n;)
        CHECK(wait_more(&wait));
    CHECK(strstr(acp_stderr(w.acp, t->arena).p, "s3cret") == NULL);
    CHECK(strstr(acp_raw(w.acp, t->arena).p, "s3cret") == NULL);
    agent_end(&w);
}

TEST_SECONDS(what_an_agent_left_running_ends_with_it, 60)
{
    struct acp_world w;
    const char *text;
    pid_t pid;

    agent_begin(t, &w, (const char *const[]){ "FAKE_STAYS=1", NULL });
    CHECK_STR("end_turn", agent_turn(t, &w, "stay", NULL, &text));
    CHECK(sscanf(text, "pid %d", &pid) == 1);
    CHECK_INT(0, kill(pid, 0));
    agent_end(&w);
    for (struct wait wait = { 0 }; kill(pid, 0) == 0;)
        CHECK(wait_more(&wait));
}
