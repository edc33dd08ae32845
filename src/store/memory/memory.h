/* The memory backend: plain arrays of rows behind one read-write lock. It is the reference backend:
 * if another backend disagrees with it, one of the two has a bug. */
#ifndef STORE_MEMORY_H
#define STORE_MEMORY_H

#include <pthread.h>

#include "base/memory/map.h"
#include "store/contract/backend.h"

extern const struct backend_ops memory_backend;

/* A stored row: its numbers, then its bytes, in one allocation. */
struct mem_entry {
    int64_t deleted;
    int64_t mask;
    uint32_t len;
    uint8_t kind;
    char body[];
};

struct mem_record {
    int64_t ver, deleted;
    uint32_t len;
    char body[];
};

struct mem_records {
    struct mem_record **at; /* index: ordinal - 1; NULL where a record was removed */
    size_t n, cap;
};

struct mem_session {
    bool there;
    struct session_row row; /* slug and body owned */
    struct head_row head;   /* lease_owner owned */
    bool head_there;
    struct list_row *list; /* strings owned; NULL: the session has no list row */
    int64_t title_order;   /* fulltext_order() of its title's document; 0: none */
    struct mem_records records[16];
};

struct mem_text {
    int64_t no, bid, depth, time;
    char *words; /* owned, titles only; NULL: an entry's words are computed at every search */
};

struct mem_branch {
    bool there;
    struct branch_row row;
    struct mem_entry **at; /* index: depth - base - 1; NULL where an entry was removed */
    size_t n, cap;
};

/* Aliases of one id form a chain that starts at memory.alias_ids. */
struct mem_alias {
    bool there;
    struct alias_row row; /* id owned */
    uint64_t next;        /* index + 1 of the next alias of the same id */
};

struct mem_key {
    bool there;
    struct key_row row; /* key owned */
};

/* An open message: its lease and its drafts, ordered by end offset. */
struct mem_open {
    bool there;          /* false: there are drafts but no open row (only fsck's tests do this) */
    struct open_row row; /* strings owned */
    struct draft_row *at;
    size_t n, cap;
};

/* A changelog row in 40 bytes instead of the 72 of a changelog_row: there is one for every append.
 */
struct mem_changelog {
    int64_t no_kind; /* no << 8 | kind */
    int64_t time;
    uint32_t n, sid, bid, depth, record, aux;
};

enum { LOG_CHUNK = 1024 }; /* rows; the changelog only grows, so a chunk is never moved */

struct memory {
    struct backend base;
    const struct env *env;
    char store_id[33];
    /* A snapshot holds it for reading, a commit for writing; guards all below. */
    pthread_rwlock_t lock;
    struct mem_session *sessions; /* by sid; slot 0 holds the store's own records */
    size_t nsessions, sessions_cap;
    struct mem_branch *branches; /* by bid; 0 is unused */
    size_t nbranches, branches_cap;
    struct mem_alias *aliases;
    size_t naliases, aliases_cap;
    struct mem_key *keys;
    size_t nkeys, keys_cap;
    struct mem_open *opens; /* sorted by (branch, depth) */
    size_t nopens, opens_cap;
    struct mem_changelog **log; /* chunks; see mem_log_at() */
    size_t nlog, log_chunks;
    struct mem_blob *blobs; /* by bno; 0 is unused; see blob.h */
    size_t nblobs, blobs_cap;
    struct smap blob_ids;  /* hash -> bno, for complete blobs only */
    struct smap slugs;     /* slug -> sid */
    struct smap alias_ids; /* id -> index + 1 of the first alias */
    struct smap key_ids;   /* key -> index into keys */
    int64_t last_no, watermark;
    struct spend_row *spends; /* strings owned */
    size_t nspends, spends_cap;
    struct smap spend_ids; /* key -> index into spends */
    struct mem_seen *seen; /* in the order in which they were added */
    size_t nseen, seen_cap;
    struct smap seen_ids;   /* key -> index + 1 of its newest row */
    struct mem_text *texts; /* sorted by fulltext_order() */
    size_t ntexts, texts_cap;
    int64_t fulltext_mark;
};

/* A snapshot. It holds the read lock from snapshot_begin() to snapshot_end(). */
struct mem_snapshot {
    struct snapshot base;
    struct memory *m;
    const bool *cancel;
    int64_t until_us;
};

static inline struct memory *memory_of(struct backend *b)
{
    return (struct memory *)b;
}

static inline struct memory *memory_in(struct snapshot *v)
{
    return ((struct mem_snapshot *)v)->m;
}

/* Grow an array so that index `need` is valid. New elements are zero. Returns the new array. */
void *mem_grow(void *at, size_t *cap, size_t need, size_t size);

/* Find one row. All return NULL when it does not exist. The caller must hold the lock. Pointers
 * into the arrays are valid until the next put. */
