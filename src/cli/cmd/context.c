/* bough context: the messages a model would get, and which of them are not verbatim. */
#include <inttypes.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"
#include "core/context/context.h"

static void put_whole(struct cli *c, const struct bough_context_result *x)
{
    struct json_writer *w = out_json(&c->out);

    form_context(w, x);
    out_json_end(&c->out);
}

static void put_report(struct cli *c, const struct bough_context_result *x)
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
        cli_say(c, "Verbatim: %s.", out_things(c->a, (int64_t)x->count, "message"));
    table_print(&t, &c->out);
}

/* The array as it is. On a terminal, one message per line with control characters escaped. */
static void put_messages(struct cli *c, const struct bough_context_result *x)
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
                                         .inherit = cli_has(c, "inherit"),
                                         .memories =
                                             cli_has(c, "memories") ? BOUGH_MEMORIES_ALL : 0,
                                         .model = cli_value(c, "model"),
                                         .trailing = cli_has(c, "trailing") };
    struct bough_context_result x;
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

static const char *dialects(struct bough_arena *a)
{
    const char *out = "Dialects: ";

    for (size_t i = 0; context_dialects[i]; i++)
        out = arena_printf(a, "%s%s%s (%s)", out, i ? ", " : "", context_dialects[i]->name,
                           context_dialects[i]->about);
    return arena_printf(a, "%s.", out);
}

static const struct cli_option options[] = {
    { "dialect", 'd', "DIALECT", "client that the messages are for (default: pi)",
      context_dialect_name },
    { "at", 0, "ENTRY", "the context of this entry instead of the head" },
    { "inherit", 0, NULL,
      "apply compactions of parent sessions too; only hygge does not by itself" },
    { "memories", 0, NULL, "begin with the memories of the session, its project and the store" },
    { "model", 0, "MODEL",
      "a provider's dialect: the model that will read it (default: the last one of the path)" },
    { "trailing", 0, NULL,
      "a provider's dialect: keep a turn of the model at the end, to add a message behind it" },
    { "report", 'r', NULL, "list the changes from the stored text instead of the messages" },
    { "json", 0, NULL, "everything as one JSON object" },
    { 0 },
};

const struct cli_cmd cmd_context = {
    .name = "context",
    .args = "<session>",
    .summary = "print the context a model would get",
    .options = options,
    .run = run,
    .about =
        "Prints a JSON array of messages on one line; on a terminal, one message per line. The "
        "system text of anthropic and gemini stands apart: --json has it.",
    .more = dialects,
    .columns = "with --report: entry, what, why",
    .fields =
        "count, messages, system, sources, thinking_level, model_provider, model_name, marker, "
        "notes (entry, what, why)",
};
