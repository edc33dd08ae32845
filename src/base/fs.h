/* Files and directories: the few whole-file operations the library and its tests need. */
#ifndef BASE_FS_H
#define BASE_FS_H

#include <bough/arena.h>
#include <bough/error.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Make the directory and its missing parents. Being there already is fine. */
BOUGH_MUST_CHECK enum bough_rc fs_mkdirs(const char *path, mode_t mode, struct bough_error *err);

/* Read a whole file, NUL added. BOUGH_TOO_LARGE past `max` bytes, BOUGH_NOT_FOUND if absent. */
BOUGH_MUST_CHECK enum bough_rc fs_read(struct bough_arena *a, const char *path, size_t max,
                                       struct bough_str *out, struct bough_error *err);

/*
 * Write a file so that after a crash it is there whole or not at all: temporary file, fsync,
 * rename, fsync of the directory. fs_write_new refuses a path that exists (BOUGH_EXISTS).
 */
BOUGH_MUST_CHECK enum bough_rc fs_write_new(const char *path, struct bough_str data, mode_t mode,
                                            struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc fs_write(const char *path, struct bough_str data, mode_t mode,
                                        struct bough_error *err);

/* A fresh directory (mode 0700) under $TMPDIR or /tmp. NULL when that cannot be made. */
char *fs_temp_dir(struct bough_arena *a, const char *prefix);

/* A file without a name there, for reading and writing: it is gone with its descriptor, whatever
 * happens. -1 when that cannot be made. */
int fs_nameless(void);

/* Remove a file or a directory with all it holds; links are removed, not followed. */
bool fs_remove_tree(const char *path); /* true when nothing is left */

bool fs_exists(const char *path);
int64_t fs_size(const char *path); /* bytes of a regular file, -1 when it is none */

/* "a/b" with exactly one slash between; an absolute b stands alone. */
char *fs_join(struct bough_arena *a, const char *dir, const char *name);

/*
 * Is the path (or, if absent, its directory) on a network or unknown FUSE file system, where
 * locks and mmap cannot be trusted?
 */
bool fs_network(const char *path);

/* The rc that fits an errno value: BOUGH_DENIED, BOUGH_FULL, BOUGH_NOT_FOUND ... else BOUGH_IO. */
enum bough_rc fs_rc(int errnum);

#endif
