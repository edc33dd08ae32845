/* The feed: read the changelog after a mark, and wait until it grows. */
#include <bough/feed.h>

#include <time.h>

#include "store/engine/engine.h"
#include "store/find/changelog.h"

enum {
    LOOK_US = 20000, /* polling interval for commits of other processes */
    REST = 8,        /* remote backends: pause this many times the last read's duration */
};

/* The epoch read at open stays valid: only a restore changes it, and a restore needs the store to
 * be closed. */
enum bough_rc bough_feed_end(struct bough_store *s, struct bough_mark *out, struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *out = (struct bough_mark){ 0 };
    if (rc)
        return rc;
    out->epoch = s->e->epoch;
    rc = snap.ops->changelog_last(snap.v, &out->no, err);
    snap_end(&snap);
    return rc;
}

/* Wait for a commit of this process or for the next poll of other processes' commits. */
static void sleep_until_more(struct engine *e, uint64_t seen, int64_t until_us)
{
    int64_t at = mono_us() + LOOK_US;
    struct timespec t;

    at = at < until_us ? at : until_us;
    t = (struct timespec){ at / 1000000, at % 1000000 * 1000 };
    pthread_mutex_lock(&e->lock);
    e->feed.followers++;
    if (e->feed.commits == seen)
        pthread_cond_timedwait(&e->feed.committed, &e->lock, &t);
    e->feed.followers--;
    pthread_mutex_unlock(&e->lock);
}

static uint64_t commits_of(struct engine *e)
{
    uint64_t n;

    pthread_mutex_lock(&e->lock);
    n = e->feed.commits;
    pthread_mutex_unlock(&e->lock);
    return n;
}

/* Remote backends: a caught-up follower pauses before it reads, so that commits batch up. Reading
 * each commit at once would slow the writers down. */
static void rest(struct engine *e, int64_t from, int64_t until_us)
{
    int64_t us, now = mono_us();

    if (!e->ops->remote)
        return;
    pthread_mutex_lock(&e->lock);
    us = from < e->feed.no ? 0 : REST * e->feed.read_us;
    pthread_mutex_unlock(&e->lock);
    us = us < LOOK_US ? us : LOOK_US;
    if (us && now + us < until_us)
        nanosleep(&(struct timespec){ 0, us * 1000 }, NULL);
}

/* Remember how far followers have read. After a full page, count the next row too, so that fetching
 * it does not pause. */
static void remember(struct engine *e, const struct bough_changes *got, int64_t began_us)
{
    int64_t no = got->at[got->n - 1].no + (*got->next != '\0'), us = mono_us() - began_us;

    pthread_mutex_lock(&e->lock);
    e->feed.no = no > e->feed.no ? no : e->feed.no;
    e->feed.read_us = us;
    pthread_mutex_unlock(&e->lock);
}

/* Read the changelog after `from` once. `first`: the first read of this call also checks that
 * `from` is not past the end; numbers never decrease while a store is open. */
static enum bough_rc look(struct bough_store *s, struct bough_arena *a, struct bough_mark from,
                          int64_t limit, bool first, struct bough_feed_next_result *out,
                          struct bough_error *err)
{
    struct snap snap;
    int64_t last = from.no, began = mono_us();
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = snap_changelog(&snap, a, from.no, limit, &out->changes, err);
    if (!rc && !out->changes.n && first)
        rc = snap.ops->changelog_last(snap.v, &last, err);
    snap_end(&snap);
    if (!rc && out->changes.n)
        remember(s->e, &out->changes, began);
    out->reset = from.no > last;
    return rc;
}

/* Read and wait until there are changes or the time is over. */
static enum bough_rc await_more(struct bough_store *s, struct bough_arena *a,
                                struct bough_mark from, int64_t limit, int64_t wait_ms,
                                struct bough_feed_next_result *out, struct bough_error *err)
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
        if (is_cancelled(s->cancel))
            return bough_fail(err, BOUGH_CANCELLED, "the call was cancelled");
        sleep_until_more(s->e, seen, until);
    }
}

enum bough_rc bough_feed_next(struct bough_store *s, struct bough_arena *a, struct bough_mark from,
                              int64_t limit, int64_t wait_ms, struct bough_feed_next_result *out,
                              struct bough_error *err)
{
    enum bough_rc rc = BOUGH_OK;

    *out = (struct bough_feed_next_result){ .changes.next = "", .next = from };
    if (from.epoch < 0 || from.no < 0 || limit < 0 || wait_ms < 0)
        return bough_fail(err, BOUGH_INVALID,
                          "a mark, a limit or a time to wait is never negative");
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
