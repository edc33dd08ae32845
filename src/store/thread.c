/* The background thread: folds list rows, indexes full text, saves due steps of open messages, and
 * tidies up when idle. */
#include "store/thread.h"

#include <time.h>

#include "base/os/log.h"
#include "store/engine/commit_queue.h"
#include "store/live/live.h"
#include "store/project/fulltext.h"
#include "store/project/projector.h"

enum {
    IDLE_US = 4000,      /* without commits for this long: tidy up */
    PAUSE_US = 200000,   /* after a long commit wait longer, up to this: more are on their way */
    TEXT_US = 20000,     /* without commits for this long: index full text */
    TEXT_AT = 2048,      /* numbers of backlog at which it is indexed even when busy */
    RELAXED_US = 500000, /* relaxed commits become durable after this, idle or not */
};

enum job { JOB_NONE, JOB_FOLD, JOB_DRAFTS, JOB_TIDY, JOB_TEXT };

/* How long there must be no commit before the store is idle: an import prepares its next batch
 * while it seems to be. */
static int64_t idle_us(const struct engine *e)
{
    int64_t us = 4 * e->queue.took_us;

    return us < IDLE_US ? IDLE_US : us > PAUSE_US ? PAUSE_US : us;
}

/* Is there full text for this thread to index? */
static bool text_wanted(const struct engine *e)
{
    return e->fulltext.pending && !e->fulltext.on_search_only && !e->fulltext.held;
}

/* Index when idle, or once TEXT_AT numbers behind: while others write, few large slices are better.
 */
static bool text_due(const struct engine *e, int64_t now)
{
    bool quiet = !e->queue.leading && !e->queue.wanted && now >= e->queue.last_us + TEXT_US;

    return text_wanted(e) && !e->fulltext.running && now >= e->fulltext.retry_us &&
           (quiet || e->fulltext.pending >= TEXT_AT);
}

static enum job next_job(const struct engine *e, int64_t now)
{
    bool idle = e->upkeep.untidy && !e->queue.leading && !e->queue.wanted &&
                (now >= e->queue.last_us + idle_us(e) ||
                 (e->upkeep.relaxed_us && now >= e->upkeep.relaxed_us + RELAXED_US));
    bool many = e->folds.pending >= fold_from(e) && !e->queue.direct;

    if (e->upkeep.draft_due && now >= e->upkeep.draft_due)
        return JOB_DRAFTS;
    if (e->folds.ready ? idle : now >= e->folds.retry_us && (many || (idle && e->folds.pending)))
        return JOB_FOLD;
    if (text_due(e, now) && !(idle && e->fulltext.pending < TEXT_AT))
        return JOB_TEXT;
    return idle ? JOB_TIDY : JOB_NONE;
}

static void wait_for_work(struct engine *e, int64_t now)
{
    int64_t at =
        (e->queue.leading ? now : e->queue.last_us) + (e->upkeep.untidy ? idle_us(e) : TEXT_US);
    bool text = text_wanted(e);
    struct timespec until;

    if (!e->upkeep.untidy && !text && !e->upkeep.draft_due) {
        pthread_cond_wait(&e->background.wake, &e->lock);
        return;
    }
    if (!e->upkeep.untidy && !text)
        at = e->upkeep.draft_due;
    else if (at <= now) /* another thread wants the writer role */
        at = now + IDLE_US;
    if (e->upkeep.draft_due && e->upkeep.draft_due < at)
        at = e->upkeep.draft_due;
    until = (struct timespec){ at / 1000000, at % 1000000 * 1000 };
    e->background.timed = true;
    pthread_cond_timedwait(&e->background.wake, &e->lock, &until);
    e->background.timed = false;
}

/* Prepare a fold for the next batch to commit. If no thread is writing, commit it now. Needs
 * e->lock. */
static void fold_beside(struct engine *e)
{
    struct ready_fold *f = NULL;
    struct bough_error err = { 0 };
    size_t seen = e->folds.pending;
    enum bough_rc rc = BOUGH_OK;

    if (!e->folds.ready) {
        e->folds.running = true;
        pthread_mutex_unlock(&e->lock);
        rc = fold_prepare(e, seen, &f, &err);
        pthread_mutex_lock(&e->lock);
        e->folds.running = false;
        e->folds.ready = f;
    }
    if (e->folds.ready && !e->queue.leading && !e->queue.wanted) {
        e->queue.leading = true;
        rc = role_lead(e, NULL, &err);
        pthread_mutex_lock(&e->lock);
    }
    if (rc)
        log_msg(LOG_WARN, "the lists were not brought up to date: %s", err.msg);
}

static void tidy(struct engine *e)
{
    e->queue.leading = true;
    e->upkeep.untidy = false;
    e->upkeep.relaxed_us = 0;
    pthread_mutex_unlock(&e->lock);
    role_sweep_idle(e);
    e->ops->upkeep(e->backend, false);
    pthread_mutex_lock(&e->lock);
    role_pass_on(e);
}

/* Save the steps that are due. Needs e->lock, which is released meanwhile. */
static void save_drafts(struct engine *e, int64_t now)
{
    int64_t next;

    e->upkeep.draft_due = 0;
    pthread_mutex_unlock(&e->lock);
    next = lives_save_due(e, now);
    pthread_mutex_lock(&e->lock);
    if (next && (!e->upkeep.draft_due || next < e->upkeep.draft_due))
        e->upkeep.draft_due = next;
}

static void *engine_thread(void *arg)
{
    struct engine *e = arg;

    pthread_mutex_lock(&e->lock);
    while (!e->background.stopping) {
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
            fulltext_beside(e);
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

void engine_thread_start(struct engine *e)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&e->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&e->background.wake, &attr);
    pthread_cond_init(&e->feed.committed, &attr);
    pthread_condattr_destroy(&attr);
    map_init(&e->states);
    lives_init(e);
    e->queue.direct = e->ops->direct;
    if (!e->read_only)
        e->background.started = pthread_create(&e->background.thread, NULL, engine_thread, e) == 0;
}

void engine_thread_stop(struct engine *e)
{
    if (e->background.started) {
        pthread_mutex_lock(&e->lock);
        e->background.stopping = true;
        pthread_cond_broadcast(&e->background.wake);
        pthread_mutex_unlock(&e->lock);
        pthread_join(e->background.thread, NULL);
    }
    lives_finish(e);
    ready_fold_free(e->folds.ready);
    state_drop_all(e);
    map_finish(&e->states);
    pthread_cond_destroy(&e->feed.committed);
    pthread_cond_destroy(&e->background.wake);
    pthread_mutex_destroy(&e->lock);
}
