/* Inside the PostgreSQL backend: the store, its connections, and what its files share. */
#ifndef STORE_POSTGRES_DB_H
#define STORE_POSTGRES_DB_H

#include <libpq-fe.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/map.h"
#include "store/keep.h"
#include "store/postgres/postgres.h"
#include "store/postgres/sql.h"
#include "store/postgres/url.h"

enum {
    POOL_MAX = 16,   /* idle readers kept connected */
    ARGS_MAX = 20,   /* values of one statement */
    LIST_SHAPES = 8, /* list statements kept prepared per connection */
};

enum ahead_kind {
    AHEAD_SESSIONS,
    AHEAD_HEADS,
    AHEAD_LISTS, /* also of those that have none: then all but its key is NULL */
    AHEAD_BRANCHES,
    AHEAD_ENTRIES,
    AHEAD_FRONTS,
    AHEAD_CALLS,
    AHEAD_KINDS, /* how many there are */
};

/* Values of a statement, in order. Bytes are borrowed until it was sent. */
struct args {
    int n;
    const char *p[ARGS_MAX];
    int len[ARGS_MAX];
    char number[ARGS_MAX][8];
};

void args_int(struct args *a, int64_t v);
void args_ints(struct args *a, const int64_t *v, int n);
void args_text(struct args *a, const char *s);    /* NULL is "" */
void args_set(struct args *a, int at, int64_t v); /* another number in its place */
void args_str(struct args *a, struct bough_str s);
void args_null(struct args *a);
void args_copy(struct args *to, const struct args *from);
int64_t args_number(const struct args *a, int at);

/* A connection is used by one thread at a time. A reader is also the view it serves. */
struct conn {
    struct view view;
    struct postgres *store;
    PGconn *pg;
    struct conn *next; /* in the pool */
    struct lent lent;  /* while it serves a view */
    bool writer;
    unsigned era;             /* the store's when it was opened */
    bool begun;               /* a transaction was begun */
    bool lost;                /* the connection is gone, or must not be used again */
    struct patience patience; /* of the call that uses it now */
    struct bough_error over;  /* a view that could not read something says so again */
    struct wire {             /* results that were asked for and not taken yet */
        const bool **of;      /* each: NULL, or of a PREPARE: what says that it is there */
        size_t cap, first, n;
        bool syncing; /* behind them, a sync */
    } wire;
    bool prepared[SQL_COUNT], raw[RAW_TABLES];
    struct {
        uint64_t shape;
        char name[32];
        bool there;
    } lists[LIST_SHAPES];
    unsigned list_turn;
    unsigned cursors;             /* how many were opened: their names */
    PGresult *ahead[AHEAD_KINDS]; /* what will be asked for next, by key; see ahead.c */
};

/* What the counter says once it was taken: the last number of each kind. */
struct taken {
    int64_t commits, no, sessions, branches;
};

/* Something that only the transaction which is open has written: it was committed if that is there.
 */
struct witness {
    int64_t bid, depth; /* an entry with this id; bid 0: none */
    char id[BOUGH_ID_LEN + 1];
    struct log_row log; /* else its last log row; no 0: none */
};

/* What the writer remembers while nobody else commits. */
struct known {
    bool valid;
    unsigned streak; /* how often in a row nobody else had written */
    struct taken last;
    struct map ordinals; /* sid << 8 | kind -> the last ordinal */
};

struct postgres {
    struct backend base;
    struct bough_arena *arena; /* holds this struct */
    struct url url;            /* for libpq: with the password, never printed */
    atomic_size_t host;        /* which of its hosts to begin with: the one that answered last */
    const char *name;          /* for people: without a password */
    const char *schema;
    const char *const
        *set_local; /* said in every transaction when sessions are shared, else NULL */
    const struct env *env;
    bool read_only, unprepared;
    atomic_ulong rounds; /* how often a server was asked for answers: tests hold that down */
    size_t copy_from;    /* entries in a row from which COPY is faster than INSERT */
    pid_t pid;           /* a connection does not survive fork() */

    atomic_uint
        era; /* +1 when the server turned out to be a standby: readers look elsewhere, too */

    pthread_mutex_t pool_lock; /* guards pool, pooled, lent */
    struct conn *pool;
    struct lent *lent; /* those that serve a view */
    int pooled;

