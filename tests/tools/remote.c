/* MCP servers as tools, over standard input and output: both eras, and every fault. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "child/child.h"
#include "gateway/providers.h"
#include "tools/fake_mcp.h"
#include "tools/inside.h"
#include "tools/world.h"

/* A host with the server "fake" that behaves like `how`, and one more setting or NULL. */
struct fakes {
    struct tools_world w;
    struct children *children;
};

static enum bough_rc open_host(struct test *t, struct fakes *f, const char *how, const char *name,
                               const char *value)
{
    const struct gateway_setting settings[] = {
        { "tools \"fake\"", "command",
          arena_printf(t->arena, "/proc/self/exe %s \"%s\"", FAKE_MCP, how) },
        { "tools \"fake\"", name, value },
    };
    const struct tool_host_config config = { .settings = settings, .n = name ? 2 : 1 };
    struct tool_host_config with = config;

    f->w = (struct tools_world){ 0 };
    CHECK_OK(children_create(&f->children, &t->err));
    with.children = f->children;
    return tool_host_create(&f->w.host, &with, &t->err);
}

static enum bough_rc open_set(struct test *t, struct fakes *f, bool skip)
{
    static const char *const servers[] = { "fake" };

    return tool_set_open(
        &f->w.set, f->w.host,
        &(struct tool_set_options){ .servers = servers, .n = 1, .skip_broken = skip }, &t->err);
}

static void open_fake(struct test *t, struct fakes *f, const char *how)
{
    CHECK_OK(open_host(t, f, how, NULL, NULL));
    CHECK_OK(open_set(t, f, false));
}

static void close_fake(struct fakes *f)
{
    world_close(&f->w);
    children_destroy(f->children);
}

static int lines_with(const char *text, const char *word)
{
    int n = 0;

    while (text && (text = strstr(text, word))) {
        n++;
        text += strlen(word);
    }
    return n;
}

/* ---- eras and lists ---- */

static void check_usual(struct test *t, const char *how, const char *protocol)
{
    struct fakes f;
    struct tool_server about;

    open_fake(t, &f, how);
    CHECK_INT(17, tool_set_list(f.w.set).n);
    CHECK_STR("{\"x\":1}", world_good(t, &f.w, "mcp__fake__echo", "{\"x\":1}"));
    CHECK_STR("{}", world_good(t, &f.w, "mcp__fake__echo", ""));
    CHECK_OK(tool_host_probe(f.w.host, t->arena, "fake", &about, &t->err));
    CHECK_STR("ready", about.status);
    CHECK_STR(protocol, about.protocol);
    CHECK_INT(17, about.tools);
    close_fake(&f);
}

TEST_SECONDS(a_server_of_either_era_is_found_out_and_used, 60)
{
    check_usual(t, "older", "2025-06-18");
    check_usual(t, "modern", "2026-07-28");
    check_usual(t, "modern,pages", "2026-07-28");
    check_usual(t, "older,garbage", "2025-06-18");
    check_usual(t, "modern,halves,garbage,pages", "2026-07-28");
}

TEST_SECONDS(tools_are_described_as_their_server_does, 60)
{
    const struct tool *echo, *other;
    struct fakes f;

    open_fake(t, &f, "older");
    echo = tool_find(f.w.set, "mcp__fake__echo");
    CHECK_STR("fake/echo", echo->rule);
    CHECK_STR("Echo", echo->title);
    CHECK_STR("Says it again", echo->description);
    CHECK_SPAN(
        "{ \"type\" : \"object\",\"properties\":{\"x\":{\"$ref\":\"http://127.0.0.1:1/x\"}} }",
        echo->schema);
    CHECK(!echo->reads_only); /* a hint of a server that is not trusted */
    CHECK(!tool_find(f.w.set, "mcp__fake__task"));
    other = &tool_set_list(f.w.set).at[16];
    CHECK_STR("fake/a name with blanks", other->rule);
    CHECK_INT(0, strncmp(other->name, "mcp__fake__a_name_with_blanks_", 30));
    CHECK_STR("called", world_good(t, &f.w, other->name, "{}"));
    close_fake(&f);
    CHECK_OK(open_host(t, &f, "modern", "trust", "yes"));
    CHECK_OK(open_set(t, &f, false));
    CHECK(tool_find(f.w.set, "mcp__fake__echo")->reads_only);
    CHECK(!tool_find(f.w.set, "mcp__fake__bad")->reads_only);
    close_fake(&f);
}

