/* A txn: what a backend must write, all or nothing. Part of the contract in backend.h. */
#ifndef STORE_CONTRACT_TXN_H
#define STORE_CONTRACT_TXN_H

#include "store/contract/rows.h"

/* Placeholders for numbers that the commit assigns: to the new session, the k-th new branch, the
 * k-th new record. */
enum { NEW_SESSION = -1 };
#define NEW_BRANCH(k) (-1 - (int64_t)(k)) /* k from 0 */
#define NEW_RECORD(k) (-1 - (int64_t)(k))

enum change_op {
    CHANGE_SESSION_NEW,    /* session and its head row; sid is assigned */
    CHANGE_SESSION_SET,    /* session; ver: the version that was read */
    CHANGE_BRANCH_NEW,     /* branch; bid is assigned */
    CHANGE_HEAD_SET,       /* head; ver: the version that was read */
    CHANGE_ENTRY_ADD,      /* entry; depth must be the branch's tip + 1 */
    CHANGE_ENTRY_SET,      /* entry: bid, depth, deleted, mask; the body stays */
    CHANGE_ENTRY_SEAL,     /* entry: mask and body of an open entry; the body keeps its number */
    CHANGE_OPEN_ADD,       /* open, of an entry that this txn adds */
    CHANGE_OPEN_SET,       /* open; ver: the version that was read */
    CHANGE_OPEN_DEL,       /* open: bid, depth, the version that was read; removes the drafts too */
    CHANGE_DRAFT_ADD,      /* draft */
    CHANGE_RECORD_PUT,     /* record; ord 0 adds one, else ver is the version that was read */
    CHANGE_ALIAS_ADD,      /* alias */
    CHANGE_ALIAS_DEL,      /* alias: id, scope */
    CHANGE_KEY_PUT,        /* key; no is set to that of the changelog row */
    CHANGE_LIST_PUT,       /* list */
    CHANGE_LIST_DEL,       /* list: sid */
    CHANGE_WATERMARK,      /* watermark: the lists are applied up to this number */
    CHANGE_BLOB_LINK,      /* link: bid, depth, hash; lost when no complete blob has that hash */
    CHANGE_FULLTEXT_PUT,   /* text: replaces the document of its entry or title; without words it is
                              removed. Ignored when the entry or the session is gone */
    CHANGE_FULLTEXT_MARK,  /* watermark: the full text is applied up to this number */
    CHANGE_FULLTEXT_CLEAR, /* removes all documents and resets the watermark */
    CHANGE_SPEND_ADD, /* spend: adds its numbers to the row of its key; sums end at INT64_MAX. A txn
                         has each key at most once */
    CHANGE_SPEND_DROP,  /* spend: sid; removes its rows */
    CHANGE_SPEND_CLEAR, /* removes all spend rows */
    CHANGE_SEEN_ADD,    /* seen; no 0 becomes that of the changelog row. A txn has each key and no
                           at most once */
    CHANGE_SEEN_CLEAR,  /* removes all seen rows */
};

struct change {
    enum change_op op;
    union {
        struct {
            struct session_row row;
            struct head_row head;
        } session;
        struct head_row head;
        struct branch_row branch;
        struct entry_row
            entry; /* body is patched in place: see core/pack/pack.h, pack_entry_patch() */
        struct record_row record;
        struct alias_row alias;
        struct key_row key;
        struct list_row list;
        struct open_row open;
        struct draft_row draft;
        struct fulltext_row text;
        struct spend_row spend;
        struct seen_row seen; /* depth may be NEW_SESSION when bid is 0 */
        int64_t watermark;
        struct {
            int64_t bid, depth;
            const unsigned char *hash;
        } link;
    } u;
    int call_new; /* ENTRY_ADD, ENTRY_SEAL: k > 0: its call is the k-th new record; 0: as packed */
};

enum guard_op {
    GUARD_HEAD,      /* a head row still has this version */
    GUARD_ENTRY,     /* an entry exists */
    GUARD_WATERMARK, /* the lists are still applied up to this number */
    GUARD_OPEN,      /* an open message's row still has this version */
    GUARD_FULLTEXT,  /* the full text is still applied up to this number */
    GUARD_NO_SLUG,   /* no session has this slug */
    GUARD_NO_ALIAS,  /* no alias of the store (scope 0) has this id */
    GUARD_SEEN,      /* the newest seen row of this key still has this number; 0: there is none */
};

struct guard {
    enum guard_op op;
    int64_t sid;              /* HEAD */
    struct bough_head entry;  /* ENTRY, OPEN */
    int64_t ver;              /* HEAD, OPEN */
    int64_t applied;          /* WATERMARK, FULLTEXT, SEEN */
    const char *name;         /* NO_SLUG, NO_ALIAS; lives as long as the txn */
    const unsigned char *key; /* SEEN; lives as long as the txn */
};

static inline struct guard guard_head(int64_t sid, int64_t ver)
{
    return (struct guard){ .op = GUARD_HEAD, .sid = sid, .ver = ver };
}

static inline struct guard guard_entry(int64_t bid, int64_t depth)
{
    return (struct guard){ .op = GUARD_ENTRY, .entry = { bid, depth } };
}

static inline struct guard guard_open(int64_t bid, int64_t depth, int64_t ver)
{
    return (struct guard){ .op = GUARD_OPEN, .entry = { bid, depth }, .ver = ver };
}

static inline struct guard guard_watermark(int64_t applied)
{
    return (struct guard){ .op = GUARD_WATERMARK, .applied = applied };
}

static inline struct guard guard_fulltext(int64_t applied)
{
    return (struct guard){ .op = GUARD_FULLTEXT, .applied = applied };
}

static inline struct guard guard_no_slug(const char *slug)
{
    return (struct guard){ .op = GUARD_NO_SLUG, .name = slug };
}

static inline struct guard guard_no_alias(const char *id)
{
    return (struct guard){ .op = GUARD_NO_ALIAS, .name = id };
}

static inline struct guard guard_seen(const unsigned char *key, int64_t no)
{
    return (struct guard){ .op = GUARD_SEEN, .key = key, .applied = no };
}

enum txn_state {
    TXN_DONE,
    TXN_LOST, /* a guard, version, unique name or tip did not hold; nothing was written */
};

/* One all-or-nothing unit. Changes are applied in order. Writes one changelog row, or none when
 * log.kind is 0 (projections). */
struct txn {
    const struct guard *guards;
    size_t nguards;
    struct change *changes;
    size_t nchanges;
    struct changelog_row
        log;      /* no is assigned; n numbers are taken; bid, depth, record may be NEW_* */
    bool relaxed; /* a power failure may undo it (projections) */

    /* results */
    enum txn_state state;
    const char *lost; /* what did not hold: "head", "slug", "alias", "key", ... */
    int64_t sid;      /* the new session */
    int64_t bids[8];  /* the first 8 new branches */
    int64_t ords[8];  /* the first 8 new records */
    int64_t no;       /* the last number it took */
};

#endif
