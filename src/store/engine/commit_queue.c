/* The commit queue. Only the holder of the writer role commits. A caller that finds the role free
 * takes it; other callers queue. When the role is passed on, the first caller in the queue commits
 * the whole queue as one batch. */
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "store/engine/commit_queue.h"
#include "store/engine/engine.h"

enum {
    BATCH_MOST = 512,
    BATCH_WAIT_US = 25, /* wait for a batch to fill, if the last one had several requests */
    HOLD_AFTER = 2,     /* lost this often: retry while holding the backend's write lock */
    TRIES_MOST = 1000,
};

/* State of a request; its caller sleeps while it is WAITING. */
enum stage { WAITING, LEADS, FINISHED };

static void futex_wait(atomic_int *at, int value, int64_t us)
{
    struct timespec t = { us / 1000000, us % 1000000 * 1000 };

    syscall(SYS_futex, (int *)at, FUTEX_WAIT_PRIVATE, value, &t, NULL, 0);
}

static void futex_wake(atomic_int *at)
{
    syscall(SYS_futex, (int *)at, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- one batch ---- */

struct batch {
    struct request **at;
    struct txn **txns; /* one more than `at`, for the fold */
    size_t n;
    struct request *own;     /* request of the committing thread itself; no thread sleeps on it */
    struct ready_fold *fold; /* fold to commit with the batch; NULL: none */
    size_t rows;             /* changelog rows written */
    size_t numbers;          /* numbers that these took */
    int64_t us;              /* duration of the commit */
    enum bough_rc rc;
};

static void finish(const struct batch *b, struct request *r)
{
    bool sleeps = r != b->own;

    atomic_store_explicit(&r->stage, FINISHED, memory_order_release);
    if (sleeps)
        futex_wake(&r->stage);
}

static enum bough_rc prepare(struct engine *e, struct request *r, struct snap *snap)
{
    struct prep p = {
        .e = e, .a = r->a, .t = &r->txn, .snap = *snap, .deadline = r->deadline, .moved = r->moved
    };
    enum bough_rc rc;

    memset(&r->txn, 0, sizeof r->txn);
    p.now = env_now(&e->env);
    rc = r->prepare(&p, r->user, &r->err);
    *snap = p.snap;
    if (rc && r->sid)
        state_drop(e, r->sid);
    return rc;
}

/* Prepare each request. Requests that fail or change nothing are finished; the rest stay in
 * b->at. */
static void prepare_all(struct engine *e, struct batch *b)
{
    struct snap snap = { e, e->ops, NULL };
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        struct request *r = b->at[i];

        r->rc = prepare(e, r, &snap);
        if (r->rc || !r->txn.nchanges) /* failed, or nothing to write */
            finish(b, r);
        else
            b->at[n++] = r;
    }
    b->n = n;
    snap_end(&snap);
}

static struct deadline batch_deadline(const struct batch *b)
{
    struct deadline p;

    if (b->n == 1)
        return b->at[0]->deadline;
    p = (struct deadline){ mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i]->deadline.until_us > p.until_us)
            p.until_us = b->at[i]->deadline.until_us;
    return p;
}

/* Put a lost request at the front of the queue; the next batch prepares it again. */
static void requeue(struct engine *e, struct request *r)
{
    pthread_mutex_lock(&e->lock);
    r->taken = false;
    r->next = e->queue.first;
    e->queue.first = r;
    if (!e->queue.last)
        e->queue.last = r;
    e->queue.queued++;
    pthread_mutex_unlock(&e->lock);
}

static bool give_up(struct request *r)
{
    if (++r->tries < TRIES_MOST && mono_us() < r->deadline.until_us)
        return false;
    bough_fail(&r->err, BOUGH_TIMEOUT,
               "too many conflicts with other writers; nothing was written");
    return true;
}

/* Record the outcome of a request. Returns false if it was queued again, so that another thread may
 * own it now. */
static bool settle_one(struct engine *e, struct request *r, enum bough_rc rc,
                       const struct bough_error *err)
{
    r->rc = rc;
    if (!rc && r->txn.state == TXN_DONE && r->done) {
        r->done(e, &r->txn, r->user);
        return true;
    }
    if (r->sid)
        state_drop(e, r->sid);
    if (rc)
        r->err = *err;
    if (rc || r->txn.state == TXN_DONE)
        return true;
    if (give_up(r)) {
        r->rc = BOUGH_TIMEOUT;
        return true;
    }
    requeue(e, r);
    return false;
}

/* Record the outcome of each request. Their callers are woken after the role is passed on. */
static void settle(struct engine *e, struct batch *b, const struct bough_error *err)
{
    for (size_t i = b->n; i-- > 0;) { /* backwards, so that requeued requests keep their order */
        const struct txn *t = &b->at[i]->txn;

        if (!b->rc && t->state == TXN_DONE && t->log.kind) {
            b->rows++;
            b->numbers += (size_t)(t->log.n > 0 ? t->log.n : 1);
        }
        if (!settle_one(e, b->at[i], b->rc, err))
            b->at[i] = NULL;
    }
}

