/* Runs of the scripted agent over a store. */
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json/json.h"
#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "child/child.h"
#include "gateway/gateway.h"
#include "tools/tools.h"

static void set(struct ext_world *w, const char *section, const char *name, const char *value)
{
    if (w->n == 32)
        abort();
    w->settings[w->n++] = (struct gateway_setting){ section, name, value };
}

static void start_runner(struct ext_world *w)
{
    struct test *t = w->t;

    CHECK_OK(children_create(&w->children, &t->err));
    CHECK_OK(tool_host_create(
        &w->tools,
        &(struct tool_host_config){
            .store = t->store, .children = w->children, .settings = w->settings, .n = w->n },
        &t->err));
    CHECK_OK(runner_create(&w->runner,
                           &(struct runner_config){ .store = t->store,
                                                    .gateway = w->gateway,
                                                    .tools = w->tools,
                                                    .children = w->children,
                                                    .settings = w->settings,
                                                    .n = w->n,
                                                    .host = "test",
                                                    .workspace = w->dir },
                           &t->err));
    runner_renew_every(w->runner, 500);
    runner_stop_within(w->runner, 500);
}

static void stop_runner(struct ext_world *w)
{
    runner_destroy(w->runner);
    tool_host_destroy(w->tools);
    children_destroy(w->children);
    w->runner = NULL;
    w->children = NULL;
}

