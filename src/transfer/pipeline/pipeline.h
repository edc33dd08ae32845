/* Reads in a thread of its own while the caller's thread places what was read. */
#ifndef TRANSFER_PIPELINE_PIPELINE_H
#define TRANSFER_PIPELINE_PIPELINE_H

#include "transfer/pipeline/item_queue.h"

struct pipeline {
    struct item_queue *queue;
    void *user;
    /* In the new thread: push all items and all progress into the queue. */
    enum bough_rc (*read)(void *user, struct bough_error *err);
    /* In the caller's thread, in the order of the pushes. An error stops the reader. */
    enum bough_rc (*take)(void *user, const struct item *item, struct bough_error *err);
    enum bough_rc (*progress)(void *user, int64_t done, struct bough_error *err);
};

/* Run it to its end. The first error of take() or progress() is the result, else that of read(),
 * whose items are taken even if it fails. Both threads are done when it returns. */
enum bough_rc pipeline_run(const struct pipeline *p, struct bough_error *err);

#endif
