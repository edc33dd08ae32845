/* Internals of the SQLite backend: the store, its connections, and the functions its files
 * share. */
#ifndef STORE_SQLITE_CONN_DB_H
#define STORE_SQLITE_CONN_DB_H

#include <pthread.h>
#include <sqlite3.h>
#include <sys/types.h>

#include "base/memory/arena.h"
#include "store/contract/conn_pool.h"
#include "store/contract/row_copy.h"
#include "store/sqlite/conn/sql.h"
#include "store/sqlite/sqlite.h"

enum {
    PAGE_BYTES = 8192,
    LIST_CACHE = 8,           /* prepared list statements per connection */
    TIP_CACHE = 256,          /* entries; a power of two */
    APPLICATION = 0x426F7567, /* application_id in the file header: "Boug" */
};

/* A connection is used by one thread at a time. A reader connection is also the snapshot
 * it serves. */
struct conn {
    struct snapshot view;
    struct sqlite *store;
    struct bough_arena *arena; /* owns this struct */
    sqlite3 *db;
    struct pool_slot slot; /* a reader's place in the pool */
    bool writer;
    bool splits;              /* see conn_split_words() */
    int code;                 /* SQLite's extended code of the last failure */
    struct deadline deadline; /* of the current call */
    int64_t began_us;         /* the writer: when its transaction began; 0: none, or committing */
    sqlite3_stmt *stmt[SQL_COUNT];
    struct {
        uint64_t shape;
        sqlite3_stmt *stmt;
    } list[LIST_CACHE];
    unsigned list_turn;
};

/* Numbers and tips cached by the writer connection. They are valid until another process
 * commits. */
struct cache {
    bool valid;
    unsigned version; /* data version of the file that the cache belongs to */
    int64_t no, sessions, branches;
    struct {
        int64_t bid, tip;
    } tips[TIP_CACHE];
};

struct sqlite {
    struct backend base;
    struct bough_arena *arena; /* owns this struct */
    const char *path;          /* absolute */
    const char *vfs;
    const struct env *env;
    int64_t cache_kb; /* page cache of the writer connection */
    bool read_only;
    bool immutable; /* opened as immutable: no process can be writing the file */
    /* Identity of the file, to notice that the path was replaced. */
    dev_t dev;
    ino_t ino;
    const char *log_path; /* of the WAL */
    bool had_log;         /* it was there when the store was opened */
    ino_t log_ino;        /* 0: not seen yet */

    struct conn_pool pool; /* of reader connections */

    pthread_mutex_t write_lock; /* guards everything below; see writer_enter() */
    struct conn *writer;        /* NULL after a failure, until it can be reopened */
    /* Reset by every writer_enter(). */
    struct bough_arena *scratch;
    struct cache cache;
    bool held;    /* hold() opened a transaction that the next commit uses */
    bool newer;   /* another process migrated the file to a newer schema */
    bool normal;  /* the writer's synchronous mode is NORMAL, else FULL */
    bool relaxed; /* a commit was not synced yet */
    bool scrub;   /* purged bytes are still in the WAL */
    int frames;   /* in the WAL after the last commit */
    int moved;    /* how many of these are already checkpointed */
    int tried;    /* `frames` at the last forced checkpoint */
};

static inline struct sqlite *sqlite_of(struct backend *b)
{
    return (struct sqlite *)b;
}

static inline struct conn *conn_of(struct snapshot *v)
{
    return (struct conn *)v;
}

static inline int64_t entry_key(int64_t bid, int64_t depth)
{
    return (int64_t)((uint64_t)bid << 32 | (uint64_t)depth);
}

static inline int64_t record_key(int64_t sid, int64_t kind, int64_t ord)
{
    return (int64_t)((uint64_t)sid << 32 | (uint64_t)kind << 28 | (uint64_t)ord);
}

/* Initialize SQLite. *vfs is the VFS that new stores use. BOUGH_IO when SQLite fails. */
enum bough_rc db_start(const char **vfs, struct bough_error *err);

/*
 * Check and, if allowed, create the file of config->path before SQLite opens it (file.c). Sets
 * path, dev, ino and immutable of `s`. BOUGH_INVALID: not a usable path or file. BOUGH_NOT_FOUND:
 * there is no file and it may not be created. BOUGH_DENIED: others may replace files in the
 * directory.
 */
enum bough_rc file_prepare(struct sqlite *s, const struct backend_config *config,
                           struct bough_error *err);
/* BOUGH_INVALID when the file belongs to another program. Only reads the file header, without a
 * lock. */
enum bough_rc file_sniff(struct conn *c, struct bough_error *err);
/* BOUGH_IO when the path no longer names the file that was opened. file_log_same(): the same for
 * its WAL. */
enum bough_rc file_same(struct sqlite *s, struct bough_error *err);
enum bough_rc file_log_same(struct sqlite *s, struct bough_error *err);

