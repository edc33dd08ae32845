/* A batch of txns while it is written: what was sent, and what each answer must be. */
#ifndef STORE_POSTGRES_BATCH_H
#define STORE_POSTGRES_BATCH_H

#include "store/made.h"
#include "store/postgres/writer.h"

enum must {
    MUST_WORK,  /* any answer but an error */
    MUST_TOUCH, /* changes or gives a row */
    MUST_BE,    /* gives this number */
};

struct sent {
    struct txn *t;
    const char *lost; /* what the txn lost when it is not so */
    enum must must;
    int64_t want;
};

struct batch {
    struct postgres *s;
    struct bough_arena *a; /* the store's scratch */
    struct sent *sent;
    size_t n, cap;
    bool taking;   /* before all of them comes the answer to taking numbers */
    int64_t guess; /* what the counter's commits must then be; 0: anything */
    bool wrong;    /* it is something else */
    bool again;    /* so, or because a txn lost: what was written must be undone */

    /* the txn that is being written */
    struct txn *t;
    struct made made;
    size_t branches_used, records_used;
    int64_t entry_no, no;    /* of its next entry, of its log row */
    int64_t run_bid, run_at; /* the entry it added last */
};

/* apply.c: send one txn whose numbers are known; it may wait when entries come by the hundred. */
enum bough_rc batch_apply(struct batch *b, struct txn *t, struct bough_error *err);
enum bough_rc batch_send(struct batch *b, enum sql id, const struct args *a, enum must must,
                         int64_t want, const char *lost, struct bough_error *err);
/* Read every answer; b->again when somebody lost. */
enum bough_rc batch_settle(struct batch *b, struct bough_error *err);

/* append_one.c: a txn that only appends one entry, in one round trip. *done false: it does not fit,
 * or something has changed; nothing was written, and the long way finds out. */
enum bough_rc pg_append_one(struct postgres *s, struct txn *t, bool *done, struct bough_error *err);

/* change.c */
enum bough_rc batch_change(struct batch *b, struct change *c, struct bough_error *err);
/* copy.c: a run of entries, `n` of them, from change `c` on. */
enum bough_rc batch_copy(struct batch *b, struct change *c, size_t n, struct bough_error *err);

#endif
