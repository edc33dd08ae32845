/* Compressed files: gzip and zstd, unpacked before they are imported. */
#ifndef TRANSFER_SOURCES_PACKED_H
#define TRANSFER_SOURCES_PACKED_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>

/* The name of the compression of a file that begins with these bytes; NULL: none that is known. */
const char *packed_with(struct bough_str first);

/* Called with the bytes of the packed file that were read; false: stop. */
typedef bool packed_tell(void *user, int64_t done);

/*
 * Unpack the file into an unnamed temporary file; *out is its descriptor. `name` is for messages.
 * BOUGH_CORRUPT when the file is damaged, BOUGH_TOO_LARGE when it unpacks to more than
 * LIMIT_UNPACKED, BOUGH_FULL when the disk is full, BOUGH_CANCELLED when `tell` stops it.
 */
BOUGH_MUST_CHECK enum bough_rc packed_open(int fd, const char *name, packed_tell *tell, void *user,
                                           int *out, struct bough_error *err);

#endif
