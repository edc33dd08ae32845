/*
 * The table every storage backend fills. Operations are mandatory unless they say otherwise. A
 * backend keeps rows; the rules of the model are checked above it, once.
 */
#ifndef STORE_BACKEND_H
#define STORE_BACKEND_H

#include "base/env.h"
#include "store/scan.h"
#include "store/txn.h"

struct backend;
struct view;

/* How long a call may take. Waiting for a lock or scanning past it is BOUGH_TIMEOUT. */
struct patience {
    int64_t until_us; /* on mono_us()'s clock */
    const bool *cancel;
};

struct backend_config {
    const char *path; /* what follows the scheme */
    bool read_only, create_not, no_compress;
    int64_t cache_bytes; /* of the writer; 0: as it likes */
    const struct env *env;
    struct patience patience; /* for opening */
};

/* ---- reading ---- */

struct head_now {
    struct head_row row;
    int64_t depth; /* where the head is: row.depth, or the tip */
    int64_t tip;   /* of row.bid; its base when it has no entries; 0 when bid is 0 */
};

struct backend_info {
    int64_t log_bytes, oldest_view_us; /* on mono_us()'s clock; 0: none */
    const char *path;                  /* of its file, or NULL */
    const char *store_id;
    int64_t epoch, schema, file_bytes;
};

/* What a store has besides its rows. */
struct raw_numbers {
    int64_t no, sessions, branches, blobs; /* the last that were given out */
    int64_t lists;                         /* they are applied up to this no */
    int64_t epoch;
    const char *store_id;
    const char *moving; /* how far a migration into it has come; "" when none is under way */
};

struct backend_ops {
    const char *scheme; /* "sqlite" in sqlite:path */
    const char *also;   /* another word for it, or NULL */
    bool remote;        /* a question is a round trip: followers do not ask after every commit */
    bool plain;         /* it keeps parts as readable text: bodies are not compressed */
    bool direct; /* a commit is a few writes to memory: not worth waking a thread beside it */

    /* Open or create the store and bring its schema up to date. On failure *out is untouched. */
    enum bough_rc (*open)(struct backend **out, const struct backend_config *config,
                          struct bough_error *err);

    /* Release everything. Called once, with no view open and no commit running. */
    void (*close)(struct backend *b);

    enum bough_rc (*info)(struct backend *b, struct bough_arena *a, struct backend_info *out,
                          struct bough_error *err);

    /*
     * Write all txns as one durable unit, called by one thread at a time. Each is all-or-nothing
     * and gets its own state. BOUGH_OK: what is TXN_DONE is on disk (relaxed ones: in the log).
     * BOUGH_NOT_DONE, BOUGH_TIMEOUT, BOUGH_FULL, BOUGH_READ_ONLY, BOUGH_VERSION, BOUGH_CORRUPT:
     * nothing of the batch was written. BOUGH_UNKNOWN: COMMIT itself failed; some or all may be
     * there. The backend has then reopened and verified itself, or refuses everything.
     */
    enum bough_rc (*commit)(struct backend *b, struct txn *const *txns, size_t n,
                            const struct patience *p, struct bough_error *err);

    /*
     * Keep other processes from committing until the next commit() or release(): what is read
     * meanwhile cannot be lost to a faster writer. For requests that lost several times.
     */
    enum bough_rc (*hold)(struct backend *b, const struct patience *p, struct bough_error *err);
    void (*release)(struct backend *b);

    /*
     * Remove at most `limit` rows of a purged session: entries deeper than each branch's `cut` with
     * their text and links to blobs, its title's text, then its records, aliases and keys. *left is
     * false when nothing
     * remains. Durable; safe to repeat after a crash.
     */
    enum bough_rc (*purge_slice)(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                 int64_t *entries, int64_t *records, const struct patience *p,
                                 struct bough_error *err);

    /* Set branch `cut`s of a purged session (see branch_row.cut); durable. */
    enum bough_rc (*branch_cut)(struct backend *b, const struct branch_row *rows, size_t n,
                                const struct patience *p, struct bough_error *err);

    /* Idle work: checkpoint and the like. `last`: the store is about to close. */
    void (*upkeep)(struct backend *b, bool last);

    /* A snapshot: everything read through it is of one moment. Never held across calls of the API.
     */
    enum bough_rc (*view_begin)(struct backend *b, struct view **out, const struct patience *p,
                                struct bough_error *err);
    void (*view_end)(struct view *v); /* NULL is fine */

