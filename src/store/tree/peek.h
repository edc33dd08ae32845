/* The numbers of an entry and the beginning of its text, without its whole content. */
#ifndef STORE_TREE_PEEK_H
#define STORE_TREE_PEEK_H

#include "store/engine/engine.h"

enum { PEEK_BYTES = 120 }; /* of a preview: one line of a wide terminal */

/* The beginning of an entry's text in `a`: of a message its first text, of a compaction or a branch
 * summary the summary. "" for other entries, and for one that cannot be read. `tmp` is used and
 * rewound. */
const char *peek_text(struct bough_arena *a, struct bough_arena *tmp, const struct entry_row *row);

#endif
