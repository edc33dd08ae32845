/* What a store's URL says. */
#ifndef STORE_POSTGRES_URL_H
#define STORE_POSTGRES_URL_H

#include "base/arena.h"

#include <stdbool.h>

enum { HOSTS_MOST = 8 };

struct url {
    const char *const *keys;               /* for libpq, NULL at the end */
    const char *const *values[HOSTS_MOST]; /* the same, each beginning with another host */
    size_t nhosts;                         /* how many of them there are */
    const char *name;                      /* to show: without a password */
    const char *schema;
    bool unprepared; /* prepare=off: behind a pooler that shares sessions */
};

/* `rest`: what follows "postgres:". */
enum bough_rc pg_url_parse(struct bough_arena *a, const char *rest, struct url *out,
                           struct bough_error *err);

#endif
