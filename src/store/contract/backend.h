/*
 * The operations of a storage backend. Every operation is mandatory unless its comment says
 * otherwise. A backend stores rows; the rules of the model are checked above it, in src/store.
 *
 * Arguments are borrowed for the call. Rows that a getter returns live in the arena `a`.
 */
#ifndef STORE_CONTRACT_BACKEND_H
#define STORE_CONTRACT_BACKEND_H

#include "base/env.h"
#include "store/contract/query.h"
#include "store/contract/scan.h"
#include "store/contract/txn.h"

struct backend;
struct snapshot;

/* Deadline of a call. An operation that is past it fails with BOUGH_TIMEOUT, one that was cancelled
 * with BOUGH_CANCELLED: deadline_rc(). */
struct deadline {
    int64_t until_us;   /* on mono_us()'s clock */
    const bool *cancel; /* NULL, or set to true by another thread to cancel */
};

static inline bool is_cancelled(const bool *cancel)
{
    return cancel && __atomic_load_n(cancel, __ATOMIC_RELAXED);
}

static inline bool deadline_passed(const struct deadline *p)
{
    return is_cancelled(p->cancel) || mono_us() >= p->until_us;
}

/* Why an operation gives up. */
static inline enum bough_rc deadline_rc(const struct deadline *p)
{
    return is_cancelled(p->cancel) ? BOUGH_CANCELLED : BOUGH_TIMEOUT;
}

struct backend_config {
    const char *path; /* the URL without its scheme */
    bool read_only, must_exist;
    int64_t cache_bytes; /* page cache of the writer; 0: backend's default */
    const struct env *env;
    struct deadline deadline; /* for opening */
};

/* ---- reading ---- */

struct head_now {
    struct head_row row;
    int64_t depth; /* depth of the head: row.depth, or the tip if that is 0 */
    int64_t tip;   /* last depth of row.bid, its base when it has no entries; 0 when bid is 0 */
};

struct backend_info {
    int64_t log_bytes;          /* size of the write-ahead log */
    int64_t oldest_snapshot_us; /* when it began, on mono_us()'s clock; 0: none is open */
    const char *path;           /* of the store's file; NULL: the backend has no file */
    const char *store_id;
    int64_t epoch, schema, file_bytes;
};

struct backend_ops {
    const char *scheme; /* "sqlite" in sqlite:path */
    const char *also;   /* alternative scheme, or NULL */
    bool remote;        /* each read is a round trip, so followers poll less often */
    bool plain;         /* parts are stored as readable text, so bodies are not compressed */
    bool direct;        /* a commit only writes to memory: not worth waking a thread */

    /* Open or create the store and migrate its schema. On failure *out is untouched. */
    enum bough_rc (*open)(struct backend **out, const struct backend_config *config,
                          struct bough_error *err);

    /* Release everything. Called once, with no snapshot open and no commit running. */
    void (*close)(struct backend *b);

    enum bough_rc (*info)(struct backend *b, struct bough_arena *a, struct backend_info *out,
                          struct bough_error *err);

    /*
     * Commit all txns as one durable batch. Only one thread at a time calls this. Each txn is
     * all-or-nothing and gets its own txn.state.
     *
     * BOUGH_OK: every TXN_DONE txn is on disk (a relaxed one may still be lost in a power failure).
     * BOUGH_NOT_DONE, BOUGH_TIMEOUT, BOUGH_CANCELLED, BOUGH_FULL, BOUGH_READ_ONLY, BOUGH_VERSION,
     * BOUGH_CORRUPT: nothing of the batch was written. BOUGH_UNKNOWN: COMMIT itself failed, and the
     * batch may or may not be on disk; the backend has reopened and verified itself, or refuses all
     * further operations.
     */
    enum bough_rc (*commit)(struct backend *b, struct txn *const *txns, size_t n,
                            const struct deadline *p, struct bough_error *err);

    /* Block commits of other processes until the next commit() or release(), so that a request that
     * lost its guards several times cannot lose again. */
    enum bough_rc (*hold)(struct backend *b, const struct deadline *p, struct bough_error *err);
    void (*release)(struct backend *b);

