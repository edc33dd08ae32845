/* The SQLite backend: one file, many processes, one writer at a time. */
#ifndef STORE_SQLITE_SQLITE_H
#define STORE_SQLITE_SQLITE_H

#include "store/backend.h"

extern const struct backend_ops sqlite_backend;

/* "3.53.4 <source id>" of the SQLite inside. */
const char *sqlite_backend_version(void);

/* Tests: stores opened from now on use this VFS; NULL is the default one. The name is kept. */
void sqlite_backend_use_vfs(const char *name);

/*
 * Restoring works on files that nobody has open.
 *
 * Keep everybody else from the store at `path`, which is there: BOUGH_BUSY when somebody has it
 * open, BOUGH_INVALID when it is no store. A damaged one is taken, too; then *epoch is -1.
 */
struct sqlite_seized;
enum bough_rc sqlite_seize(const char *path, struct sqlite_seized **out, int64_t *epoch,
                           struct bough_error *err);
/* Bring what the log of a sound store holds into its main file; the log of a damaged one stays. */
enum bough_rc sqlite_seized_fold(struct sqlite_seized *z, struct bough_error *err);
void sqlite_unseize(struct sqlite_seized *z); /* NULL is fine; touches no file */

/* Copy a store file of any format, with its log, into the empty file `to`. */
enum bough_rc sqlite_copy(const char *from, const char *to, copy_fn progress, void *user,
                          struct bough_error *err);
/* Set the epoch of a store that nobody has open; nothing of it stays in a log. */
enum bough_rc sqlite_epoch_set(const char *path, int64_t epoch, struct bough_error *err);

#endif
