/* pi's words: its content blocks, and parts of others said in them. Pure. */
#ifndef CORE_PI_WORDS_H
#define CORE_PI_WORDS_H

#include "core/view.h"

/* Is the part a block pi itself would have written, or one nobody knows? */
bool pi_native_part(const struct bough_part *part);
/* All parts of a message that came with this word as its role. */
bool pi_native(const struct bough_entry *e, const char *word);

/* The part as a block inside an array; false: pi has no words for it, and nothing was written. */
bool pi_block_put(struct json_writer *w, const struct part_view *v);

#endif
