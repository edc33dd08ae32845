/* bough branch: list the branches of a session, or move the head to an entry to start a new one. */
#include <inttypes.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/render.h"
#include "cli/term/table.h"

static void put_json(struct cli *c, const struct bough_branch *b, bool head)
{
    struct json_writer *w = out_json(&c->out);

    form_branch(w, b, head);
    out_json_end(&c->out);
}

static int list(struct cli *c, const struct bough_session *s)
{
    static const struct table_column columns[] = {
        { "", .look = PRINT_GREEN },  { "TIP", .look = PRINT_YELLOW },
        { "BASE", .drop = 2 },        { "ENTRIES", .right = true, .drop = 1 },
        { "SESSION", .piped = true }, { "ENDS WITH", .flex = true },
    };
    struct bough_branches found;
    struct bough_entry *e;
    struct table t;

    if (bough_tree_branches(c->s, c->a, s->id, &found, &c->err))
        return cli_failed(c);
    table_init(&t, c->a, columns, 6);
    for (size_t i = 0; i < found.n; i++) {
        const struct bough_branch *b = &found.at[i];
        bool head = s->head.branch == b->number;
        const char *tip = arena_printf(c->a, "#%" PRId64 ".%" PRId64, b->number, b->tip);

        if (c->out.json) {
            put_json(c, b, head);
            continue;
        }
        table_put(&t, head ? "*" : "");
        table_put(&t, tip);
        if (b->base.branch)
            table_printf(&t, "#%" PRId64 ".%" PRId64, b->base.branch, b->base.depth);
        else
            table_put(&t, "");
        table_printf(&t, "%" PRId64, b->tip - b->base.depth);
        table_put(&t, b->session);
        table_put(&t,
                  !bough_entry_get(c->s, c->a, NULL, tip, &e, NULL) ? render_line(c->a, e) : "");
    }
    table_print(&t, &c->out);
    return CLI_DONE;
}

static int leave(struct cli *c, const struct bough_session *s, const char *text)
{
    char id[BOUGH_ID_LEN + 1];
    const char *target = NULL, *summary = NULL;
    int rc = CLI_DONE;

    if (strcmp(text, "none") != 0)
        rc = cli_entry(c, s->id, text, &target);
    if (!rc && cli_has(c, "summary"))
        rc = cli_text(c, cli_value(c, "summary"), &summary);
    if (rc)
        return rc;
    if (summary) {
        struct bough_branch_with_summary_options how = { .target = target, .summary = summary };

        if (bough_branch_with_summary(c->s, s->id, &how, id, &c->err))
            return cli_failed(c);
        puts(id);
        return CLI_DONE;
    }
    if (target ? bough_head_move(c->s, s->id, target, &c->err)
               : bough_head_reset(c->s, s->id, &c->err))
        return cli_failed(c);
    cli_say(c, "The next append starts a branch at %s", target ? target : "the root");
    return CLI_DONE;
}

static int run(struct cli *c)
{
    struct bough_session *s;
    int rc;

    if (cli_has(c, "summary") && c->argc < 2)
        return cli_usage(c, "--summary requires an entry to go back to");
    rc = cli_open(c, c->argc > 1 ? CLI_WRITE : CLI_READ);
    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (rc)
        return rc;
    return c->argc > 1 ? leave(c, s, c->argv[1]) : list(c, s);
}

static const struct cli_option options[] = {
    { "summary", 's', "TEXT", "summary of the branch that is left; - reads stdin" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_branch = {
    .name = "branch",
    .args = "<session> [entry]",
    .summary = "list the branches of a session, or go back to an entry to start one",
    .options = options,
    .run = run,
    .about = "With --summary, a summary of the abandoned branch becomes part of the context. The "
             "entry \"none\" means before the first entry.",
    .columns = "* if it has the head, tip, base, entries, session, text of the tip",
    .fields = "branch, session, base, tip, entries, head",
    .examples = "bough branch . @4 --summary \"The cache is not to blame.\"",
};
