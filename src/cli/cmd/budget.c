/* bough budget: lists, sets and removes budgets. */
#include <stdlib.h>
#include <string.h>

#include <bough/budget.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"

static const char *const windows[] = { "total", "day", "month", NULL };

static void put_json(struct cli *c, const struct bough_budget *b)
{
    form_budget(out_json(&c->out), b);
    out_json_end(&c->out);
}

static const char *title(struct cli *c, const struct bough_budget *b)
{
    return arena_printf(c->a, "%s%s%s", bough_budget_scope_name(b->scope), *b->of ? " " : "",
                        b->of);
}

static void put_money(struct cli *c, struct table *t, int64_t nano)
{
    char text[40];

    bough_money_text(nano, text, sizeof text);
    table_printf(t, "%s%s", c->out.tty ? "$" : "", text);
}

/* ---- ls ---- */

static int list(struct cli *c)
{
    static const struct table_column columns[] = {
        { "ID", .look = PRINT_YELLOW, .drop = 2 },
        { "BUDGET", .flex = true },
        { "WINDOW", .flex = false },
        { "CAP", .right = true, .look = PRINT_BOLD },
        { "SPENT", .right = true },
        { "RESERVED", .right = true, .drop = 3 },
        { "ENDS", .drop = 4 },
        { "UNKNOWN PRICES", .drop = 1 },
    };
    struct bough_budgets all;
    struct table t;
    int rc = cli_open(c, CLI_READ);

    if (rc)
        return rc;
    if (bough_budget_list(c->s, c->a, &all, &c->err))
        return cli_failed(c);
    table_init(&t, c->a, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < all.n; i++) {
        const struct bough_budget *b = &all.at[i];

        if (c->out.json) {
            put_json(c, b);
            continue;
        }
        table_put(&t, b->id);
        table_put(&t, title(c, b));
        table_put(&t, bough_budget_window_name(b->window));
        put_money(c, &t, b->cap);
        put_money(c, &t, b->spent);
        put_money(c, &t, b->held);
        table_time(&t, &c->out, b->until);
        table_put(&t, b->allow_unknown ? "allowed" : "refused");
    }
    table_print(&t, &c->out);
    if (!all.n)
        fputs("no budgets\n", stderr);
    return all.n ? CLI_DONE : CLI_FAILED;
}

/* ---- set ---- */

/* Whose it is: at most one of the options. */
static int read_scope(struct cli *c, struct bough_budget_set_options *in)
{
    static const struct {
        const char *option;
        enum bough_budget_scope scope;
    } scopes[] = {
        { "project", BOUGH_BUDGET_PROJECT },
        { "account", BOUGH_BUDGET_ACCOUNT },
        { "token", BOUGH_BUDGET_TOKEN },
        { "session", BOUGH_BUDGET_SESSION },
    };
    int given = 0;

    for (size_t i = 0; i < sizeof scopes / sizeof *scopes; i++)
        if (cli_has(c, scopes[i].option)) {
            in->scope = scopes[i].scope;
            in->of = cli_value(c, scopes[i].option);
            given++;
        }
    if (given > 1)
        return cli_usage(c, "a budget is for one of --project, --account, --token or --session");
    if (in->scope == BOUGH_BUDGET_PROJECT)
        in->of = cli_project(c);
    if (in->scope == BOUGH_BUDGET_TOKEN && strncmp(in->of, "token:", 6) != 0)
        in->of = arena_printf(c->a, "token:%s", in->of);
    return CLI_DONE;
}

/* Dollars, as they are written: "12.50". */
static int read_cap(struct cli *c, const char *text, int64_t *nano)
{
    const char *number = text + (*text == '$');
    char *end;
    double usd = strtod(number, &end);

    if (end == number || *end || strspn(number, "0123456789.") != strlen(number))
        return cli_usage(c, "a cap is an amount in USD such as 12.50, not \"%s\"", text);
    return bough_money_from_usd(usd, nano, &c->err) ? cli_failed(c) : CLI_DONE;
}

