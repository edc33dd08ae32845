/* Tool sets, names, the demo tools and those of bough itself. */
#include <bough/notes.h>
#include <bough/session.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "tools/inside.h"
#include "tools/world.h"

TEST(names_fit_what_models_accept_and_stay_different)
{
    char text[100];
    const char *one, *other;

    CHECK_STR("mcp__everything__echo", tool_name(t->arena, "mcp__everything__echo"));
    memset(text, 'x', 64);
    text[64] = '\0';
    CHECK_STR(text, tool_name(t->arena, text));
    memset(text, 'x', 70);
    text[70] = '\0';
    one = tool_name(t->arena, text);
    text[69] = 'y';
    other = tool_name(t->arena, text);
    CHECK_INT(64, strlen(one));
    CHECK_INT(64, strlen(other));
    CHECK(strcmp(one, other) != 0);
    one = tool_name(t->arena, "mcp__a.b__c");
    other = tool_name(t->arena, "mcp__a_b__c");
    CHECK_STR("mcp__a_b__c", other);
    CHECK_INT(0, strncmp(one, "mcp__a_b__c_", 12));
    CHECK_INT(strspn(one, "abcdefghijklmnopqrstuvwxyz0123456789_"), strlen(one));
}

TEST(a_set_has_the_tools_of_its_servers_with_valid_schemas)
{
    struct tools_world w;
    struct tool_list list;
    size_t readers = 0;

    world_open(t, &w, "files demo files");
    list = tool_set_list(w.set);
    CHECK_INT(8, list.n);
    for (size_t i = 0; i < list.n; i++) {
        struct json j;

        CHECK_OK(json_parse(t->arena, list.at[i].schema, &j, &t->err));
        CHECK(json_is(json_member(j, "type"), "object"));
        CHECK(*list.at[i].description && *list.at[i].title);
        readers += list.at[i].reads_only;
    }
    CHECK_INT(5, readers);
    CHECK_STR("files/read", tool_find(w.set, "files_read")->rule);
    CHECK(!tool_find(w.set, "files/read"));
    world_close(&w);
}

TEST(a_server_that_is_missing_or_lacks_a_workspace_is_named)
{
    const char *const servers[] = { "files", "demo" }, *none = "none";
    const struct tool_host_config config = { 0 };
    struct tool_host *h;
    struct tool_set *s;
    struct tool_set_options in = { .servers = servers, .n = 2 };

    CHECK_OK(tool_host_create(&h, &config, &t->err));
    CHECK_RC(BOUGH_INVALID, tool_set_open(&s, h, &in, &t->err));
    CHECK_STR("tool server \"files\": it needs a workspace", t->err.msg);
    in.skip_broken = true;
    CHECK_OK(tool_set_open(&s, h, &in, &t->err));
    CHECK_INT(3, tool_set_list(s).n);
    CHECK_INT(1, tool_set_list(s).nskipped);
    CHECK_STR("tool server \"files\": it needs a workspace", tool_set_list(s).skipped[0]);
    tool_set_close(s);
    in = (struct tool_set_options){ .servers = &none, .n = 1, .skip_broken = true };
    CHECK_RC(BOUGH_NOT_FOUND, tool_set_open(&s, h, &in, &t->err));
    tool_host_destroy(h);
}

TEST(demo_tools_say_that_they_are_canned)
{
    struct tools_world w;

    world_open(t, &w, "demo");
    CHECK_HAS(world_good(t, &w, "demo_weather", "{\"city\":\"Oslo\"}"), "invented");
    CHECK_STR(world_good(t, &w, "demo_weather", "{\"city\":\"Oslo\"}"),
              world_good(t, &w, "demo_weather", "{\"city\":\"Oslo\"}"));
    CHECK_HAS(world_good(t, &w, "demo_slow", "{\"seconds\":1}"), "Done");
    CHECK_INT(1, w.nprogress);
    CHECK_STR("0 of 1 seconds", w.progress);
    CHECK_HAS(world_good(t, &w, "demo_edit", "{\"path\":\"x\",\"content\":\"# Pretend file\\n\"}"),
              "no file was written");
    CHECK_STR("@@ -1,2 +1,1 @@\n # Pretend file\n-Nothing is written.\n",
              world_detail(t, &w, "diff"));
    CHECK(!get_file(t, "work/x"));
    world_close(&w);
}

