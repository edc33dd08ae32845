/* Sealing an open message with more than the public call takes. */
#ifndef STORE_LIVE_SEAL_H
#define STORE_LIVE_SEAL_H

#include "store/live/open_message.h"

struct seal_extra {
    /* Called once the plan is built, to complete its calls, and to set `seen`. NULL: nothing is to
     * do. */
    void (*complete)(void *user, struct plan *plan);
    void *user;
    const struct seen_row *seen; /* rows about the message, added in the same txn */
    size_t nseen;

    char call[BOUGH_ID_LEN + 1]; /* set: id of the call, or "" */
};

/* Seal an open message as interrupted, with the steps that are stored. Its writer, in any process,
 * gets BOUGH_LEASE_LOST. No error if it is sealed already. */
enum bough_rc message_interrupt(struct bough_store *s, struct bough_head at,
                                struct bough_error *err);

/* bough_message_seal(), with `extra`, which may be NULL. */
enum bough_rc message_seal(struct bough_store *s, struct bough_arena *a,
                           const struct bough_writing *w,
                           const struct bough_message_seal_options *seal, struct seal_extra *extra,
                           struct bough_error *err);

#endif
