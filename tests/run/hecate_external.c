/* Hecate's agent chats with an external agent: the scripted one of tests/fakes. */
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "child/child.h"
#include "run/hecate_world.h"

static void shell(struct test *t, const char *dir, const char *command)
{
    char sh[] = "sh", option[] = "-c";
    char *argv[] = { sh, option, arena_printf(t->arena, "cd '%s' && %s", dir, command), NULL };
    int status;
    pid_t pid;

    CHECK_INT(0, posix_spawnp(&pid, "sh", NULL, NULL, argv, environ));
    CHECK(waitpid(pid, &status, 0) == pid);
    CHECK_INT(0, status);
}

/* A world with the agent "fake" and a repository as workspace. Skips without Node. */
static const char *open_world(struct test *t, struct world *w)
{
    static const char *const path[] = { "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
    const char *dir = test_path(t, "work");
    char here[4096];

    if (!child_lookup(t->arena, "node", path))
        SKIP("Node is not installed");
    (void)mkdir(dir, 0700);
    CHECK(getcwd(here, sizeof here) != NULL);
    world_prepare(t, w);
    world_set(w, "workspaces", "root", dir);
    world_set(w, "agent \"fake\"", "command",
              arena_printf(t->arena, "node %s/tests/fakes/acp-agent.mjs", here));
    world_set(w, "agent \"fake\"", "set",
              arena_printf(t->arena, "FAKE_HOME=%s", test_path(t, "agent")));
    world_start(w);
    CHECK_OK(runner_watch(w->runner, &t->err));
    shell(t, dir,
          "echo one >a.txt && echo going >gone.txt && git init -q . && git add . && "
          "git -c user.name=t -c user.email=t@example.org commit -qm first && "
          "git checkout -q -b topic");
    return dir;
}

static const char *new_external(struct world *w, const char *dir)
{
    return new_chat(
        w, arena_printf(w->t->arena, "{\"adapter_id\":\"fake\",\"workspace\":\"%s\"}", dir));
}

STORE_TEST_SECONDS(a_chat_with_an_external_agent_keeps_its_session_until_it_is_closed, 90)
{
    const char *chat, *native;
    struct world w;
    struct got g;
    const char *dir = open_world(t, &w);

    chat = new_external(&w, dir);
    g = get_path(&w, in_chat(&w, chat, ""));
    CHECK_STR("external_agent", at(t, g, "data.runtime_kind"));
    CHECK_STR("fake chat", at(t, g, "data.title"));
    CHECK_STR("acp", at(t, g, "data.driver_kind"));
    CHECK_STR("topic", at(t, g, "data.workspace_branch"));
    CHECK_STR("agent_chat.runtime_mismatch",
              error_type(t,
                         post(&w, in_chat(&w, chat, "/messages"),
                              "{\"content\":\"x\",\"runtime_kind\":\"model\"}"),
                         400));
    g = post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\"[s:hello]\"}");
    CHECK_INT(200, g.status);
    CHECK_STR("completed", at(t, g, "data.status"));
    CHECK_STR("Hello.\n\nAgain.", at(t, g, "data.messages.1.content"));
    CHECK_STR("external", at(t, g, "data.messages.1.cost_mode"));
    CHECK_STR("fake", at(t, g, "data.messages.1.adapter_id"));
    native = at(t, g, "data.native_session_id");
    CHECK(strcmp(native, "(none)") != 0);
    CHECK_STR(arena_printf(t->arena, "external:%s", native), at(t, g, "data.segments.0.id"));
    g = post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\"[s:hello]\"}");
    CHECK_STR(native, at(t, g, "data.native_session_id"));
    g = post(&w, in_chat(&w, chat, "/close"), "");
    CHECK_STR("(none)", at(t, g, "data.native_session_id"));
    CHECK_STR("Hello.\n\nAgain.", at(t, g, "data.messages.1.content"));
    g = post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\"[s:hello]\"}");
    CHECK(strcmp(native, at(t, g, "data.native_session_id")) != 0);
    world_close(&w);
}

