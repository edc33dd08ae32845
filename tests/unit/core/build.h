/* Helpers for tests of core: entries from literals. */
#ifndef TESTS_CORE_BUILD_H
#define TESTS_CORE_BUILD_H

#include <bough/model.h>

#include "core/context/context.h"
#include "lib/test.h"

/* A path under construction: entries get depth 1, 2, ... and the id "...<depth>". At most 64. */
struct path {
    struct test *t;
    struct bough_entry at[64];
    size_t n;
};

/* `content` is a JSON array or string of parts, or NULL; `data` raw JSON or NULL. */
struct bough_entry *add_message(struct path *p, enum bough_role role, const char *content,
                                const char *data);
struct bough_entry *add_entry(struct path *p, const char *kind, const char *data);

/* The context of the path. The test fails if it cannot be built. */
struct bough_context_result context_of(struct path *p, const char *dialect,
                                       struct bough_entry *marker);

/* The number of notes `what` about the entry. */
size_t notes_about(const struct bough_context_result *c, const struct bough_entry *e,
                   const char *what);

#endif
