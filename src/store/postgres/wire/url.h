/* Parsing of a store URL into connection parameters. */
#ifndef STORE_POSTGRES_WIRE_URL_H
#define STORE_POSTGRES_WIRE_URL_H

#include "base/memory/arena.h"

#include <stdbool.h>

enum { HOSTS_MOST = 8 };

struct url {
    const char *const *keys;               /* for libpq; NULL-terminated */
    const char *const *values[HOSTS_MOST]; /* for each host, the parameters with that host first */
    size_t nhosts;                         /* number of hosts, at most HOSTS_MOST */
    const char *name;                      /* for messages, without the password */
    const char *schema;
    bool unprepared; /* prepare=off: a pooler shares sessions */
};

/* Parse the part of the URL after "postgres:". BOUGH_INVALID when it is malformed, or when it would
 * reach another machine without sslmode=verify-full. */
enum bough_rc pg_url_parse(struct bough_arena *a, const char *rest, struct url *out,
                           struct bough_error *err);

#endif
