/* What a store remembers of itself: a record for each name ("backup", "fsck"), whose data is a JSON
 * object. */
#ifndef STORE_NOTES_STATE_H
#define STORE_NOTES_STATE_H

#include <bough/store.h>

#include "store/engine/engine.h"

/* The last backup and the last check; zeros and "" if there was none. In the arena. */
BOUGH_MUST_CHECK enum bough_rc state_care(struct snap *snap, struct bough_arena *a,
                                          struct bough_last_backup *backup,
                                          struct bough_last_fsck *fsck, struct bough_error *err);

#endif
