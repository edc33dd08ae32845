/* Hecate's agent chats over runs: sessions, messages, streams, approvals, grants. */
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "run/hecate_world.h"

#define MODEL "{\"model\":\"gpt-5.5\",\"provider\":\"up\"}"

static const char *agent_body(struct test *t, const char *dir)
{
    return arena_printf(t->arena,
                        "{\"runtime_kind\":\"agent\",\"model\":\"gpt-5.5\",\"provider\":\"up\","
                        "\"workspace\":\"%s\"}",
                        dir);
}

STORE_TEST(C18_a_chat_is_created_listed_and_shown_key_by_key)
{
    const char *chat;
    struct world w;
    struct got g;

    script_open(t, &w, NULL);
    g = post(&w, CHATS, MODEL);
    CHECK_INT(200, g.status);
    CHECK_STR("{\"object\":\"agent_chat_session\",\"data\":{\"id\":\"agent_chat_*\","
              "\"title\":\"Hecate Chat\",\"runtime_kind\":\"model\",\"provider\":\"up\","
              "\"model\":\"gpt-5.5\",\"capabilities\":{},\"workspace\":\"\",\"status\":\"idle\","
              "\"turns_used\":0,\"session_started_at\":\"*\",\"created_at\":\"*\","
              "\"updated_at\":\"*\",\"segments\":[],\"messages\":[]}}",
              masked(t, g.body));
    chat = at(t, g, "data.id");
    g = get_path(&w, CHATS);
    CHECK_STR("{\"object\":\"agent_chat_sessions\",\"data\":[{\"id\":\"agent_chat_*\","
              "\"title\":\"Hecate Chat\",\"runtime_kind\":\"model\",\"provider\":\"up\","
              "\"model\":\"gpt-5.5\",\"capabilities\":{},\"workspace\":\"\",\"status\":\"idle\","
              "\"message_count\":0,\"created_at\":\"*\",\"updated_at\":\"*\"}]}",
              masked(t, g.body));
    CHECK_INT(200, get_path(&w, in_chat(&w, chat, "")).status);
    CHECK_INT(200, get_path(&w, in_chat(&w, chat + strlen("agent_chat_"), "")).status);
    CHECK_INT(204, remove_path(&w, in_chat(&w, chat, "")).status);
    CHECK_STR("not_found", error_type(t, get_path(&w, in_chat(&w, chat, "")), 404));
    CHECK_STR("not_found", error_type(t, remove_path(&w, in_chat(&w, chat, "")), 404));
    world_close(&w);
}

STORE_TEST(C18_a_turn_of_a_model_answers_with_the_whole_chat)
{
    const char *chat, *shown, *end;
    struct world w;
    struct got g;

    script_open(t, &w, NULL);
    chat = new_chat(&w, MODEL);
    say_text(&w, "Hello.");
    g = post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\"Hi\"}");
    CHECK_INT(200, g.status);
    CHECK(g.complete);
    shown = masked(t, g.body);
    end = strstr(shown, "\"created_at\":\"*\"},{\"id\":\"msg_");
    CHECK(end != NULL);
    CHECK_STR(
        "{\"object\":\"agent_chat_session\",\"data\":{\"id\":\"agent_chat_*\","
        "\"title\":\"Hecate Chat\",\"runtime_kind\":\"model\",\"latest_run_id\":\"run_*\","
        "\"provider\":\"up\",\"model\":\"gpt-5.5\",\"capabilities\":{},\"workspace\":\"\","
        "\"status\":\"completed\",\"turns_used\":1,\"session_started_at\":\"*\","
        "\"created_at\":\"*\",\"updated_at\":\"*\",\"segments\":["
        "{\"id\":\"session:agent_chat_*\",\"runtime_kind\":\"model\",\"provider\":\"up\","
        "\"model\":\"gpt-5.5\",\"latest_run_id\":\"run_*\",\"status\":\"completed\","
        "\"message_count\":2,\"started_at\":\"*\",\"updated_at\":\"*\"}],"
        "\"messages\":[{\"id\":\"msg_*\",\"runtime_kind\":\"model\","
        "\"segment_id\":\"session:agent_chat_*\",\"run_id\":\"run_*\",\"role\":\"user\","
        "\"content\":\"Hi\",\"created_at\":\"*\"}",
        arena_strndup(t->arena, shown, (size_t)(end - shown) + strlen("\"created_at\":\"*\"}")));
    CHECK_STR("assistant", at(t, g, "data.messages.1.role"));
    CHECK_STR("Hello.", at(t, g, "data.messages.1.content"));
    CHECK_STR("completed", at(t, g, "data.messages.1.status"));
    CHECK_STR("hecate", at(t, g, "data.messages.1.cost_mode"));
    CHECK_STR("up", at(t, g, "data.messages.1.provider"));
    CHECK_STR("(none)", at(t, g, "data.messages.1.exit_code"));
    CHECK_STR("started", at(t, g, "data.messages.1.activities.0.type"));
    CHECK(strcmp(at(t, g, "data.messages.1.timing.turn_count"), "1") == 0);
    CHECK_STR("(none)", at(t, g, "data.messages.2"));
    world_close(&w);
}

