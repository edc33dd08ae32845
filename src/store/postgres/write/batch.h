/* A batch of txns while it is written: the statements sent, and the result that each must have. */
#ifndef STORE_POSTGRES_WRITE_BATCH_H
#define STORE_POSTGRES_WRITE_BATCH_H

#include "store/contract/new_numbers.h"
#include "store/postgres/conn/writer.h"

enum must {
    MUST_WORK,  /* any result but an error */
    MUST_TOUCH, /* changes or returns at least `want` rows */
    MUST_BE,    /* returns the number `want` */
};

struct sent {
    struct txn *t;
    const char *lost; /* txn.lost if the result is different */
    enum must must;
    int64_t want;
};

/* Rows that wait, to be sent together with others of their kind; see gather.c. */
enum gathered {
    GATHER_HEADS, /* first: guards must see rows before later statements change them */
    GATHER_ENTRIES,
    GATHER_RECORDS,
    GATHER_LISTS,
    GATHER_SPEND,
    GATHER_SEEN,
    GATHER_LOG,
    GATHERED, /* number of kinds */
};

struct gather {
    struct args *rows;
    size_t n, cap, bytes;
    struct txn *t; /* txn of the first row; marked lost when the statement does not hold */
    const char *lost;
    enum must must;
};

struct batch {
    struct postgres *s;
    struct bough_arena *a; /* the store's scratch */
    struct sent *sent;
    size_t n, cap;
    struct gather gather[GATHERED];
    bool taking;   /* a SQL_TAKE was sent; its result comes before all of `sent` */
    int64_t guess; /* the value that counter.commits must have after it; 0: any */
    bool wrong;    /* it has another value, so another process committed */
    bool again;    /* `wrong`, or a txn lost: what was written must be undone */

    /* The txn that is being written. */
    struct txn *t;
    struct new_numbers made;
    size_t branches_used, records_used;
    int64_t entry_no, no; /* number of its next entry, and of its changelog row */
};

/* Queue one txn, whose new numbers must be assigned (apply.c). Waits for the server only when
 * entries are sent by COPY. */
enum bough_rc batch_apply(struct batch *b, struct txn *t, struct bough_error *err);
/* Read all results (settle.c). Sets b->again when a txn lost or the guess was wrong. */
enum bough_rc batch_settle(struct batch *b, struct bough_error *err);

/*
 * Commit a txn that only appends one entry, in one round trip (append_one.c). *done false with
 * BOUGH_OK: nothing was written, because the txn has another form or something changed. The caller
 * then commits it the usual way.
 */
enum bough_rc pg_append_one(struct postgres *s, struct txn *t, bool *done, struct bough_error *err);

/* Queue a statement of the current txn, or let it wait for others of its kind (gather.c). */
enum bough_rc batch_send(struct batch *b, enum sql id, const struct args *a, enum must must,
                         int64_t want, const char *lost, struct bough_error *err);
/* Queue all waiting rows. */
enum bough_rc gather_flush(struct batch *b, struct bough_error *err);
/* The deepest waiting entry of this branch. False: there is none. */
bool gather_tip(const struct batch *b, int64_t bid, int64_t *depth);

/* Queue one change (change.c). */
enum bough_rc batch_change(struct batch *b, struct change *c, struct bough_error *err);
/* Send a run of `n` consecutive entries with COPY, starting at change `c` (copy.c). */
enum bough_rc batch_copy(struct batch *b, struct change *c, size_t n, struct bough_error *err);

#endif
