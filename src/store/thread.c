/* The thread beside the writers: folds the lists, indexes the text, saves steps of open messages
 * that are due, and tidies up when nobody writes. */
#include <time.h>

#include "base/log.h"
#include "store/live.h"
#include "store/projector.h"
#include "store/text.h"
#include "store/writer.h"

enum {
    IDLE_US = 4000,      /* nothing was committed for so long: time to tidy up */
    TEXT_US = 20000,     /* and for so long: time for the full text */
    TEXT_AT = 2048,      /* rows it may be behind when it is never idle */
    RELAXED_US = 500000, /* relaxed commits become durable after this, idle or not */
};

enum job { JOB_NONE, JOB_FOLD, JOB_DRAFTS, JOB_TIDY, JOB_TEXT };

/* Rarely and much at once while others write, so that few of them wait; or when nobody does. */
static bool text_due(const struct engine *e, int64_t now)
{
    bool quiet = !e->leading && !e->wanted && now >= e->last_us + TEXT_US;

    return e->text_pending && !e->search_off && !e->texting && now >= e->text_after &&
           (quiet || e->text_pending >= TEXT_AT);
}

static enum job next_job(const struct engine *e, int64_t now)
{
    bool idle =
        e->untidy && !e->leading && !e->wanted &&
        (now >= e->last_us + IDLE_US || (e->relaxed_us && now >= e->relaxed_us + RELAXED_US));
    bool many = e->pending >= fold_from(e) && !e->direct;

    if (e->draft_due && now >= e->draft_due)
        return JOB_DRAFTS;
    if (e->fold ? idle : now >= e->fold_after && (many || (idle && e->pending)))
        return JOB_FOLD;
    if (text_due(e, now) && !(idle && e->text_pending < TEXT_AT))
        return JOB_TEXT;
    return idle ? JOB_TIDY : JOB_NONE;
}

static void wait_for_work(struct engine *e, int64_t now)
{
    int64_t at = (e->leading ? now : e->last_us) + (e->untidy ? IDLE_US : TEXT_US);
    bool text = e->text_pending && !e->search_off;
    struct timespec until;

    if (!e->untidy && !text && !e->draft_due) {
        pthread_cond_wait(&e->wake, &e->lock);
        return;
    }
    if (!e->untidy && !text)
        at = e->draft_due;
    else if (at <= now) /* somebody wants the role */
        at = now + IDLE_US;
    if (e->draft_due && e->draft_due < at)
        at = e->draft_due;
    until = (struct timespec){ at / 1000000, at % 1000000 * 1000 };
    e->timed = true;
    pthread_cond_timedwait(&e->wake, &e->lock, &until);
    e->timed = false;
}

/* Whoever writes next takes the fold along; when nobody does, the thread commits it alone. */
static void fold_beside(struct engine *e)
{
    struct ready_fold *f = NULL;
    struct bough_error err = { 0 };
    size_t seen = e->pending;
    enum bough_rc rc = BOUGH_OK;

    if (!e->fold) {
        e->folding = true;
        pthread_mutex_unlock(&e->lock);
        rc = ready_fold_make(e, seen, &f, &err);
        pthread_mutex_lock(&e->lock);
        e->folding = false;
        e->fold = f;
    }
    if (e->fold && !e->leading && !e->wanted) {
        e->leading = true;
        rc = writer_lead(e, NULL, &err);
        pthread_mutex_lock(&e->lock);
    }
    if (rc)
        log_msg(LOG_WARN, "the lists were not brought up to date: %s", err.msg);
}

static void tidy(struct engine *e)
{
    e->leading = true;
    e->untidy = false;
    e->relaxed_us = 0;
    pthread_mutex_unlock(&e->lock);
    writer_sweep_idle(e);
    e->ops->upkeep(e->backend, false);
    pthread_mutex_lock(&e->lock);
    writer_pass_on(e);
}

/* Steps of open messages that have waited long enough. */
static void save_drafts(struct engine *e, int64_t now)
{
    int64_t next;

    e->draft_due = 0;
    pthread_mutex_unlock(&e->lock);
    next = lives_save_due(e, now);
    pthread_mutex_lock(&e->lock);
    if (next && (!e->draft_due || next < e->draft_due))
        e->draft_due = next;
}

static void *writer_thread(void *arg)
{
    struct engine *e = arg;

    pthread_mutex_lock(&e->lock);
    while (!e->stopping) {
        int64_t now = mono_us();

        switch (next_job(e, now)) {
        case JOB_FOLD:
            fold_beside(e);
            break;
        case JOB_DRAFTS:
            save_drafts(e, now);
            break;
        case JOB_TIDY:
            tidy(e);
            break;
        case JOB_TEXT:
            pthread_mutex_unlock(&e->lock);
            text_beside(e);
            pthread_mutex_lock(&e->lock);
            break;
        case JOB_NONE:
            wait_for_work(e, now);
            break;
        }
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

void writer_start(struct engine *e)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&e->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&e->wake, &attr);
    pthread_cond_init(&e->committed, &attr);
    pthread_condattr_destroy(&attr);
    map_init(&e->states);
    lives_init(e);
    e->direct = e->ops->direct;
    if (!e->read_only)
        e->has_thread = pthread_create(&e->thread, NULL, writer_thread, e) == 0;
}

void writer_stop(struct engine *e)
{
    if (e->has_thread) {
        pthread_mutex_lock(&e->lock);
        e->stopping = true;
        pthread_cond_broadcast(&e->wake);
        pthread_mutex_unlock(&e->lock);
        pthread_join(e->thread, NULL);
    }
    lives_finish(e);
    ready_fold_free(e->fold);
    state_drop_all(e);
    map_finish(&e->states);
    pthread_cond_destroy(&e->committed);
    pthread_cond_destroy(&e->wake);
    pthread_mutex_destroy(&e->lock);
}
