/*
 * The engine behind a store handle: one backend, one writer at a time, what is cached.
 *
 * Reading: snap_begin() takes a snapshot, everything is read through it into the caller's arena,
 * snap_end(). Writing: write_run() hands a `struct request` to whoever holds the writer's role; its
 * prepare() looks at the current state and fills a txn, the backend commits a batch of them, a txn
 * that lost its guards is prepared again.
 */
#ifndef STORE_ENGINE_H
#define STORE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <bough/bough.h>

#include "base/arena.h"
#include "base/env.h"
#include "base/map.h"
#include "core/bodies.h"
#include "core/pack.h"
#include "store/backend.h"

/* Who a session is: never changes. Whether it was purged does: ask snap_purged(). */
struct who {
    int64_t sid, made, chk;
    int64_t parent, kind;
};

/* What an append must know of a session; belongs to the holder of the writer's role. */
struct state {
    struct head_row row; /* lease_owner is not kept: those who need it read it */
    int64_t depth, tip;
    int64_t mno; /* at the head */
    bool valid;
    bool own; /* the head's branch is the session's own */
    struct who who;
};

struct engine {
    struct backend *backend;
    const struct backend_ops *ops;
    struct env env;
    bool read_only;
    int64_t epoch;    /* see feed.c */
    size_t zstd_from; /* compress messages from this size on; 0: never */
    pid_t pid;        /* handles do not survive fork() */
    unsigned forks;   /* how often this process had been forked off when it was opened */
    atomic_int refs;

    pthread_mutex_t lock; /* guards everything down to `wake` */
    struct request *first, *last;
    size_t queued;
    bool leading;    /* somebody has the writer's role */
    unsigned wanted; /* how many want it for something else than requests */
    bool stopping;
    bool direct;    /* commits are cheaper than waking the thread: it only works when idle */
    size_t pending; /* log rows not yet folded into the lists, as far as this process knows */
    bool folding;   /* the thread is making a fold */
    struct ready_fold *fold; /* made, and not yet committed */
    int64_t fold_after;      /* a fold failed: not again before */
    size_t last_batch;
    int64_t last_us;     /* when a request was last committed */
    int64_t swept_us;    /* when old attachments were last looked for; 0: not yet */
    size_t text_pending; /* log rows not yet in the full text, as far as this process knows */
    bool texting;        /* somebody is bringing it up to date */
    bool search_off;     /* only a search does that */
    int64_t text_after;  /* it failed: not again before */
    bool untidy;         /* the backend has something to do when idle */
    int64_t relaxed_us;  /* since when it keeps something that is not synced; 0: nothing */
    int64_t draft_due;   /* when steps of an open message are to be saved; 0: none wait */
    bool timed;          /* the thread sleeps until that may be */
    uint64_t commits;    /* how many batches changed something */
    int64_t batches, batched, commit_us; /* all of them, for those who watch */
    unsigned followers;                  /* how many wait for one */
    int64_t fed_no, feed_us;             /* up to where they read, and how long that took */
    pthread_cond_t committed;
    pthread_cond_t wake;
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t live_lock; /* guards the next two; may be held when taking `lock` */
    struct map lives;          /* branch << 32 | depth -> struct live *; see live.h */
    pthread_cond_t stepped;

    struct map states; /* sid -> struct state *; the writer's role only */

    pthread_rwlock_t cache_lock; /* guards the three maps */
    struct map branches;         /* bid -> struct branch_row *; ancestry never changes */
    struct map whos;             /* sid -> struct who * */
    struct map places;           /* kind << 32 | ordinal -> name */
};

struct bough_store {
    struct engine *e;
    int64_t deadline_ms;
    const bool *cancel;
    char *principal;
};

/* ---- reading ---- */

struct snap {
    struct engine *e;
    const struct backend_ops *ops;
    struct view *v;
};

struct patience store_patience(const struct bough_store *s);
enum bough_rc snap_begin(struct bough_store *s, struct snap *snap, struct bough_error *err);
enum bough_rc snap_begin_engine(struct engine *e, const struct patience *p, struct snap *snap,
                                struct bough_error *err);
