/* The memory backend keeps nothing that a file could be copied from. */
#include "store/memory/memory.h"

enum bough_rc memory_backup(struct view *v, const char *path, copy_fn progress, void *user,
                            struct bough_error *err)
{
    (void)v;
    (void)progress;
    (void)user;
    return bough_fail(err, BOUGH_INVALID,
                      "a memory store has no file; it cannot be backed up to %s", path);
}
