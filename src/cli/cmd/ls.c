/* bough ls: the sessions of a store, newest first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/forms.h"
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "cli/cli.h"
#include "cli/table.h"

static const struct table_column columns[] = {
    { "ID", .piped = true },
    { "#", .right = true, .look = PRINT_YELLOW },
    { "SLUG", .piped = true },
    { "UPDATED", .drop = 2 },
    { "CREATED", .piped = true },
    { "MSGS", .right = true, .drop = 4 },
    { "COST", .right = true, .drop = 5 },
    { "MODEL", .drop = 6 },
    { "TITLE", .flex = true, .look = PRINT_BOLD },
    { "PROJECT", .drop = 7, .flex = true, .look = PRINT_DIM },
    { "KIND", .piped = true },
    { "STATUS", .piped = true },
    { "LAST USER", .piped = true },
    { "LAST AGENT", .piped = true },
};

/* What --wide adds for people: hygge's columns. */
static const struct table_column wide[] = {
    { "ID", .look = PRINT_PLAIN },
    { "#", .right = true, .look = PRINT_YELLOW },
    { "SLUG", .drop = 9 },
    { "UPDATED", .drop = 2 },
    { "CREATED", .drop = 8 },
    { "MSGS", .right = true, .drop = 4 },
    { "COST", .right = true, .drop = 5 },
    { "MODEL", .drop = 6 },
    { "TITLE", .flex = true, .look = PRINT_BOLD },
    { "PROJECT", .drop = 7, .flex = true, .look = PRINT_DIM },
    { "KIND", .drop = 10 },
    { "STATUS", .drop = 11 },
    { "LAST USER", .flex = true, .drop = 13 },
    { "LAST AGENT", .flex = true, .drop = 12 },
};

enum { COLUMNS = sizeof columns / sizeof *columns, PAGE = 500 };

static void put_money(struct table *t, int64_t nano, bool tty)
{
    char text[40];

    bough_money_text(nano, text, sizeof text);
    if (!tty)
        table_printf(t, "%s", text);
    else if (nano)
        table_printf(t, "$%.*s", (int)(strcspn(text, ".") + 5), text);
    else
        table_put(t, "");
}

static void put_session(struct cli *c, struct table *t, const struct bough_session *s)
{
    const struct out *o = &c->out;

    table_put(t, s->id);
    table_printf(t, "#%" PRId64, s->number);
    table_put(t, s->slug);
    table_time(t, o, s->updated);
    table_time(t, o, s->created);
    table_printf(t, "%" PRId64, s->messages);
    put_money(t, s->rolled.cost, o->tty);
    table_put(t, cstr_empty(s->model_name) ? s->last_model : s->model_name);
    table_put(t, o->tty && s->deleted ? arena_printf(t->a, "%s (deleted)", cli_title(s))
                                      : cli_title(s));
    table_put(t, s->project);
    table_put(t, s->kind == BOUGH_SUBAGENT ? "subagent" : "primary");
    table_put(t, s->deleted ? "deleted" : bough_status_name(s->status));
    table_put(t, s->last_user);
    table_put(t, s->last_agent);
}

static int read_order(struct cli *c, struct bough_list *f)
{
    const char *sort = cli_value(c, "sort");

    f->order = BOUGH_BY_UPDATED;
    if (!sort || strcmp(sort, "updated") == 0)
        return CLI_DONE;
    f->order = strcmp(sort, "created") == 0 ? BOUGH_BY_CREATED : BOUGH_BY_MODIFIED;
    if (f->order == BOUGH_BY_MODIFIED && strcmp(sort, "modified") != 0)
        return cli_usage(c, "--sort is created, updated or modified");
    return CLI_DONE;
}

static int read_kind(struct cli *c, struct bough_list *f)
{
    const char *kind = cli_value(c, "kind");

    f->kind_primary =
        cli_has(c, "include-subagents") || cli_has(c, "parent") ? BOUGH_ANY : BOUGH_ONLY;
    if (!kind)
        return CLI_DONE;
    if (strcmp(kind, "primary") == 0)
        f->kind_primary = BOUGH_ONLY;
    else if (strcmp(kind, "subagent") == 0)
        f->kind_primary = BOUGH_NOT;
    else if (strcmp(kind, "all") == 0)
        f->kind_primary = BOUGH_ANY;
    else
        return cli_usage(c, "--kind is primary, subagent or all");
    return CLI_DONE;
}

