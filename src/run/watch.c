/*
 * The thread of a runner. It renews the leases of the runs here, and follows the changelog: a wish
 * to cancel, an approval that is settled and a run that is queued are seen at once, also those of
 * other processes. Every ten seconds it looks at all live runs, for what it missed, and ends those
 * whose owner is gone.
 */
#include <bough/feed.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "run/external/agents.h"
#include "run/runner.h"

enum { LOOK_MS = 10000, WAIT_MS = 250, PAGE = 500, LOOK_PAGE = 1000, PAUSE_MS = 200 };

/* ---- the runs here ---- */

static struct run_work *find_here(struct runner *r, const char *id, int64_t epoch)
{
    struct run_work *w = r->running;

    while (w && (strcmp(w->run->id, id) != 0 || (epoch && w->epoch != epoch)))
        w = w->next;
    return w;
}

static void tell_lost(struct run_work *w)
{
    __atomic_store_n(&w->lost, true, __ATOMIC_RELEASE);
    __atomic_store_n(&w->cancel, true, __ATOMIC_RELEASE);
}

struct here {
    char id[BOUGH_ID_LEN + 1];
    int64_t epoch;
};

static size_t list_here(struct runner *r, struct bough_arena *a, struct here **out)
{
    size_t n = 0;

    pthread_mutex_lock(&r->lock);
    for (struct run_work *w = r->running; w; w = w->next)
        n++;
    *out = arena_array(a, n + 1, sizeof **out);
    n = 0;
    for (struct run_work *w = r->running; w; w = w->next) {
        memcpy((*out)[n].id, w->run->id, sizeof w->run->id);
        (*out)[n++].epoch = w->epoch;
    }
    pthread_mutex_unlock(&r->lock);
    return n;
}

static void renew_one(struct runner *r, const struct here *h)
{
    struct bough_run_renew_result got = { 0 };
    struct bough_error err = { 0 };
    enum bough_rc rc = bough_run_renew(r->config.store, h->id, h->epoch, RUN_LEASE_MS, &got, &err);
    struct run_work *w;

    pthread_mutex_lock(&r->lock);
    w = find_here(r, h->id, h->epoch);
    if (w && rc == BOUGH_LEASE_LOST && !w->ended)
        tell_lost(w);
    if (w && !rc && got.cancel)
        work_wish(w);
    pthread_mutex_unlock(&r->lock);
    if (rc && rc != BOUGH_LEASE_LOST && rc != BOUGH_CONFLICT)
        log_msg(LOG_WARN, "run id=%s msg=its lease was not renewed: %s", h->id, err.msg);
}

static void renew_all(struct runner *r)
{
    struct bough_arena *a = bough_arena_create();
    struct here *at;
    size_t n = list_here(r, a, &at);

    for (size_t i = 0; i < n; i++)
        renew_one(r, &at[i]);
    bough_arena_destroy(a);
}

/* ---- what changed ---- */

/* A run here has changed: is there a wish to cancel it? Its work may also look for approvals. */
static bool nudge(struct runner *r, struct bough_arena *a, const char *id)
{
    struct bough_error err = { 0 };
    struct bough_run *run;
    struct run_work *w;
    bool here;

    pthread_mutex_lock(&r->lock);
    w = find_here(r, id, 0);
    here = w != NULL;
    if (w)
        __atomic_store_n(&w->nudged, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&r->lock);
    if (!here || bough_run_get(r->config.store, a, id, &run, &err) || !run->cancel)
        return here;
    pthread_mutex_lock(&r->lock);
    w = find_here(r, id, 0);
    if (w)
        work_wish(w);
    pthread_mutex_unlock(&r->lock);
    return here;
}

static void take_change(struct runner *r, struct bough_arena *a, const struct bough_change *c,
                        bool watching)
{
    struct bough_error err = { 0 };
    struct bough_approval *approval;
    const char *run = c->about;

    if (strcmp(c->kind, "run") != 0 && strcmp(c->kind, "approval") != 0)
        return;
    if (strcmp(c->kind, "approval") == 0) {
        if (bough_approval_get(r->config.store, a, c->about, &approval, &err))
            return;
        run = approval->run;
    }
    if (*run && !nudge(r, a, run) && watching)
        runner_take(r, run);
}