struct mem_session *mem_session(struct memory *m, int64_t sid);
struct mem_branch *mem_branch(struct memory *m, int64_t bid);
struct mem_entry *mem_entry(struct memory *m, int64_t bid, int64_t depth);
struct mem_record *mem_record(struct memory *m, int64_t sid, int64_t kind, int64_t ord);
struct mem_alias *mem_alias(struct memory *m, const char *id, int64_t scope);
struct mem_key *mem_key(struct memory *m, const char *key);
/* The depth of the deepest stored entry; the base when the branch has none. */
int64_t mem_tip(const struct mem_branch *b);

/* Write or remove one row without checking rules, versions or uniqueness. A put copies all strings
 * and replaces a row with the same key. The caller must hold the lock for writing. */
void mem_put_session(struct memory *m, const struct session_row *row);
void mem_put_head(struct memory *m, const struct head_row *row);
void mem_put_branch(struct memory *m, const struct branch_row *row);
void mem_put_entry(struct memory *m, const struct entry_row *row);
void mem_put_record(struct memory *m, const struct record_row *row);
void mem_put_alias(struct memory *m, const struct alias_row *row);
void mem_put_key(struct memory *m, const struct key_row *row);
void mem_put_log(struct memory *m, const struct changelog_row *row);
void mem_put_list(struct memory *m, const struct list_row *row);
/* Spend rows (spend.c). mem_add_spend() adds to a row with the same key, mem_put_spend() replaces
 * it. */
void mem_add_spend(struct memory *m, const struct spend_row *row);
void mem_put_spend(struct memory *m, const struct spend_row *row);
void mem_del_spend(struct memory *m, const struct spend_row *key);
void mem_drop_spends(struct memory *m, int64_t sid); /* all rows of a session */
void mem_clear_spends(struct memory *m);
void mem_scan_spends(struct memory *m, raw_fn fn, void *user); /* in order of the key */
enum bough_rc memory_list_count(struct snapshot *v, const struct list_query *q, int64_t most,
                                int64_t *matches, int64_t *read, struct bough_error *err);
enum bough_rc memory_spend_scan(struct snapshot *v, const struct spend_query *q, spend_fn fn,
                                void *user, struct bough_error *err);
void mem_del_alias(struct memory *m, const char *id, int64_t scope);
void mem_del_list(struct memory *m, int64_t sid);
/* False: there was no such entry. */
bool mem_del_entry(struct memory *m, int64_t bid, int64_t depth);
void mem_free_rows(struct memory *m);

/* Open messages (draft.c). mem_open() returns NULL when the message is not open. */
struct mem_open *mem_open(struct memory *m, int64_t bid, int64_t depth);
void mem_put_open(struct memory *m, const struct open_row *row);
void mem_put_draft(struct memory *m, const struct draft_row *row);
/* `drafts`: remove the message's drafts too. */
void mem_del_open(struct memory *m, int64_t bid, int64_t depth, bool drafts);
void mem_del_draft(struct memory *m, const struct draft_row *row);
void mem_free_opens(struct memory *m);
/* Check a change of an open message. Returns what did not hold (for txn.lost), or NULL. */
const char *mem_draft_lost(struct memory *m, const struct change *c);
/* Apply a change that mem_draft_lost() accepted. `bid` is its branch; `call` is the ordinal of the
 * call record that the txn created, or 0. */
void mem_draft_apply(struct memory *m, const struct change *c, int64_t bid, int64_t call);
void mem_purge_opens(struct memory *m, const struct branch_row *b); /* deeper than b->cut */
void mem_scan_opens(struct memory *m, enum raw_table table, raw_fn fn, void *user);
/* Full text (text.c). A document is named by its fulltext_order(). */
void mem_put_text(struct memory *m, const struct fulltext_row *row); /* see CHANGE_FULLTEXT_PUT */
void mem_raw_text(struct memory *m, const struct fulltext_row *row); /* no checks */
void mem_del_text(struct memory *m, int64_t order);
void mem_del_entry_text(struct memory *m, int64_t bid, int64_t depth);
/* Remove all documents and reset the full-text watermark to 0. */
void mem_clear_texts(struct memory *m);
/* False: `fn` stopped the scan. */
bool mem_scan_texts(struct memory *m, raw_fn fn, void *user);

/* Changelog rows are addressed by index, 0 is the oldest. */
static inline struct mem_changelog *mem_log_at(const struct memory *m, size_t i)
{
    return &m->log[i / LOG_CHUNK][i % LOG_CHUNK];
}

static inline int64_t mem_log_no(const struct memory *m, size_t i)
{
    return mem_log_at(m, i)->no_kind >> 8;
}

void mem_log_row(const struct mem_changelog *l, struct changelog_row *out);

/* The operations of memory_backend; their contracts are in store/contract/backend.h. */
enum bough_rc memory_commit(struct backend *b, struct txn *const *txns, size_t n,
                            const struct deadline *p, struct bough_error *err);
enum bough_rc memory_purge_slice(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                 int64_t *entries, int64_t *records, const struct deadline *p,
                                 struct bough_error *err);
