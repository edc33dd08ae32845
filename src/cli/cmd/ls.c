/* bough ls: lists sessions, the latest active first. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"
#include "formats/common/format.h"

static const struct table_column columns[] = {
    { "ID", .piped = true },
    { "#", .right = true, .look = PRINT_YELLOW },
    { "SLUG", .flex = true, .drop = 3 },
    { "ACTIVE", .drop = 2 }, /* in a pipe: updated */
    { "CREATED", .piped = true },
    { "MSGS", .right = true, .drop = 4 },
    { "COST", .right = true, .drop = 5 },
    { "MODEL", .drop = 7 },
    { "TITLE", .flex = true, .look = PRINT_BOLD },
    { "PROJECT", .drop = 8, .flex = true, .look = PRINT_DIM },
    { "KIND", .piped = true },
    { "STATUS", .piped = true },
    { "LAST USER", .piped = true },
    { "LAST AGENT", .piped = true },
    { "MODIFIED", .piped = true },
    { "TOOL", .drop = 6, .optional = true },
    { "PROVIDER", .piped = true },
};

/* With --wide, on a terminal: hygge's columns as well. */
static const struct table_column wide[] = {
    { "ID", .look = PRINT_PLAIN },
    { "#", .right = true, .look = PRINT_YELLOW },
    { "SLUG", .drop = 9 },
    { "ACTIVE", .drop = 2 },
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
    { "MODIFIED", .piped = true },
    { "TOOL", .drop = 6, .optional = true },
    { "PROVIDER", .piped = true },
};

enum { COLUMNS = sizeof columns / sizeof *columns, PAGE = 500, COUNT_MOST = 10000 };

/* What was asked for, beside the filter of the store. */
struct listing {
    struct bough_session_list_options f;
    const struct format *tool; /* only sessions that were imported from it; NULL: all */
    int64_t limit;             /* 0: none */
    int64_t put, more;         /* sessions printed; sessions behind them, at most COUNT_MOST */
    struct table t;
};

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

static const char *provider_of(const struct bough_session *s)
{
    return cstr_empty(s->model_name) ? s->last_provider : s->model_provider;
}

/* With its provider on a terminal; in a pipe the provider is the last column. */
static void put_model(struct table *t, const struct bough_session *s, bool tty)
{
    const char *provider = provider_of(s);
    const char *model = cstr_empty(s->model_name) ? s->last_model : s->model_name;

    if (tty && !cstr_empty(provider))
        table_put(t, arena_printf(t->a, "%s/%s", provider, model));
    else
        table_put(t, model);
}

static int put_row(struct cli *c, struct table *t, const struct bough_session *s, const char *tool)
{
    const struct out *o = &c->out;
    const char *title;
    int64_t messages;
    int rc = cli_shown(c, s, &messages, &title);

    table_put(t, s->id);
    table_printf(t, "#%" PRId64, s->number);
    table_put(t, s->slug);
    table_time(t, o, o->tty ? s->modified : s->updated);
    table_time(t, o, s->created);
    table_printf(t, "%" PRId64, messages);
    put_money(t, s->rolled.cost, o->tty);
    put_model(t, s, o->tty);
    table_put(t, o->tty && s->deleted ? arena_printf(t->a, "%s (deleted)", title) : title);
    table_put(t, s->project);
    table_put(t, s->kind == BOUGH_SUBAGENT ? "subagent" : "primary");
    table_put(t, s->deleted ? "deleted" : bough_status_name(s->status));
    table_put(t, o->tty ? cli_first_line(c, s->last_user) : s->last_user);
    table_put(t, o->tty ? cli_first_line(c, s->last_agent) : s->last_agent);
    table_time(t, o, s->modified);
    table_put(t, tool);
    table_put(t, provider_of(s));
    return rc;
}

static void put_json(struct cli *c, const struct bough_session *s, const char *tool)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    form_in_session(w, s);
    jw_opt_cstr(w, "tool", tool);
    jw_end_obj(w);
    out_json_end(&c->out);
}

static void read_order(struct cli *c, struct bough_session_list_options *f)
{
    const char *sort = cli_value(c, "sort");

    f->order = BOUGH_BY_MODIFIED;
    if (!sort || strcmp(sort, "modified") == 0)
        return;
    f->order = strcmp(sort, "created") == 0 ? BOUGH_BY_CREATED
               : strcmp(sort, "cost") == 0  ? BOUGH_BY_COST
                                            : BOUGH_BY_UPDATED;
}

