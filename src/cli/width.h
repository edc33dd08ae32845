/* How many columns text takes on a terminal: by user-perceived characters, not bytes. Pure. */
#ifndef CLI_WIDTH_H
#define CLI_WIDTH_H

#include <bough/arena.h>

#include "base/buf.h"

/* Columns of one line of text without control characters (see print_escape). */
size_t width_of(struct bough_str s);

/* The longest beginning, in bytes, of whole characters that takes at most `cols` columns. */
size_t width_fit(struct bough_str s, size_t cols);

/*
 * The text in at most `cols` columns, cut with an ellipsis, as print_line would show it: one line,
 * nothing to obey. Runs of white space become one blank.
 */
struct bough_str width_cut(struct bough_arena *a, struct bough_str s, size_t cols);

#endif