static int read_filter(struct cli *c, struct bough_list *f, int64_t *limit)
{
    const char *usual = cli_setting(c, "limit");
    struct bough_session *parent;
    int rc = read_order(c, f);

    f->project = cli_has(c, "here") ? cli_here(c) : cli_value(c, "project");
    f->model_name = cli_value(c, "model");
    f->query = cli_value(c, "query");
    f->archived = cli_has(c, "archived");
    f->active = !f->archived && !cli_has(c, "all");
    f->only_deleted = cli_has(c, "deleted");
    f->include_deleted = f->only_deleted || cli_has(c, "include-deleted");
    f->roots = cli_has(c, "roots");
    if (!rc)
        rc = read_kind(c, f);
    if (!rc)
        rc = cli_when(c, "since", &f->updated_from);
    if (!rc)
        rc = cli_when(c, "until", &f->updated_to);
    if (!rc)
        rc = cli_number(c, "limit", usual ? strtoll(usual, NULL, 10) : LIMIT_LIST_DEFAULT, limit);
    if (!rc)
        rc = cli_open(c, CLI_READ);
    if (!rc && cli_has(c, "parent")) {
        rc = cli_session(c, cli_value(c, "parent"), &parent);
        f->parent = rc ? NULL : parent->id;
    }
    return rc;
}

/* One page; how many sessions were in it. */
static int64_t put_page(struct cli *c, const struct bough_sessions *found, struct table *t)
{
    for (size_t i = 0; i < found->n; i++) {
        if (c->out.json) {
            form_session(out_json(&c->out), &found->at[i]);
            out_json_end(&c->out);
        } else if (cli_has(c, "slugs")) {
            puts(found->at[i].slug);
        } else {
            put_session(c, t, &found->at[i]);
        }
    }
    return (int64_t)found->n;
}

static int run(struct cli *c)
{
    struct bough_list f = { 0 };
    struct bough_sessions found;
    struct table t;
    int64_t limit, seen = 0;
    int rc = read_filter(c, &f, &limit);

    if (rc)
        return rc;
    table_init(&t, c->a, cli_has(c, "wide") ? wide : columns, COLUMNS);
    do {
        int64_t left = limit ? limit - seen : PAGE;

        f.limit = left < PAGE ? left : PAGE;
        if (bough_session_list(c->s, c->a, &f, &found, &c->err))
            return cli_failed(c);
        seen += put_page(c, &found, &t);
        f.cursor = found.next;
    } while (!cstr_empty(found.next) && (!limit || seen < limit));
    if (t.n)
        cli_page(c);
    table_print(&t, &c->out);
    if (seen)
        return CLI_DONE;
    fputs("no sessions\n", stderr);
    return CLI_FAILED;
}

static const struct cli_option options[] = {
    { "here", 0, NULL, "only sessions of this directory" },
    { "project", 'p', "DIR", "only sessions of that directory" },
    { "query", 'q', "TEXT", "with this in slug, title, directory or first message" },
    { "model", 0, "NAME", "only with this model" },
    { "kind", 0, "KIND", "primary (the usual), subagent or all" },
    { "include-subagents", 0, NULL, "the same as --kind all" },
    { "parent", 0, "SESSION", "only its forks and subagents" },
    { "roots", 0, NULL, "only sessions without a parent" },
    { "since", 0, "TIME", "changed since then: 3d, 12h, yesterday, 2026-11-16" },
    { "until", 0, "TIME", "changed before then" },
    { "archived", 0, NULL, "only archived sessions" },
    { "all", 'a', NULL, "archived sessions too" },
    { "deleted", 0, NULL, "only deleted sessions" },
    { "include-deleted", 0, NULL, "deleted sessions too" },
    { "sort", 0, "BY", "updated (the usual), created or modified" },
    { "limit", 'n', "N", "at most so many; 0 for all (50)" },
    { "wide", 'w', NULL, "more columns" },
    { "slugs", 0, NULL, "only the slugs, one a line" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_ls = {
    .name = "ls",
    .args = "",
    .summary = "list sessions, the newest first",
    .options = options,
    .run = run,
    .about =
        "A session is shown by its title, else by its first user message. Wherever a session is\n"
        "asked for, its slug, #number, id or a unique beginning of its id will do.",
    .columns = "id, #number, slug, updated, created, messages, cost in USD, model, title, project, "
               "kind, status, last user message, last answer",
    .fields =
        "id, number, slug, title, kind, status, origin, parent, fork_entry, project, "
        "model_provider, model_name, first_user, last_user, last_agent, messages, calls, own, "
        "rolled, created, updated, modified, deleted, head, rev",
    .examples = "bough ls --here  # sessions of this directory\n"
                "bough ls --since 3d --json | jq -r .slug  # what changed in three days",
};