static void *cancel_soon(void *user)
{
    struct tools_world *w = user;

    for (struct wait wait = { 0 }; !__atomic_load_n(&w->nprogress, __ATOMIC_ACQUIRE);)
        if (!wait_more(&wait))
            break;
    __atomic_store_n(&w->cancel, true, __ATOMIC_RELEASE);
    return NULL;
}

TEST(a_call_ends_soon_after_it_is_cancelled)
{
    struct tools_world w;
    pthread_t thread;

    world_open(t, &w, "demo");
    CHECK_INT(0, pthread_create(&thread, NULL, cancel_soon, &w));
    CHECK_STR("cancelled", world_bad(t, &w, "demo_slow", "{\"seconds\":120}"));
    CHECK(w.last.cancelled);
    CHECK_INT(0, pthread_join(thread, NULL));
    world_close(&w);
}

/* ---- bough ---- */

static void open_bough(struct test *t, struct tools_world *w, const char *session,
                       const char *project)
{
    static const char *const servers[] = { "bough" };
    const struct tool_host_config config = { .store = t->store };
    const struct tool_set_options in = {
        .servers = servers, .n = 1, .session = session, .project = project
    };

    *w = (struct tools_world){ 0 };
    CHECK_OK(tool_host_create(&w->host, &config, &t->err));
    CHECK_OK(tool_set_open(&w->set, w->host, &in, &t->err));
}

static const char *session_in(struct test *t, const char *title, const char *project)
{
    struct bough_session *s;

    CHECK_OK(bough_session_create(
        t->store, t->arena,
        &(struct bough_session_create_options){ .title = title, .project = project }, &s, &t->err));
    return s->id;
}

STORE_TEST(bough_tools_see_the_project_of_the_run_only)
{
    const char *mine = session_in(t, "apples here", "p1");
    struct tools_world w;

    session_in(t, "apples elsewhere", "p2");
    open_bough(t, &w, mine, "p1");
    CHECK_HAS(world_good(t, &w, "bough_search_sessions", "{\"query\":\"apples\"}"), "apples here");
    CHECK(
        !strstr(world_good(t, &w, "bough_search_sessions", "{\"query\":\"apples\"}"), "elsewhere"));
    CHECK_STR("(nothing found)",
              world_good(t, &w, "bough_search_sessions", "{\"query\":\"apples project:p2\"}"));
    CHECK_STR("(no memories)", world_good(t, &w, "bough_memories", "{}"));
    CHECK_OK(bough_memory_add(t->store, t->arena,
                              &(struct bough_memory){ .scope = BOUGH_MEMORY_OF_STORE,
                                                      .of = "",
                                                      .title = "",
                                                      .body = "",
                                                      .source = "",
                                                      .path = "",
                                                      .content = "of the store" },
                              NULL, &t->err));
    CHECK_HAS(world_good(t, &w, "bough_remember", "{\"content\":\"we like tabs\"}"), "Remembered");
    CHECK_HAS(world_good(t, &w, "bough_memories", "{}"), "[project] we like tabs");
    CHECK(!strstr(world_good(t, &w, "bough_memories", "{}"), "of the store"));
    world_close(&w);
}

STORE_TEST(bough_tools_read_and_replace_todos)
{
    struct tools_world w;

    open_bough(t, &w, new_session(t, "work"), NULL);
    CHECK_STR("(no todos)", world_good(t, &w, "bough_todos", "{}"));
    CHECK_STR("1. [completed] write\n2. [pending] test\n",
              world_good(t, &w, "bough_replace_todos",
                         "{\"todos\":[{\"content\":\"write\",\"status\":\"completed\"},"
                         "{\"content\":\"test\",\"status\":\"pending\"}]}"));
    CHECK_HAS(world_good(t, &w, "bough_todos", "{}"), "2. [pending] test");
    CHECK_HAS(world_bad(t, &w, "bough_replace_todos",
                        "{\"todos\":[{\"content\":\"x\",\"status\":\"maybe\"}]}"),
              "status");
    world_close(&w);
}
