/*
 * The text projector: documents of the full text, derived from the log. A slice reads some of the
 * log after the text's own watermark, makes the words of the entries it names without any lock, and
 * is one txn that puts them and moves the watermark. Who finds what is store/search.c.
 */
#ifndef STORE_TEXT_H
#define STORE_TEXT_H

#include "store/engine.h"

struct text_slice {
    struct txn txn;
    struct bough_arena *a;
    int64_t from, to; /* the watermark, before and after */
    size_t documents;
    bool left; /* the log goes on behind it */
};

/* At most so many documents; an append may be cut in two. */
enum bough_rc text_slice_prepare(struct engine *e, const struct patience *p, size_t documents,
                                 struct text_slice *out, struct bough_error *err);
void text_slice_finish(struct text_slice *s);

/* Slices until everything up to `want` is in, or the patience is over, which is no error. */
enum bough_rc text_catch_up(struct engine *e, const struct patience *p, int64_t want,
                            int64_t *reached, struct bough_error *err);

/* Some slices by the writer's thread, until somebody else wants to write. */
void text_beside(struct engine *e);

/* How many numbers of the log are not in yet. */
enum bough_rc text_behind(struct snap *snap, int64_t *n, struct bough_error *err);

#endif
