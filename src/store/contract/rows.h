/* The rows a backend stores. A backend sees numbers and opaque bodies; core/pack/pack.h and
 * core/pack/bodies.h define what a body contains. */
#ifndef STORE_CONTRACT_ROWS_H
#define STORE_CONTRACT_ROWS_H

#include <bough/model.h>

#include "core/pack/spend.h"

/*
 * The numbers of the enums in this file are stored: add at the end with the next
 * number, never renumber, never reuse. An older bough cannot handle a new number, so add a
 * migration with it; see CONTRIBUTING.md. Views and indexes in the migrations name some of these
 * numbers.
 */

/* A record is addressed by (session, kind, ordinal). Session 0 is the store itself. */
enum record_kind {
    RECORD_CALL = 1,
    RECORD_ADJUST = 2,
    RECORD_MEMORY = 3,
    RECORD_LABEL = 4,
    RECORD_TODO = 5,
    RECORD_QUEUE = 6,
    RECORD_TOKEN = 7,
    RECORD_AUDIT = 8,
    RECORD_SOURCE = 9,
    RECORD_PROJECT = 10,
    RECORD_WORKSPACE = 11,
    RECORD_ACCOUNT = 12,
    RECORD_ORDER = 13,      /* of session 0: runs and approvals in order; see run/run.h */
    RECORD_QUARANTINE = 14, /* bytes of an unreadable row; see quarantine.c */
    RECORD_STATE = 15,      /* by name: what the store remembers of itself, see notes/state.h; runs,
                               approvals and grants, see run/run.h */
    RECORD_LAST = RECORD_STATE,
};
_Static_assert(RECORD_LAST < 16, "a record's kind has 4 bits in its id and in its key");

/* Kinds of changelog rows, with the members of the row that each one uses. */
enum changelog_kind {
    CHANGELOG_SESSION_NEW = 1, /* chk */
    CHANGELOG_APPEND = 2,      /* bid, depth: last entry; n; record, ncalls; or ndeleted */
    CHANGELOG_SESSION = 3,     /* the session row changed (title, model, ...) */
    CHANGELOG_HEAD = 4,
    CHANGELOG_STATUS = 5, /* status, lease, archive */
    CHANGELOG_DELETE = 6,
    CHANGELOG_RESTORE = 7,
    CHANGELOG_PURGE = 8,        /* heir, record */
    CHANGELOG_ENTRY_DELETE = 9, /* bid, depth */
    CHANGELOG_ENTRY_RESTORE = 10,
    CHANGELOG_RECORD = 11,      /* record_kind, record */
    CHANGELOG_ADJUST = 12,      /* record, nsessions */
    CHANGELOG_CALL_DELETE = 13, /* record: the call; adjustment */
    CHANGELOG_OPEN = 14,        /* bid, depth: the open message; n - 1 entries before it */
    CHANGELOG_SEAL = 15,        /* bid, depth: the sealed message; record, ncalls */
    CHANGELOG_REPRICE = 16,     /* record: the call; reprice: which of its old prices it had */
    CHANGELOG_RUN = 17,         /* record: the run; ended; with bid: and its prompt, as APPEND */
    CHANGELOG_APPROVAL = 18,    /* record: the approval */
    CHANGELOG_LAST = CHANGELOG_APPROVAL,
};

/* Identity of a session. A row with `purged` set is a tombstone: empty body, and lookups of the id
 * fail with BOUGH_GONE. */
struct session_row {
    int64_t sid;
    int64_t ver;    /* incremented by every change of this row */
    int64_t made;   /* creation time encoded in the id */
    int64_t chk;    /* the 16 random check bits of the id */
    int64_t parent; /* parent session's sid; 0: none */
    int64_t kind;
    bool purged;
    const char *slug; /* unique; "" only in tombstones */
    struct bough_str body;
};
#define RECOVERED_TITLE "Recovered" /* of a session whose body is lost */

/* The mutable state of a session: head, status, lease. Kept apart from session_row because it
 * changes often. An append at the tip of the head's branch does not change it. */
struct head_row {
    int64_t sid;
    int64_t ver;   /* incremented by every change of this row */
    int64_t bid;   /* 0: the session has no head */
    int64_t depth; /* 0: the tip of bid, wherever that is; otherwise pinned to this depth */
    int64_t status;
    int64_t deleted; /* deletion time; 0: not deleted */
    int64_t lease_epoch, lease_since, lease_expires;
    const char *lease_owner;
};

