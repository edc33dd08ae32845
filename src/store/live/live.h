/*
 * In-memory state of the open messages this process writes or follows. For a message it writes it
 * holds the steps that are not saved yet. The engine keeps them until they are sealed.
 *
 * e->open.lock guards every struct live. It may be held when taking e->lock, not the reverse.
 */
#ifndef STORE_LIVE_LIVE_H
#define STORE_LIVE_LIVE_H

#include "store/live/open_message.h"

struct live {
    struct bough_head at;
    char id[BOUGH_ID_LEN + 1]; /* set by live_name() once verified; else "" */
    struct open_row row;       /* as last read or written; owns its strings */
    bool ours;                 /* false: only followed; its steps are read from the store */
    bool sealing;              /* no more steps are accepted */
    bool over;                 /* sealed or lost to another writer; no longer in the map */
    bool saving;               /* a thread is saving its steps */
    bool giving;               /* it is being handed over: steps wait */
    bool given;                /* it was handed over with all its steps */
    struct draft draft;
    size_t saved_at; /* the draft is saved up to this offset and step */
    int64_t saved;
    int64_t durable; /* steps up to this one were saved with a sync */
    int64_t due_us;  /* when unsaved steps must be saved; 0: none */
    int64_t used_us; /* last use; idle followed messages are dropped */
    int users;       /* callers between enter and leave; not freed before 0 */
};

void lives_init(struct engine *e);
void lives_finish(struct engine *e);

/* Get the message for writing with this lease epoch. If another process collects its steps, it is
 * asked for them first; see handover_take(), also for `numbered`. On success *out has a user and
 * e->open.lock is held until live_leave(). BOUGH_LEASE_LOST when the lease has another epoch. */
enum bough_rc live_enter(struct bough_store *s, struct bough_head at, int64_t epoch, bool numbered,
                         struct live **out, struct bough_error *err);
void live_leave(struct engine *e, struct live *l);

/* The next five need live_lock. A message in the map, or NULL; a new one; remove one, freed when it
 * has no users; one user less; reload lease and drafts from the store. */
struct live *live_find(struct engine *e, struct bough_head at);
struct live *live_add(struct engine *e, struct bough_head at);
void live_take_out(struct engine *e, struct live *l);
void live_let_go(struct live *l);
enum bough_rc live_refresh(struct bough_store *s, struct live *l, bool *open,
                           struct bough_error *err);
/* Wake the engine's thread at this time, or earlier. */
void live_wake_at(struct engine *e, int64_t us);

/* True if this process writes the message and `id` is its verified id: no lookup is needed. */
bool live_known(struct engine *e, struct bough_head at, const char *id);
/* Remember the verified id of the message. */
void live_name(struct live *l, const char *id);

/* Stop accepting steps and wait until a running save is done. Needs live_lock. BOUGH_CONFLICT when
 * it is being sealed already, BOUGH_LEASE_LOST when it was lost meanwhile, BOUGH_BUSY when it was
 * handed over meanwhile: enter it again. */
enum bough_rc live_begin_seal(struct engine *e, struct live *l, struct bough_error *err);
/* Sealing failed: accept steps again. */
void live_end_seal(struct engine *e, struct live *l);

/* Save the unsaved steps. The caller must be a user and hold e->open.lock, which is released during
 * the commit. `renew`: extend the lease never, once half of it is over, or now. If the lease is
 * lost the message is removed from the map. */
enum renew { RENEW_NOT, RENEW_LATE, RENEW_NOW };
enum bough_rc live_save(struct bough_store *s, struct live *l, enum renew renew,
                        struct bough_error *err);

/* Are the unsaved steps large or old enough to be saved? */
bool live_is_due(const struct live *l);

/* Steps up to this number survive a crash of the machine. */
int64_t live_durable(struct engine *e, const struct live *l);

/* Call after adding steps: wakes followers and schedules the save. Needs live_lock. */
void live_touched(struct engine *e, struct live *l);

/* Save the messages that are due; returns when the next one is (0: none). For the engine's
 * thread. */
int64_t lives_save_due(struct engine *e, int64_t now_us);
/* Save all messages before the store closes. Stops at the first failure. */
void lives_save_all(struct engine *e);

/* Save the message's steps if this process has unsaved ones. */
void live_save_at(struct bough_store *s, struct bough_head at);
/* The message was sealed or taken over: remove it and wake its followers. */
void live_over(struct engine *e, struct bough_head at);

/* Get the message for following, with its draft up to date. On success live_lock is held until
 * live_leave(). If the message is not open, *out is NULL and nothing is held. */
enum bough_rc live_follow(struct bough_store *s, struct bough_head at, struct live **out,
                          struct bough_error *err);
/* Wait for a step in this process, at most until the next poll. Needs live_lock. */
void live_wait(struct engine *e, const struct live *l, size_t seen, int64_t until_us);

#endif
