/* The runner: a thread for each run that it has claimed, and how they come and go. */
#include "run/runner.h"

#include <string.h>
#include <time.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "gateway/summary/title.h"
#include "gateway/turn/turn.h"
#include "run/external/agents.h"

enum { END_TRIES = 5, END_PAUSE_MS = 200 };

/* ---- places ---- */

static int64_t places(const struct runner *r, enum run_class which)
{
    return which == CLASS_MODEL ? RUN_MODELS_MOST : r->settings.workers;
}

bool runner_place(struct runner *r, enum run_class which)
{
    bool free;

    pthread_mutex_lock(&r->lock);
    free = !r->stopping && r->busy[which] < places(r, which);
    if (free)
        r->busy[which]++;
    else
        r->missed = true;
    pthread_mutex_unlock(&r->lock);
    return free;
}

void runner_leave_place(struct runner *r, enum run_class which)
{
    pthread_mutex_lock(&r->lock);
    r->busy[which]--;
    __atomic_store_n(&r->has_left, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&r->idle);
    pthread_mutex_unlock(&r->lock);
}

/* ---- one run ---- */

struct bough_store *runner_store(struct runner *r, struct bough_arena *a, const char *principal)
{
    return bough_store_scoped(
        r->config.store,
        &(struct bough_store_scoped_options){
            .deadline_ms = RUN_STORE_MS,
            .principal = cstr_empty(principal) ? NULL : arena_strdup(a, principal) });
}

struct run_work *work_create(struct runner *r, const char *id, int64_t epoch,
                             struct bough_error *err)
{
    struct run_work *w = mem_zalloc(sizeof *w);

    w->all = r;
    w->a = bough_arena_create();
    w->epoch = epoch;
    w->set = (struct bough_run_set_options)BOUGH_RUN_SET_NOTHING;
    if (bough_run_get(r->config.store, w->a, id, &w->run, err)) {
        work_destroy(w);
        return NULL;
    }
    w->class = (int)class_of(w->run->runtime);
    w->owner = w->run->lease ? w->run->lease->owner : "";
    w->store = runner_store(r, w->a, w->run->by);
    return w;
}

void work_destroy(struct run_work *w)
{
    if (!w)
        return;
    turn_destroy(w->turn);
    bough_store_close(&w->store);
    bough_arena_destroy(w->a);
    mem_free(w);
}

/* ---- the end of one ---- */

static bool is_passing(enum bough_rc rc)
{
    return rc == BOUGH_TIMEOUT || rc == BOUGH_OVERLOADED || rc == BOUGH_NOT_DONE ||
           rc == BOUGH_UNKNOWN || rc == BOUGH_IO;
}

/* Store how it ended. A store that fails for a moment must not cost the run its end. */
static const struct bough_run *store_end(struct run_work *w)
{
    struct bough_run_end_options how = {
        .status = w->status, .error_code = w->error_code, .error = w->error, .set = &w->set
    };
    struct bough_run_end_result out = { 0 };
    struct bough_error err = { 0 };
    enum bough_rc rc = BOUGH_OK;

    for (int i = 0; i < END_TRIES; i++) {
        rc = bough_run_end(w->store, w->a, w->run->id, w->epoch, &how, &out, &err);
        if (!is_passing(rc))
            break;
        nanosleep(&(struct timespec){ .tv_nsec = END_PAUSE_MS * 1000 * 1000L }, NULL);
    }
    if (rc && rc != BOUGH_LEASE_LOST)
        log_msg(LOG_WARN, "run id=%s msg=its end was not stored: %s", w->run->id, err.msg);
    return rc ? NULL : out.next;
}

static void work_once(struct run_work *w)
{
    switch (w->run->runtime) {
    case BOUGH_RUNTIME_MODEL:
        model_run(w);
        break;
    case BOUGH_RUNTIME_AGENT:
        loop_run(w);
        break;
    case BOUGH_RUNTIME_EXTERNAL:
        external_run(w);
        break;
    }
}

/* A wish to cancel that came between the claim and the entry in the list was not delivered. */
static void look_for_wish(struct run_work *w)
{
    struct bough_error err = { 0 };

    if (work_look(w, &err) || !w->run->cancel)
        return;
    __atomic_store_n(&w->wished, true, __ATOMIC_RELEASE);
    __atomic_store_n(&w->cancel, true, __ATOMIC_RELEASE);
}