/* Connections (conn.c). conn_open() does not migrate; the caller closes *out with conn_close(). */
enum bough_rc conn_open(struct sqlite *s, bool writer, const struct deadline *p, struct conn **out,
                        struct bough_error *err);
void conn_close(struct conn *c); /* NULL is fine */
/* Get the cached statement, or a private copy while the cached one is running. Return it with
 * conn_done(). */
enum bough_rc conn_stmt(struct conn *c, enum sql id, sqlite3_stmt **out, struct bough_error *err);
void conn_done(struct conn *c, enum sql id, sqlite3_stmt *st);
/* Run a statement that has no parameters. A result row is ignored. */
enum bough_rc conn_run(struct conn *c, enum sql id, struct bough_error *err);
/* Like conn_run(), but retries on locks until the connection's deadline ends. */
enum bough_rc conn_run_waiting(struct conn *c, enum sql id, struct bough_error *err);
/* Let FTS5 split the words of documents at spaces on this connection. Call it before the first
 * statement that uses the index; again does nothing. */
void conn_split_words(struct conn *c);
/* Run SQL text that is not worth a cached statement. */
enum bough_rc conn_exec(struct conn *c, const char *text, struct bough_error *err);
/* The first column of the first row, or `none` when there is no row. The caller may bind values
 * before. */
enum bough_rc conn_int(struct conn *c, enum sql id, int64_t none, int64_t *out,
                       struct bough_error *err);
/* Set `err` and c->code from a SQLite code, and return the matching bough_rc. */
enum bough_rc conn_fail(struct conn *c, int code, struct bough_error *err);
/* True: the snapshot has failed and every further read of it must fail. */
bool snapshot_over(const struct conn *c);
/* True: the connection must not be used again after this code. */
bool conn_hopeless(int code);

/* Migrations (migrate.c). Create the schema in an empty file, upgrade an older one, refuse a newer
 * one with BOUGH_VERSION. A reader only checks: BOUGH_READ_ONLY when an upgrade is needed. */
enum bough_rc db_migrate(struct sqlite *s, struct conn *c, struct bough_error *err);
/* The schema version of this program. */
int64_t db_latest(void);

/* Snapshots (pool.c). */
enum bough_rc sqlite_snapshot_begin(struct backend *b, struct snapshot **out,
                                    const struct deadline *p, struct bough_error *err);
void sqlite_snapshot_end(struct snapshot *v);
/* Close all idle readers. No snapshot may be open. */
void pool_close(struct sqlite *s);

/*
 * The writer connection (writer.c): enter, begin, then end or undo, leave.
 *
 * writer_enter() takes write_lock; it does not hold the lock when it fails. writer_begin() starts a
 * transaction; after a failure none is open. writer_end() commits: BOUGH_UNKNOWN means that the
 * commit may or may not be on disk, any other failure that it is not. writer_undo() rolls back, and
 * reopens the connection if it is broken. After a failure s->writer may be NULL.
 */
enum bough_rc writer_enter(struct sqlite *s, const struct deadline *p, struct bough_error *err);
void writer_leave(struct sqlite *s);
enum bough_rc writer_begin(struct sqlite *s, bool relaxed, struct bough_error *err);
enum bough_rc writer_end(struct sqlite *s, struct bough_error *err);
void writer_undo(struct sqlite *s);
/* Close the writer connection, open a new one and verify it. */
void writer_replace(struct sqlite *s);

/* Apply one txn inside the open transaction (apply.c). BOUGH_OK with t->lost set: the txn lost a
 * guard, a version or a uniqueness check. The caller then undoes what it wrote. */
enum bough_rc apply_guards(struct sqlite *s, struct txn *t, struct bough_error *err);
enum bough_rc apply_txn(struct sqlite *s, struct txn *t, struct bough_error *err);

/* Bind values to statements, and read rows from them (row.c). A row read points into the statement
 * until its next step or reset. */
void bind_text(sqlite3_stmt *st, int at, const char *s);
void bind_bytes(sqlite3_stmt *st, int at, struct bough_str s);
void bind_list(sqlite3_stmt *st, const struct list_row *row);
void row_session(sqlite3_stmt *st, struct session_row *out);
void row_head(sqlite3_stmt *st, struct head_row *out);
void row_branch(sqlite3_stmt *st, struct branch_row *out);
void row_entry(sqlite3_stmt *st, struct entry_row *out);
void row_open(sqlite3_stmt *st, struct open_row *out);
void bind_open(sqlite3_stmt *st, const struct open_row *row, int64_t bid);
void row_draft(sqlite3_stmt *st, struct draft_row *out);
void bind_draft(sqlite3_stmt *st, const struct draft_row *row);
void row_record(sqlite3_stmt *st, struct record_row *out);
void row_alias(sqlite3_stmt *st, struct alias_row *out);
void row_key(sqlite3_stmt *st, struct key_row *out);
void row_changelog(sqlite3_stmt *st, struct changelog_row *out);
void row_list(sqlite3_stmt *st, struct list_row *out);
void row_spend(sqlite3_stmt *st, struct spend_row *out);
void bind_spend(sqlite3_stmt *st, const struct spend_row *row);
void row_seen(sqlite3_stmt *st, struct seen_row *out);
void bind_seen(sqlite3_stmt *st, const struct seen_row *row);
/* Remove the seen rows of a purged session. */
enum bough_rc purge_seen(struct conn *c, int64_t sid, struct bough_error *err);
void row_blob(sqlite3_stmt *st, struct blob_row *out); /* these six are in blob.c */
void row_chunk(sqlite3_stmt *st, struct chunk_row *out);
void row_link(sqlite3_stmt *st, struct link_row *out);
void bind_blob(sqlite3_stmt *st, const struct blob_row *row);
void bind_chunk(sqlite3_stmt *st, const struct chunk_row *row);
void bind_link(sqlite3_stmt *st, const struct link_row *row);

