/* Inside the SQLite backend: the store, its connections, and what its files share. */
#ifndef STORE_SQLITE_DB_H
#define STORE_SQLITE_DB_H

#include <pthread.h>
#include <sqlite3.h>
#include <sys/types.h>

#include "base/arena.h"
#include "store/keep.h"
#include "store/sqlite/sql.h"
#include "store/sqlite/sqlite.h"

enum {
    PAGE_BYTES = 8192,
    POOL_MAX = 16,            /* idle readers kept open */
    LIST_CACHE = 8,           /* list statements kept prepared per connection */
    TIP_CACHE = 256,          /* a power of two */
    APPLICATION = 0x426F7567, /* "Boug" in the file's header */
};

/* A connection is used by one thread at a time. A reader is also the view it serves. */
struct conn {
    struct view view;
    struct sqlite *store;
    struct bough_arena *arena; /* holds this struct */
    sqlite3 *db;
    struct conn *next; /* in the pool */
    struct lent lent;  /* while it serves a view */
    bool writer;
    int code;                 /* of the last failure, as SQLite gave it */
    struct patience patience; /* of the call that uses it now */
    sqlite3_stmt *stmt[SQL_COUNT];
    struct {
        uint64_t shape;
        sqlite3_stmt *stmt;
    } list[LIST_CACHE];
    unsigned list_turn;
};

/* What the writer remembers while nobody else commits. */
struct cache {
    bool valid;
    unsigned version; /* of the file's content, as the pager counts it */
    int64_t no, sessions, branches;
    struct {
        int64_t bid, tip;
    } tips[TIP_CACHE];
};

struct sqlite {
    struct backend base;
    struct bough_arena *arena; /* holds this struct */
    const char *path;          /* absolute */
    const char *vfs;
    const struct env *env;
    int64_t cache_kb; /* of the writer's pages */
    bool read_only;
    bool immutable; /* on media that nobody can write */
    unsigned forks; /* as counted when it was opened: it does not survive fork() */
    dev_t dev;
    ino_t ino;

    pthread_mutex_t pool_lock; /* guards pool, pooled, lent */
    struct conn *pool;
    struct lent *lent; /* those that serve a view */
    int pooled;

    pthread_mutex_t write_lock; /* guards everything below */
    struct conn *writer;        /* NULL after a failure, until a reopen works */
    struct bough_arena *scratch;
    struct cache cache;
    bool held;    /* a transaction was begun by hold() and waits for its commit */
    bool newer;   /* another process brought a newer format */
    bool normal;  /* synchronous is NORMAL, else FULL */
    bool relaxed; /* something was committed without a sync */
    bool scrub;   /* purged bytes are still in the write-ahead log */
    int frames;   /* in the log file after the last commit */
    int moved;    /* of these, already in the main file */
    int tried;    /* frames at the last forced attempt to move them */
};

static inline struct sqlite *sqlite_of(struct backend *b)
{
    return (struct sqlite *)b;
}

static inline struct conn *conn_of(struct view *v)
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

/* sqlite.c: bring SQLite up; the VFS that stores are opened with. */
enum bough_rc db_start(const char **vfs, struct bough_error *err);

/* file.c: the path, before and after SQLite has it open. */
enum bough_rc file_prepare(struct sqlite *s, const struct backend_config *config,
                           struct bough_error *err);
/* Not another program's file: looks at the header without taking a lock or touching anything. */
enum bough_rc file_sniff(struct conn *c, struct bough_error *err);
/* Is the path still the file that was opened? */
enum bough_rc file_same(struct sqlite *s, struct bough_error *err);

/* conn.c */
enum bough_rc conn_open(struct sqlite *s, bool writer, const struct patience *p, struct conn **out,
                        struct bough_error *err);
void conn_close(struct conn *c); /* NULL is fine */
/* The cached statement; a private one while that is in use. Give it back with conn_done. */
enum bough_rc conn_stmt(struct conn *c, enum sql id, sqlite3_stmt **out, struct bough_error *err);
void conn_done(struct conn *c, enum sql id, sqlite3_stmt *st);
/* Run a statement without values and results. */
enum bough_rc conn_run(struct conn *c, enum sql id, struct bough_error *err);
/* The same, and wait for locks as long as the connection's patience lasts. */
enum bough_rc conn_run_waiting(struct conn *c, enum sql id, struct bough_error *err);
/* Run SQL of our own that is needed once. */
enum bough_rc conn_exec(struct conn *c, const char *text, struct bough_error *err);
/* The first column of the first row; *out is `none` without a row. */
enum bough_rc conn_int(struct conn *c, enum sql id, int64_t none, int64_t *out,
                       struct bough_error *err);
/* Say what went wrong: maps SQLite's code. */
enum bough_rc conn_fail(struct conn *c, int code, struct bough_error *err);
bool view_over(const struct conn *c); /* every further read of this view fails too */
bool conn_hopeless(int code);         /* after this code a connection must not be used again */

/* migrate.c: create the tables of an empty file, bring older ones up to date, refuse newer ones. */
enum bough_rc db_migrate(struct sqlite *s, struct conn *c, struct bough_error *err);
int64_t db_latest(void);

/* pool.c */
enum bough_rc sqlite_view_begin(struct backend *b, struct view **out, const struct patience *p,
                                struct bough_error *err);