    /* Remove at most `limit` rows of a purged session: entries deeper than each branch's `cut` with
     * their full text and blob links, the title's full text, then records, all seen rows, aliases
     * and keys. *left is false when nothing remains. Durable, and safe to repeat after a crash. */
    enum bough_rc (*purge_slice)(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                 int64_t *entries, int64_t *records, const struct deadline *p,
                                 struct bough_error *err);

    /* Store the `cut` of each branch of a purged session (see branch_row.cut). Durable. */
    enum bough_rc (*branch_cut)(struct backend *b, const struct branch_row *rows, size_t n,
                                const struct deadline *p, struct bough_error *err);

    /* Background work such as a checkpoint. `last`: the store is about to close. */
    void (*upkeep)(struct backend *b, bool last);

    /* Begin a snapshot: all reads through it see one moment. Never kept across calls of the API. */
    enum bough_rc (*snapshot_begin)(struct backend *b, struct snapshot **out,
                                    const struct deadline *p, struct bough_error *err);
    void (*snapshot_end)(struct snapshot *v); /* NULL is allowed */

    /* A hint that the caller will read these rows next, one by one, through this snapshot. The
     * backend may fetch them together. NULL where single reads are cheap. Cannot fail: a row that
     * was not prefetched is read when it is asked for. */
    void (*ahead)(struct snapshot *v, const struct wanted *want, size_t n);

    /* All getters fail with BOUGH_NOT_FOUND when there is no such row. All scans visit rows in the
     * stated order until `fn` returns false. */
    enum bough_rc (*session_get)(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                 struct session_row *out, struct bough_error *err);
    enum bough_rc (*session_by_slug)(struct snapshot *v, const char *slug, int64_t *sid,
                                     struct bough_error *err);
    /* Sessions whose id encodes a creation time in [from, to], by sid. */
    enum bough_rc (*session_made)(struct snapshot *v, int64_t from, int64_t to, session_fn fn,
                                  void *user, struct bough_error *err);
    /* Children of a session (row.parent == sid) by sid, purged ones included. */
    enum bough_rc (*session_children)(struct snapshot *v, int64_t sid, session_fn fn, void *user,
                                      struct bough_error *err);

    enum bough_rc (*head_get)(struct snapshot *v, struct bough_arena *a, int64_t sid,
                              struct head_now *out, struct bough_error *err);

    enum bough_rc (*branch_get)(struct snapshot *v, int64_t bid, struct branch_row *out,
                                struct bough_error *err);
    /* The last depth of the branch, or its base when it has no entries. */
    enum bough_rc (*branch_tip)(struct snapshot *v, const struct branch_row *branch, int64_t *tip,
                                struct bough_error *err);
    /* Child branches of `parent` with a base in [from, to], by (base, bid). */
    enum bough_rc (*branch_children)(struct snapshot *v, int64_t parent, int64_t from, int64_t to,
                                     branch_fn fn, void *user, struct bough_error *err);
    /* All branches of a session, by bid. */
    enum bough_rc (*branch_of)(struct snapshot *v, int64_t sid, branch_fn fn, void *user,
                               struct bough_error *err);

    enum bough_rc (*entry_get)(struct snapshot *v, struct bough_arena *a, int64_t bid,
                               int64_t depth, struct entry_row *out, struct bough_error *err);
    enum bough_rc (*entry_scan)(struct snapshot *v, const struct entry_range *range, entry_fn fn,
                                void *user, struct bough_error *err);
    /* The deepest entry of branch `bid` at a depth <= `to` that has this kind (a compaction, a
     * change of model or thinking level) and is not deleted. Uses an index. *depth is 0 when there
     * is none. */
    enum bough_rc (*mark_find)(struct snapshot *v, int64_t bid, enum bough_entry_kind kind,
                               int64_t to, int64_t *depth, struct bough_error *err);
    /* All compactions or branch summaries of these branches that are not deleted, ascending. */
    enum bough_rc (*mark_scan)(struct snapshot *v, const int64_t *bids, size_t n,
                               enum bough_entry_kind kind, mark_fn fn, void *user,
                               struct bough_error *err);