/* Branch bid owns depths base+1 to its tip. Depths up to base are read from the parent branch. */
struct branch_row {
    int64_t bid, sid;
    int64_t parent; /* parent bid; 0: a root */
    int64_t base;
    int64_t cut; /* entries deeper than this are purged; -1: not purged */
};

struct entry_row {
    int64_t bid, depth;
    int64_t kind;
    int64_t mask;    /* MASK_* bits, for filtering without reading the body */
    int64_t deleted; /* soft deletion time; 0: not deleted */
    struct bough_str body;
};

enum {
    MASK_PART = 1,       /* << part type: the entry has such a part (16 bits) */
    MASK_ROLE = 1 << 16, /* << role (8 bits) */
    MASK_USAGE = 1 << 24,
    MASK_UNLINKED = 1 << 25, /* the call that produced it was deleted */
    MASK_OPEN = 1 << 26,    /* an open message: it has an open_row, and draft rows hold its parts */
    MASK_FAILED = 1 << 27,  /* its outcome is BOUGH_OUTCOME_ERROR */
    MASK_STOPPED = 1 << 28, /* its outcome is BOUGH_OUTCOME_INTERRUPTED */
};
/* << how many errors a message has. Like the two bits above, 0 in entries of older versions. */
#define MASK_ERRORS 32
#define MASK_OUTCOME (MASK_FAILED | MASK_STOPPED | INT64_C(0x1fff) << MASK_ERRORS)
_Static_assert(MASK_PART << BOUGH_PART_LAST < MASK_ROLE, "16 bits of the mask are part types");
_Static_assert(MASK_ROLE << BOUGH_ROLE_LAST < MASK_USAGE, "8 bits of the mask are roles");

/* Lease of an open message. The row is removed when the message is sealed. */
struct open_row {
    int64_t bid, depth;
    int64_t sid;
    int64_t ver; /* incremented by every change of this row */
    int64_t epoch, since, expires;
    int64_t lease_ms;
    const char *owner;
    const char *process; /* collects the steps; see base/os/process.h */
    int64_t client;      /* 1: the lease outlives `process`; 0: it ends with it */
    const char *wanted;  /* the process that asks `process` to hand the message over, or "" */
};

/* Saved steps of an open message; see core/part/draft.h. */
struct draft_row {
    int64_t bid, depth;
    int64_t end;  /* stream offset just after this draft */
    int64_t step; /* number of the draft's last step */
    struct bough_str body;
};

/* A note, call or group row; `kind` is an enum record_kind. ord counts from 1 per (sid, kind). */
struct record_row {
    int64_t sid, kind, ord;
    int64_t ver;
    int64_t deleted;
    struct bough_str body;
};

/* The kind of object that a foreign id refers to. An id is unique within its scope. */
enum alias_what {
    ALIAS_SESSION = 1,
    ALIAS_ENTRY = 2, /* id supplied with the entry */
    ALIAS_RECORD = 3,
    ALIAS_LAST = ALIAS_RECORD,
};
_Static_assert(ALIAS_LAST < 256, "alias_row.what has 8 bits for it");
/* Id of the entry that this entry was copied from. */
#define ALIAS_COPIED (1 << 8 | ALIAS_ENTRY)

/* Who gave a session its id. From 2 on it is the number of the format that it was imported from
 * (formats/common/format.h). */
enum origin_from {
    ORIGIN_UNKNOWN = 0, /* written by bough 0.1, or restored by repair */
    ORIGIN_CALLER = 1,
};

struct alias_row {
    const char *id;
    int64_t scope; /* session the id belongs to; 0 for sessions and groups */
    int64_t what;  /* alias_what; for records kind << 8 | ALIAS_RECORD; for copies ALIAS_COPIED */
    int64_t a, b;  /* session: sid, origin_from; entry: bid, depth; record: sid, kind << 28 | ord */
};

/* An idempotency key with the hash of its request and the changelog number that answers a repeat. A
 * key is valid for a week. A put replaces an expired key of the same name: one whose expires <= the
 * new expires - KEY_DAYS_MS. */
#define KEY_DAYS_MS (INT64_C(7) * 24 * 3600 * 1000)

struct key_row {
    const char *key; /* principal, 0x1f, session number, 0x1f, caller's key */
    char hash[32];   /* SHA-256 of the request */
    int64_t no;
    int64_t expires;
    int64_t bid, depth; /* resulting head, if that is not the request's last entry; else 0 */
};