/* Update counters and pending work after a batch. Needs e->lock. */
static void account(struct engine *e, const struct batch *b)
{
    const struct ready_fold *f = b->fold;

    if (b->rc && f)
        e->folds.retry_us = mono_us() + FOLD_AGAIN_US;
    else if (f && f->txn.state == TXN_DONE)
        e->folds.pending -= f->seen < e->folds.pending ? f->seen : e->folds.pending;
    e->folds.pending += b->rows;
    e->fulltext.pending += b->numbers;
    e->feed.commits += b->rows != 0;
    e->figures.batches++;
    e->figures.batched += (int64_t)b->n;
    e->figures.commit_us += b->us;
    if (b->rows && e->feed.followers)
        pthread_cond_broadcast(&e->feed.committed);
    if (b->n) {
        e->queue.last_us = mono_us();
        e->queue.took_us = b->us;
        e->upkeep.untidy = true;
        if (b->rows) /* a durable commit also synced the relaxed ones before it */
            e->upkeep.relaxed_us = 0;
        else if (!e->upkeep.relaxed_us)
            e->upkeep.relaxed_us = e->queue.last_us;
    }
}

/* Has a request lost repeatedly? Then block other processes during this batch. */
static bool needs_hold(const struct batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i]->tries >= HOLD_AFTER)
            return true;
    return false;
}

static void run_batch(struct engine *e, struct batch *b, struct bough_error *err)
{
    struct deadline p = batch_deadline(b);
    bool hold = needs_hold(b);
    size_t n = 0;

    if (hold) {
        b->rc = e->ops->hold(e->backend, &p, err);
        if (b->rc) {
            settle(e, b, err);
            return;
        }
    }
    prepare_all(e, b);
    if (b->fold)
        b->txns[n++] = &b->fold->txn;
    for (size_t i = 0; i < b->n; i++)
        b->txns[n++] = &b->at[i]->txn;
    b->us = mono_us();
    b->rc = n ? e->ops->commit(e->backend, b->txns, n, &p, err) : BOUGH_OK;
    b->us = mono_us() - b->us;
    if (hold)
        e->ops->release(e->backend);
    if (b->rc)
        state_drop_all(e);
    settle(e, b, err);
}

/* ---- the writer role ---- */

void role_pass_on(struct engine *e)
{
    e->queue.leading = e->queue.first && !e->queue.wanted;
    if (e->queue.leading) {
        atomic_store_explicit(&e->queue.first->stage, LEADS, memory_order_release);
        futex_wake(&e->queue.first->stage);
    }
    /* A thread in a timed sleep wakes by itself. */
    if ((e->folds.pending >= fold_from(e) && !e->folds.running && !e->queue.direct) ||
        (e->upkeep.untidy && !e->background.timed))
        pthread_cond_signal(&e->background.wake);
}

/* If the last batch had several requests, wait briefly for more. */
static void wait_for_company(struct engine *e)
{
    struct timespec t = { 0, 2000 };
    int64_t until;

    if (e->queue.last_batch < 2 || e->queue.queued >= e->queue.last_batch)
        return;
    pthread_mutex_unlock(&e->lock);
    for (until = mono_us() + BATCH_WAIT_US; mono_us() < until;)
        nanosleep(&t, NULL);
    pthread_mutex_lock(&e->lock);
}

/* Move up to BATCH_MOST requests from the queue into the batch. Needs e->lock. */
static void take_queue(struct engine *e, struct batch *b)
{
    while (e->queue.first && b->n < BATCH_MOST) {
        struct request *r = e->queue.first;

        e->queue.first = r->next;
        if (!e->queue.first)
            e->queue.last = NULL;
        e->queue.queued--;
        r->taken = true;
        b->at[b->n++] = r;
    }
}

enum bough_rc role_lead(struct engine *e, struct request *own, struct bough_error *err)
{
    struct request *at[BATCH_MOST];
    struct txn *txns[BATCH_MOST + 1];
    struct batch b = { .at = at, .txns = txns, .own = own };
    size_t seen;
    bool fold;

    wait_for_company(e);
    take_queue(e, &b);
    if (b.n)
        e->queue.last_batch = b.n;
    b.fold = e->folds.ready;
    e->folds.ready = NULL;
    seen = e->folds.pending;
    fold = !b.fold && !e->folds.running && seen >= fold_at(e) && mono_us() >= e->folds.retry_us;
    pthread_mutex_unlock(&e->lock);
    if (fold)
        (void)e->hooks->fold(e, seen, &b.fold, NULL);
    run_batch(e, &b, err);
    pthread_mutex_lock(&e->lock);
    account(e, &b);
    role_pass_on(e);
    pthread_mutex_unlock(&e->lock);
    for (size_t i = 0; i < b.n; i++)
        if (b.at[i])
            finish(&b, b.at[i]);
    ready_fold_free(b.fold);
    return b.rc;
}

enum bough_rc role_take(struct engine *e, const struct deadline *p, struct bough_error *err)
{
    bool over = false;

