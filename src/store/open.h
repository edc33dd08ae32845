/* Open messages as rows: who writes one, whether anybody still does, and how it is sealed. */
#ifndef STORE_OPEN_H
#define STORE_OPEN_H

#include <bough/message.h>

#include "core/draft.h"
#include "store/engine.h"

enum { LEASE_MS = 60000 };

/* The row of an open message, strings in `a`. *there is false when the message is not open. */
enum bough_rc open_get(struct snap *snap, struct bough_arena *a, struct bough_head at,
                       struct open_row *out, bool *there, struct bough_error *err);

int64_t lease_end(int64_t now, int64_t lease_ms);

/* Does nobody hold it any more? */
bool open_expired(const struct open_row *row, int64_t now);

/* Take the drafts that end behind what `d` has. */
enum bough_rc open_drafts(struct snap *snap, struct bough_head at, struct draft *d,
                          struct bough_error *err);

/* Why a message that is not open cannot be written: BOUGH_LEASE_LOST when it was sealed as
 * interrupted, else BOUGH_CONFLICT. */
enum bough_rc open_refused(struct snap *snap, struct bough_head at, struct bough_error *err);

/* BOUGH_CONFLICT when a message on the path to `at`, itself included, is still being written. */
enum bough_rc open_none_on(struct snap *snap, struct bough_head at, struct bough_error *err);

/* Fill p->t with what seals the message of `row`: its parts, and how it ended. */
enum bough_rc open_seal(struct prep *p, struct bough_store *s, const struct open_row *row,
                        const struct bough_part *parts, size_t nparts,
                        const struct bough_seal *seal, struct bough_error *err);

#endif
