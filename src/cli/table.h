/* Rows and columns: aligned and cut to the terminal for people, tab-separated for programs. */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <bough/arena.h>

#include "cli/out.h"

struct table_column {
    const char *title;
    bool right;            /* numbers */
    bool flex;             /* takes what is left of the line, and is cut first */
    bool piped;            /* only for programs */
    int drop;              /* left out on a narrow terminal, highest first; 0: never */
    enum print_style look; /* of its cells */
};

enum { TABLE_COLUMNS = 20 };

struct table {
    struct bough_arena *a;
    const struct table_column *columns;
    size_t ncolumns;
    const char **cells; /* row after row */
    size_t n, cap;
};

void table_init(struct table *t, struct bough_arena *a, const struct table_column *columns,
                size_t n);

/* The next cell, row by row. Any text: it is made safe when it is shown. */
void table_put(struct table *t, const char *text);
void table_printf(struct table *t, const char *fmt, ...) BOUGH_PRINTF(2, 3);
void table_time(struct table *t, const struct out *o, int64_t ms);

/* How wide each column would be in `width` columns of a terminal; 0: it is left out. */
void table_widths(const struct table *t, size_t width, size_t out[TABLE_COLUMNS]);

/* With a line of titles when a person reads it. */
void table_print(const struct table *t, const struct out *o);

#endif
