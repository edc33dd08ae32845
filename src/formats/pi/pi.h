/* pi's session files: declarations shared by reader and writer. */
#ifndef FORMATS_PI_PI_H
#define FORMATS_PI_PI_H

#include "base/json/write.h"
#include "formats/common/format.h"

#define PI_HEAD "bough.head" /* customType of the line that records the head */

#define PI_VERSION "pi.version" /* in data: the header's version, if it is not 1, 2 or 3 */

enum { PI_NEWEST = 3 }; /* the newest version that is known here */

bool pi_detect(struct bough_str first);
enum bough_rc pi_line(struct reading *r, struct bough_str line, struct bough_error *err);
enum bough_rc pi_end(struct reading *r, struct bough_error *err);
bool pi_leave(const struct reading *r, struct buf *state);

void pi_begin(struct writing *w);
void pi_entry(struct writing *w, const struct written_entry *e);
void pi_finish(struct writing *w, const char *head);

/* The id of a line for a label or a session name that was set through our API. It is derived from
 * the content, so that it is stable and the reader recognizes the line. */
const char *pi_label_id(struct bough_arena *a, const char *type, const char *target,
                        const char *text, int64_t time);

/* Write the member `timestamp`. */
void pi_put_time(struct json_writer *jw, int64_t ms);

/* End a line of the file. */
void pi_line_end(struct writing *w, struct json_writer *jw);

#endif
