/* Building an overlay: the state shared by projector.c and the files that apply changelog rows. */
#ifndef STORE_PROJECT_OVERLAY_WORK_H
#define STORE_PROJECT_OVERLAY_WORK_H

#include "store/engine/ahead.h"
#include "store/project/projector.h"

/* A user or assistant message that may become a preview. */
struct candidate {
    int64_t sid, bid, depth, no;
    enum bough_role role;
};

/* After the first error `rc` is set and nothing more is applied. */
struct overlay_work {
    struct snap *snap;
    struct overlay *o;
    int64_t only;
    struct candidate *cand;
    size_t ncand;
    struct changelog_row *rows; /* read, not applied yet */
    size_t nrows;
    struct ahead ahead;
    struct map calls; /* sid << 32 | ordinal of calls applied here, with their present price */
    enum bough_rc rc;
    struct bough_error *err;
};

/* The list row of a session, loaded on first use. NULL if `only` excludes it, or after an error. */
struct summary *overlay_touch(struct overlay_work *w, int64_t sid);

/* ---- apply_money.c ---- */

void apply_call(struct overlay_work *w, int64_t sid, int64_t ord);
void apply_adjusts(struct overlay_work *w, const struct changelog_row *row);
void apply_call_delete(struct overlay_work *w, const struct changelog_row *row);
/* A call got another price: everything moves by the difference. */
void apply_reprice(struct overlay_work *w, const struct changelog_row *row);
/* The purged session's spending moves from its heir's `below` into an adjustment of the heir. */
void apply_inheritance(struct overlay_work *w, const struct changelog_row *row);

/* ---- apply_messages.c ---- */

void apply_append(struct overlay_work *w, const struct changelog_row *row);
void apply_entry_delete(struct overlay_work *w, const struct changelog_row *row); /* or restore */
void apply_open(struct overlay_work *w, const struct changelog_row *row);
/* Choose the previews among the candidates, once all rows are applied. */
void settle_previews(struct overlay_work *w);
/* Count errors again where an entry was deleted or restored. */
void settle_outcomes(struct overlay_work *w);

#endif