static void read_kind(struct cli *c, struct bough_session_list_options *f)
{
    const char *kind = cli_value(c, "kind");

    f->kinds = cli_has(c, "include-subagents") || cli_has(c, "parent") ? BOUGH_KINDS_ALL
                                                                       : BOUGH_KINDS_PRIMARY;
    if (kind)
        f->kinds = strcmp(kind, "primary") == 0    ? BOUGH_KINDS_PRIMARY
                   : strcmp(kind, "subagent") == 0 ? BOUGH_KINDS_SUBAGENT
                                                   : BOUGH_KINDS_ALL;
}

/* The i-th tool whose sessions can be imported. */
static const char *tool_word(size_t i)
{
    for (size_t k = 0; all_formats[k]; k++)
        if (all_formats[k]->tool && i-- == 0)
            return all_formats[k]->name;
    return NULL;
}

/* A beginning of a name is enough: "claude". */
static int read_tool(struct cli *c, const struct format **out)
{
    const char *text = cli_value(c, "tool"), *all = "";

    *out = NULL;
    if (!text)
        return CLI_DONE;
    for (size_t i = 0; tool_word(i) && !*out; i++) {
        if (*text && strncmp(tool_word(i), text, strlen(text)) == 0)
            *out = format_find(tool_word(i));
        all = arena_printf(c->a, "%s%s%s", all, *all ? ", " : "", tool_word(i));
    }
    return *out ? CLI_DONE : cli_usage(c, "--tool must be one of %s", all);
}

static int read_filter(struct cli *c, struct listing *l)
{
    const char *usual = cli_setting(c, "limit");
    struct bough_session_list_options *f = &l->f;
    struct bough_session *parent;
    int rc;

    read_order(c, f);
    read_kind(c, f);
    f->project = cli_has(c, "here") ? cli_here(c) : cli_project(c);
    f->model_name = cli_value(c, "model");
    f->query = cli_value(c, "query");
    f->archived = cli_has(c, "archived");
    f->active = !f->archived && !cli_has(c, "all");
    f->only_deleted = cli_has(c, "deleted");
    f->include_deleted = f->only_deleted || cli_has(c, "include-deleted");
    f->roots = cli_has(c, "roots");
    f->errors = cli_has(c, "errors");
    rc = read_tool(c, &l->tool);
    if (!rc)
        rc = cli_when(c, "since", &f->updated_from);
    if (!rc)
        rc = cli_when(c, "until", &f->updated_to);
    if (!rc)
        rc = cli_number(c, "limit", usual ? strtoll(usual, NULL, 10) : LIMIT_LIST_DEFAULT,
                        &l->limit);
    if (!rc)
        rc = cli_open(c, CLI_READ);
    if (!rc && cli_has(c, "parent")) {
        rc = cli_session(c, cli_value(c, "parent"), &parent);
        f->parent = rc ? NULL : parent->id;
    }
    return rc;
}

/* Print a session, or count it when enough are printed. */
static int take(struct cli *c, struct listing *l, const struct bough_session *s)
{
    const char *tool;

    if (bough_import_format(c->s, s, &tool, &c->err))
        return cli_failed(c);
    if (l->tool && strcmp(l->tool->name, tool) != 0)
        return CLI_DONE;
    if (l->limit && l->put == l->limit) {
        l->more++;
        return CLI_DONE;
    }
    l->put++;
    if (c->out.json)
        put_json(c, s, tool);
    else if (cli_has(c, "slugs"))
        puts(s->slug);
    else
        return put_row(c, &l->t, s, tool);
    return CLI_DONE;
}

/* Show the total beside the limit: always on a terminal, elsewhere only under the default limit. */
static bool counts(const struct cli *c)
{
    return c->out.tty || !cli_has(c, "limit");
}

