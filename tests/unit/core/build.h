/* Entries out of literals, for tests of core. */
#ifndef TESTS_CORE_BUILD_H
#define TESTS_CORE_BUILD_H

#include <bough/model.h>

#include "core/context.h"
#include "lib/test.h"

/* A path in the making: entries get depth 1, 2, ... and the id "...<depth>". */
struct path {
    struct test *t;
    struct bough_entry at[64];
    size_t n;
};

/* `content` is a JSON array or string of parts, or NULL; `data` raw JSON or NULL. */
struct bough_entry *add_message(struct path *p, enum bough_role role, const char *content,
                                const char *data);
struct bough_entry *add_entry(struct path *p, const char *kind, const char *data);

/* The context of the path; fails the test when it cannot be built. */
struct bough_context context_of(struct path *p, const char *dialect, struct bough_entry *marker);

/* How many notes say `what` about the entry. */
size_t notes_about(const struct bough_context *c, const struct bough_entry *e, const char *what);

#endif