static int set(struct cli *c)
{
    struct bough_budget_set_options in = { .window = BOUGH_BUDGET_MONTH,
                                           .allow_unknown = cli_has(c, "allow-unknown") };
    const char *window = cli_value(c, "window");
    char cap[40];
    struct bough_budget b;
    int rc = read_cap(c, c->argv[1], &in.cap);

    if (!rc)
        rc = read_scope(c, &in);
    if (!rc && window && !bough_budget_window_parse(window, &in.window))
        rc = cli_usage(c, "--window is day, month or total");
    if (!rc)
        rc = cli_open(c, CLI_CREATE);
    if (rc)
        return rc;
    if (bough_budget_set(c->s, c->a, &in, &b, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        put_json(c, &b);
        return CLI_DONE;
    }
    puts(b.id);
    bough_money_text(b.cap, cap, sizeof cap);
    cli_say(c, "Budget of %s (%s): $%s", title(c, &b), bough_budget_window_name(b.window), cap);
    return CLI_DONE;
}

/* ---- rm ---- */

static int drop(struct cli *c)
{
    int rc = cli_open(c, CLI_WRITE);

    if (rc)
        return rc;
    if (bough_budget_remove(c->s, c->argv[1], &c->err))
        return cli_failed(c);
    cli_say(c, "Removed: %s", c->argv[1]);
    return CLI_DONE;
}

static int run(struct cli *c)
{
    static const struct {
        const char *word, *missing;
        int args;
        int (*run)(struct cli *c);
    } verbs[] = { { "ls", "bough budget ls takes no argument", 1, list },
                  { "set", "bough budget set requires an amount in USD", 2, set },
                  { "rm", "bough budget rm requires the id of a budget", 2, drop } };

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++) {
        if (strcmp(c->argv[0], verbs[i].word) != 0)
            continue;
        return c->argc == verbs[i].args ? verbs[i].run(c) : cli_usage(c, "%s", verbs[i].missing);
    }
    return cli_usage(c, "expected ls, set or rm, not \"%s\"", c->argv[0]);
}

static const struct cli_option options[] = {
    { "project", 'p', "DIR", "set: for the sessions of this directory" },
    { "account", 'a', "NAME", "set: for the sessions of this account" },
    { "token", 0, "LABEL", "set: for the calls made with this token" },
    { "session", 0, "SESSION", "set: for this session and its subagents" },
    { "window", 'w', "WHAT", "set: day, month (default) or total; days and months of UTC",
      .one_of = windows },
    { "allow-unknown", 0, NULL, "set: allow calls whose price is not known" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_budget = {
    .name = "budget",
    .args = "<ls|set|rm> [usd|id]",
    .arg_words = (const char *const[]){ "ls", "set", "rm", NULL },
    .summary = "list, set and remove budgets: what may be spent at most",
    .options = options,
    .run = run,
    .about =
        "A budget is asked before a call is made: what was spent in its window, what is reserved "
        "for calls that run, and what the call may cost must fit into it. Without --project, "
        "--account, --token or --session it is for the whole store. There is one budget for each "
        "of them and each window; setting it again replaces the amount. 0 refuses every call that "
        "costs something. Calls whose price is not known are refused unless --allow-unknown says "
        "otherwise. What was spent is what `bough cost` adds up: deleted and purged sessions "
        "count.",
    .columns = "id, budget, window, cap, spent, reserved (USD), end of the window, unknown prices; "
               "set prints the id alone",
    .fields = "id, scope, of, window, cap_usd, cap_nano_usd, allow_unknown, spent_usd, "
              "spent_nano_usd, reserved_usd, reserved_nano_usd, running, unknown, since, until, "
              "created, updated, by",
    .examples = "bough budget set 50 --project .  # USD a month\nbough budget set 5 --token ci "
                "--window day",
};
