/* pi's session files: the two halves of the format. */
#ifndef FORMATS_PI_H
#define FORMATS_PI_H

#include "formats/format.h"

#define PI_HEAD "bough.head" /* customType of the line that says where the head is */

bool pi_detect(struct bough_str first);
enum bough_rc pi_line(struct reading *r, struct bough_str line, struct bough_error *err);
enum bough_rc pi_end(struct reading *r, struct bough_error *err);
bool pi_leave(const struct reading *r, struct buf *state);

void pi_begin(struct writing *w);
void pi_entry(struct writing *w, const struct written_entry *e);
void pi_finish(struct writing *w, const char *head);

/* The id of a line that says what was not said by a line of pi: a label or the session's name set
 * through our API. Made of what it says, so that it is the same every time and known again. */
const char *pi_said_id(struct bough_arena *a, const char *type, const char *target,
                       const char *text, int64_t time);

#endif
