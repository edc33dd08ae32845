/*
 * Hecate's wire, inside view: /hecate/v1/chat/sessions as that program speaks it, over our store.
 *
 *   hecate.c           sessions: list, get, create, patch, delete, and recording an exchange
 *   hecate_message.c   messages and calls: their JSON to entries and back
 *   hecate_queue.c     prompts that wait
 */
#ifndef API_HECATE_H
#define API_HECATE_H

#include "api/api.h"

/* Ids are ours with a word before them: "chat_", "msg_", "call_", "prompt_". */
void hecate_id(struct json_writer *w, const char *key, const char *word, const char *id);
const char *hecate_id_read(const char *word, const char *text); /* ours; others as they came */
/* RFC 3339 without zeros at the end of the fraction; nothing for no time. */
void hecate_time(struct json_writer *w, const char *key, int64_t ms);
void hecate_cost(struct json_writer *w, const char *key, int64_t nano); /* "0.001234" (C15) */

/* The frame of every answer: {"object":...,"data": and now a value; then jw_end_obj(). */
struct json_writer *hecate_begin(struct http_res *res, const char *object);

/* api_session() by such an id. What was deleted is not there. */
BOUGH_MUST_CHECK enum bough_rc hecate_session(struct http_req *req, struct bough_session **out,
                                              struct bough_error *err);
/* Somebody else holds the session: 409 that says who, and since when. `owner` NULL: nobody. */
BOUGH_MUST_CHECK enum bough_rc hecate_idle(struct http_req *req, struct http_res *res,
                                           const struct bough_session *s, const char *owner);

void hecate_message(struct json_writer *w, struct bough_arena *a, const struct bough_entry *e);
void hecate_call(struct json_writer *w, const struct bough_call *call);
/* A message of the wire (C14): rich blocks are what was said, the flat text repeats it. */
BOUGH_MUST_CHECK enum bough_rc hecate_message_read(struct bough_arena *a, struct json message,
                                                   struct bough_entry_new *out,
                                                   struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc hecate_call_read(struct http_req *req, struct json call,
                                                struct bough_call_new *out,
                                                struct bough_error *err);

#endif
