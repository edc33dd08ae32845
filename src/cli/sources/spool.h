/* Standard input as a file: importing needs to read some bytes twice. */
#ifndef CLI_SOURCES_SPOOL_H
#define CLI_SOURCES_SPOOL_H

#include <bough/arena.h>
#include <bough/error.h>

struct spool {
    const char *path; /* open it to read the copy; NULL: nothing was copied */
    const char *name; /* "stdin:" and a checksum of the bytes: the same input has the same name */
    int fd;
};

/* Copy standard input, up to its end, into an unnamed temporary file. */
BOUGH_MUST_CHECK enum bough_rc spool_stdin(struct bough_arena *a, struct spool *out,
                                           struct bough_error *err);
void spool_close(struct spool *s); /* an all-zero struct is allowed */

#endif