/* The run, up to its stored end. Returns the run of the next queued prompt, in w->a, or NULL. */
static const struct bough_run *work_through(struct run_work *w)
{
    look_for_wish(w);
    work_once(w);
    turn_destroy(w->turn);
    w->turn = NULL;
    if (w->waits || work_flag(&w->lost))
        return NULL;
    if (!w->ended)
        work_end(w, BOUGH_RUN_FAILED, "internal", "the work ended without a result");
    __atomic_store_n(&w->answered, true, __ATOMIC_RELEASE);
    if (w->status == BOUGH_RUN_COMPLETED && w->run->runtime != BOUGH_RUNTIME_EXTERNAL)
        title_session(w->all->config.gateway, w->store, w->run->session, &w->cancel);
    return store_end(w);
}

/* ---- threads ---- */

static void unlink_work(struct run_work *w)
{
    struct runner *r = w->all;
    struct run_work **at;

    pthread_mutex_lock(&r->lock);
    for (at = &r->running; *at && *at != w;)
        at = &(*at)->next;
    if (*at)
        *at = w->next;
    pthread_cond_broadcast(&r->idle);
    pthread_mutex_unlock(&r->lock);
}

static void link_work(struct run_work *w)
{
    struct runner *r = w->all;

    pthread_mutex_lock(&r->lock);
    w->next = r->running;
    r->running = w;
    if (r->stopping)
        __atomic_store_n(&w->stopping, true, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&r->lock);
}

/* Claim a run; a place is reserved for it already. NULL: there is nothing to do. */
static struct run_work *claim(struct runner *r, const char *id)
{
    struct bough_run_claim_options how = { .host = r->settings.host, .lease_ms = RUN_LEASE_MS };
    struct bough_arena *a = bough_arena_create();
    struct bough_error err = { 0 };
    struct run_work *w = NULL;
    struct bough_run *run;

    if (bough_run_claim(r->config.store, a, id, &how, &run, &err) == BOUGH_OK)
        w = work_create(r, id, run->lease ? run->lease->epoch : 0, &err);
    bough_arena_destroy(a);
    return w;
}

static void *work_main(void *user)
{
    struct run_work *w = user;
    struct runner *r = w->all;
    enum run_class place = (enum run_class)w->class;

    while (w) {
        const struct bough_run *next = work_through(w);
        char id[BOUGH_ID_LEN + 1] = "";

        if (next && class_of(next->runtime) == place)
            memcpy(id, next->id, sizeof id);
        /* An approval that was settled before the run left the list was not delivered: look again.
         */
        if (w->waits)
            memcpy(id, w->run->id, sizeof id);
        unlink_work(w);
        work_destroy(w);
        w = *id && !__atomic_load_n(&r->stopping, __ATOMIC_ACQUIRE) ? claim(r, id) : NULL;
        if (w)
            link_work(w);
    }
    runner_leave_place(r, place);
    return NULL;
}

enum bough_rc work_enter(struct run_work *w, struct bough_error *err)
{
    struct runner *r = w->all;
    enum run_class place = (enum run_class)w->class;
    pthread_attr_t detached;
    pthread_t thread;
    int rc;

    link_work(w);
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    rc = pthread_create(&thread, &detached, work_main, w);
    pthread_attr_destroy(&detached);
    if (!rc)
        return runner_keep(r, err);
    unlink_work(w);
    work_end(w, BOUGH_RUN_FAILED, "overloaded", "no thread is left for this run");
    (void)store_end(w);
    work_destroy(w);
    runner_leave_place(r, place);
    return bough_fail(err, BOUGH_OVERLOADED, "no thread is left for this run");
}

static bool can_take(struct runner *r, const struct bough_run *run)
{
    return !bough_run_ended(run->status) && (run->status == BOUGH_RUN_QUEUED || run->settled > 0) &&
           (!*run->workspace || strcmp(run->host, r->settings.host) == 0);
}

bool runner_take(struct runner *r, const char *id)
{
    struct bough_arena *a = bough_arena_create();
    struct bough_error err = { 0 };
    enum run_class place = CLASS_MODEL;
    struct run_work *w = NULL;
    struct bough_run *run;
    bool placed = false;

    if (!bough_run_get(r->config.store, a, id, &run, &err) && can_take(r, run)) {
        place = class_of(run->runtime);
        placed = runner_place(r, place);
    }
    if (placed)
        w = claim(r, id);
    if (placed && !w)
        runner_leave_place(r, place);
    bough_arena_destroy(a);
    if (w && work_enter(w, &err))
        log_msg(LOG_WARN, "run id=%s msg=%s", id, err.msg);
    return w != NULL;
}

