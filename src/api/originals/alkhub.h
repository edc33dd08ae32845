/*
 * alkhub's HTTP API, internal header: sessions, messages and parts in alkhub's columns, under
 * /alkhub/v1.
 *
 *   alkhub.c           sessions: filters, slugs, children, the status lifecycle
 *   alkhub_message.c   messages and parts
 */
#ifndef API_ORIGINALS_ALKHUB_H
#define API_ORIGINALS_ALKHUB_H

#include "api/kit/api.h"

/* Write the members that all of alkhub's tables share: id, metadata, createdAt, updatedAt. */
void alkhub_common(struct json_writer *w, const char *id, struct bough_str metadata,
                   int64_t created, int64_t updated);

#endif
