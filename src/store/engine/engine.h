/*
 * The engine behind a store handle: one backend, a commit queue, caches and background work.
 *
 * Reading: snap_begin() takes a snapshot, everything is read through it into the caller's arena,
 * snap_end() releases it. Writing: write_run() queues a `struct request`; the thread that holds the
 * writer role calls prepare() of each request in the queue, which reads the current state and fills
 * a txn, and the backend commits all of them as one batch. A txn that lost a guard is prepared
 * again.
 */
#ifndef STORE_ENGINE_ENGINE_H
#define STORE_ENGINE_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>
#include <sys/types.h>

#include <bough/bough.h>

#include "base/env.h"
#include "base/memory/arena.h"
#include "base/memory/map.h"
#include "core/pack/bodies.h"
#include "core/pack/pack.h"
#include "store/contract/backend.h"

/* The columns of a session that never change. Whether it was purged can: see snap_purged(). */
struct identity {
    int64_t sid, made, chk;
    int64_t parent, kind;
};

/* What an append needs to know of a session. Only the holder of the writer role may touch it. */
struct session_state {
    struct head_row row; /* without lease_owner: read it from the store */
    int64_t depth, tip;
    int64_t mno; /* message number at the head */
    bool valid;
    bool own; /* the head's branch belongs to this session */
    struct identity identity;
    int64_t groups[2]; /* of calls: see session_groups() */
};

struct engine;
struct request;

/* A prepared txn that folds pending changes into the lists; the next batch commits it. */
struct ready_fold {
    struct txn txn;
    struct bough_arena *a; /* holds the txn */
    size_t seen;           /* folds.pending when it was built */
};

/* What store.c puts in: calls from the engine into layers above it. */
struct engine_hooks {
    /* Prepare a fold. *out is NULL when nothing is pending. `seen` is folds.pending, read before.
     */
    enum bough_rc (*fold)(struct engine *e, size_t seen, struct ready_fold **out,
                          struct bough_error *err);
    /* The last handle was closed: stop the thread, close the backend, free the engine. */
    void (*shut_down)(struct engine *e);
};

/* Write requests that wait for a commit, oldest first. */
struct commit_queue {
    struct request *first, *last;
    size_t queued;
    bool leading;    /* a thread holds the writer role */
    unsigned wanted; /* threads that wait for the role for work other than requests */
    bool direct;     /* commits are cheaper than waking the thread: it works only when idle */
    size_t last_batch;
    int64_t last_us; /* time of the last commit */
    int64_t took_us; /* how long it took */
};

/* Changelog rows that are not in the lists yet, as far as this process knows. */
struct fold_work {
    size_t pending;
    bool running;             /* the thread prepares a fold */
    struct ready_fold *ready; /* prepared, not committed */
    int64_t retry_us;         /* after a failure: not before */
};

/* Numbers of the changelog that are not in the full text yet, as far as this process knows: one for
 * an entry. */
struct fulltext_work {
    size_t pending;
    bool running;
    bool on_search_only; /* never indexed in the background */
    unsigned held;       /* imports that run: nothing is indexed in the background meanwhile */
    int64_t retry_us;    /* after a failure: not before */
};

/* Other work of the background thread. */
struct upkeep_work {
    bool untidy;        /* the backend has work to do when idle */
    int64_t relaxed_us; /* time of the oldest commit that is not synced; 0: none */
    int64_t draft_due;  /* when steps of an open message must be saved; 0: none wait */
    int64_t swept_us;   /* last search for unlinked attachments; 0: not yet */
};

/* Followers of the changelog in this process. */
struct feed_work {
    uint64_t commits;   /* batches that changed something */
    unsigned followers; /* threads that wait for one */
    int64_t no;         /* the followers have read up to this number */
    int64_t read_us;    /* duration of their last read */
    pthread_cond_t committed;
};

/* Counters for bough_store_info(). */
struct commit_figures {
    int64_t batches, batched, commit_us;
};