/* ---- waiting for one that is about to end ---- */

static bool is_ending(const struct runner *r, const char *session)
{
    for (const struct run_work *w = r->running; w; w = w->next)
        if (work_flag(&w->answered) && strcmp(w->run->session, session) == 0)
            return true;
    return false;
}

bool runner_wait_for_end(struct runner *r, const char *session)
{
    int64_t until = env_now(&env_system) + RUN_END_MS;
    struct timespec at = { until / 1000, until % 1000 * 1000000 };
    bool ending, was;

    pthread_mutex_lock(&r->lock);
    was = ending = is_ending(r, session);
    while (ending && pthread_cond_timedwait(&r->idle, &r->lock, &at) == 0)
        ending = is_ending(r, session);
    pthread_mutex_unlock(&r->lock);
    return was && !ending;
}

/* ---- the whole ---- */

enum bough_rc runner_create(struct runner **out, const struct runner_config *config,
                            struct bough_error *err)
{
    struct runner *r = mem_zalloc(sizeof *r);
    struct gateway_setting *copy;
    enum bough_rc rc;

    r->a = bough_arena_create();
    r->config = *config;
    copy = arena_array(r->a, config->n + 1, sizeof *copy);
    for (size_t i = 0; i < config->n; i++)
        copy[i] = (struct gateway_setting){ arena_strdup(r->a, config->settings[i].section),
                                            arena_strdup(r->a, config->settings[i].name),
                                            arena_strdup(r->a, config->settings[i].value) };
    r->config.settings = copy;
    rc = run_settings_read(r->a, &r->config, &r->settings, err);
    if (!rc)
        rc = agents_create(&r->agents,
                           &(struct agents_config){ .store = config->store,
                                                    .children = config->children,
                                                    .settings = copy,
                                                    .n = config->n,
                                                    .warm_ms = r->settings.chat.idle_ms },
                           err);
    if (rc) {
        bough_arena_destroy(r->a);
        mem_free(r);
        return rc;
    }
    r->renew_ms = RUN_RENEW_MS;
    r->stop_ms = RUN_STOP_MS;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->idle, NULL);
    *out = r;
    return BOUGH_OK;
}

static bool is_idle(const struct runner *r)
{
    return !r->busy[CLASS_MODEL] && !r->busy[CLASS_WORKER];
}

static void set_all(struct runner *r, size_t flag)
{
    for (struct run_work *w = r->running; w; w = w->next)
        __atomic_store_n((bool *)((char *)w + flag), true, __ATOMIC_RELEASE);
}

/* Runs get some time to come to a boundary; then they are told to give up. */
static void stop_all(struct runner *r)
{
    int64_t until = env_now(&env_system) + r->stop_ms;
    struct timespec at = { until / 1000, until % 1000 * 1000000 };

    pthread_mutex_lock(&r->lock);
    __atomic_store_n(&r->stopping, true, __ATOMIC_RELEASE);
    set_all(r, offsetof(struct run_work, stopping));
    while (!is_idle(r) && pthread_cond_timedwait(&r->idle, &r->lock, &at) == 0)
        ;
    set_all(r, offsetof(struct run_work, stop));
    set_all(r, offsetof(struct run_work, cancel));
    while (!is_idle(r))
        pthread_cond_wait(&r->idle, &r->lock);
    pthread_mutex_unlock(&r->lock);
}

void runner_destroy(struct runner *r)
{
    if (!r)
        return;
    stop_all(r);
    runner_unkeep(r);
    agents_destroy(r->agents);
    pthread_cond_destroy(&r->idle);
    pthread_mutex_destroy(&r->lock);
    bough_arena_destroy(r->a);
    mem_free(r);
}

void runner_renew_every(struct runner *r, int64_t ms)
{
    r->renew_ms = ms;
}

void runner_stop_within(struct runner *r, int64_t ms)
{
    r->stop_ms = ms;
}

void runner_set_gateway(struct runner *r, const char *url)
{
    agents_set_gateway(r->agents, url);
}
