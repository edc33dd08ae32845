/* Messages that came from elsewhere, as lines pi can resume. */
#ifndef FORMATS_PI_FOREIGN_H
#define FORMATS_PI_FOREIGN_H

#include "formats/format.h"

#define PI_ENTRY                                                                                   \
    "bough.entry"            /* in a line: what the message was before it was put into pi's words */
#define PI_OF "bough.of"     /* in a line: it says a part of the entry of that id, for pi alone */
#define PI_MADE "bough-"     /* the ids of such lines begin so */
#define PI_DATA "bough.data" /* in the header: data with names that pi's header has itself */

/* Is it a message that pi could not have written itself? */
bool pi_is_foreign(const struct bough_entry *e);

/* Calls whose results may still come. */
struct pi_calls {
    struct pi_call {
        const char *id, *tool;
    } at[256];
    size_t n; /* so far; the newest take the place of the oldest */
};

/* Its lines: what is said, and a line for each result. The last one has the entry's id. */
void pi_foreign_put(struct pi_calls *calls, struct writing *w, const struct written_entry *we);

/* Ends a line of the file. */
void pi_line_end(struct writing *w, struct json_writer *jw);
void pi_put_time(struct json_writer *jw, int64_t ms);

#endif
