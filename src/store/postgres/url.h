/* What a store's URL says. */
#ifndef STORE_POSTGRES_URL_H
#define STORE_POSTGRES_URL_H

#include "base/arena.h"

#include <stdbool.h>

struct url {
    const char *const *keys, *const *values; /* for libpq, NULL at the end */
    const char *name;                        /* to show: without a password */
    const char *schema;
    bool unprepared; /* prepare=off: behind a pooler that shares sessions */
};

/* `rest`: what follows "postgres:". */
enum bough_rc pg_url_parse(struct bough_arena *a, const char *rest, struct url *out,
                           struct bough_error *err);

#endif
