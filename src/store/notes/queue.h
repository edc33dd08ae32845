/* The prompt queue, for txns that do more than change it: see store/run. */
#ifndef STORE_NOTES_QUEUE_H
#define STORE_NOTES_QUEUE_H

#include <bough/queue.h>

#include "store/engine/engine.h"

/* Is this a prompt that can wait? BOUGH_INVALID, BOUGH_TOO_LARGE. */
enum bough_rc queue_check(const struct bough_prompt *in, struct bough_error *err);

/* In prepare(): fill the txn with the changes that add a prompt to the queue of head->sid, and its
 * changelog row. *out: its record; the ordinal is the txn's first new one. BOUGH_OVERLOADED when
 * too many wait. */
enum bough_rc queue_add_in(struct prep *p, struct snap *snap, const struct head_row *head,
                           const struct queue_body *body, struct record_row *out,
                           struct bough_error *err);

/* In prepare(): the prompt that is taken next; out->ord is 0 when none waits. A waiting prompt is
 * taken by writing its record with the time of deletion. */
enum bough_rc queue_next_in(struct prep *p, struct snap *snap, int64_t sid, struct record_row *out,
                            struct queue_body *body, struct bough_error *err);

/* Convert a record for the caller; everything is copied into `a`. */
enum bough_rc queue_give(struct bough_arena *a, const char *session, const struct record_row *row,
                         struct bough_prompt *out, struct bough_error *err);

#endif
