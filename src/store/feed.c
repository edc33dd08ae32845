/* The feed: reads the log after a mark, and sleeps until there is more of it. */
#include <bough/feed.h>

#include <time.h>

#include "store/engine.h"

enum {
    LOOK_US = 20000, /* how often to look for what other processes committed */
    REST_US = 4000,  /* where looking is a round trip: how long commits are gathered */
};

/* The epoch is that of the store as it was opened: only a restore changes it, and that wants the
 * store for itself. */
static enum bough_rc ends_at(struct bough_store *s, struct bough_mark *out, struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    out->epoch = s->e->epoch;
    rc = snap.ops->log_last(snap.v, &out->no, err);
    snap_end(&snap);
    return rc;
}

enum bough_rc bough_feed_end(struct bough_store *s, struct bough_mark *out, struct bough_error *err)
{
    *out = (struct bough_mark){ 0 };
    return ends_at(s, out, err);
}

/* Until this process commits something, or it is time to look whether another one did. */
static void sleep_until_more(struct engine *e, uint64_t seen, int64_t until_us)
{
    int64_t at = mono_us() + LOOK_US;
    struct timespec t;

    at = at < until_us ? at : until_us;
    t = (struct timespec){ at / 1000000, at % 1000000 * 1000 };
    pthread_mutex_lock(&e->lock);
    e->followers++;
    if (e->commits == seen)
        pthread_cond_timedwait(&e->committed, &e->lock, &t);
    e->followers--;
    pthread_mutex_unlock(&e->lock);
    if (e->ops->remote && mono_us() + REST_US < until_us)
        nanosleep(&(struct timespec){ 0, REST_US * 1000l }, NULL);
}

static uint64_t commits_of(struct engine *e)
{
    uint64_t n;

    pthread_mutex_lock(&e->lock);
    n = e->commits;
    pthread_mutex_unlock(&e->lock);
    return n;
}

static bool given_up(const struct bough_store *s)
{
    return s->cancel && __atomic_load_n(s->cancel, __ATOMIC_RELAXED);
}

/* *end: where the log ends once it has something after `from`, or when the time is over. */
static enum bough_rc await_more(struct bough_store *s, struct bough_mark from, int64_t wait_ms,
                                struct bough_mark *end, struct bough_error *err)
{
    int64_t until = mono_us() + (wait_ms > 0 ? wait_ms * 1000 : 0);

    for (;;) {
        uint64_t seen = commits_of(s->e);
        enum bough_rc rc = ends_at(s, end, err);

        if (rc || end->no != from.no || (from.epoch && end->epoch != from.epoch))
            return rc;
        if (mono_us() >= until)
            return BOUGH_OK;
        if (given_up(s))
            return bough_fail(err, BOUGH_TIMEOUT, "cancelled");
        sleep_until_more(s->e, seen, until);
    }
}

enum bough_rc bough_feed_next(struct bough_store *s, struct bough_arena *a, struct bough_mark from,
                              int64_t limit, int64_t wait_ms, struct bough_feed *out,
                              struct bough_error *err)
{
    struct bough_mark end;
    enum bough_rc rc;

    *out = (struct bough_feed){ .next = from };
    if (from.no < 0 || wait_ms < 0)
        return bough_fail(err, BOUGH_INVALID, "a mark or a time to wait is never negative");
    rc = await_more(s, from, wait_ms, &end, err);
    if (rc)
        return rc;
    out->next.epoch = end.epoch;
    if ((from.epoch && from.epoch != end.epoch) || from.no > end.no) {
        out->reset = true;
        out->next.no = 0;
        return BOUGH_OK;
    }
    rc = bough_store_log(s, a, from.no, limit, &out->changes, err);
    if (!rc && out->changes.n)
        out->next.no = out->changes.at[out->changes.n - 1].no;
    return rc;
}
