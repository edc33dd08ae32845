/* Turns: a thread for each one that runs, and the queue behind it. */
#include "gateway/turn/turn.h"

#include <string.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "gateway/kit/state.h"
#include "gateway/summary/title.h"
#include "gateway/turn/inside.h"

/* A server that stops leaves a session with waiting prompts busy, with a lease that expires at
 * once: the next server goes on with them (watch.c). */
static bool leaves_prompts(const struct turn *t)
{
    struct bough_error err = { 0 };
    struct bough_prompts waiting;

    return turn_flag(&t->stop) &&
           bough_queue_list(t->store, t->a, t->session, &waiting, &err) == BOUGH_OK && waiting.n;
}

static void become_idle(const struct turn *t)
{
    enum bough_status status = leaves_prompts(t) ? BOUGH_STATUS_BUSY : BOUGH_STATUS_IDLE;
    struct bough_error err = { 0 };

    turn_warn(t, "the session stays busy for a while",
              bough_session_status(t->store, t->session, status, t->owner, 1, NULL, &err), &err);
}

/* Take the next prompt of the queue and make it this turn's. False: there is none. */
static bool next_prompt(struct turn *t)
{
    struct bough_error err = { 0 };
    struct bough_prompt *p;
    struct bough_str part;
    bool replayed;

    if (turn_flag(&t->cancel))
        return false;
    bough_arena_destroy(t->a);
    t->a = bough_arena_create();
    if (bough_queue_take(t->store, t->a, t->session, &p, &err))
        return false;
    part = bough_part_text(t->a, str_of(p->content));
    if (turn_prepare(t,
                     &(struct turn_options){
                         .parts = &part, .nparts = 1, .provider = p->provider, .model = p->model },
                     &replayed, &err) == BOUGH_OK)
        return true;
    /* It must not be lost: it waits again, and its reason is in the log. */
    log_msg(LOG_WARN, "turn session=%s msg=a queued prompt waits: %s", t->session, err.msg);
    if (bough_queue_add(t->store, t->a, t->session, p, &p, &err) == BOUGH_OK)
        turn_warn(t, "it waits at the end", bough_queue_promote(t->store, t->session, p->id, &err),
                  &err);
    return false;
}

static void destroy(struct turn *t)
{
    bough_store_close(&t->store);
    bough_arena_destroy(t->a);
    bough_arena_destroy(t->kept);
    mem_free(t);
}

static void leave(struct turn *t)
{
    struct turns *all = t->all;
    struct turn **at;

    become_idle(t);
    pthread_mutex_lock(&all->lock);
    for (at = &all->running; *at != t;)
        at = &(*at)->next;
    *at = t->next;
    destroy(t);
    all->n--;
    pthread_cond_broadcast(&all->idle);
    pthread_mutex_unlock(&all->lock);
}

static void set_answered(struct turn *t, bool answered)
{
    pthread_mutex_lock(&t->all->lock);
    t->answered = answered;
    pthread_mutex_unlock(&t->all->lock);
}

static void *run(void *user)
{
    struct turn *t = user;

    do {
        set_answered(t, false);
        turn_answer(t);
        set_answered(t, true);
        if (!turn_flag(&t->cancel))
            title_session(t->all->gateway, t->store, t->session, &t->cancel);
    } while (next_prompt(t));
    leave(t);
    return NULL;
}

/* ---- for the routes ---- */

static struct turn *create(struct turns *all, const struct turn_options *in)
{
    struct turn *t = mem_zalloc(sizeof *t);

    t->all = all;
    t->a = bough_arena_create();
    t->kept = bough_arena_create();
    t->session = arena_strdup(t->kept, in->session);
    t->owner = arena_printf(t->kept, "turn:%016llx", (unsigned long long)env_u64(&env_system));
    t->store = bough_store_scoped(
        gateway_store(all->gateway),
        &(struct bough_store_scoped_options){
            .deadline_ms = STORE_MS,
            .principal = in->principal ? arena_strdup(t->kept, in->principal) : NULL });
    return t;
}

static enum bough_rc enter(struct turns *all, struct turn *t, struct bough_error *err)
{
    pthread_attr_t detached;
    pthread_t thread;
    enum bough_rc rc = BOUGH_OK;

    pthread_mutex_lock(&all->lock);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    t->next = all->running;
    all->running = t;
    all->n++;
    if (pthread_create(&thread, &detached, run, t) != 0) {
        all->running = t->next;
        all->n--;
        rc = bough_fail(err, BOUGH_OVERLOADED, "no thread is left for this turn");
    }
    pthread_attr_destroy(&detached);
    pthread_mutex_unlock(&all->lock);
    return rc;
}

static bool is_full(struct turns *all)
{
    bool full;

    pthread_mutex_lock(&all->lock);
    full = all->n >= TURNS_MOST;
    pthread_mutex_unlock(&all->lock);
    return full;
}

