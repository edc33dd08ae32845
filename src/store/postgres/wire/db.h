/* Internals of the PostgreSQL backend: the store, its connections, and the functions its files
 * share. */
#ifndef STORE_POSTGRES_WIRE_DB_H
#define STORE_POSTGRES_WIRE_DB_H

#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/memory/arena.h"
#include "base/memory/buf.h"
#include "base/memory/map.h"
#include "store/contract/conn_pool.h"
#include "store/contract/row_copy.h"
#include "store/postgres/postgres.h"
#include "store/postgres/wire/args.h"
#include "store/postgres/wire/sql.h"
#include "store/postgres/wire/url.h"

enum {
    LIST_SHAPES = 8, /* prepared list statements per connection */
};

/* Kinds of rows that a snapshot can read ahead; see ahead.c. */
enum ahead_kind {
    AHEAD_SESSIONS,
    AHEAD_HEADS,
    AHEAD_LISTS, /* a session without a list row gives a row of NULLs behind the key */
    AHEAD_BRANCHES,
    AHEAD_ENTRIES,
    AHEAD_FRONTS,
    AHEAD_CALLS,
    AHEAD_TIPS,
    AHEAD_KINDS, /* number of kinds */
};

/* A connection is used by one thread at a time. A reader connection is also the snapshot
 * it serves. */
struct conn {
    struct snapshot view;
    struct postgres *store;
    PGconn *pg;
    struct pool_slot slot; /* a reader's place in the pool */
    bool writer;
    unsigned era;             /* store->era when the connection was opened */
    bool begun;               /* a transaction is open */
    bool lost;                /* the connection is broken and must not be used again */
    struct deadline deadline; /* of the current call */
    /* The first failure of the snapshot; all further reads fail with it. */
    struct bough_error failed;
    struct wire { /* results that are expected and not read yet */
        /* Per result: NULL, or for a PREPARE the flag to clear if it failed. */
        const bool **of;
        size_t cap, first, n;
        bool syncing; /* a sync follows them */
    } wire;
    bool prepared[SQL_COUNT], raw[RAW_TABLES];
    struct {
        uint64_t shape;
        char name[32];
        bool there;
    } lists[LIST_SHAPES];
    unsigned list_turn;
    unsigned cursors;             /* number of cursors opened so far; gives them unique names */
    PGresult *ahead[AHEAD_KINDS]; /* rows read ahead, sorted by key; see ahead.c */
};

/* The counter row after numbers were taken: the last number of each kind. */
struct taken {
    int64_t commits, no, sessions, branches;
};

/* A row that only the open transaction writes. If the row exists, the transaction was committed. */
struct witness {
    int64_t bid, depth; /* an entry with this id; bid 0: none */
    char id[BOUGH_ID_LEN + 1];
    struct changelog_row log; /* otherwise its last changelog row; no 0: none */
};

/* State cached by the writer. It is valid until another process commits. */
struct known {
    bool valid;
    unsigned streak; /* commits in a row without one of another process between */
    struct taken last;
    struct map ordinals; /* sid << 8 | kind -> last ordinal used */
};

struct postgres {
    struct backend base;
    struct bough_arena *arena; /* owns this struct */
    struct url url;            /* parameters for libpq; contains the password, never print it */
    atomic_size_t host;        /* index of the host to try first: the last one that answered */
    const char *name;          /* name for messages, without the password */
    const char *schema;
    /* SET LOCAL statements of every transaction when a pooler shares sessions, else NULL. */
    const char *const *set_local;
    const struct env *env;
    bool read_only, unprepared;
    atomic_ulong rounds; /* number of round trips; tests check it */
    size_t copy_from;    /* from this many consecutive entries on COPY is used instead of INSERT */

    /* +1 when a server turned out to be a standby, so that readers reconnect too. */
    atomic_uint era;

    struct conn_pool pool; /* of reader connections */

    pthread_mutex_t write_lock; /* guards everything below; see pg_writer_enter() */
    struct conn *writer;        /* NULL after a failure, until a reconnect succeeds */
    struct bough_arena *scratch;
    struct known known;
    struct taken taken;   /* numbers taken by the open transaction */
    int64_t xid, started; /* of the open transaction: id (0: unknown), start of its server in us */
    struct witness witness;
    bool held;    /* hold() opened a transaction that the next commit uses */
    bool replay;  /* the transaction failed with a deadlock: a retry may succeed */
    bool unheard; /* the server never assigned the transaction id it was asked about */
    bool settled; /* COMMIT was sent: the result is final, do not retry */
};

static inline struct postgres *postgres_of(struct backend *b)
{
    return (struct postgres *)b;
}

static inline struct conn *conn_of(struct snapshot *v)
{
    return (struct conn *)v;
}

/* ---- conn.c: opening connections ---- */

/* BOUGH_TIMEOUT: no answer in time. BOUGH_DENIED: login refused. BOUGH_OVERLOADED: the server has
 * no free connection. The caller closes *out with pg_close(). */
