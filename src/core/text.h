/* Text a person reads: previews, titles, and folding for search. Pure; any bytes are safe. */
#ifndef CORE_TEXT_H
#define CORE_TEXT_H

#include <bough/model.h>

#include "base/buf.h"

enum {
    TEXT_FIRST_PREVIEW = 256, /* bytes of the first user message (H17) */
    TEXT_LAST_PREVIEW = 160,  /* of the last ones (H17b) */
    TEXT_TITLE_CHARS = 80,    /* characters of a made title (H39) */
};

/* What the buffer holds, copied into `a` with a NUL behind it; the buffer stays the caller's. */
struct bough_str text_keep(struct bough_arena *a, const struct buf *b);

/*
 * The first text part that is not empty, at most `max` bytes, cut at a character, no ellipsis.
 * "" when there is none. NUL becomes a space, so that it is a C string too.
 */
const char *text_preview(struct bough_arena *a, const struct bough_part *parts, size_t n,
                         size_t max);

/* Without white space (Unicode's) at both ends. Borrowed. */
struct bough_str text_trim(struct bough_str s);

/*
 * A title out of any text: without white space and quotes at both ends, runs of white space as one
 * space, at most TEXT_TITLE_CHARS characters of which the last is then an ellipsis.
 */
const char *text_title(struct bough_arena *a, struct bough_str s);

/* The title of a message: its text parts that are not blank, trimmed, joined by newlines. */
const char *text_title_of(struct bough_arena *a, const struct bough_part *parts, size_t n);

/*
 * For finding one text in another whatever the case, the width or how accents were typed: Unicode
 * NFKC with case folding. Bytes that are not UTF-8 become U+FFFD.
 */
struct bough_str text_fold(struct bough_arena *a, struct bough_str s);

/* Bytes that are not UTF-8 as U+FFFD, NUL as a space; valid text is given back as it is. */
struct bough_str text_clean(struct bough_arena *a, struct bough_str s);

#endif
