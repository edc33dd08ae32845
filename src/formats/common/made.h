/* Parts that a reader makes because the tool has none of its own: texts, files, tool calls and
 * their results. */
#ifndef FORMATS_COMMON_MADE_H
#define FORMATS_COMMON_MADE_H

#include "formats/common/format.h"

/* A list of parts that grows, in r->a. */
struct made {
    struct reading *r;
    struct bough_str *at;
    size_t n;
};

/* Add a part. `text`, `input`, `output` and `base64` are raw JSON; one that is too large is left
 * out. */
void made_part(struct made *m, struct bough_str part); /* as it is */
void made_text(struct made *m, const char *type, struct bough_str text);
void made_words(struct made *m, const char *type, const char *text); /* of plain text */
void made_file(struct made *m, const char *mime, struct bough_str base64);
void made_call(struct made *m, const char *id, const char *name, struct bough_str input);
/* An output that is not a string is kept as its JSON text. */
void made_result(struct made *m, const char *id, struct bough_str output, bool failed);

#endif
