/* Columns that text takes on a terminal, by grapheme clusters. Pure. */
#ifndef CLI_TERM_WIDTH_H
#define CLI_TERM_WIDTH_H

#include <bough/arena.h>

#include "base/memory/buf.h"

/* Columns of one line of text. Control characters must have been escaped (print_escape()). */
size_t width_of(struct bough_str s);

/* The length in bytes of the longest prefix of whole characters that fits in `cols` columns. */
size_t width_fit(struct bough_str s, size_t cols);

/*
 * The text cut to `cols` columns with an ellipsis, on one line, escaped as by print_line(). Runs of
 * white space become one blank. The result is in `a`.
 */
struct bough_str width_cut(struct bough_arena *a, struct bough_str s, size_t cols);

#endif
