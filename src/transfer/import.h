/* Importing a file, inside view: what import.c, import_read.c and import_mark.c share. */
#ifndef TRANSFER_IMPORT_H
#define TRANSFER_IMPORT_H

#include "base/buf.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "transfer/place.h"

struct sqlite_file;

struct import {
    struct bough_store *s;
    const struct bough_import *how;
    const char *path, *name; /* name: what later imports know it by */
    int fd;
    bool gathered;            /* fd is no file of the tool: it was put together from several */
    struct sqlite_file *rows; /* it is a SQLite file */
    int64_t size, done;
    struct bough_source *source; /* as an earlier import left it, or NULL */
    char owner[64];
    int64_t since, renewed; /* items since the claim was renewed, and how much was read then */
    struct placer placer;
    struct reading reading;
    bool again;      /* lines that were read before are read once more: only who they belong to */
    struct buf rest; /* of a line that is not whole yet */
    struct sha256 sum;
    char before[65], after[65]; /* sum of what was read before, and of all of it */
    struct resume {             /* how the next reading can go on; state.n 0 and !can: it cannot */
        bool can;
        int64_t byte, lines;
        struct buf state;
    } resume;
    char mark[LIMIT_ID]; /* what is kept of it, see import_mark.c */
    int64_t told;        /* bytes of a document that were told as progress */
};

/* ---- import_read.c ---- */

/* Everything, or what comes behind the place where `resume` went on. */
enum bough_rc import_read(struct import *im, struct bough_error *err);
/* Be where an earlier import ended, when that is possible: *on says so. BOUGH_CONFLICT: all of the
 * file must be read. */
enum bough_rc import_resume(struct import *im, bool *on, struct bough_error *err);
/* The sum of all of it. */
enum bough_rc import_sum(struct import *im, struct bough_error *err);

/* ---- import_mark.c ---- */

/* Where an earlier import ended, and what its format must know to go on from there. */
struct mark {
    int64_t byte, lines;
    struct line_place first, again;
    const char *state;
};

/* False: it says nothing of that, or what stands there is not what stood there. */
bool mark_read(struct import *im, struct mark *out);
void mark_make(struct import *im);
bool mark_has_sum(const char *mark, const char *sum);

#endif
