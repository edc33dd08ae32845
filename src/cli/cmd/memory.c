/* bough memory: what is remembered of a session, a project, or always. */
#include "api/forms.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/table.h"

struct scope {
    enum bough_scope_of what;
    const char *of;
};

static int find_scope(struct cli *c, struct scope *out)
{
    struct bough_session *s;
    int rc;

    if (c->argc + cli_has(c, "project") + cli_has(c, "all") > 1)
        return cli_usage(c, "give a session, --project or --all, one of them");
    *out = (struct scope){ BOUGH_OF_ALL, "" };
    if (cli_has(c, "all"))
        return CLI_DONE;
    if (!c->argc) {
        *out = (struct scope){ BOUGH_OF_PROJECT,
                               cli_has(c, "project") ? cli_value(c, "project") : cli_here(c) };
        return CLI_DONE;
    }
    rc = cli_session(c, c->argv[0], &s);
    if (!rc)
        *out = (struct scope){ BOUGH_OF_SESSION, s->id };
    return rc;
}

static void put_json(struct cli *c, const struct bough_memory *m)
{
    struct json_writer *w = out_json(&c->out);

    form_memory(w, m);
    out_json_end(&c->out);
}

static int list(struct cli *c, const struct scope *scope)
{
    static const struct table_column columns[] = {
        { "ID", .look = PRINT_YELLOW },
        { "TIME", .drop = 1 },
        { "MEMORY", .flex = true },
    };
    struct bough_memories found;
    struct table t;

    if (bough_memory_list(c->s, c->a, scope->what, scope->of, &found, &c->err))
        return cli_failed(c);
    table_init(&t, c->a, columns, 3);
    for (size_t i = 0; i < found.n; i++) {
        if (c->out.json) {
            put_json(c, &found.at[i]);
            continue;
        }
        table_put(&t, found.at[i].id);
        table_time(&t, &c->out, found.at[i].created);
        table_put(&t, found.at[i].content);
    }
    table_print(&t, &c->out);
    if (!found.n)
        fputs("no memories\n", stderr);
    return found.n ? CLI_DONE : CLI_FAILED;
}

static int run(struct cli *c)
{
    const char *add = cli_value(c, "add"), *forget = cli_value(c, "forget");
    struct bough_memory in = { .title = cli_value(c, "title"), .source = "cli" }, *m = NULL;
    struct scope scope = { BOUGH_OF_ALL, "" };
    int rc = CLI_DONE;

    if (add && forget)
        return cli_usage(c, "--add and --forget exclude each other");
    if (add)
        rc = cli_text(c, add, &in.content);
    if (!rc)
        rc = cli_open(c, add ? CLI_CREATE : forget ? CLI_WRITE : CLI_READ);
    if (!rc)
        rc = find_scope(c, &scope);
    if (rc)
        return rc;
    if (!add && !forget)
        return list(c, &scope);
    in.scope = scope.what;
    in.of = scope.of;
    if (add ? bough_memory_add(c->s, c->a, &in, &m, &c->err)
            : bough_memory_forget(c->s, c->a, scope.what, scope.of, forget, &m, &c->err))
        return cli_failed(c);
    if (c->out.json)
        put_json(c, m);
    else if (add)
        puts(m->id);
    else
        cli_say(c, "Forgotten: %s", m->content);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "add", 'a', "TEXT", "remember this; - reads stdin" },
    { "title", 't', "TEXT", "with --add: its title" },
    { "forget", 0, "ID", "forget that one" },
    { "project", 'p', "DIR", "of that directory (the usual: this one)" },
    { "all", 0, NULL, "what holds everywhere" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_memory = {
    .name = "memory",
    .args = "[session]",
    .summary = "list, add and forget memories of a session, a project, or of all",
    .options = options,
    .run = run,
    .columns = "id, time, text",
    .fields = "id, scope, of, title, body, content, source, path, created, updated",
    .examples = "bough memory --add \"Tests run with make test.\"  # for this directory",
};
