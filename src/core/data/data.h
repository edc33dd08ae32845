/* The tables of data/, embedded in the library, and reading their rows. Pure. */
#ifndef CORE_DATA_DATA_H
#define CORE_DATA_DATA_H

#include <bough/arena.h>
#include <stdbool.h>

/* The files as text; see their first lines. Made by scripts/embed. */
extern const char data_clients[], data_side[], data_wrappers[], data_prices[];

/* A row of a table: a line that is neither blank nor a comment (#). */
struct data_row {
    struct bough_str line;
    const char *next; /* private: the text behind it; begin with the table */
};

/* The next row; false at the end. Begin with { .next = table }. */
bool data_next(struct data_row *row);

/* Take the first word off `line`, which blanks separate; empty: there is none. */
struct bough_str data_word(struct bough_str *line);

#endif
