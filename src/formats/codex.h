/* Codex's rollout files: the words both halves use; see docs/formats.md. */
#ifndef FORMATS_CODEX_H
#define FORMATS_CODEX_H

#include "formats/format.h"

#define CODEX_LINE "codex.line" /* data: the line's members that the entry does not say itself */
#define CODEX_ITEM "codex.item" /* data: true when the payload is the entry's only part */

bool codex_detect(struct bough_str first);
enum bough_rc codex_line(struct reading *r, struct bough_str line, struct bough_error *err);
enum bough_rc codex_end(struct reading *r, struct bough_error *err);
bool codex_leave(const struct reading *r, struct buf *state);
bool codex_enter(struct reading *r, const char *state);

#endif
