/* Lists of messages as APIs take them: AI SDK, OpenAI chat, Anthropic; see docs/formats.md. */
#ifndef FORMATS_MESSAGES_H
#define FORMATS_MESSAGES_H

#include "formats/format.h"

#define MESSAGES_OF "bough.format"   /* data: the format a message came in */
#define MESSAGES_CALLS "bough.calls" /* data: so many parts at its end were its tool_calls */
#define MESSAGES_REST "bough.rest"   /* the session's data: what stood beside the list */

enum bough_rc messages_document(struct reading *r, struct bough_error *err);

/* A message's data and parts: its tool_calls become parts behind those of its content. */
struct bough_str chat_data(struct reading *r, struct json j, struct bough_entry_new *e,
                           const char *format);
enum bough_role chat_role(const char *word);

bool ui_detect(struct bough_str first);
bool chat_detect(struct bough_str first);
bool anthropic_detect(struct bough_str first);

#endif