STORE_TEST(a_turn_that_failed_is_200_with_the_status_failed)
{
    const char *chat;
    struct world w;
    struct got g;

    script_open(t, &w, NULL);
    chat = new_chat(&w, MODEL);
    fake_say(w.up, &(struct fake_answer){
                       .bytes = str_of("HTTP/1.1 400 Bad Request\r\nContent-Type: "
                                       "application/json\r\nContent-Length: 34\r\n\r\n"
                                       "{\"error\":{\"message\":\"no such thing\"}}") });
    g = post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\"Hi\"}");
    CHECK_INT(200, g.status);
    CHECK_STR("failed", at(t, g, "data.status"));
    CHECK_STR("failed", at(t, g, "data.messages.1.status"));
    CHECK_STR("1", at(t, g, "data.messages.1.exit_code"));
    CHECK(strcmp(at(t, g, "data.messages.1.error"), "(none)") != 0);
    world_close(&w);
}

STORE_TEST(C19_turns_with_tools_are_a_segment_of_their_own_and_one_message)
{
    const char *chat, *dir;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    chat = new_chat(&w, agent_body(t, dir));
    say_call(&w, "files_list", "{\"path\":\".\"}");
    say_text(&w, "Nothing there.");
    g = post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\"What is here?\"}");
    CHECK_INT(200, g.status);
    CHECK_STR("completed", at(t, g, "data.status"));
    CHECK_STR("agent", at(t, g, "data.runtime_kind"));
    CHECK(strncmp(at(t, g, "data.task_id"), "task_", 5) == 0);
    CHECK(strncmp(at(t, g, "data.segments.0.id"), "task:task_", 10) == 0);
    CHECK_STR("2", at(t, g, "data.segments.0.message_count"));
    CHECK_STR("Nothing there.", at(t, g, "data.messages.1.content"));
    CHECK_STR("2", at(t, g, "data.messages.1.timing.turn_count"));
    CHECK_STR("1", at(t, g, "data.messages.1.timing.tool_count"));
    CHECK_STR("(none)", at(t, g, "data.messages.2"));
    CHECK(strstr(g.body.p, "\"type\":\"tool_call\""));
    CHECK(strstr(g.body.p, "\"title\":\"Backing task\""));
    say_text(&w, "Yes.");
    g = post(&w, in_chat(&w, chat, "/messages"),
             "{\"content\":\"Sure?\",\"runtime_kind\":\"model\"}");
    CHECK_STR("model", at(t, g, "data.runtime_kind"));
    CHECK(strncmp(at(t, g, "data.segments.1.id"), "session:agent_chat_", 19) == 0);
    CHECK_STR("Yes.", at(t, g, "data.messages.3.content"));
    world_close(&w);
}

