/* Files below a workspace. No path leads out of it: not with "..", not from "/", not over a
 * symbolic link, not while folders are renamed. The kernel resolves paths (openat2). */
#ifndef TOOLS_BUILTIN_BENEATH_H
#define TOOLS_BUILTIN_BENEATH_H

#include <bough/arena.h>
#include <bough/error.h>
#include <stdbool.h>
#include <sys/types.h>

/* The path as the functions below want it: relative to the workspace, "." for itself. A path from
 * "/" that begins with the workspace's own is accepted. BOUGH_DENIED: it leads elsewhere. */
BOUGH_MUST_CHECK enum bough_rc beneath_path(struct bough_arena *a, const char *workspace,
                                            const char *path, const char **out,
                                            struct bough_error *err);

/* Open for reading: a regular file, or a folder (`folder`). Links that stay inside are followed.
 * BOUGH_DENIED: it leads outside. BOUGH_INVALID: it is something else. */
BOUGH_MUST_CHECK enum bough_rc beneath_open(int dir, const char *path, bool folder, int *fd,
                                            struct bough_error *err);

/* Read a whole regular file. BOUGH_TOO_LARGE: it has more than `most` bytes. */
BOUGH_MUST_CHECK enum bough_rc beneath_read(struct bough_arena *a, int dir, const char *path,
                                            size_t most, struct bough_str *out,
                                            struct bough_error *err);

/*
 * Replace a file as a whole, or create it, with the folders above it. Its mode stays. A reader sees
 * the old contents or the new. BOUGH_DENIED: outside, over a symbolic link, or in ".git",
 * whose files make git run programs. *created: there was none.
 */
BOUGH_MUST_CHECK enum bough_rc beneath_write(int dir, const char *path, struct bough_str data,
                                             bool *created, struct bough_error *err);

#endif
