/* bough prices: the list prices, and costs computed again by them. */
#include <inttypes.h>
#include <string.h>

#include <bough/price.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/os/fs.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "cli/kit/cli.h"
#include "cli/kit/config.h"
#include "cli/term/table.h"
#include "core/price/price.h"
#include "gateway/providers.h"

enum { FILE_MOST = 16 << 20 };

/* The [price ...] sections of the configuration. */
static int read_configured(struct cli *c, struct bough_str *out)
{
    struct config_pairs all;
    struct providers *p = NULL;

    if (config_each(c->a, &all, &c->err) || providers_create(&p, all.at, all.n, &c->err))
        return cli_failed(c);
    *out = providers_price_rows(p, c->a);
    providers_destroy(p);
    return CLI_DONE;
}

/* The rows besides ours as one table: of the configuration, then of --file, which go first. Empty
 * if there are none. */
static int read_more(struct cli *c, struct bough_str *out)
{
    const char *path = cli_value(c, "file");
    struct bough_str csv[2] = { { "", 0 }, { "", 0 } };
    struct price_table one, all = { NULL, 0 };
    struct price *rows = NULL;
    int rc = read_configured(c, &csv[0]);
    struct buf b;

    if (!rc && path && fs_read(c->a, path, FILE_MOST, &csv[1], &c->err))
        rc = cli_failed(c);
    for (size_t k = 0; k < 2 && !rc; k++) {
        if (csv[k].n && price_table_read(c->a, csv[k], &one, &c->err))
            return cli_failed(c);
        for (size_t i = 0; csv[k].n && i < one.n; i++) {
            rows = arena_room(c->a, rows, all.n, sizeof *rows);
            rows[all.n++] = one.at[i];
        }
    }
    all.at = rows;
    *out = str_make(NULL, 0);
    if (rc || !all.n)
        return rc;
    buf_init(&b, 2 * FILE_MOST);
    price_table_write(&b, &all);
    *out = buf_give(&b, c->a);
    return CLI_DONE;
}

static int read_table(struct cli *c, struct price_table *out)
{
    struct bough_str more = { "", 0 };
    int rc = read_more(c, &more);

    if (!rc && price_table_with(c->a, more, out, &c->err))
        rc = cli_failed(c);
    return rc;
}

/* ---- printing ---- */

/* A whole number of thousandths or millionths as a decimal, with at least `least` decimals. */
static const char *decimal(struct cli *c, int64_t value, int digits, int least)
{
    int64_t unit = digits == 3 ? 1000 : 1000000;
    char *text = arena_printf(c->a, "%" PRId64 ".%0*" PRId64, value / unit, digits, value % unit);
    size_t n = strlen(text);

    for (int i = digits; i > least && text[n - 1] == '0'; i--)
        text[--n] = '\0';
    if (text[n - 1] == '.')
        text[n - 1] = '\0';
    return text;
}

static const char *day_of(struct cli *c, int64_t time)
{
    char text[ISO_TEXT];

    iso_print(time, text);
    return arena_strndup(c->a, text, 10);
}

static void put_json(struct cli *c, const struct price *p)
{
    struct json_writer *w = out_json(&c->out);

    jw_obj(w);
    jw_kv_cstr(w, "provider", p->provider);
    jw_kv_cstr(w, "model", p->model);
    jw_kv_cstr(w, "valid_from", day_of(c, p->from));
    for (enum price_cell i = 0; i < PRICE_CELLS; i++)
        if (p->cell[i] >= 0)
            jw_kv_raw(w, price_cell_name(i),
                      str_of(i == PRICE_OVER_TOKENS ? arena_printf(c->a, "%" PRId64, p->cell[i])
                                                    : decimal(c, p->cell[i], 3, 0)));
    jw_opt_cstr(w, "source", p->source);
    jw_opt_cstr(w, "note", p->note);
    jw_end_obj(w);
    out_json_end(&c->out);
}

/* Dollars for a million tokens; "" if it is not known. */
static void put_cell(struct cli *c, struct table *t, const struct price *p, enum price_cell cell)
{
    table_put(t, p->cell[cell] < 0 ? "" : decimal(c, p->cell[cell], 6, 2));
}

static const struct table_column columns[] = {
    { "PROVIDER", .look = PRINT_YELLOW },
    { "MODEL", .flex = true },
    { "FROM", .drop = 3 },
    { "INPUT", .right = true },
    { "OUTPUT", .right = true },
    { "CACHE READ", .right = true, .drop = 1 },
    { "CACHE 5M", .right = true, .drop = 2 },
    { "CACHE 1H", .right = true, .drop = 2 },
    { "SOURCE", .drop = 4 },
};

static void put_row(struct cli *c, struct table *t, const struct price *p)
{
    if (c->out.json) {
        put_json(c, p);
        return;
    }
    table_put(t, p->provider);
    table_put(t, p->model);
    table_put(t, day_of(c, p->from));
    put_cell(c, t, p, PRICE_INPUT);
    put_cell(c, t, p, PRICE_OUTPUT);
    put_cell(c, t, p, PRICE_CACHE_READ);
    put_cell(c, t, p, PRICE_WRITE_5M);
    put_cell(c, t, p, PRICE_WRITE_1H);
    table_put(t, p->source);
}

/* ---- the verbs ---- */

