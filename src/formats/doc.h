/* Documents: one JSON text with a list in it, read element by element as far as it is whole. */
#ifndef FORMATS_DOC_H
#define FORMATS_DOC_H

#include "formats/format.h"

struct doc {
    struct json_pull pull;
    struct bough_str text;
    const char *counted; /* lines are counted up to here */
    int64_t line;        /* of the element at hand */
    bool broken;         /* it ended in the middle; `why` says how */
    struct bough_error why;
};

/* At the first element of the list: the text itself, or the member of that name. False: there is no
 * such list, or it is broken before it. */
bool doc_open(struct doc *d, struct bough_str text, const char *name);
bool doc_next(struct doc *d, struct bough_str *element);

/* The other members of the text, as far as they are whole, as an object; empty when there are none.
 */
struct bough_str doc_rest(struct bough_arena *a, struct bough_str text, const char *name);

/* After the last element: a broken text is a problem. */
enum bough_rc doc_end(struct reading *r, const struct doc *d, struct bough_error *err);

#endif
