/*
 * Drafts: a message while it is being written, as a stream of steps. Pure.
 *
 * The stream's offset counts the bytes of all steps so far, so that it means the same however they
 * were put together on their way: text that came in a hundred pieces and lies in one row still has
 * a byte at every offset. A follower who knows an offset gets what comes after it.
 */
#ifndef CORE_DRAFT_H
#define CORE_DRAFT_H

#include <bough/message.h>

#include "base/buf.h"

/* What is known of a part without building it. */
struct draft_part {
    enum bough_part_type type;
    enum bough_tool_state state;
    bool grows;    /* text may be added to it */
    size_t text;   /* bytes of text added so far */
    size_t latest; /* index of the run that holds its JSON: added, or the latest tool state */
};

/* Steps of one kind that follow each other; its bytes end where the next run's begin. */
struct draft_run {
    enum bough_step_kind kind;
    size_t part;
    size_t from; /* offset in the stream */
    size_t at;   /* BOUGH_STEP_TEXT: offset in the text added to its part */
};

struct draft {
    struct buf bytes;
    struct draft_run *runs;
    size_t nruns, runs_cap;
    struct draft_part *parts;
    size_t nparts, parts_cap;
    int64_t last; /* number of the last step */
};

void draft_init(struct draft *d);
void draft_finish(struct draft *d);

/* Check one step and take it. BOUGH_INVALID, BOUGH_INVALID_PART, BOUGH_TOO_LARGE, BOUGH_CONFLICT
 * (a tool's state that does not follow, A11): nothing has changed. */
enum bough_rc draft_step(struct draft *d, const struct bough_step *step, struct bough_error *err);

static inline size_t draft_size(const struct draft *d)
{
    return d->bytes.n;
}

/* The steps after an offset as a row's body, with a checksum; compressed from zstd_from on. */
struct bough_str draft_pack(struct bough_arena *a, const struct draft *d, size_t from,
                            size_t zstd_from);
/* Take a row's steps. `last`: the number of its last step. BOUGH_CORRUPT when it is not one. */
enum bough_rc draft_unpack(struct draft *d, struct bough_str body, int64_t last,
                           struct bough_error *err);

/* The parts as they are now, in `a`. */
struct bough_part *draft_parts(struct bough_arena *a, const struct draft *d);

/* The steps after an offset, in `a`; those of the same part together. */
struct bough_delta *draft_deltas(struct bough_arena *a, const struct draft *d, size_t from,
                                 size_t *n);

/* A tool part that will never finish: pending and running become an error that says so (A11, C20).
 * Other parts come back as they are. */
struct bough_part draft_interrupt(struct bough_arena *a, struct bough_part part, int64_t now);

#endif
