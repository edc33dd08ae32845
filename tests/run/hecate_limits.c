/* Hecate's agent chats: their limits, idle ones, and models that take no tools. */
#include <string.h>
#include <sys/stat.h>

#include "base/memory/arena.h"
#include "core/activity/activity.h"
#include "run/hecate_world.h"

#define AGENT "{\"runtime_kind\":\"agent\",\"model\":\"gpt-5.5\",\"workspace\":\"%s\"}"
#define MODEL "{\"runtime_kind\":\"model\",\"model\":\"gpt-5.5\"}"

/* A world as script_open() makes it, with a setting of [chats]. */
static const char *open_limited(struct test *t, struct world *w, const char *name,
                                const char *value)
{
    const char *dir = test_path(t, "work");

    (void)mkdir(dir, 0700);
    world_prepare(t, w);
    world_set(w, "provider \"up\"", "wires", "chat");
    world_set(w, "provider \"up\"", "no_tools", "plain-* tiny");
    world_set(w, "workspaces", "root", dir);
    world_set(w, "chats", name, value);
    world_start(w);
    CHECK_OK(runner_watch(w->runner, &t->err));
    return dir;
}

static struct got say(struct world *w, const char *chat)
{
    return post(w, in_chat(w, chat, "/messages"), "{\"content\":\"go\"}");
}

static void pass_ms(struct test *t, int64_t ms)
{
    __atomic_add_fetch(&t->env.now, ms, __ATOMIC_RELAXED);
}

STORE_TEST(a_chat_that_has_had_its_turns_says_how_many_there_are)
{
    const char *chat;
    struct world w;
    struct got g;

    (void)open_limited(t, &w, "turns", "2");
    chat = new_chat(&w, MODEL);
    for (int i = 1; i <= 2; i++) {
        say_text(&w, "yes");
        g = say(&w, chat);
        CHECK_INT(200, g.status);
        CHECK_STR(i == 1 ? "1" : "2", at(t, g, "data.turns_used"));
    }
    g = say(&w, chat);
    CHECK_STR("agent_chat.session_limit_exceeded", error_type(t, g, 422));
    CHECK_STR("2", at(t, g, "error.limit"));
    CHECK_STR("2", at(t, g, "error.turns_used"));
    CHECK_INT(2, fake_count(w.up));
    world_close(&w);
}

STORE_TEST(a_chat_is_used_for_as_long_as_the_configuration_says)
{
    const char *chat;
    struct world w;
    struct got g;

    (void)open_limited(t, &w, "duration", "1h");
    chat = new_chat(&w, MODEL);
    say_text(&w, "yes");
    pass_ms(t, 59LL * 60 * 1000);
    CHECK_INT(200, say(&w, chat).status);
    pass_ms(t, 60 * 1000);
    g = say(&w, chat);
    CHECK_STR("agent_chat.session_duration_limit_exceeded", error_type(t, g, 422));
    CHECK_STR("3600000", at(t, g, "error.limit_ms"));
    CHECK_STR(at(t, get_path(&w, in_chat(&w, chat, "")), "data.created_at"),
              at(t, g, "error.started_at"));
    world_close(&w);
}

STORE_TEST(a_chat_in_which_nothing_happened_is_closed)
{
    const char *chat;
    struct world w;
    struct got g;

    (void)open_limited(t, &w, "idle", "1h");
    chat = new_chat(&w, MODEL);
    pass_ms(t, 59LL * 60 * 1000);
    say_text(&w, "yes");
    CHECK_INT(200, say(&w, chat).status);
    pass_ms(t, 59LL * 60 * 1000);
    say_text(&w, "yes");
    CHECK_INT(200, say(&w, chat).status);
    pass_ms(t, 60LL * 60 * 1000);
    g = say(&w, chat);
    CHECK_STR("agent_chat.session_idle_timeout", error_type(t, g, 422));
    CHECK_STR("3600000", at(t, g, "error.limit_ms"));
    CHECK_STR(at(t, get_path(&w, in_chat(&w, chat, "")), "data.updated_at"),
              at(t, g, "error.updated_at"));
    world_close(&w);
}