    pthread_mutex_t write_lock; /* guards everything below */
    struct conn *writer;        /* NULL after a failure, until a reconnect works */
    struct bough_arena *scratch;
    struct known known;
    struct taken taken; /* by the transaction that is open */
    int64_t xid;        /* of it; 0: not known yet */
    struct witness witness;
    bool held;    /* it was begun by hold() and waits for its commit */
    bool replay;  /* it lost a deadlock: the same may go well now */
    bool unheard; /* the server has not given out the number it was asked about */
    bool settled; /* its COMMIT was sent */
};

static inline struct postgres *postgres_of(struct backend *b)
{
    return (struct postgres *)b;
}

static inline struct conn *conn_of(struct view *v)
{
    return (struct conn *)v;
}

/* ---- conn.c: opening, and what went wrong ---- */
enum bough_rc pg_open(struct postgres *s, bool writer, const struct patience *p, struct conn **out,
                      struct bough_error *err);
void pg_close(struct conn *c); /* NULL is fine */
/* What to say in every transaction where a session is not ours alone; NULL at the end. */
const char *const *pg_local_settings(struct bough_arena *a, const char *schema);
/* Say what a failed result means. */
enum bough_rc pg_fail(struct conn *c, const PGresult *r, struct bough_error *err);
bool result_is(const PGresult *r, const char *sqlstate);
/* The connection is gone: say so, and never use it again. */
enum bough_rc pg_gone(struct conn *c, struct bough_error *err);
enum bough_rc pg_late(struct conn *c, struct bough_error *err); /* the call's time is over */

/* ---- wire.c: sending and receiving, in order, without waiting for each other ---- */
enum bough_rc pg_send(struct conn *c, enum sql id, const struct args *a, struct bough_error *err);
/* SQL that is not in the table; `types` as in sql.h. `name`: prepared as that, and *there says
 * whether it is; NULL: for this once. */
enum bough_rc pg_send_text(struct conn *c, const char *name, bool *there, const char *text,
                           const char *types, const struct args *a, struct bough_error *err);
/* What every transaction is told behind its BEGIN: nothing, unless sessions are shared. */
enum bough_rc pg_send_local(struct conn *c, struct bough_error *err);
enum bough_rc pg_sync(struct conn *c, struct bough_error *err);
/* The next result somebody is to read, in the order of sending. The caller clears it. */
enum bough_rc pg_next(struct conn *c, PGresult **out, struct bough_error *err);
/* Take what is left up to the sync. The first failure among it is the answer. */
enum bough_rc pg_drain(struct conn *c, struct bough_error *err);
bool result_good(const PGresult *r);
/* Outside of the pipeline, which must be empty: a script; and COPY ... FROM STDIN BINARY. */
enum bough_rc pg_exec(struct conn *c, const char *text, struct bough_error *err);
enum bough_rc pg_copy_begin(struct conn *c, const char *text, struct bough_error *err);
enum bough_rc pg_copy_put(struct conn *c, struct bough_str bytes, struct bough_error *err);
enum bough_rc pg_copy_end(struct conn *c, struct bough_error *err);

/* ---- pool.c ---- */
enum bough_rc postgres_view_begin(struct backend *b, struct view **out, const struct patience *p,
                                  struct bough_error *err);
void postgres_view_end(struct view *v);
void pg_pool_close(struct postgres *s);
int64_t pg_pool_oldest(struct postgres *s);
/* A query of a view, in its snapshot: one round trip. */
enum bough_rc pg_ask(struct view *v, enum sql id, const struct args *a, PGresult **out,
                     struct bough_error *err);
/* The same in pieces: send what is to be asked between the two. */
enum bough_rc pg_ask_begin(struct view *v, struct bough_error *err);
enum bough_rc pg_answer(struct view *v, PGresult **out, struct bough_error *err);
/* Has the view failed? Then *err says how. */
enum bough_rc pg_over(struct view *v, struct bough_error *err);

/* ---- ahead.c: for as long as the view ---- */
void ahead_forget(struct conn *c);

/* ---- migrate.c ---- */
enum bough_rc pg_migrate(struct postgres *s, struct conn *c, const struct backend_config *config,
                         struct bough_error *err);
int64_t pg_latest(void);

