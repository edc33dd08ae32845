/* Open messages this process knows. */
#include "store/live.h"

#include <string.h>
#include <time.h>

#include "base/limits.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/process.h"
#include "base/str.h"

enum {
    SAVE_BYTES = 64 * 1024, /* unsaved steps are written at this size, */
    SAVE_US = 250000,       /* or this long after the first of them */
    LOOK_US = 20000,        /* how often to look for what other processes wrote */
    FORGET_US = 30000000,   /* a followed message nobody asked for */
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

static void set_row(struct live *l, const struct open_row *row)
{
    char *owner = own(row->owner), *process = own(row->process);

    mem_free((void *)(uintptr_t)l->row.owner);
    mem_free((void *)(uintptr_t)l->row.process);
    l->row = *row;
    l->row.owner = owner;
    l->row.process = process;
}

static void destroy(struct live *l)
{
    mem_free((void *)(uintptr_t)l->row.owner);
    mem_free((void *)(uintptr_t)l->row.process);
    draft_finish(&l->draft);
    mem_free(l);
}

static struct live *find(struct engine *e, struct bough_head at)
{
    uint64_t val;

    return map_get(&e->lives, key_of(at), &val) ? (struct live *)(uintptr_t)val : NULL;
}

static struct live *add(struct engine *e, struct bough_head at)
{
    struct live *l = mem_zalloc(sizeof *l);

    l->at = at;
    draft_init(&l->draft);
    map_put(&e->lives, key_of(at), (uint64_t)(uintptr_t)l);
    return l;
}

/* Out of the map; freed when nobody uses it. */
static void take_out(struct engine *e, struct live *l)
{
    if (!l->over)
        map_del(&e->lives, key_of(l->at));
    l->over = true;
    pthread_cond_broadcast(&e->stepped);
    if (!l->users)
        destroy(l);
}

void lives_init(struct engine *e)
{
    pthread_condattr_t attr;

    pthread_mutex_init(&e->live_lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&e->stepped, &attr);
    pthread_condattr_destroy(&attr);
    map_init(&e->lives);
}

void lives_finish(struct engine *e)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&e->lives, &pos, NULL, &val))
        destroy((struct live *)(uintptr_t)val);
    map_finish(&e->lives);
    pthread_cond_destroy(&e->stepped);
    pthread_mutex_destroy(&e->live_lock);
}

void live_leave(struct engine *e, struct live *l)
{
    l->used_us = mono_us();
    if (--l->users == 0 && l->over)
        destroy(l);
    pthread_mutex_unlock(&e->live_lock);
}

bool live_known(struct engine *e, struct bough_head at, const char *id)
{
    struct live *l;
    bool known;

    pthread_mutex_lock(&e->live_lock);
    l = find(e, at);
    known = l && l->ours && strcmp(l->id, id) == 0;
    pthread_mutex_unlock(&e->live_lock);
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
        pthread_cond_wait(&e->stepped, &e->live_lock);
    if (!l->over)
        return BOUGH_OK;
    return bough_fail(err, BOUGH_LEASE_LOST, "somebody else writes this message now");
}

void live_end_seal(struct engine *e, struct live *l)
{
    l->sealing = false;
    if (draft_size(&l->draft) > l->saved_at)
        live_touched(e, l);
}

void live_over(struct engine *e, struct bough_head at)
{
    struct live *l;

    pthread_mutex_lock(&e->live_lock);
    l = find(e, at);
    if (l)
        take_out(e, l);
    pthread_mutex_unlock(&e->live_lock);
}

/* ---- loading ---- */