STORE_TEST(a_run_that_waits_in_an_idle_chat_is_cancelled_and_shown_as_interrupted)
{
    struct bough_run_list_options live = { .status = "awaiting_approval" };
    const char *chat, *dir, *other;
    struct talk sending;
    struct world w;
    struct bough_runs runs;
    struct got g;

    dir = open_limited(t, &w, "idle", "2s");
    /* A run of a session that is no chat waits on. */
    say_call(&w, "files_write", "{\"path\":\"a.txt\",\"content\":\"x\"}");
    other = start_run(&w, new_session(t, "s"), "go",
                      arena_printf(t->arena, "\"servers\":[\"files\"],\"workspace\":\"%s\"", dir));
    wait_run(&w, other, BOUGH_RUN_AWAITING_APPROVAL);
    chat = new_chat(&w, arena_printf(t->arena, AGENT, dir));
    say_call(&w, "files_write", "{\"path\":\"b.txt\",\"content\":\"x\"}");
    sending = talk_begin(&w, in_chat(&w, chat, "/messages"), "", "{\"content\":\"go\"}");
    for (struct wait wait = { 0 };;) {
        CHECK_OK(bough_run_list(t->store, t->arena, &live, &runs, &t->err));
        if (runs.n == 2)
            break;
        CHECK(wait_more(&wait));
    }
    pass_ms(t, 2000);
    g = talk_end(&sending);
    CHECK_INT(200, g.status);
    CHECK_STR("cancelled", at(t, g, "data.status"));
    CHECK(strstr(g.body.p, "\"type\":\"interrupted\",\"status\":\"cancelled\""));
    CHECK(strstr(g.body.p, "nothing happened in this chat for 2 seconds"));
    CHECK_STR("agent_chat.session_idle_timeout", error_type(t, say(&w, chat), 422));
    CHECK_INT(BOUGH_RUN_AWAITING_APPROVAL, run_now(&w, other)->status);
    world_close(&w);
}

STORE_TEST(settings_of_runs_that_mean_nothing_are_refused_by_name)
{
    static const char *const wrong[][3] = {
        { "chats", "turns", "-1" },
        { "chats", "turns", "many" },
        { "chats", "idle", "soon" },
        { "chats", "duration", "" },
        { "chats", "x", "1" },
        { "runs", "workers", "" },
        { "runs", "workers", "-1" },
        { "runs", "workers", "1000" },
        { "runs", "workers", "2x" },
        { "workspaces", "root", "/nonexistent-folder" },
        { "approvals", "rule", "" },
        { "approvals", "rule", "allow" },
        { "approvals", "rule", "perhaps files/write" },
        { "approvals", "rule", "allow files/write workspace=here" },
        { "approvals", "rule", "allow files/write workspace=/a and more" },
    };
    struct gateway_setting set;
    struct runner_config config = { .store = t->store, .settings = &set, .n = 1 };
    struct runner *r;

    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        set = (struct gateway_setting){ wrong[i][0], wrong[i][1], wrong[i][2] };
        CHECK_RC(BOUGH_INVALID, runner_create(&r, &config, &t->err));
        CHECK(strstr(t->err.msg, arena_printf(t->arena, "[%s]", set.section)));
    }
}

STORE_TEST(tools_are_refused_for_a_model_that_takes_none)
{
    const char *chat, *dir;
    struct world w;
    struct got g;

    dir = open_limited(t, &w, "turns", "0");
    g = post(&w, CHATS,
             arena_printf(t->arena,
                          "{\"runtime_kind\":\"agent\",\"provider\":\"up\",\"model\":\"plain-1\","
                          "\"workspace\":\"%s\"}",
                          dir));
    CHECK_STR("agent_chat.model_capability_required", error_type(t, g, 422));
    CHECK_STR("up", at(t, g, "error.provider"));
    CHECK_STR("plain-1", at(t, g, "error.model"));
    CHECK_STR("{\"tool_calling\":\"none\"}", at(t, g, "error.capabilities"));
    chat = new_chat(&w, "{\"runtime_kind\":\"model\",\"provider\":\"up\",\"model\":\"tiny\"}");
    g = get_path(&w, in_chat(&w, chat, ""));
    CHECK_STR("{\"tool_calling\":\"none\"}", at(t, g, "data.capabilities"));
    say_text(&w, "yes");
    CHECK_INT(200, say(&w, chat).status);
    g = post(&w, in_chat(&w, chat, "/messages"),
             arena_printf(t->arena,
                          "{\"content\":\"go\",\"runtime_kind\":\"agent\",\"workspace\":\"%s\"}",
                          dir));
    CHECK_STR("agent_chat.model_capability_required", error_type(t, g, 422));
    g = post(&w, TASKS,
             "{\"prompt\":\"go\",\"execution_kind\":\"agent_loop\",\"requested_model\":\"tiny\","
             "\"requested_provider\":\"up\"}");
    CHECK_INT(200, g.status);
    g = post(&w, in_task(&w, at(t, g, "data.id"), "/start"), "");
    CHECK_STR("agent_chat.model_capability_required", error_type(t, g, 422));
    CHECK_INT(1, fake_count(w.up));
    world_close(&w);
}
