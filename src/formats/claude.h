/* Claude Code's session files: the words both halves use; see docs/formats.md. */
#ifndef FORMATS_CLAUDE_H
#define FORMATS_CLAUDE_H

#include "formats/format.h"

#define CLAUDE_LINE "claude.line"   /* data: the line's own members */
#define CLAUDE_SIDE "claude.side"   /* data: all of a line that has no uuid */
#define CLAUDE_NAMED "claude.named" /* data: such a line named its session */
#define CLAUDE_HEAD "bough.head"    /* type of the line that says where the head is */
#define CLAUDE_MODEL "bough-model-" /* before ids of model changes that no line says */

bool claude_detect(struct bough_str first);
enum bough_rc claude_line(struct reading *r, struct bough_str line, struct bough_error *err);
enum bough_rc claude_end(struct reading *r, struct bough_error *err);
bool claude_leave(const struct reading *r, struct buf *state);
void claude_drop(struct reading *r);

#endif
