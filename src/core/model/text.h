/* Text for people: titles, and folding for comparison. Pure; accepts any bytes. */
#ifndef CORE_MODEL_TEXT_H
#define CORE_MODEL_TEXT_H

#include <bough/model.h>

#include "base/memory/buf.h"

enum {
    TEXT_TITLE_CHARS = 80, /* characters of a generated title (H39) */
};

/* Copy the buffer's contents into `a`, NUL added. The caller still owns the buffer. */
struct bough_str text_keep(struct bough_arena *a, const struct buf *b);

/* The text without Unicode white space at both ends, borrowed from `s`. */
struct bough_str text_trim(struct bough_str s);

/*
 * Make a title of any text: white space and quotes are removed at both ends, and runs of white
 * space become one space. At most TEXT_TITLE_CHARS characters; if cut, the last is an ellipsis.
 */
const char *text_title(struct bough_arena *a, struct bough_str s);

/*
 * Fold for comparing texts regardless of case, width and the encoding of accents: Unicode NFKC with
 * case folding. Bytes that are not UTF-8 become U+FFFD.
 */
struct bough_str text_fold(struct bough_arena *a, struct bough_str s);

/* Replace bytes that are not UTF-8 by U+FFFD, NUL by a space. Clean text is returned as it is. */
struct bough_str text_clean(struct bough_arena *a, struct bough_str s);

#endif
