/* Saving the steps of open messages, and handing messages over to other processes. */
#include <string.h>

#include "base/limits.h"
#include "base/os/log.h"
#include "base/text/str.h"
#include "store/live/handover.h"
#include "store/live/live.h"

enum {
    SAVE_BYTES = 64 * 1024, /* save unsaved steps at this size, */
    SAVE_US = 250000,       /* or this long after the first unsaved step */
    WISHES_US = 250000,     /* look this often for processes that want one of our messages */
};

struct save {
    struct request request;
    struct live *l;
    struct open_row row;
    struct draft_row draft;
    enum renew renew;
    bool renewed;
    bool give;  /* hand the message over to the process that wants it */
    bool given; /* it was */
};

static bool renews(const struct save *sv, int64_t now)
{
    return sv->renew == RENEW_NOW ||
           (sv->renew == RENEW_LATE && sv->row.expires - sv->row.lease_ms / 2 <= now);
}

/* The guard was lost: read the row again. BOUGH_CONFLICT: another process is the holder now. */
static enum bough_rc look_again(struct prep *p, struct save *sv, struct bough_error *err)
{
    struct bough_head at = { sv->row.bid, sv->row.depth };
    struct open_row now;
    enum bough_rc rc = open_held(p, at, sv->row.epoch, &now, err);

    if (rc)
        return rc;
    if (strcmp(now.process, sv->row.process) != 0)
        return bough_fail(err, BOUGH_CONFLICT,
                          "another server collects the steps of this message now: send the steps "
                          "that were not saved again");
    sv->row = now;
    return BOUGH_OK;
}

static enum bough_rc save_prepare(struct prep *p, void *user, struct bough_error *err)
{
    struct save *sv = user;
    enum bough_rc rc = sv->request.tries || sv->give ? look_again(p, sv, err) : BOUGH_OK;

    if (rc)
        return rc;
    txn_guard(p, guard_open(sv->row.bid, sv->row.depth, sv->row.ver));
    if (sv->draft.body.n)
        txn_change(p, CHANGE_DRAFT_ADD)->u.draft = sv->draft;
    sv->renewed = renews(sv, p->now);
    sv->given = sv->give && *sv->row.wanted;
    if (sv->renewed)
        sv->row.expires = lease_end(p->now, sv->row.lease_ms);
    if (sv->renewed || sv->given) {
        struct open_row *row = &txn_change(p, CHANGE_OPEN_SET)->u.open;

        *row = sv->row;
        row->process = sv->given ? row->wanted : row->process;
        row->wanted = sv->given ? "" : row->wanted;
    }
    p->t->relaxed = sv->renew != RENEW_NOW;
    return BOUGH_OK;
}

/* A retry cannot succeed: the message is gone or belongs to another writer. */
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
    sv->row.wanted = arena_strdup(a, l->row.wanted);
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
    struct save sv = { .l = l, .renew = renew, .give = l->giving };
    struct bough_arena *tmp;
    enum bough_rc rc;

    while (l->saving)
        pthread_cond_wait(&e->open.stepped, &e->open.lock);
    if (l->over || (renew == RENEW_NOT && !l->giving && draft_size(&l->draft) == l->saved_at))
        return BOUGH_OK;
    tmp = bough_arena_create();
    start_save(s, l, tmp, &sv);
    l->saving = true;
    l->due_us = 0;
    pthread_mutex_unlock(&e->open.lock);
    rc = write_run(s, tmp, &sv.request, err);
    pthread_mutex_lock(&e->open.lock);
    l->saving = false;
    if (!rc) {
        l->saved_at = (size_t)sv.draft.end;
        l->saved = sv.draft.step;
        if (renew == RENEW_NOW)
            l->durable = l->saved;
        l->row.expires = sv.row.expires;
        l->row.ver = sv.row.ver + sv.renewed;
    }
    l->given = !rc && sv.given;
    if (hopeless(rc) || l->given)
        live_take_out(e, l);
    pthread_cond_broadcast(&e->open.stepped);
    bough_arena_destroy(tmp);
    return rc;
}

void live_touched(struct engine *e, struct live *l)
{
    bool first = !l->due_us;

    pthread_cond_broadcast(&e->open.stepped);
    if (!first)
        return;
    l->due_us = mono_us() + SAVE_US;
    live_wake_at(e, l->due_us);
}

void live_end_seal(struct engine *e, struct live *l)
{
    l->sealing = false;
    if (draft_size(&l->draft) > l->saved_at)
        live_touched(e, l);
}

int64_t live_durable(struct engine *e, const struct live *l)
{
    bool synced;

    pthread_mutex_lock(&e->lock);
    synced = !e->upkeep.relaxed_us;
    pthread_mutex_unlock(&e->lock);
    return synced ? l->saved : l->durable;
}

