/* bough tools: the tools that runs can use, and whether their servers work. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "child/child.h"
#include "cli/kit/cli.h"
#include "cli/kit/config.h"
#include "cli/term/print.h"
#include "cli/term/table.h"
#include "tools/tools.h"

struct tooling {
    struct cli *c;
    struct children *children;
    struct tool_host *host;
};

/* ---- servers ---- */

static void put_server_json(struct cli *c, const struct tool_server *s)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    jw_kv_cstr(w, "name", s->name);
    jw_kv_cstr(w, "kind", s->kind);
    jw_kv_cstr(w, "status", s->status);
    jw_opt_cstr(w, "protocol", s->protocol);
    jw_opt_cstr(w, "version", s->version);
    jw_kv_bool(w, "trusted", s->trusted);
    jw_opt_i64(w, "tools", (int64_t)s->tools);
    jw_opt_cstr(w, "error", s->error);
    jw_opt_cstr(w, "hint", s->hint);
    jw_opt_cstr(w, "stderr", s->err_tail);
    jw_end_obj(w);
    out_json_end(&c->out);
}

static void put_server(struct cli *c, struct table *t, const struct tool_server *s)
{
    if (c->out.json) {
        put_server_json(c, s);
        return;
    }
    table_put(t, s->name);
    table_put(t, s->kind);
    table_put(t, s->status);
    table_put(t, s->tools ? arena_printf(c->a, "%zu", s->tools) : "");
    table_put(t, s->protocol);
    table_put(t, *s->error ? s->error : s->hint);
}

static void put_servers(struct cli *c, const struct tool_server *at, size_t n)
{
    static const struct table_column columns[] = {
        { "SERVER", .look = PRINT_YELLOW },
        { "KIND", .drop = 2 },
        { "STATUS", .flex = false },
        { "TOOLS", .right = true, .optional = true },
        { "PROTOCOL", .drop = 1, .optional = true },
        { "REMARK", .flex = true, .optional = true },
    };
    struct table t;

    table_init(&t, c->a, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < n; i++)
        put_server(c, &t, &at[i]);
    table_print(&t, &c->out);
}

/* ---- sets ---- */

static const char *workspace(struct cli *c)
{
    char path[PATH_MAX];
    const char *dir = cli_value(c, "directory");

    return realpath(dir ? dir : ".", path) ? arena_strdup(c->a, path) : "";
}

/* The tools of one server. The store is opened for the server "bough" only. */
static int open_set(struct tooling *t, const char *server, struct tool_set **out)
{
    struct cli *c = t->c;
    struct tool_set_options in = { .servers = &server, .n = 1, .workspace = workspace(c) };
    struct bough_session *s;
    int rc = CLI_DONE;

    if (!*in.workspace)
        return cli_usage(c, "--directory: there is no such folder");
    if (cli_has(c, "session")) {
        rc = cli_session(c, cli_value(c, "session"), &s);
        if (rc)
            return rc;
        in.session = s->id;
        in.project = s->project;
    }
    return tool_set_open(out, t->host, &in, &c->err) ? cli_failed(c) : CLI_DONE;
}

/* ---- ls ---- */

static void put_tool_json(struct cli *c, const struct tool *tool)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    jw_kv_cstr(w, "name", tool->name);
    jw_kv_cstr(w, "rule", tool->rule);
    jw_opt_cstr(w, "title", tool->title);
    jw_opt_cstr(w, "description", tool->description);
    jw_kv_cstr(w, "kind", tool->kind);
    jw_kv_bool(w, "reads_only", tool->reads_only);
    jw_kv_raw(w, "schema", tool->schema);
    jw_end_obj(w);
    out_json_end(&c->out);
}

