/* Worker threads: a queue with a bound in front, a list of what is done behind. */
#ifndef HTTP_WORKERS_H
#define HTTP_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

struct work { /* first member of what is to be done */
    struct work *next;
    void (*run)(struct work *w); /* on a worker */
};

/* Work on its way to the workers: whoever submits gathers some first. */
struct work_list {
    struct work *first, *last;
    int n;
    int slow; /* how many of them may block */
};

void work_add(struct work_list *l, struct work *w, bool slow);

struct workers;

/* `done` is called on a worker when finished work is to be fetched. */
struct workers *workers_start(int n, void (*done)(void *user), void *user);
/* Finish what is queued, end the threads. */
void workers_stop(struct workers *ws);

/*
 * Takes all of the list and empties it. Waking a thread costs more than most reads take, in both
 * directions: so what may block gets a thread of its own when one sleeps, what is quick goes to one
 * that is awake, and `done` is called when the queue is empty rather than for each. Whoever submits
 * calls workers_kick() every millisecond or so while anything is out: it wakes one more thread when
 * something waits.
 */
void workers_submit(struct workers *ws, struct work_list *l);
void workers_kick(struct workers *ws);

/* Everything that is done, in order, linked by `next`. */
struct work *workers_done(struct workers *ws);

void workers_count(struct workers *ws, int *waiting, int *running);

#endif