/* A commit: it takes numbers no-n+1 ... no. Two columns have a name for each of their meanings. */
struct changelog_row {
    int64_t no; /* last number of this commit */
    int64_t n;  /* how many numbers it took */
    int64_t sid;
    int64_t kind;
    int64_t time;
    union {
        int64_t bid;
        int64_t heir; /* PURGE: the session that takes over the spending; 0: the store */
    };
    int64_t depth;
    int64_t record; /* ordinal of a record; APPEND, SEAL: of its first call, 0 without calls */
    union {
        int64_t aux;         /* the column */
        int64_t chk;         /* SESSION_NEW: the check bits of its id, + 1; 0: not kept */
        int64_t ncalls;      /* APPEND, SEAL, with calls */
        int64_t ndeleted;    /* APPEND without calls: messages deleted before they were copied */
        int64_t record_kind; /* RECORD */
        int64_t nsessions;   /* ADJUST: sessions that got the adjustment */
        int64_t adjustment;  /* CALL_DELETE: ordinal of the adjustment that replaces the call */
        int64_t reprice;     /* REPRICE: number of the old price in call_body.was, from 0 */
        int64_t ended;       /* RUN: ordinal of the run that ended with the same txn; 0: none */
    };
};

/* Derived: a session as lists filter, sort and show it. Complete up to the watermark. */
struct list_row {
    int64_t sid;
    int64_t kind, status, project, workspace, account, parent;
    int64_t created, updated, modified, deleted;
    const char *role_name, *provider_path, *model_provider, *model_name;
    const char *hay;            /* case-folded slug, title, project and first user text,
                                   newline-separated */
    struct bough_str body;      /* counts, totals, previews */
    int64_t errors, last_state; /* see struct bough_session */
    int64_t cost;               /* rolled up, in nano-USD */
    const char *last_model;     /* of the last call */
};

/* Content-addressed bytes of an attachment, stored once for all entries that show it. */
enum blob_state {
    BLOB_WRITING = 0, /* incomplete and invisible */
    BLOB_LOOSE = 1,   /* complete; the sweep removes it unless it is linked */
    BLOB_LINKED = 2,  /* linked; a purge that removes a link sets BLOB_LOOSE again */
    BLOB_LAST = BLOB_LINKED,
};

struct blob_row {
    int64_t bno;
    int64_t state;
    int64_t size;
    int64_t since; /* last upload that may still be linked; 0: not protected from the sweep */
    unsigned char hash[32];
};

struct chunk_row {
    int64_t bno, index;
    int64_t sum; /* CRC-32C of the body */
    struct bough_str body;
};

/* Entry (bid, depth) shows blob bno. */
struct link_row {
    int64_t bid, depth, bno;
};

/* Derived: a document of the full-text index. A backend stores only what it needs to find words.
 * The words of an entry are computed again from its body; the words of a title are stored. */
struct search_words; /* core/search/search.h */
struct fulltext_row {
    int64_t no;         /* changelog number of the entry, or of the change that set the title */
    int64_t bid, depth; /* the entry's slot; for a title 0 and the sid */
    int64_t time;
    int64_t role, kind;               /* of an entry; set for writing only */
    const struct search_words *words; /* NULL: no words. For an entry: set for writing only */
};

/* Sort key of documents, newest first. One change may set a title and add an entry under the same
 * number; the title then sorts as the newer one. */
static inline int64_t fulltext_order(const struct fulltext_row *row)
{
    return 2 * row->no + (row->bid == 0);
}

/* Derived: a key under which a request of a client finds what it goes on from; see
 * core/match/chain.h. Written with the entry that it is derived from, and only added. */
enum { SEEN_KEY_BYTES = 16 };
struct seen_row {
    unsigned char key[SEEN_KEY_BYTES];
    int64_t no;         /* changelog number of the txn that added it */
    int64_t bid, depth; /* the entry; bid 0: the session with the number `depth` */
    int64_t strict;     /* of a reply: the strict chain; else 0 */
};

/* The counters and metadata of a store, for migration. */
struct raw_numbers {
    int64_t no, sessions, branches, blobs; /* the highest number assigned so far, of each kind */
    int64_t lists;                         /* watermark of the list rows */
    int64_t epoch;
    const char *store_id;
    const char *moving; /* progress of a migration into this store; "": none is running */
};

#endif
