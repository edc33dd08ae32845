/* Leases of sessions and open messages: when one ends. */
#ifndef STORE_ENGINE_LEASE_H
#define STORE_ENGINE_LEASE_H

#include <bough/error.h>
#include <stdint.h>

#include "base/limits.h"

enum { LEASE_MS = 60000 }; /* the default, where the caller gives 0 */

/* BOUGH_INVALID for a lease that is negative or longer than a day. */
static inline enum bough_rc lease_check(int64_t lease_ms, struct bough_error *err)
{
    return lease_ms >= 0 && lease_ms <= LIMIT_LEASE_MS
               ? BOUGH_OK
               : bough_fail(err, BOUGH_INVALID, "a lease lasts from 1 ms to a day, not %lld ms",
                            (long long)lease_ms);
}

/* now + lease_ms (0: the default), INT64_MAX on overflow. */
static inline int64_t lease_end(int64_t now, int64_t lease_ms)
{
    int64_t end;

    return __builtin_add_overflow(now, lease_ms ? lease_ms : LEASE_MS, &end) ? INT64_MAX : end;
}

#endif
