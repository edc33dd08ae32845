/*
 * The writer: one at a time commits. A caller that finds nobody writing commits by itself;
 * otherwise it queues and one thread commits whole batches. The same thread folds the lists and
 * tidies up when it is idle.
 */
#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/str.h"
#include "store/engine.h"
#include "store/projector.h"

enum {
    BATCH_MOST = 512,
    BATCH_WAIT_US = 25, /* for a batch to fill, when the last one had company */
    FOLD_FROM = 64,     /* pending rows at which the thread folds without being idle */
    IDLE_MS = 20,
    HOLD_AFTER = 2, /* lost txns are prepared once more freely, then under the lock */
    TRIES_MOST = 1000,
};

static void futex_wait(atomic_int *at, int value, int64_t us)
{
    struct timespec t = { us / 1000000, us % 1000000 * 1000 };

    syscall(SYS_futex, (int *)at, FUTEX_WAIT_PRIVATE, value, &t, NULL, 0);
}

static void futex_wake(atomic_int *at)
{
    syscall(SYS_futex, (int *)at, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* ---- states: the writer's role only ---- */

struct state *state_get(struct engine *e, int64_t sid)
{
    struct state *st;
    uint64_t val;

    if (map_get(&e->states, (uint64_t)sid, &val))
        return (struct state *)(uintptr_t)val;
    if (map_count(&e->states) >= 1 << 16)
        state_drop_all(e);
    st = mem_zalloc(sizeof *st);
    map_put(&e->states, (uint64_t)sid, (uint64_t)(uintptr_t)st);
    return st;
}

void state_drop(struct engine *e, int64_t sid)
{
    uint64_t val;

    if (map_get(&e->states, (uint64_t)sid, &val))
        ((struct state *)(uintptr_t)val)->valid = false;
}

void state_drop_all(struct engine *e)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&e->states, &pos, NULL, &val))
        mem_free((void *)(uintptr_t)val);
    map_clear(&e->states);
}

/* ---- building a txn ---- */

struct change *txn_change(struct prep *p, enum change_op op)
{
    size_t n = p->t->nchanges;
    struct change *c;

    /* Room grows by doubling: full when the count is a power of two from 4 on, or zero. */
    if (n == 0 || (n >= 4 && (n & (n - 1)) == 0)) {
        c = arena_alloc(p->a, (n ? 2 * n : 4) * sizeof *c);
        if (n)
            memcpy(c, p->t->changes, n * sizeof *c);
        p->t->changes = c;
    }
    c = &p->t->changes[p->t->nchanges++];
    memset(c, 0, sizeof *c);
    c->op = op;
    return c;
}

void txn_guard(struct prep *p, enum guard_op op, int64_t sid, int64_t a, int64_t b)
{
    struct guard *g = arena_alloc(p->a, (p->t->nguards + 1) * sizeof *g);

    if (p->t->nguards)
        memcpy(g, p->t->guards, p->t->nguards * sizeof *g);
    g[p->t->nguards] = (struct guard){ op, sid, a, b };
    p->t->guards = g;
    p->t->nguards++;
}

void txn_log(struct prep *p, enum log_kind kind, int64_t sid, int64_t n)
{
    p->t->log = (struct log_row){ .n = n, .sid = sid, .kind = kind, .time = p->now };
}

enum bough_rc prep_snap(struct prep *p, struct snap **out, struct bough_error *err)
{
    *out = &p->snap;
    if (p->snap.v)
        return BOUGH_OK;
    return snap_begin_engine(p->e, &p->patience, &p->snap, err);
}

/* ---- one batch ---- */

static void finish(struct request *r, enum bough_rc rc)
{
    r->rc = rc;
    atomic_store_explicit(&r->finished, 1, memory_order_release);
    futex_wake(&r->finished);
}

static enum bough_rc prepare(struct engine *e, struct request *r, struct snap *snap)
{
    struct prep p = { .e = e, .a = r->a, .t = &r->txn, .snap = *snap, .patience = r->patience };
    enum bough_rc rc;

    memset(&r->txn, 0, sizeof r->txn);
    p.now = env_now(&e->env);
    rc = r->prepare(&p, r->user, &r->err);
    *snap = p.snap;
    if (rc && r->sid)
        state_drop(e, r->sid);
    return rc;
}

