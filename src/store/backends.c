/* The list of backends. A new one is a folder and a line here. */
#include "store/backend.h"

#include <string.h>

#include "store/memory/memory.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/sqlite.h"

const struct backend_ops *const all_backends[] = {
    &memory_backend,
    &sqlite_backend,
    &postgres_backend,
    NULL,
};

/* What follows "scheme:"; NULL: the URL does not begin so. */
static const char *behind_scheme(const char *url, const char *scheme)
{
    size_t n = scheme ? strlen(scheme) : 0;

    return n && strncmp(url, scheme, n) == 0 && url[n] == ':' ? url + n + 1 : NULL;
}

/* "scheme:rest"; a plain path is a SQLite file. */
const struct backend_ops *backend_choose(const char *url, const char **rest)
{
    for (size_t i = 0; all_backends[i]; i++) {
        *rest = behind_scheme(url, all_backends[i]->scheme);
        if (!*rest)
            *rest = behind_scheme(url, all_backends[i]->also);
        if (*rest)
            return all_backends[i];
    }
    *rest = url;
    return strstr(url, "://") ? NULL : &sqlite_backend;
}
