/* The thread that asks providers for their models: at once, every 10 minutes, after failures. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/text/str.h"
#include "gateway/providers/provider.h"

enum { NAP_MS = 60000 };

/* The provider to ask next; NULL: none is due. *nap: how long to wait then. The lock is held. */
static struct provider *next_due(struct providers *p, int64_t *nap)
{
    int64_t now = env_now(&p->env);

    *nap = NAP_MS;
    for (size_t i = 0; i < p->set->n; i++) {
        int64_t due = p->set->at[i]->state.due;

        if (due <= now)
            return p->set->at[i];
        if (due - now < *nap)
            *nap = due - now;
    }
    return NULL;
}

static void sleep_until(struct providers *p, int64_t nap)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += nap / 1000;
    until.tv_nsec += nap % 1000 * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    pthread_cond_timedwait(&p->changed, &p->lock, &until);
}

static void *run(void *user)
{
    struct providers *p = user;
    int64_t nap;

    pthread_mutex_lock(&p->lock);
    while (!p->stopping) {
        struct provider *one = next_due(p, &nap);
        struct provider_set *set = p->set;

        if (!one) {
            sleep_until(p, nap);
            continue;
        }
        set->refs++;
        pthread_mutex_unlock(&p->lock);
        provider_ask_now(p, one, &p->stopping);
        set_release(p, set);
        pthread_mutex_lock(&p->lock);
    }
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

enum bough_rc providers_start(struct providers *p, struct bough_error *err)
{
    sigset_t all, before;
    int rc;

    if (p->running)
        return BOUGH_OK;
    p->stopping = false;
    sigfillset(&all); /* signals are for the main thread */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    rc = pthread_create(&p->thread, NULL, run, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc)
        return bough_fail(err, BOUGH_IO, "a thread could not be started: %s", strerror(rc));
    p->running = true;
    return BOUGH_OK;
}

void providers_stop(struct providers *p)
{
    if (!p->running)
        return;
    pthread_mutex_lock(&p->lock);
    __atomic_store_n(&p->stopping, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->lock);
    pthread_join(p->thread, NULL);
    p->running = false;
}

enum bough_rc providers_refresh(struct providers *p, const char *name, struct bough_error *err)
{
    struct provider_set *set = set_hold(p);
    enum bough_rc rc = BOUGH_OK;

    if (name && !provider_find(set, str_of(name)))
        rc = bough_fail(err, BOUGH_NOT_FOUND, "there is no provider \"%.40s\"", name);
    for (size_t i = 0; i < set->n && !rc; i++)
        if (!name || strcmp(set->at[i]->name, name) == 0) {
            provider_forget_key(set->at[i]);
            provider_ask_now(p, set->at[i], NULL);
        }
    set_release(p, set);
    return rc;
}