    /* A hint, NULL where a question costs little: these will be asked for next in this view, one by
     * one, and may be read at once. It cannot fail: what is not there then is read when asked for.
     */
    void (*ahead)(struct view *v, const struct wanted *want, size_t n);

    /* BOUGH_NOT_FOUND when there is no such row, for all of the getters. */
    enum bough_rc (*session_get)(struct view *v, struct bough_arena *a, int64_t sid,
                                 struct session_row *out, struct bough_error *err);
    enum bough_rc (*session_by_slug)(struct view *v, const char *slug, int64_t *sid,
                                     struct bough_error *err);
    /* Sessions whose id was made in [from, to], by sid. */
    enum bough_rc (*session_made)(struct view *v, int64_t from, int64_t to, session_fn fn,
                                  void *user, struct bough_error *err);
    /* Living and purged children by sid (row.parent == sid). */
    enum bough_rc (*session_children)(struct view *v, int64_t sid, session_fn fn, void *user,
                                      struct bough_error *err);

    enum bough_rc (*head_get)(struct view *v, struct bough_arena *a, int64_t sid,
                              struct head_now *out, struct bough_error *err);

    enum bough_rc (*branch_get)(struct view *v, int64_t bid, struct branch_row *out,
                                struct bough_error *err);
    /* Its last depth; its base when it has no entries. */
    enum bough_rc (*branch_tip)(struct view *v, const struct branch_row *branch, int64_t *tip,
                                struct bough_error *err);
    /* Branches that hang on `parent` at a base in [from, to], by (base, bid). */
    enum bough_rc (*branch_children)(struct view *v, int64_t parent, int64_t from, int64_t to,
                                     branch_fn fn, void *user, struct bough_error *err);
    /* Branches of a session by bid. */
    enum bough_rc (*branch_of)(struct view *v, int64_t sid, branch_fn fn, void *user,
                               struct bough_error *err);

    enum bough_rc (*entry_get)(struct view *v, struct bough_arena *a, int64_t bid, int64_t depth,
                               struct entry_row *out, struct bough_error *err);
    enum bough_rc (*entry_scan)(struct view *v, const struct entry_range *range, entry_fn fn,
                                void *user, struct bough_error *err);
    /* The deepest living entry of that kind (a compaction, a change of model or of thinking level)
     * of branch `bid` at or above depth `to`, by an index; *depth 0 when none. */
    enum bough_rc (*mark_find)(struct view *v, int64_t bid, enum bough_entry_kind kind, int64_t to,
                               int64_t *depth, struct bough_error *err);

    /* Open messages of branch `bid` at depths in [from, to], by depth; bid 0: all there are. */
    enum bough_rc (*open_scan)(struct view *v, int64_t bid, int64_t from, int64_t to, open_fn fn,
                               void *user, struct bough_error *err);
    /* The drafts of an open message that end behind offset `after`, in order. */
    enum bough_rc (*draft_scan)(struct view *v, int64_t bid, int64_t depth, int64_t after,
                                draft_fn fn, void *user, struct bough_error *err);

    /* Aliases of `id`, all scopes when scope is -1. */
    enum bough_rc (*alias_find)(struct view *v, const char *id, int64_t scope, alias_fn fn,
                                void *user, struct bough_error *err);
    enum bough_rc (*key_get)(struct view *v, struct bough_arena *a, const char *key,
                             struct key_row *out, struct bough_error *err);

    enum bough_rc (*record_get)(struct view *v, struct bough_arena *a, int64_t sid, int64_t kind,
                                int64_t ord, struct record_row *out, struct bough_error *err);
    /* By ordinal, from `from` on (backwards: down to 1, from `from` or the last when 0). */
    enum bough_rc (*record_scan)(struct view *v, int64_t sid, int64_t kind, int64_t from,
                                 bool backwards, record_fn fn, void *user, struct bough_error *err);

    enum bough_rc (*log_last)(struct view *v, int64_t *no, struct bough_error *err);
    enum bough_rc (*log_get)(struct view *v, int64_t no, struct log_row *out,
                             struct bough_error *err);
    enum bough_rc (*log_scan)(struct view *v, int64_t after, log_fn fn, void *user,
                              struct bough_error *err);

