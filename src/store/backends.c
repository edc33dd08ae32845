/* The list of backends. A new one is a folder and a line here. */
#include "store/backend.h"
#include "store/memory/memory.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/sqlite.h"

const struct backend_ops *const all_backends[] = {
    &memory_backend,
    &sqlite_backend,
    &postgres_backend,
    NULL,
};
