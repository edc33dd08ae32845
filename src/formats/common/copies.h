/* Lines that a fork's file copied from its parent's, and changed: the fork inherits the entries,
 * and the difference is kept in its data, so that an export gives the file back as it was. Pure. */
#ifndef FORMATS_COMMON_COPIES_H
#define FORMATS_COMMON_COPIES_H

#include <bough/entry.h>

#include "formats/common/names.h"

/* In the data of a session: {"without":[ids],"lines":{id:{"time":ms,"set":{...}}}}. `without` are
 * inherited entries that the file does not have. `set` are the members of an entry's data that
 * differ; `data` instead of it is the whole data. Ids are those the entries were imported with. */
#define FORK_COPIES "bough.copies"

struct copies {
    struct copy *first, **end;
};

/* The file does not have this entry. */
void copies_without(struct bough_arena *a, struct copies *c, const struct bough_entry *e);
/* The file has this entry with another time or other data, or with the same. */
void copies_line(struct bough_arena *a, struct copies *c, const struct bough_entry *e,
                 const struct bough_entry_new *in);
/* The data of a session with the differences, if there are any. False: it would be too large. */
bool copies_keep(struct bough_arena *a, const struct copies *c, struct bough_str *data);

/* The differences in the data of a session: id -> a record for copies_apply(). */
struct names copies_read(struct bough_arena *a, struct bough_str data);
/* Make an inherited entry what it is in the file. False: the file does not have it. */
bool copies_apply(struct bough_arena *a, const struct names *copies, struct bough_entry *e);

#endif