enum bough_rc memory_branch_cut(struct backend *b, const struct branch_row *rows, size_t n,
                                const struct deadline *p, struct bough_error *err);
enum bough_rc memory_raw_scan(struct snapshot *v, enum raw_table table, raw_fn fn, void *user,
                              struct bough_error *err);
enum bough_rc memory_backup(struct snapshot *v, const char *path, copy_fn progress, void *user,
                            struct bough_error *err);
enum bough_rc memory_query(struct bough_arena *a, const char *path, const char *sql, query_fn *row,
                           void *user, struct bough_error *err);
enum bough_rc memory_raw_numbers(struct snapshot *v, struct bough_arena *a, struct raw_numbers *out,
                                 struct bough_error *err);
enum bough_rc memory_raw_load(struct backend *b, const struct raw_row *rows, size_t n,
                              const struct raw_numbers *numbers, struct bough_error *err);
enum bough_rc memory_raw_fix(struct backend *b, const struct raw_row *row, bool remove,
                             struct bough_error *err);

enum bough_rc memory_session_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                 struct session_row *out, struct bough_error *err);
enum bough_rc memory_session_by_slug(struct snapshot *v, const char *slug, int64_t *sid,
                                     struct bough_error *err);
enum bough_rc memory_session_made(struct snapshot *v, int64_t from, int64_t to, session_fn fn,
                                  void *user, struct bough_error *err);
enum bough_rc memory_session_children(struct snapshot *v, int64_t sid, session_fn fn, void *user,
                                      struct bough_error *err);
enum bough_rc memory_head_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                              struct head_now *out, struct bough_error *err);
enum bough_rc memory_branch_get(struct snapshot *v, int64_t bid, struct branch_row *out,
                                struct bough_error *err);
enum bough_rc memory_branch_tip(struct snapshot *v, const struct branch_row *branch, int64_t *tip,
                                struct bough_error *err);
enum bough_rc memory_branch_children(struct snapshot *v, int64_t parent, int64_t from, int64_t to,
                                     branch_fn fn, void *user, struct bough_error *err);
enum bough_rc memory_branch_of(struct snapshot *v, int64_t sid, branch_fn fn, void *user,
                               struct bough_error *err);
enum bough_rc memory_entry_get(struct snapshot *v, struct bough_arena *a, int64_t bid,
                               int64_t depth, struct entry_row *out, struct bough_error *err);
enum bough_rc memory_entry_scan(struct snapshot *v, const struct entry_range *range, entry_fn fn,
                                void *user, struct bough_error *err);
enum bough_rc memory_mark_scan(struct snapshot *v, const int64_t *bids, size_t n,
                               enum bough_entry_kind kind, mark_fn fn, void *user,
                               struct bough_error *err);
enum bough_rc memory_mark_find(struct snapshot *v, int64_t bid, enum bough_entry_kind kind,
                               int64_t to, int64_t *depth, struct bough_error *err);
enum bough_rc memory_open_scan(struct snapshot *v, int64_t bid, int64_t from, int64_t to,
                               open_fn fn, void *user, struct bough_error *err);
enum bough_rc memory_draft_scan(struct snapshot *v, int64_t bid, int64_t depth, int64_t after,
                                draft_fn fn, void *user, struct bough_error *err);
enum bough_rc memory_alias_find(struct snapshot *v, const char *id, int64_t scope, alias_fn fn,
                                void *user, struct bough_error *err);
enum bough_rc memory_key_get(struct snapshot *v, struct bough_arena *a, const char *key,
                             struct key_row *out, struct bough_error *err);
enum bough_rc memory_record_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                                int64_t kind, int64_t ord, struct record_row *out,
                                struct bough_error *err);
enum bough_rc memory_record_scan(struct snapshot *v, int64_t sid, int64_t kind, int64_t from,
                                 bool backwards, record_fn fn, void *user, struct bough_error *err);
enum bough_rc memory_log_last(struct snapshot *v, int64_t *no, struct bough_error *err);
enum bough_rc memory_log_get(struct snapshot *v, int64_t no, struct changelog_row *out,
                             struct bough_error *err);
enum bough_rc memory_log_scan(struct snapshot *v, int64_t after, changelog_fn fn, void *user,
                              struct bough_error *err);
enum bough_rc memory_watermark(struct snapshot *v, int64_t *no, struct bough_error *err);
enum bough_rc memory_list_get(struct snapshot *v, struct bough_arena *a, int64_t sid,
                              struct list_row *out, struct bough_error *err);
enum bough_rc memory_text_mark(struct snapshot *v, int64_t *no, struct bough_error *err);
enum bough_rc memory_text_find(struct snapshot *v, const struct fulltext_query *q, fulltext_fn fn,
                               void *user, struct bough_error *err);
enum bough_rc memory_list_scan(struct snapshot *v, const struct list_query *q, list_fn fn,
                               void *user, struct bough_error *err);

#endif
