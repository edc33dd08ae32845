/* bough cost: cost by day, project, model or session, summed over calls. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"
#include "cli/term/when.h"
#include "core/model/totals.h"

enum { PAGE = 500, BAR = 24 };
enum by { BY_DAY, BY_PROJECT, BY_MODEL, BY_SESSION };

struct group {
    const char *name;  /* in --json and in a pipe; a session's id */
    const char *shown; /* on a terminal */
    struct bough_totals used;
    int64_t calls;
    int64_t unknown; /* calls of which the cost is not known */
};

struct sums {
    struct cli *c;
    enum by by;
    int64_t since, until;
    struct smap index;
    struct group *at;
    size_t n;
    struct bough_totals all;
    int64_t calls, unknown;
    int64_t rolled; /* cost by the sessions' rolled-up totals; subagents counted once */
    size_t top;     /* groups to print */
    bool over;
};

static struct group *group_of(struct sums *s, const char *name)
{
    uint64_t i;

    if (smap_get(&s->index, str_of(name), &i))
        return &s->at[i];
    s->at = arena_room(s->c->a, s->at, s->n, sizeof *s->at);
    name = arena_strdup(s->c->a, name);
    s->at[s->n] = (struct group){ .name = name, .shown = name };
    smap_put(&s->index, str_of(name), s->n);
    return &s->at[s->n++];
}

static void add_call(struct sums *s, const struct bough_session *session,
                     const struct bough_call *call)
{
    char text[512] = "";
    struct group *g;

    if ((s->since && call->time < s->since) || (s->until && call->time >= s->until))
        return;
    switch (s->by) {
    case BY_DAY:
        when_day(call->time, text);
        break;
    case BY_PROJECT:
        snprintf(text, sizeof text, "%s", session->project);
        break;
    case BY_MODEL:
        snprintf(text, sizeof text, "%s%s%s", call->provider, *call->provider ? "/" : "",
                 call->model);
        break;
    case BY_SESSION:
        snprintf(text, sizeof text, "%s", session->id);
        break;
    }
    g = group_of(s, text[0] ? text : "(none)");
    if (s->by == BY_SESSION && !g->calls)
        g->shown = arena_printf(s->c->a, "#%" PRId64 " %s", session->number, session->slug);
    g->calls++;
    s->calls++;
    g->unknown += !totals_cost_known(&call->used, call->usage);
    s->unknown += !totals_cost_known(&call->used, call->usage);
    s->over = s->over || !totals_add(&g->used, &call->used) || !totals_add(&s->all, &call->used);
}

static int add_sessions(struct sums *s, const struct bough_sessions *found)
{
    struct cli *c = s->c;
    struct bough_arena *a = bough_arena_create();
    struct bough_calls calls;
    int rc = CLI_DONE;

    for (size_t i = 0; i < found->n && !rc; i++) {
        const struct bough_session *one = &found->at[i];

        if (one->kind != BOUGH_SUBAGENT || cstr_empty(one->parent))
            s->rolled += one->rolled.cost;
        if (!one->calls)
            continue;
        bough_arena_reset(a);
        if (bough_call_list(c->s, a, one->id, &calls, &c->err))
            rc = cli_failed(c);
        for (size_t k = 0; !rc && k < calls.n; k++)
            add_call(s, one, &calls.at[k]);
    }
    bough_arena_destroy(a);
    return rc;
}

static int gather(struct sums *s)
{
    struct cli *c = s->c;
    struct bough_session_list_options f = { .include_deleted = true,
                                            .limit = PAGE,
                                            .order = BOUGH_BY_CREATED };
    struct bough_arena *a = bough_arena_create();
    struct bough_sessions found;
    int rc;

    f.project = cli_has(c, "here") ? cli_here(c) : cli_project(c);
    do {
        if (bough_session_list(c->s, a, &f, &found, &c->err)) {
            rc = cli_failed(c);
            break;
        }
        rc = add_sessions(s, &found);
        f.cursor = arena_strdup(c->a, found.next);
        bough_arena_reset(a);
    } while (!rc && !cstr_empty(f.cursor));
    bough_arena_destroy(a);
    return rc;
}

