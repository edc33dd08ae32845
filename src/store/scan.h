/* What is asked of a backend: lists, documents, ranges of entries, and who gets the rows. Part of
 * the contract in backend.h. */
#ifndef STORE_SCAN_H
#define STORE_SCAN_H

#include "store/rows.h"

enum list_order { ORDER_CREATED, ORDER_UPDATED, ORDER_MODIFIED };

/* All given conditions hold; numbers are 0 and text is "" when not asked for. */
struct list_query {
    int64_t project, workspace, account, parent;
    int64_t kinds;    /* bit per session kind; 0: all */
    int64_t statuses; /* bit per status; 0: all */
    bool roots;
    bool alive, dead; /* alive: only not deleted; dead: only deleted */
    const char *role_name, *provider_path, *model_provider, *model_name;
    int64_t created_from, created_to, updated_from, updated_to;
    const char *hay; /* folded; part of list_row.hay */
    enum list_order order;
    bool after_set;
    int64_t after_key, after_sid; /* keyset cursor: strictly older than this */
};

/* What a query asks for, by number: a bit in list_asks(), and the place of its value in SQL. */
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
    ASKS_COUNT,
};
uint64_t list_asks(const struct list_query *q);
/* A bit each: living primaries, living subagents, deleted primaries, deleted subagents. */
unsigned list_arms(const struct list_query *q);

struct search_query; /* core/search.h */

/* Documents in which all terms hold, of one of the roles and kinds, within the times and ... */
struct text_query {
    const struct search_query *q; /* session, project and branch are not looked at */
    int64_t before;               /* ... with a smaller text_order() */
    bool within; /* ... of these branches, or titles of these sessions; both may be empty */
    const int64_t *bids, *sids;
    size_t nbids, nsids;
};

/* Rows come in pieces: return false to stop. What `row` points to lives until the callback returns.
 */
typedef bool (*session_fn)(void *user, const struct session_row *row);
typedef bool (*branch_fn)(void *user, const struct branch_row *row);
typedef bool (*entry_fn)(void *user, const struct entry_row *row);
typedef bool (*record_fn)(void *user, const struct record_row *row);
typedef bool (*alias_fn)(void *user, const struct alias_row *row);
typedef bool (*log_fn)(void *user, const struct log_row *row);
typedef bool (*list_fn)(void *user, const struct list_row *row);
typedef bool (*open_fn)(void *user, const struct open_row *row);
typedef bool (*draft_fn)(void *user, const struct draft_row *row);
typedef bool (*link_fn)(void *user, const struct link_row *row);
typedef bool (*text_fn)(void *user, const struct text_row *row);
typedef bool (*raw_fn)(void *user, const struct raw_row *row);
/* Bytes copied so far, of how many; false: stop. */
typedef bool (*copy_fn)(void *user, int64_t done, int64_t total);

struct entry_range {
    int64_t bid, from, to; /* depths, inclusive */
    bool backwards;
    int64_t kinds; /* bit per entry kind; 0: all */
    int64_t mask;  /* one of these bits; 0: all */
    bool deleted;  /* soft-deleted ones too */
    bool fronts;   /* only pack_entry_head() looks at them: a body may lack its parts */
};

/* What will be asked for, one by one; see backend_ops.ahead. */
enum wanted_kind {
    WANT_SESSION, /* a: sid; its row and its head */
    WANT_LIST,    /* a: sid */
    WANT_BRANCH,  /* a: bid */
    WANT_ENTRY,   /* a: bid, b: depth */
    WANT_FRONT,   /* the same, by an entry_range of fronts */
    WANT_CALL,    /* a: sid, b: ordinal */
};

struct wanted {
    enum wanted_kind kind;
    int64_t a, b;
};

#endif
