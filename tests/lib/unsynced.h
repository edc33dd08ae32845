/* SQLite without fsync, for speed in tests that do not lose power. */
#ifndef UNSYNCED_H
#define UNSYNCED_H

#include <sqlite3.h>
#include <stdlib.h>

#include "store/sqlite/sqlite.h"

static int sync_nothing(sqlite3_file *f, int flags)
{
    (void)f;
    (void)flags;
    return SQLITE_OK;
}

/* Copies of the real VFS's method tables with xSync replaced. The real VFS has a few tables. */
static const sqlite3_io_methods *unsynced(const sqlite3_io_methods *real)
{
    static struct {
        const sqlite3_io_methods *real;
        sqlite3_io_methods ours;
    } known[8];
    size_t i = 0;

    while (i < 7 && known[i].real && known[i].real != real)
        i++;
    if (known[i].real && known[i].real != real)
        abort();
    if (!known[i].real) {
        known[i].ours = *real;
        known[i].ours.xSync = sync_nothing;
        known[i].real = real;
    }
    return &known[i].ours;
}

static int open_unsynced(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
    sqlite3_vfs *real = v->pAppData;
    int code = real->xOpen(real, name, f, flags, out);

    if (f->pMethods)
        f->pMethods = unsynced(f->pMethods);
    return code;
}

/* Stores opened from now on are not synced. */
static void use_unsynced(void)
{
    static sqlite3_vfs vfs;

    sqlite3_initialize();
    vfs = *sqlite3_vfs_find(NULL);
    vfs.pAppData = sqlite3_vfs_find(NULL);
    vfs.pNext = NULL;
    vfs.zName = "unsynced";
    vfs.xOpen = open_unsynced;
    sqlite3_vfs_register(&vfs, 0);
    sqlite_backend_use_vfs("unsynced");
}

#endif
