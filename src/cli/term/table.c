/* Lays out tables. Cells are escaped and measured first, so that wide characters line up. */
#include "cli/term/table.h"

#include <stdarg.h>

#include "base/memory/arena.h"
#include "base/text/str.h"
#include "cli/term/width.h"

enum { GAP = 2, FLEX_LEAST = 24, FLEX_LAST = 4, MOST = 512 };

void table_init(struct table *t, struct bough_arena *a, const struct table_column *columns,
                size_t n)
{
    *t = (struct table){ .a = a, .columns = columns, .ncolumns = n };
}

void table_put(struct table *t, const char *text)
{
    t->cells = arena_room(t->a, t->cells, t->n, sizeof *t->cells);
    t->cells[t->n++] = text ? text : "";
}

void table_printf(struct table *t, const char *fmt, ...)
{
    char text[256];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    table_put(t, arena_strdup(t->a, text));
}

void table_time(struct table *t, const struct out *o, int64_t ms)
{
    char text[32];

    out_time(o, ms, text);
    table_put(t, arena_strdup(t->a, text));
}

void table_note(struct table *t, const struct out *o, const char *id, int64_t time,
                const char *text)
{
    table_put(t, id);
    table_time(t, o, time);
    table_put(t, text);
}

static void print_piped(const struct table *t)
{
    for (size_t i = 0; i < t->n; i++) {
        print_line(stdout, t->cells[i]);
        putchar((i + 1) % t->ncolumns ? '\t' : '\n');
    }
}

/* ---- on a terminal ---- */

struct layout {
    size_t width[TABLE_COLUMNS];
    bool shown[TABLE_COLUMNS];
    struct bough_str *cells; /* escaped, on one line */
};

static size_t line_width(const struct table *t, const struct layout *l)
{
    size_t sum = 0;

    for (size_t c = 0; c < t->ncolumns; c++)
        if (l->shown[c])
            sum += (sum ? GAP : 0) + l->width[c];
    return sum;
}

/* Shrink flexible columns until the line fits, the last one first, but not below `least`. */
static void shrink(const struct table *t, struct layout *l, size_t width, size_t least)
{
    for (size_t c = t->ncolumns; c-- > 0;) {
        size_t all = line_width(t, l), over = all > width ? all - width : 0;
        size_t spare = l->width[c] > least ? l->width[c] - least : 0;

        if (t->columns[c].flex && l->shown[c])
            l->width[c] -= over < spare ? over : spare;
    }
}

/* Make the line fit: shrink flexible columns, then drop columns, the least important first. */
static void fit(const struct table *t, struct layout *l, size_t width)
{
    for (;;) {
        size_t worst = t->ncolumns;

        shrink(t, l, width, FLEX_LEAST);
        if (line_width(t, l) <= width)
            return;
        for (size_t c = 0; c < t->ncolumns; c++)
            if (l->shown[c] && t->columns[c].drop &&
                (worst == t->ncolumns || t->columns[c].drop > t->columns[worst].drop))
                worst = c;
        if (worst == t->ncolumns)
            break; /* no column can be dropped */
        l->shown[worst] = false;
    }
    shrink(t, l, width, FLEX_LAST);
}

static void widen(const struct table *t, struct layout *l, size_t width)
{
    size_t all = line_width(t, l);

    /* Give the space that dropped columns freed to the flexible ones. */
    for (size_t c = 0; c < t->ncolumns && all < width; c++) {
        size_t want = 0;

        if (!t->columns[c].flex || !l->shown[c])
            continue;
        for (size_t i = c; i < t->n; i += t->ncolumns) {
            size_t w = width_of(l->cells[i]);

            want = w > want ? w : want;
        }
        if (want > l->width[c])
            l->width[c] += want - l->width[c] < width - all ? want - l->width[c] : width - all;
        all = line_width(t, l);
    }
}

static void pad(size_t n)
{
    printf("%*s", (int)n, "");
}

static void put_cell(const struct table *t, const struct out *o, const struct layout *l, size_t c,
                     struct bough_str text, enum print_style look, bool last)
{
    struct bough_str s = width_cut(t->a, text, l->width[c]);
    size_t wide = width_of(s), rest = l->width[c] > wide ? l->width[c] - wide : 0;

    if (t->columns[c].right)
        pad(rest);
    if (look != PRINT_PLAIN && s.n)
        out_style(o, look);
    fwrite(s.p, 1, s.n, stdout);
    if (look != PRINT_PLAIN && s.n)
        out_style(o, PRINT_PLAIN);
    if (!t->columns[c].right && !last)
        pad(rest);
}

static void put_row(const struct table *t, const struct out *o, const struct layout *l,
                    const struct bough_str *row)
{
    size_t last = 0;
    bool first = true;

    for (size_t c = 0; c < t->ncolumns; c++)
        if (l->shown[c])
            last = c;
    for (size_t c = 0; c < t->ncolumns; c++) {
        if (!l->shown[c])
            continue;
        if (!first)
            pad(GAP);
        first = false;
        put_cell(t, o, l, c, row ? row[c] : str_of(t->columns[c].title),
                 row ? t->columns[c].look : PRINT_DIM, c == last);
    }
    putchar('\n');
}

static void lay_out(const struct table *t, size_t width, struct layout *l)
{
    bool some[TABLE_COLUMNS] = { false };

    l->cells = arena_array(t->a, t->n + 1, sizeof *l->cells);
    for (size_t c = 0; c < t->ncolumns; c++) {
        l->shown[c] = !t->columns[c].piped;
        l->width[c] = width_of(str_of(t->columns[c].title));
    }
    for (size_t i = 0; t->ncolumns && i < t->n; i++) {
        size_t c = i % t->ncolumns, w;

        l->cells[i] = width_cut(t->a, str_of(t->cells[i]), MOST);
        w = width_of(l->cells[i]);
        l->width[c] = w > l->width[c] ? w : l->width[c];
        some[c] = some[c] || w;
    }
    for (size_t c = 0; c < t->ncolumns; c++)
        l->shown[c] = l->shown[c] && (some[c] || !t->columns[c].optional);
    fit(t, l, width);
    widen(t, l, width);
}

void table_widths(const struct table *t, size_t width, size_t out[TABLE_COLUMNS])
{
    struct layout l = { 0 };

    lay_out(t, width, &l);
    for (size_t c = 0; c < TABLE_COLUMNS; c++)
        out[c] = l.shown[c] ? l.width[c] : 0;
}

void table_print(const struct table *t, const struct out *o)
{
    struct layout l = { 0 };

    if (!o->tty) {
        print_piped(t);
        return;
    }
    if (!t->n)
        return;
    lay_out(t, o->width, &l);
    put_row(t, o, &l, NULL);
    for (size_t i = 0; i + t->ncolumns <= t->n; i += t->ncolumns)
        put_row(t, o, &l, l.cells + i);
}
