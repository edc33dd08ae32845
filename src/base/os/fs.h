/* Files and directories: the few whole-file operations the library and its tests need. */
#ifndef BASE_OS_FS_H
#define BASE_OS_FS_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Create the directory and its missing parents. Succeeds if it exists. BOUGH_EXISTS when the path
 * is something else, BOUGH_INVALID when the path is empty or too long.
 */
BOUGH_MUST_CHECK enum bough_rc fs_mkdirs(const char *path, mode_t mode, struct bough_error *err);

/*
 * Read a whole file into the arena, NUL added. BOUGH_TOO_LARGE past `max` bytes, BOUGH_NOT_FOUND
 * if absent, BOUGH_INVALID for a directory.
 */
BOUGH_MUST_CHECK enum bough_rc fs_read(struct bough_arena *a, const char *path, size_t max,
                                       struct bough_str *out, struct bough_error *err);

/*
 * Write a file atomically and durably: temporary file, fsync, rename, fsync of the directory.
 * After a crash the path holds the old contents or all of the new. `mode` is applied whatever the
 * umask. fs_write_new fails with BOUGH_EXISTS if the path exists; fs_write replaces the file.
 */
BOUGH_MUST_CHECK enum bough_rc fs_write_new(const char *path, struct bough_str data, mode_t mode,
                                            struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc fs_write(const char *path, struct bough_str data, mode_t mode,
                                        struct bough_error *err);

/* Create a new directory (mode 0700) under $TMPDIR or /tmp. NULL when that fails. */
char *fs_temp_dir(struct bough_arena *a, const char *prefix);

/*
 * Open an unnamed temporary file there for reading and writing. It disappears when its descriptor
 * is closed, also after a crash. Returns the descriptor, or -1.
 */
int fs_nameless(void);

/* Remove a file or a directory tree. Symbolic links are removed, not followed. */
bool fs_remove_tree(const char *path); /* true when nothing is left, also if it never existed */

bool fs_exists(const char *path);
int64_t fs_size(const char *path); /* in bytes; -1 unless it is a regular file */

/* "dir/name" with exactly one slash between; `name` alone when it is absolute or `dir` is empty. */
char *fs_join(struct bough_arena *a, const char *dir, const char *name);

/*
 * Is the path (or, if it does not exist, its directory) on a network or FUSE file system, where
 * locks and mmap are unreliable? False when that cannot be determined.
 */
bool fs_network(const char *path);

/* The code for an errno value: BOUGH_DENIED, BOUGH_FULL, BOUGH_NOT_FOUND ...; else BOUGH_IO. */
enum bough_rc fs_rc(int errnum);

#endif
