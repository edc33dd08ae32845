/* bough approvals: what runs wait for. */
#include "api/kit/forms_run.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"

static int run(struct cli *c)
{
    static const struct table_column columns[] = {
        { "APPROVAL", .look = PRINT_YELLOW },
        { "STATUS" },
        { "ASKED", .drop = 1 },
        { "TOOL", .flex = true },
        { "RUN", .drop = 2 },
    };
    struct bough_approval_list_options how = { .status = cli_has(c, "all") ? NULL : "pending" };
    struct bough_approvals found;
    struct table t;
    int rc = cli_number(c, "limit", 50, &how.limit);

    if (!rc)
        rc = cli_open(c, CLI_READ);
    if (rc)
        return rc;
    if (bough_approval_list(c->s, c->a, &how, &found, &c->err))
        return cli_failed(c);
    if (!found.n)
        fputs("no approvals\n", stderr);
    table_init(&t, c->a, columns, 5);
    for (size_t i = 0; i < found.n; i++) {
        const struct bough_approval *p = &found.at[i];

        if (c->out.json) {
            form_approval(out_json(&c->out), p);
            out_json_end(&c->out);
            continue;
        }
        table_put(&t, p->id);
        table_put(&t, bough_approval_status_name(p->status));
        table_time(&t, &c->out, p->created);
        table_put(&t, p->tool);
        table_put(&t, p->run);
    }
    table_print(&t, &c->out);
    return found.n ? CLI_DONE : CLI_FAILED;
}

static const struct cli_option options[] = {
    { "all", 'a', NULL, "settled ones too" },
    { "limit", 'n', "N", "at most this many (default: 50)" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_approvals = {
    .name = "approvals",
    .args = "",
    .summary = "list what runs wait for",
    .options = options,
    .run = run,
    .about = "Lists tool calls that wait for an answer, newest first. `bough task approve` and "
             "`bough task reject` settle them.",
    .columns = "id, status, time, tool, run",
    .fields = "those of an approval, see docs/json.md",
    .examples = "bough approvals\nbough approvals --all --json",
};