enum bough_rc pg_open(struct postgres *s, bool writer, const struct deadline *p, struct conn **out,
                      struct bough_error *err);
void pg_close(struct conn *c); /* NULL is fine */
/* The SET LOCAL statements for sessions shared through a pooler; NULL-terminated, in `a`. */
const char *const *pg_local_settings(struct bough_arena *a, const char *schema);

/* ---- failure.c: errors of connections and results ---- */

/* Set `err` to "store: what: detail" and return `rc`. A snapshot keeps its first failure. */
enum bough_rc pg_fail_with(struct conn *c, enum bough_rc rc, const char *what, const char *detail,
                           struct bough_error *err);
/* The bough_rc of a SQLSTATE; `state` may have more text behind it. */
enum bough_rc pg_rc_of(const struct conn *c, const char *state);
/* Set `err` from a failed result and return its bough_rc. Marks the connection as lost if the
 * server closed it or is a standby. */
enum bough_rc pg_fail(struct conn *c, const PGresult *r, struct bough_error *err);
/* Mark the connection as lost. Returns BOUGH_NOT_DONE for the writer, BOUGH_IO for a reader. */
enum bough_rc pg_gone(struct conn *c, struct bough_error *err);
/* BOUGH_TIMEOUT; the connection is lost. */
enum bough_rc pg_late(struct conn *c, struct bough_error *err);

/* ---- wire.c: pipelined sending and receiving. Statements are only queued until pg_sync(). ---- */

/* Queue a statement of pg_sql[]; it is prepared at its first use on a connection. */
enum bough_rc pg_send(struct conn *c, enum sql id, const struct args *a, struct bough_error *err);
/* Queue SQL that is not in pg_sql[]; `types` as in sql.h. With a `name` the statement is prepared
 * under that name, and *there remembers that it is. `name` NULL: not prepared. */
enum bough_rc pg_send_text(struct conn *c, const char *name, bool *there, const char *text,
                           const char *types, const struct args *a, struct bough_error *err);
/* Queue store->set_local, if any. Must follow the BEGIN of every transaction. */
enum bough_rc pg_send_local(struct conn *c, struct bough_error *err);
/* End the pipeline with a sync and send it, without waiting. */
enum bough_rc pg_sync(struct conn *c, struct bough_error *err);
/* The next result in the order of sending; results of PREPARE are skipped. The caller
 * clears *out. */
enum bough_rc pg_next(struct conn *c, PGresult **out, struct bough_error *err);
/* Discard all results up to the sync. Returns the first failure among them. */
enum bough_rc pg_drain(struct conn *c, struct bough_error *err);
bool result_good(const PGresult *r);
/* Does the failed result have this SQLSTATE? */
bool result_is(const PGresult *r, const char *sqlstate);
/* Outside the pipeline, which must be empty: run a script, or COPY ... FROM STDIN BINARY. */
enum bough_rc pg_exec(struct conn *c, const char *text, struct bough_error *err);
enum bough_rc pg_copy_begin(struct conn *c, const char *text, struct bough_error *err);
enum bough_rc pg_copy_put(struct conn *c, struct bough_str bytes, struct bough_error *err);
enum bough_rc pg_copy_end(struct conn *c, struct bough_error *err);

/* ---- pool.c: snapshots ---- */
enum bough_rc postgres_snapshot_begin(struct backend *b, struct snapshot **out,
                                      const struct deadline *p, struct bough_error *err);
void postgres_snapshot_end(struct snapshot *v);
/* Close all idle readers. No snapshot may be open. */
void pg_pool_close(struct postgres *s);

/* ---- ask.c: queries of a snapshot ---- */
/* Run one query in the snapshot: one round trip. The caller clears *out. */
enum bough_rc pg_ask(struct snapshot *v, enum sql id, const struct args *a, PGresult **out,
                     struct bough_error *err);
/* The same in two steps. The caller queues its statement between them; pg_answer() returns the last
 * result. */
enum bough_rc pg_ask_begin(struct snapshot *v, struct bough_error *err);
enum bough_rc pg_answer(struct snapshot *v, PGresult **out, struct bough_error *err);
/* Fails with the snapshot's first failure, if it has one. */
enum bough_rc pg_over(struct snapshot *v, struct bough_error *err);

/* ---- ahead.c: rows read ahead live until the snapshot ends ---- */
void ahead_forget(struct conn *c);

/* ---- migrate.c: create or upgrade the schema; BOUGH_VERSION when it is newer ---- */
enum bough_rc pg_migrate(struct postgres *s, struct conn *c, const struct backend_config *config,
                         struct bough_error *err);
/* The schema version of this program. */
int64_t pg_latest(void);

