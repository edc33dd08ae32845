/* Output for people: no byte of a transcript reaches the terminal as anything but text. */
#ifndef CLI_PRINT_H
#define CLI_PRINT_H

#include <bough/arena.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/buf.h"

enum print_mode {
    PRINT_LINE, /* one line: newlines and tabs are shown as \n and \t */
    PRINT_TEXT, /* running text: newlines and tabs pass */
};

/*
 * Write UTF-8 text so that it can only be read, not obeyed: control characters (C0, C1, ESC, DEL),
 * marks that reorder text, characters without width and bytes that are not UTF-8 come out as
 * \x1b or \u{202e}. A joiner between two pictures passes: it makes one of them.
 */
void print_safe(FILE *f, struct bough_str s, enum print_mode mode);
void print_escape(struct buf *out, struct bough_str s, enum print_mode mode); /* into a buffer */
void print_line(FILE *f, const char *s); /* print_safe of a C string as PRINT_LINE; NULL is "" */

/* Valid JSON for a terminal: what must not be obeyed becomes \u escapes, so it stays valid. */
void print_json(FILE *f, struct bough_str json);

/*
 * May `f` get colours? $NO_COLOR says no, else $CLICOLOR_FORCE says yes, else it must be a terminal
 * that is not dumb.
 */
bool print_colour(FILE *f);

/* The same decision from its facts; NULL is an unset variable. */
bool print_colour_wanted(const char *no_color, const char *force, const char *term, bool tty);

enum print_style {
    PRINT_PLAIN,
    PRINT_BOLD,
    PRINT_DIM,
    PRINT_RED,
    PRINT_GREEN,
    PRINT_YELLOW,
    PRINT_BLUE,
    PRINT_CYAN,
    PRINT_MAGENTA,
    PRINT_ITALIC,
    PRINT_UNDERLINE,
};

/* Switch style; PRINT_PLAIN ends it. Writes nothing unless `on`, which is print_colour(f), once. */
void print_style(FILE *f, bool on, enum print_style style);

#endif
