/* Open messages as rows: who writes one, whether anybody still does, and how it is sealed. */
#ifndef STORE_OPEN_H
#define STORE_OPEN_H

#include <bough/message.h>

#include "core/draft.h"
#include "store/plan.h"

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

/* In prepare(): the row, if the message is still open and its epoch this one; else the same codes.
 */
enum bough_rc open_held(struct prep *p, struct bough_head at, int64_t epoch, struct open_row *out,
                        struct bough_error *err);

/* BOUGH_CONFLICT when a message on the path to `at`, itself included, is still being written. */
enum bough_rc open_none_on(struct snap *snap, struct bough_head at, struct bough_error *err);

/* A message as it will be when it is sealed, made before any lock is taken. */
struct sealing {
    struct plan plan;
    struct bough_entry was; /* as it was opened */
    struct pack_extra x;
    bool restore; /* bytes moved out of its parts were swept meanwhile: store them again */
};

/* Its parts, and how it ended; what is moved out of the parts is stored. */
enum bough_rc open_plan(struct bough_store *s, struct bough_arena *a, struct bough_head at,
                        const struct bough_part *parts, size_t nparts,
                        const struct bough_seal *seal, struct sealing *out,
                        struct bough_error *err);
/* Fill p->t with what seals the message of `row`. */
enum bough_rc open_seal(struct prep *p, const struct open_row *row, struct sealing *x,
                        struct bough_error *err);
/* Run a request whose prepare() calls open_seal(). */
enum bough_rc open_write(struct bough_store *s, struct bough_arena *a, struct request *r,
                         struct sealing *x, struct bough_error *err);

#endif