TEST_SECONDS(a_list_that_does_not_end_is_an_error, 60)
{
    struct fakes f;

    CHECK_OK(open_host(t, &f, "older,endless", NULL, NULL));
    CHECK_RC(BOUGH_IO, open_set(t, &f, false));
    CHECK_HAS(t->err.msg, "does not end");
    close_fake(&f);
}

/* How often the tools were listed when two sets were opened after each other. */
static int lists_of(struct test *t, const char *how, bool change)
{
    const char *file = test_path(t, "count");
    struct fakes f;
    int n;

    (void)unlink(file);
    open_fake(t, &f, arena_printf(t->arena, "%s,count=%s", how, file));
    if (change)
        CHECK_STR("changed", world_good(t, &f.w, "mcp__fake__change", "{}"));
    tool_set_close(f.w.set);
    CHECK_OK(open_set(t, &f, false));
    CHECK_INT(change, tool_find(f.w.set, "mcp__fake__new") != NULL);
    n = lines_with(get_file(t, "count"), "list\n");
    CHECK_INT(1, lines_with(get_file(t, "count"), "start"));
    close_fake(&f);
    return n;
}

TEST_SECONDS(tools_are_listed_again_when_they_change_or_grow_old, 60)
{
    CHECK_INT(1, lists_of(t, "older", false));
    CHECK_INT(2, lists_of(t, "older,changes", true));
    CHECK_INT(2, lists_of(t, "modern,changes", true));
    CHECK_INT(2, lists_of(t, "modern,brief", false));
    CHECK_INT(1, lists_of(t, "modern", false));
}

/* ---- results ---- */

TEST_SECONDS(results_of_all_kinds_become_text, 60)
{
    struct fakes f;

    open_fake(t, &f, "older");
    CHECK_STR("words\n[image image/png]\n[link x file:///x]\ninside\n[file file:///z]\n[later ]",
              world_good(t, &f.w, "mcp__fake__kinds", "{}"));
    CHECK_HAS(arena_strndup(t->arena, f.w.last.content.p, f.w.last.content.n), "\"data\":\"AAAA\"");
    CHECK_STR("[1, 2]", world_good(t, &f.w, "mcp__fake__structured", "{}"));
    CHECK_SPAN("[1, 2]", f.w.last.structured);
    CHECK_STR("it went wrong", world_bad(t, &f.w, "mcp__fake__bad", "{}"));
    CHECK_HAS(world_bad(t, &f.w, "mcp__fake__refuse", "{}"), "not these arguments");
    CHECK_HAS(world_bad(t, &f.w, "mcp__fake__input", "{}"), "asks for more input");
    CHECK_HAS(world_bad(t, &f.w, "mcp__fake__echo", "[1]"), "not a JSON object");
    CHECK_STR("first", world_good(t, &f.w, "mcp__fake__twice", "{}"));
    CHECK_STR("{}", world_good(t, &f.w, "mcp__fake__echo", "{}"));
    close_fake(&f);
}

TEST_SECONDS(requests_of_the_server_are_answered, 60)
{
    struct fakes f;

    open_fake(t, &f, "older");
    CHECK_STR("0 ok;\"s\" -32601;\"r\" -32601;", world_good(t, &f.w, "mcp__fake__asks", "{}"));
    close_fake(&f);
}

/* ---- time ---- */

