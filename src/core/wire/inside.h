/* Reading requests: what the files of this folder share. */
#ifndef CORE_WIRE_INSIDE_H
#define CORE_WIRE_INSIDE_H

#include "core/wire/part.h"
#include "core/wire/request.h"

/* The conversation of a request while it is read. */
struct reading {
    struct bough_arena *a;
    struct wire_parts system;
    struct bough_entry_new *messages;
    size_t n;
};

/* Add a message. System and developer messages in front of all others are the leading system text:
 * their parts are added to r->system instead. BOUGH_TOO_LARGE when there are too many. */
BOUGH_MUST_CHECK enum bough_rc reading_add(struct reading *r, const struct bough_entry_new *e,
                                           struct bough_error *err);

/* One for each wire: fill `r` from the members of the body. */
BOUGH_MUST_CHECK enum bough_rc read_chat(struct reading *r, struct json body,
                                         struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc read_items(struct reading *r, struct json body,
                                          struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc read_blocks(struct reading *r, struct json body,
                                           struct bough_error *err);

#endif
