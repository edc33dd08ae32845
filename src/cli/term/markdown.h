/* Markdown on a terminal: headings, lists, code, quotes and tables, wrapped to the width. */
#ifndef CLI_TERM_MARKDOWN_H
#define CLI_TERM_MARKDOWN_H

#include <bough/arena.h>
#include <stdbool.h>
#include <stdio.h>

struct markdown {
    size_t width;  /* columns; lines of code may be longer */
    size_t indent; /* blanks before each line */
    bool colour;   /* write escape sequences for styles */
};

/* Print any text. Control characters are escaped first, as by print_safe(). Ends with a newline. */
void markdown_print(FILE *f, struct bough_str text, const struct markdown *how);

#endif