static bool is_ending(const struct turns *all, const char *session)
{
    for (const struct turn *t = all->running; t; t = t->next)
        if (t->answered && strcmp(t->session, session) == 0)
            return true;
    return false;
}

/* A client may send its next prompt as soon as it has the whole reply, a moment before the turn has
 * ended. True: such a turn was there and has ended. */
static bool wait_for_end(struct turns *all, const char *session)
{
    int64_t until = env_now(&env_system) + END_MS;
    struct timespec at = { until / 1000, until % 1000 * 1000000 };
    bool ending, was;

    pthread_mutex_lock(&all->lock);
    was = ending = is_ending(all, session);
    while (ending && pthread_cond_timedwait(&all->idle, &all->lock, &at) == 0)
        ending = is_ending(all, session);
    pthread_mutex_unlock(&all->lock);
    return was && !ending;
}

static enum bough_rc take_session(struct turns *all, struct turn *t, struct bough_error *err)
{
    enum bough_rc rc = bough_session_status(t->store, t->session, BOUGH_STATUS_BUSY, t->owner,
                                            LEASE_MS, NULL, err);

    if (rc == BOUGH_BUSY && wait_for_end(all, t->session))
        rc = bough_session_status(t->store, t->session, BOUGH_STATUS_BUSY, t->owner, LEASE_MS, NULL,
                                  err);
    return rc;
}

enum bough_rc turn_begin(struct turns *all, struct bough_arena *a, const struct turn_options *in,
                         struct turn_begun *out, struct bough_error *err)
{
    struct turn *t;
    enum bough_rc rc;

    if (is_full(all))
        return bough_fail(err, BOUGH_OVERLOADED, "%d turns are running already", TURNS_MOST);
    t = create(all, in);
    rc = take_session(all, t, err);
    if (rc) {
        destroy(t);
        return rc;
    }
    rc = turn_prepare(t, in, &out->replayed, err);
    if (!rc) {
        memcpy(out->user, t->user, sizeof out->user);
        memcpy(out->reply, t->writing.id, sizeof out->reply);
        out->provider = arena_strdup(a, turn_target(t)->provider);
        out->model = arena_strdup(a, t->ask.model);
        if (!out->replayed)
            rc = enter(all, t, err);
    }
    if (rc || out->replayed) {
        become_idle(t);
        destroy(t);
    }
    return rc;
}

bool turn_go_on(struct turns *all, const char *session)
{
    struct bough_error err = { 0 };
    struct turn *t = create(all, &(struct turn_options){ .session = session });
    enum bough_rc rc;
    bool begun;

    if (is_full(all) || bough_session_status(t->store, session, BOUGH_STATUS_BUSY, t->owner,
                                             LEASE_MS, NULL, &err)) {
        destroy(t); /* another server has it */
        return false;
    }
    begun = next_prompt(t);
    if (begun) {
        rc = enter(all, t, &err);
        turn_warn(t, "a queued prompt has no answer", rc, &err);
        begun = rc == BOUGH_OK;
    }
    if (!begun) {
        become_idle(t);
        destroy(t);
    }
    return begun;
}

enum bough_rc turn_cancel(struct turns *all, const char *session, struct bough_error *err)
{
    bool found = false;

    pthread_mutex_lock(&all->lock);
    for (struct turn *t = all->running; t; t = t->next)
        if (strcmp(t->session, session) == 0) {
            __atomic_store_n(&t->cancel, true, __ATOMIC_RELEASE);
            found = true;
        }
    pthread_mutex_unlock(&all->lock);
    return found ? BOUGH_OK : bough_fail(err, BOUGH_NOT_FOUND, "no turn of this session runs here");
}

struct turns *turns_create(struct gateway *g)
{
    struct turns *t = mem_zalloc(sizeof *t);

    t->gateway = g;
    t->renew_ms = RENEW_MS;
    pthread_mutex_init(&t->lock, NULL);
    pthread_cond_init(&t->idle, NULL);
    pthread_cond_init(&t->stopped, NULL);
    return t;
}

void turns_renew_every(struct turns *all, int64_t ms)
{
    all->renew_ms = ms;
}

void turns_destroy(struct turns *all)
{
    if (!all)
        return;
    turns_unwatch(all);
    pthread_mutex_lock(&all->lock);
    for (struct turn *t = all->running; t; t = t->next) {
        __atomic_store_n(&t->stop, true, __ATOMIC_RELEASE);
        __atomic_store_n(&t->cancel, true, __ATOMIC_RELEASE);
    }
    while (all->n)
        pthread_cond_wait(&all->idle, &all->lock);
    pthread_mutex_unlock(&all->lock);
    pthread_cond_destroy(&all->idle);
    pthread_cond_destroy(&all->stopped);
    pthread_mutex_destroy(&all->lock);
    mem_free(all);
}
