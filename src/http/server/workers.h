/* A pool of worker threads: a queue of work to do, and a list of finished work. */
#ifndef HTTP_SERVER_WORKERS_H
#define HTTP_SERVER_WORKERS_H

#include <stdbool.h>
#include <stddef.h>

/* Work is shared fairly between callers: they take turns, and one of them never has all workers. A
 * caller is a number below WORK_CALLERS, for example of a hash. */
enum { WORK_CALLERS = 64 };

struct work { /* embed it as the first member of the work item */
    struct work *next;
    unsigned caller;
    void (*run)(struct work *w); /* called on a worker */
};

/* A batch of work to submit together. */
struct work_list {
    struct work *first, *last;
    int n;
    int slow; /* how many of them may block */
};

void work_add(struct work_list *l, struct work *w, bool slow);

struct workers;

/* Start n threads. `done` is called on a worker when there is finished work to fetch. */
struct workers *workers_start(int n, void (*done)(void *user), void *user);
/* Finish the queued work, end the threads, free everything. */
void workers_stop(struct workers *ws);

/* Submit the whole list and empty it. Waking a thread costs more than most reads take, so wakeups
 * are rare. Work that may block wakes a sleeping thread of its own. Quick work goes to a thread
 * that is already awake. `done` is called when the queue is empty or enough work is finished, not
 * for each item. While any work is out, the submitter must call workers_kick() about every
 * millisecond: it wakes one more thread if work is waiting. */
void workers_submit(struct workers *ws, struct work_list *l);
void workers_kick(struct workers *ws);

/* Take all finished work, in order of completion, linked by `next`. */
struct work *workers_done(struct workers *ws);

/* How many items wait in the queue, and how many run. */
void workers_count(struct workers *ws, int *waiting, int *running);

#endif
