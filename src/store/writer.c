/*
 * The writer: one at a time commits. A caller that finds nobody writing commits by itself; others
 * queue, and the first of them commits the whole queue when the role is passed on to it.
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
#include "store/text.h"
#include "store/writer.h"

enum {
    BATCH_MOST = 512,
    BATCH_WAIT_US = 25, /* for a batch to fill, when the last one had company */
    HOLD_AFTER = 2,     /* lost txns are prepared once more freely, then under the lock */
    TRIES_MOST = 1000,
};

/* Where a request is; its owner sleeps while it is WAITING. */
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
    struct txn **txns; /* one more than `at`: the fold's */
    size_t n;
    struct request *own;     /* of the thread that leads; nobody sleeps on it */
    struct ready_fold *fold; /* committed along with it; NULL: none */
    size_t rows;             /* log rows it wrote */
    int64_t us;              /* its commit took */
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

/* Prepare each request; those that fail are over. What remains is in b->at. */
static void prepare_all(struct engine *e, struct batch *b)
{
    struct snap snap = { e, e->ops, NULL };
    size_t n = 0;

    for (size_t i = 0; i < b->n; i++) {
        struct request *r = b->at[i];

        r->rc = prepare(e, r, &snap);
        if (r->rc || !r->txn.nchanges) /* refused, or nothing to do */
            finish(b, r);
        else
            b->at[n++] = r;
    }
    b->n = n;
    snap_end(&snap);
}

static struct patience batch_patience(const struct batch *b)
{
    struct patience p;

    if (b->n == 1)
        return b->at[0]->patience;
    p = (struct patience){ mono_us() + LIMIT_DEADLINE_MS * 1000, NULL };
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i]->patience.until_us > p.until_us)
            p.until_us = b->at[i]->patience.until_us;
    return p;
}

/* A txn that lost is prepared again in the next batch; its owner waits on. */
static void requeue(struct engine *e, struct request *r)
{
    pthread_mutex_lock(&e->lock);
    r->taken = false;
    r->next = e->first;
    e->first = r;
    if (!e->last)
        e->last = r;
    e->queued++;
    pthread_mutex_unlock(&e->lock);
}

static bool give_up(struct request *r)
{
    if (++r->tries < TRIES_MOST && mono_us() < r->patience.until_us)
        return false;
    bough_fail(&r->err, BOUGH_TIMEOUT, "others kept changing the same thing; nothing was written");
    return true;
}

/* What became of one request. False: it is back in the queue and no longer ours. */
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

/* What became of each; the owners are told when the role has been passed on. */
static void settle(struct engine *e, struct batch *b, const struct bough_error *err)
{
    for (size_t i = b->n; i-- > 0;) { /* backwards, so that the lost ones keep their order */
        b->rows += !b->rc && b->at[i]->txn.state == TXN_DONE && b->at[i]->txn.log.kind;
        if (!settle_one(e, b->at[i], b->rc, err))
            b->at[i] = NULL;
    }
}

/* What it leaves to do. e->lock is held. */
static void account(struct engine *e, const struct batch *b)
{
    const struct ready_fold *f = b->fold;

    if (b->rc && f)
        e->fold_after = mono_us() + FOLD_AGAIN_US;
    else if (f && f->fold.txn.state == TXN_DONE)
        e->pending -= f->seen < e->pending ? f->seen : e->pending;
    e->pending += b->rows;
    e->text_pending += b->rows;
    e->commits += b->rows != 0;
    e->batches++;
    e->batched += (int64_t)b->n;
    e->commit_us += b->us;
    if (b->rows && e->followers)
        pthread_cond_broadcast(&e->committed);
    if (b->n) {
        e->last_us = mono_us();
        e->untidy = true;
        if (b->rows) /* synced, and with it what was relaxed before */
            e->relaxed_us = 0;
        else if (!e->relaxed_us)
            e->relaxed_us = e->last_us;
    }
}

/* Somebody in it lost again and again: this time nobody else may write in between. */
static bool needs_hold(const struct batch *b)
{
    for (size_t i = 0; i < b->n; i++)
        if (b->at[i]->tries >= HOLD_AFTER)
            return true;
    return false;
}

