/* Runs git, bounded in time and output; and the trees that it makes of a workspace. */
#ifndef RUN_EXTERNAL_GIT_H
#define RUN_EXTERNAL_GIT_H

#include <stdbool.h>
#include <stdint.h>

#include "run/external/diff.h"

struct git_call {
    const char *dir;         /* git -C */
    const char *const *argv; /* behind "git -C DIR", ended by NULL */
    const char *index;       /* GIT_INDEX_FILE; NULL: the repository's */
    struct bough_str in;     /* its standard input */
    size_t most;             /* bytes of output; 0: 16 MB */
};

enum { GIT_MS = 60 * 1000 };

/* True: it exited with 0. *out has the output, in `a`; with false the beginning of what it wrote to
 * standard error, if that is known. */
bool git_run(struct bough_arena *a, const struct git_call *in, struct bough_str *out);

/* ---- two trees of a workspace ---- */

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
