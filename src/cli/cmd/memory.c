/* bough memory: memories of a session, of a project, or global ones. */
#include "api/kit/forms.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"

struct scope {
    enum bough_memory_scope what;
    const char *of;
};

static int find_scope(struct cli *c, struct scope *out)
{
    struct bough_session *s;
    int rc;

    if (c->argc + cli_has(c, "project") + cli_has(c, "all") > 1)
        return cli_usage(c, "a session, --project and --all cannot be used together");
    *out = (struct scope){ BOUGH_MEMORY_OF_STORE, "" };
    if (cli_has(c, "all"))
        return CLI_DONE;
    if (!c->argc) {
        *out = (struct scope){ BOUGH_MEMORY_OF_PROJECT,
                               cli_has(c, "project") ? cli_project(c) : cli_here(c) };
        return CLI_DONE;
    }
    rc = cli_session(c, c->argv[0], &s);
    if (!rc)
        *out = (struct scope){ BOUGH_MEMORY_OF_SESSION, s->id };
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
    if (!found.n)
        fputs("no memories\n", stderr);
    table_init(&t, c->a, columns, 3);
    for (size_t i = 0; i < found.n; i++) {
        const struct bough_memory *m = &found.at[i];

        if (c->out.json)
            put_json(c, m);
        else
            table_note(&t, &c->out, m->id, m->created, m->content);
    }
    table_print(&t, &c->out);
    return found.n ? CLI_DONE : CLI_FAILED;
}

static int run(struct cli *c)
{
    const char *add = cli_value(c, "add"), *forget = cli_value(c, "forget");
    struct bough_memory in = { .title = cli_value(c, "title"), .source = "cli" }, *m = NULL;
    struct scope scope = { BOUGH_MEMORY_OF_STORE, "" };
    int rc = CLI_DONE;

    if (add && forget)
        return cli_usage(c, "--add and --forget cannot be used together");
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
    { "add", 'a', "TEXT", "add a memory; - reads stdin" },
    { "title", 't', "TEXT", "with --add: title of the memory" },
    { "forget", 0, "ID", "delete the memory with this id" },
    { "project", 'p', "DIR", "memories of this directory (default: the current one)" },
    { "all", 0, NULL, "global memories" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_memory = {
    .name = "memory",
    .args = "[session]",
    .summary = "list, add and delete memories of a session, a project, or global ones",
    .options = options,
    .run = run,
    .columns = "id, time, text",
    .fields = "id, scope, of, title, body, content, source, path, created, updated",
    .examples = "bough memory --add \"Tests run with make test.\"  # for the current directory",
};
