/* A child of a test, and what it has said. */
#ifndef CHILD_WORLD_H
#define CHILD_WORLD_H

#include <pthread.h>
#include <sys/types.h>

#include "base/memory/buf.h"
#include "child/child.h"
#include "lib/test.h"

struct watched {
    struct children *all;
    struct child *c;
    pthread_mutex_t lock; /* guards the rest */
    struct buf out, err;
    size_t events; /* of output */
    bool ended;
    int status;
    char why[64];
};

/* Start `sh -c script` in an environment with a PATH only. */
void watched_start(struct test *t, struct watched *w, const char *script);
/* The same with options; their events and user are set. */
enum bough_rc watched_try(struct test *t, struct watched *w, struct child_options *in);
void watched_finish(struct watched *w);

bool watched_says(struct watched *w, const char *text); /* is it in the output so far? */
void watched_wait(struct watched *w, const char *text); /* until it is; fails after a while */
void watched_wait_end(struct watched *w);

/* The number behind a word in the output: "pid 123". */
pid_t watched_pid(struct watched *w, const char *word);
bool pid_lives(pid_t pid); /* and is not a zombie */
void wait_pid_gone(pid_t pid);

#endif