static struct bough_approval *wait_pending(struct world *w)
{
    struct bough_approval_list_options pending = { .status = "pending" };
    struct test *t = w->t;
    struct bough_approvals found;

    for (struct wait wait = { 0 };;) {
        CHECK_OK(bough_approval_list(t->store, t->arena, &pending, &found, &t->err));
        if (found.n)
            return &found.at[0];
        CHECK(wait_more(&wait));
    }
}

static struct got settle(struct world *w, const char *chat, const struct bough_approval *x,
                         const char *body)
{
    return post(w, in_chat(w, chat, arena_printf(w->t->arena, "/approvals/%s/resolve", x->id)),
                body);
}

STORE_TEST_SECONDS(the_options_of_an_agent_are_offered_and_must_fit_the_decision, 90)
{
    struct bough_approval *x;
    struct talk sending;
    struct world w;
    struct got g;
    const char *dir = open_world(t, &w), *chat = new_external(&w, dir);

    sending = talk_begin(&w, in_chat(&w, chat, "/messages"), "", "{\"content\":\"[s:tools]\"}");
    x = wait_pending(&w);
    g = get_path(&w, in_chat(&w, chat, "/approvals"));
    CHECK_STR("fake", at(t, g, "data.0.adapter_id"));
    CHECK_STR("shell_exec", at(t, g, "data.0.tool_kind"));
    CHECK_STR("ls", at(t, g, "data.0.tool_name"));
    CHECK_STR("allow_once", at(t, g, "data.0.acp_options.0.kind"));
    CHECK_STR("invalid_request",
              error_type(
                  t,
                  settle(&w, chat, x, "{\"decision\":\"approve\",\"selected_option\":\"nothing\"}"),
                  400));
    CHECK_STR("invalid_request",
              error_type(t,
                         settle(&w, chat, x,
                                arena_printf(t->arena,
                                             "{\"decision\":\"deny\",\"selected_option\":\"%s\"}",
                                             at(t, g, "data.0.acp_options.0.option_id"))),
                         400));
    g = settle(&w, chat, x, "{\"decision\":\"approve\"}");
    CHECK_INT(200, g.status);
    CHECK(strcmp(at(t, g, "data.selected_option"), "(none)") != 0);
    g = talk_end(&sending);
    CHECK_STR("completed", at(t, g, "data.status"));
    sending =
        talk_begin(&w, in_chat(&w, chat, "/messages"), "", "{\"content\":\"[s:onlyalways]\"}");
    x = wait_pending(&w);
    g = settle(&w, chat, x, "{\"decision\":\"approve\"}");
    CHECK_STR("conflict", error_type(t, g, 409));
    CHECK_STR("allow_always", at(t, g, "error.options.0.kind"));
    CHECK_INT(200,
              settle(&w, chat, x,
                     arena_printf(t->arena, "{\"decision\":\"approve\",\"selected_option\":\"%s\"}",
                                  at(t, g, "error.options.0.option_id")))
                  .status);
    CHECK_INT(200, talk_end(&sending).status);
    world_close(&w);
}

