/* Projections that can be rebuilt from the rows they are derived from. */
#ifndef STORE_PROJECT_REBUILD_H
#define STORE_PROJECT_REBUILD_H

#include "store/engine/engine.h"

/* A projection: `rebuild` is the prepare() of a request that replaces all of its rows. */
struct projection {
    const char *name;
    enum bough_rc (*rebuild)(struct prep *p, void *unused, struct bough_error *err);
};

extern const struct projection all_projections[]; /* ends with a NULL name */

enum bough_rc rebuild_lists(struct prep *p, void *unused, struct bough_error *err);

#endif
