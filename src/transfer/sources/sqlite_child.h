/* The child process that reads another tool's SQLite file, and the frames that it writes. */
#ifndef TRANSFER_SOURCES_SQLITE_CHILD_H
#define TRANSFER_SOURCES_SQLITE_CHILD_H

#include <sqlite3.h>
#include <sys/stat.h>

#include "base/memory/buf.h"
#include "transfer/sources/tables.h"

/* Each frame has two texts, here in brackets. */
enum sqlite_frame {
    FRAME_FORMAT = 1, /* the file is open [name of its format][] */
    FRAME_COUNT,      /* sessions that follow [][number] */
    FRAME_ROW,        /* a row [name of its query][JSON object] */
    FRAME_PROBLEM,    /* [][a sentence] */
    FRAME_SESSION,    /* the end of a session [][] */
    FRAME_END,        /* everything was read [][] */
    FRAME_FAILED,     /* [message]['A' + bough_rc] */
};

struct sqlite_frame_head {
    uint64_t kind, n; /* n: bytes that follow */
};

enum sqlite_how {
    OPEN_LOCKED, /* not in WAL mode: SQLite's locks exclude writers while a statement runs */
    OPEN_SHARED, /* WAL and its index exist: read a snapshot, without writing to the index */
    OPEN_LONELY, /* WAL without its index: no process has the file open */
    OPEN_FROZEN, /* WAL mode but no WAL: opening normally would create one */
};

enum { SQLITE_QUERIES_MOST = 16 };

struct sqlite_child {
    const char *path, *name; /* name: the required format, or NULL */
    enum sqlite_how how;
    struct bough_arena *a;   /* lives as long as the reading */
    struct bough_arena *row; /* reset after each row */
    int out;                 /* the pipe */
    struct buf frames;       /* not written yet */

    sqlite3 *db;
    const struct format *format;
    struct stat seen;
    struct tables tables;
    const char *odd; /* name of a view or virtual table */
    bool preparing;  /* the temporary tables of the format are created now */
    int64_t until;   /* deadline for the current row */
    struct {
        const struct format_query *q;
        sqlite3_stmt *st;
    } asked[SQLITE_QUERIES_MOST];
    size_t nasked;
};

/* How to open the file; `logs`: its header says WAL mode. */
enum sqlite_how sqlite_child_how(struct sqlite_child *f, bool logs);

/* Open the file and recognize its format. BOUGH_INVALID when no format knows the tables or one has
 * generated columns, BOUGH_CORRUPT when they cannot be read, BOUGH_CONFLICT when a write was
 * interrupted, BOUGH_BUSY when locked. */
BOUGH_MUST_CHECK enum bough_rc sqlite_child_open(struct sqlite_child *f, const char *name,
                                                 struct bough_error *err);
enum bough_rc sqlite_child_fail(struct sqlite_child *f, int code, struct bough_error *err);
enum bough_rc sqlite_child_rc(int code);
void sqlite_child_be_patient(struct sqlite_child *f); /* begin the time for the next row */

/* What the child runs: opens the file, and writes frames to `out`. `user` is a struct
 * sqlite_child with path, name, how and a. */
void sqlite_child_run(void *user, int out);

#endif
