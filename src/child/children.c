/* The loop thread of all children. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/memory/mem.h"
#include "child/child.h"
#include "child/inside.h"

/* Free children that were released and have no open handle. */
static void free_released(struct children *all)
{
    struct child **at, *gone = NULL;

    pthread_mutex_lock(&all->lock);
    for (at = &all->first; *at;) {
        struct child *c = *at;

        if (c->released && c->handles == 0 && c->state >= CHILD_FAILED) {
            *at = c->next;
            c->next = gone;
            gone = c;
            all->n--;
        } else {
            at = &c->next;
        }
    }
    pthread_cond_broadcast(&all->changed);
    pthread_mutex_unlock(&all->lock);
    while (gone) {
        struct child *next = gone->next;

        child_free(gone);
        gone = next;
    }
}

/* Children are added in front and removed by this thread alone, so the list can be walked. */
static struct child *first(struct children *all)
{
    struct child *c;

    pthread_mutex_lock(&all->lock);
    c = all->first;
    pthread_mutex_unlock(&all->lock);
    return c;
}

static void on_wake(uv_async_t *h)
{
    struct children *all = h->data;
    bool stop;

    for (struct child *c = first(all); c; c = c->next) {
        if (c->state == CHILD_WAITS)
            process_start(c);
        process_attend(c);
    }
    free_released(all);
    pthread_mutex_lock(&all->lock);
    stop = all->stop && all->n == 0;
    pthread_mutex_unlock(&all->lock);
    if (stop && !uv_is_closing((uv_handle_t *)h))
        uv_close((uv_handle_t *)h, NULL);
}

static void *run(void *user)
{
    struct children *all = user;
    sigset_t set;

    sigfillset(&set);
    sigdelset(&set, SIGCHLD); /* libuv learns from it that a keeper has ended */
    pthread_sigmask(SIG_SETMASK, &set, NULL);
    uv_run(&all->loop, UV_RUN_DEFAULT);
    return NULL;
}

/* The path of this program. A program that was replaced while it runs is found by its link alone.
 */
static void find_self(char *out, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", out, size - 1);

    out[n > 0 ? n : 0] = '\0';
    if (n <= 0 || access(out, X_OK) != 0)
        snprintf(out, size, "/proc/self/exe");
}

enum bough_rc children_create(struct children **out, struct bough_error *err)
{
    struct children *all = mem_zalloc(sizeof *all);

    if (uv_loop_init(&all->loop) != 0) {
        mem_free(all);
        return bough_fail(err, BOUGH_IO, "cannot make an event loop");
    }
    find_self(all->self, sizeof all->self);
    all->wake.data = all;
    pthread_mutex_init(&all->lock, NULL);
    pthread_cond_init(&all->changed, NULL);
    if (uv_async_init(&all->loop, &all->wake, on_wake) != 0 ||
        pthread_create(&all->thread, NULL, run, all) != 0) {
        uv_loop_close(&all->loop);
        mem_free(all);
        return bough_fail(err, BOUGH_IO, "cannot start the thread of the child processes");
    }
    *out = all;
    return BOUGH_OK;
}

void children_destroy(struct children *all)
{
    if (!all)
        return;
    pthread_mutex_lock(&all->lock);
    all->stop = true;
    for (struct child *c = all->first; c; c = c->next)
        c->end = c->released = true;
    pthread_mutex_unlock(&all->lock);
    uv_async_send(&all->wake);
    pthread_join(all->thread, NULL);
    uv_loop_close(&all->loop);
    pthread_mutex_destroy(&all->lock);
    pthread_cond_destroy(&all->changed);
    mem_free(all);
}