STORE_TEST_SECONDS(files_of_a_turn_are_listed_shown_and_taken_back, 90)
{
    struct world w;
    struct got g;
    const char *dir = open_world(t, &w), *chat = new_external(&w, dir), *message;

    g = post(&w, in_chat(&w, chat, "/messages"), "{\"content\":\"[s:write]\"}");
    CHECK_STR("completed", at(t, g, "data.status"));
    CHECK_STR("3 files changed, 2 insertions(+), 1 deletions(-)",
              at(t, g, "data.messages.1.diff_stat"));
    CHECK(strstr(at(t, g, "data.messages.1.diff"), "diff --git a/a.txt b/a.txt"));
    CHECK(strstr(at(t, g, "data.messages.1.diff"), "+more"));
    CHECK(strstr(at(t, g, "data.messages.1.raw_output"), "session/prompt"));
    message = arena_printf(t->arena, "/messages/%s", at(t, g, "data.messages.1.id"));
    g = get_path(&w, in_chat(&w, chat, arena_printf(t->arena, "%s/files", message)));
    CHECK_STR("{\"object\":\"agent_chat_changed_files\",\"data\":["
              "{\"path\":\"a.txt\",\"additions\":1,\"deletions\":0,\"status\":\"modified\"},"
              "{\"path\":\"gone.txt\",\"additions\":0,\"deletions\":1,\"status\":\"deleted\"},"
              "{\"path\":\"made.txt\",\"additions\":1,\"deletions\":0,\"status\":\"added\"}]}",
              g.body.p);
    g = get_path(&w, in_chat(&w, chat, arena_printf(t->arena, "%s/files/a.txt", message)));
    CHECK_STR("agent_chat_changed_file_diff", at(t, g, "object"));
    CHECK(strstr(at(t, g, "data.diff"), "+more") != NULL);
    CHECK_STR(
        "not_found",
        error_type(
            t, get_path(&w, in_chat(&w, chat, arena_printf(t->arena, "%s/files/b/c.txt", message))),
            404));
    CHECK_STR("not_found",
              error_type(t, get_path(&w, in_chat(&w, chat, "/messages/msg_x/files")), 404));
    message = in_chat(&w, chat, arena_printf(t->arena, "%s/revert", message));
    CHECK_STR("invalid_request",
              error_type(t, post(&w, message, "{\"paths\":[\"other.txt\"]}"), 400));
    g = post(&w, message, "{\"paths\":[\"made.txt\"]}");
    CHECK_STR("true", at(t, g, "data.reverted"));
    CHECK_STR("[\"made.txt\"]", at(t, g, "data.paths"));
    CHECK_STR("a.txt", at(t, g, "data.files.0.path"));
    CHECK_STR("2 files changed, 1 insertions(+), 1 deletions(-)", at(t, g, "data.diff_stat"));
    CHECK(access(arena_printf(t->arena, "%s/made.txt", dir), F_OK) != 0);
    g = get_path(&w, in_chat(&w, chat, ""));
    CHECK(strstr(g.body.p, "\"type\":\"files_reverted\"") != NULL);
    shell(t, dir, "echo other >a.txt");
    CHECK_STR("conflict", error_type(t, post(&w, message, "{\"paths\":[\"a.txt\"]}"), 409));
    world_close(&w);
}

STORE_TEST_SECONDS(agent_adapters_are_listed_probed_and_not_installed_from_here, 90)
{
    const char *dir;
    struct world w;
    struct got g;

    dir = open_world(t, &w);
    (void)dir;
    g = get_path(&w, "/hecate/v1/agent-adapters");
    CHECK_STR("agent_adapters", at(t, g, "object"));
    CHECK(strstr(g.body.p,
                 "\"id\":\"fake\",\"name\":\"fake\",\"kind\":\"acp\",\"command\":\"node\""));
    CHECK(strstr(g.body.p, "\"status\":\"available\""));
    g = post(&w, "/hecate/v1/agent-adapters/fake/probe", "");
    CHECK_INT(200, g.status);
    CHECK_STR("agent_adapter_probe", at(t, g, "object"));
    CHECK_STR("ready", at(t, g, "data.health.status"));
    CHECK_STR("ready", at(t, g, "data.health.stage"));
    CHECK_STR("ok", at(t, g, "data.adapter.auth_status"));
    g = get_path(&w, "/hecate/v1/agent-adapters/fake/health");
    CHECK_STR("agent_adapter_health", at(t, g, "object"));
    CHECK_STR("ready", at(t, g, "data.status"));
    CHECK_STR("not_found",
              error_type(t, post(&w, "/hecate/v1/agent-adapters/nobody/probe", ""), 404));
    CHECK_STR("conflict",
              error_type(t, post(&w, "/hecate/v1/agent-adapters/fake/refresh-launcher", ""), 409));
    CHECK_STR(
        "not_found",
        error_type(t, post(&w, "/hecate/v1/agent-adapters/nobody/refresh-launcher", ""), 404));
    world_close(&w);
}
