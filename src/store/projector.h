/*
 * The projector: what lists show of a session, derived from the log. It reads the log after the
 * watermark and brings the list rows of the sessions it touches up to date: in memory for a reader
 * (an overlay, so that every read is exact), or as a txn that moves the watermark (a fold).
 * Backends only keep the rows.
 */
#ifndef STORE_PROJECTOR_H
#define STORE_PROJECTOR_H

#include "store/engine.h"

/* One session as it is at the snapshot. */
struct shown {
    int64_t sid;
    struct list_row row; /* row.body is not filled while it is worked on */
    struct list_body body;
    bool gone;      /* purged */
    unsigned ahead; /* which previews were read ahead: 1 the user's, 2 the agent's */
};

struct overlay {
    struct bough_arena *a;
    struct map shown; /* sid -> struct shown * */
    int64_t from, to; /* the watermark, and the last no that was applied */
    size_t rows;
};

/* Apply everything pending. `only` > 0: just what concerns that session. */
enum bough_rc overlay_build(struct snap *snap, struct bough_arena *a, int64_t only,
                            struct overlay *out, struct bough_error *err);
void overlay_finish(struct overlay *o);
struct shown *overlay_get(const struct overlay *o, int64_t sid); /* NULL: nothing pending for it */

/* The list row of a session, pending changes included. */
enum bough_rc shown_get(struct snap *snap, struct bough_arena *a, int64_t sid, struct shown *out,
                        struct bough_error *err);
/* A stored list row, unpacked. */
enum bough_rc shown_read(const struct list_row *row, struct shown *out, struct bough_error *err);

/* The same without what is pending; a session without a row yet gets an empty one. */
enum bough_rc shown_load(struct snap *snap, struct bough_arena *a, int64_t sid, struct shown *out,
                         struct bough_error *err);
/* Fill in the columns that come from the session and head rows as they are. */
enum bough_rc shown_identity(struct snap *snap, struct bough_arena *a, struct shown *sh,
                             struct bough_error *err);

struct bough_totals shown_rolled(const struct list_body *b);
void shown_add(struct bough_totals *sum, const struct bough_totals *t);
void shown_sub(struct bough_totals *sum, const struct bough_totals *t);

struct fold {
    struct txn txn;
    size_t rows; /* log rows it folds */
    struct bough_arena *a;
};

/* A txn that writes the overlay and moves the watermark; no changes when nothing is pending. */
enum bough_rc fold_prepare(struct engine *e, const struct patience *p, struct fold *out,
                           struct bough_error *err);
void fold_finish(struct fold *f);

enum { FOLD_AGAIN_US = 100000 }; /* rest after a fold that failed */

/* A fold that whoever writes next takes along. */
struct ready_fold {
    struct fold fold;
    size_t seen; /* e->pending when it was made */
};

/* Fold what is pending; *out is NULL when that is nothing. Needs no role: should somebody else fold
 * meanwhile, the txn loses its guard. `seen` is e->pending, read before. */
enum bough_rc ready_fold_make(struct engine *e, size_t seen, struct ready_fold **out,
                              struct bough_error *err);
void ready_fold_free(struct ready_fold *f); /* NULL is fine */

/* How many log rows are pending. */
enum bough_rc pending_count(struct snap *snap, size_t *n, struct bough_error *err);

#endif