STORE_TEST(what_a_chat_needs_is_asked_for_by_name)
{
    const char *chat, *dir;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    CHECK_STR("agent_chat.model_required", error_type(t, post(&w, CHATS, "{}"), 400));
    CHECK_STR("agent_chat.runtime_kind_invalid",
              error_type(t, post(&w, CHATS, "{\"runtime_kind\":\"robot\"}"), 400));
    CHECK_STR(
        "agent_chat.workspace_required",
        error_type(t, post(&w, CHATS, "{\"runtime_kind\":\"agent\",\"model\":\"gpt-5.5\"}"), 400));
    CHECK_STR("invalid_request",
              error_type(t,
                         post(&w, CHATS,
                              "{\"runtime_kind\":\"agent\",\"model\":\"gpt-5.5\","
                              "\"workspace\":\"/etc\"}"),
                         400));
    CHECK_STR(
        "agent_chat.adapter_not_found",
        error_type(
            t,
            post(&w, CHATS,
                 arena_printf(t->arena, "{\"adapter_id\":\"nobody\",\"workspace\":\"%s\"}", dir)),
            400));
    g = post(&w, CHATS, "{\"model\":\"gpt-5.5\",\"provider\":\"gone\"}");
    CHECK_STR("model_not_configured", error_type(t, g, 422));
    CHECK_STR("gone", at(t, g, "error.provider"));
    CHECK_STR("gpt-5.5", at(t, g, "error.model"));
    CHECK_STR("provider_not_found", at(t, g, "error.reason"));
    CHECK_STR("false", at(t, g, "error.routing_ready"));
    CHECK_STR("", at(t, g, "error.matched_provider"));
    CHECK_STR("unknown", at(t, g, "error.provider_status"));
    CHECK_STR("", at(t, g, "error.provider_blocked_reason"));
    CHECK(*at(t, g, "error.suggested_models") == '[');
    CHECK_STR("invalid_request", error_type(t, post(&w, CHATS, "{\"colour\":1}"), 400));
    CHECK_STR("invalid_request", error_type(t, post(&w, CHATS, "{"), 400));
    chat = new_chat(&w, MODEL);
    CHECK_STR("invalid_request",
              error_type(t, post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\" \"}"), 400));
    CHECK_STR("agent_chat.workspace_required",
              error_type(t,
                         post(&w, in_chat(&w, chat, "/messages"),
                              "{\"content\":\"x\",\"runtime_kind\":\"agent\"}"),
                         400));
    CHECK_STR("agent_chat.runtime_mismatch",
              error_type(t,
                         post(&w, in_chat(&w, chat, "/messages"),
                              "{\"content\":\"x\",\"runtime_kind\":\"external_agent\"}"),
                         400));
    CHECK_STR("agent_chat.runtime_kind_invalid",
              error_type(t,
                         post(&w, in_chat(&w, chat, "/messages"),
                              "{\"content\":\"x\",\"runtime_kind\":\"external\"}"),
                         400));
    CHECK_STR("model_not_configured",
              error_type(t,
                         post(&w, in_chat(&w, chat, "/messages"),
                              "{\"content\":\"x\",\"model\":\"m\",\"provider\":\"gone\"}"),
                         422));
    CHECK_STR("agent_chat.session_not_running",
              error_type(t, post(&w, in_chat(&w, chat, "/cancel"), ""), 409));
    CHECK_STR("[]", at(t, get_path(&w, in_chat(&w, chat, "")), "data.messages"));
    world_close(&w);
}

/* A turn that waits for approval of a file that it wants to write. */
static struct bough_approval *begin_asking(struct world *w, const char *chat, struct talk *sending)
{
    struct bough_approval_list_options pending = { .status = "pending" };
    struct test *t = w->t;
    struct bough_approvals found;

    say_call(w, "files_write", "{\"path\":\"a.txt\",\"content\":\"x\"}");
    *sending = talk_begin(w, in_chat(w, chat, "/messages"), "", "{\"content\":\"Write it\"}");
    for (struct wait wait = { 0 };;) {
        CHECK_OK(bough_approval_list(t->store, t->arena, &pending, &found, &t->err));
        if (found.n)
            return &found.at[0];
        CHECK(wait_more(&wait));
    }
}