struct batch {
    struct request **at;
    struct txn **txns; /* one more than `at`: the fold's */
    size_t n;
    struct fold fold; /* pending rows folded along with it */
};

/* Prepare each request; those that fail are over. What remains is in b->at. */
static void prepare_all(struct engine *e, struct batch *b)
{
    struct snap snap = { e, e->ops, NULL };
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        enum bough_rc rc = prepare(e, b->at[i], &snap);

        if (rc || !b->at[i]->txn.nchanges) { /* refused, or nothing to do */
            finish(b->at[i], rc);
            continue;
        }
        b->at[n++] = b->at[i];
    }
    b->n = n;
    snap_end(&snap);
}

static struct patience batch_patience(const struct batch *b)
{
    struct patience p = { mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };

    for (size_t i = 0; i < b->n; i++)
        if (b->at[i]->patience.until_us > p.until_us)
            p.until_us = b->at[i]->patience.until_us;
    if (b->n == 1)
        p = b->at[0]->patience;
    return p;
}

/* A txn that lost is prepared again in the next batch; its owner waits on. */
static void requeue(struct engine *e, struct request *r)
{
    r->taken = false;
    r->next = e->first;
    e->first = r;
    if (!e->last)
        e->last = r;
    e->queued++;
}

static bool give_up(struct request *r)
{
    if (++r->tries < TRIES_MOST && mono_us() < r->patience.until_us)
        return false;
    bough_fail(&r->err, BOUGH_TIMEOUT, "others kept changing the same thing; nothing was written");
    return true;
}

static void settle(struct engine *e, struct batch *b, enum bough_rc rc,
                   const struct bough_error *err)
{
    size_t rows = 0;

    for (size_t i = b->n; i-- > 0;) { /* backwards, so that the lost ones keep their order */
        struct request *r = b->at[i];

        if (rc) {
            r->err = *err;
            state_drop(e, r->sid);
            finish(r, rc);
            continue;
        }
        if (r->txn.state == TXN_DONE) {
            rows += r->txn.log.kind != 0;
            if (r->done)
                r->done(e, &r->txn, r->user);
            else if (r->sid)
                state_drop(e, r->sid);
            finish(r, BOUGH_OK);
            continue;
        }
        if (r->sid)
            state_drop(e, r->sid);
        if (give_up(r)) {
            finish(r, BOUGH_TIMEOUT);
            continue;
        }
        pthread_mutex_lock(&e->lock);
        requeue(e, r);
        pthread_mutex_unlock(&e->lock);
    }
    pthread_mutex_lock(&e->lock);
    e->pending += rows;
    e->untidy = e->untidy || rows;
    pthread_mutex_unlock(&e->lock);
}

/* Somebody in it lost again and again: this time nobody else may write in between. */
static bool needs_hold(const struct batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i]->tries >= HOLD_AFTER)
            return true;
    return false;
}

static enum bough_rc run_batch(struct engine *e, struct batch *b, bool fold,
                               struct bough_error *err)
{
    struct patience p = batch_patience(b);
    bool hold = needs_hold(b);
    size_t n = 0;
    enum bough_rc rc;

    if (hold) {
        rc = e->ops->hold(e->backend, &p, err);
        if (rc) {
            settle(e, b, rc, err);
            return rc;
        }
    }
    prepare_all(e, b);
    if (fold && fold_prepare(e, &p, &b->fold, err) == BOUGH_OK && b->fold.txn.nchanges)
        b->txns[n++] = &b->fold.txn;
    for (size_t i = 0; i < b->n; i++)
        b->txns[n++] = &b->at[i]->txn;
    rc = n ? e->ops->commit(e->backend, b->txns, n, &p, err) : BOUGH_OK;
    if (hold)
        e->ops->release(e->backend);
    if (rc)
        state_drop_all(e);
    if (!rc && fold && b->fold.txn.state == TXN_DONE) {
        pthread_mutex_lock(&e->lock);
        e->pending = e->pending > b->fold.rows ? e->pending - b->fold.rows : 0;
        pthread_mutex_unlock(&e->lock);
    }
    settle(e, b, rc, err);
    if (fold)
        fold_finish(&b->fold);
    return rc;
}

