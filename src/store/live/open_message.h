/* Open messages as rows: the lease, its expiry, and sealing. */
#ifndef STORE_LIVE_OPEN_MESSAGE_H
#define STORE_LIVE_OPEN_MESSAGE_H

#include <bough/message.h>

#include "core/part/draft.h"
#include "store/engine/lease.h"
#include "store/write/plan.h"

/* Read the lease row of an open message; its strings live in `a`. *there is false when the message
 * is not open. */
enum bough_rc open_get(struct snap *snap, struct bough_arena *a, struct bough_head at,
                       struct open_row *out, bool *there, struct bough_error *err);

/* Has the lease ended, by time or because its process is dead? */
bool open_expired(const struct open_row *row, int64_t now);

/* Append to `d` the drafts stored after its end. BOUGH_CORRUPT when a draft is missing. */
enum bough_rc open_drafts(struct snap *snap, struct bough_head at, struct draft *d,
                          struct bough_error *err);

/* The error for writing to a message that is not open: BOUGH_LEASE_LOST if it was sealed as
 * interrupted, else BOUGH_CONFLICT. BOUGH_NOT_FOUND if there is no such entry. Never returns
 * BOUGH_OK. */
enum bough_rc open_refused(struct snap *snap, struct bough_head at, struct bough_error *err);

/* In prepare(): read the lease row and check its epoch. BOUGH_LEASE_LOST when the epoch differs, or
 * the error of open_refused() when the message is not open. */
enum bough_rc open_held(struct prep *p, struct bough_head at, int64_t epoch, struct open_row *out,
                        struct bough_error *err);

/* BOUGH_CONFLICT when the path to `at`, `at` included, contains an open message. */
enum bough_rc open_none_on(struct snap *snap, struct bough_head at, struct bough_error *err);

/* A prepared seal, built before the request is queued. */
struct sealing {
    struct plan plan;
    struct bough_entry was; /* entry as it was opened */
    struct pack_extra x;
    bool restore; /* a moved blob was swept: store it again */
};

/* Build the seal of the message at `at` from its parts and `seal`; run it with plan_write(). Fails
 * as plan_build() does. */
enum bough_rc open_plan(struct bough_store *s, struct bough_arena *a, struct bough_head at,
                        const struct bough_part *parts, size_t nparts,
                        const struct bough_message_seal_options *seal, struct sealing *out,
                        struct bough_error *err);
/* In prepare(): fill p->t with the changes that seal the message of `row`. */
enum bough_rc open_seal(struct prep *p, const struct open_row *row, struct sealing *x,
                        struct bough_error *err);

#endif
