/* Writer threads that record the result of each append, to be compared with the store. */
#ifndef FAULTS_LEDGER_H
#define FAULTS_LEDGER_H

#include <pthread.h>
#include <stdatomic.h>

#include "lib/store_test.h"

enum { LEDGER_MOST = 20000 };

enum told { TOLD_REFUSED, TOLD_UNKNOWN, TOLD_DONE };

struct ledger {
    struct bough_store *s;
    const char *session; /* only this writer appends to it */
    int number;          /* the writer's number; its texts start with it */
    size_t size;         /* entries per append */
    bool keyed;          /* appends have a key and are retried until they succeed */
    const atomic_bool *stop;
    int least; /* appends to make before `stop` is checked */

    int n; /* appends so far */
    unsigned char told[LEDGER_MOST];
    int refused, unknown;     /* calls that failed, by kind of result */
    int64_t slowest_us;       /* duration of the slowest call */
    enum bough_rc refused_as; /* code of the last refused call */
    struct bough_error err;
    pthread_t thread;
};

/* Append once more and record the result. A keyed append is retried until it succeeds or *stop is
 * set. Returns the last code. */
enum bough_rc ledger_append(struct ledger *l);
void ledger_start(struct ledger *l); /* start a thread that appends until *stop */
void ledger_join(struct ledger *l);
/* Check the session in t->store: every acknowledged append is there once, in order and complete; no
 * refused one is there. */
void ledger_check(struct test *t, const struct ledger *l);

#endif
