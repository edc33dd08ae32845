/* Tables of prices: reading them, and finding a price. */
#include <inttypes.h>
#include <string.h>

#include "base/limits.h"
#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/text/iso.h"
#include "base/text/str.h"
#include "core/data/data.h"
#include "core/price/price.h"

enum { COLUMNS_MOST = 64, ROWS_MOST = 100000 };

static const char *const cells[PRICE_CELLS] = {
    [PRICE_INPUT] = "input",
    [PRICE_OUTPUT] = "output",
    [PRICE_CACHE_READ] = "cache_read",
    [PRICE_WRITE_5M] = "cache_write_5m",
    [PRICE_WRITE_1H] = "cache_write_1h",
    [PRICE_REASONING] = "reasoning",
    [PRICE_AUDIO_IN] = "audio_in",
    [PRICE_AUDIO_OUT] = "audio_out",
    [PRICE_IMAGE_OUT] = "image_out",
    [PRICE_OVER_TOKENS] = "over_tokens",
    [PRICE_OVER_INPUT] = "over_input",
    [PRICE_OVER_OUTPUT] = "over_output",
    [PRICE_OVER_CACHE_READ] = "over_cache_read",
    [PRICE_OVER_WRITE_5M] = "over_cache_write_5m",
    [PRICE_OVER_WRITE_1H] = "over_cache_write_1h",
    [PRICE_WEB_SEARCH] = "web_search",
};

const char *price_cell_name(enum price_cell cell)
{
    return cells[cell];
}

/* What a column holds: a cell, or one of these. */
enum { COLUMN_PROVIDER = PRICE_CELLS, COLUMN_MODEL, COLUMN_FROM, COLUMN_SOURCE, COLUMN_NOTE };

struct table_reading {
    struct bough_arena *a;
    struct bough_str rest;
    size_t line;
    int columns[COLUMNS_MOST];
    size_t ncolumns;
    struct price *rows;
    size_t n;
    struct bough_error *err;
};

static enum bough_rc bad(struct table_reading *r, const char *what)
{
    return bough_fail(r->err, BOUGH_INVALID, "line %zu of the prices: %s", r->line, what);
}

/* ---- lines and cells ---- */

static bool next_line(struct table_reading *r, struct bough_str *line)
{
    while (r->rest.n) {
        const char *end = memchr(r->rest.p, '\n', r->rest.n);
        size_t n = end ? (size_t)(end - r->rest.p) : r->rest.n;

        *line = str_make(r->rest.p, n);
        r->rest = str_make(r->rest.p + n + (end != NULL), r->rest.n - n - (end != NULL));
        r->line++;
        if (line->n && line->p[line->n - 1] == '\r')
            line->n--;
        if (line->n && *line->p != '#')
            return true;
    }
    return false;
}

/* Take the first cell off the line; false: there is none. */
static bool next_cell(struct bough_str *line, bool *more, struct bough_str *cell)
{
    const char *comma = line->n ? memchr(line->p, ',', line->n) : NULL;
    size_t n = comma ? (size_t)(comma - line->p) : line->n;

    if (!*more)
        return false;
    *cell = str_make(line->p, n);
    *more = comma != NULL;
    *line = str_make(line->p + n + *more, line->n - n - *more);
    return true;
}

/* Digits with up to `decimals` decimals, as a whole number of the smallest unit. */
static bool read_amount(struct bough_str text, int decimals, int64_t *out)
{
    int64_t value = 0;
    int behind = -1; /* decimals so far; -1: no point yet */

    for (size_t i = 0; i < text.n; i++) {
        char c = text.p[i];

        if (c == '.' && behind < 0 && decimals && i) {
            behind = 0;
            continue;
        }
        if (c < '0' || c > '9' || behind == decimals || value > LIMIT_COST / 100)
            return false;
        value = value * 10 + (c - '0');
        behind += behind >= 0;
    }
    for (int i = behind > 0 ? behind : 0; i < decimals; i++)
        value *= 10;
    *out = value;
    return text.n > 0 && behind != 0;
}

/* A day, as the time it begins. */
static bool read_day(struct table_reading *r, struct bough_str text, int64_t *out)
{
    const char *whole = arena_printf(r->a, "%.*sT00:00:00Z", (int)text.n, text.p);

    *out = text.n == 10 ? iso_parse(whole) : 0;
    return *out != 0;
}

static bool is_plain(struct bough_str text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] < ' ' || text.p[i] > '~' || text.p[i] == '"')
            return false;
    return text.n <= LIMIT_NAME;
}

/* ---- rows ---- */

static int column_of(struct bough_str name)
{
    static const char *const others[] = { "provider", "model", "valid_from", "source", "note" };

    for (int i = 0; i < PRICE_CELLS; i++)
        if (str_is(name, cells[i]))
            return i;
    for (int i = 0; i < 5; i++)
        if (str_is(name, others[i]))
            return PRICE_CELLS + i;
    return -1;
}

static enum bough_rc read_names(struct table_reading *r)
{
    struct bough_str line, cell;
    bool more = true, seen[COLUMN_NOTE + 1] = { false };

    if (!next_line(r, &line))
        return bad(r, "the line with the names of the columns is missing");
    while (next_cell(&line, &more, &cell)) {
        int column = column_of(cell);

        if (column < 0 || seen[column] || r->ncolumns == COLUMNS_MOST)
            return bad(r, arena_printf(r->a, "\"%.*s\" is no column, or there twice",
                                       (int)(cell.n < 40 ? cell.n : 40), cell.p));
        seen[column] = true;
        r->columns[r->ncolumns++] = column;
    }
    if (!seen[COLUMN_PROVIDER] || !seen[COLUMN_MODEL] || !seen[COLUMN_FROM] || !seen[PRICE_INPUT] ||
        !seen[PRICE_OUTPUT])
        return bad(r, "provider, model, valid_from, input and output are needed");
    return BOUGH_OK;
}