STORE_TEST(C21_a_busy_chat_says_which_run_has_it_and_an_approval_lets_it_go_on)
{
    const char *chat, *dir, *run, *approval;
    struct talk sending, stream;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    chat = new_chat(&w, agent_body(t, dir));
    stream = talk_begin_raw(&w, "GET", in_chat(&w, chat, "/stream"), "", str_of(""));
    run = begin_asking(&w, chat, &sending)->run;
    wait_run(&w, run, BOUGH_RUN_AWAITING_APPROVAL);
    g = post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\"more\"}");
    CHECK_STR("agent_chat.agent_session_busy", error_type(t, g, 409));
    CHECK_STR(run, at(t, g, "error.latest_run_id") + strlen("run_"));
    CHECK_STR("awaiting_approval", at(t, g, "error.run_status"));
    CHECK(strncmp(at(t, g, "error.task_id"), "task_", 5) == 0);
    CHECK(talk_hears(&stream, "event: approval.requested"));
    g = get_path(&w, in_chat(&w, chat, "/approvals?status=pending"));
    CHECK(
        strncmp(masked(t, g.body),
                "{\"object\":\"list\",\"data\":[{\"id\":\"appr_*\",\"session_id\":\"agent_chat_*\","
                "\"adapter_id\":\"hecate\",",
                88) == 0);
    CHECK_STR("file_write", at(t, g, "data.0.tool_kind"));
    CHECK_STR("pending", at(t, g, "data.0.status"));
    CHECK_STR("[\"once\",\"session\",\"workspace_tool\",\"adapter_tool\"]",
              at(t, g, "data.0.scope_choices"));
    approval = at(t, g, "data.0.id");
    say_text(&w, "Written.");
    CHECK_STR(
        "invalid_request",
        error_type(
            t,
            post(&w, in_chat(&w, chat, arena_printf(t->arena, "/approvals/%s/resolve", approval)),
                 "{\"decision\":\"maybe\"}"),
            400));
    CHECK_STR(
        "invalid_request",
        error_type(
            t,
            post(&w, in_chat(&w, chat, arena_printf(t->arena, "/approvals/%s/resolve", approval)),
                 "{\"decision\":\"approve\",\"selected_option\":\"x\"}"),
            400));
    g = post(&w, in_chat(&w, chat, arena_printf(t->arena, "/approvals/%s/resolve", approval)),
             "{\"decision\":\"approve\",\"scope\":\"session\",\"note\":\"fine\"}");
    CHECK_INT(200, g.status);
    CHECK_STR("approved", at(t, g, "data.status"));
    CHECK_STR("approve", at(t, g, "data.decision"));
    CHECK_STR("session", at(t, g, "data.scope"));
    CHECK_STR("operator", at(t, g, "data.path"));
    CHECK_STR("fine", at(t, g, "data.decision_note"));
    g = talk_end(&sending);
    CHECK_INT(200, g.status);
    CHECK_STR("completed", at(t, g, "data.status"));
    CHECK_STR("Written.", at(t, g, "data.messages.1.content"));
    CHECK(talk_hears(&stream, "event: approval.resolved"));
    CHECK(talk_hears(&stream, "event: done"));
    g = talk_end(&stream);
    CHECK(g.complete && strstr(g.body.p, "event: snapshot"));
    CHECK_STR(
        "conflict",
        error_type(
            t,
            post(&w, in_chat(&w, chat, arena_printf(t->arena, "/approvals/%s/resolve", approval)),
                 "{\"decision\":\"deny\"}"),
            409));
    CHECK_STR(
        "conflict",
        error_type(t,
                   post(&w,
                        in_chat(&w, chat, arena_printf(t->arena, "/approvals/%s/cancel", approval)),
                        ""),
                   409));
    CHECK_STR("not_found", error_type(t, get_path(&w, in_chat(&w, chat, "/approvals/x")), 404));
    world_close(&w);
}

STORE_TEST(a_denied_approval_is_read_by_the_model_and_a_grant_is_taken_back)
{
    const char *chat, *dir, *grant;
    struct bough_approval *x;
    struct talk sending;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    chat = new_chat(&w, agent_body(t, dir));
    x = begin_asking(&w, chat, &sending);
    say_text(&w, "As you wish.");
    g = post(&w, in_chat(&w, chat, arena_printf(t->arena, "/approvals/appr_%s/resolve", x->id)),
             "{\"decision\":\"deny\",\"note\":\"no\"}");
    CHECK_STR("denied", at(t, g, "data.status"));
    g = talk_end(&sending);
    CHECK_STR("As you wish.", at(t, g, "data.messages.1.content"));
    CHECK_STR(
        "1", arena_printf(t->arena, "%d",
                          strstr(get_path(&w, in_chat(&w, chat, "/approvals?status=denied")).body.p,
                                 "\"denied\"") != NULL));
    CHECK_STR("[]", at(t, get_path(&w, in_chat(&w, chat, "/approvals?status=approved")), "data"));
    x = begin_asking(&w, chat, &sending);
    say_text(&w, "Done.");
    CHECK_INT(200,
              post(&w, in_chat(&w, chat, arena_printf(t->arena, "/approvals/%s/resolve", x->id)),
                   "{\"decision\":\"approve\",\"scope\":\"adapter_tool\"}")
                  .status);
    CHECK_INT(200, talk_end(&sending).status);
    g = get_path(&w, "/hecate/v1/agent-chat/grants");
    CHECK_STR("{\"object\":\"list\",\"data\":[{\"id\":\"grant_*\",\"scope\":\"adapter_tool\","
              "\"adapter_id\":\"files\",\"tool_kind\":\"file_write\",\"tool_name\":\"files/write\","
              "\"decision\":\"approve\",\"granted_at\":\"*\"}]}",
              masked(t, g.body));
    grant = at(t, g, "data.0.id");
    CHECK_STR("[]", at(t, get_path(&w, "/hecate/v1/agent-chat/grants?scope=session"), "data"));
    CHECK_STR("[]", at(t, get_path(&w, "/hecate/v1/agent-chat/grants?adapter_id=codex"), "data"));
    CHECK_STR("not_found",
              error_type(t, remove_path(&w, "/hecate/v1/agent-chat/grants/grant_x"), 404));
    CHECK_INT(403,
              ask_as(&w, "DELETE", arena_printf(t->arena, "/hecate/v1/agent-chat/grants/%s", grant),
                     "read,run", NULL, "")
                  .status);
    CHECK_INT(
        204,
        remove_path(&w, arena_printf(t->arena, "/hecate/v1/agent-chat/grants/%s", grant)).status);
    CHECK_STR("[]", at(t, get_path(&w, "/hecate/v1/agent-chat/grants"), "data"));
    world_close(&w);
}