static int list_tools(struct tooling *t, const char *server)
{
    static const struct table_column columns[] = {
        { "TOOL", .look = PRINT_YELLOW },
        { "KIND", .drop = 2 },
        { "READS ONLY", .drop = 1 },
        { "DESCRIPTION", .flex = true },
    };
    struct cli *c = t->c;
    struct tool_set *set = NULL;
    struct tool_list list;
    struct table table;
    int rc = open_set(t, server, &set);

    if (rc)
        return rc;
    table_init(&table, c->a, columns, sizeof columns / sizeof *columns);
    list = tool_set_list(set);
    for (size_t i = 0; i < list.n; i++) {
        if (c->out.json) {
            put_tool_json(c, &list.at[i]);
            continue;
        }
        table_put(&table, list.at[i].rule);
        table_put(&table, list.at[i].kind);
        table_put(&table, list.at[i].reads_only ? "yes" : "no");
        table_put(&table, cli_first_line(c, list.at[i].description));
    }
    table_print(&table, &c->out);
    tool_set_close(set);
    return CLI_DONE;
}

static int list(struct tooling *t)
{
    struct tool_servers all;

    if (t->c->argc > 1)
        return list_tools(t, t->c->argv[1]);
    all = tool_host_servers(t->host, t->c->a);
    put_servers(t->c, all.at, all.n);
    return CLI_DONE;
}

/* ---- test ---- */

static int test(struct tooling *t)
{
    struct cli *c = t->c;
    const char *only = c->argc > 1 ? c->argv[1] : NULL;
    struct tool_servers all = tool_host_servers(t->host, c->a);
    bool failed = false;
    size_t n = 0;

    for (size_t i = 0; i < all.n; i++) {
        if (only ? strcmp(all.at[i].name, only) != 0 : strcmp(all.at[i].status, "off") == 0)
            continue;
        if (tool_host_probe(t->host, c->a, all.at[i].name, &all.at[n], &c->err))
            return cli_failed(c);
        failed |= strcmp(all.at[n++].status, "ready") != 0;
    }
    if (!n) {
        bough_fail(&c->err, BOUGH_NOT_FOUND, "there is no tool server \"%.60s\"", only);
        return cli_failed(c);
    }
    put_servers(c, all.at, n);
    (void)fflush(stdout);
    for (size_t i = 0; i < n && !c->out.json; i++)
        if (*all.at[i].err_tail) {
            fprintf(stderr, "%s wrote:\n", all.at[i].name);
            print_safe(stderr, str_of(all.at[i].err_tail), PRINT_TEXT);
        }
    return failed ? CLI_FAILED : CLI_DONE;
}

/* ---- call ---- */

static bool interrupted; /* atomic */

static void on_interrupt(int number)
{
    (void)number;
    __atomic_store_n(&interrupted, true, __ATOMIC_RELEASE);
}

static void put_result(struct cli *c, const struct tool_result *r)
{
    struct json_writer *w;

    if (!c->out.json) {
        print_safe(stdout, r->text, PRINT_TEXT);
        if (!r->text.n || r->text.p[r->text.n - 1] != '\n')
            putchar('\n');
        return;
    }
    w = out_json(&c->out);
    jw_obj(w);
    jw_kv_bool(w, "is_error", r->is_error);
    jw_kv_bool(w, "cancelled", r->cancelled);
    jw_kv_str(w, "text", r->text);
    jw_kv_raw(w, "content", r->content);
    jw_opt_raw(w, "structured", r->structured);
    jw_kv_raw(w, "details", r->details);
    jw_end_obj(w);
    out_json_end(&c->out);
}

/* By its name as a model sees it, as rules name it, or as its server does. */
static const struct tool *find_tool(struct cli *c, const struct tool_set *set, const char *server,
                                    const char *name)
{
    const char *rule = arena_printf(c->a, "%s/%s", server, name);
    struct tool_list list = tool_set_list(set);
    const struct tool *tool = list.at;

    for (; tool < list.at + list.n; tool++)
        if (strcmp(tool->rule, rule) == 0 || strcmp(tool->rule, name) == 0 ||
            strcmp(tool->name, name) == 0)
            return tool;
    return NULL;
}

static int call_in(struct cli *c, struct tool_set *set, struct bough_str args)
{
    struct tool_call in = { .args = args, .cancel = &interrupted };
    struct tool_result result;

    in.tool = find_tool(c, set, c->argv[1], c->argv[2]);
    if (!in.tool) {
        bough_fail(&c->err, BOUGH_NOT_FOUND, "tool server \"%.60s\" has no tool \"%.60s\"",
                   c->argv[1], c->argv[2]);
        return cli_failed(c);
    }
    tool_call(set, c->a, &in, &result);
    put_result(c, &result);
    return result.cancelled ? CLI_SIGNAL + SIGINT : result.is_error ? CLI_FAILED : CLI_DONE;
}

