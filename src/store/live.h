/*
 * Open messages this process knows: those it writes, with the steps that are not saved yet, and
 * those of others that somebody here follows. They are kept by the engine until they are sealed.
 */
#ifndef STORE_LIVE_H
#define STORE_LIVE_H

#include "store/open.h"

struct live {
    struct bough_head at;
    char id[BOUGH_ID_LEN + 1]; /* once known: its check bits have been looked at */
    struct open_row row;       /* as last read or written by us; strings owned */
    bool ours;                 /* false: only followed; its steps come from the store */
    bool sealing;              /* no more steps */
    bool over;                 /* sealed, or somebody else has it: not in the map any more */
    bool saving;               /* somebody writes its steps just now */
    struct draft draft;
    size_t saved_at; /* offset up to which it is in the store, and the step there */
    int64_t saved;
    int64_t due_us;  /* when unsaved steps are to be written; 0: there are none */
    int64_t used_us; /* followed ones are forgotten when nobody asks for them */
    int users;
};

void lives_init(struct engine *e);
void lives_finish(struct engine *e);

/* The message, for writing with that epoch: loaded when this process has not written it before. On
 * success e->live_lock is held until live_leave(). */
enum bough_rc live_enter(struct bough_store *s, struct bough_head at, int64_t epoch,
                         struct live **out, struct bough_error *err);
void live_leave(struct engine *e, struct live *l);

/* Is this the id of a message this process writes? Then nothing needs to be looked up. */
bool live_known(struct engine *e, struct bough_head at, const char *id);
void live_name(struct live *l, const char *id);

/* No more steps: wait until those that are being saved are. */
enum bough_rc live_begin_seal(struct engine *e, struct live *l, struct bough_error *err);
/* It was not sealed after all. */
void live_end_seal(struct engine *e, struct live *l);

/* Write its unsaved steps; the caller is one of its users. `renew` keeps the lease when half of it
 * is over, or at once. e->live_lock is held on entry and after, not in between. */
enum renew { RENEW_NOT, RENEW_LATE, RENEW_NOW };
enum bough_rc live_save(struct bough_store *s, struct live *l, enum renew renew,
                        struct bough_error *err);

/* Enough of it is unsaved, or for long enough. */
bool live_is_due(const struct live *l);

/* Steps were taken: see that they are saved in time. The lock is held. */
void live_touched(struct engine *e, struct live *l);

/* Save what is due; when the next is. For the engine's thread. */
int64_t lives_save_due(struct engine *e, int64_t now_us);
/* Save everything: the store is about to close. */
void lives_save_all(struct engine *e);

/* Save a message's steps if this process has any. */
void live_save_at(struct bough_store *s, struct bough_head at);
/* It was sealed or taken over: whoever waits for it is woken. */
void live_over(struct engine *e, struct bough_head at);

/* For following: the draft up to date, with the lock held until live_leave(). *out is NULL (and
 * nothing is held) when the message is not open. */
enum bough_rc live_follow(struct bough_store *s, struct bough_head at, struct live **out,
                          struct bough_error *err);
/* Sleep until a step is taken here, or until it is time to look elsewhere. The lock is held. */
void live_wait(struct engine *e, const struct live *l, size_t seen, int64_t until_us);

#endif