/* ---- row.c: read values and rows. Rows point into the result. ---- */
int64_t got_int(const PGresult *r, int row, int col);
struct bough_str got_bytes(const PGresult *r, int row, int col);
const char *got_text(const PGresult *r, int row, int col);
void pg_row_session(const PGresult *r, int i, struct session_row *out);
void pg_row_head(const PGresult *r, int i, struct head_row *out);
void pg_row_branch(const PGresult *r, int i, struct branch_row *out);
/* The body is joined in the arena when its parts are stored apart; else it points into the
 * result. */
void pg_row_entry(struct bough_arena *a, const PGresult *r, int i, struct entry_row *out);
void pg_row_open(const PGresult *r, int i, struct open_row *out);
void pg_row_draft(const PGresult *r, int i, struct draft_row *out);
void pg_row_record(const PGresult *r, int i, struct record_row *out);
void pg_row_alias(const PGresult *r, int i, struct alias_row *out);
void pg_row_key(const PGresult *r, int i, struct key_row *out);
void pg_row_log(const PGresult *r, int i, struct changelog_row *out);
void pg_row_list(const PGresult *r, int i, struct list_row *out);
void pg_row_spend(const PGresult *r, int i, struct spend_row *out);
void pg_row_seen(const PGresult *r, int i, struct seen_row *out);
void pg_row_blob(const PGresult *r, int i, struct blob_row *out);
void pg_row_chunk(const PGresult *r, int i, struct chunk_row *out);
void pg_row_link(const PGresult *r, int i, struct link_row *out);
void pg_row_text(struct bough_arena *a, const PGresult *r, int i, struct fulltext_row *out);

/* ---- values.c: rows as parameters, in the order of the *_COLS ---- */
void args_session(struct bough_arena *a, struct args *v, const struct session_row *row);
void args_head(struct args *v, const struct head_row *row);
void args_entry(struct bough_arena *a, struct args *v, const struct entry_row *row);
void args_open(struct args *v, const struct open_row *row);
void args_record(struct bough_arena *a, struct args *v, const struct record_row *row);
void args_changelog(struct args *v, const struct changelog_row *row);
void args_list(struct args *v, const struct list_row *row);
void args_spend(struct args *v, const struct spend_row *row);
void args_seen(struct args *v, const struct seen_row *row);
void args_session_docs(struct bough_arena *a, struct args *v, const struct session_row *row);

/* ---- words.c: documents of the full text, and queries for them ---- */
void args_document(struct bough_arena *a, struct args *v, const struct fulltext_row *row);
/* Write a tsquery for the words of `q`; empty when there are none. False: the index may find too
 * much, and each document must be matched again. */
bool words_query(struct buf *out, const struct search_query *q);

/* The operations of postgres_backend; their contracts are in store/contract/backend.h. */
enum bough_rc postgres_commit(struct backend *b, struct txn *const *txns, size_t n,
                              const struct deadline *p, struct bough_error *err);
enum bough_rc postgres_hold(struct backend *b, const struct deadline *p, struct bough_error *err);
void postgres_release(struct backend *b);
enum bough_rc postgres_purge_slice(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                   int64_t *entries, int64_t *records, const struct deadline *p,
                                   struct bough_error *err);
enum bough_rc postgres_branch_cut(struct backend *b, const struct branch_row *rows, size_t n,
                                  const struct deadline *p, struct bough_error *err);
enum bough_rc postgres_blob_put(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                                const struct deadline *p, struct bough_error *err);
enum bough_rc postgres_blob_seal(struct backend *b, struct blob_row *row, bool relaxed,
                                 const struct deadline *p, struct bough_error *err);
enum bough_rc postgres_blob_sweep(struct backend *b, int64_t only, int64_t limit, bool *left,
                                  const struct deadline *p, struct bough_error *err);
enum bough_rc postgres_text_mark(struct snapshot *v, int64_t *no, struct bough_error *err);
enum bough_rc postgres_text_find(struct snapshot *v, const struct fulltext_query *q, fulltext_fn fn,
                                 void *user, struct bough_error *err);
enum bough_rc postgres_list_scan(struct snapshot *v, const struct list_query *q, list_fn fn,
                                 void *user, struct bough_error *err);
enum bough_rc postgres_raw_scan(struct snapshot *v, enum raw_table table, raw_fn fn, void *user,
                                struct bough_error *err);
enum bough_rc postgres_raw_numbers(struct snapshot *v, struct bough_arena *a,
                                   struct raw_numbers *out, struct bough_error *err);
enum bough_rc postgres_raw_load(struct backend *b, const struct raw_row *rows, size_t n,
                                const struct raw_numbers *numbers, struct bough_error *err);
/* Queue a statement that inserts or replaces one row, or removes it (raw.c). */
enum bough_rc pg_raw_send(struct postgres *s, const struct raw_row *row, bool remove,
                          struct bough_error *err);
enum bough_rc postgres_raw_fix(struct backend *b, const struct raw_row *row, bool remove,
                               struct bough_error *err);
enum bough_rc postgres_engine_check(struct snapshot *v, bool full,
                                    void (*found)(void *user, const char *text), void *user,
                                    struct bough_error *err);

#endif