void ext_world_open(struct test *t, struct ext_world *w, const char *const *more)
{
    const char *const path[] = { "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
    struct bough_session *s;
    char here[4096];

    if (!child_lookup(t->arena, "node", path))
        SKIP("Node is not installed");
    *w = (struct ext_world){ .t = t };
    w->dir = realpath(test_dir(t), NULL);
    w->dir = arena_printf(t->arena, "%s/work", w->dir);
    w->home = arena_printf(t->arena, "%s/../agent", w->dir);
    CHECK(mkdir(w->dir, 0700) == 0 && getcwd(here, sizeof here));
    set(w, "agent \"fake\"", "command",
        arena_printf(t->arena, "node %s/tests/fakes/acp-agent.mjs", here));
    set(w, "tools \"notes\"", "command", "notes-server --dir ${workspace}");
    set(w, "tools \"notes\"", "set", "NOTES_MODE=plain");
    set(w, "agent \"fake\"", "set", arena_printf(t->arena, "FAKE_HOME=%s", w->home));
    for (; more && more[0]; more += 2)
        set(w, strchr(more[0], ' ') ? "approvals" : "agent \"fake\"",
            strchr(more[0], ' ') ? "rule" : more[0], strchr(more[0], ' ') ? more[0] : more[1]);
    CHECK_OK(gateway_create(&w->gateway, &(struct gateway_config){ .store = t->store }, &t->err));
    start_runner(w);
    CHECK_OK(bough_session_create(t->store, t->arena, &(struct bough_session_create_options){ 0 },
                                  &s, &t->err));
    snprintf(w->session, sizeof w->session, "%s", s->id);
}

void ext_world_close(struct ext_world *w)
{
    stop_runner(w);
    gateway_destroy(w->gateway);
}

void ext_world_restart(struct ext_world *w)
{
    stop_runner(w);
    start_runner(w);
}

const char *ext_world_start(struct ext_world *w, const char *scenario)
{
    struct test *t = w->t;
    struct run_begin_options in = { .session = w->session,
                                    .runtime = BOUGH_RUNTIME_EXTERNAL,
                                    .adapter = "fake",
                                    .workspace = w->dir,
                                    .servers = w->servers,
                                    .nservers = w->nservers,
                                    .text = arena_printf(t->arena, "[s:%s]", scenario) };
    struct run_begun begun;

    CHECK_OK(run_begin(w->runner, t->arena, &in, &begun, &t->err));
    CHECK(begun.run != NULL);
    return arena_strdup(t->arena, begun.run->id);
}

struct bough_run *ext_world_get(struct ext_world *w, const char *run)
{
    struct test *t = w->t;
    struct bough_run *out;

    CHECK_OK(bough_run_get(t->store, t->arena, run, &out, &t->err));
    return out;
}

struct bough_run *ext_world_wait(struct ext_world *w, const char *run)
{
    for (struct wait wait = { 0 };;) {
        struct bough_run *now = ext_world_get(w, run);

        if (bough_run_ended(now->status))
            return now;
        if (!wait_more(&wait))
            FAIL("the run is still %s", bough_run_status_name(now->status));
    }
}

struct bough_run *ext_world_turn(struct ext_world *w, const char *scenario)
{
    return ext_world_wait(w, ext_world_start(w, scenario));
}

struct bough_approval *ext_world_asked(struct ext_world *w, const char *run)
{
    struct test *t = w->t;
    struct bough_approval_list_options which = { .run = run, .status = "pending" };
    struct bough_approvals got;

    for (struct wait wait = { 0 };;) {
        CHECK_OK(bough_approval_list(t->store, t->arena, &which, &got, &t->err));
        if (got.n)
            return &got.at[0];
        if (!wait_more(&wait) || bough_run_ended(ext_world_get(w, run)->status))
            FAIL("nothing was asked: %s", ext_world_get(w, run)->error);
    }
}

void ext_world_settle(struct ext_world *w, const struct bough_approval *p,
                      const struct bough_approval_resolve_options *how)
{
    struct test *t = w->t;

    CHECK_OK(bough_approval_resolve(t->store, t->arena, p->id, how, NULL, &t->err));
}

struct bough_entry *ext_world_reply(struct ext_world *w)
{
    struct test *t = w->t;
    struct bough_entries_read_options how = { .messages = true };
    struct bough_entries_read_result got;

    CHECK_OK(bough_entries_read(t->store, t->arena, w->session, &how, &got, &t->err));
    for (size_t i = got.entries.n; i-- > 0;)
        if (got.entries.at[i].role == BOUGH_ROLE_ASSISTANT)
            return &got.entries.at[i];
    FAIL("there is no reply");
}

static void put_part(struct test *t, struct buf *b, const struct bough_part *part)
{
    struct json root;

    CHECK_OK(json_parse(t->arena, part->json, &root, &t->err));
    if (json_member(json_member(root, "data"), "artifact").doc)
        return;
    if (b->n)
        buf_putc(b, '|');
    if (part->type == BOUGH_PART_REASONING)
        buf_puts(b, "reasoning:");
    if (part->type == BOUGH_PART_TEXT || part->type == BOUGH_PART_REASONING)
        buf_put_str(b, bough_part_plain(t->arena, part));
    else if (part->type == BOUGH_PART_TOOL)
        buf_printf(b, "tool %s %s", json_cstr(t->arena, json_member(root, "state"), "title"),
                   json_cstr(t->arena, json_member(root, "state"), "status"));
    else
        buf_puts(b, json_cstr(t->arena, root, "type"));
}

const char *ext_world_story(struct ext_world *w)
{
    struct bough_entry *e = ext_world_reply(w);
    struct buf b;

    buf_init(&b, 16 << 20);
    for (size_t i = 0; i < e->nparts; i++)
        put_part(w->t, &b, &e->parts[i]);
    return buf_give(&b, w->t->arena).p;
}

bool ext_world_told(struct ext_world *w, const char *text)
{
    struct test *t = w->t;
    struct bough_entries_read_result got;

    CHECK_OK(bough_entries_read(t->store, t->arena, w->session, NULL, &got, &t->err));
    for (size_t i = 0; i < got.entries.n; i++)
        if (got.entries.at[i].kind == BOUGH_ENTRY_CUSTOM && strstr(got.entries.at[i].data.p, text))
            return true;
    return false;
}

void write_file(struct ext_world *w, const char *name, const char *text)
{
    FILE *f = fopen(arena_printf(w->t->arena, "%s/%s", w->dir, name), "w");

    CHECK(f && fputs(text, f) >= 0);
    fclose(f);
}

const char *file_text(struct ext_world *w, const char *name)
{
    struct bough_str text;

    return fs_read(w->t->arena, arena_printf(w->t->arena, "%s/%s", w->dir, name), 1 << 20, &text,
                   NULL)
               ? NULL
               : text.p;
}

void shell(struct ext_world *w, const char *command)
{
    char *script = arena_printf(w->t->arena, "{ %s; } >/dev/null 2>&1", command);
    pid_t pid = fork();
    int status = -1;

    if (pid == 0) {
        if (chdir(w->dir) == 0)
            execl("/bin/sh", "sh", "-c", script, (char *)NULL);
        _exit(127);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        FAIL("%s", command);
}