static int by_name(const void *x, const void *y)
{
    return strcmp(((const struct group *)x)->name, ((const struct group *)y)->name);
}

static int by_cost(const void *x, const void *y)
{
    const struct group *a = x, *b = y;

    if (a->used.cost != b->used.cost)
        return a->used.cost > b->used.cost ? -1 : 1;
    return by_name(x, y);
}

/* ---- printing ---- */

static void put_json(struct sums *s)
{
    static const char *const names[] = { "day", "project", "model", "session" };

    for (size_t i = 0; i < s->n && i < s->top; i++) {
        struct json_writer *w = out_json(&s->c->out);

        jw_obj(w);
        jw_kv_cstr(w, names[s->by], s->at[i].name);
        jw_kv_i64(w, "calls", s->at[i].calls);
        jw_kv_i64(w, "unknown", s->at[i].unknown);
        form_totals(w, "used", &s->at[i].used);
        jw_end_obj(w);
        out_json_end(&s->c->out);
    }
}

/* Full blocks, and a half block for the remainder. */
static const char *bar(struct bough_arena *a, int64_t cost, int64_t most)
{
    int halves = most > 0 && cost > 0 ? (int)((double)cost / (double)most * 2 * BAR + 0.5) : 0;
    struct buf b;
    const char *out;

    buf_init(&b, 4 * BAR + 8);
    for (int i = 0; i < halves / 2; i++)
        buf_puts(&b, "\u2588");
    if (halves % 2)
        buf_puts(&b, "\u258c");
    out = arena_strdup(a, b.p);
    buf_finish(&b);
    return out;
}

static void put_row(struct sums *s, struct table *t, const struct group *g, int64_t most)
{
    bool tty = s->c->out.tty;
    char cost[40];

    bough_money_text(g->used.cost, cost, sizeof cost);
    table_put(t, tty ? g->shown : g->name);
    if (tty && g->unknown && !g->used.cost)
        table_put(t, "unknown");
    else
        table_printf(t, "%s%s", tty ? "$" : "", cost);
    table_printf(t, "%" PRId64, g->calls);
    table_printf(t, "%" PRId64, g->used.input);
    table_printf(t, "%" PRId64, g->used.output);
    table_printf(t, "%" PRId64, g->used.cache_read);
    table_printf(t, "%" PRId64, g->used.cache_write);
    table_printf(t, tty && !g->unknown ? "" : "%" PRId64, g->unknown);
    if (tty)
        table_put(t, most ? bar(t->a, g->used.cost, most) : "");
}

/* The groups behind the --top ones, as one. */
static struct group others(struct sums *s)
{
    const char *name = out_things(s->c->a, (int64_t)(s->n - s->top), "other");
    struct group sum = { .name = name, .shown = name };

    for (size_t i = s->top; i < s->n; i++) {
        s->over = !totals_add(&sum.used, &s->at[i].used) || s->over;
        sum.calls += s->at[i].calls;
        sum.unknown += s->at[i].unknown;
    }
    return sum;
}

/* Below the groups: the rest of --top, adjustments, and the total, which is for people only. */
static void put_sums(struct sums *s, struct table *t, bool whole)
{
    struct group sum = {
        .shown = "total", .used = s->all, .calls = s->calls, .unknown = s->unknown
    };
    struct group rest = { .name = "adjusted", .shown = "adjusted" }, more;

    rest.used.cost = whole ? s->rolled - s->all.cost : 0;
    sum.used.cost += rest.used.cost;
    if (s->n > s->top && s->c->out.tty) {
        more = others(s);
        put_row(s, t, &more, 0);
    }
    if (rest.used.cost)
        put_row(s, t, &rest, 0);
    if (s->c->out.tty)
        put_row(s, t, &sum, 0);
}

