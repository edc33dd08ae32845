/* A tool set in a scratch workspace, called by name. */
#include "tools/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory/arena.h"
#include "base/os/fs.h"
#include "base/text/str.h"

void world_open(struct test *t, struct tools_world *w, const char *servers)
{
    const struct tool_host_config config = { .store = t->store };
    char *names = arena_strdup(t->arena, servers), *rest = NULL;
    const char *at[16];
    size_t n = 0;

    *w = (struct tools_world){ 0 };
    w->workspace = test_path(t, "work");
    CHECK_OK(fs_mkdirs(w->workspace, 0755, &t->err));
    for (char *name = strtok_r(names, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        at[n++] = name;
    CHECK_OK(tool_host_create(&w->host, &config, &t->err));
    CHECK_OK(tool_set_open(
        &w->set, w->host,
        &(struct tool_set_options){ .servers = at, .n = n, .workspace = w->workspace }, &t->err));
}

void world_close(struct tools_world *w)
{
    tool_set_close(w->set);
    tool_host_destroy(w->host);
}

static void on_progress(void *user, struct bough_str text)
{
    struct tools_world *w = user;

    snprintf(w->progress, sizeof w->progress, "%.*s", (int)text.n, text.p);
    __atomic_add_fetch(&w->nprogress, 1, __ATOMIC_RELEASE);
}

const char *world_call(struct test *t, struct tools_world *w, const char *tool, const char *args)
{
    const struct tool *found = tool_find(w->set, tool);
    struct tool_call in = { .tool = found,
                            .args = str_of(args),
                            .cancel = &w->cancel,
                            .progress = on_progress,
                            .user = w };
    struct json j;

    if (!found)
        FAIL("there is no tool %s", tool);
    tool_call(w->set, t->arena, &in, &w->last);
    CHECK_OK(json_parse(t->arena, w->last.details, &j, &t->err));
    CHECK_OK(json_parse(t->arena, w->last.content, &j, &t->err));
    return arena_strndup(t->arena, w->last.text.p, w->last.text.n);
}

const char *world_good(struct test *t, struct tools_world *w, const char *tool, const char *args)
{
    const char *text = world_call(t, w, tool, args);

    if (w->last.is_error)
        FAIL("%s %s: %s", tool, args, text);
    return text;
}

const char *world_bad(struct test *t, struct tools_world *w, const char *tool, const char *args)
{
    const char *text = world_call(t, w, tool, args);

    if (!w->last.is_error)
        FAIL("%s %s did not fail: %s", tool, args, text);
    return text;
}

const char *world_detail(struct test *t, const struct tools_world *w, const char *name)
{
    const char *text;
    struct json j;

    CHECK_OK(json_parse(t->arena, w->last.details, &j, &t->err));
    text = json_cstr(t->arena, j, name);
    return text ? text : "(none)";
}

void put_file(struct test *t, const char *path, const char *text)
{
    CHECK_OK(fs_write(test_path(t, path), str_of(text), 0644, &t->err));
}

const char *get_file(struct test *t, const char *path)
{
    struct bough_str text;

    if (fs_read(t->arena, test_path(t, path), 1 << 20, &text, &t->err))
        return NULL;
    return text.p;
}

void check_has(const char *text, const char *part, const char *file, int line)
{
    if (!text || !strstr(text, part))
        test_fail(file, line, "\"%s\" is not in: %s", part, text ? text : "(null)");
}
