/*
 * A bounded queue of items between two threads: the reader of a file pushes, the importer takes.
 *
 * Items are copied into blocks. A block is handed over when it is large enough or when the reader
 * reports progress. The reader waits while QUEUE_BYTES are waiting, so the memory is bounded by
 * that, one block on each side, and one item of any size. Order is kept: the importer sees the
 * items, the progress and the end in the order in which the reader gave them.
 */
#ifndef TRANSFER_PIPELINE_ITEM_QUEUE_H
#define TRANSFER_PIPELINE_ITEM_QUEUE_H

#include "formats/common/item.h"

struct bough_store;
struct item_queue;

enum {
    QUEUE_BLOCK_BYTES = 256 * 1024, /* a block is handed over from this size on */
    QUEUE_BYTES = 1024 * 1024,      /* the reader waits while more than this is waiting */
};

struct queued_item {
    struct queued_item *next;
    struct item item;
};

struct item_block {
    struct item_block *next;
    struct queued_item *first, **end;
    struct bough_arena *a; /* holds the items */
    size_t bytes;          /* of the items, about */
    int64_t done;          /* progress after the items of the block; -1: none was reported */
};

/* `pack`: pack entries for this store while they are pushed; NULL: do not. */
struct item_queue *item_queue_create(struct bough_store *pack);
void item_queue_destroy(struct item_queue *q); /* after the reader has ended; NULL is allowed */

/* ---- the reader ---- */

/* Push a copy of the item. BOUGH_CANCELLED when the importer has stopped. A sink: `queue` is the
 * struct item_queue. */
enum bough_rc item_queue_push(void *queue, const struct item *item, struct bough_error *err);
/* Hand over what was pushed so far, with this progress. BOUGH_CANCELLED as above. */
enum bough_rc item_queue_progress(struct item_queue *q, int64_t done, struct bough_error *err);
/* The end, with the result of the reading. Call it once, and last. */
void item_queue_end(struct item_queue *q, enum bough_rc rc, const struct bough_error *err);

/* ---- the importer ---- */

/* The next block, waiting for it; NULL: the reading has ended, with *rc and *err. A block is valid
 * until the next call. */
struct item_block *item_queue_take(struct item_queue *q, enum bough_rc *rc,
                                   struct bough_error *err);
/* Take no more: pushes fail from now on. */
void item_queue_stop(struct item_queue *q);

/* The most bytes that ever waited, for tests. */
size_t item_queue_peak(struct item_queue *q);

#endif
