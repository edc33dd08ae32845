/* Finds sessions whose turn was left behind: the server that ran it died, or stopped while prompts
 * were waiting. Such a session is busy, and the lease of its turn has expired. */
#include <signal.h>
#include <string.h>
#include <time.h>

#include "base/os/log.h"
#include "gateway/kit/state.h"
#include "gateway/turn/inside.h"

enum { WATCH_S = 10, SESSIONS_MOST = 1000 };

static bool is_turns(const struct bough_session *s)
{
    return s->lease && strncmp(s->lease->owner, "turn:", 5) == 0;
}

int turns_look(struct turns *all)
{
    struct bough_session_list_options which = { .status = "busy", .limit = SESSIONS_MOST };
    struct bough_arena *a = bough_arena_create();
    struct bough_error err = { 0 };
    struct bough_sessions busy = { 0 };
    int begun = 0;

    if (bough_session_list(gateway_store(all->gateway), a, &which, &busy, &err))
        log_msg(LOG_WARN, "turn msg=turns that were left behind were not looked for: %s", err.msg);
    for (size_t i = 0; i < busy.n; i++) /* a lease that lives is refused by the store */
        begun += is_turns(&busy.at[i]) && turn_go_on(all, busy.at[i].id);
    bough_arena_destroy(a);
    return begun;
}

static void *watch(void *user)
{
    struct turns *all = user;
    struct timespec until;

    pthread_mutex_lock(&all->lock);
    while (!all->stopping) {
        pthread_mutex_unlock(&all->lock);
        turns_look(all);
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_sec += WATCH_S;
        pthread_mutex_lock(&all->lock);
        if (!all->stopping)
            pthread_cond_timedwait(&all->stopped, &all->lock, &until);
    }
    pthread_mutex_unlock(&all->lock);
    return NULL;
}

enum bough_rc turns_watch(struct turns *all, struct bough_error *err)
{
    sigset_t every, before;
    int rc;

    sigfillset(&every); /* signals are for the main thread */
    pthread_sigmask(SIG_SETMASK, &every, &before);
    rc = pthread_create(&all->watcher, NULL, watch, all);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc)
        return bough_fail(err, BOUGH_IO, "a thread could not be started: %s", strerror(rc));
    all->watching = true;
    return BOUGH_OK;
}

void turns_unwatch(struct turns *all)
{
    if (!all->watching)
        return;
    pthread_mutex_lock(&all->lock);
    all->stopping = true;
    pthread_cond_broadcast(&all->stopped);
    pthread_mutex_unlock(&all->lock);
    pthread_join(all->watcher, NULL);
    all->watching = false;
}