/* Take the queue, or as much of it as one batch holds. e->lock is held. */
static void take_queue(struct engine *e, struct batch *b)
{
    while (e->first && b->n < BATCH_MOST) {
        struct request *r = e->first;

        e->first = r->next;
        if (!e->first)
            e->last = NULL;
        e->queued--;
        r->taken = true;
        b->at[b->n++] = r;
    }
}

/* ---- the thread ---- */

static void wait_for_work(struct engine *e, bool *idle)
{
    struct timespec until;

    *idle = false;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += IDLE_MS * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    while (!e->stopping && (e->leading || (!e->first && e->pending < FOLD_FROM))) {
        int rc = e->untidy && !e->leading ? pthread_cond_timedwait(&e->wake, &e->lock, &until)
                                          : pthread_cond_wait(&e->wake, &e->lock);

        if (rc == ETIMEDOUT && !e->leading && !e->first) {
            *idle = true;
            return;
        }
    }
}

/* When the last batch had company, more is likely on its way: give it a moment. */
static void wait_for_company(struct engine *e)
{
    struct timespec t = { 0, 2000 };
    int64_t until = mono_us() + BATCH_WAIT_US;

    if (e->last_batch < 2 || e->queued >= e->last_batch)
        return;
    pthread_mutex_unlock(&e->lock);
    while (mono_us() < until)
        nanosleep(&t, NULL);
    pthread_mutex_lock(&e->lock);
}

static void lead_from_thread(struct engine *e, struct batch *b, bool idle)
{
    struct bough_error err;
    bool fold;

    wait_for_company(e);
    b->n = 0;
    take_queue(e, b);
    e->last_batch = b->n;
    fold = e->pending && (idle || e->pending >= FOLD_FROM);
    if (idle)
        e->untidy = false;
    pthread_mutex_unlock(&e->lock);
    if (run_batch(e, b, fold, &err))
        log_msg(LOG_WARN, "a batch was not committed: %s", err.msg);
    if (idle && !b->n)
        e->ops->upkeep(e->backend, false);
    pthread_mutex_lock(&e->lock);
}

static void *writer_thread(void *arg)
{
    struct engine *e = arg;
    struct request **at = mem_alloc(mem_array(BATCH_MOST, sizeof *at));
    struct txn **txns = mem_alloc(mem_array(BATCH_MOST + 1, sizeof *txns));
    struct batch b = { .at = at, .txns = txns };
    bool idle;

    pthread_mutex_lock(&e->lock);
    while (!e->stopping || e->first) {
        wait_for_work(e, &idle);
        if (e->leading || (!e->first && !idle && e->pending < FOLD_FROM))
            continue;
        e->leading = true;
        lead_from_thread(e, &b, idle);
        e->leading = false;
    }
    pthread_mutex_unlock(&e->lock);
    mem_free(at);
    mem_free(txns);
    return NULL;
}

void writer_start(struct engine *e)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&e->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&e->wake, &attr);
    pthread_condattr_destroy(&attr);
    map_init(&e->states);
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
    state_drop_all(e);
    map_finish(&e->states);
    pthread_cond_destroy(&e->wake);
    pthread_mutex_destroy(&e->lock);
}

/* ---- callers ---- */

static void enqueue(struct engine *e, struct request *r)
{
    r->next = NULL;
    if (e->last)
        e->last->next = r;
    else
        e->first = r;
    e->last = r;
    e->queued++;
}

/* Out of time while still in the queue: nobody has looked at it yet. */
static bool withdraw(struct engine *e, struct request *r)
{
    struct request **at = &e->first, *before = NULL;

    if (r->taken)
        return false;
    for (; *at && *at != r; at = &(*at)->next)
        before = *at;
    if (!*at)
        return false;
    *at = r->next;
    if (e->last == r)
        e->last = before;
    e->queued--;
    return true;
}

static bool out_of_patience(const struct patience *p)
{
    return mono_us() >= p->until_us || (p->cancel && __atomic_load_n(p->cancel, __ATOMIC_RELAXED));
}

static enum bough_rc wait_for(struct engine *e, struct request *r, struct bough_error *err)
{
    bool gone = false;

