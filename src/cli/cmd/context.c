/* bough context: what a model would get of a session, and what in it is not verbatim. */
#include <inttypes.h>
#include <string.h>

#include "api/forms.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/table.h"

static void put_whole(struct cli *c, const struct bough_context *x)
{
    struct json_writer *w = out_json(&c->out);

    form_context(w, x);
    out_json_end(&c->out);
}

static void put_report(struct cli *c, const struct bough_context *x)
{
    static const struct table_column columns[] = {
        { "ENTRY", .look = PRINT_YELLOW },
        { "WHAT", .look = PRINT_BOLD },
        { "WHY", .flex = true },
    };
    struct table t;

    table_init(&t, c->a, columns, 3);
    for (size_t i = 0; i < x->nnotes; i++) {
        table_put(&t, x->notes[i].entry);
        table_put(&t, x->notes[i].what);
        table_put(&t, x->notes[i].why);
    }
    if (!x->nnotes)
        cli_say(c, "All %zu messages are verbatim.", x->count);
    table_print(&t, &c->out);
}

/* The array as it is; for a person one message a line, nothing to obey in it. */
static void put_messages(struct cli *c, const struct bough_context *x)
{
    struct json all = { 0 };
    struct json_iter it;

    if (!c->out.tty || json_parse(c->a, x->messages, &all, NULL)) {
        fwrite(x->messages.p, 1, x->messages.n, stdout);
        putchar('\n');
        return;
    }
    for (it = json_iter(all); json_next(&it);) {
        print_json(stdout, json_raw(it.value));
        putchar('\n');
    }
}

static int run(struct cli *c)
{
    const char *dialect = cli_value(c, "dialect");
    struct bough_context_options how = { .dialect = dialect ? dialect : "pi",
                                         .inherit = cli_has(c, "inherit") };
    struct bough_context x;
    struct bough_session *s;
    int rc = cli_open(c, CLI_READ);

    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (!rc && cli_has(c, "at"))
        rc = cli_entry(c, s->id, cli_value(c, "at"), &how.at);
    if (rc)
        return rc;
    if (bough_context(c->s, c->a, s->id, &how, &x, &c->err))
        return cli_failed(c);
    cli_page(c);
    if (c->out.json)
        put_whole(c, &x);
    else if (cli_has(c, "report"))
        put_report(c, &x);
    else
        put_messages(c, &x);
    return CLI_DONE;
}

static const struct cli_option options[] = {
    { "dialect", 'd', "DIALECT", "pi (the usual), hygge or ui" },
    { "at", 0, "ENTRY", "the context of this entry instead of the head" },
    { "inherit", 0, NULL, "hygge: compactions of the sessions it was forked from count too" },
    { "report", 'r', NULL, "what is not verbatim, instead of the messages" },
    { "json", 0, NULL, "everything as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_context = {
    .name = "context",
    .args = "<session>",
    .summary = "print what a model would get of a session",
    .options = options,
    .run = run,
    .about = "A JSON array of messages, on one line; on a terminal one message a line.",
    .columns = "with --report: entry, what, why",
    .fields = "count, messages, sources, thinking_level, model_provider, model_name, marker, "
              "notes (entry, what, why)",
};
