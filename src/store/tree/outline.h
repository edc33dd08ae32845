/* The parts of an outline: outline.c lists the branches, outline_marks.c what stands on them. */
#ifndef STORE_TREE_OUTLINE_H
#define STORE_TREE_OUTLINE_H

#include "store/engine/engine.h"

struct outline {
    struct snap *snap;
    struct bough_arena *a, *tmp; /* results; scratch */
    int64_t sid;
    struct bough_tree_outline_result *out;
    struct map page; /* bid -> index in out->branches */
    struct bough_error *err;
};

/* The branch of the page that holds this entry, or NULL. */
const struct bough_outline_branch *outline_branch(const struct outline *o, struct bough_head at);

/* Add the labels, compactions and summaries on the branches of the page. */
enum bough_rc outline_notes(struct outline *o);
/* Add the children: forks on the branches of the page, and subagents. `last`: of subagents also
 * those without a place. */
enum bough_rc outline_children(struct outline *o, const struct bough_sessions *children, bool last);

struct bough_outline_mark *outline_mark(struct outline *o, enum bough_outline_kind kind,
                                        struct bough_head at);

#endif
