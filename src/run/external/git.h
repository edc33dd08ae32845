/* Runs git, bounded in time and output. */
#ifndef RUN_EXTERNAL_GIT_H
#define RUN_EXTERNAL_GIT_H

#include <bough/arena.h>
#include <stdbool.h>
#include <stdint.h>

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

#endif
