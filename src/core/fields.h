/* The members of one JSON object, found in one pass: no tree, no memory. */
#ifndef CORE_FIELDS_H
#define CORE_FIELDS_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>

#include "base/json.h"

enum { FIELDS_KEPT = 24 }; /* more members than this are found by reading again */

struct field_span {
    struct bough_str key; /* raw, quotes included */
    struct bough_str raw; /* the value's exact span */
    enum json_type type;
    bool escaped; /* the key has a backslash in it */
};

struct fields {
    struct bough_str text;
    size_t n;
    bool more; /* the object has members that did not fit */
    struct field_span at[FIELDS_KEPT];
    struct field_span found; /* the answer when it had to be looked for again */
};

/* Checks all of `text`. BOUGH_INVALID when it is not an object; errors of base/json.h otherwise. */
BOUGH_MUST_CHECK enum bough_rc fields_read(struct fields *f, struct bough_str text,
                                           struct bough_error *err);

/* The last member of that name, or NULL; good until the next call. */
const struct field_span *fields_get(struct fields *f, const char *key);

/* Its raw span if it is of that type, else empty. */
struct bough_str fields_raw(struct fields *f, const char *key, enum json_type type);

/* Is it a string of that value? */
bool fields_is(struct fields *f, const char *key, const char *value);

#endif