static void put_table(struct sums *s, bool whole)
{
    static const char *const titles[] = { "DAY", "PROJECT", "MODEL", "SESSION" };
    const struct table_column columns[] = {
        { titles[s->by], .flex = true },
        { "COST", .right = true, .look = PRINT_BOLD },
        { "CALLS", .right = true, .drop = 1 },
        { "INPUT", .right = true, .drop = 4 },
        { "OUTPUT", .right = true, .drop = 5 },
        { "CACHE READ", .right = true, .drop = 6 },
        { "CACHE WRITE", .right = true, .drop = 7 },
        { "UNKNOWN", .right = true, .optional = true, .drop = 2 },
        { "", .look = PRINT_GREEN, .drop = 3 },
    };
    size_t n = sizeof columns / sizeof *columns;
    struct table t;
    int64_t most = 0;

    for (size_t i = 0; i < s->n; i++)
        most = s->at[i].used.cost > most ? s->at[i].used.cost : most;
    table_init(&t, s->c->a, columns, s->c->out.tty ? n : n - 1);
    for (size_t i = 0; i < s->n && i < s->top; i++)
        put_row(s, &t, &s->at[i], most);
    put_sums(s, &t, whole);
    cli_page(s->c);
    table_print(&t, &s->c->out);
}

static const char *const bys[] = { "day", "project", "model", "session", NULL };

static enum by read_by(struct cli *c)
{
    const char *text = cli_value(c, "by");

    for (size_t i = 0; text && bys[i]; i++)
        if (strcmp(text, bys[i]) == 0)
            return (enum by)i;
    return BY_DAY;
}

static int run(struct cli *c)
{
    struct sums s = { .c = c, .by = read_by(c) };
    bool whole = !cli_has(c, "since") && !cli_has(c, "until") && !cli_has(c, "here") &&
                 !cli_has(c, "project");
    int64_t top = 0;
    int rc = cli_number(c, "top", 0, &top);

    s.top = top ? (size_t)top : SIZE_MAX;
    if (!rc)
        rc = cli_when(c, "since", &s.since);
    if (!rc)
        rc = cli_when(c, "until", &s.until);
    if (!rc)
        rc = cli_open(c, CLI_READ);
    if (rc)
        return rc;
    smap_init(&s.index);
    rc = gather(&s);
    smap_finish(&s.index);
    if (rc)
        return rc;
    if (s.over)
        fputs("bough cost: a sum is too large; the totals shown are too low\n", stderr);
    if (s.n)
        qsort(s.at, s.n, sizeof *s.at, s.by == BY_DAY && !top ? by_name : by_cost);
    if (c->out.json)
        put_json(&s);
    else
        put_table(&s, whole);
    if (!s.n)
        fputs("no calls\n", stderr);
    return s.n ? CLI_DONE : CLI_FAILED;
}

static const struct cli_option options[] = {
    { "by", 'b', "WHAT", "day (default), project, model or session", .one_of = bys },
    { "since", 0, "TIME", "only calls since this time: 30d, yesterday, 2026-11-01" },
    { "until", 0, "TIME", "only calls before this time" },
    { "here", 0, NULL, "only sessions of the current directory" },
    { "project", 'p', "DIR", "only sessions of this directory" },
    { "top", 'n', "N", "only the N that cost most" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_cost = {
    .name = "cost",
    .args = "",
    .summary = "show cost by day, project, model or session",
    .options = options,
    .run = run,
    .about =
        "Sums of calls: cost in USD, input and output tokens, tokens read from and written to the "
        "provider's cache (input does not include them), and calls of which the cost is unknown, "
        "because they used tokens and neither a cost nor a price came with them. Days are in the "
        "local time zone. Deleted sessions are included. What was adjusted by hand is in a row of "
        "its own. The cost of purged sessions is only in `bough stats`.",
    .columns = "name, cost in USD, calls, input tokens, output tokens, cache read, cache write, "
               "calls of unknown cost",
    .fields = "day (or project, model, session), calls, unknown, used (input, output, reasoning, "
              "cache_read, "
              "cache_write, cost_usd)",
    .examples = "bough cost --by model --since 30d",
};
