/* A batch of txns while it is written: what was sent, and what each answer must be. */
#ifndef STORE_POSTGRES_BATCH_H
#define STORE_POSTGRES_BATCH_H

#include "store/made.h"
#include "store/postgres/writer.h"

enum must {
    MUST_WORK,  /* any answer but an error */
    MUST_TOUCH, /* changes or gives so many rows, or more */
    MUST_BE,    /* gives this number */
};

struct sent {
    struct txn *t;
    const char *lost; /* what the txn lost when it is not so */
    enum must must;
    int64_t want;
};

/* Rows that wait for others of their kind; see gather.c. */
enum gathered {
    GATHER_HEADS, /* guards come first: what they look at may be changed by what follows */
    GATHER_ENTRIES,
    GATHER_RECORDS,
    GATHER_LISTS,
    GATHER_LOG,
    GATHERED, /* how many there are */
};

struct gather {
    struct args *rows;
    size_t n, cap, bytes;
    struct txn *t; /* of the first of them: told when not all of them held */
    const char *lost;
    enum must must;
};

struct batch {
    struct postgres *s;
    struct bough_arena *a; /* the store's scratch */
    struct sent *sent;
    size_t n, cap;
    struct gather gather[GATHERED];
    bool taking;   /* before all of them comes the answer to taking numbers */
    int64_t guess; /* what the counter's commits must then be; 0: anything */
    bool wrong;    /* it is something else */
    bool again;    /* so, or because a txn lost: what was written must be undone */

    /* the txn that is being written */
    struct txn *t;
    struct made made;
    size_t branches_used, records_used;
    int64_t entry_no, no; /* of its next entry, of its log row */
};

/* apply.c: send one txn whose numbers are known; it may wait when entries come by the hundred. */
enum bough_rc batch_apply(struct batch *b, struct txn *t, struct bough_error *err);
enum bough_rc batch_send_now(struct batch *b, enum sql id, const struct args *a,
                             const struct sent *sent, struct bough_error *err);
/* Read every answer; b->again when somebody lost. */
enum bough_rc batch_settle(struct batch *b, struct bough_error *err);

/* append_one.c: a txn that only appends one entry, in one round trip. *done false: it does not fit,
 * or something has changed; nothing was written, and the long way finds out. */
enum bough_rc pg_append_one(struct postgres *s, struct txn *t, bool *done, struct bough_error *err);

/* gather.c: send a statement of the txn that is being written, or have it wait for others. */
enum bough_rc batch_send(struct batch *b, enum sql id, const struct args *a, enum must must,
                         int64_t want, const char *lost, struct bough_error *err);
enum bough_rc gather_flush(struct batch *b, struct bough_error *err);
/* Does an entry of this branch wait? The deepest. */
bool gather_tip(const struct batch *b, int64_t bid, int64_t *depth);

/* change.c */
enum bough_rc batch_change(struct batch *b, struct change *c, struct bough_error *err);
/* copy.c: a run of entries, `n` of them, from change `c` on. */
enum bough_rc batch_copy(struct batch *b, struct change *c, size_t n, struct bough_error *err);

#endif
