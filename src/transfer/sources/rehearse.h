/* Reads a file in a child process before it is imported in this one. */
#ifndef TRANSFER_SOURCES_REHEARSE_H
#define TRANSFER_SOURCES_REHEARSE_H

#include <bough/error.h>
#include <stdbool.h>

#include "base/os/confined.h"

/* The limits of an upload. */
extern const struct confined_limits rehearse_limits;

/*
 * Give the file to the reader of its format, in a child process with limits, and drop what comes
 * out. A file that crashes the reader, or takes it too much time or memory, ends the child instead
 * of this process: BOUGH_CORRUPT, BOUGH_TIMEOUT or BOUGH_TOO_LARGE. A file that the reader merely
 * refuses is BOUGH_OK: the import says why. SQLite files are not read: their import has a child of
 * its own. `format` NULL: detected. `cancel`, or NULL: gives up when true.
 */
BOUGH_MUST_CHECK enum bough_rc rehearse(const char *path, const char *format,
                                        const struct confined_limits *limits, const bool *cancel,
                                        struct bough_error *err);

#endif