static enum bough_rc take_cell(struct table_reading *r, struct price *p, int column,
                               struct bough_str cell)
{
    const char *text = arena_strndup(r->a, cell.p, cell.n);

    if (!is_plain(cell))
        return bad(r, "a cell is too long, quoted or not plain ASCII");
    switch (column) {
    case COLUMN_PROVIDER:
        p->provider = text;
        return cell.n ? BOUGH_OK : bad(r, "the provider is missing");
    case COLUMN_MODEL:
        p->model = text;
        return cell.n ? BOUGH_OK : bad(r, "the model is missing");
    case COLUMN_FROM:
        return read_day(r, cell, &p->from) ? BOUGH_OK
                                           : bad(r, "valid_from is a day such as 2026-01-31");
    case COLUMN_SOURCE:
        p->source = text;
        return BOUGH_OK;
    case COLUMN_NOTE:
        p->note = text;
        return BOUGH_OK;
    default:
        break;
    }
    if (!cell.n || read_amount(cell, column == PRICE_OVER_TOKENS ? 0 : 3, &p->cell[column]))
        return BOUGH_OK;
    return bad(r, arena_printf(r->a, "%s is a number with up to three decimals", cells[column]));
}

static enum bough_rc read_row(struct table_reading *r, struct bough_str line)
{
    struct price p = { .source = "", .note = "" };
    struct bough_str cell;
    bool more = true;
    size_t n = 0;
    enum bough_rc rc = BOUGH_OK;

    for (size_t i = 0; i < PRICE_CELLS; i++)
        p.cell[i] = -1;
    for (; !rc && next_cell(&line, &more, &cell); n++)
        rc = n < r->ncolumns ? take_cell(r, &p, r->columns[n], cell) : bad(r, "too many cells");
    if (!rc && n != r->ncolumns)
        rc = bad(r, "too few cells");
    if (!rc && r->n == ROWS_MOST)
        rc = bad(r, "the table is too long");
    if (rc)
        return rc;
    r->rows = arena_room(r->a, r->rows, r->n, sizeof *r->rows);
    r->rows[r->n++] = p;
    return BOUGH_OK;
}

enum bough_rc price_table_read(struct bough_arena *a, struct bough_str csv, struct price_table *out,
                               struct bough_error *err)
{
    struct table_reading r = { .a = a, .rest = csv, .err = err };
    struct bough_str line;
    enum bough_rc rc = read_names(&r);

    while (!rc && next_line(&r, &line))
        rc = read_row(&r, line);
    if (!rc)
        *out = (struct price_table){ r.rows, r.n };
    return rc;
}

struct price_table price_table_own(struct bough_arena *a)
{
    struct price_table t = { NULL, 0 };

    (void)!price_table_read(a, str_of(data_prices), &t, NULL); /* a test reads it */
    return t;
}

enum bough_rc price_table_with(struct bough_arena *a, struct bough_str more,
                               struct price_table *out, struct bough_error *err)
{
    struct price_table own = price_table_own(a), others = { NULL, 0 };
    enum bough_rc rc = more.n ? price_table_read(a, more, &others, err) : BOUGH_OK;
    struct price *all;

    if (rc)
        return rc;
    all = arena_array(a, own.n + others.n + 1, sizeof *all);
    if (own.n)
        memcpy(all, own.at, own.n * sizeof *all);
    if (others.n)
        memcpy(all + own.n, others.at, others.n * sizeof *all);
    *out = (struct price_table){ all, own.n + others.n };
    return BOUGH_OK;
}

/* ---- writing ---- */

static void put_row(struct buf *out, const struct price *p)
{
    char day[ISO_TEXT];

    iso_print(p->from, day);
    buf_printf(out, "%s,%s,%.10s", p->provider, p->model, day);
    for (int i = 0; i < PRICE_CELLS; i++) {
        buf_putc(out, ',');
        if (p->cell[i] >= 0 && i == PRICE_OVER_TOKENS)
            buf_printf(out, "%" PRId64, p->cell[i]);
        else if (p->cell[i] >= 0)
            buf_printf(out, "%" PRId64 ".%03" PRId64, p->cell[i] / 1000, p->cell[i] % 1000);
    }
    buf_printf(out, ",%s,%s\n", p->source, p->note);
}

void price_table_write(struct buf *out, const struct price_table *t)
{
    buf_puts(out, "provider,model,valid_from");
    for (int i = 0; i < PRICE_CELLS; i++)
        buf_printf(out, ",%s", cells[i]);
    buf_puts(out, ",source,note\n");
    for (size_t i = 0; i < t->n; i++)
        put_row(out, &t->at[i]);
}

/* ---- finding ---- */

/* How much of a name a pattern says: its length with the star, one more if it is exact; 0: it does
 * not match. */
static size_t match(const char *pattern, const char *model)
{
    size_t n = strlen(pattern);

    if (n && pattern[n - 1] == '*')
        return strncmp(pattern, model, n - 1) == 0 ? n : 0;
    return strcmp(pattern, model) == 0 ? n + 2 : 0;
}

const struct price *price_find(const struct price_table *t, const char *provider, const char *model,
                               int64_t time)
{
    const struct price *best = NULL;
    size_t length = 0;

    if (cstr_empty(provider) || cstr_empty(model))
        return NULL;
    for (size_t i = 0; i < t->n; i++) {
        const struct price *p = &t->at[i];
        size_t n;

        if (p->from > time || strcmp(p->provider, provider) != 0)
            continue;
        n = match(p->model, model);
        if (n > length || (n && n == length && p->from >= best->from)) {
            best = p;
            length = n;
        }
    }
    return best;
}