static int list(struct cli *c)
{
    const char *word = c->argc > 1 ? c->argv[1] : "";
    struct price_table all;
    struct table t;
    size_t shown = 0;
    int rc = read_table(c, &all);

    if (rc)
        return rc;
    table_init(&t, c->a, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < all.n; i++)
        if (strstr(all.at[i].model, word) || strcmp(all.at[i].provider, word) == 0) {
            put_row(c, &t, &all.at[i]);
            shown++;
        }
    if (shown)
        cli_page(c);
    table_print(&t, &c->out);
    if (!shown)
        fputs("no prices\n", stderr);
    return shown ? CLI_DONE : CLI_FAILED;
}

static bool seen_before(const struct price_table *t, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (strcmp(t->at[i].provider, t->at[row].provider) == 0)
            return true;
    return false;
}

/* The price of PROVIDER/MODEL, or of MODEL at every provider that has it. */
static size_t put_prices(struct cli *c, const struct price_table *all, int64_t at, struct table *t)
{
    const char *name = c->argv[1], *slash = strchr(name, '/');
    size_t shown = 0;

    for (size_t i = 0; i < all->n; i++) {
        const char *provider = all->at[i].provider;
        const struct price *p;

        if (seen_before(all, i) ||
            (slash && !str_is(str_make(name, (size_t)(slash - name)), provider)))
            continue;
        p = price_find(all, provider, slash ? slash + 1 : name, at);
        if (!p || (!slash && strcmp(p->model, "*") == 0)) /* local runtimes take any name */
            continue;
        put_row(c, t, p);
        shown++;
    }
    return shown;
}

static int check(struct cli *c)
{
    struct price_table all;
    struct table t;
    size_t shown;
    int64_t at = 0;
    int rc = c->argc > 1 ? cli_when(c, "at", &at) : cli_usage(c, "prices check needs a model");

    if (!rc)
        rc = read_table(c, &all);
    if (rc)
        return rc;
    table_init(&t, c->a, columns, sizeof columns / sizeof *columns);
    shown = put_prices(c, &all, at ? at : env_now(&env_system), &t);
    table_print(&t, &c->out);
    if (!shown)
        fputs("no price: calls of this model have an unknown cost\n", stderr);
    return shown ? CLI_DONE : CLI_FAILED;
}

static int recompute(struct cli *c)
{
    struct bough_price_recompute_options in = { .dry_run = cli_has(c, "dry-run") };
    struct bough_price_recompute_result out;
    char before[32], after[32];
    int rc =
        c->argc > 1 ? cli_usage(c, "prices recompute takes no argument") : read_more(c, &in.prices);

    if (!rc)
        rc = cli_when(c, "since", &in.since);
    if (!rc)
        rc = cli_when(c, "until", &in.until);
    if (!rc)
        rc = cli_open(c, in.dry_run ? CLI_READ : CLI_WRITE);
    if (rc)
        return rc;
    if (bough_price_recompute(c->s, &in, &out, &c->err))
        return cli_failed(c);
    if (c->out.json) {
        struct json_writer *w = out_json(&c->out);

        jw_obj(w);
        jw_kv_i64(w, "calls", out.calls);
        jw_kv_i64(w, "changed", out.changed);
        jw_kv_i64(w, "unknown", out.unknown);
        jw_kv_i64(w, "before_nano_usd", out.before);
        jw_kv_i64(w, "after_nano_usd", out.after);
        jw_end_obj(w);
        out_json_end(&c->out);
        return CLI_DONE;
    }
    bough_money_text(out.before, before, sizeof before);
    bough_money_text(out.after, after, sizeof after);
    printf("%" PRId64 " calls, %" PRId64 " %s: %s before, %s after; %" PRId64 " without a price\n",
           out.calls, out.changed, in.dry_run ? "would change" : "changed", before, after,
           out.unknown);
    return CLI_DONE;
}

static int run(struct cli *c)
{
    static const struct {
        const char *word;
        int (*run)(struct cli *c);
    } verbs[] = { { "ls", list }, { "check", check }, { "recompute", recompute } };

    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(c->argv[0], verbs[i].word) == 0)
            return verbs[i].run(c);
    return cli_usage(c, "expected ls, check or recompute, not \"%s\"", c->argv[0]);
}

static const struct cli_option options[] = {
    { "file", 0, "FILE", "with the prices of this file, CSV like data/prices.csv" },
    { "at", 0, "TIME", "check: the price at this time (default: now)" },
    { "since", 0, "TIME", "recompute: only calls since this time" },
    { "until", 0, "TIME", "recompute: only calls before this time" },
    { "dry-run", 0, NULL, "recompute: only tell what would change" },
    { "json", 0, NULL, "JSON Lines" },
    { 0 },
};

const struct cli_cmd cmd_prices = {
    .name = "prices",
    .args = "<ls|check|recompute> [model]",
    .arg_words = (const char *const[]){ "ls", "check", "recompute", NULL },
    .summary = "list the prices of models, and compute costs again by them",
    .options = options,
    .run = run,
    .about = "Prices are public list prices, each from a day on. check shows the one that a call "
             "has: of provider/model, or of a model at every provider. recompute gives calls the "
             "cost by the list, if they have none or one by an older list; costs that a provider "
             "reported or a caller gave stay, and so do calls without a price. Rows of --file go "
             "before ours for the same model and day. Sections of the configuration file, "
             "[price \"provider/model\"], override ours on every day; their source is "
             "\"configuration\".",
    .columns = "provider, model, from, and US dollars for a million tokens: input, output, cache "
               "read, cache writes for 5 minutes and for an hour; then where the price comes from",
    .fields = "provider, model, valid_from, nano-USD a token by the names of the file, source, "
              "note; recompute: calls, changed, unknown, before_nano_usd, after_nano_usd",
    .examples = "bough prices check claude-sonnet-4-5  # what it costs today\nbough prices "
                "recompute --dry-run  # what the list would change",
};
