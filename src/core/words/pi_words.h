/* pi's content blocks: recognising them, and converting other parts to them. Pure. */
#ifndef CORE_WORDS_PI_WORDS_H
#define CORE_WORDS_PI_WORDS_H

#include "core/part/view.h"

/* Can the part be given to pi verbatim: a block in pi's own format, or of an unknown type? */
bool pi_native_part(const struct bough_part *part);
/* The same for all parts of a message; `word` is its original role. */
bool pi_native(const struct bough_entry *e, const char *word);

/* Write the part as a block; false: pi has no such block, and nothing was written. */
bool pi_block_put(struct json_writer *w, const struct part_view *v);

#endif
