/* Threads that append and keep a ledger of what they were told, to hold against the store. */
#ifndef FAULTS_LEDGER_H
#define FAULTS_LEDGER_H

#include <pthread.h>
#include <stdatomic.h>

#include "lib/store_test.h"

enum { LEDGER_MOST = 20000 };

enum told { TOLD_REFUSED, TOLD_UNKNOWN, TOLD_DONE };

struct ledger {
    struct bough_store *s;
    const char *session; /* nobody else writes there */
    int number;          /* of the writer; its texts begin with it */
    size_t size;         /* entries an append */
    bool keyed;          /* each append has a key and is repeated until it is done */
    const atomic_bool *stop;
    int least; /* so many appends before it looks at that */

    int n; /* appends so far */
    unsigned char told[LEDGER_MOST];
    int refused, unknown;     /* answers */
    int64_t slowest_us;       /* call */
    enum bough_rc refused_as; /* the last of them */
    struct bough_error err;
    pthread_t thread;
};

/* One more append, until it is done where there is a key, unless *stop. What it was told at last.
 */
enum bough_rc ledger_append(struct ledger *l);
void ledger_start(struct ledger *l); /* a thread that appends until *stop */
void ledger_join(struct ledger *l);
/* Everything that was done is there once, in order, whole; nothing that was refused is. */
void ledger_check(struct test *t, const struct ledger *l);

#endif
