/* Internals of importing a file, shared by import.c, import_read.c and import_mark.c. */
#ifndef TRANSFER_IMPORT_IMPORT_H
#define TRANSFER_IMPORT_IMPORT_H

#include "base/hash/sha256.h"
#include "base/limits.h"
#include "base/memory/buf.h"
#include "base/os/process.h"
#include "transfer/import/placer.h"
#include "transfer/pipeline/item_queue.h"

struct sqlite_file;

struct import {
    struct bough_store *s;
    const struct bough_import_file_options *how;
    const char *path, *name; /* name: the key of this file in the store's import sources */
    int fd;
    bool gathered; /* fd is a temporary file: unpacked, or assembled from several files */
    bool storage;  /* assembled from the files of opencode's storage */
    struct sqlite_file *rows; /* set when the file is a SQLite file */
    int64_t size, done;
    struct bough_source *source; /* the state an earlier import left, or NULL */
    char owner[32 + PROCESS_TEXT];
    int64_t since, renewed; /* items since the claim was renewed, and progress by then */
    struct placer placer;
    int64_t placed; /* progress: bytes of the file whose items are placed */

    /* While read_beside() runs, the reader thread owns the members from here on. */
    struct bough_arena *a;    /* lives as long as the reading */
    struct item_queue *queue; /* where the items go; NULL: nowhere, the sink places them */
    struct reading reading;
    int64_t lines;   /* read, without those read again */
    int64_t known;   /* bytes that an earlier import read */
    bool again;      /* re-reading known lines: only their session is placed */
    struct buf rest; /* the line whose end is not read yet; `over`: it is too long */
    int64_t rest_bytes;
    bool whole;   /* read all of the file, whatever an earlier import left */
    bool summing; /* `sum` has begun: with the first byte of the file, or all before `done` */
    struct sha256 sum;
    /* Checksum of the bytes an earlier import read, and of the whole file. */
    char before[65], after[65];
    /* Where the next import can continue; !can: it must read the whole file. */
    struct resume {
        bool can;
        int64_t byte, lines;
        struct buf state;
    } resume;
    char mark[LIMIT_ID]; /* the state to store, see import_mark.c */
    int64_t told;        /* bytes of a document that were reported as progress */
};

/* ---- import_read.c ---- */

/* Read the whole file, or the bytes after the point that import_resume() found, and give the items
 * to the sink. */
enum bough_rc import_read(struct import *im, struct bough_error *err);
/* Continue after an earlier import, if possible; *on says whether. BOUGH_CONFLICT: the whole file
 * must be read. */
enum bough_rc import_resume(struct import *im, bool *on, struct bough_error *err);
/* Report progress in the caller's thread. BOUGH_CANCELLED: the caller wants to stop. */
enum bough_rc import_tell(struct import *im, int64_t done, struct bough_error *err);
/* Set im->after from im->sum and free that, if it has begun. */
void import_end_sum(struct import *im);
/* Compute the checksum of the whole file. */
enum bough_rc import_sum(struct import *im, struct bough_error *err);

/* ---- import_mark.c ---- */

/* Where an earlier import ended, and what its format needs to continue there. */
struct mark {
    int64_t byte, lines;
    struct line_place first, again;
    const char *state;
};

/* False: no resume point, or the file's bytes changed. */
bool mark_read(struct import *im, struct mark *out);
/* Set im->mark from im->resume. */
void mark_make(struct import *im);
/* Does the mark begin with this checksum of the whole file? */
bool mark_has_sum(const char *mark, const char *sum);

#endif
