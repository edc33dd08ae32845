/* Leases of sessions and open messages: when one ends. */
#ifndef STORE_ENGINE_LEASE_H
#define STORE_ENGINE_LEASE_H

#include <stdint.h>

enum { LEASE_MS = 60000 }; /* the default */

/* now + lease_ms, INT64_MAX on overflow. */
static inline int64_t lease_end(int64_t now, int64_t lease_ms)
{
    int64_t end;

    return __builtin_add_overflow(now, lease_ms, &end) ? INT64_MAX : end;
}

#endif
