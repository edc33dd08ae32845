/* Sources of time and randomness, passed in so that tests can replace them. */
#ifndef BASE_ENV_H
#define BASE_ENV_H

#include <stddef.h>
#include <stdint.h>

struct env {
    int64_t (*now)(void *user);                      /* milliseconds since 1970, UTC */
    void (*random)(void *user, void *out, size_t n); /* unpredictable bytes */
    void *user;
};

/* The machine's clock and the kernel's randomness. Aborts when the kernel gives none. */
extern const struct env env_system;

static inline int64_t env_now(const struct env *e)
{
    return e->now(e->user);
}

static inline void env_random(const struct env *e, void *out, size_t n)
{
    e->random(e->user, out, n);
}

static inline uint64_t env_u64(const struct env *e)
{
    uint64_t v;

    e->random(e->user, &v, sizeof v);
    return v;
}

/* Microseconds on a monotonic clock with no fixed start: for deadlines and durations only. */
int64_t mono_us(void);

#endif
