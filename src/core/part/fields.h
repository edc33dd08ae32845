/* The members of one JSON object, found in one pass: no tree, no allocation. */
#ifndef CORE_PART_FIELDS_H
#define CORE_PART_FIELDS_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>

#include "base/json/json.h"

enum { FIELDS_KEPT = 24 }; /* with more members, each lookup scans the text again */

struct field_span {
    struct bough_str key; /* raw, quotes included */
    struct bough_str raw; /* the value's exact span */
    enum json_type type;
    bool escaped; /* the key contains a backslash */
};

struct fields {
    struct bough_str text;
    size_t n;
    bool more; /* the object has members that did not fit */
    struct field_span at[FIELDS_KEPT];
    struct field_span found; /* result of fields_get() when `more` is set */
};

/*
 * Scan and validate all of `text`, which is borrowed and must outlive `f`. BOUGH_INVALID when it is
 * not a JSON object; otherwise the errors of base/json/json.h.
 */
BOUGH_MUST_CHECK enum bough_rc fields_read(struct fields *f, struct bough_str text,
                                           struct bough_error *err);

/*
 * The same for text that was checked before, such as a stored part: finds the members without
 * validating them, several times faster. False: it is not an object after all. Never reads past the
 * end of `text`.
 */
bool fields_scan(struct fields *f, struct bough_str text);

/* The last member of that name, or NULL. Valid until the next call on `f`. */
const struct field_span *fields_get(struct fields *f, const char *key);

/* The member's raw span if it has that type, else empty. */
struct bough_str fields_raw(struct fields *f, const char *key, enum json_type type);

/* Is the member a string equal to `value`, escapes decoded? */
bool fields_is(struct fields *f, const char *key, const char *value);

#endif