/* Bring it up to date with the store. The lock is held: followers of one message take turns. */
static enum bough_rc refresh(struct bough_store *s, struct live *l, bool *open,
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
    l->saved = l->draft.last;
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

enum bough_rc live_enter(struct bough_store *s, struct bough_head at, int64_t epoch,
                         struct live **out, struct bough_error *err)
{
    struct engine *e = s->e;
    struct live *l;
    bool open = true;
    enum bough_rc rc = BOUGH_OK;

    pthread_mutex_lock(&e->live_lock);
    l = find(e, at);
    if (!l)
        l = add(e, at);
    if (!l->ours || l->row.epoch != epoch) /* ours may have been taken over elsewhere */
        rc = refresh(s, l, &open, err);
    if (!rc && open && l->row.epoch == epoch) {
        l->ours = true;
        l->users++;
        *out = l;
        return BOUGH_OK;
    }
    if (!open || rc)
        take_out(e, l);
    pthread_mutex_unlock(&e->live_lock);
    if (rc)
        return rc;
    return open ? bough_fail(err, BOUGH_LEASE_LOST, "somebody else writes this message now")
                : not_open(s, at, err);
}

/* ---- saving ---- */

struct save {
    struct request request;
    struct live *l;
    struct open_row row;
    struct draft_row draft;
    enum renew renew;
    bool renewed;
};

static bool renews(const struct save *sv, int64_t now)
{
    return sv->renew == RENEW_NOW ||
           (sv->renew == RENEW_LATE && sv->row.expires - sv->row.lease_ms / 2 <= now);
}

/* The second time round: is it still ours? */
static enum bough_rc look_again(struct prep *p, struct save *sv, struct bough_error *err)
{
    struct bough_head at = { sv->row.bid, sv->row.depth };
    struct open_row now;
    enum bough_rc rc = open_held(p, at, sv->row.epoch, &now, err);

    return rc ? rc : bough_fail(err, BOUGH_CONFLICT, "another process writes this message too");
}

static enum bough_rc save_prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct save *sv = user;

    if (sv->request.tries)
        return look_again(p, sv, err);
    txn_guard(p, GUARD_OPEN, sv->row.ver, sv->row.bid, sv->row.depth);
    if (sv->draft.body.n)
        txn_change(p, CHANGE_DRAFT_ADD)->u.draft = sv->draft;
    sv->renewed = renews(sv, p->now);
    if (sv->renewed) {
        sv->row.expires = lease_end(p->now, sv->row.lease_ms);
        txn_change(p, CHANGE_OPEN_SET)->u.open = sv->row;
    }
    p->t->relaxed = true;
    return BOUGH_OK;
}

/* Trying again would not help: it is not ours, or not there. */
static bool hopeless(enum bough_rc rc)
{
    return rc == BOUGH_LEASE_LOST || rc == BOUGH_CONFLICT || rc == BOUGH_NOT_FOUND ||
           rc == BOUGH_GONE || rc == BOUGH_CORRUPT;
}

static void start_save(struct bough_store *s, struct live *l, struct bough_arena *a,
                       struct save *sv)
{
    sv->request = (struct request){ .prepare = save_prepare, .user = sv };
    sv->row = l->row;
    sv->row.owner = arena_strdup(a, l->row.owner);
    sv->row.process = arena_strdup(a, l->row.process);
    sv->draft = (struct draft_row){ .bid = l->at.branch,
                                    .depth = l->at.depth,
                                    .end = (int64_t)draft_size(&l->draft),
                                    .step = l->draft.last };
    if (draft_size(&l->draft) > l->saved_at)
        sv->draft.body = draft_pack(a, &l->draft, l->saved_at, s->e->zstd_from);
}

enum bough_rc live_save(struct bough_store *s, struct live *l, enum renew renew,
                        struct bough_error *err)
{
    struct engine *e = s->e;
    struct save sv = { .l = l, .renew = renew };
    struct bough_arena *tmp;
    enum bough_rc rc;

    while (l->saving)
        pthread_cond_wait(&e->stepped, &e->live_lock);
    if (l->over || (renew == RENEW_NOT && draft_size(&l->draft) == l->saved_at))
        return BOUGH_OK;
    tmp = bough_arena_create();
    start_save(s, l, tmp, &sv);
    l->saving = true;
    l->due_us = 0;
    pthread_mutex_unlock(&e->live_lock);
    rc = write_run(s, tmp, &sv.request, err);
    pthread_mutex_lock(&e->live_lock);
    l->saving = false;
    if (!rc) {
        l->saved_at = (size_t)sv.draft.end;
        l->saved = sv.draft.step;
        l->row.expires = sv.row.expires;
        l->row.ver += sv.renewed;
    } else if (hopeless(rc)) {
        take_out(e, l);
    }
    pthread_cond_broadcast(&e->stepped);
    bough_arena_destroy(tmp);
    return rc;
}

