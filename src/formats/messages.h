/* Lists of messages as APIs take them: AI SDK, OpenAI chat, Anthropic; see docs/formats.md. */
#ifndef FORMATS_MESSAGES_H
#define FORMATS_MESSAGES_H

#include "formats/format.h"

#define MESSAGES_OF "bough.format"   /* data: the format a message came in */
#define MESSAGES_CALLS "bough.calls" /* data: so many parts at its end were its tool_calls */
#define MESSAGES_REST "bough.rest"   /* the session's data: what stood beside the list */

enum bough_rc messages_document(struct reading *r, struct bough_str text, struct bough_error *err);

bool ui_detect(struct bough_str first);
bool chat_detect(struct bough_str first);
bool anthropic_detect(struct bough_str first);

#endif
