/* pi's content blocks: recognising them, and converting others to them. Pure. */
#ifndef CORE_WORDS_PI_WORDS_H
#define CORE_WORDS_PI_WORDS_H

#include "core/part/view.h"
#include "core/words/words.h"

/* Can the part be given to pi verbatim: a block in pi's own format, or of an unknown type? */
bool pi_native_part(const struct bough_part *part);
/* The same for all parts of a message; `word` is its original role. */
bool pi_native(const struct bough_entry *e, const char *word);

/* Write the part as a block; false: pi has no such block, and nothing was written. */
bool pi_block_put(struct json_writer *w, const struct part_view *v);

/* Write a piece of a turn as a block, by these rules. */
void pi_put(struct buf *out, struct bough_arena *a, const struct piece *p);
extern const struct turns_rules pi_rules;

/* Write the member `content` of a tool result: texts and images as blocks, other files as lines. */
void pi_content_put(struct json_writer *w, const struct piece *content);

#endif
