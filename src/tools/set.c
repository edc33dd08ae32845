/* Tool sets: what one run may use, and calls of its tools. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/fs.h"
#include "base/text/str.h"
#include "tools/inside.h"

/* ---- opening ---- */

static const char *or_empty(struct bough_arena *a, const char *text)
{
    return text ? arena_strdup(a, text) : "";
}

static struct set_tool *add_tool(struct tool_set *s)
{
    struct set_tool *t = arena_zalloc(s->a, sizeof *t);

    s->at = arena_room(s->a, s->at, s->n, sizeof(struct set_tool *));
    s->at[s->n++] = t;
    return t;
}

static void add_builtin(struct tool_set *s, const struct builtin_server *server)
{
    for (const struct builtin_tool *b = server->tools; b->name; b++) {
        struct set_tool *t = add_tool(s);

        t->builtin = b;
        t->tool = (struct tool){ .name = arena_printf(s->a, "%s_%s", server->name, b->name),
                                 .rule = arena_printf(s->a, "%s/%s", server->name, b->name),
                                 .title = b->title,
                                 .description = b->description,
                                 .kind = b->kind,
                                 .schema = builtin_schema(s->a, b->fields),
                                 .reads_only = b->reads_only };
    }
}

static enum bough_rc open_workspace(struct tool_set *s, struct bough_error *err)
{
    s->scene.dir = -1;
    if (!*s->scene.workspace)
        return BOUGH_OK;
    s->scene.dir = open(s->scene.workspace, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return s->scene.dir >= 0 ? BOUGH_OK
                             : bough_fail(err, fs_rc(errno), "workspace %.150s: %s",
                                          s->scene.workspace, strerror(errno));
}

static const struct builtin_server *builtin_named(const char *name)
{
    for (const struct builtin_server *const *b = builtin_servers; *b; b++)
        if (strcmp((*b)->name, name) == 0)
            return *b;
    return NULL;
}

static bool has_name(const struct tool_set *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->at[i]->tool.name, name) == 0)
            return true;
    return false;
}

static void add_remote_tool(struct tool_set *s, const struct remote *r, struct instance *i,
                            const struct mcp_client_tool *from)
{
    const char *name = tool_name(s->a, arena_printf(s->a, "mcp__%s__%s", r->name, from->name));
    struct set_tool *t;

    if (has_name(s, name))
        return;
    t = add_tool(s);
    t->instance = i;
    t->remote_name = from->name;
    t->tool = (struct tool){ .name = name,
                             .rule = arena_printf(s->a, "%s/%s", r->name, from->name),
                             .title = from->title,
                             .description = from->description,
                             .kind = r->trust && from->reads_only ? "read" : "other",
                             .schema = from->schema,
                             .reads_only = r->trust && from->reads_only };
}

static enum bough_rc add_remote(struct tool_set *s, struct remote *r, struct bough_error *err)
{
    struct mcp_client_tools tools;
    struct instance *i;
    enum bough_rc rc;

    if (r->off)
        return bough_fail(err, BOUGH_INVALID, "tool server \"%s\" is off", r->name);
    rc = instance_take(s->host, r, s->scene.workspace, &i, err);
    if (rc)
        return rc;
    s->instances[s->ninstances++] = i; /* released with the set */
    rc = instance_tools(s->host, i, s->a, &tools, err);
    for (size_t k = 0; !rc && k < tools.n; k++)
        add_remote_tool(s, r, i, &tools.at[k]);
    return rc;
}

static enum bough_rc add_server(struct tool_set *s, const char *name, struct bough_error *err)
{
    const struct builtin_server *b = builtin_named(name);
    struct remote *r = b ? NULL : remote_named(s->host, name);
    const char *why;

    if (r)
        return add_remote(s, r, err);
    if (!b)
        return bough_fail(err, BOUGH_NOT_FOUND, "there is no tool server \"%.60s\"", name);
    why = b->missing(&s->scene);
    if (why)
        return bough_fail(err, BOUGH_INVALID, "tool server \"%s\": %s", name, why);
    add_builtin(s, b);
    return BOUGH_OK;
}

