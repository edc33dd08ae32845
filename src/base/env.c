/* The machine's clock and the kernel's randomness. */
#include "base/env.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>
#include <time.h>

static int64_t system_now(void *user)
{
    struct timespec ts;

    (void)user;
    clock_gettime(CLOCK_REALTIME, &ts);
    return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void system_random(void *user, void *out, size_t n)
{
    unsigned char *p = out;

    (void)user;
    while (n > 0) {
        ssize_t got = getrandom(p, n, 0);

        if (got < 0) {
            if (errno == EINTR)
                continue;
            /* Guessable ids and tokens would be worse than an abort. */
            fputs("bough: no randomness from the kernel\n", stderr);
            abort();
        }
        p += got;
        n -= (size_t)got;
    }
}

const struct env env_system = { .now = system_now, .random = system_random };

int64_t mono_us(void)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (int64_t)ts.tv_sec * 1000000 + ts.tv_nsec / 1000;
}
