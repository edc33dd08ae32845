/* bough cost: cost by time, project, model, provider, account or session. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <bough/spend.h>

#include "api/kit/forms.h"
#include "base/memory/arena.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/term/table.h"
#include "core/model/totals.h"

enum { BAR = 24 };

static const char *const bys[] = { "day",     "week",     "month",   "project", "model",
                                   "session", "provider", "account", NULL };
static const struct {
    enum bough_spend_step step;
    enum bough_spend_by by;
    const char *title;
} kinds[] = {
    { BOUGH_SPEND_DAILY, BOUGH_SPEND_TOGETHER, "DAY" },
    { BOUGH_SPEND_WEEKLY, BOUGH_SPEND_TOGETHER, "WEEK" },
    { BOUGH_SPEND_MONTHLY, BOUGH_SPEND_TOGETHER, "MONTH" },
    { BOUGH_SPEND_WHOLE, BOUGH_SPEND_BY_PROJECT, "PROJECT" },
    { BOUGH_SPEND_WHOLE, BOUGH_SPEND_BY_MODEL, "MODEL" },
    { BOUGH_SPEND_WHOLE, BOUGH_SPEND_BY_SESSION, "SESSION" },
    { BOUGH_SPEND_WHOLE, BOUGH_SPEND_BY_PROVIDER, "PROVIDER" },
    { BOUGH_SPEND_WHOLE, BOUGH_SPEND_BY_ACCOUNT, "ACCOUNT" },
};

struct group {
    const char *name;  /* in --json and in a pipe; a session's id */
    const char *shown; /* on a terminal */
    struct bough_totals used;
    int64_t calls;
    int64_t unknown; /* calls of which the cost is not known */
};

struct sums {
    struct cli *c;
    size_t by; /* index in `kinds` and `bys` */
    struct bough_spend_result spent;
    struct group *at;
    size_t n;
    size_t top; /* groups to print */
    bool over;
};

static void push(struct sums *s, const char *name, const char *shown,
                 const struct bough_spent *spent)
{
    s->at[s->n++] = (struct group){ name, shown, spent->used, spent->calls, spent->unknown };
}

/* Days, weeks or months in which something was spent. */
static void take_steps(struct sums *s)
{
    const struct bough_spend_result *r = &s->spent;
    char text[ISO_TEXT];

    s->at = arena_array(s->c->a, r->nseries + 1, sizeof *s->at);
    for (size_t i = 0; i < r->nseries; i++) {
        const char *name;

        if (!r->series[i].n)
            continue;
        iso_print(r->series[i].from, text);
        name = arena_strndup(s->c->a, text, kinds[s->by].step == BOUGH_SPEND_MONTHLY ? 7 : 10);
        push(s, name, name, &r->series[i].at[0].spent);
    }
}

static void take_groups(struct sums *s)
{
    const struct bough_spend_result *r = &s->spent;

    s->at = arena_array(s->c->a, r->ngroups + 1, sizeof *s->at);
    for (size_t i = 0; i < r->ngroups; i++) {
        const struct bough_spend_group *g = &r->groups[i];
        const char *name = *g->key ? g->key : "(none)", *shown = name;

        if (g->session)
            shown = arena_printf(s->c->a, "#%" PRId64 " %s", g->session->number, g->session->slug);
        push(s, name, shown, &g->spent);
    }
}

static int gather(struct sums *s, bool whole)
{
    struct cli *c = s->c;
    struct bough_spend_options how = {
        .step = kinds[s->by].step, .by = kinds[s->by].by, .adjusted = whole, .sparse = true
    };
    int rc = cli_when(c, "since", &how.since);

    if (!rc)
        rc = cli_when(c, "until", &how.until);
    if (!rc)
        rc = cli_open(c, CLI_READ);
    if (rc)
        return rc;
    how.project = cli_has(c, "here") ? cli_here(c) : cli_project(c);
    if (bough_spend(c->s, c->a, &how, &s->spent, &c->err))
        return cli_failed(c);
    if (how.step)
        take_steps(s);
    else
        take_groups(s);
    return CLI_DONE;
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
    for (size_t i = 0; i < s->n && i < s->top; i++) {
        struct json_writer *w = out_json(&s->c->out);

        jw_obj(w);
        jw_kv_cstr(w, bys[s->by], s->at[i].name);
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
static void put_sums(struct sums *s, struct table *t)
{
    const struct bough_spent *all = &s->spent.total;
    struct group sum = {
        .shown = "total", .used = all->used, .calls = all->calls, .unknown = all->unknown
    };
    struct group rest = { .name = "adjusted", .shown = "adjusted", .used = s->spent.adjusted },
                 more;

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

static void put_table(struct sums *s)
{
    const struct table_column columns[] = {
        { kinds[s->by].title, .flex = true },
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
    put_sums(s, &t);
    cli_page(s->c);
    table_print(&t, &s->c->out);
}

static size_t read_by(struct cli *c)
{
    const char *text = cli_value(c, "by");

    for (size_t i = 0; text && bys[i]; i++)
        if (strcmp(text, bys[i]) == 0)
            return i;
    return 0;
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
        rc = gather(&s, whole);
    if (rc)
        return rc;
    if (s.n)
        qsort(s.at, s.n, sizeof *s.at, kinds[s.by].step && !top ? by_name : by_cost);
    if (c->out.json)
        put_json(&s);
    else
        put_table(&s);
    if (s.over || s.spent.total.used.cost == INT64_MAX)
        fputs("bough cost: a sum is too large; the totals shown are too low\n", stderr);
    if (!s.n)
        fputs("no calls\n", stderr);
    return s.n ? CLI_DONE : CLI_FAILED;
}

static const struct cli_option options[] = {
    { "by", 'b', "WHAT", "day (default), week, month, project, model, provider, account or session",
      .one_of = bys },
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
    .summary = "show cost by time, project, model, account or session",
    .options = options,
    .run = run,
    .about =
        "Sums of calls: cost in USD, input and output tokens, tokens read from and written to the "
        "provider's cache (input does not include them), and calls of which the cost is unknown, "
        "because they used tokens and neither a cost nor a price came with them. Days are those of "
        "UTC, weeks begin on Monday; a time given with --since or --until means its whole day. "
        "Deleted sessions, deleted calls and purged sessions are included; of purged ones only the "
        "day, the project and the account are known. A call counts for the project and the account "
        "its session had when it was made. What was adjusted by hand is in a row of its own.",
    .columns = "name, cost in USD, calls, input tokens, output tokens, cache read, cache write, "
               "calls of unknown cost",
    .fields = "day (or week, month, project, model, provider, account, session), calls, unknown, "
              "used (input, output, reasoning, "
              "cache_read, "
              "cache_write, cost_usd)",
    .examples = "bough cost --by model --since 30d",
};
