/* bough markers: lists the compactions of a session. */
#include <inttypes.h>

#include "api/kit/forms.h"
#include "cli/kit/cli.h"
#include "cli/kit/render.h"
#include "cli/term/table.h"

static int run(struct cli *c)
{
    static const struct table_column columns[] = {
        { "AT", .look = PRINT_YELLOW }, { "ID", .piped = true },
        { "TIME", .drop = 1 },          { "KEEPS FROM", .right = true, .drop = 2 },
        { "SUMMARY", .flex = true },
    };
    struct bough_entries found;
    struct bough_session *s;
    struct table t;
    int rc = cli_open(c, CLI_READ);

    if (!rc)
        rc = cli_session(c, c->argv[0], &s);
    if (rc)
        return rc;
    if (bough_marker_list(c->s, c->a, s->id, &found, &c->err))
        return cli_failed(c);
    table_init(&t, c->a, columns, 5);
    for (size_t i = 0; i < found.n; i++) {
        const struct bough_entry *e = &found.at[i];

        if (c->out.json) {
            form_entry(out_json(&c->out), e);
            out_json_end(&c->out);
            continue;
        }
        table_printf(&t, "#%" PRId64 ".%" PRId64, e->at.branch, e->at.depth);
        table_put(&t, e->id);
        table_time(&t, &c->out, e->time);
        table_printf(&t, "%" PRId64, e->keep_from ? e->keep_from : e->at.depth + 1);
        table_put(&t, render_summary(c->a, e));
    }
    table_print(&t, &c->out);
    if (!found.n)
        fputs("no compactions\n", stderr);
    return found.n ? CLI_DONE : CLI_FAILED;
}

static const struct cli_option options[] = {
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_markers = {
    .name = "markers",
    .args = "<session>",
    .summary = "list the compactions of a session",
    .options = options,
    .run = run,
    .columns = "#branch.depth, id, time, first depth kept, summary",
    .fields = "as `bough show`",
};