struct background {
    pthread_t thread;
    pthread_cond_t wake;
    bool started, stopping;
    bool timed; /* sleeps with a time-out: no need to wake it for idle work */
};

/* Open messages that this process writes or follows; see live/live.h. */
struct open_messages {
    pthread_mutex_t lock; /* guards all of it; engine.lock may be taken while holding it */
    struct map by_slot;   /* branch << 32 | depth -> struct live * */
    int64_t wishes_us;    /* when to look next for processes that want one of them */
    pthread_cond_t stepped;
};

/* Rows that never change, by number. */
struct row_cache {
    pthread_rwlock_t lock; /* guards all of it */
    struct map branches;   /* bid -> struct branch_row * */
    struct map identities; /* sid -> struct identity * */
    struct map groups;     /* kind << 32 | ordinal -> name */
};

struct engine {
    /* set when the store is opened, then constant */
    struct backend *backend;
    const struct backend_ops *ops;
    const struct engine_hooks *hooks;
    struct env env;
    bool read_only;
    int64_t epoch;    /* see find/feed.c */
    size_t zstd_from; /* compress messages from this size on; 0: never */
    pid_t pid;
    unsigned forks; /* fork_count() when it was opened: handles do not survive fork() */
    atomic_int refs;

    pthread_mutex_t lock; /* guards the members down to `background` */
    struct commit_queue queue;
    struct fold_work folds;
    struct fulltext_work fulltext;
    struct upkeep_work upkeep;
    struct feed_work feed;
    struct commit_figures figures;
    struct smap uploads; /* see lookup/upload.h */
    struct background background;

    struct open_messages open; /* has its own lock */
    struct row_cache cache;    /* has its own lock */
    struct map states;         /* sid -> struct session_state *; needs the writer role */
};

/* A handle: the engine, and what bounds the calls made through this handle. */
struct bough_store {
    struct engine *e;
    int64_t deadline_ms;
    const bool *cancel;
    char *principal;
    int64_t moved;  /* imports: when the conversation moved; see store/write/import_api.h. 0: now */
    bool uncounted; /* imports: usage of entries gets no call */
    bool import;    /* calls were made by another program: they name no principal */
    char *uploads_of; /* see lookup/upload.h; NULL: no restriction */
};

/* A new handle on the engine; takes over one of its references. */
struct bough_store *handle_create(struct engine *e, const struct bough_store_scoped_options *scope);

/* ---- reading: snapshot.c, cache.c ---- */

struct snap {
    struct engine *e;
    const struct backend_ops *ops;
    struct snapshot *v;
    bool bounded; /* a path read through it is refused beyond LIMIT_CONTEXT */
};

struct deadline store_deadline(const struct bough_store *s);
enum bough_rc snap_begin(struct bough_store *s, struct snap *snap, struct bough_error *err);
enum bough_rc snap_begin_engine(struct engine *e, const struct deadline *p, struct snap *snap,
                                struct bough_error *err);
void snap_end(struct snap *snap); /* may be called again */

/* Was the session purged, as of this snapshot? Also true when it never existed. Not cached: another
 * process may purge it at any time. */
enum bough_rc snap_purged(struct snap *snap, int64_t sid, bool *purged, struct bough_error *err);
/* BOUGH_INVALID in a process that was forked off after the store was opened. */
enum bough_rc engine_check_fork(const struct engine *e, struct bough_error *err);

/* Cached rows: a session's identity (BOUGH_NOT_FOUND), a branch, the name of a group. */
enum bough_rc snap_identity(struct snap *snap, int64_t sid, struct identity *out,
                            struct bough_error *err);
enum bough_rc snap_branch(struct snap *snap, int64_t bid, struct branch_row *out,
                          struct bough_error *err);
enum bough_rc snap_group(struct snap *snap, struct bough_arena *a, enum record_kind kind,
                         int64_t ord, const char **name, struct bough_error *err);
