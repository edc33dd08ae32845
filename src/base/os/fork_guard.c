/* Counts the fork()s that led to this process. */
#include "base/os/fork_guard.h"

#include <pthread.h>
#include <stdatomic.h>

static atomic_uint forks;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void count_fork(void)
{
    atomic_fetch_add(&forks, 1);
}

static void watch(void)
{
    (void)pthread_atfork(NULL, NULL, count_fork);
}

unsigned fork_count(void)
{
    pthread_once(&once, watch);
    return atomic_load_explicit(&forks, memory_order_relaxed);
}