/* The operations of sqlite_backend; their contracts are in store/contract/backend.h. */
enum bough_rc sqlite_commit(struct backend *b, struct txn *const *txns, size_t n,
                            const struct deadline *p, struct bough_error *err);
enum bough_rc sqlite_hold(struct backend *b, const struct deadline *p, struct bough_error *err);
void sqlite_release(struct backend *b);
enum bough_rc sqlite_purge_slice(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                 int64_t *entries, int64_t *records, const struct deadline *p,
                                 struct bough_error *err);
enum bough_rc sqlite_branch_cut(struct backend *b, const struct branch_row *rows, size_t n,
                                const struct deadline *p, struct bough_error *err);
/* Remove links of the entries with keys in [from, to], at most *room. *room is reduced by the
 * number removed (blob.c). */
enum bough_rc purge_links(struct conn *c, int64_t from, int64_t to, int64_t *room,
                          struct bough_error *err);
enum bough_rc sqlite_blob_put(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                              const struct deadline *p, struct bough_error *err);
enum bough_rc sqlite_blob_seal(struct backend *b, struct blob_row *row, bool relaxed,
                               const struct deadline *p, struct bough_error *err);
enum bough_rc sqlite_blob_sweep(struct backend *b, int64_t only, int64_t limit, bool *left,
                                const struct deadline *p, struct bough_error *err);
void sqlite_upkeep(struct backend *b, bool last);
void checkpoint_if_large(struct sqlite *s); /* after a commit, while the writer is entered */
/* The writer must be entered. `mode` is one of SQLITE_CHECKPOINT_*. Never waits for readers. */
void checkpoint_now(struct sqlite *s, int mode);

/* Documents of the full text (text.c). `a` is for temporary words. */
enum bough_rc text_put(struct conn *c, struct bough_arena *a, const struct fulltext_row *row,
                       struct bough_error *err);
enum bough_rc text_clear(struct conn *c, struct bough_error *err);
/* Remove documents of a purged session, at most *room. Sets *room to 0 after PURGE_US, so that a
 * slice stays short. */
enum bough_rc text_purge(struct conn *c, struct bough_arena *a, int64_t sid, int64_t *room,
                         struct bough_error *err);
void row_text(struct bough_arena *a, sqlite3_stmt *st, struct fulltext_row *out);
/* Bind id, k, time and words. Only titles store their words. */
void bind_document(sqlite3_stmt *st, const struct fulltext_row *row);
enum bough_rc sqlite_text_mark(struct snapshot *v, int64_t *no, struct bough_error *err);
enum bough_rc sqlite_text_find(struct snapshot *v, const struct fulltext_query *q, fulltext_fn fn,
                               void *user, struct bough_error *err);

enum bough_rc sqlite_list_scan(struct snapshot *v, const struct list_query *q, list_fn fn,
                               void *user, struct bough_error *err);
enum bough_rc sqlite_raw_scan(struct snapshot *v, enum raw_table table, raw_fn fn, void *user,
                              struct bough_error *err);
enum bough_rc sqlite_raw_numbers(struct snapshot *v, struct bough_arena *a, struct raw_numbers *out,
                                 struct bough_error *err);
enum bough_rc sqlite_raw_load(struct backend *b, const struct raw_row *rows, size_t n,
                              const struct raw_numbers *numbers, struct bough_error *err);
/* Insert or replace rows of one table unchanged, in the open transaction. */
enum bough_rc raw_put(struct conn *c, const struct raw_row *rows, size_t n,
                      struct bough_error *err);
enum bough_rc sqlite_raw_fix(struct backend *b, const struct raw_row *row, bool remove,
                             struct bough_error *err);
enum bough_rc sqlite_engine_check(struct snapshot *v, bool full,
                                  void (*found)(void *user, const char *text), void *user,
                                  struct bough_error *err);
enum bough_rc sqlite_backup(struct snapshot *v, const char *path, copy_fn progress, void *user,
                            struct bough_error *err);

#endif
