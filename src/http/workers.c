/* Worker threads; see workers.h. One lock: what is done under it takes nanoseconds. */
#include "http/workers.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"

struct list {
    struct work *first, *last;
};

struct workers {
    pthread_mutex_t lock; /* guards everything below */
    pthread_cond_t some;
    struct list todo, done;
    int waiting, running, bound;
    bool stop;
    void (*on_done)(void *user);
    void *user;
    int n;
    pthread_t *threads; /* set before any of them runs */
};

static void push(struct list *l, struct work *w)
{
    w->next = NULL;
    if (l->last)
        l->last->next = w;
    else
        l->first = w;
    l->last = w;
}

static struct work *pop(struct list *l)
{
    struct work *w = l->first;

    if (w) {
        l->first = w->next;
        if (!l->first)
            l->last = NULL;
    }
    return w;
}

static void *work(void *user)
{
    struct workers *ws = user;

    pthread_mutex_lock(&ws->lock);
    for (;;) {
        struct work *w = pop(&ws->todo);
        bool first;

        if (!w) {
            if (ws->stop)
                break;
            pthread_cond_wait(&ws->some, &ws->lock);
            continue;
        }
        ws->waiting--;
        ws->running++;
        pthread_mutex_unlock(&ws->lock);
        w->run(w);
        pthread_mutex_lock(&ws->lock);
        ws->running--;
        first = !ws->done.first;
        push(&ws->done, w);
        if (first)
            ws->on_done(ws->user);
    }
    pthread_mutex_unlock(&ws->lock);
    return NULL;
}

struct workers *workers_start(int n, int bound, void (*done)(void *user), void *user)
{
    struct workers *ws = mem_zalloc(sizeof *ws);

    ws->bound = bound;
    ws->on_done = done;
    ws->user = user;
    ws->n = n;
    ws->threads = mem_zalloc(mem_array((size_t)n, sizeof *ws->threads));
    pthread_mutex_init(&ws->lock, NULL);
    pthread_cond_init(&ws->some, NULL);
    for (int i = 0; i < n; i++)
        if (pthread_create(&ws->threads[i], NULL, work, ws) != 0)
            abort(); /* no thread, no server: as final as no memory */
    return ws;
}

void workers_stop(struct workers *ws)
{
    pthread_mutex_lock(&ws->lock);
    ws->stop = true;
    pthread_cond_broadcast(&ws->some);
    pthread_mutex_unlock(&ws->lock);
    for (int i = 0; i < ws->n; i++)
        pthread_join(ws->threads[i], NULL);
    pthread_cond_destroy(&ws->some);
    pthread_mutex_destroy(&ws->lock);
    mem_free(ws->threads);
    mem_free(ws);
}

bool workers_submit(struct workers *ws, struct work *w, bool bounded)
{
    bool ok;

    pthread_mutex_lock(&ws->lock);
    ok = !bounded || ws->waiting < ws->bound;
    if (ok) {
        ws->waiting++;
        push(&ws->todo, w);
        pthread_cond_signal(&ws->some);
    }
    pthread_mutex_unlock(&ws->lock);
    return ok;
}

struct work *workers_done(struct workers *ws)
{
    struct work *w;

    pthread_mutex_lock(&ws->lock);
    w = ws->done.first;
    ws->done = (struct list){ NULL, NULL };
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
