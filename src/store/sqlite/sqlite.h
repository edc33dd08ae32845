/* The SQLite backend: one file, many processes, one writer at a time. Also what backup and restore
 * do to store files. */
#ifndef STORE_SQLITE_SQLITE_H
#define STORE_SQLITE_SQLITE_H

#include "store/contract/backend.h"

extern const struct backend_ops sqlite_backend;

/* The version and source id of the built-in SQLite: "3.53.4 <source id>". */
const char *sqlite_backend_version(void);

/* For tests: stores opened from now on use this VFS; NULL selects the default. `name` is not
 * copied. */
void sqlite_backend_use_vfs(const char *name);

/*
 * Restore replaces a file that must not be open anywhere. sqlite_seize() takes an exclusive lock on
 * the store at `path` and holds it until sqlite_unseize().
 *
 * BOUGH_NOT_FOUND: there is no such file. BOUGH_BUSY: a process has it open. BOUGH_INVALID: the
 * file is not a store. A damaged store can be seized; *epoch is then -1. *epoch is 0 for an empty
 * file.
 */
struct sqlite_seized;
enum bough_rc sqlite_seize(const char *path, struct sqlite_seized **out, int64_t *epoch,
                           struct bough_error *err);
/* The same for a file whose header may be damaged: the caller has found a store in it. */
enum bough_rc sqlite_seize_damaged(const char *path, struct sqlite_seized **out,
                                   struct bough_error *err);
/* Checkpoint the WAL of a sound store into its main file. The WAL of a damaged store is left alone,
 * and the call succeeds. */
enum bough_rc sqlite_seized_fold(struct sqlite_seized *z, struct bough_error *err);
void sqlite_unseize(struct sqlite_seized *z); /* NULL is fine; changes no file */

/* Copy a store file of any schema version, including its WAL, into the empty file `to`.
 * BOUGH_CANCELLED when `progress` returns false. */
enum bough_rc sqlite_copy(const char *from, const char *to, copy_fn progress, void *user,
                          struct bough_error *err);
/* Set the epoch of a store that no process has open. The change is checkpointed into the main file.
 * BOUGH_CORRUPT: the store has no epoch. */
enum bough_rc sqlite_epoch_set(const char *path, int64_t epoch, struct bough_error *err);

#endif
