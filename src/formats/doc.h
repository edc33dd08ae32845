/* Documents: one JSON text with a list in it, read element by element as far as it is whole. Memory
 * is bounded by the largest message, not by the text. */
#ifndef FORMATS_DOC_H
#define FORMATS_DOC_H

#include "formats/format.h"

enum doc_kind {
    DOC_ELEMENT, /* of the list */
    DOC_MEMBER,  /* beside the list: `key` with its quotes, and its value */
    DOC_LARGE,   /* either of them, larger than a message may be: it is passed over */
    DOC_DONE,    /* the text ended where it should */
    DOC_BROKEN,  /* it did not: doc.why says how */
};

/* `raw` has as many brackets closed as opened; whether it is JSON is for the caller to find out. */
struct doc_event {
    enum doc_kind kind;
    struct bough_str key, raw; /* good until the next call */
    int64_t line, byte;        /* where the value begins: lines from 1, bytes from 0 */
};

struct doc {
    const struct doc_bytes *from;
    const char *name;
    char *p; /* the bytes at hand: those from `start` on are still needed */
    size_t n, cap, start, at, piece;
    int64_t base, line; /* of p in the text; of `at` */
    bool ended;         /* nothing comes behind p + n */
    bool large;         /* the value at hand is passed over */
    bool named;         /* the name before it is held */
    bool first, list;   /* nothing was read of the container at hand; it is the list */
    bool array;         /* the text is the list */
    bool listed;        /* the list was there */
    bool whole;         /* the text ended */
    enum bough_rc rc;   /* reading failed */
    struct bough_error *err;
    char why[120];
};

/* At the beginning of r->bytes. The list is the text itself or its member of that name. */
void doc_init(struct doc *d, struct reading *r, const char *name, struct bough_error *err);
void doc_finish(struct doc *d);

/* What comes next. After DOC_DONE and DOC_BROKEN nothing does. An error: the bytes are not there.
 */
BOUGH_MUST_CHECK enum bough_rc doc_next(struct doc *d, struct doc_event *ev);
/* The element that begins at that byte. */
BOUGH_MUST_CHECK enum bough_rc doc_at(struct doc *d, int64_t byte, struct doc_event *ev);

/* What is found in a first run over the text, before anything is given. */
struct doc_about {
    bool listed;           /* there is a list */
    struct bough_str rest; /* the members beside it as an object, in `kept`; empty: none */
    char why[120];         /* how it is broken; "": it is not */
    /* Is called for every element, when it is set: an array then is run over, too. */
    void (*each)(void *user, const struct doc_event *ev);
    void *user;
};

/* What cannot be kept of the members is a problem. */
BOUGH_MUST_CHECK enum bough_rc doc_survey(struct reading *r, const char *name,
                                          struct doc_about *about, struct bough_error *err);

/* Gives every element of the list to `take`, what is too large or not whole as a problem. */
BOUGH_MUST_CHECK enum bough_rc doc_each(struct reading *r, const char *name,
                                        enum bough_rc (*take)(void *user, struct bough_str raw,
                                                              struct bough_error *err),
                                        void *user, struct bough_error *err);
/* An element that is a message: an object. False: it is not, and *rc says how to go on. */
bool doc_object(struct reading *r, struct bough_str raw, struct json *out, enum bough_rc *rc,
                struct bough_error *err);
/* An element that is passed over is a problem; so is the end of a text that is not whole. */
enum bough_rc doc_problem(struct reading *r, const struct doc *d, const struct doc_event *ev,
                          struct bough_error *err);

/* A whole text as bytes; `text` is borrowed. */
struct doc_bytes doc_text(struct bough_str *text);

#endif