int runner_look(struct runner *r)
{
    struct bough_run_list_options which = { .status = "queued awaiting_approval",
                                            .limit = LOOK_PAGE };
    struct bough_arena *a = bough_arena_create();
    struct bough_runs page = { .next = "" };
    struct bough_error err = { 0 };
    enum bough_rc rc = bough_run_recover(r->config.store, NULL, &err);
    int taken = 0;

    pthread_mutex_lock(&r->lock);
    r->missed = false;
    pthread_mutex_unlock(&r->lock);
    do {
        which.cursor = page.next;
        if (!rc)
            rc = bough_run_list(r->config.store, a, &which, &page, &err);
        for (size_t i = page.n; !rc && i-- > 0;) /* the oldest first */
            taken += runner_take(r, page.at[i].id);
    } while (!rc && *page.next);
    if (rc)
        log_msg(LOG_WARN, "run msg=live runs were not looked for: %s", err.msg);
    bough_arena_destroy(a);
    return taken;
}

/* ---- the thread ---- */

static bool read_flag(struct runner *r, const bool *flag)
{
    bool set;

    pthread_mutex_lock(&r->lock);
    set = *flag;
    pthread_mutex_unlock(&r->lock);
    return set;
}

/* Follow the changelog for a moment. */
static void follow(struct runner *r, struct bough_mark *mark)
{
    bool watching = read_flag(r, &r->watching) && !read_flag(r, &r->stopping);
    struct bough_arena *a = bough_arena_create();
    struct bough_feed_next_result got;
    struct bough_error err = { 0 };
    int64_t wait = r->renew_ms < WAIT_MS ? r->renew_ms : WAIT_MS;

    if (bough_feed_next(r->config.store, a, *mark, PAGE, wait, &got, &err)) {
        log_msg(LOG_WARN, "run msg=the changelog was not read: %s", err.msg);
        nanosleep(&(struct timespec){ .tv_nsec = PAUSE_MS * 1000 * 1000L }, NULL);
    } else {
        for (size_t i = 0; i < got.changes.n; i++)
            take_change(r, a, &got.changes.at[i], watching);
        *mark = got.next;
    }
    bough_arena_destroy(a);
}

/* Is it time again? *last is on the monotonic clock, in us; never with 0. */
static bool is_due(int64_t every_ms, int64_t *last)
{
    int64_t now = mono_us();

    if (!every_ms || now - *last < every_ms * 1000)
        return false;
    *last = now;
    return true;
}

static void *keep(void *user)
{
    struct runner *r = user;
    int64_t renewed = mono_us(), looked = 0, idle = mono_us();
    struct bough_error err = { 0 };
    struct bough_mark mark = { 0 };

    if (bough_feed_end(r->config.store, &mark, &err))
        log_msg(LOG_WARN, "run msg=the changelog was not read: %s", err.msg);
    while (!__atomic_load_n(&r->unkeep, __ATOMIC_ACQUIRE)) {
        bool watching = read_flag(r, &r->watching) && !read_flag(r, &r->stopping);

        if (watching &&
            (!looked || mono_us() - looked > LOOK_MS * 1000LL ||
             (read_flag(r, &r->missed) && __atomic_load_n(&r->has_left, __ATOMIC_ACQUIRE)))) {
            __atomic_store_n(&r->has_left, false, __ATOMIC_RELEASE);
            looked = mono_us();
            runner_look(r);
        }
        if (is_due(r->renew_ms, &renewed)) {
            renew_all(r);
            agents_sweep(r->agents);
        }
        if (watching && is_due(idle_every_ms(&r->settings), &idle))
            runner_end_idle(r);
        follow(r, &mark);
    }
    return NULL;
}

enum bough_rc runner_keep(struct runner *r, struct bough_error *err)
{
    sigset_t every, before;
    int rc = 0;

    pthread_mutex_lock(&r->lock);
    if (!r->keeps) {
        sigfillset(&every); /* signals are for the main thread */
        pthread_sigmask(SIG_SETMASK, &every, &before);
        rc = pthread_create(&r->watcher, NULL, keep, r);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
        r->keeps = rc == 0;
    }
    pthread_mutex_unlock(&r->lock);
    return rc ? bough_fail(err, BOUGH_IO, "a thread could not be started: %s", strerror(rc))
              : BOUGH_OK;
}

enum bough_rc runner_watch(struct runner *r, struct bough_error *err)
{
    pthread_mutex_lock(&r->lock);
    r->watching = true;
    pthread_mutex_unlock(&r->lock);
    return runner_keep(r, err);
}

void runner_unkeep(struct runner *r)
{
    if (!r->keeps)
        return;
    __atomic_store_n(&r->unkeep, true, __ATOMIC_RELEASE);
    pthread_join(r->watcher, NULL);
    r->keeps = false;
}
