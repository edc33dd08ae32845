/* bough label: lists and sets labels of entries. */
#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"

static int list(struct cli *c, const char *session)
{
    static const struct table_column columns[] = {
        { "ENTRY", .look = PRINT_YELLOW },
        { "TIME", .drop = 1 },
        { "LABEL", .flex = true },
    };
    struct bough_labels found;
    struct json_writer *w;
    struct table t;

    if (bough_label_list(c->s, c->a, session, &found, &c->err))
        return cli_failed(c);
    table_init(&t, c->a, columns, 3);
    for (size_t i = 0; i < found.n; i++) {
        if (c->out.json) {
            w = out_json(&c->out);
            form_label(w, &found.at[i]);
            out_json_end(&c->out);
            continue;
        }
        table_put(&t, found.at[i].entry);
        table_time(&t, &c->out, found.at[i].time);
        table_put(&t, found.at[i].text);
    }
    table_print(&t, &c->out);
    return found.n ? CLI_DONE : CLI_FAILED;
}

static int run(struct cli *c)
{
    bool change = c->argc > 2 || cli_has(c, "clear");
    struct bough_session *s;
    const char *id, *text;
    int rc;

    if (cli_has(c, "clear") && c->argc != 2)
        return cli_usage(c, "--clear requires an entry and no text");
    rc = cli_open(c, change ? CLI_WRITE : CLI_READ);
    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (!rc && c->argc < 2)
        return list(c, s->id);
    if (!rc)
        rc = cli_entry(c, s->id, c->argv[1], &id);
    if (rc)
        return rc;
    if (change) {
        text = c->argc > 2 ? c->argv[2] : "";
        if (bough_label_set(c->s, s->id, id, text, &c->err))
            return cli_failed(c);
        cli_say(c, *text ? "Labelled %s \"%s\"" : "Removed the label of %s%s", id, text);
        return CLI_DONE;
    }
    if (bough_label_get(c->s, c->a, s->id, id, &text, &c->err))
        return cli_failed(c);
    print_line(stdout, text);
    putchar('\n');
    return *text ? CLI_DONE : CLI_FAILED;
}

static const struct cli_option options[] = {
    { "clear", 0, NULL, "remove the label of the entry" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_label = {
    .name = "label",
    .args = "<session> [entry] [text]",
    .summary = "list labels, or show or set the label of an entry",
    .options = options,
    .run = run,
    .about = "A label can be used wherever a command takes an entry.",
    .columns = "entry, time, label",
    .fields = "entry, label, time",
    .examples = "bough label . head before-refactoring",
};