static int call(struct tooling *t)
{
    struct sigaction action = { .sa_handler = on_interrupt };
    struct cli *c = t->c;
    struct bough_str args = str_of("{}");
    struct tool_set *set = NULL;
    int rc;

    if (c->argc < 3)
        return cli_usage(c, "call needs a server and a tool");
    rc = c->argc > 3 ? cli_input(c, c->argv[3], &args) : CLI_DONE;
    if (!rc)
        rc = open_set(t, c->argv[1], &set);
    if (rc)
        return rc;
    (void)sigaction(SIGINT, &action, NULL);
    rc = call_in(c, set, args);
    tool_set_close(set);
    return rc;
}

/* ---- the command ---- */

static int open_host(struct tooling *t)
{
    struct cli *c = t->c;
    struct config_pairs settings;
    struct tool_host_config config;
    int rc;

    if (c->argc > 1 && strcmp(c->argv[1], "bough") == 0) {
        rc = cli_open(c, CLI_WRITE);
        if (rc)
            return rc;
    } else if (cli_has(c, "session")) {
        return cli_usage(c, "--session is for the server bough");
    }
    if (config_each(c->a, &settings, &c->err) || children_create(&t->children, &c->err))
        return cli_failed(c);
    config = (struct tool_host_config){
        .store = c->s, .children = t->children, .settings = settings.at, .n = settings.n
    };
    return tool_host_create(&t->host, &config, &c->err) ? cli_failed(c) : CLI_DONE;
}

static int run(struct cli *c)
{
    const char *verb = c->argc ? c->argv[0] : "ls";
    struct tooling t = { .c = c };
    int rc;

    if (strcmp(verb, "ls") != 0 && strcmp(verb, "test") != 0 && strcmp(verb, "call") != 0)
        return cli_usage(c, "expected ls, test or call, not \"%s\"", verb);
    if (c->argc > 2 && strcmp(verb, "call") != 0)
        return cli_usage(c, "tools %s takes one server", verb);
    rc = open_host(&t);
    if (!rc)
        rc = strcmp(verb, "ls") == 0 ? list(&t) : strcmp(verb, "test") == 0 ? test(&t) : call(&t);
    tool_host_destroy(t.host);
    children_destroy(t.children);
    return rc;
}

static const struct cli_option options[] = {
    { "directory", 'C', "DIR", "the workspace (default: the current folder)" },
    { "session", 0, "SESSION", "the session of the server bough" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_tools = {
    .name = "tools",
    .args = "[ls|test|call] [server] [tool] [arguments]",
    .arg_words = (const char *const[]){ "ls", "test", "call", NULL },
    .summary = "list the tools that runs can use, test their servers, and call a tool",
    .options = options,
    .run = run,
    .about =
        "Built-in tools: files (the workspace), bough (sessions, memories, todos), shell "
        "(commands; "
        "off unless on = yes in [tools \"shell\"]), demo (canned). Tools of MCP servers come from "
        "sections of the configuration file, [tools \"name\"], with a command or a url; "
        "docs/agents.md has all settings.\n\nls lists the servers, or the tools of one. test "
        "starts "
        "each server and lists its tools; it fails if one does not work. call calls a tool with a "
        "JSON object of arguments (- reads it from standard input) and prints its text; it asks "
        "nobody for approval, because you are the one who calls.",
    .columns = "ls and test: name, kind, status, number of tools, protocol, remark; ls with a "
               "server: tool, kind, whether it only reads, description",
    .fields =
        "servers: name, kind, status, protocol, version, trusted, tools, error, hint, stderr; "
        "tools: name, rule, title, description, kind, reads_only, schema; call: is_error, "
        "cancelled, text, content, structured, details",
    .examples = "bough tools test  # does every server start?\n"
                "bough tools call files read '{\"path\":\"README.md\"}'  # as a model would",
};
