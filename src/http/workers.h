/* Worker threads: a queue with a bound in front, a list of what is done behind. */
#ifndef HTTP_WORKERS_H
#define HTTP_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

struct work { /* first member of what is to be done */
    struct work *next;
    void (*run)(struct work *w); /* on a worker */
};

struct workers;

/* `done` is called on a worker when the list of finished work has become non-empty. */
struct workers *workers_start(int n, int bound, void (*done)(void *user), void *user);
/* Finish what is queued, end the threads. */
void workers_stop(struct workers *ws);

/* False when `bounded` and the queue is full. Work that goes on with something admitted is not. */
bool workers_submit(struct workers *ws, struct work *w, bool bounded);

/* Everything that is done, in order, linked by `next`. */
struct work *workers_done(struct workers *ws);

void workers_count(struct workers *ws, int *waiting, int *running);

#endif
