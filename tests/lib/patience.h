/* How long a test may wait: limits in seconds that grow with the slowness and the load of the
 * machine. */
#ifndef PATIENCE_H
#define PATIENCE_H

#include <stdbool.h>
#include <stdint.h>

/*
 * How many times longer than on an idle machine of usual speed things take here; at least 1.
 * TEST_SLOW (given by scripts/run-tests for instrumented builds), times the speed of processor and
 * disk, which patience_init() measures once, times the processes that share one processor at this
 * moment. Safe in signal handlers.
 */
double patience(void);
void patience_init(void);
int64_t patience_now(void); /* a monotonic clock, in milliseconds */

/*
 * For loops that wait for something that happens elsewhere:
 *     for (struct wait w = { 0 }; !happened() && wait_more(&w);)
 *         ;
 * wait_more() sleeps a few milliseconds and returns true; false after 20 s times patience().
 */
struct wait {
    int64_t began;
};
bool wait_more(struct wait *w);

#endif
