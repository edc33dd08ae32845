/* The feed: the changelog as a subscription. Every change after a mark, in order, once; across
 * threads, processes and restarts. */
#ifndef BOUGH_FEED_H
#define BOUGH_FEED_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far a follower has read. Keep it to continue later; all zero is the beginning of the store. A
 * value of two numbers that will never grow. */
struct bough_mark {
    int64_t epoch; /* of the store; it grows when a backup is restored */
    int64_t no;    /* of the last change that was read */
};

struct bough_feed_next_result {
    struct bough_changes changes; /* changes.next is "" when there are no more for now */
    struct bough_mark next;       /* pass it to the next call */
    bool reset;           /* the mark is not of this store's past: forget what was read, and read
                             everything again from `next` */
    uint64_t reserved[4]; /* room to grow */
};

/*
 * The changes after `from`, at most `limit` (0: 100; at most 10,000). When there are none, wait up
 * to `wait_ms` for one: changes of this process end the wait at once, those of others within some
 * 20 ms. No changes and no failure: nothing happened. BOUGH_INVALID: a negative number.
 */
BOUGH_MUST_CHECK enum bough_rc bough_feed_next(struct bough_store *s, struct bough_arena *a,
                                               struct bough_mark from, int64_t limit,
                                               int64_t wait_ms, struct bough_feed_next_result *out,
                                               struct bough_error *err);

/* The mark of the last change, to follow only later ones. */
BOUGH_MUST_CHECK enum bough_rc bough_feed_end(struct bough_store *s, struct bough_mark *out,
                                              struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