STORE_TEST(C21_a_chat_is_cancelled_and_a_deleted_one_stops_first)
{
    const char *chat, *dir;
    struct talk sending;
    struct world w;
    struct got g;

    script_open(t, &w, &dir);
    chat = new_chat(&w, agent_body(t, dir));
    begin_asking(&w, chat, &sending);
    g = post(&w, in_chat(&w, chat, "/cancel"), "");
    CHECK_INT(202, g.status);
    g = talk_end(&sending);
    CHECK_INT(200, g.status);
    CHECK_STR("cancelled", at(t, g, "data.messages.1.status"));
    CHECK_STR("agent run cancelled", at(t, g, "data.messages.1.content"));
    CHECK_STR("agent_chat.session_not_running",
              error_type(t, post(&w, in_chat(&w, chat, "/cancel"), ""), 409));
    g = post(&w, in_chat(&w, chat, "/close"), "");
    CHECK_INT(200, g.status);
    CHECK_STR("Write it", at(t, g, "data.messages.0.content"));
    begin_asking(&w, chat, &sending);
    for (struct wait wait = { 0 };;) { /* 409 while it stops, on a slow machine */
        g = remove_path(&w, in_chat(&w, chat, ""));
        if (g.status == 204)
            break;
        CHECK_STR("agent_chat.session_stopping", error_type(t, g, 409));
        CHECK(wait_more(&wait));
    }
    CHECK_INT(404, get_path(&w, in_chat(&w, chat, "")).status);
    talk_leave(&sending);
    world_close(&w);
}

STORE_TEST(D13_a_token_of_another_project_sees_nothing_and_scopes_are_asked_for)
{
    const char *chat;
    struct world w;
    struct got g;

    script_open(t, &w, NULL);
    chat = new_chat(&w, MODEL);
    CHECK_STR(
        "not_found",
        error_type(t, ask_as(&w, "GET", in_chat(&w, chat, ""), "read", "elsewhere", ""), 404));
    CHECK_STR("[]", at(t, ask_as(&w, "GET", CHATS, "read", "elsewhere", ""), "data"));
    CHECK_STR("not_found", error_type(t,
                                      ask_as(&w, "POST", in_chat(&w, chat, "/messages"), "run",
                                             "elsewhere", "{\"content\":\"x\"}"),
                                      404));
    CHECK_STR("forbidden", error_type(t,
                                      ask_as(&w, "POST", in_chat(&w, chat, "/messages"),
                                             "read,append", NULL, "{\"content\":\"x\"}"),
                                      403));
    CHECK_STR("forbidden", error_type(t,
                                      ask_as(&w, "POST", in_chat(&w, chat, "/approvals/x/resolve"),
                                             "read,run", NULL, "{\"decision\":\"approve\"}"),
                                      403));
    say_text(&w, "Hello.");
    g = ask_as(&w, "POST", in_chat(&w, chat, "/messages"), "run", NULL, "{\"content\":\"x\"}");
    CHECK_INT(200, g.status);
    world_close(&w);
}

STORE_TEST(C24_a_message_that_is_sent_again_with_its_key_is_answered_once)
{
    const char *chat;
    struct world w;
    struct got g;

    script_open(t, &w, NULL);
    chat = new_chat(&w, MODEL);
    say_text(&w, "Hello.");
    g = ask(&w, in_chat(&w, chat, "/messages"), "Idempotency-Key: k\r\n", "{\"content\":\"Hi\"}");
    CHECK_INT(200, g.status);
    g = ask(&w, in_chat(&w, chat, "/messages"), "Idempotency-Key: k\r\n", "{\"content\":\"Hi\"}");
    CHECK_INT(200, g.status);
    CHECK_STR("1", at(t, g, "data.turns_used"));
    CHECK_STR("conflict", error_type(t,
                                     ask(&w, in_chat(&w, chat, "/messages"),
                                         "Idempotency-Key: k\r\n", "{\"content\":\"Other\"}"),
                                     409));
    world_close(&w);
}