void sqlite_view_end(struct view *v);
void pool_close(struct sqlite *s);
int64_t pool_oldest(struct sqlite *s); /* since when somebody reads, in us; 0: nobody */
/* How often this process was forked off, counted from forks_watch() on. */
void forks_watch(void);
unsigned forks_seen(void);
enum bough_rc same_process(const struct sqlite *s, struct bough_error *err);

/* writer.c: enter, begin, end or undo, leave. */
enum bough_rc writer_enter(struct sqlite *s, const struct patience *p, struct bough_error *err);
void writer_leave(struct sqlite *s);
enum bough_rc writer_begin(struct sqlite *s, bool relaxed, struct bough_error *err);
enum bough_rc writer_end(struct sqlite *s, struct bough_error *err);
void writer_undo(struct sqlite *s);
void writer_replace(struct sqlite *s); /* close it, open another, look whether that works */

/* apply.c: one txn inside the open transaction. txn->lost is NULL when all of it held. */
enum bough_rc apply_guards(struct sqlite *s, struct txn *t, struct bough_error *err);
enum bough_rc apply_txn(struct sqlite *s, struct txn *t, struct bough_error *err);

/* row.c: values in and out. Rows point into the statement until it moves on. */
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
void row_log(sqlite3_stmt *st, struct log_row *out);
void row_list(sqlite3_stmt *st, struct list_row *out);
void row_blob(sqlite3_stmt *st, struct blob_row *out); /* these six: blob.c */
void row_chunk(sqlite3_stmt *st, struct chunk_row *out);
void row_link(sqlite3_stmt *st, struct link_row *out);
void bind_blob(sqlite3_stmt *st, const struct blob_row *row);
void bind_chunk(sqlite3_stmt *st, const struct chunk_row *row);
void bind_link(sqlite3_stmt *st, const struct link_row *row);

/* The operations themselves; backend.h says what they promise. */
enum bough_rc sqlite_commit(struct backend *b, struct txn *const *txns, size_t n,
                            const struct patience *p, struct bough_error *err);
enum bough_rc sqlite_hold(struct backend *b, const struct patience *p, struct bough_error *err);
void sqlite_release(struct backend *b);
enum bough_rc sqlite_purge_slice(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                 int64_t *entries, int64_t *records, const struct patience *p,
                                 struct bough_error *err);
enum bough_rc sqlite_branch_cut(struct backend *b, const struct branch_row *rows, size_t n,
                                const struct patience *p, struct bough_error *err);
/* blob.c: links of the entries with these keys; *room counts down. */
enum bough_rc purge_links(struct conn *c, int64_t from, int64_t to, int64_t *room,
                          struct bough_error *err);
enum bough_rc sqlite_blob_put(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                              const struct patience *p, struct bough_error *err);
enum bough_rc sqlite_blob_seal(struct backend *b, struct blob_row *row, bool relaxed,
                               const struct patience *p, struct bough_error *err);
enum bough_rc sqlite_blob_sweep(struct backend *b, int64_t only, int64_t limit, bool *left,
                                const struct patience *p, struct bough_error *err);
void sqlite_upkeep(struct backend *b, bool last);
void checkpoint_if_large(struct sqlite *s); /* after a commit, the writer entered */
void checkpoint_now(struct sqlite *s, int mode);

/* text.c: documents. The arena is for words. */
enum bough_rc text_put(struct conn *c, struct bough_arena *a, const struct text_row *row,
                       struct bough_error *err);
enum bough_rc text_clear(struct conn *c, struct bough_error *err);
/* Remove documents of a purged session while there is room, which ends after a while. */
enum bough_rc text_purge(struct conn *c, struct bough_arena *a, int64_t sid, int64_t *room,
                         struct bough_error *err);
void row_text(struct bough_arena *a, sqlite3_stmt *st, struct text_row *out);
/* id, k, time and words, which are kept of a title only. */
void bind_document(sqlite3_stmt *st, const struct text_row *row);
enum bough_rc sqlite_text_mark(struct view *v, int64_t *no, struct bough_error *err);
enum bough_rc sqlite_text_find(struct view *v, const struct text_query *q, text_fn fn, void *user,
                               struct bough_error *err);

enum bough_rc sqlite_list_scan(struct view *v, const struct list_query *q, list_fn fn, void *user,
                               struct bough_error *err);
enum bough_rc sqlite_raw_scan(struct view *v, enum raw_table table, raw_fn fn, void *user,
                              struct bough_error *err);
enum bough_rc sqlite_raw_numbers(struct view *v, struct bough_arena *a, struct raw_numbers *out,
                                 struct bough_error *err);
enum bough_rc sqlite_raw_load(struct backend *b, const struct raw_row *rows, size_t n,
                              const struct raw_numbers *numbers, struct bough_error *err);
/* Put rows of one table as they are, in the open transaction. */
enum bough_rc raw_put(struct conn *c, const struct raw_row *rows, size_t n,
                      struct bough_error *err);
enum bough_rc sqlite_raw_fix(struct backend *b, const struct raw_row *row, bool remove,
                             struct bough_error *err);
enum bough_rc sqlite_engine_check(struct view *v, bool full,
                                  void (*found)(void *user, const char *text), void *user,
                                  struct bough_error *err);
enum bough_rc sqlite_backup(struct view *v, const char *path, copy_fn progress, void *user,
                            struct bough_error *err);

#endif