void live_touched(struct engine *e, struct live *l)
{
    bool first = !l->due_us;

    pthread_cond_broadcast(&e->stepped);
    if (!first)
        return;
    l->due_us = mono_us() + SAVE_US;
    pthread_mutex_lock(&e->lock);
    if (!e->draft_due || l->due_us < e->draft_due) {
        e->draft_due = l->due_us;
        pthread_cond_signal(&e->wake);
    }
    pthread_mutex_unlock(&e->lock);
}

bool live_is_due(const struct live *l)
{
    return draft_size(&l->draft) - l->saved_at >= SAVE_BYTES ||
           (l->due_us && mono_us() >= l->due_us);
}

/* One that is due, or the earliest time at which one will be. */
static struct live *next_due(struct engine *e, int64_t now_us, int64_t *next)
{
    size_t pos = 0;
    uint64_t val;

    *next = 0;
    while (map_next(&e->lives, &pos, NULL, &val)) {
        struct live *l = (struct live *)(uintptr_t)val;

        if (!l->due_us)
            continue;
        if (l->due_us <= now_us)
            return l;
        if (!*next || l->due_us < *next)
            *next = l->due_us;
    }
    return NULL;
}

/* A handle for what the store does by itself. */
static struct bough_store store_itself(struct engine *e)
{
    static char nobody[1];

    return (struct bough_store){ .e = e, .deadline_ms = LIMIT_DEADLINE_MS, .principal = nobody };
}

/* Save one as a user of it; false: it is still to be saved. */
static bool save_one(struct bough_store *s, struct live *l, enum renew renew,
                     struct bough_error *err)
{
    bool fine;

    l->users++;
    fine = live_save(s, l, renew, err) == BOUGH_OK || l->over;
    if (--l->users == 0 && l->over)
        destroy(l);
    return fine;
}

int64_t lives_save_due(struct engine *e, int64_t now_us)
{
    struct bough_store self = store_itself(e);
    struct bough_error err;
    struct live *l;
    int64_t next;

    pthread_mutex_lock(&e->live_lock);
    while ((l = next_due(e, now_us, &next)))
        if (!save_one(&self, l, RENEW_LATE, &err)) {
            log_msg(LOG_WARN, "steps of a message were not saved: %s", err.msg);
            l->due_us = mono_us() + SAVE_US; /* again, a little later */
        }
    pthread_mutex_unlock(&e->live_lock);
    return next;
}

void lives_save_all(struct engine *e)
{
    struct bough_store self = store_itself(e);
    struct live *l;
    int64_t next;

    pthread_mutex_lock(&e->live_lock);
    while ((l = next_due(e, INT64_MAX, &next)) && save_one(&self, l, RENEW_NOT, NULL))
        continue;
    pthread_mutex_unlock(&e->live_lock);
}

void live_save_at(struct bough_store *s, struct bough_head at)
{
    struct live *l;

    pthread_mutex_lock(&s->e->live_lock);
    l = find(s->e, at);
    if (l && l->due_us)
        (void)save_one(s, l, RENEW_NOT, NULL);
    pthread_mutex_unlock(&s->e->live_lock);
}

/* ---- following ---- */

/* Followed messages that nobody asked for in a while; one a call is enough. */
static void forget_one(struct engine *e)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&e->lives, &pos, NULL, &val)) {
        struct live *l = (struct live *)(uintptr_t)val;

        if (!l->ours && !l->users && mono_us() - l->used_us > FORGET_US) {
            take_out(e, l);
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
    pthread_mutex_lock(&e->live_lock);
    l = find(e, at);
    if (!l) {
        forget_one(e);
        l = add(e, at);
    }
    if (!l->ours)
        rc = refresh(s, l, &open, err);
    if (!rc && open) {
        l->users++;
        *out = l;
        return BOUGH_OK;
    }
    take_out(e, l);
    pthread_mutex_unlock(&e->live_lock);
    return rc;
}

void live_wait(struct engine *e, const struct live *l, size_t seen, int64_t until_us)
{
    int64_t at = mono_us() + LOOK_US;
    struct timespec t;

    at = at < until_us ? at : until_us;
    t = (struct timespec){ at / 1000000, at % 1000000 * 1000 };
    if (draft_size(&l->draft) == seen && !l->over)
        pthread_cond_timedwait(&e->stepped, &e->live_lock, &t);
}
