/* bough show: prints the path from the first entry to the head, page by page. */
#include <inttypes.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/render.h"
#include "core/part/view.h"

enum { PAGE = 200 };

struct showing {
    struct cli *c;
    struct bough_session *s;
    struct bough_arena *page; /* reset for each page */
    struct render r;
    struct bough_labels labels;
};

static const char *label_of(const struct showing *v, const char *entry)
{
    for (size_t i = 0; i < v->labels.n; i++)
        if (strcmp(v->labels.at[i].entry, entry) == 0)
            return v->labels.at[i].text;
    return NULL;
}

static void put(struct showing *v, const struct bough_entry *e)
{
    if (v->c->out.json) {
        form_entry(out_json(&v->c->out), e);
        out_json_end(&v->c->out);
        return;
    }
    render_entry(&v->r, e, label_of(v, e->id));
}

/* One of many: JSON has all of them, a person sees what is for people. */
static void put_entry(struct showing *v, const struct bough_entry *e)
{
    if (v->c->out.json || cli_has(v->c, "hidden") || !view_hidden(v->page, e))
        put(v, e);
}

static void put_pair(const struct out *o, const char *name, const char *value)
{
    if (cstr_empty(value))
        return;
    out_style(o, PRINT_DIM);
    printf("%-9s", name);
    out_style(o, PRINT_PLAIN);
    print_line(stdout, value);
    putchar('\n');
}

/* "provider/model", of the session or of its last call. */
static const char *model_of(struct bough_arena *a, const struct bough_session *s)
{
    bool set = !cstr_empty(s->model_name);
    const char *provider = set ? s->model_provider : s->last_provider;

    return arena_printf(a, "%s%s%s", provider, cstr_empty(provider) ? "" : "/",
                        set ? s->model_name : s->last_model);
}

/* A session whose calls used tokens and cost nothing: no price is known. */
static const char *cost_of(struct bough_arena *a, const struct bough_totals *t)
{
    char cost[40];

    if (!t->cost && t->input + t->output + t->cache_read + t->cache_write > 0)
        return "cost unknown";
    bough_money_text(t->cost, cost, sizeof cost);
    return arena_printf(a, "$%s", cost);
}

static void put_head(struct showing *v)
{
    const struct bough_session *s = v->s;
    const struct out *o = &v->c->out;
    struct bough_arena *a = v->c->a;
    char created[32], updated[32];
    bool part = cli_has(v->c, "last") || cli_has(v->c, "from");

    out_time(o, s->created, created);
    out_time(o, s->updated, updated);
    out_styled(o, PRINT_BOLD, *cli_title(v->c, s) ? cli_title(v->c, s) : "(no title)");
    putchar('\n');
    put_pair(o, "session", arena_printf(a, "#%" PRId64 "  %s  %s", s->number, s->slug, s->id));
    put_pair(o, "project", s->project);
    put_pair(o, "model", model_of(a, s));
    if (s->status != BOUGH_STATUS_IDLE)
        put_pair(o, "status", bough_status_name(s->status));
    put_pair(o, "parent", s->parent);
    put_pair(o, "times", arena_printf(a, "created %s, updated %s", created, updated));
    if (s->deleted)
        put_pair(o, "deleted", "yes; `bough restore` undoes it");
    put_pair(o, "holds",
             arena_printf(a, "%s of its own, %s, %s", out_things(a, s->messages, "message"),
                          out_things(a, s->calls, "call"), cost_of(a, &s->rolled)));
    if (!part)
        put_pair(o, "system", s->system_prompt);
    putchar('\n');
}

/* --from must be on the path shown: its position selects the first entry. */
static int check_on_path(struct showing *v, const struct bough_entries_read_options *how,
                         const char *id)
{
    struct cli *c = v->c;
    struct bough_entry *common;
    const char *end = how->at;
    int rc = end ? CLI_DONE : cli_entry(c, v->s->id, "head", &end);

    if (rc || how->what == BOUGH_ENTRIES_OWN)
        return rc;
    if (!bough_tree_common(c->s, c->a, v->s->id, id, end, &common, &c->err) &&
        strcmp(common->id, id) == 0)
        return CLI_DONE;
    return cli_usage(c, "%s is not on the path to the head; use --at for another path",
                     cli_value(c, "from"));
}

/* Set the first entry to show from --from or --last. */
static int find_start(struct showing *v, struct bough_entries_read_options *how)
{
    struct cli *c = v->c;
    struct bough_entry *e;
    struct bough_entries_read_options tail = *how;
    struct bough_entries_read_result path;
    const char *id;
    int64_t last;
    int rc = cli_number(c, "last", 0, &last);

    if (!rc && cli_has(c, "from")) {
        rc = cli_entry(c, v->s->id, cli_value(c, "from"), &id);
        if (!rc && bough_entry_get(c->s, c->a, v->s->id, id, &e, &c->err))
            rc = cli_failed(c);
        if (!rc)
            rc = check_on_path(v, how, id);
        if (!rc)
            how->from = e->id;
    }
    if (rc || !last)
        return rc;
    if (cli_has(c, "from"))
        return cli_usage(c, "--from and --last cannot be used together");
    tail.newest = true;
    tail.limit = last;
    if (bough_entries_read(c->s, c->a, v->s->id, &tail, &path, &c->err))
        return cli_failed(c);
    if (path.entries.n)
        how->from = path.entries.at[0].id;
    return CLI_DONE;
}