static int take_pages(struct cli *c, struct listing *l)
{
    struct bough_sessions found;
    int rc = CLI_DONE;

    l->f.limit = l->limit && l->limit < PAGE && !l->tool ? l->limit : PAGE;
    do {
        if (bough_session_list(c->s, c->a, &l->f, &found, &c->err))
            return cli_failed(c);
        if (!l->tool && l->limit && l->put == l->limit) {
            l->more += (int64_t)found.n; /* of any tool: no need to look at each */
        } else {
            for (size_t i = 0; i < found.n && !rc; i++)
                rc = take(c, l, &found.at[i]);
        }
        l->f.cursor = found.next;
        if (l->limit && l->put == l->limit)
            l->f.limit = COUNT_MOST;
    } while (!rc && !cstr_empty(found.next) && l->more < COUNT_MOST &&
             (!l->limit || l->put < l->limit || counts(c)));
    return rc;
}

static void say_cut(const struct cli *c, const struct listing *l)
{
    char put[OUT_COUNT_SIZE], all[OUT_COUNT_SIZE];

    if (!l->more || !counts(c))
        return;
    out_count(l->put, put);
    out_count(l->more < COUNT_MOST ? l->put + l->more : COUNT_MOST, all);
    fflush(stdout);
    fprintf(c->out.tty ? stdout : stderr, "%s of %s%s sessions; -n 0 lists all\n", put,
            l->more < COUNT_MOST ? "" : "more than ", all);
}

static int run(struct cli *c)
{
    struct listing l = { .limit = 0 };
    int rc = read_filter(c, &l);

    if (rc)
        return rc;
    table_init(&l.t, c->a, cli_has(c, "wide") ? wide : columns, COLUMNS);
    rc = take_pages(c, &l);
    if (rc)
        return rc;
    if (l.t.n)
        cli_page(c);
    table_print(&l.t, &c->out);
    say_cut(c, &l);
    if (l.put)
        return CLI_DONE;
    fputs("no sessions\n", stderr);
    return CLI_FAILED;
}

static const struct cli_option options[] = {
    { "here", 0, NULL, "only sessions of the current directory" },
    { "project", 'p', "DIR", "only sessions of this directory" },
    { "query", 'q', "TEXT", "only with TEXT in slug, title, directory or first message" },
    { "model", 0, "NAME", "only sessions with this model, or whose last answer it gave" },
    { "tool", 0, "TOOL", "only sessions that were imported from this tool", tool_word },
    { "kind", 0, "KIND", "primary (default), subagent or all",
      ONE_OF("primary", "subagent", "all") },
    { "include-subagents", 0, NULL, "the same as --kind all" },
    { "parent", 0, "SESSION", "only forks and subagents of this session" },
    { "roots", 0, NULL, "only sessions without a parent" },
    { "errors", 0, NULL, "only sessions with failed messages or failed tools" },
    { "since", 0, "TIME", "only updated since this time: 3d, 12h, yesterday, 2026-11-16" },
    { "until", 0, "TIME", "only updated before this time" },
    { "archived", 0, NULL, "only archived sessions" },
    { "all", 'a', NULL, "include archived sessions" },
    { "deleted", 0, NULL, "only deleted sessions" },
    { "include-deleted", 0, NULL, "include deleted sessions" },
    { "sort", 0, "BY", "modified (the last message; default), updated, created or cost",
      ONE_OF("modified", "updated", "created", "cost") },
    { "limit", 'n', "N", "maximum number of sessions (50); 0 for all" },
    { "wide", 'w', NULL, "show more columns" },
    { "slugs", 0, NULL, "print only the slugs, one per line" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_ls = {
    .name = "ls",
    .args = "",
    .summary = "list sessions, the latest active first",
    .options = options,
    .run = run,
    .about = "Sessions are shown with their title, or the first line of their first user message, "
             "when they were last active (the time of the last message), and the tool that they "
             "were imported from. The messages of a fork include those that it inherits. Every "
             "command "
             "takes a session as its slug, its number, its id or a unique prefix of its id.",
    .columns = "id, #number, slug, updated, created, messages, cost in USD, model, title, project, "
               "kind, status, last user message, last answer, last message, tool, provider",
    .fields =
        "id, number, slug, title, kind, status, origin, parent, fork_entry, project, "
        "model_provider, model_name, first_user, last_user, last_agent, messages, calls, own, "
        "rolled, created, updated, modified, deleted, head, rev, errors, last_state, tool",
    .examples = "bough ls --here  # sessions of the current directory\nbough ls --since 3d --json "
                "| jq -r .slug  # updated within three days",
};
