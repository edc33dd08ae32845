/* The changelog of one snapshot, as callers see it. */
#ifndef STORE_FIND_CHANGELOG_H
#define STORE_FIND_CHANGELOG_H

#include "store/engine/engine.h"

/* As bough_store_log(), through a snapshot of the caller's. */
enum bough_rc snap_changelog(struct snap *snap, struct bough_arena *a, int64_t after, int64_t limit,
                             struct bough_changes *out, struct bough_error *err);

#endif
