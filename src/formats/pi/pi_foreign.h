/* Writes messages of other tools as lines that pi can resume from. */
#ifndef FORMATS_PI_PI_FOREIGN_H
#define FORMATS_PI_PI_FOREIGN_H

#include "formats/common/format.h"

#define PI_ENTRY "bough.entry" /* in a line: the message before it was converted for pi */
#define PI_OF "bough.of"       /* in a line: id of the entry that it repeats a part of, for pi */
#define PI_MADE "bough-"       /* prefix of the ids of such lines */
#define PI_DATA "bough.data"   /* in the header: data whose names clash with those of pi's header */

/* Is it a message that pi itself cannot have written? */
bool pi_is_foreign(const struct bough_entry *e);

/* Tool calls whose results may still come. */
struct pi_calls {
    struct pi_call {
        const char *id, *tool;
    } at[256];
    size_t n; /* counts all calls; the newest 256 are held */
};

/* Write the lines of the entry: what is said, and one for each result. The last line has the
 * entry's id. Returns the id of the first one. */
const char *pi_foreign_put(struct pi_calls *calls, struct writing *w,
                           const struct written_entry *we);

#endif
