/* The projector derives list rows and spend rows from the changelog. It applies the changelog rows
 * after the watermark to the list rows of the sessions they touch, and adds up what they spent: in
 * memory for a reader (an overlay, which makes every read exact), or as a txn that also advances
 * the watermark (a fold). Backends only store the rows. */
#ifndef STORE_PROJECT_PROJECTOR_H
#define STORE_PROJECT_PROJECTOR_H

#include "store/engine/engine.h"
#include "store/project/spends.h"

/* The list row of one session at the snapshot. */
struct summary {
    int64_t sid;
    struct list_row row; /* row.body is empty while this is worked on; `body` holds its content */
    struct list_body body;
    bool gone;      /* purged */
    unsigned ahead; /* prefetched previews: 1 user, 2 agent */
    bool recount;   /* an entry was deleted or restored: errors and the last message anew */
};

/* The list rows that differ from the stored ones. */
struct overlay {
    struct bough_arena *a;
    struct map summaries; /* sid -> struct summary * */
    int64_t from, to;     /* the watermark, and the last number applied */
    size_t rows;          /* changelog rows applied */
    struct spends spends; /* what they spent; empty when only one session is computed */
};

/* Apply all pending changelog rows. `only` > 0: compute just that session. The rows live in `a`;
 * the caller must call overlay_finish(), also after an error. */
enum bough_rc overlay_build(struct snap *snap, struct bough_arena *a, int64_t only,
                            struct overlay *out, struct bough_error *err);
void overlay_finish(struct overlay *o);
struct summary *overlay_get(const struct overlay *o, int64_t sid); /* NULL: no pending change */

/* The list row of a session, pending changes included. */
enum bough_rc summary_get(struct snap *snap, struct bough_arena *a, int64_t sid,
                          struct summary *out, struct bough_error *err);
/* Unpack a stored list row; `out` borrows from `row`. */
enum bough_rc summary_read(const struct list_row *row, struct summary *out,
                           struct bough_error *err);

/* The stored list row of a session, without pending changes. A session without a row gets an empty
 * one. */
enum bough_rc summary_load(struct snap *snap, struct bough_arena *a, int64_t sid,
                           struct summary *out, struct bough_error *err);
/* Fill the columns that come from the session and head rows. */
enum bough_rc summary_identity(struct snap *snap, struct bough_arena *a, struct summary *sh,
                               struct bough_error *err);

/* Totals of a session with its subagents and adjustments; add and subtract totals. */
struct bough_totals summary_rolled(const struct list_body *b);
void summary_add(struct bough_totals *sum, const struct bough_totals *t);
void summary_sub(struct bough_totals *sum, const struct bough_totals *t);

/* A txn that folds; owns its arena. */
/* Prepare a relaxed txn that writes the overlay and advances the watermark, guarded by the old
 * watermark; *out is NULL when nothing is pending. Does not need the writer role: if another
 * process folds first, the txn loses its guard. `seen` is e->folds.pending, read before the call.
 */
enum bough_rc fold_prepare(struct engine *e, size_t seen, struct ready_fold **out,
                           struct bough_error *err);

/* Add the changes that write pending spend rows. */
void fold_spends(struct prep *p, const struct spends *s);

/* Each spend row that meets all conditions of `q`, stored ones and what pending changes add to
 * them, with its project and account resolved: rows of older versions have those of their session.
 * A key may come twice. `o` is built from the same snapshot. */
enum bough_rc spend_each(struct snap *snap, const struct overlay *o, const struct spend_query *q,
                         spend_fn fn, void *user, struct bough_error *err);
/* The list row of a session, pending changes included. */
enum bough_rc spend_session(struct snap *snap, struct bough_arena *a, const struct overlay *o,
                            int64_t sid, struct list_row *out, struct bough_error *err);

/* Number of pending changelog rows. */
enum bough_rc pending_count(struct snap *snap, size_t *n, struct bough_error *err);

#endif