    /* Open messages of branch `bid` at depths in [from, to], by depth. bid 0: all of the store. */
    enum bough_rc (*open_scan)(struct snapshot *v, int64_t bid, int64_t from, int64_t to,
                               open_fn fn, void *user, struct bough_error *err);
    /* Drafts of an open message that end after stream offset `after`, in order. */
    enum bough_rc (*draft_scan)(struct snapshot *v, int64_t bid, int64_t depth, int64_t after,
                                draft_fn fn, void *user, struct bough_error *err);

    /* Aliases with this id; scope -1: in every scope. */
    enum bough_rc (*alias_find)(struct snapshot *v, const char *id, int64_t scope, alias_fn fn,
                                void *user, struct bough_error *err);
    enum bough_rc (*key_get)(struct snapshot *v, struct bough_arena *a, const char *key,
                             struct key_row *out, struct bough_error *err);

    enum bough_rc (*record_get)(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                int64_t kind, int64_t ord, struct record_row *out,
                                struct bough_error *err);
    /* Records by ordinal, starting at `from`. backwards: descending; `from` 0 starts at the
     * last. */
    enum bough_rc (*record_scan)(struct snapshot *v, int64_t sid, int64_t kind, int64_t from,
                                 bool backwards, record_fn fn, void *user, struct bough_error *err);

    /* The changelog: its last number; the row whose last number is exactly `no`; rows with a number
     * above `after`, ascending. */
    enum bough_rc (*changelog_last)(struct snapshot *v, int64_t *no, struct bough_error *err);
    enum bough_rc (*changelog_get)(struct snapshot *v, int64_t no, struct changelog_row *out,
                                   struct bough_error *err);
    enum bough_rc (*changelog_scan)(struct snapshot *v, int64_t after, changelog_fn fn, void *user,
                                    struct bough_error *err);

    /* List rows: the changelog number up to which they are complete, one row, and a query. Rows
     * that list_matches() accepts come newest first by the order's column, then by sid, larger
     * first. */
    enum bough_rc (*watermark)(struct snapshot *v, int64_t *no, struct bough_error *err);
    enum bough_rc (*list_get)(struct snapshot *v, struct bough_arena *a, int64_t sid,
                              struct list_row *out, struct bough_error *err);
    enum bough_rc (*list_scan)(struct snapshot *v, const struct list_query *q, list_fn fn,
                               void *user, struct bough_error *err);

    /* Count matches, without the cursor of `q`. *read: rows looked at; it gives up at `most`. */
    enum bough_rc (*list_count)(struct snapshot *v, const struct list_query *q, int64_t most,
                                int64_t *matches, int64_t *read, struct bough_error *err);
    enum bough_rc (*spend_scan)(struct snapshot *v, const struct spend_query *q, spend_fn fn,
                                void *user, struct bough_error *err);

    /* Rows of a key, the newest first. */
    enum bough_rc (*seen_find)(struct snapshot *v, const unsigned char key[SEEN_KEY_BYTES],
                               seen_fn fn, void *user, struct bough_error *err);

    /* Attachments (see store/lookup/blob.h). Append one chunk to an incomplete blob. *bno 0: begin
     * a new blob and return its number. Relaxed. BOUGH_GONE when the blob was swept meanwhile. */
    enum bough_rc (*blob_put)(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                              const struct deadline *p, struct bough_error *err);
    /* Complete a blob, so that blob_find() finds it by row->hash. If a blob with this hash exists,
     * its `since` is raised to row->since, *row becomes its row, and our blob is left to the sweep.
     * BOUGH_CORRUPT when the chunks do not add up to row->size bytes, BOUGH_GONE when the blob was
     * swept. Durable unless `relaxed`. */
    enum bough_rc (*blob_seal)(struct backend *b, struct blob_row *row, bool relaxed,
                               const struct deadline *p, struct bough_error *err);
    /* Remove blobs that are not linked and whose `since` is older than LIMIT_LOOSE_MS, at most
     * `limit` rows; *left: there are more. `only` > 0: remove just that incomplete blob, whatever
     * its age. Durable. */
    enum bough_rc (*blob_sweep)(struct backend *b, int64_t only, int64_t limit, bool *left,
                                const struct deadline *p, struct bough_error *err);
    /* A complete blob by its SHA-256. */
    enum bough_rc (*blob_find)(struct snapshot *v, const unsigned char hash[32],
                               struct blob_row *out, struct bough_error *err);
    enum bough_rc (*chunk_get)(struct snapshot *v, struct bough_arena *a, int64_t bno,
                               int64_t index, struct chunk_row *out, struct bough_error *err);
    enum bough_rc (*link_scan)(struct snapshot *v, int64_t bno, link_fn fn, void *user,
                               struct bough_error *err);

