/* Claude Code's session files: declarations shared by reader and writer; see docs/formats.md. */
#ifndef FORMATS_CLAUDE_CLAUDE_H
#define FORMATS_CLAUDE_CLAUDE_H

#include "formats/common/format.h"

#define CLAUDE_LINE "claude.line"   /* in data: members of the line that the entry does not hold */
#define CLAUDE_SIDE "claude.side"   /* in data: a whole line without a uuid */
#define CLAUDE_NAMED "claude.named" /* in data: that line named its session */
#define CLAUDE_HEAD "bough.head"    /* type of the line that records the head */
#define CLAUDE_MODEL "bough-model-" /* prefix of the ids of model changes */

bool claude_detect(struct bough_str first);
enum bough_rc claude_line(struct reading *r, struct bough_str line, struct bough_error *err);
enum bough_rc claude_end(struct reading *r, struct bough_error *err);
bool claude_leave(const struct reading *r, struct buf *state);
void claude_drop(struct reading *r);

#endif
