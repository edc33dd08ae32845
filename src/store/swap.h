/* Replacing a store's file: used by backup, restore and rescue. At every moment the target is
 * either the old file or the new file, complete. */
#ifndef STORE_SWAP_H
#define STORE_SWAP_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>

#include "store/sqlite/sqlite.h"

/* The file path in "sqlite:PATH" or in a plain path. BOUGH_INVALID when the URL is not a file. */
enum bough_rc swap_path(const char *url, const char **path, struct bough_error *err);
/* Is there anything at the path? NULL: no. */
bool file_there(const char *path);

/* A copy that is being built beside its final path. */
struct new_file {
    struct bough_arena *a;
    const char *path; /* final path */
    const char *temp; /* current path; "" before it is created */
    int lock;         /* descriptor that holds its lock */
};

/* Create an empty file. New files that killed processes left for the same path are removed. */
enum bough_rc new_file_make(struct new_file *d, struct bough_error *err);
void new_file_finish(struct new_file *d); /* at the end; one that was not placed stays */
/* Sync the closed copy and remove the files beside it. */
enum bough_rc new_file_seal(struct new_file *d, struct bough_error *err);
/* Rename without replacing a file that appeared at the path meanwhile. */
enum bough_rc new_file_place(struct new_file *d, struct bough_error *err);
void new_file_drop(struct new_file *d); /* remove the copy */

enum { SWAP_LOGS = 2 };

/* A sealed new file that replaces the store at its path. */
struct swap {
    struct new_file d;
    struct sqlite_seized *old; /* exclusive lock on the old store; NULL: there is none */
    bool force;                /* do not keep the old store */
    bool untouched;            /* do not checkpoint the old store's WAL into it */
    int64_t now;
    const char *word;      /* the kept file is named PATH.before-WORD-TIME */
    const char *kept;      /* new name of the old store */
    bool linked;           /* the old store has a second link named `kept` */
    bool moved[SWAP_LOGS]; /* its log was renamed to go with `kept` */
};

enum bough_rc swap_in(struct swap *w, struct bough_error *err);

#endif
