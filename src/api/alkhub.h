/*
 * alkhub's wire, inside view: the columns of its three tables over our store, under /alkhub/v1.
 *
 *   alkhub.c           sessions: filters, slugs, children, the status lifecycle
 *   alkhub_message.c   messages and parts
 */
#ifndef API_ALKHUB_H
#define API_ALKHUB_H

#include "api/api.h"

/* What every table has: id, metadata, createdAt, updatedAt. */
void alkhub_common(struct json_writer *w, const char *id, struct bough_str metadata,
                   int64_t created, int64_t updated);
/* A page of a list, around its items. */

#endif
