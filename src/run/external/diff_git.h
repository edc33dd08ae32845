/* Two trees of a workspace, for the files of this folder. */
#ifndef RUN_EXTERNAL_DIFF_GIT_H
#define RUN_EXTERNAL_DIFF_GIT_H

#include "run/external/diff.h"

struct diff_state {
    const char *root, *head, *branch; /* head and branch may be NULL */
    const char *before, *after;       /* trees; `after` is NULL while the run works */
};

/* The state in a run's `git`. False: there is none. */
bool diff_state_read(struct bough_arena *a, struct bough_str json, struct diff_state *out);

/* The files that differ. */
BOUGH_MUST_CHECK enum bough_rc diff_between(struct bough_arena *a, const struct diff_state *s,
                                            struct diff_files *out, struct bough_error *err);

/* The diff of these paths, or of all (n 0), with binary files, so that it can be applied. */
BOUGH_MUST_CHECK enum bough_rc diff_text_of(struct bough_arena *a, const struct diff_state *s,
                                            const char *const *paths, size_t n,
                                            struct bough_str *out, struct bough_error *err);

#endif
