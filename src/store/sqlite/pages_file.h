/* The pages of a SQLite file as its last commit left them, read without SQLite: the main file, and
 * the frames of its WAL. Nothing is written. */
#ifndef STORE_SQLITE_PAGES_FILE_H
#define STORE_SQLITE_PAGES_FILE_H

#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/map.h"

enum { PAGES_SIZE = 8192 }; /* the page size of all stores */

struct pages_file {
    int file, log;     /* descriptors; log is the WAL, -1: none */
    int64_t npages;    /* pages of the main file */
    int64_t view;      /* pages that belong to the database at its last commit */
    int64_t nframes;   /* complete frames in the WAL */
    int64_t nvalid;    /* frames up to the last commit whose checksums hold */
    uint32_t salt[2];  /* of the current generation of the WAL */
    struct map newest; /* page number -> its newest frame below nvalid, + 1 */
};

enum bough_rc pages_file_open(const char *path, struct pages_file *f, struct bough_error *err);
void pages_file_close(struct pages_file *f);

/* Read a page as SQLite would: its newest committed frame, else the main file. A page that the file
 * ends in is filled up with zeros. */
bool pages_file_read(const struct pages_file *f, int64_t page, unsigned char to[PAGES_SIZE]);

/* Read frame `i` >= nvalid: one that SQLite ignores, because a frame before it is damaged or it was
 * never committed. False: it is left over from an earlier generation of the WAL. */
bool pages_file_stray(const struct pages_file *f, int64_t i, uint32_t *page,
                      unsigned char to[PAGES_SIZE]);

/* Big-endian numbers, as SQLite stores them. */
static inline uint32_t be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static inline uint32_t be16(const unsigned char *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

#endif
