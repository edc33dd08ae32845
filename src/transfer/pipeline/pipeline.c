/* The two threads of an import: parsing, checking, packing and compressing go on in one while the
 * other waits for the disk. */
#include "transfer/pipeline/pipeline.h"

#include <pthread.h>
#include <string.h>

static void *run_reader(void *pipeline)
{
    const struct pipeline *p = pipeline;
    struct bough_error err = { 0 };
    enum bough_rc rc = p->read(p->user, &err);

    item_queue_end(p->queue, rc, &err);
    return NULL;
}

static enum bough_rc take_block(const struct pipeline *p, const struct item_block *b,
                                struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    for (const struct queued_item *i = b->first; i && !rc; i = i->next)
        rc = p->take(p->user, &i->item, err);
    return rc || b->done < 0 ? rc : p->progress(p->user, b->done, err);
}

enum bough_rc pipeline_run(const struct pipeline *p, struct bough_error *err)
{
    struct pipeline reader = *p;
    const struct item_block *b;
    enum bough_rc rc = BOUGH_OK;
    pthread_t thread;
    int failed = pthread_create(&thread, NULL, run_reader, &reader);

    if (failed)
        return bough_fail(err, BOUGH_IO, "no thread could be started for reading: %s",
                          strerror(failed));
    while (!rc && (b = item_queue_take(p->queue, &rc, err)) != NULL)
        rc = take_block(p, b, err);
    item_queue_stop(p->queue);
    pthread_join(thread, NULL);
    return rc;
}