static bool named_before(const struct tool_set_options *in, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (strcmp(in->servers[k], in->servers[i]) == 0)
            return true;
    return false;
}

static enum bough_rc add_servers(struct tool_set *s, const struct tool_set_options *in,
                                 struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    if (in->n > TOOL_SERVERS_MOST)
        return bough_fail(err, BOUGH_INVALID, "a run can use %d tool servers", TOOL_SERVERS_MOST);
    for (size_t i = 0; i < in->n && !rc; i++) {
        struct bough_error why;

        if (named_before(in, i))
            continue;
        rc = add_server(s, in->servers[i], &why);
        if (rc && in->skip_broken && rc != BOUGH_NOT_FOUND) {
            s->skipped = arena_room(s->a, s->skipped, s->nskipped, sizeof *s->skipped);
            s->skipped[s->nskipped++] = arena_strdup(s->a, why.msg);
            rc = BOUGH_OK;
        } else if (rc && err) {
            *err = why;
        }
    }
    return rc;
}

enum bough_rc tool_set_open(struct tool_set **out, struct tool_host *h,
                            const struct tool_set_options *in, struct bough_error *err)
{
    struct tool_set *s = mem_zalloc(sizeof *s);
    enum bough_rc rc;

    s->a = bough_arena_create();
    s->host = h;
    s->scene = (struct builtin_scene){ .store = h->store,
                                       .workspace = or_empty(s->a, in->workspace),
                                       .session = or_empty(s->a, in->session),
                                       .project = or_empty(s->a, in->project),
                                       .children = h->children,
                                       .shell = &h->shell,
                                       .environment = usual_environment(s->a, h->shell.env) };
    rc = open_workspace(s, err);
    if (!rc)
        rc = add_servers(s, in, err);
    if (rc) {
        tool_set_close(s);
        return rc;
    }
    s->list = arena_array(s->a, s->n + 1, sizeof *s->list);
    for (size_t i = 0; i < s->n; i++)
        s->list[i] = s->at[i]->tool;
    *out = s;
    return BOUGH_OK;
}

void tool_set_close(struct tool_set *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->ninstances; i++)
        instance_release(s->host, s->instances[i]);
    if (s->scene.dir >= 0)
        close(s->scene.dir);
    bough_arena_destroy(s->a);
    mem_free(s);
}

struct tool_list tool_set_list(const struct tool_set *s)
{
    return (struct tool_list){ s->list, s->n, s->skipped, s->nskipped };
}

const struct tool *tool_find(const struct tool_set *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->list[i].name, name) == 0)
            return &s->list[i];
    return NULL;
}

/* ---- calling ---- */

static void call_builtin(struct tool_set *s, struct bough_arena *a, const struct builtin_tool *b,
                         const struct tool_call *in, struct tool_result *out)
{
    struct builtin_call c = { .in = &s->scene, .call = in, .a = a, .out = out };
    struct bough_error err;

    if (builtin_arguments(a, b->fields, in->args, &c.args, &err))
        builtin_fail(&c, "%s", err.msg);
    else if (!builtin_cancelled(&c))
        b->run(&c);
}

static void call_remote(struct tool_set *s, struct bough_arena *a, const struct set_tool *t,
                        const struct tool_call *in, struct tool_result *out)
{
    struct mcp_client_result got;

    instance_call(s->host, t->instance, a,
                  &(struct mcp_client_call){ .name = t->remote_name,
                                             .args = in->args,
                                             .cancel = in->cancel,
                                             .progress = in->progress,
                                             .user = in->user },
                  &got);
    out->is_error = got.is_error;
    out->cancelled = got.cancelled;
    out->text = got.text;
    out->content = got.content;
    out->structured = got.structured;
}

void tool_call(struct tool_set *s, struct bough_arena *a, const struct tool_call *in,
               struct tool_result *out)
{
    size_t i = (size_t)(in->tool - s->list);

    *out = (struct tool_result){ .text = str_of(""),
                                 .content = str_of("[]"),
                                 .structured = str_of(""),
                                 .details = str_of("{}") };
    if (s->at[i]->builtin)
        call_builtin(s, a, s->at[i]->builtin, in, out);
    else
        call_remote(s, a, s->at[i], in, out);
}
