/* In-memory state of open messages: their drafts, saving them, and waiting for steps. */
#include "store/live/live.h"

#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/memory/mem.h"
#include "base/os/log.h"
#include "base/os/process.h"
#include "base/text/str.h"
#include "store/live/handover.h"

enum {
    LOOK_US = 20000,      /* polling interval for steps of other processes */
    FORGET_US = 30000000, /* drop a followed message that was not used for this long */
};

static uint64_t key_of(struct bough_head at)
{
    return (uint64_t)at.branch << 32 | (uint64_t)at.depth;
}

static char *own(const char *s)
{
    char *out = mem_alloc(strlen(s) + 1);

    return memcpy(out, s, strlen(s) + 1);
}

static void free_row(struct live *l)
{
    mem_free((void *)(uintptr_t)l->row.owner);
    mem_free((void *)(uintptr_t)l->row.process);
    mem_free((void *)(uintptr_t)l->row.wanted);
}

static void set_row(struct live *l, const struct open_row *row)
{
    char *owner = own(row->owner), *process = own(row->process), *wanted = own(row->wanted);

    free_row(l);
    l->row = *row;
    l->row.owner = owner;
    l->row.process = process;
    l->row.wanted = wanted;
}

static void destroy(struct live *l)
{
    free_row(l);
    draft_finish(&l->draft);
    mem_free(l);
}

struct live *live_find(struct engine *e, struct bough_head at)
{
    uint64_t val;

    return map_get(&e->open.by_slot, key_of(at), &val) ? (struct live *)(uintptr_t)val : NULL;
}

struct live *live_add(struct engine *e, struct bough_head at)
{
    struct live *l = mem_zalloc(sizeof *l);

    l->at = at;
    draft_init(&l->draft);
    map_put(&e->open.by_slot, key_of(at), (uint64_t)(uintptr_t)l);
    return l;
}

void live_take_out(struct engine *e, struct live *l)
{
    if (!l->over)
        map_del(&e->open.by_slot, key_of(l->at));
    l->over = true;
    pthread_cond_broadcast(&e->open.stepped);
    if (!l->users)
        destroy(l);
}

void lives_init(struct engine *e)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&e->open.lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&e->open.stepped, &attr);
    pthread_condattr_destroy(&attr);
    map_init(&e->open.by_slot);
}

void lives_finish(struct engine *e)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&e->open.by_slot, &pos, NULL, &val))
        destroy((struct live *)(uintptr_t)val);
    map_finish(&e->open.by_slot);
    pthread_cond_destroy(&e->open.stepped);
    pthread_mutex_destroy(&e->open.lock);
}

void live_let_go(struct live *l)
{
    l->used_us = mono_us();
    if (--l->users == 0 && l->over)
        destroy(l);
}

void live_leave(struct engine *e, struct live *l)
{
    live_let_go(l);
    pthread_mutex_unlock(&e->open.lock);
}

bool live_known(struct engine *e, struct bough_head at, const char *id)
{
    struct live *l;
    bool known;

    pthread_mutex_lock(&e->open.lock);
    l = live_find(e, at);
    known = l && l->ours && strcmp(l->id, id) == 0;
    pthread_mutex_unlock(&e->open.lock);
    return known;
}

void live_name(struct live *l, const char *id)
{
    if (strlen(id) == BOUGH_ID_LEN)
        memcpy(l->id, id, sizeof l->id);
}

enum bough_rc live_begin_seal(struct engine *e, struct live *l, struct bough_error *err)
{
    if (l->sealing)
        return bough_fail(err, BOUGH_CONFLICT, "the message is being sealed");
    l->sealing = true;
    l->due_us = 0;
    while (l->saving)
        pthread_cond_wait(&e->open.stepped, &e->open.lock);
    if (!l->over)
        return BOUGH_OK;
    return bough_fail(err, l->given ? BOUGH_BUSY : BOUGH_LEASE_LOST,
                      "another writer has taken over this message");
}

void live_over(struct engine *e, struct bough_head at)
{
    struct live *l;

    pthread_mutex_lock(&e->open.lock);
    l = live_find(e, at);
    if (l)
        live_take_out(e, l);
    pthread_mutex_unlock(&e->open.lock);
}

/* ---- loading ---- */

enum bough_rc live_refresh(struct bough_store *s, struct live *l, bool *open,
                           struct bough_error *err)
{
    struct bough_arena *tmp = bough_arena_create();
    struct open_row row;
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    *open = false;
    if (!rc) {
        rc = open_get(&snap, tmp, l->at, &row, open, err);
        if (!rc && *open)
            rc = open_drafts(&snap, l->at, &l->draft, err);
        if (!rc && *open)
            set_row(l, &row);
        snap_end(&snap);
    }
    l->saved_at = draft_size(&l->draft);
    l->saved = l->durable = l->draft.last;
    bough_arena_destroy(tmp);
    return rc;
}

