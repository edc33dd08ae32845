/* A progress bar on stderr, shown only on a terminal and only after half a second. */
#ifndef CLI_KIT_PROGRESS_H
#define CLI_KIT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
    const char *what; /* "Copying" */
    bool bytes;       /* the numbers are bytes */
    int64_t started;  /* 0: not started */
    int64_t drawn;    /* time of the last drawing; 0: never */
};

/* Report progress; `total` is 0 when unknown. Always returns true, so it can be a progress
 * callback. */
bool progress_tell(void *progress, int64_t done, int64_t total);
void progress_end(struct progress *p); /* erases the bar */

/* Format the bar, in at most `width` columns. Pure. */
void progress_line(const struct progress *p, int64_t done, int64_t total, size_t width, char *out,
                   size_t size);

#endif
