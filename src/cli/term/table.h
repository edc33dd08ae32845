/* Tables: aligned and cut to the width of a terminal, tab-separated in a pipe. */
#ifndef CLI_TERM_TABLE_H
#define CLI_TERM_TABLE_H

#include <bough/arena.h>

#include "cli/term/out.h"

struct table_column {
    const char *title;
    bool right;            /* right-aligned */
    bool flex;             /* takes the remaining width, and is cut first */
    bool piped;            /* only in a pipe */
    bool optional;         /* left out on a terminal when all its cells are empty */
    int drop;              /* dropped on a narrow terminal, highest first; 0: never */
    enum print_style look; /* of its cells */
};

enum { TABLE_COLUMNS = 20 };

struct table {
    struct bough_arena *a;
    const struct table_column *columns;
    size_t ncolumns;
    const char **cells; /* row by row */
    size_t n;
};

void table_init(struct table *t, struct bough_arena *a, const struct table_column *columns,
                size_t n);

/* Append the next cell, row by row. Text is escaped when printed; it must live until then. */
void table_put(struct table *t, const char *text);
void table_printf(struct table *t, const char *fmt, ...) BOUGH_PRINTF(2, 3);
void table_time(struct table *t, const struct out *o, int64_t ms);
/* A row of three cells: id, time, text. */
void table_note(struct table *t, const struct out *o, const char *id, int64_t time,
                const char *text);

/* Width of each column on a terminal of `width` columns; 0: dropped. For tests. */
void table_widths(const struct table *t, size_t width, size_t out[TABLE_COLUMNS]);

/* Prints a header line on a terminal. Prints nothing for an empty table. */
void table_print(const struct table *t, const struct out *o);

#endif
