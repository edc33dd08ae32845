/* The pool of worker threads; see workers.h. One lock, held only for a few instructions. */
#include "http/server/workers.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/memory/mem.h"

enum { TELL_AT = 32 }; /* finished items after which `on_done` is called even if work is queued */

/* Sleeping workers form a stack: the last to sleep is woken first, because its caches are warm.
 * With little load the other threads stay untouched. */
struct worker {
    pthread_t thread;
    pthread_cond_t wake;
    struct workers *all;
    struct worker *below; /* next in the stack of sleeping workers */
    bool asleep;
};

struct workers {
    pthread_mutex_t lock; /* guards everything below */
    struct work_list todo[WORK_CALLERS], done;
    uint64_t callers; /* bits: whose list is not empty */
    unsigned turn;    /* whose turn is next */
    int waiting, running, idle;
    int running_of[WORK_CALLERS];
    int each_most;      /* workers that one caller may have at a time */
    struct worker *top; /* of the stack of sleeping workers */
    bool stop;
    void (*on_done)(void *user);
    void *user;
    int n;
    struct worker *each;
};

void work_add(struct work_list *l, struct work *w, bool slow)
{
    w->next = NULL;
    if (l->last)
        l->last->next = w;
    else
        l->first = w;
    l->last = w;
    l->n++;
    l->slow += slow;
}

static struct work *pop(struct work_list *l)
{
    struct work *w = l->first;

    if (!w)
        return NULL;
    l->first = w->next;
    if (!l->first)
        l->last = NULL;
    l->n--;
    return w;
}

/* Move the work to the lists of its callers. */
static void share_out(struct workers *ws, struct work_list *from)
{
    struct work *w, *next;

    for (w = from->first; w; w = next) {
        next = w->next;
        work_add(&ws->todo[w->caller], w, false);
        ws->callers |= UINT64_C(1) << w->caller;
        ws->waiting++;
    }
    *from = (struct work_list){ 0 };
}

/* The caller whose turn it is, of those that have work and may have one more worker; -1: none. */
static int whose_turn(const struct workers *ws)
{
    uint64_t left = ws->callers;

    for (unsigned i = 0; i < WORK_CALLERS && left; i++) {
        unsigned c = (ws->turn + i) % WORK_CALLERS;

        left &= ~(UINT64_C(1) << c);
        if (ws->callers >> c & 1 && ws->running_of[c] < ws->each_most)
            return (int)c;
    }
    return -1;
}

static struct work *take(struct workers *ws)
{
    int c = whose_turn(ws);
    struct work *w;

    if (c < 0)
        return NULL;
    w = pop(&ws->todo[c]);
    if (!ws->todo[c].first)
        ws->callers &= ~(UINT64_C(1) << c);
    ws->turn = (unsigned)c + 1;
    ws->waiting--;
    ws->running_of[c]++;
    return w;
}

/* The caller must hold the lock. */
static void sleep_until_woken(struct worker *me)
{
    struct workers *ws = me->all;

    me->asleep = true;
    me->below = ws->top;
    ws->top = me;
    ws->idle++;
    while (me->asleep)
        pthread_cond_wait(&me->wake, &ws->lock);
}

/* The caller must hold the lock. */
static void wake_one(struct workers *ws)
{
    struct worker *w = ws->top;

    if (!w)
        return;
    ws->top = w->below;
    ws->idle--;
    w->asleep = false;
    pthread_cond_signal(&w->wake);
}

static void *work(void *user)
{
    struct worker *me = user;
    struct workers *ws = me->all;

    pthread_mutex_lock(&ws->lock);
    for (;;) {
        struct work *w = take(ws);
        unsigned caller;

        if (!w) {
            if (ws->stop)
                break;
            sleep_until_woken(me);
            continue;
        }
        ws->running++;
        caller = w->caller;
        pthread_mutex_unlock(&ws->lock);
        w->run(w);
        pthread_mutex_lock(&ws->lock);
        ws->running--;
        ws->running_of[caller]--;
        work_add(&ws->done, w, false);
        if (whose_turn(ws) < 0 ||
            ws->done.n >= TELL_AT) { /* without the lock: on_done makes a system call */
            pthread_mutex_unlock(&ws->lock);
            ws->on_done(ws->user);
            pthread_mutex_lock(&ws->lock);
        }
    }
    pthread_mutex_unlock(&ws->lock);
    return NULL;
}

struct workers *workers_start(int n, void (*done)(void *user), void *user)
{
    struct workers *ws = mem_zalloc(sizeof *ws);

    ws->on_done = done;
    ws->user = user;
    ws->n = n;
    ws->each_most = n > 4 ? n - n / 4 : n;
    ws->each = mem_zalloc(mem_array((size_t)n, sizeof *ws->each));
    pthread_mutex_init(&ws->lock, NULL);
    for (int i = 0; i < n; i++) {
        ws->each[i].all = ws;
        pthread_cond_init(&ws->each[i].wake, NULL);
        if (pthread_create(&ws->each[i].thread, NULL, work, &ws->each[i]) != 0)
            abort(); /* fatal, like running out of memory */
    }
    return ws;
}

void workers_stop(struct workers *ws)
{
    pthread_mutex_lock(&ws->lock);
    ws->stop = true;
    while (ws->top)
        wake_one(ws);
    pthread_mutex_unlock(&ws->lock);
    for (int i = 0; i < ws->n; i++) {
        pthread_join(ws->each[i].thread, NULL);
        pthread_cond_destroy(&ws->each[i].wake);
    }
    pthread_mutex_destroy(&ws->lock);
    mem_free(ws->each);
    mem_free(ws);
}

void workers_submit(struct workers *ws, struct work_list *l)
{
    int wake;

    pthread_mutex_lock(&ws->lock);
    wake = l->slow;
    if (l->n > l->slow && ws->idle == ws->n)
        wake++; /* no worker is awake */
    share_out(ws, l);
    for (; wake > 0; wake--)
        wake_one(ws);
    pthread_mutex_unlock(&ws->lock);
}

void workers_kick(struct workers *ws)
{
    pthread_mutex_lock(&ws->lock);
    if (whose_turn(ws) >= 0)
        wake_one(ws);
    pthread_mutex_unlock(&ws->lock);
}

struct work *workers_done(struct workers *ws)
{
    struct work *w;

    pthread_mutex_lock(&ws->lock);
    w = ws->done.first;
    ws->done = (struct work_list){ 0 };
    pthread_mutex_unlock(&ws->lock);
    return w;
}

void workers_count(struct workers *ws, int *waiting, int *running)
{
    pthread_mutex_lock(&ws->lock);
    *waiting = ws->waiting;
    *running = ws->running;
    pthread_mutex_unlock(&ws->lock);
}
