/* Codex's rollout files: declarations shared by reader and writer; see docs/formats.md. */
#ifndef FORMATS_CODEX_CODEX_H
#define FORMATS_CODEX_CODEX_H

#include "formats/common/format.h"

#define CODEX_LINE "codex.line" /* in data: members of the line that the entry does not hold */
#define CODEX_ITEM "codex.item" /* in data: true if the payload is the entry's only part */

bool codex_detect(struct bough_str first);
enum bough_rc codex_line(struct reading *r, struct bough_str line, struct bough_error *err);
enum bough_rc codex_end(struct reading *r, struct bough_error *err);
bool codex_leave(const struct reading *r, struct buf *state);
bool codex_enter(struct reading *r, const char *state);

#endif