TEST_SECONDS(progress_is_passed_on_and_a_flood_of_it_is_thinned, 120)
{
    struct fakes f;

    open_fake(t, &f, "older");
    CHECK_STR("flooded", world_good(t, &f.w, "mcp__fake__flood", "{}"));
    CHECK(f.w.nprogress > 0 && f.w.nprogress <= 20000);
    CHECK_HAS(f.w.progress, "step ");
    close_fake(&f);
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

TEST_SECONDS(a_cancelled_call_is_told_to_the_server_and_its_late_answer_ignored, 60)
{
    pthread_t thread;
    struct fakes f;

    open_fake(t, &f, "older");
    CHECK_INT(0, pthread_create(&thread, NULL, cancel_soon, &f.w));
    CHECK_STR("cancelled", world_bad(t, &f.w, "mcp__fake__hang", "{}"));
    CHECK(f.w.last.cancelled);
    CHECK_INT(0, pthread_join(thread, NULL));
    f.w.cancel = false;
    CHECK_HAS(world_good(t, &f.w, "mcp__fake__cancelled", "{}"), "cancelled ");
    CHECK_STR("{}", world_good(t, &f.w, "mcp__fake__echo", "{}"));
    close_fake(&f);
}

TEST_SECONDS(a_call_that_is_silent_too_long_ends_and_progress_prevents_it, 120)
{
    struct fakes f;

    CHECK_OK(open_host(t, &f, "older", "silent_timeout", "2s"));
    CHECK_OK(open_set(t, &f, false));
    CHECK_HAS(world_bad(t, &f.w, "mcp__fake__hang", "{}"), "did not answer tools/call");
    CHECK(!f.w.last.cancelled);
    CHECK_STR("steady", world_good(t, &f.w, "mcp__fake__steady", "{}"));
    close_fake(&f);
    CHECK_OK(open_host(t, &f, "older", "whole_timeout", "700ms"));
    CHECK_OK(open_set(t, &f, false));
    CHECK_HAS(world_bad(t, &f.w, "mcp__fake__steady", "{}"), "was not done with tools/call");
    close_fake(&f);
}

/* ---- servers that do not work ---- */

TEST_SECONDS(a_server_that_does_not_start_is_named_with_what_it_said, 60)
{
    struct tool_server about;
    struct fakes f;

    CHECK_OK(open_host(t, &f, "quit", NULL, NULL));
    CHECK_RC(BOUGH_IO, open_set(t, &f, false));
    CHECK_STR("tool server \"fake\" exited with 7", t->err.msg);
    CHECK_OK(open_set(t, &f, true));
    CHECK_INT(1, tool_set_list(f.w.set).nskipped);
    CHECK_OK(tool_host_probe(f.w.host, t->arena, "fake", &about, &t->err));
    CHECK_STR("failed", about.status);
    CHECK_STR("I do not want to\n", about.err_tail);
    CHECK_HAS(about.hint, "by hand");
    tool_set_close(f.w.set);
    f.w.set = NULL;
    CHECK_RC(BOUGH_OVERLOADED, open_set(t, &f, false)); /* the fourth start in a minute */
    CHECK_HAS(t->err.msg, "3 times in a minute");
    close_fake(&f);
}

TEST_SECONDS(a_program_that_is_not_there_is_named, 60)
{
    const struct gateway_setting settings[] = { { "tools \"fake\"", "command",
                                                  "/no/such/program" } };
    struct tool_host_config config = { .settings = settings, .n = 1 };
    struct fakes f = { 0 };

    CHECK_OK(children_create(&f.children, &t->err));
    config.children = f.children;
    CHECK_OK(tool_host_create(&f.w.host, &config, &t->err));
    CHECK_RC(BOUGH_NOT_FOUND, open_set(t, &f, false));
    CHECK_HAS(t->err.msg, "/no/such/program");
    close_fake(&f);
}

TEST_SECONDS(a_silent_server_is_given_up, 60)
{
    struct fakes f;

    CHECK_OK(open_host(t, &f, "silent", "start_timeout", "500ms"));
    CHECK_RC(BOUGH_TIMEOUT, open_set(t, &f, false));
    CHECK_HAS(t->err.msg, "did not answer initialize");
    close_fake(&f);
}

TEST_SECONDS(a_server_that_dies_in_a_call_is_started_again_for_the_next_one, 60)
{
    struct fakes f;

    open_fake(t, &f, "older");
    CHECK_HAS(world_bad(t, &f.w, "mcp__fake__die", "{}"), "exited with 3");
    CHECK_STR("{}", world_good(t, &f.w, "mcp__fake__echo", "{}"));
    world_bad(t, &f.w, "mcp__fake__die", "{}");
    world_bad(t, &f.w, "mcp__fake__die", "{}");
    CHECK_HAS(world_bad(t, &f.w, "mcp__fake__echo", "{}"), "3 times in a minute");
    close_fake(&f);
}

TEST_SECONDS(an_answer_that_is_too_large_is_an_error, 120)
{
    struct fakes f;

    open_fake(t, &f, "older");
    CHECK_HAS(world_bad(t, &f.w, "mcp__fake__huge", "{}"), "too large");
    CHECK_STR("{}", world_good(t, &f.w, "mcp__fake__echo", "{}"));
    close_fake(&f);
}

/* ---- the environment ---- */

TEST_SECONDS(a_server_gets_the_usual_variables_and_what_is_listed_only, 60)
{
    const char *text;
    struct fakes f;

    setenv("CANARY", "canary-in-the-mine", 1);
    setenv("LISTED", "listed value", 1);
    CHECK_OK(open_host(t, &f, "older", "env", "LISTED"));
    CHECK_OK(open_set(t, &f, false));
    text = world_good(t, &f.w, "mcp__fake__environment", "{}");
    CHECK(!strstr(text, "canary"));
    CHECK_HAS(text, "LISTED=listed value");
    CHECK_HAS(text, "PATH=");
    close_fake(&f);
}

TEST_SECONDS(secrets_are_given_to_a_server_and_blanked_in_what_it_says, 60)
{
    struct tool_server about;
    const char *text;
    struct fakes f;

    setenv("CANARY", "canary-in-\"the\"-mine", 1);
    CHECK_OK(open_host(t, &f, "older", "set", "SECRET=$CANARY"));
    CHECK_OK(open_set(t, &f, false));
    text = world_good(t, &f.w, "mcp__fake__environment", "{}");
    CHECK_HAS(text, "SECRET=********************");
    CHECK(!strstr(text, "mine"));
    CHECK(!memmem(f.w.last.content.p, f.w.last.content.n, "mine", 4));
    world_bad(t, &f.w, "mcp__fake__die", "{}");
    CHECK_OK(tool_host_probe(f.w.host, t->arena, "fake", &about, &t->err));
    CHECK(!strstr(about.err_tail, "mine"));
    close_fake(&f);
    put_file(t, "secret", "another-canary\n");
    CHECK_OK(open_host(t, &f, "older", "set",
                       arena_printf(t->arena, "SECRET=file:%s", test_path(t, "secret"))));
    CHECK_OK(open_set(t, &f, false));
    CHECK_HAS(world_good(t, &f.w, "mcp__fake__environment", "{}"), "SECRET=**************\n");
    close_fake(&f);
    CHECK_OK(open_host(t, &f, "older", "set", "SECRET=$NOT_THERE"));
    CHECK_RC(BOUGH_INVALID, open_set(t, &f, false));
    CHECK_STR("[tools \"fake\"]: $NOT_THERE is not in the environment", t->err.msg);
    close_fake(&f);
}

/* ---- sharing ---- */

TEST_SECONDS(a_server_that_is_idle_is_ended_and_one_in_use_is_not, 60)
{
    const char *file = test_path(t, "count");
    struct fakes f;

    open_fake(t, &f, arena_printf(t->arena, "older,count=%s", file));
    f.w.host->idle_ms = 0;
    remotes_sweep(f.w.host, true);
    CHECK_STR("{}", world_good(t, &f.w, "mcp__fake__echo", "{}"));
    CHECK_INT(1, lines_with(get_file(t, "count"), "start"));
    tool_set_close(f.w.set);
    remotes_sweep(f.w.host, true);
    CHECK_OK(open_set(t, &f, false));
    CHECK_INT(2, lines_with(get_file(t, "count"), "start"));
    close_fake(&f);
}

TEST_SECONDS(sets_share_a_server_unless_it_depends_on_the_workspace, 60)
{
    static const char *const servers[] = { "fake" };
    const char *file = test_path(t, "count"), *one = test_path(t, "one"),
               *two = test_path(t, "two");
    struct tool_set *sets[4];
    struct fakes f;

    CHECK_INT(0, mkdir(one, 0755));
    CHECK_INT(0, mkdir(two, 0755));
    CHECK_OK(open_host(t, &f, arena_printf(t->arena, "older,count=%s", file), NULL, NULL));
    for (int i = 0; i < 4; i++)
        CHECK_OK(tool_set_open(&sets[i], f.w.host,
                               &(struct tool_set_options){
                                   .servers = servers, .n = 1, .workspace = i % 2 ? one : two },
                               &t->err));
    CHECK_INT(1, lines_with(get_file(t, "count"), "start"));
    for (int i = 0; i < 4; i++)
        tool_set_close(sets[i]);
    close_fake(&f);
    (void)unlink(file);
    CHECK_OK(open_host(t, &f, arena_printf(t->arena, "${workspace},count=%s", file), NULL, NULL));
    for (int i = 0; i < 4; i++)
        CHECK_OK(tool_set_open(&sets[i], f.w.host,
                               &(struct tool_set_options){
                                   .servers = servers, .n = 1, .workspace = i % 2 ? one : two },
                               &t->err));
    CHECK_INT(2, lines_with(get_file(t, "count"), "start"));
    for (int i = 0; i < 4; i++)
        tool_set_close(sets[i]);
    CHECK_RC(BOUGH_INVALID, open_set(t, &f, false));
    CHECK_HAS(t->err.msg, "needs a workspace");
    close_fake(&f);
}
