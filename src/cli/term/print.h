/* Safe terminal output: text from a transcript cannot send escape sequences to the terminal. */
#ifndef CLI_TERM_PRINT_H
#define CLI_TERM_PRINT_H

#include <bough/arena.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/memory/buf.h"

enum print_mode {
    PRINT_LINE, /* one line: newlines and tabs are escaped too */
    PRINT_TEXT, /* several lines: newlines and tabs pass */
};

/*
 * Write UTF-8 text with everything escaped that a terminal would act on or hide: control characters
 * (C0, C1, ESC, DEL), bidirectional marks, zero-width characters and invalid bytes become \x1b or
 * \u{202e}. A joiner within an emoji sequence passes.
 */
void print_safe(FILE *f, struct bough_str s, enum print_mode mode);
void print_escape(struct buf *out, struct bough_str s, enum print_mode mode); /* appends */
void print_line(FILE *f, const char *s); /* print_safe of a C string as PRINT_LINE; NULL is "" */

/* Print valid JSON with the same characters as \u escapes, so that it stays valid. */
void print_json(FILE *f, struct bough_str json);

/*
 * Use colours on `f`? Not with $NO_COLOR; else yes with $CLICOLOR_FORCE; else if `f` is a terminal
 * and $TERM is neither empty nor "dumb".
 */
bool print_colour(FILE *f);

/* The decision itself, for tests. NULL: the variable is not set. */
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

/* Switch to a style; PRINT_PLAIN resets. Writes nothing unless `on`; pass print_colour(f). */
void print_style(FILE *f, bool on, enum print_style style);

#endif