/* ---- row.c: values in and out. Rows point into the result. ---- */
int64_t got_int(const PGresult *r, int row, int col);
struct bough_str got_bytes(const PGresult *r, int row, int col);
const char *got_text(const PGresult *r, int row, int col);
void pg_row_session(const PGresult *r, int i, struct session_row *out);
void pg_row_head(const PGresult *r, int i, struct head_row *out);
void pg_row_branch(const PGresult *r, int i, struct branch_row *out);
/* The body is put together in the arena. */
void pg_row_entry(struct bough_arena *a, const PGresult *r, int i, struct entry_row *out);
void pg_row_open(const PGresult *r, int i, struct open_row *out);
void pg_row_draft(const PGresult *r, int i, struct draft_row *out);
void pg_row_record(const PGresult *r, int i, struct record_row *out);
void pg_row_alias(const PGresult *r, int i, struct alias_row *out);
void pg_row_key(const PGresult *r, int i, struct key_row *out);
void pg_row_log(const PGresult *r, int i, struct log_row *out);
void pg_row_list(const PGresult *r, int i, struct list_row *out);
void pg_row_blob(const PGresult *r, int i, struct blob_row *out);
void pg_row_chunk(const PGresult *r, int i, struct chunk_row *out);
void pg_row_link(const PGresult *r, int i, struct link_row *out);
void pg_row_text(struct bough_arena *a, const PGresult *r, int i, struct text_row *out);

/* ---- values.c: rows as values, in the order of the *_COLS ---- */
void args_session(struct bough_arena *a, struct args *v, const struct session_row *row);
void args_head(struct args *v, const struct head_row *row);
void args_entry(struct bough_arena *a, struct args *v, const struct entry_row *row);
void args_open(struct args *v, const struct open_row *row);
void args_record(struct bough_arena *a, struct args *v, const struct record_row *row);
void args_log(struct args *v, const struct log_row *row);
void args_list(struct args *v, const struct list_row *row);
void args_session_docs(struct bough_arena *a, struct args *v, const struct session_row *row);

/* ---- words.c: documents of the full text, and what finds them ---- */
void args_document(struct bough_arena *a, struct args *v, const struct text_row *row);
/* Into `out`, a tsquery for the words; empty when there are none. False: what it finds must be
 * looked at once more. */
bool words_query(struct buf *out, const struct search_query *q);

/* The operations themselves; backend.h says what they promise. */
enum bough_rc postgres_commit(struct backend *b, struct txn *const *txns, size_t n,
                              const struct patience *p, struct bough_error *err);
enum bough_rc postgres_hold(struct backend *b, const struct patience *p, struct bough_error *err);
void postgres_release(struct backend *b);
enum bough_rc postgres_purge_slice(struct backend *b, int64_t sid, int64_t limit, bool *left,
                                   int64_t *entries, int64_t *records, const struct patience *p,
                                   struct bough_error *err);
enum bough_rc postgres_branch_cut(struct backend *b, const struct branch_row *rows, size_t n,
                                  const struct patience *p, struct bough_error *err);
enum bough_rc postgres_blob_put(struct backend *b, int64_t *bno, const struct chunk_row *chunk,
                                const struct patience *p, struct bough_error *err);
enum bough_rc postgres_blob_seal(struct backend *b, struct blob_row *row, bool relaxed,
                                 const struct patience *p, struct bough_error *err);
enum bough_rc postgres_blob_sweep(struct backend *b, int64_t only, int64_t limit, bool *left,
                                  const struct patience *p, struct bough_error *err);
enum bough_rc postgres_text_mark(struct view *v, int64_t *no, struct bough_error *err);
enum bough_rc postgres_text_find(struct view *v, const struct text_query *q, text_fn fn, void *user,
                                 struct bough_error *err);
enum bough_rc postgres_list_scan(struct view *v, const struct list_query *q, list_fn fn, void *user,
                                 struct bough_error *err);
enum bough_rc postgres_raw_scan(struct view *v, enum raw_table table, raw_fn fn, void *user,
                                struct bough_error *err);
enum bough_rc postgres_raw_numbers(struct view *v, struct bough_arena *a, struct raw_numbers *out,
                                   struct bough_error *err);
enum bough_rc postgres_raw_load(struct backend *b, const struct raw_row *rows, size_t n,
                                const struct raw_numbers *numbers, struct bough_error *err);
/* raw.c: send what puts a row, whatever was there. */
enum bough_rc pg_raw_send(struct postgres *s, const struct raw_row *row, bool remove,
                          struct bough_error *err);
enum bough_rc postgres_raw_fix(struct backend *b, const struct raw_row *row, bool remove,
                               struct bough_error *err);
enum bough_rc postgres_engine_check(struct view *v, bool full,
                                    void (*found)(void *user, const char *text), void *user,
                                    struct bough_error *err);

#endif
