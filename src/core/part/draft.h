/*
 * Drafts: an open message, as a stream of steps. Pure.
 *
 * An offset in the stream counts the bytes of all steps before it. It does not depend on how steps
 * are grouped: text that arrived in a hundred pieces and is stored in one row has the same offsets.
 * A follower passes its last offset and receives the bytes after it.
 */
#ifndef CORE_PART_DRAFT_H
#define CORE_PART_DRAFT_H

#include <bough/message.h>

#include "base/memory/buf.h"

/* State of a part, known without building its JSON. */
struct draft_part {
    enum bough_part_type type;
    enum bough_tool_state state;
    bool grows;    /* text can be appended to it */
    size_t text;   /* bytes of text appended so far */
    size_t latest; /* index of the run with its JSON: the added part or the latest tool state */
};

/* One step, or consecutive text steps of one part. Its bytes end where the next run begins. */
struct draft_run {
    enum bough_step_kind kind;
    size_t part;
    size_t from; /* offset in the stream */
    size_t at;   /* BOUGH_STEP_TEXT: offset in the text appended to its part */
};

struct draft {
    struct buf bytes; /* of all steps */
    struct draft_run *runs;
    size_t nruns;
    struct draft_part *parts;
    size_t nparts;
    int64_t last; /* number of the last step */
};

void draft_init(struct draft *d);
void draft_finish(struct draft *d);

/*
 * Check a step and append it. On failure the draft is unchanged: BOUGH_INVALID, BOUGH_INVALID_PART,
 * BOUGH_TOO_LARGE, or BOUGH_CONFLICT for a tool state that cannot follow the present one (A11).
 */
enum bough_rc draft_step(struct draft *d, const struct bough_step *step, struct bough_error *err);

/* The offset at the end of the stream. */
static inline size_t draft_size(const struct draft *d)
{
    return d->bytes.n;
}

/*
 * Pack the steps after an offset into a row's body, with a checksum. `from` must be the end of a
 * step. The steps are compressed if they have `zstd_from` bytes or more (0: never).
 */
struct bough_str draft_pack(struct bough_arena *a, const struct draft *d, size_t from,
                            size_t zstd_from);
/*
 * Append the steps of a row; `last` is the number of its last step. Rows must come in order.
 * BOUGH_CORRUPT when the body is damaged; some of its steps may then have been appended.
 */
enum bough_rc draft_unpack(struct draft *d, struct bough_str body, int64_t last,
                           struct bough_error *err);

/* The d->nparts parts in their present state, in `a`. */
struct bough_part *draft_parts(struct bough_arena *a, const struct draft *d);

/* The *n steps after an offset, in `a`; consecutive text of one part is one delta. */
struct bough_delta *draft_deltas(struct bough_arena *a, const struct draft *d, size_t from,
                                 size_t *n);

/*
 * Finish a tool part that will get no result: pending and running become the error "interrupted"
 * (A11, C20). Other parts are returned unchanged.
 */
struct bough_part draft_interrupt(struct bough_arena *a, struct bough_part part, int64_t now);

#endif
