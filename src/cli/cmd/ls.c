/* bough ls: lists sessions, newest first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"

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

/* With --wide, on a terminal: hygge's columns as well. */
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

static int read_order(struct cli *c, struct bough_session_list_options *f)
{
    const char *sort = cli_value(c, "sort");

    f->order = BOUGH_BY_UPDATED;
    if (!sort || strcmp(sort, "updated") == 0)
        return CLI_DONE;
    f->order = strcmp(sort, "created") == 0 ? BOUGH_BY_CREATED : BOUGH_BY_MODIFIED;
    if (f->order == BOUGH_BY_MODIFIED && strcmp(sort, "modified") != 0)
        return cli_usage(c, "--sort must be created, updated or modified");
    return CLI_DONE;
}

static int read_kind(struct cli *c, struct bough_session_list_options *f)
{
    const char *kind = cli_value(c, "kind");

    f->kinds = cli_has(c, "include-subagents") || cli_has(c, "parent") ? BOUGH_KINDS_ALL
                                                                       : BOUGH_KINDS_PRIMARY;
    if (!kind)
        return CLI_DONE;
    if (strcmp(kind, "primary") == 0)
        f->kinds = BOUGH_KINDS_PRIMARY;
    else if (strcmp(kind, "subagent") == 0)
        f->kinds = BOUGH_KINDS_SUBAGENT;
    else if (strcmp(kind, "all") == 0)
        f->kinds = BOUGH_KINDS_ALL;
    else
        return cli_usage(c, "--kind must be primary, subagent or all");
    return CLI_DONE;
}

static int read_filter(struct cli *c, struct bough_session_list_options *f, int64_t *limit)
{
    const char *usual = cli_setting(c, "limit");
    struct bough_session *parent;
    int rc = read_order(c, f);

    f->project = cli_has(c, "here") ? cli_here(c) : cli_project(c);
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

/* Print one page. Returns its number of sessions. */
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
    struct bough_session_list_options f = { 0 };
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
    { "here", 0, NULL, "only sessions of the current directory" },
    { "project", 'p', "DIR", "only sessions of this directory" },
    { "query", 'q', "TEXT", "only with TEXT in slug, title, directory or first message" },
    { "model", 0, "NAME", "only sessions with this model" },
    { "kind", 0, "KIND", "primary (default), subagent or all" },
    { "include-subagents", 0, NULL, "the same as --kind all" },
    { "parent", 0, "SESSION", "only forks and subagents of this session" },
    { "roots", 0, NULL, "only sessions without a parent" },
    { "since", 0, "TIME", "only updated since this time: 3d, 12h, yesterday, 2026-11-16" },
    { "until", 0, "TIME", "only updated before this time" },
    { "archived", 0, NULL, "only archived sessions" },
    { "all", 'a', NULL, "include archived sessions" },
    { "deleted", 0, NULL, "only deleted sessions" },
    { "include-deleted", 0, NULL, "include deleted sessions" },
    { "sort", 0, "BY", "updated (default), created or modified" },
    { "limit", 'n', "N", "maximum number of sessions (50); 0 for all" },
    { "wide", 'w', NULL, "show more columns" },
    { "slugs", 0, NULL, "print only the slugs, one per line" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_ls = {
    .name = "ls",
    .args = "",
    .summary = "list sessions, the newest first",
    .options = options,
    .run = run,
    .about = "Sessions are shown with their title, or their first user message. Every command "
             "takes a session as its slug, its number, its id or a unique prefix of its id.",
    .columns = "id, #number, slug, updated, created, messages, cost in USD, model, title, project, "
               "kind, status, last user message, last answer",
    .fields =
        "id, number, slug, title, kind, status, origin, parent, fork_entry, project, "
        "model_provider, model_name, first_user, last_user, last_agent, messages, calls, own, "
        "rolled, created, updated, modified, deleted, head, rev",
    .examples = "bough ls --here  # sessions of the current directory\nbough ls --since 3d --json "
                "| jq -r .slug  # updated within three days",
};
