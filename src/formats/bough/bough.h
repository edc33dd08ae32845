/* Our own format: declarations shared by reader and writer. One JSON object per line; see
 * docs/formats.md. */
#ifndef FORMATS_BOUGH_BOUGH_H
#define FORMATS_BOUGH_BOUGH_H

#include "formats/common/format.h"

enum { BOUGH_FORMAT = 1 }; /* version; the first member of every session's line: {"bough":1, */

bool own_detect(struct bough_str first);
enum bough_rc own_line(struct reading *r, struct bough_str line, struct bough_error *err);
enum bough_rc own_end(struct reading *r, struct bough_error *err);
bool own_leave(const struct reading *r, struct buf *state);

#endif
