/* A txn: what the store asks a backend to write, all or nothing. Part of the contract in backend.h.
 */
#ifndef STORE_TXN_H
#define STORE_TXN_H

#include "store/rows.h"

/* Numbers that do not exist before the commit: the session, the k-th branch, the k-th record it
 * makes. */
enum { NEW_SESSION = -1 };
#define NEW_BRANCH(k) (-1 - (int64_t)(k)) /* k from 0 */
#define NEW_RECORD(k) (-1 - (int64_t)(k))

enum change_op {
    CHANGE_SESSION_NEW, /* session: sid ignored; head: its head row, sid ignored */
    CHANGE_SESSION_SET, /* session: ver is the one that was read */
    CHANGE_BRANCH_NEW,  /* branch: bid ignored */
    CHANGE_HEAD_SET,    /* head: ver is the one that was read */
    CHANGE_ENTRY_ADD,   /* entry: depth must be its branch's tip + 1 */
    CHANGE_ENTRY_OVER,  /* entry: bid, depth, over and mask: what may change of it */
    CHANGE_ENTRY_SEAL,  /* entry: mask and body of one that was open; body keeps its number */
    CHANGE_OPEN_ADD,    /* open: of an entry this txn adds */
    CHANGE_OPEN_SET,    /* open: ver is the one that was read */
    CHANGE_OPEN_DEL,    /* open: bid, depth, and the ver that was read; its drafts go with it */
    CHANGE_DRAFT_ADD,   /* draft */
    CHANGE_RECORD_PUT,  /* record: ord 0 makes a new one; else ver is the one that was read */
    CHANGE_ALIAS_ADD,   /* alias */
    CHANGE_ALIAS_DEL,   /* alias: id, scope */
    CHANGE_KEY_PUT,     /* key: no is filled in with the log row's */
    CHANGE_LIST_PUT,    /* list */
    CHANGE_LIST_DEL,    /* list: sid */
    CHANGE_WATERMARK,   /* watermark: the lists are applied up to this no */
    CHANGE_BLOB_LINK,   /* link: bid, depth and hash; lost when no whole blob has it */
    CHANGE_TEXT_PUT,    /* text: instead of what its entry or title had; without words: only that
                           away. Nothing when the entry is not there (any more), or the session is
                           purged */
    CHANGE_TEXT_MARK,   /* watermark: the text is applied up to this no */
    CHANGE_TEXT_CLEAR,  /* no document, and nothing applied */
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
        struct entry_row entry; /* body is patched in place: see core/pack.h, pack_entry_patch() */
        struct record_row record;
        struct alias_row alias;
        struct key_row key;
        struct list_row list;
        struct open_row open;
        struct draft_row draft;
        struct text_row text;
        int64_t watermark;
        struct {
            int64_t bid, depth;
            const unsigned char *hash;
        } link;
    } u;
    int call_new; /* ENTRY_ADD, ENTRY_SEAL: k > 0: its call is the k-th record this txn makes; 0: as
                     packed */
};

enum guard_op {
    GUARD_HEAD,      /* head row `sid` still has version `a` */
    GUARD_ENTRY,     /* entry (a, b) is there */
    GUARD_WATERMARK, /* the watermark is still `a` */
    GUARD_OPEN,      /* open row (a, b) still has version `sid` */
    GUARD_TEXT,      /* that of the text is */
};

struct guard {
    enum guard_op op;
    int64_t sid, a, b;
};

enum txn_state {
    TXN_DONE,
    TXN_LOST, /* a guard, a version, a uniqueness or a tip did not hold; nothing of this txn was
                 written */
};

/* One all-or-nothing change. Changes are applied in order. Exactly one log row, unless log.kind is
 * 0 (projections only). */
struct txn {
    const struct guard *guards;
    size_t nguards;
    struct change *changes;
    size_t nchanges;
    struct log_row log; /* no is assigned; n numbers are taken; bid, depth, record may be NEW_* */
    bool relaxed;       /* may be lost in a power failure (projections) */

    /* answers */
    enum txn_state state;
    const char *lost; /* what did not hold, a literal: "head", "slug", "alias", "key", ... */
    int64_t sid;      /* the session it made */
    int64_t bids[8];  /* the branches it made (the first 8) */
    int64_t ords[8];  /* the records it made (the first 8) */
    int64_t no;       /* the last number it took */
};

#endif
