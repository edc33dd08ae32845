/*
 * Hecate's HTTP API, internal header: /hecate/v1/chat/sessions, compatible with Hecate's clients.
 *
 *   hecate.c           sessions: list, get, create, patch, delete, record an exchange
 *   hecate_message.c   messages and calls: JSON to entries and back
 *   hecate_queue.c     queued prompts
 */
#ifndef API_ORIGINALS_HECATE_H
#define API_ORIGINALS_HECATE_H

#include "api/kit/api.h"

/* Hecate's ids are ours with a prefix: "chat_", "msg_", "call_", "prompt_". */
void hecate_id(struct json_writer *w, const char *key, const char *word, const char *id);
const char *hecate_id_read(const char *word, const char *text); /* strips the prefix, if any */
/* RFC 3339 without trailing zeros in the fraction. Writes nothing for 0. */
void hecate_time(struct json_writer *w, const char *key, int64_t ms);
void hecate_cost(struct json_writer *w, const char *key, int64_t nano); /* "0.001234" (C15) */

/* Begin an answer: {"object":...,"data": . The caller writes the value, then calls jw_end_obj(). */
struct json_writer *hecate_begin(struct http_res *res, const char *object);

/* api_session() for a Hecate id. A deleted or purged session is BOUGH_NOT_FOUND. */
BOUGH_MUST_CHECK enum bough_rc hecate_session(struct http_req *req, struct bough_session **out,
                                              struct bough_error *err);
/* Answers 409, with owner and since as detail, when the session is leased to an owner other than
 * `owner`. With NULL any lease counts. */
BOUGH_MUST_CHECK enum bough_rc hecate_idle(struct http_req *req, struct http_res *res,
                                           const struct bough_session *s, const char *owner);

void hecate_message(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e);
void hecate_call(struct json_writer *w, const struct bough_call *call);
/* Read a message (C14). When it has content_blocks they become the parts; the flat content repeats
 * them and is kept in the entry's data. `out` points into `a`. */
BOUGH_MUST_CHECK enum bough_rc hecate_message_read(struct bough_arena *a, struct json message,
                                                   struct bough_entry_new *out,
                                                   struct bough_error *err);
/* Read a provider call. Unknown members are ignored. */
BOUGH_MUST_CHECK enum bough_rc hecate_call_read(struct http_req *req, struct json call,
                                                struct bough_call_new *out,
                                                struct bough_error *err);

#endif
