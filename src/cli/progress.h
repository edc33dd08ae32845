/* A progress bar on stderr: only for a person, and only when it takes longer than half a second. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    const char *what; /* "Copying" */
    bool bytes;       /* the numbers are bytes */
    int64_t started;  /* 0: not yet */
    int64_t drawn;    /* when it was drawn last; 0: never */
};

/* Tell how far it is; `total` 0 when nobody knows. Always true: it is a progress callback too. */
bool progress_tell(void *progress, int64_t done, int64_t total);
void progress_end(struct progress *p); /* wipes it away */

/* The bar itself, in at most `width` columns. Pure. */
void progress_line(const struct progress *p, int64_t done, int64_t total, size_t width, char *out,
                   size_t size);

#endif
