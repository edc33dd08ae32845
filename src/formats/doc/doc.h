/* Documents: JSON text that contains a list, read element by element. Memory is bounded by the
 * largest message, not by the document. A truncated document is read up to the damage. */
#ifndef FORMATS_DOC_DOC_H
#define FORMATS_DOC_DOC_H

#include "formats/common/format.h"

enum doc_kind {
    DOC_ELEMENT, /* an element of the list */
    DOC_MEMBER,  /* a member beside the list: `key` with its quotes, and its value */
    DOC_LARGE,   /* either of them, but larger than a message may be: it is skipped */
    DOC_DONE,    /* the document ended properly */
    DOC_BROKEN,  /* it did not: see doc.why */
};

/* `raw` has balanced brackets; the caller must check that it is valid JSON. */
struct doc_event {
    enum doc_kind kind;
    struct bough_str key, raw; /* valid until the next call */
    int64_t line, byte;        /* where the value begins: line from 1, byte from 0 */
};

struct doc {
    const struct doc_bytes *from;
    const char *name;
    char *p; /* the buffer; bytes from `start` on are still needed */
    size_t n, cap, start, at, piece;
    int64_t base, line; /* offset of p in the document; line at `at` */
    bool ended;         /* no bytes follow p + n */
    bool large;         /* the current value is being skipped */
    bool named;         /* the current member's name is in the buffer */
    bool first, list;   /* first: nothing of the current container was read; list: it is the list */
    bool array;         /* the document itself is the list */
    bool listed;        /* the list was found */
    bool whole;         /* the end was reached */
    enum bough_rc rc;   /* a read failed */
    struct bough_error *err;
    char why[120];
};

/* Start at the beginning of r->bytes. The list is the document itself, or its member `name`. */
void doc_init(struct doc *d, struct reading *r, const char *name, struct bough_error *err);
void doc_finish(struct doc *d);

/* The next event. After DOC_DONE or DOC_BROKEN it must not be called again. Returns an error only
 * if the bytes cannot be read. */
BOUGH_MUST_CHECK enum bough_rc doc_next(struct doc *d, struct doc_event *ev);
/* Read the element that begins at this byte. */
BOUGH_MUST_CHECK enum bough_rc doc_at(struct doc *d, int64_t byte, struct doc_event *ev);

/* What a first pass over the document finds. */
struct doc_about {
    bool listed;           /* there is a list */
    struct bough_str rest; /* the members beside the list as an object, in `kept`; empty: none */
    char why[120];         /* how the document is broken; "": it is not */
    /* Called for every element, if set. Without it, a document that is the list itself is not
     * scanned. */
    void (*each)(void *user, const struct doc_event *ev);
    void *user;
};

/* Make a first pass over the document. Members that cannot be kept become problems. */
BOUGH_MUST_CHECK enum bough_rc doc_survey(struct reading *r, const char *name,
                                          struct doc_about *about, struct bough_error *err);

/* Give every element of the list to `take`. Elements that are too large or incomplete become
 * problems. */
BOUGH_MUST_CHECK enum bough_rc doc_each(struct reading *r, const char *name,
                                        enum bough_rc (*take)(void *user, struct bough_str raw,
                                                              struct bough_error *err),
                                        void *user, struct bough_error *err);
/* Parse an element that must be an object. False: skip it; *rc is the result to return. */
bool doc_object(struct reading *r, struct bough_str raw, struct json *out, enum bough_rc *rc,
                struct bough_error *err);
/* Report a skipped element, or the damage at the end of a document, as a problem. */
enum bough_rc doc_problem(struct reading *r, const struct doc *d, const struct doc_event *ev,
                          struct bough_error *err);

/* Access to a text in memory; `text` is borrowed. */
struct doc_bytes doc_text(struct bough_str *text);

#endif
