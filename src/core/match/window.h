/*
 * The window of a compaction that a client made: what it sends in front of the messages that it
 * kept. A marker keeps it in its data:
 *
 *   {"summary":"...","window":[{"role":"user","summary":true},{"role":"user","parts":[...]},
 *                              {"entry":"<id>"}]}
 *
 * A message of the window is one text, the summary; parts of its own; or a stored entry. Pure.
 */
#ifndef CORE_MATCH_WINDOW_H
#define CORE_MATCH_WINDOW_H

#include "core/match/place.h"

/* Does the marker have a window? */
bool window_has(const struct bough_entry *marker);

/* The data of a marker for the first `units` units of the request, in `a`. Messages that the path
 * has are references. */
struct bough_str window_write(struct bough_arena *a, const struct place_input *in, size_t units);

/* The messages of the window, in `a`. `path` are the entries that references may name. A reference
 * to another entry is left out. */
struct bough_entry *window_read(struct bough_arena *a, const struct bough_entry *marker,
                                const struct bough_entry *path, size_t npath, size_t *n);

#endif
