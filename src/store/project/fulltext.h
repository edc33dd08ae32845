/* The full-text projector derives the documents of the full-text index from the changelog. A slice
 * reads changelog rows after the index's own watermark, computes words without a lock, and writes
 * the documents and the new watermark as one txn. Searching is in store/find/search.c. */
#ifndef STORE_PROJECT_FULLTEXT_H
#define STORE_PROJECT_FULLTEXT_H

#include "store/engine/engine.h"

/* A prepared slice; owns its arena. */
struct fulltext_slice {
    struct txn txn;
    struct bough_arena *a;
    int64_t from, to; /* the watermark before and after */
    size_t documents;
    bool left; /* the changelog continues after it */
};

/* Prepare a slice of at most `documents` documents. It may end inside an append. The txn has no
 * changes when nothing is pending. Call fulltext_slice_finish() also after an error. */
enum bough_rc fulltext_slice_prepare(struct engine *e, const struct deadline *p, size_t documents,
                                     struct fulltext_slice *out, struct bough_error *err);
void fulltext_slice_finish(struct fulltext_slice *s);

/* Run slices until everything up to number `want` is indexed or the deadline has passed, which is
 * not an error. *reached is the number indexed so far; 0: no slice ran. */
enum bough_rc fulltext_catch_up(struct engine *e, const struct deadline *p, int64_t want,
                                int64_t *reached, struct bough_error *err);

/* Run some slices in the background thread; stops when another thread writes. Takes the writer
 * role. */
void fulltext_beside(struct engine *e);

/* Changelog numbers that are not indexed yet. */
enum bough_rc fulltext_behind(struct snap *snap, int64_t *n, struct bough_error *err);

#endif
