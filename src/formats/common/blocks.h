/* Writes parts of any vocabulary as Anthropic's content blocks, or as OpenAI's messages. Pure. */
#ifndef FORMATS_COMMON_BLOCKS_H
#define FORMATS_COMMON_BLOCKS_H

#include "core/part/view.h"
#include "formats/common/format.h"

/* Write the parts of one run as blocks, inside an array. A part that already is such a block is
 * copied. A part without an equivalent is copied raw if `other`, else left out. */
void blocks_put(struct bough_arena *a, struct json_writer *jw, const struct view_run *run,
                bool other);

/* Are all parts of the entry such blocks, or unknown? */
bool blocks_native(const struct bough_entry *e);

/* Write one run as messages of OpenAI's chat: one message, or one per tool result. `role` is the
 * role's name there. */
void chat_put_run(struct bough_arena *a, struct json_writer *jw, const struct view_run *run,
                  const char *role);

#endif