    /* The full-text index: the changelog number up to which it is complete; matching documents,
     * newest first by fulltext_order(). */
    enum bough_rc (*fulltext_mark)(struct snapshot *v, int64_t *no, struct bough_error *err);
    enum bough_rc (*fulltext_find)(struct snapshot *v, const struct fulltext_query *q,
                                   fulltext_fn fn, void *user, struct bough_error *err);

    /* For fsck: every row of a table in key order; the database engine's own integrity check. For
     * repair: an unguarded write (or removal) of one row. */
    enum bough_rc (*raw_scan)(struct snapshot *v, enum raw_table table, raw_fn fn, void *user,
                              struct bough_error *err);
    enum bough_rc (*engine_check)(struct snapshot *v, bool full,
                                  void (*found)(void *user, const char *text), void *user,
                                  struct bough_error *err);
    enum bough_rc (*raw_fix)(struct backend *b, const struct raw_row *row, bool remove,
                             struct bough_error *err);

    /* Migration: read the counters; write rows of one table, none of which may exist yet, and the
     * counters as one durable unit. The full-text index is not copied; it is rebuilt. */
    enum bough_rc (*raw_numbers)(struct snapshot *v, struct bough_arena *a, struct raw_numbers *out,
                                 struct bough_error *err);
    enum bough_rc (*raw_load)(struct backend *b, const struct raw_row *rows, size_t n,
                              const struct raw_numbers *numbers, struct bough_error *err);

    /* Write the snapshot's content into the empty file `path`, durably and without blocking
     * writers. After a failure the file's content is undefined. `progress` may be NULL;
     * BOUGH_CANCELLED when it returns false. A backend without files fails with BOUGH_INVALID. */
    enum bough_rc (*backup)(struct snapshot *v, const char *path, copy_fn progress, void *user,
                            struct bough_error *err);

    /* Run the statements of `sql`, typed by a user, on a connection of its own to the store at
     * `path`, which is the URL without its scheme. Read-only: a statement that writes, or that
     * accesses anything but the store, fails with BOUGH_INVALID before it has any effect. A backend
     * without SQL tables fails with BOUGH_INVALID. */
    enum bough_rc (*query)(struct bough_arena *a, const char *path, const char *sql, query_fn *row,
                           void *user, struct bough_error *err);
};

struct backend { /* first member of every backend's own struct */
    const struct backend_ops *ops;
};

struct snapshot { /* first member of every backend's own snapshot struct */
    struct backend *backend;
};

/* NULL-terminated; the only list of backends. */
extern const struct backend_ops *const all_backends[];
/* The backend for a URL; *rest is the URL without its scheme. A plain path is a SQLite file. NULL:
 * unknown scheme. */
const struct backend_ops *backend_choose(const char *url, const char **rest);

/* The definition of which rows a query matches and how they are ordered. The memory backend and the
 * overlay of pending changes call these; the SQL backends must agree with them. */
bool spend_matches(const struct spend_query *q, const struct spend_row *row);
bool list_matches(const struct list_query *q, const struct list_row *row);
int64_t list_key(enum list_order order, const struct list_row *row);
/* < 0 when `a` sorts before `b`: newest first, ties by the larger sid. */
int list_compare(enum list_order order, const struct list_row *a, const struct list_row *b);

#endif
