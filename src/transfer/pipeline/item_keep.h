/* Copies of items: an item is valid only during the call that gives it. */
#ifndef TRANSFER_PIPELINE_ITEM_KEEP_H
#define TRANSFER_PIPELINE_ITEM_KEEP_H

#include "formats/common/item.h"

/* Each of these makes a copy in `a` of everything that it points to. keep_str adds a NUL. */
struct bough_str keep_str(struct bough_arena *a, struct bough_str s);
struct item_session keep_session(struct bough_arena *a, const struct item_session *in);
/* Adds the size of the entry to *bytes. in->call is not copied. */
struct bough_entry_new keep_entry_new(struct bough_arena *a, const struct bough_entry_new *in,
                                      size_t *bytes);
/* Copy the whole item, but not the packed form of an entry. Returns about how many bytes of text it
 * has. */
size_t item_keep(struct bough_arena *a, const struct item *in, struct item *out);

#endif