    while (!atomic_load_explicit(&r->finished, memory_order_acquire)) {
        futex_wait(&r->finished, 0, 50000);
        if (atomic_load_explicit(&r->finished, memory_order_acquire) ||
            !out_of_patience(&r->patience))
            continue;
        pthread_mutex_lock(&e->lock);
        gone = withdraw(e, r);
        pthread_mutex_unlock(&e->lock);
        if (gone)
            return bough_fail(err, BOUGH_TIMEOUT,
                              "the store was busy for too long; nothing was written");
    }
    if (r->rc && err)
        *err = r->err;
    return r->rc;
}

/* Nobody writes: commit at once, without a thread in between. e->lock is held on entry. */
static enum bough_rc lead_inline(struct engine *e, struct request *r, struct bough_error *err)
{
    struct txn *txns[2];
    struct batch b = { .at = &r, .txns = txns, .n = 1 };
    struct bough_error batch_err = { 0 };

    r->taken = true;
    e->leading = true;
    e->last_batch = 1;
    pthread_mutex_unlock(&e->lock);
    (void)run_batch(e, &b, false, &batch_err);
    pthread_mutex_lock(&e->lock);
    e->leading = false;
    if (e->first || e->untidy)
        pthread_cond_signal(&e->wake);
    pthread_mutex_unlock(&e->lock);
    return wait_for(e, r, err);
}

enum bough_rc write_run(struct bough_store *s, struct bough_arena *a, struct request *r,
                        struct bough_error *err)
{
    struct engine *e = s->e;

    if (e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    if (getpid() != e->pid)
        return bough_fail(err, BOUGH_INVALID,
                          "a store cannot be used across fork(): open it again");
    r->a = a;
    r->patience = store_patience(s);
    atomic_init(&r->finished, 0);
    r->taken = false;
    r->tries = 0;
    memset(&r->err, 0, sizeof r->err);
    if (out_of_patience(&r->patience))
        return bough_fail(err, BOUGH_TIMEOUT, "cancelled, or no time left; nothing was written");
    pthread_mutex_lock(&e->lock);
    if (!e->leading && !e->first && e->pending < LIMIT_PENDING)
        return lead_inline(e, r, err);
    enqueue(e, r);
    pthread_cond_signal(&e->wake);
    pthread_mutex_unlock(&e->lock);
    return wait_for(e, r, err);
}

/* ---- other work that needs the writer's role ---- */

static enum bough_rc role_take(struct engine *e, const struct patience *p, struct bough_error *err)
{
    pthread_mutex_lock(&e->lock);
    while (e->leading) {
        pthread_mutex_unlock(&e->lock);
        if (out_of_patience(p))
            return bough_fail(err, BOUGH_TIMEOUT, "the store was busy for too long");
        nanosleep(&(struct timespec){ 0, 200000 }, NULL);
        pthread_mutex_lock(&e->lock);
    }
    e->leading = true;
    pthread_mutex_unlock(&e->lock);
    return BOUGH_OK;
}

static void role_give(struct engine *e)
{
    pthread_mutex_lock(&e->lock);
    e->leading = false;
    pthread_cond_signal(&e->wake);
    pthread_mutex_unlock(&e->lock);
}

enum bough_rc writer_upkeep(struct engine *e, const struct patience *p, struct bough_error *err)
{
    struct txn *txns[1];
    struct batch b = { .txns = txns };
    enum bough_rc rc = role_take(e, p, err);

    if (rc)
        return rc;
    rc = run_batch(e, &b, true, err);
    e->ops->upkeep(e->backend, false);
    role_give(e);
    return rc;
}

enum bough_rc writer_slice(struct engine *e, int64_t sid, int64_t limit, bool *left,
                           int64_t *entries, int64_t *records, const struct patience *p,
                           struct bough_error *err)
{
    enum bough_rc rc = role_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->purge_slice(e->backend, sid, limit, left, entries, records, p, err);
    state_drop(e, sid);
    role_give(e);
    return rc;
}

enum bough_rc writer_cut(struct engine *e, const struct branch_row *rows, size_t n,
                         const struct patience *p, struct bough_error *err)
{
    enum bough_rc rc = role_take(e, p, err);

    if (rc)
        return rc;
    rc = e->ops->branch_cut(e->backend, rows, n, p, err);
    role_give(e);
    return rc;
}
