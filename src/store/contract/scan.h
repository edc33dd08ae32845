/* Queries, ranges and row callbacks of the backend contract; see backend.h. */
#ifndef STORE_CONTRACT_SCAN_H
#define STORE_CONTRACT_SCAN_H

#include "store/contract/rows.h"

/* ---- changelog rows ---- */

/* Did the txn of this row add entries, the last one at (bid, depth)? */
static inline bool changelog_adds(const struct changelog_row *row)
{
    return row->bid && (row->kind == CHANGELOG_APPEND || row->kind == CHANGELOG_OPEN ||
                        row->kind == CHANGELOG_RUN);
}

/* Are `record` and `ncalls` of this row those of its calls? */
static inline bool changelog_calls(const struct changelog_row *row)
{
    return row->record && (row->kind == CHANGELOG_APPEND || row->kind == CHANGELOG_SEAL);
}

/* ---- whole tables, for fsck, repair and migration ---- */

enum raw_table {
    RAW_SESSION,
    RAW_HEAD,
    RAW_BRANCH,
    RAW_ENTRY,
    RAW_RECORD,
    RAW_ALIAS,
    RAW_KEY,
    RAW_CHANGELOG,
    RAW_LIST,
    RAW_OPEN,
    RAW_DRAFT,
    RAW_BLOB,
    RAW_CHUNK,
    RAW_LINK,
    RAW_FULLTEXT,
    RAW_SPEND,
    RAW_SEEN,
    RAW_TABLES, /* the number of tables */
};

struct raw_row {
    enum raw_table table;
    union {
        struct session_row session;
        struct head_row head;
        struct branch_row branch;
        struct entry_row entry;
        struct record_row record;
        struct alias_row alias;
        struct key_row key;
        struct changelog_row log;
        struct list_row list;
        struct open_row open;
        struct draft_row draft;
        struct blob_row blob;
        struct chunk_row chunk;
        struct link_row link;
        struct fulltext_row text;
        struct spend_row spend;
        struct seen_row seen;
    } u;
};

/* ---- queries ---- */

enum list_order { ORDER_CREATED, ORDER_UPDATED, ORDER_MODIFIED, ORDER_COST };

/* Rows must meet all conditions. A number 0 or a text "" or NULL is no condition. */
struct list_query {
    int64_t project, workspace, account, parent;
    int64_t kinds;    /* one bit per session kind; 0: all */
    int64_t statuses; /* one bit per status; 0: all */
    bool roots;       /* sessions without a parent only */
    bool alive, dead; /* alive: exclude deleted sessions; dead: deleted sessions only */
    const char *role_name, *provider_path, *model_provider;
    const char *model_name; /* the session's model, or that of its last call */
    int64_t created_from, created_to, updated_from, updated_to;
    const char *hay;    /* case-folded substring of list_row.hay */
    bool errors;        /* sessions with errors only */
    int64_t last_state; /* an enum bough_outcome */
    int64_t cost_from;  /* at least this cost */
    enum list_order order;
    bool after_set;
    int64_t after_key, after_sid; /* keyset cursor: only rows that sort after this one */
};

/* The conditions of a list_query. A condition's number is its bit in list_asks() and the index of
 * its SQL parameter. */
enum list_condition {
    ASKS_PROJECT,
    ASKS_WORKSPACE,
    ASKS_ACCOUNT,
    ASKS_PARENT,
    ASKS_STATUSES,
    ASKS_ROLE,
    ASKS_PATH,
    ASKS_PROVIDER,
    ASKS_MODEL,
    ASKS_CREATED_FROM,
    ASKS_CREATED_TO,
    ASKS_UPDATED_FROM,
    ASKS_UPDATED_TO,
    ASKS_HAY,
    ASKS_ROOTS,
    ASKS_ERRORS,
    ASKS_LAST_STATE,
    ASKS_COST,
    ASKS_COUNT,
};
uint64_t list_asks(const struct list_query *q);
/* The condition whose index a list is read by: parent, project, workspace, account, role_name,
 * last_state (of what went wrong), errors or statuses, in this order; in order of cost only
 * project. ASKS_COUNT: none of them is asked. */
enum list_condition list_lead(const struct list_query *q);
/* The groups of rows that a query can match, one bit each: living primaries, living subagents,
 * deleted primaries, deleted subagents. */
unsigned list_arms(const struct list_query *q);

/* Spend rows of days from...to, in any order. At most one of the conditions is set. */
struct spend_query {
    int64_t from, to;         /* days, inclusive */
    int64_t project, account; /* exactly this one; 0: any */
    const char *principal;    /* the same; NULL or "": any */
    const int64_t *sids;      /* of these sessions, ascending */
    size_t nsids;
    bool within; /* `sids` is a condition, even if it is empty */
};

struct search_query; /* core/search/search.h */

/* A full-text query: documents that match all terms, one of the roles and kinds, the times of `q`,
 * and the conditions below. */
struct fulltext_query {
    const struct search_query *q; /* its session, project and branch are ignored */
    int64_t before;               /* fulltext_order() must be below this */
    bool within; /* limit to entries of `bids` and titles of `sids`; both may be empty */
    const int64_t *bids, *sids;
    size_t nbids, nsids;
};

/* Called once per row; return false to stop the scan. The row and its pointers are valid until the
 * callback returns. */
typedef bool (*session_fn)(void *user, const struct session_row *row);
typedef bool (*branch_fn)(void *user, const struct branch_row *row);
typedef bool (*entry_fn)(void *user, const struct entry_row *row);
typedef bool (*mark_fn)(void *user, int64_t bid, int64_t depth);
typedef bool (*record_fn)(void *user, const struct record_row *row);
typedef bool (*alias_fn)(void *user, const struct alias_row *row);
typedef bool (*changelog_fn)(void *user, const struct changelog_row *row);
typedef bool (*list_fn)(void *user, const struct list_row *row);
typedef bool (*open_fn)(void *user, const struct open_row *row);
typedef bool (*draft_fn)(void *user, const struct draft_row *row);
typedef bool (*link_fn)(void *user, const struct link_row *row);
typedef bool (*fulltext_fn)(void *user, const struct fulltext_row *row);
typedef bool (*seen_fn)(void *user, const struct seen_row *row);
typedef bool (*raw_fn)(void *user, const struct raw_row *row);
/* Bytes copied so far and in total; return false to stop. */
typedef bool (*copy_fn)(void *user, int64_t done, int64_t total);

struct entry_range {
    int64_t bid, from, to; /* depths, inclusive */
    bool backwards;
    int64_t kinds; /* one bit per entry kind; 0: all */
    int64_t mask;  /* entries with at least one of these mask bits; 0: all */
    bool deleted;  /* include soft-deleted entries */
    bool fronts;   /* the caller uses pack_entry_head() only: bodies may lack their parts */
};

/* The rows to prefetch; see backend_ops.ahead. */
enum wanted_kind {
    WANT_SESSION, /* a: sid; the session row and the head row */
    WANT_LIST,    /* a: sid */
    WANT_BRANCH,  /* a: bid */
    WANT_ENTRY,   /* a: bid, b: depth */
    WANT_FRONT,   /* as WANT_ENTRY, for an entry_range with `fronts` */
    WANT_CALL,    /* a: sid, b: ordinal */
    WANT_TIP,     /* a: bid, for branch_tip() */
};

struct wanted {
    enum wanted_kind kind;
    int64_t a, b;
};

#endif