    pthread_mutex_lock(&e->lock);
    e->queue.wanted++;
    while (e->queue.leading && !over) {
        pthread_mutex_unlock(&e->lock);
        nanosleep(&(struct timespec){ 0, 200000 }, NULL);
        over = deadline_passed(p);
        pthread_mutex_lock(&e->lock);
    }
    e->queue.wanted--;
    if (!e->queue.leading && over)
        role_pass_on(e);
    else if (!e->queue.leading)
        e->queue.leading = true;
    pthread_mutex_unlock(&e->lock);
    return over ? bough_fail(err, deadline_rc(p), "the store was busy for too long") : BOUGH_OK;
}

void role_give(struct engine *e)
{
    pthread_mutex_lock(&e->lock);
    e->upkeep.untidy = true;
    e->queue.last_us = mono_us();
    role_pass_on(e);
    pthread_mutex_unlock(&e->lock);
}

/* ---- callers ---- */

static void enqueue(struct engine *e, struct request *r)
{
    r->next = NULL;
    if (e->queue.last)
        e->queue.last->next = r;
    else
        e->queue.first = r;
    e->queue.last = r;
    e->queue.queued++;
}

/* Remove a timed-out request from the queue. Returns false if a batch has already taken it. */
static bool withdraw(struct engine *e, struct request *r)
{
    struct request **at = &e->queue.first, *before = NULL;

    if (r->taken || atomic_load(&r->stage) != WAITING)
        return false;
    for (; *at && *at != r; at = &(*at)->next)
        before = *at;
    if (!*at)
        return false;
    *at = r->next;
    if (e->queue.last == r)
        e->queue.last = before;
    e->queue.queued--;
    return true;
}

/* Wait until the request is finished, or commit the queue when the role is passed to this
 * caller. */
static enum bough_rc wait_for(struct engine *e, struct request *r, struct bough_error *err)
{
    struct bough_error ignored;
    bool gone = false;
    int stage;

    while ((stage = atomic_load_explicit(&r->stage, memory_order_acquire)) != FINISHED) {
        if (stage == LEADS) {
            atomic_store(&r->stage, WAITING);
            pthread_mutex_lock(&e->lock);
            (void)role_lead(e, r, &ignored);
            continue;
        }
        futex_wait(&r->stage, WAITING, 50000);
        if (atomic_load_explicit(&r->stage, memory_order_acquire) != WAITING ||
            !deadline_passed(&r->deadline))
            continue;
        pthread_mutex_lock(&e->lock);
        gone = withdraw(e, r);
        pthread_mutex_unlock(&e->lock);
        if (gone)
            return bough_fail(err, deadline_rc(&r->deadline),
                              "the store was busy for too long; nothing was written");
    }
    if (r->rc && err)
        *err = r->err;
    return r->rc;
}

enum bough_rc write_run(struct bough_store *s, struct bough_arena *a, struct request *r,
                        struct bough_error *err)
{
    struct engine *e = s->e;
    struct bough_error ignored;
    enum bough_rc rc;

    if (e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    rc = engine_check_fork(e, err);
    if (rc)
        return rc;
    r->a = a;
    r->deadline = store_deadline(s);
    r->moved = s->moved;
    atomic_init(&r->stage, WAITING);
    r->taken = false;
    r->tries = 0;
    memset(&r->err, 0, sizeof r->err);
    if (s->deadline_ms <= 0 || is_cancelled(s->cancel))
        return bough_fail(err, deadline_rc(&r->deadline),
                          "cancelled, or no time left; nothing was written");
    pthread_mutex_lock(&e->lock);
    enqueue(e, r);
    if (!e->queue.leading && !e->queue.wanted) {
        e->queue.leading = true;
        (void)role_lead(e, r, &ignored); /* errors are stored per request */
    } else {
        pthread_mutex_unlock(&e->lock);
    }
    return wait_for(e, r, err);
}

enum bough_rc write_once(struct bough_store *s, struct request *r, struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    enum bough_rc rc = write_run(s, tmp, r, err);

    bough_arena_destroy(tmp);
    return rc;
}

/* ---- upkeep ---- */

enum bough_rc commit_queue_upkeep(struct engine *e, const struct deadline *p,
                                  struct bough_error *err)
{
    struct txn *txns[1];
    struct batch b = { .txns = txns };
    size_t seen;
    enum bough_rc rc = role_take(e, p, err);

    if (rc)
        return rc;
    pthread_mutex_lock(&e->lock);
    ready_fold_free(e->folds.ready); /* does not cover all pending rows: make a new one */
    e->folds.ready = NULL;
    seen = e->folds.pending;
    pthread_mutex_unlock(&e->lock);
    rc = e->hooks->fold(e, seen, &b.fold, err);
    if (!rc) {
        run_batch(e, &b, err);
        rc = b.rc;
    }
    e->ops->upkeep(e->backend, false);
    pthread_mutex_lock(&e->lock);
    account(e, &b);
    role_pass_on(e);
    pthread_mutex_unlock(&e->lock);
    ready_fold_free(b.fold);
    return rc;
}

void ready_fold_free(struct ready_fold *f)
{
    if (!f)
        return;
    bough_arena_destroy(f->a);
    mem_free(f);
}
