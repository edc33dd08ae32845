/* Beginning an exchange: the state that begin.c decides on and begin_write.c writes. */
#ifndef STORE_EXCHANGE_BEGINNING_H
#define STORE_EXCHANGE_BEGINNING_H

#include "store/exchange/exchange.h"

struct beginning {
    struct bough_store *s;
    struct bough_arena *a; /* of one attempt */
    const struct bough_exchange_begin_options *in;
    struct bough_exchange *x;
    struct sent sent;
    int64_t scope;
    int64_t explicit;       /* the session that was named; 0: none */
    int64_t given;          /* the session that is known by now; 0: none */
    bool by_first;          /* ... because it was a first request that failed */
    int64_t made;           /* a session that this call made */
    struct bough_head fork; /* where the session it makes begins */
    int64_t held;           /* the session that budgets were asked for; 0: none yet */

    /* the decision */
    struct where w;
    int64_t decided;                /* the session whose head the decision knows; 0: none */
    struct bough_head decided_head; /* that head */
    struct bough_head head;         /* of the session when it is written */
    bool keep_head;
    struct bough_exchange_begin_result out;
    struct bough_error *err;
};

/* Is it a first request without a key? */
static inline bool begin_is_first(const struct beginning *b)
{
    return !b->in->key && (b->out.made || b->by_first);
}

/* Write what was decided: the entries that are new, or only the head. Sets b->w.at to the entry
 * that the reply follows. BOUGH_CONFLICT: the session has changed since; decide again. */
enum bough_rc begin_write(struct beginning *b);

#endif
