/* What the memory backend cannot do: there is no file to copy, and there are no SQL tables. */
#include "store/memory/memory.h"

enum bough_rc memory_backup(struct snapshot *v, const char *path, copy_fn progress, void *user,
                            struct bough_error *err)
{
    (void)v;
    (void)progress;
    (void)user;
    return bough_fail(err, BOUGH_INVALID,
                      "a memory store has no file; it cannot be backed up to %s", path);
}

enum bough_rc memory_query(struct bough_arena *a, const char *path, const char *sql, query_fn *row,
                           void *user, struct bough_error *err)
{
    (void)a;
    (void)path;
    (void)sql;
    (void)row;
    (void)user;
    return bough_fail(err, BOUGH_INVALID, "a memory: store has no SQL tables");
}
