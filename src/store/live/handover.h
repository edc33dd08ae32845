/* Handing an open message from the process that collects its steps, its holder, to another. */
#ifndef STORE_LIVE_HANDOVER_H
#define STORE_LIVE_HANDOVER_H

#include "store/live/open_message.h"

/* Make this process the holder of the message with this epoch. A holder that lives is asked to save
 * its steps first; one that is dead loses the message at once. A holder on another machine that
 * does not answer loses it only if the caller `numbered` its steps, because only then a gap is
 * noticed; otherwise BOUGH_BUSY. Fails as open_held() does. Hold no lock. */
enum bough_rc handover_take(struct bough_store *s, struct bough_head at, int64_t epoch,
                            bool numbered, struct bough_error *err);

/* The messages of this process that another process asks for, in `a`. */
enum bough_rc handover_wishes(struct bough_store *s, struct bough_arena *a, struct bough_head **at,
                              size_t *n, struct bough_error *err);

#endif
