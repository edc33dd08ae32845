/* opencode's export: the words both halves use; see docs/formats.md. */
#ifndef FORMATS_OPENCODE_H
#define FORMATS_OPENCODE_H

#include "formats/format.h"

#define OPENCODE_INFO "opencode.info"       /* the session's data: its info */
#define OPENCODE_MARKER "bough-compaction-" /* before the id of a request for a summary */

bool opencode_detect(struct bough_str first);
enum bough_rc opencode_document(struct reading *r, struct bough_str text, struct bough_error *err);

#endif
