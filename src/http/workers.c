/* Worker threads; see workers.h. One lock: what is done under it takes nanoseconds. */
#include "http/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

enum { TELL_AT = 32 }; /* finished work that is not kept back any longer */

/* Who fell asleep last is woken first: what it used is still near, and on a quiet day the others
 * never touch memory. */
struct worker {
    pthread_t thread;
    pthread_cond_t wake;
    struct workers *all;
    struct worker *below; /* of those asleep */
    bool asleep;
};

struct workers {
    pthread_mutex_t lock; /* guards everything below */
    struct work_list todo, done;
    int running, idle;
    struct worker *top; /* of those asleep */
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

static void append(struct work_list *to, struct work_list *from)
{
    if (!from->first)
        return;
    if (to->last)
        to->last->next = from->first;
    else
        to->first = from->first;
    to->last = from->last;
    to->n += from->n;
    *from = (struct work_list){ 0 };
}

/* The lock is held. */
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

/* The lock is held. */
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
        struct work *w = pop(&ws->todo);

        if (!w) {
            if (ws->stop)
                break;
            sleep_until_woken(me);
            continue;
        }
        ws->running++;
        pthread_mutex_unlock(&ws->lock);
        w->run(w);
        pthread_mutex_lock(&ws->lock);
        ws->running--;
        work_add(&ws->done, w, false);
        if (!ws->todo.first ||
            ws->done.n >= TELL_AT) { /* not under the lock: it writes to a file */
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
    ws->each = mem_zalloc(mem_array((size_t)n, sizeof *ws->each));
    pthread_mutex_init(&ws->lock, NULL);
    for (int i = 0; i < n; i++) {
        ws->each[i].all = ws;
        pthread_cond_init(&ws->each[i].wake, NULL);
        if (pthread_create(&ws->each[i].thread, NULL, work, &ws->each[i]) != 0)
            abort(); /* no thread, no server: as final as no memory */
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
        wake++; /* nobody is awake */
    append(&ws->todo, l);
    for (; wake > 0; wake--)
        wake_one(ws);
    pthread_mutex_unlock(&ws->lock);
}

void workers_kick(struct workers *ws)
{
    pthread_mutex_lock(&ws->lock);
    if (ws->todo.first)
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
    *waiting = ws->todo.n;
    *running = ws->running;
    pthread_mutex_unlock(&ws->lock);
}
