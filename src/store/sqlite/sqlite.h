/* The SQLite backend: one file, many processes, one writer at a time. */
#ifndef STORE_SQLITE_SQLITE_H
#define STORE_SQLITE_SQLITE_H

#include "store/backend.h"

extern const struct backend_ops sqlite_backend;

/* "3.53.4 <source id>" of the SQLite inside. */
const char *sqlite_backend_version(void);

/* Tests: stores opened from now on use this VFS; NULL is the default one. The name is kept. */
void sqlite_backend_use_vfs(const char *name);

#endif