    enum bough_rc (*watermark)(struct view *v, int64_t *no, struct bough_error *err);
    enum bough_rc (*list_get)(struct view *v, struct bough_arena *a, int64_t sid,
                              struct list_row *out, struct bough_error *err);
    /* Newest first by the order's column, then by sid; see list_query.h for what matches. */
    enum bough_rc (*list_scan)(struct view *v, const struct list_query *q, list_fn fn, void *user,
                               struct bough_error *err);

    /*
     * Attachments; the rules are in store/blob.h. Put one piece of a blob that is being written:
     * *bno 0 begins a new one, and gets its number. Relaxed. BOUGH_GONE when it was swept.
     */
    enum bough_rc (*blob_put)(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                              const struct patience *p, struct bough_error *err);
    /*
     * It is whole: from now on it is found by row->hash. When the same bytes are there already,
     * row->bno becomes theirs, `since` is raised to row->since, and ours is left to the sweep.
     * BOUGH_CORRUPT when its pieces are not row->size bytes. Durable unless `relaxed`.
     */
    enum bough_rc (*blob_seal)(struct backend *b, struct blob_row *row, bool relaxed,
                               const struct patience *p, struct bough_error *err);
    /*
     * Remove blobs that nobody links and whose `since` is longer ago than LIMIT_LOOSE_MS, at most
     * `limit` rows; `only` > 0: just that one, being written, of whatever age. Durable.
     */
    enum bough_rc (*blob_sweep)(struct backend *b, int64_t only, int64_t limit, bool *left,
                                const struct patience *p, struct bough_error *err);
    /* A whole one by its hash. */
    enum bough_rc (*blob_find)(struct view *v, const unsigned char hash[32], struct blob_row *out,
                               struct bough_error *err);
    enum bough_rc (*chunk_get)(struct view *v, struct bough_arena *a, int64_t bno, int64_t index,
                               struct chunk_row *out, struct bough_error *err);
    enum bough_rc (*link_scan)(struct view *v, int64_t bno, link_fn fn, void *user,
                               struct bough_error *err);

    /* Full text: up to which no it is applied; documents, newest first. */
    enum bough_rc (*text_mark)(struct view *v, int64_t *no, struct bough_error *err);
    enum bough_rc (*text_find)(struct view *v, const struct text_query *q, text_fn fn, void *user,
                               struct bough_error *err);

    /* fsck: every row of a table in key order; the engine's own check; a write that asks nobody. */
    enum bough_rc (*raw_scan)(struct view *v, enum raw_table table, raw_fn fn, void *user,
                              struct bough_error *err);
    enum bough_rc (*engine_check)(struct view *v, bool full,
                                  void (*found)(void *user, const char *text), void *user,
                                  struct bough_error *err);
    enum bough_rc (*raw_fix)(struct backend *b, const struct raw_row *row, bool remove,
                             struct bough_error *err);

    /* Migration: the numbers; rows (of one table, not there yet) and the numbers as one durable
     * unit. The full text is left behind: it is made again. */
    enum bough_rc (*raw_numbers)(struct view *v, struct bough_arena *a, struct raw_numbers *out,
                                 struct bough_error *err);
    enum bough_rc (*raw_load)(struct backend *b, const struct raw_row *rows, size_t n,
                              const struct raw_numbers *numbers, struct bough_error *err);

    /* Write everything this snapshot shows into the empty file `path`, durably, without keeping
     * writers waiting. What is in the file after a failure is nobody's business. `progress` may be
     * NULL; BOUGH_TIMEOUT when it says stop. BOUGH_INVALID from a backend that has no files. */
    enum bough_rc (*backup)(struct view *v, const char *path, copy_fn progress, void *user,
                            struct bough_error *err);
};

struct backend { /* first member of every backend's own struct */
    const struct backend_ops *ops;
};

struct view { /* first member of every backend's own view */
    struct backend *backend;
};

/* NULL-terminated; the only list of backends. */
extern const struct backend_ops *const all_backends[];
/* The one a URL asks for and what follows its scheme; NULL: nobody is called so. */
const struct backend_ops *backend_choose(const char *url, const char **rest);

/* The one definition of what a query matches and how rows are ordered: the memory backend and the
 * overlay of pending changes use it, SQL says the same. */
bool list_matches(const struct list_query *q, const struct list_row *row);
int64_t list_key(enum list_order order, const struct list_row *row);
/* < 0 when `a` comes before `b`: newest first, ties by the larger sid. */
int list_compare(enum list_order order, const struct list_row *a, const struct list_row *b);

#endif
