/* What the files of this folder share. */
#ifndef CHILD_INSIDE_H
#define CHILD_INSIDE_H

#include <pthread.h>
#include <uv.h>

#include "base/memory/buf.h"
#include "child/child.h"

enum child_state { CHILD_WAITS, CHILD_STARTING, CHILD_RUNS, CHILD_FAILED, CHILD_ENDED };

struct child {
    struct children *all;
    struct child *next; /* in all->first */
    /* constant */
    struct child_events on;
    void *user;
    struct bough_arena *arena;
    char **argv, **env; /* of the keeper */

    /* guarded by all->lock */
    enum child_state state;
    int error;            /* errno of a start that failed */
    struct buf unwritten; /* what the loop has not taken yet */
    size_t in_flight;     /* bytes that the loop is writing */
    bool end, pause, released;

    pthread_mutex_t calling; /* held while an event is called; guards `silent` */
    bool silent;             /* no event any more */

    /* of the loop thread */
    uv_process_t process;
    uv_pipe_t in, out, err, control;
    uv_timer_t last; /* runs between the keeper's end and the end of the output */
    int handles;     /* that are not closed yet */
    bool spawned, input_open, ending, reading;
    bool keeper_gone, control_ended, out_ended, err_ended;
    int status; /* of the child, -1: not known */
    char said[64];
    size_t nsaid;
};

struct children {
    uv_loop_t loop;
    uv_async_t wake;
    pthread_t thread;
    pthread_mutex_t lock; /* guards `first`, `n`, `stop` and the members of children that say so */
    pthread_cond_t changed;
    struct child *first;
    size_t n;
    bool stop;
    char self[4096];       /* path of this program */
    char piece[64 * 1024]; /* what is read, for one event */
};

/* ---- process.c: all on the loop thread ---- */

/* Spawn the keeper; the state becomes STARTING or FAILED. */
void process_start(struct child *c);
/* Do what was asked for: write, pause, end. */
void process_attend(struct child *c);

/* ---- child.c ---- */

/* Change the state and wake the waiting threads. `error`: errno of CHILD_FAILED. */
void child_set_state(struct child *c, enum child_state state, int error);
void child_free(struct child *c);

#endif
