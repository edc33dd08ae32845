/* Lists of messages as in APIs: AI SDK, OpenAI chat and responses, Anthropic; see
 * docs/formats.md. */
#ifndef FORMATS_MESSAGES_MESSAGES_H
#define FORMATS_MESSAGES_MESSAGES_H

#include "formats/common/foreign.h"

#define MESSAGES_OF "bough.format"   /* in data: the format a message was read from */
#define MESSAGES_CALLS "bough.calls" /* in data: how many parts at the end were its tool_calls */
#define MESSAGES_ITEM "bough.item"   /* in data: true if the item is the entry's only part */
#define MESSAGES_REST "bough.rest"   /* in the session's data: the members beside the list */

enum bough_rc messages_document(struct reading *r, struct bough_error *err);

/* A message's data and parts. Its tool_calls become parts after those of its content. */
struct bough_str chat_data(struct reading *r, struct json j, struct bough_entry_new *e,
                           const char *format);
enum bough_role chat_role(const char *word);

bool ui_detect(struct bough_str first);
bool chat_detect(struct bough_str first);
bool responses_detect(struct bough_str first);
bool anthropic_detect(struct bough_str first);

/* Write a turn as a UIMessage. */
void ui_turn(struct writing *w, struct json_writer *jw, const struct written_run *run,
             const struct turn *t);

#endif
