/* The feed: reads the log after a mark, and sleeps until there is more of it. */
#include <bough/feed.h>

#include <time.h>

#include "store/engine.h"

enum {
    LOOK_US = 20000, /* how often to look for what other processes committed */
    REST = 8,        /* where that is a round trip: so much longer than a look takes, rest */
};

/* The epoch is that of the store as it was opened: only a restore changes it, and that wants the
 * store for itself. */
enum bough_rc bough_feed_end(struct bough_store *s, struct bough_mark *out, struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *out = (struct bough_mark){ 0 };
    if (rc)
        return rc;
    out->epoch = s->e->epoch;
    rc = snap.ops->log_last(snap.v, &out->no, err);
    snap_end(&snap);
    return rc;
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

/* Whoever has read everything and follows on lets commits gather: to read a few at a time would
 * cost the writers more than it is worth to hear of each at once. */
static void rest(struct engine *e, int64_t from, int64_t until_us)
{
    int64_t us, now = mono_us();

    if (!e->ops->remote)
        return;
    pthread_mutex_lock(&e->lock);
    us = from < e->fed_no ? 0 : REST * e->feed_us;
    pthread_mutex_unlock(&e->lock);
    us = us < LOOK_US ? us : LOOK_US;
    if (us && now + us < until_us)
        nanosleep(&(struct timespec){ 0, us * 1000 }, NULL);
}

/* Behind a full page there is more: whoever comes for it has not read everything. */
static void remember(struct engine *e, const struct bough_changes *got, int64_t began_us)
{
    int64_t no = got->at[got->n - 1].no + got->more, us = mono_us() - began_us;

    pthread_mutex_lock(&e->lock);
    e->fed_no = no > e->fed_no ? no : e->fed_no;
    e->feed_us = us;
    pthread_mutex_unlock(&e->lock);
}

/* One look: what there is after `from`. `first`: of this call, which also finds out whether the log
 * ends before it; numbers never go back while a store is open. */
static enum bough_rc look(struct bough_store *s, struct bough_arena *a, struct bough_mark from,
                          int64_t limit, bool first, struct bough_feed *out,
                          struct bough_error *err)
{
    struct snap snap;
    int64_t last = from.no, began = mono_us();
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = snap_log(&snap, a, from.no, limit, &out->changes, err);
    if (!rc && !out->changes.n && first)
        rc = snap.ops->log_last(snap.v, &last, err);
    snap_end(&snap);
    if (!rc && out->changes.n)
        remember(s->e, &out->changes, began);
    out->reset = from.no > last;
    return rc;
}

/* Look, and sleep, and look again, until there is something or the time is over. */
static enum bough_rc await_more(struct bough_store *s, struct bough_arena *a,
                                struct bough_mark from, int64_t limit, int64_t wait_ms,
                                struct bough_feed *out, struct bough_error *err)
{
    int64_t until = mono_us() + (wait_ms > 0 ? wait_ms * 1000 : 0);

    for (bool first = true;; first = false) {
        uint64_t seen;
        enum bough_rc rc;

        rest(s->e, from.no, until);
        seen = commits_of(s->e);
        rc = look(s, a, from, limit, first, out, err);
        if (rc || out->reset || out->changes.n || mono_us() >= until)
            return rc;
        if (given_up(s))
            return bough_fail(err, BOUGH_TIMEOUT, "cancelled");
        sleep_until_more(s->e, seen, until);
    }
}

enum bough_rc bough_feed_next(struct bough_store *s, struct bough_arena *a, struct bough_mark from,
                              int64_t limit, int64_t wait_ms, struct bough_feed *out,
                              struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    *out = (struct bough_feed){ .next = from };
    if (from.no < 0 || wait_ms < 0)
        return bough_fail(err, BOUGH_INVALID, "a mark or a time to wait is never negative");
    out->next.epoch = s->e->epoch;
    out->reset = from.epoch && from.epoch != s->e->epoch;
    if (!out->reset)
        rc = await_more(s, a, from, limit, wait_ms, out, err);
    if (out->reset)
        out->next.no = 0;
    else if (!rc && out->changes.n)
        out->next.no = out->changes.at[out->changes.n - 1].no;
    return rc;
}