void snap_end(struct snap *snap); /* again is fine */

/* Cached: who a session is (BOUGH_NOT_FOUND), where a branch hangs, what a place is called. */
enum bough_rc snap_who(struct snap *snap, int64_t sid, struct who *out, struct bough_error *err);
enum bough_rc snap_branch(struct snap *snap, int64_t bid, struct branch_row *out,
                          struct bough_error *err);
enum bough_rc snap_place(struct snap *snap, struct bough_arena *a, enum record_kind kind,
                         int64_t ord, const char **name, struct bough_error *err);
/* What bough_store_log() gives, of this snapshot. */
enum bough_rc snap_log(struct snap *snap, struct bough_arena *a, int64_t after, int64_t limit,
                       struct bough_changes *out, struct bough_error *err);
/* Was it purged, as of this snapshot? Also true when it never was there. Not cached: another
 * process may do it at any time. */
enum bough_rc snap_purged(struct snap *snap, int64_t sid, bool *purged, struct bough_error *err);
/* Known without a snapshot? */
bool cache_who(struct engine *e, int64_t sid, struct who *out);
/* Is this a forked child? Asks no kernel: every call of the API comes by here. */
bool engine_forked(const struct engine *e);
void cache_init(struct engine *e);
void cache_finish(struct engine *e);

/* ---- writing ---- */

struct prep {
    struct engine *e;
    struct bough_arena *a; /* the request's */
    struct txn *t;
    struct snap snap; /* begun when first asked for: prep_snap() */
    struct patience patience;
    int64_t now;
};

struct request {
    /* Fill p->t. An error ends the request; nothing of it is written. */
    enum bough_rc (*prepare)(struct prep *p, void *user, struct bough_error *err);
    /* After the commit, still in the writer's role: remember what is known now. May be NULL. */
    void (*done)(struct engine *e, const struct txn *t, void *user);
    void *user;
    int64_t sid; /* whose cached state is wrong when it did not go well; 0: nobody's */

    /* the queue's */
    struct txn txn;
    struct bough_arena *a;
    struct patience patience;
    enum bough_rc rc;
    struct bough_error err;
    atomic_int stage;
    bool taken;
    int tries;
    struct request *next;
};

/* Run one request to its end: queue, prepare, commit, prepare again when a guard was lost. r->txn
 * holds the answers. */
enum bough_rc write_run(struct bough_store *s, struct bough_arena *a, struct request *r,
                        struct bough_error *err);
enum bough_rc prep_snap(struct prep *p, struct snap **out, struct bough_error *err);

void writer_start(struct engine *e);
void writer_stop(struct engine *e);
/* Fold everything pending and tidy up, as the writer would when idle. */
enum bough_rc writer_upkeep(struct engine *e, const struct patience *p, struct bough_error *err);

/* The role for work other than requests; those who queue let it go first. Giving it back leaves
 * something to tidy up. */
enum bough_rc writer_take(struct engine *e, const struct patience *p, struct bough_error *err);
void writer_give(struct engine *e);
void writer_sweep_idle(struct engine *e);

/* The backend's purge operations, in the writer's role. */
enum bough_rc writer_slice(struct engine *e, int64_t sid, int64_t limit, bool *left,
                           int64_t *entries, int64_t *records, const struct patience *p,
                           struct bough_error *err);
enum bough_rc writer_cut(struct engine *e, const struct branch_row *rows, size_t n,
                         const struct patience *p, struct bough_error *err);

/* Building a txn in the request's arena. */
struct change *txn_change(struct prep *p, enum change_op op); /* zeroed, at the end */
void txn_guard(struct prep *p, enum guard_op op, int64_t sid, int64_t a, int64_t b);
void txn_log(struct prep *p, enum log_kind kind, int64_t sid, int64_t n);

struct state *state_get(struct engine *e, int64_t sid);
void state_drop(struct engine *e, int64_t sid);
void state_drop_all(struct engine *e);

#endif