static int show_path(struct showing *v, struct bough_entries_read_options how)
{
    struct cli *c = v->c;
    struct bough_entries_read_result path;
    char marker[BOUGH_ID_LEN + 1] = ""; /* printed first, so skipped at its own position */
    char cursor[BOUGH_CURSOR_LEN + 1] = "";
    int rc = find_start(v, &how);

    if (rc)
        return rc;
    if (!c->out.json) {
        cli_page(c);
        if (!cli_has(c, "no-header"))
            put_head(v);
    }
    do {
        bough_arena_reset(v->page);
        if (bough_entries_read(c->s, v->page, v->s->id, &how, &path, &c->err))
            return cli_failed(c);
        if (path.marker && !how.from && !*cursor) {
            put_entry(v, path.marker);
            memcpy(marker, path.marker->id, sizeof marker);
        }
        for (size_t i = 0; i < path.entries.n; i++)
            if (strcmp(path.entries.at[i].id, marker) != 0)
                put_entry(v, &path.entries.at[i]);
        fflush(stdout); /* let the pager show the first page at once */
        snprintf(cursor, sizeof cursor, "%s", path.entries.next);
        how.cursor = cursor;
    } while (*cursor);
    return CLI_DONE;
}

static int show_one(struct showing *v, const char *text)
{
    struct cli *c = v->c;
    struct bough_entry *e;
    const char *id;
    int rc = cli_entry(c, v->s->id, text, &id);

    if (rc)
        return rc;
    if (bough_entry_get(c->s, c->a, v->s->id, id, &e, &c->err))
        return cli_failed(c);
    v->r.full = true;
    cli_page(c);
    put(v, e);
    return CLI_DONE;
}

static int run(struct cli *c)
{
    struct showing v = { .c = c };
    struct bough_entries_read_options how = {
        .messages = cli_has(c, "messages"),
        .user = cli_has(c, "user"),
        .tool = cli_has(c, "tools"),
        .deleted = cli_has(c, "deleted"),
        .limit = PAGE,
    };
    int rc = cli_open(c, CLI_READ);

    if (!rc)
        rc = cli_session(c, c->argv[0], &v.s);
    if (rc)
        return rc;
    if (cli_has(c, "own"))
        how.what = BOUGH_ENTRIES_OWN;
    else if (cli_has(c, "since-marker"))
        how.what = BOUGH_ENTRIES_SINCE_MARKER;
    if (bough_label_list(c->s, c->a, v.s->id, &v.labels, &c->err))
        return cli_failed(c);
    v.page = bough_arena_create();
    v.r = (struct render){ .o = &c->out,
                           .a = v.page,
                           .full = cli_has(c, "full") || !c->out.tty,
                           .raw = cli_has(c, "raw"),
                           .parts = cli_has(c, "parts") };
    if (cli_has(c, "at"))
        rc = cli_entry(c, v.s->id, cli_value(c, "at"), &how.at);
    if (!rc)
        rc = c->argc > 1 ? show_one(&v, c->argv[1]) : show_path(&v, how);
    bough_arena_destroy(v.page);
    return rc;
}

static const struct cli_option options[] = {
    { "last", 'n', "N", "only the last N entries" },
    { "from", 0, "ENTRY", "start at this entry" },
    { "at", 0, "ENTRY", "show the path to this entry instead of the head" },
    { "messages", 'm', NULL, "only messages" },
    { "user", 'u', NULL, "only messages of the user" },
    { "tools", 't', NULL, "only entries with tool calls" },
    { "own", 0, NULL, "only entries this session wrote itself, in order of time" },
    { "since-marker", 0, NULL, "only what the latest compaction kept, and later entries" },
    { "deleted", 0, NULL, "include deleted entries" },
    { "hidden", 0, NULL, "include custom messages that are for the model only" },
    { "full", 'f', NULL, "show tool input and output in full, also on a terminal" },
    { "raw", 'r', NULL, "do not render Markdown" },
    { "parts", 0, NULL, "print each part as JSON" },
    { "no-header", 0, NULL, "do not print the header" },
    { "json", 0, NULL, "JSON Lines, one per entry" },
    { 0 },
};

const struct cli_cmd cmd_show = {
    .name = "show",
    .args = "<session> [entry]",
    .summary = "show a session from its beginning to its head, or one entry",
    .options = options,
    .run = run,
    .about = "An entry is given by its id, #branch.depth, @N for message N, its label, or head. "
             "The session \".\" is the latest session of the current directory.",
    .fields = "id, at, session, no, message_number, kind, role, speaker, time, deleted, open, "
              "origin, finish, "
              "error, call, usage, duration_ms, keep_from, parts, data, metadata",
    .examples =
        "bough show . --last 10  # the end of the latest session here\nbough show cache-bug @3  # "
        "its third message, in full\nbough show '#12' --json | jq -r '.parts[].text'",
};