static enum bough_rc not_open(struct bough_store *s, struct bough_head at, struct bough_error *err)
{
    struct snap snap;
    enum bough_rc rc = snap_begin(s, &snap, err);

    if (rc)
        return rc;
    rc = open_refused(&snap, at, err);
    snap_end(&snap);
    return rc;
}

void live_wake_at(struct engine *e, int64_t us)
{
    pthread_mutex_lock(&e->lock);
    if (!e->upkeep.draft_due || us < e->upkeep.draft_due) {
        e->upkeep.draft_due = us;
        pthread_cond_signal(&e->background.wake);
    }
    pthread_mutex_unlock(&e->lock);
}

/* The message, if this process collects its steps with this epoch. Needs live_lock. */
static struct live *held(struct engine *e, struct bough_head at, int64_t epoch)
{
    struct live *l;

    while ((l = live_find(e, at)) && l->giving)
        pthread_cond_wait(&e->open.stepped, &e->open.lock);
    return l && l->ours && l->row.epoch == epoch ? l : NULL;
}

/* Load the message after this process has become its holder. *out stays NULL when another process
 * took it meanwhile. Needs live_lock. */
static enum bough_rc load(struct bough_store *s, struct bough_head at, int64_t epoch, bool *open,
                          struct live **out, struct bough_error *err)
{
    struct engine *e = s->e;
    char self[PROCESS_TEXT];
    struct live *l = live_find(e, at);
    enum bough_rc rc;

    process_self(self);
    if (!l)
        l = live_add(e, at);
    rc = live_refresh(s, l, open, err);
    if (!rc && *open && l->row.epoch != epoch)
        rc = bough_fail(err, BOUGH_LEASE_LOST, "another writer has taken over this message");
    else if (!rc && *open && strcmp(l->row.process, self) == 0) {
        l->ours = true;
        *out = l;
        live_wake_at(e, mono_us());
        return BOUGH_OK;
    }
    if (rc || !*open)
        live_take_out(e, l);
    return rc;
}

enum bough_rc live_enter(struct bough_store *s, struct bough_head at, int64_t epoch, bool numbered,
                         struct live **out, struct bough_error *err)
{
    struct engine *e = s->e;
    struct live *l = NULL;
    bool open = true;
    enum bough_rc rc = BOUGH_OK;

    pthread_mutex_lock(&e->open.lock);
    l = held(e, at, epoch);
    while (!rc && !l && open) {
        pthread_mutex_unlock(&e->open.lock);
        rc = handover_take(s, at, epoch, numbered, err);
        pthread_mutex_lock(&e->open.lock);
        l = rc ? NULL : held(e, at, epoch);
        if (!rc && !l)
            rc = load(s, at, epoch, &open, &l, err);
    }
    if (!rc && l) {
        l->users++;
        *out = l;
        return BOUGH_OK;
    }
    pthread_mutex_unlock(&e->open.lock);
    return rc ? rc : not_open(s, at, err);
}

/* ---- following ---- */

/* Drop one followed message that was not used for a while. One per call is enough. */
static void forget_one(struct engine *e)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&e->open.by_slot, &pos, NULL, &val)) {
        struct live *l = (struct live *)(uintptr_t)val;

        if (!l->ours && !l->users && mono_us() - l->used_us > FORGET_US) {
            live_take_out(e, l);
            return;
        }
    }
}

enum bough_rc live_follow(struct bough_store *s, struct bough_head at, struct live **out,
                          struct bough_error *err)
{
    struct engine *e = s->e;
    struct live *l;
    bool open = true;
    enum bough_rc rc = BOUGH_OK;

    *out = NULL;
    pthread_mutex_lock(&e->open.lock);
    l = live_find(e, at);
    if (!l) {
        forget_one(e);
        l = live_add(e, at);
    }
    if (!l->ours)
        rc = live_refresh(s, l, &open, err);
    if (!rc && open) {
        l->users++;
        *out = l;
        return BOUGH_OK;
    }
    live_take_out(e, l);
    pthread_mutex_unlock(&e->open.lock);
    return rc;
}

void live_wait(struct engine *e, const struct live *l, size_t seen, int64_t until_us)
{
    int64_t at = mono_us() + LOOK_US;
    struct timespec t;

    at = at < until_us ? at : until_us;
    t = (struct timespec){ at / 1000000, at % 1000000 * 1000 };
    if (draft_size(&l->draft) == seen && !l->over)
        pthread_cond_timedwait(&e->open.stepped, &e->open.lock, &t);
}
