/* The feed: the log as a subscription. Everything after a place, in order, once; across threads,
 * processes and restarts. */
#ifndef BOUGH_FEED_H
#define BOUGH_FEED_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How far a follower has come. Keep it to go on later; all zero is the beginning of the store. */
struct bough_mark {
    int64_t epoch; /* of the store; another one after a backup was restored */
    int64_t no;
};

struct bough_feed {
    struct bough_changes changes;
    struct bough_mark next; /* pass it to the next call */
    bool reset; /* what was seen is not this store's past: read everything again from `next` on */
};

/*
 * The changes after `from`, at most `limit` (0: 100). When there are none, wait up to `wait_ms` for
 * one: changes of this process wake at once, those of others are looked for every few milliseconds.
 * No changes and no error: nothing happened in that time.
 */
BOUGH_MUST_CHECK enum bough_rc bough_feed_next(struct bough_store *s, struct bough_arena *a,
                                               struct bough_mark from, int64_t limit,
                                               int64_t wait_ms, struct bough_feed *out,
                                               struct bough_error *err);

/* Where the feed ends now: to follow only what comes. */
BOUGH_MUST_CHECK enum bough_rc bough_feed_end(struct bough_store *s, struct bough_mark *out,
                                              struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
