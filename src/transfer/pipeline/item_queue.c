/* The queue of blocks between the reader of a file and the importer. */
#include "transfer/pipeline/item_queue.h"

#include <pthread.h>

#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "store/write/import_api.h"
#include "transfer/pipeline/item_keep.h"

struct item_queue {
    struct bough_store *pack;
    struct item_block *filling; /* only the reader uses it, and: */
    struct bough_arena *tmp;    /* reset for every entry */
    struct item_block *taken;   /* only the importer uses it */

    pthread_mutex_t lock; /* guards all below */
    pthread_cond_t changed;
    struct item_block *first, **end; /* waiting blocks, oldest first */
    struct item_block *spare;        /* empty blocks */
    size_t bytes, peak;
    bool stopped, ended;
    enum bough_rc rc;
    struct bough_error err;
};

static void block_clear(struct item_block *b)
{
    bough_arena_reset(b->a);
    b->next = NULL;
    b->first = NULL;
    b->end = &b->first;
    b->bytes = 0;
    b->done = -1;
}

static struct item_block *block_create(void)
{
    struct item_block *b = mem_zalloc(sizeof *b);

    b->a = bough_arena_create();
    block_clear(b);
    return b;
}

static void blocks_destroy(struct item_block *b)
{
    while (b) {
        struct item_block *next = b->next;

        bough_arena_destroy(b->a);
        mem_free(b);
        b = next;
    }
}

struct item_queue *item_queue_create(struct bough_store *pack)
{
    struct item_queue *q = mem_zalloc(sizeof *q);

    q->pack = pack;
    q->filling = block_create();
    q->tmp = bough_arena_create();
    q->end = &q->first;
    pthread_mutex_init(&q->lock, NULL);
    pthread_cond_init(&q->changed, NULL);
    return q;
}

void item_queue_destroy(struct item_queue *q)
{
    if (!q)
        return;
    blocks_destroy(q->filling);
    bough_arena_destroy(q->tmp);
    blocks_destroy(q->taken);
    blocks_destroy(q->first);
    blocks_destroy(q->spare);
    pthread_cond_destroy(&q->changed);
    pthread_mutex_destroy(&q->lock);
    mem_free(q);
}

/* ---- the reader ---- */

static enum bough_rc stopped(struct bough_error *err)
{
    return bough_fail(err, BOUGH_CANCELLED, "the import has stopped");
}

/* An empty block for the reader: one that the importer is done with, or a new one. Needs the
 * lock. */
static struct item_block *next_block(struct item_queue *q)
{
    struct item_block *b = q->spare;

    if (!b)
        return block_create();
    q->spare = b->next;
    b->next = NULL;
    return b;
}

/* Hand the filling block over, once there is room for it. */
static enum bough_rc hand_over(struct item_queue *q, struct bough_error *err)
{
    struct item_block *b = q->filling;
    bool no_more;

    pthread_mutex_lock(&q->lock);
    while (!q->stopped && q->first && q->bytes + b->bytes > QUEUE_BYTES)
        pthread_cond_wait(&q->changed, &q->lock);
    no_more = q->stopped;
    if (!no_more) {
        *q->end = b;
        q->end = &b->next;
        q->bytes += b->bytes;
        q->peak = q->bytes > q->peak ? q->bytes : q->peak;
        q->filling = next_block(q);
        pthread_cond_signal(&q->changed);
    }
    pthread_mutex_unlock(&q->lock);
    return no_more ? stopped(err) : BOUGH_OK;
}

/* Pack the entry with the id that it will be stored with, unless that is taken. */
static void pack(struct item_queue *q, struct item_entry *e)
{
    struct bough_entry_new in = e->entry;
    const struct packed_entry *p;

    in.id = e->id;
    bough_arena_reset(q->tmp);
    p = import_pack(q->pack, q->tmp, &in);
    e->packed = p ? import_pack_keep(q->filling->a, p) : NULL;
}

enum bough_rc item_queue_push(void *queue, const struct item *item, struct bough_error *err)
{
    struct item_queue *q = queue;
    struct item_block *b = q->filling;
    struct queued_item *one = arena_zalloc(b->a, sizeof *one);

    b->bytes += item_keep(b->a, item, &one->item);
    if (q->pack && item->kind == ITEM_ENTRY)
        pack(q, &one->item.u.entry);
    *b->end = one;
    b->end = &one->next;
    return b->bytes < QUEUE_BLOCK_BYTES ? BOUGH_OK : hand_over(q, err);
}

enum bough_rc item_queue_progress(struct item_queue *q, int64_t done, struct bough_error *err)
{
    q->filling->done = done;
    return hand_over(q, err);
}

void item_queue_end(struct item_queue *q, enum bough_rc rc, const struct bough_error *err)
{
    if (q->filling->first) /* items that were given before an error are imported, too */
        (void)hand_over(q, NULL);
    pthread_mutex_lock(&q->lock);
    q->ended = true;
    q->rc = rc;
    if (rc)
        q->err = *err;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

/* ---- the importer ---- */

/* Give back the block that was taken last. Needs the lock. */
static void give_back(struct item_queue *q)
{
    if (!q->taken)
        return;
    q->taken->next = q->spare;
    q->spare = q->taken;
    q->taken = NULL;
}

struct item_block *item_queue_take(struct item_queue *q, enum bough_rc *rc, struct bough_error *err)
{
    struct item_block *b;

    if (q->taken)
        block_clear(q->taken);
    pthread_mutex_lock(&q->lock);
    give_back(q);
    while (!q->first && !q->ended)
        pthread_cond_wait(&q->changed, &q->lock);
    b = q->first;
    *rc = b ? BOUGH_OK : q->rc;
    if (b) {
        q->first = b->next;
        if (!q->first)
            q->end = &q->first;
        q->bytes -= b->bytes;
        b->next = NULL;
        pthread_cond_signal(&q->changed);
    } else if (q->rc && err) {
        *err = q->err;
    }
    q->taken = b;
    pthread_mutex_unlock(&q->lock);
    return b;
}

void item_queue_stop(struct item_queue *q)
{
    pthread_mutex_lock(&q->lock);
    q->stopped = true;
    pthread_cond_signal(&q->changed);
    pthread_mutex_unlock(&q->lock);
}

size_t item_queue_peak(struct item_queue *q)
{
    size_t n;

    pthread_mutex_lock(&q->lock);
    n = q->peak;
    pthread_mutex_unlock(&q->lock);
    return n;
}