/* True when the identity is cached: no snapshot is needed. */
bool cache_identity(struct engine *e, int64_t sid, struct identity *out);
void cache_init(struct engine *e);
void cache_finish(struct engine *e);

/* ---- writing: commit_queue.c, txn_build.c, session_state.c ---- */

struct prep {
    struct engine *e;
    struct bough_arena *a; /* the request's */
    struct txn *t;
    struct snap snap; /* begun on demand: prep_snap() */
    struct deadline deadline;
    int64_t now;
    int64_t moved; /* time of the changelog row; 0: now */
};

struct request {
    /* Fill p->t. An error ends the request and nothing is written. May run several times. */
    enum bough_rc (*prepare)(struct prep *p, void *user, struct bough_error *err);
    /* After the commit, still with the writer role: update cached state. May be NULL. */
    void (*done)(struct engine *e, const struct txn *t, void *user);
    void *user;
    int64_t sid; /* session whose cached state is dropped when the request fails; 0: none */

    /* private to the commit queue */
    struct txn txn;
    struct bough_arena *a;
    struct deadline deadline;
    int64_t moved; /* of the handle */
    enum bough_rc rc;
    struct bough_error err;
    atomic_int stage;
    bool taken;
    int tries;
    struct request *next;
};

/* Run one request to its end: queue, prepare, commit, and again when a guard was lost. The results
 * are in r->txn, whose memory is in `a`. */
enum bough_rc write_run(struct bough_store *s, struct bough_arena *a, struct request *r,
                        struct bough_error *err);
/* The same with a temporary arena, for requests whose memory is not needed afterwards. */
enum bough_rc write_once(struct bough_store *s, struct request *r, struct bough_error *err);
/* In prepare(): the batch's snapshot, begun when it is first asked for. */
enum bough_rc prep_snap(struct prep *p, struct snap **out, struct bough_error *err);

/* In prepare(): add to the txn. A new change is zeroed. */
struct change *txn_change(struct prep *p, enum change_op op);
void txn_guard(struct prep *p, struct guard guard);
void txn_changelog(struct prep *p, enum changelog_kind kind, int64_t sid, int64_t n);

/* Cached session states; all need the writer role. */
struct session_state *state_get(struct engine *e, int64_t sid); /* created when missing */
void state_drop(struct engine *e, int64_t sid);
void state_drop_all(struct engine *e);

/* Take the writer role for work other than requests; it goes before the queue. BOUGH_TIMEOUT when
 * the deadline passes first. Giving it back leaves idle work to do. */
enum bough_rc role_take(struct engine *e, const struct deadline *p, struct bough_error *err);
void role_give(struct engine *e);
/* Fold everything pending and run the backend's upkeep. */
enum bough_rc commit_queue_upkeep(struct engine *e, const struct deadline *p,
                                  struct bough_error *err);
void ready_fold_free(struct ready_fold *f); /* NULL is allowed */

/* ---- role_work.c: backend operations that need the writer role; each takes and returns it ---- */

enum bough_rc role_purge_slice(struct engine *e, int64_t sid, int64_t limit, bool *left,
                               int64_t *entries, int64_t *records, const struct deadline *p,
                               struct bough_error *err);
enum bough_rc role_branch_cut(struct engine *e, const struct branch_row *rows, size_t n,
                              const struct deadline *p, struct bough_error *err);
enum bough_rc role_blob_put(struct engine *e, int64_t *bno, const struct chunk_row *chunk,
                            const struct deadline *p, struct bough_error *err);
enum bough_rc role_blob_seal(struct engine *e, struct blob_row *row, bool relaxed,
                             const struct deadline *p, struct bough_error *err);
/* Remove old unlinked attachments; `only` > 0: just that unfinished one. */
enum bough_rc role_sweep(struct engine *e, int64_t only, const struct deadline *p,
                         struct bough_error *err);
/* The same for the thread, which holds the role already: at most once an hour. */
void role_sweep_idle(struct engine *e);

#endif
