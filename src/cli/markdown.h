/* Markdown on a terminal: headings, lists, code, quotes and tables, wrapped to its width. */
#ifndef CLI_MARKDOWN_H
#define CLI_MARKDOWN_H

#include <bough/arena.h>
#include <stdbool.h>
#include <stdio.h>

struct markdown {
    size_t width;  /* columns; lines of code may be longer */
    size_t indent; /* blanks before each line */
    bool colour;   /* escape sequences of ours may be written */
};

/* Any text: what could be obeyed is spelled out first, as print_safe does. Ends with a newline. */
void markdown_print(FILE *f, struct bough_str text, const struct markdown *how);

#endif