bool live_is_due(const struct live *l)
{
    return draft_size(&l->draft) - l->saved_at >= SAVE_BYTES ||
           (l->due_us && mono_us() >= l->due_us);
}

/* A message that is due, or NULL and in *next the earliest time one will be (0: never). */
static struct live *next_due(struct engine *e, int64_t now_us, int64_t *next)
{
    size_t pos = 0;
    uint64_t val;

    *next = 0;
    while (map_next(&e->open.by_slot, &pos, NULL, &val)) {
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

/* A store handle for the engine's own work. */
static struct bough_store store_itself(struct engine *e)
{
    static char no_principal[1];

    return (
        struct bough_store){ .e = e, .deadline_ms = LIMIT_DEADLINE_MS, .principal = no_principal };
}

/* Save while counting as a user. Returns false if the steps are still unsaved. */
static bool save_one(struct bough_store *s, struct live *l, enum renew renew,
                     struct bough_error *err)
{
    bool fine;

    l->users++;
    fine = live_save(s, l, renew, err) == BOUGH_OK || l->over;
    live_let_go(l);
    return fine;
}

static bool holds_any(struct engine *e)
{
    size_t pos = 0;
    uint64_t val;

    while (map_next(&e->open.by_slot, &pos, NULL, &val))
        if (((struct live *)(uintptr_t)val)->ours)
            return true;
    return false;
}

/* Hand one message over. Steps wait meanwhile: one that comes now belongs to the new holder. Needs
 * live_lock. */
static enum bough_rc give(struct bough_store *self, struct bough_head at, struct bough_error *err)
{
    struct engine *e = self->e;
    struct live *l = live_find(e, at);
    bool open = true;
    enum bough_rc rc = BOUGH_OK;

    if (!l)
        l = live_add(e, at);
    if (!l->ours)
        rc = live_refresh(self, l, &open, err);
    if (rc || !open || l->sealing) {
        if (!l->sealing)
            live_take_out(e, l);
        return rc;
    }
    l->ours = l->giving = true;
    l->users++;
    rc = live_save(self, l, RENEW_NOT, err);
    l->giving = false;
    pthread_cond_broadcast(&e->open.stepped);
    live_let_go(l);
    return rc;
}

/* Hand over the messages that other processes ask for. Needs live_lock, released meanwhile. */
static void answer_wishes(struct bough_store *self)
{
    struct engine *e = self->e;
    struct bough_arena *a = bough_arena_create();
    struct bough_head *at = NULL;
    struct bough_error err;
    size_t n = 0;
    enum bough_rc rc;

    pthread_mutex_unlock(&e->open.lock);
    rc = handover_wishes(self, a, &at, &n, &err);
    pthread_mutex_lock(&e->open.lock);
    for (size_t i = 0; i < n && !rc; i++)
        rc = give(self, at[i], &err);
    if (rc)
        log_msg(LOG_WARN, "a message was not handed over: %s", err.msg);
    bough_arena_destroy(a);
}

int64_t lives_save_due(struct engine *e, int64_t now_us)
{
    struct bough_store self = store_itself(e);
    struct bough_error err;
    struct live *l;
    int64_t next;

    pthread_mutex_lock(&e->open.lock);
    if (holds_any(e) && now_us >= e->open.wishes_us) {
        e->open.wishes_us = now_us + WISHES_US;
        answer_wishes(&self);
    }
    while ((l = next_due(e, now_us, &next)))
        if (!save_one(&self, l, RENEW_LATE, &err)) {
            log_msg(LOG_WARN, "steps of a message were not saved: %s", err.msg);
            l->due_us = mono_us() + SAVE_US; /* retry later */
        }
    if (holds_any(e) && (!next || next > e->open.wishes_us))
        next = e->open.wishes_us;
    pthread_mutex_unlock(&e->open.lock);
    return next;
}

void lives_save_all(struct engine *e)
{
    struct bough_store self = store_itself(e);
    struct live *l;
    int64_t next;

    pthread_mutex_lock(&e->open.lock);
    while ((l = next_due(e, INT64_MAX, &next)) && save_one(&self, l, RENEW_NOT, NULL))
        continue;
    pthread_mutex_unlock(&e->open.lock);
}

void live_save_at(struct bough_store *s, struct bough_head at)
{
    struct live *l;

    pthread_mutex_lock(&s->e->open.lock);
    l = live_find(s->e, at);
    if (l && l->due_us)
        (void)save_one(s, l, RENEW_NOT, NULL);
    pthread_mutex_unlock(&s->e->open.lock);
}
