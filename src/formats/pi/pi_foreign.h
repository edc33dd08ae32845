/* Writes messages of other tools as lines that pi can resume from. */
#ifndef FORMATS_PI_PI_FOREIGN_H
#define FORMATS_PI_PI_FOREIGN_H

#include "formats/common/format.h"

#define PI_ENTRY "bough.entry" /* in a line: the message before it was converted for pi */
#define PI_OF "bough.of"       /* in a line: id of the entry that the line stands for, for pi */
#define PI_MADE "bough-"       /* prefix of the ids of such lines */
#define PI_DATA "bough.data"   /* in the header: data whose names clash with those of pi's header */

/* Is it a message that pi itself cannot have written? */
bool pi_is_foreign(const struct bough_entry *e);

/* Write the lines of a message of another tool: turns of the conversation that end there. The last
 * line has the entry's id, and holds the message as it was. Returns the id of the first one. */
const char *pi_foreign_put(struct writing *w, const struct written_entry *we);

/* Write lines of other tools' messages that must stand before an entry of pi: a result that comes
 * later, for a call that comes before. Returns the entry's parent then. */
const char *pi_foreign_before(struct writing *w, const struct written_entry *we);

/* Write the members of a custom message that has parts. */
void pi_put_custom(struct writing *w, struct json_writer *jw, const struct bough_entry *e);

/* Write the members that say what an entry spent, if it did. */
void pi_put_spent(struct writing *w, struct json_writer *jw, const struct bough_entry *e);

/* The summary of a compaction, a JSON string: of another tool it may be an answer on the path. */
struct bough_str pi_foreign_summary(struct writing *w, const struct written_entry *we);

#endif