static void run_batch(struct engine *e, struct batch *b, struct bough_error *err)
{
    struct patience p = batch_patience(b);
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
        b->txns[n++] = &b->fold->fold.txn;
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

/* ---- the role ---- */

void writer_pass_on(struct engine *e)
{
    e->leading = e->first && !e->wanted;
    if (e->leading) {
        atomic_store_explicit(&e->first->stage, LEADS, memory_order_release);
        futex_wake(&e->first->stage);
    }
    /* A thread that sleeps until it may be idle wakes by itself. */
    if ((e->pending >= fold_from(e) && !e->folding && !e->direct) || (e->untidy && !e->timed))
        pthread_cond_signal(&e->wake);
}

/* When the last batch had company, more is likely on its way: give it a moment. */
static void wait_for_company(struct engine *e)
{
    struct timespec t = { 0, 2000 };
    int64_t until;

    if (e->last_batch < 2 || e->queued >= e->last_batch)
        return;
    pthread_mutex_unlock(&e->lock);
    for (until = mono_us() + BATCH_WAIT_US; mono_us() < until;)
        nanosleep(&t, NULL);
    pthread_mutex_lock(&e->lock);
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

enum bough_rc writer_lead(struct engine *e, struct request *own, struct bough_error *err)
{
    struct request *at[BATCH_MOST];
    struct txn *txns[BATCH_MOST + 1];
    struct batch b = { .at = at, .txns = txns, .own = own };
    size_t seen;
    bool fold;

    wait_for_company(e);
    take_queue(e, &b);
    if (b.n)
        e->last_batch = b.n;
    b.fold = e->fold;
    e->fold = NULL;
    seen = e->pending;
    fold = !b.fold && !e->folding && seen >= fold_at(e) && mono_us() >= e->fold_after;
    pthread_mutex_unlock(&e->lock);
    if (fold)
        (void)ready_fold_make(e, seen, &b.fold, NULL);
    run_batch(e, &b, err);
    pthread_mutex_lock(&e->lock);
    account(e, &b);
    writer_pass_on(e);
    pthread_mutex_unlock(&e->lock);
    for (size_t i = 0; i < b.n; i++)
        if (b.at[i])
            finish(&b, b.at[i]);
    ready_fold_free(b.fold);
    return b.rc;
}

static bool out_of_patience(const struct patience *p)
{
    return mono_us() >= p->until_us || (p->cancel && __atomic_load_n(p->cancel, __ATOMIC_RELAXED));
}

enum bough_rc writer_take(struct engine *e, const struct patience *p, struct bough_error *err)
{
    bool over = false;

    pthread_mutex_lock(&e->lock);
    e->wanted++;
    while (e->leading && !over) {
        pthread_mutex_unlock(&e->lock);
        nanosleep(&(struct timespec){ 0, 200000 }, NULL);
        over = out_of_patience(p);
        pthread_mutex_lock(&e->lock);
    }
    e->wanted--;
    if (!e->leading && over)
        writer_pass_on(e);
    else if (!e->leading)
        e->leading = true;
    pthread_mutex_unlock(&e->lock);
    return over ? bough_fail(err, BOUGH_TIMEOUT, "the store was busy for too long") : BOUGH_OK;
}

void writer_give(struct engine *e)
{
    pthread_mutex_lock(&e->lock);
    e->untidy = true;
    e->last_us = mono_us();
    writer_pass_on(e);
    pthread_mutex_unlock(&e->lock);
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

    if (r->taken || atomic_load(&r->stage) != WAITING)
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

/* Until somebody has finished it, or it is this caller's turn to lead. */
static enum bough_rc wait_for(struct engine *e, struct request *r, struct bough_error *err)
{
    struct bough_error ignored;
    bool gone = false;
    int stage;

    while ((stage = atomic_load_explicit(&r->stage, memory_order_acquire)) != FINISHED) {
        if (stage == LEADS) {
            atomic_store(&r->stage, WAITING);
            pthread_mutex_lock(&e->lock);
            (void)writer_lead(e, r, &ignored);
            continue;
        }
        futex_wait(&r->stage, WAITING, 50000);
        if (atomic_load_explicit(&r->stage, memory_order_acquire) != WAITING ||
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

enum bough_rc write_run(struct bough_store *s, struct bough_arena *a, struct request *r,
                        struct bough_error *err)
{
    struct engine *e = s->e;
    struct bough_error ignored;

    if (e->read_only)
        return bough_fail(err, BOUGH_READ_ONLY, "the store was opened read-only");
    if (engine_forked(e))
        return bough_fail(err, BOUGH_INVALID,
                          "a store cannot be used across fork(): open it again");
    r->a = a;
    r->patience = store_patience(s);
    atomic_init(&r->stage, WAITING);
    r->taken = false;
    r->tries = 0;
    memset(&r->err, 0, sizeof r->err);
    if (s->deadline_ms <= 0 || (s->cancel && __atomic_load_n(s->cancel, __ATOMIC_RELAXED)))
        return bough_fail(err, BOUGH_TIMEOUT, "cancelled, or no time left; nothing was written");
    pthread_mutex_lock(&e->lock);
    enqueue(e, r);
    if (!e->leading && !e->wanted) {
        e->leading = true;
        (void)writer_lead(e, r, &ignored); /* each request has its own error */
    } else {
        pthread_mutex_unlock(&e->lock);
    }
    return wait_for(e, r, err);
}

/* ---- other work that needs the writer's role ---- */

enum bough_rc writer_upkeep(struct engine *e, const struct patience *p, struct bough_error *err)
{
    struct txn *txns[1];
    struct batch b = { .txns = txns };
    size_t seen;
    enum bough_rc rc = writer_take(e, p, err);

    if (rc)
        return rc;
    pthread_mutex_lock(&e->lock);
    ready_fold_free(e->fold); /* not all that is pending now */
    e->fold = NULL;
    seen = e->pending;
    pthread_mutex_unlock(&e->lock);
    rc = ready_fold_make(e, seen, &b.fold, err);
    if (!rc) {
        run_batch(e, &b, err);
        rc = b.rc;
    }
    e->ops->upkeep(e->backend, false);
    pthread_mutex_lock(&e->lock);
    account(e, &b);
    writer_pass_on(e);
    pthread_mutex_unlock(&e->lock);
    ready_fold_free(b.fold);
    return rc;
}
