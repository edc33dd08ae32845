/*
 * Wires: the request and reply formats of model providers. A wire is the path that a client posts
 * to, and everything that follows from it: where messages, ids, usage and errors are. Pure.
 */
#ifndef CORE_WIRE_WIRE_H
#define CORE_WIRE_WIRE_H

#include <bough/entry.h>

#include "base/json/json.h"

enum wire {
    WIRE_CHAT,      /* OpenAI: /v1/chat/completions */
    WIRE_RESPONSES, /* OpenAI: /v1/responses */
    WIRE_MESSAGES,  /* Anthropic: /v1/messages */
    WIRE_GEMINI,    /* Google: only its usage is read */
};

/* "chat", "responses", "messages", "gemini". */
const char *wire_name(enum wire wire);
/* "/v1/chat/completions"; NULL: bough does not serve it. */
const char *wire_path(enum wire wire);

/* The wire of a path without its query; false: it is none. */
bool wire_of_path(struct bough_str path, enum wire *out);

/* ---- messages ---- */

/*
 * Read one message of the chat wire as an entry: content, content_blocks, tool_calls and a refusal
 * become parts, the word of the role and all other members stay in `data`. Nothing is lost:
 * chat_message_write() gives the members back. BOUGH_INVALID: no object, no role, or a content that
 * is neither text, null nor a list.
 */
BOUGH_MUST_CHECK enum bough_rc chat_message_read(struct bough_arena *a, struct json m,
                                                 struct bough_entry_new *out,
                                                 struct bough_error *err);

/* Write the members of a message into an open object: role, content, name, tool_call_id,
 * tool_calls, content_blocks, tool_error, and those that only the client knows. content_blocks is
 * written whenever the parts are not exactly one text. */
void chat_message_write(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e);

#endif
