/* What was said in any vocabulary, in Anthropic's content blocks or OpenAI's messages. Pure. */
#ifndef FORMATS_BLOCKS_H
#define FORMATS_BLOCKS_H

#include "core/view.h"
#include "formats/format.h"

/* The parts of one run as blocks, inside an array. A part that is such a block stays as it is;
 * what has no block is left to `other`: false leaves it out, true keeps it raw. */
void blocks_put(struct bough_arena *a, struct json_writer *jw, const struct view_run *run,
                bool other);

/* Are all parts of the entry such blocks already? */
bool blocks_native(const struct bough_entry *e);

/* One run as messages of OpenAI's chat: a message, or one a result. `role` is its word. */
void chat_put(struct bough_arena *a, struct json_writer *jw, const struct view_run *run,
              const char *role);

#endif
