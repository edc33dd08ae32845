/* Rows: what a backend keeps. Numbers and packed bodies; what the bodies mean is core/pack.h's
 * business. */
#ifndef STORE_ROWS_H
#define STORE_ROWS_H

#include <bough/model.h>

/* Records live in (session, kind, ordinal); session 0 is the store itself. Numbers are for ever. */
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
    RECORD_SEEN = 13,
    RECORD_QUARANTINE = 14, /* the bytes of a row that could not be read; see store/quarantine.c */
};

enum log_kind {
    LOG_SESSION_NEW = 1,
    /* An append's record and aux: its first call and how many; without a call: how many of its
     * messages were deleted from the start (a copy of a history with deletions). */
    LOG_APPEND =
        2, /* branch, depth: its last entry; n: how many; record: first call, aux: how many */
    LOG_SESSION = 3, /* title, model, ...: the session row changed */
    LOG_HEAD = 4,
    LOG_STATUS = 5, /* status, lease, archive */
    LOG_DELETE = 6,
    LOG_RESTORE = 7,
    LOG_PURGE = 8, /* bid: sid whose adjustment `record` takes the sum over (0: the store's) */
    LOG_ENTRY_DELETE = 9, /* branch, depth */
    LOG_ENTRY_RESTORE = 10,
    LOG_RECORD = 11, /* aux: record kind; record: ordinal */
    LOG_ADJUST = 12, /* record: ordinal of the adjustment; aux > 1: so many parents got a twin */
    LOG_CALL_DELETE = 13, /* record: the call's ordinal; aux: the adjustment's */
    LOG_OPEN = 14,        /* branch, depth: a message that is still being written */
    LOG_SEAL = 15,        /* branch, depth: it is whole now; record, aux: as an append's */
};

/* Identity of a session. `purged` rows are tombstones: their body is empty, the id answers "gone".
 */
struct session_row {
    int64_t sid;
    int64_t ver;    /* +1 at every change of this row */
    int64_t made;   /* the time in its id */
    int64_t chk;    /* the 16 random bits in its id */
    int64_t parent; /* sid, 0 when none */
    int64_t kind;
    bool purged;
    const char *slug; /* unique; "" only in tombstones */
    struct bough_str body;
};

/* The session's narrow row: where it is and who may write. Appending at a tip does not touch it. */
struct head_row {
    int64_t sid;
    int64_t ver;   /* +1 at every change of this row */
    int64_t bid;   /* 0: nowhere */
    int64_t depth; /* 0: the tip of bid, whatever it is; else exactly there */
    int64_t status;
    int64_t deleted; /* time, 0 when alive */
    int64_t lease_epoch, lease_since, lease_expires;
    const char *lease_owner;
};

/* bid owns depths base+1 ... tip; everything at or below base is read from parent. */
struct branch_row {
    int64_t bid, sid;
    int64_t parent; /* bid, 0: a root */
    int64_t base;
    int64_t cut; /* purged above this depth; -1: not purged */
};

struct entry_row {
    int64_t bid, depth;
    int64_t kind;
    int64_t mask; /* MASK_*: filters without touching the body */
    int64_t over; /* time of soft deletion, 0 when alive */
    struct bough_str body;
};

enum {
    MASK_PART = 1,       /* << part type: it has such a part (13 bits) */
    MASK_ROLE = 1 << 16, /* << role (8 bits) */
    MASK_USAGE = 1 << 24,
    MASK_UNLINKED = 1 << 25, /* the call that produced it was deleted */
    MASK_OPEN = 1 << 26, /* still being written: there is an open_row, and drafts hold its parts */
};

/* Who writes a message. The row goes when the message is sealed. */
struct open_row {
    int64_t bid, depth;
    int64_t sid;
    int64_t ver; /* +1 at every change of this row */
    int64_t epoch, since, expires;
    int64_t lease_ms;
    const char *owner;
    const char *process; /* see base/process.h: a dead one holds no lease */
};

/* Steps of an open message; see core/draft.h. */
struct draft_row {
    int64_t bid, depth;
    int64_t end;  /* the stream's offset behind it */
    int64_t step; /* number of its last step */
    struct bough_str body;
};

struct record_row {
    int64_t sid, kind, ord;
    int64_t ver;
    int64_t over;
    struct bough_str body;
};

/* What an id from elsewhere names. Unique per scope. */
enum alias_what {
    ALIAS_SESSION = 1,
    ALIAS_ENTRY = 2, /* the id it came with */
    ALIAS_RECORD = 3,
};
/* The id of the entry it was copied from. */
#define ALIAS_COPIED (1 << 8 | ALIAS_ENTRY)

struct alias_row {
    const char *id;
    int64_t scope; /* the session it was given in; 0 for sessions and places */
    int64_t what;  /* alias_what; records: kind << 8 | ALIAS_RECORD; copies: ALIAS_COPIED */
    int64_t a, b;  /* sid; bid, depth; sid, kind<<28|ord */
};

/* An idempotency key: what was asked, and the log row that answers. It holds for a week: a new one
 * with the same name takes the place of an expired one (expires <= the new one's expires -
 * KEY_DAYS_MS). */
#define KEY_DAYS_MS (INT64_C(7) * 24 * 3600 * 1000)

struct key_row {
    const char *key; /* principal, NUL-free separator 0x1f, session number, 0x1f, key */
    char hash[32];   /* of the request */
    int64_t no;
    int64_t expires;
    int64_t bid, depth; /* the head it left, when that was not its last entry; 0 otherwise */
};

struct log_row {
    int64_t no; /* the last number it took */
    int64_t n;  /* how many */
    int64_t sid;
    int64_t kind;
    int64_t time;
    int64_t bid, depth, record, aux;
};

/* Derived: what lists filter, order and show. `applied` of the watermark says up to which no. */
struct list_row {
    int64_t sid;
    int64_t kind, status, project, workspace, account, parent;
    int64_t created, updated, modified, deleted;
    const char *role_name, *provider_path, *model_provider, *model_name;
    const char *hay;       /* folded slug, title, project, first user text, separated by newlines */
    struct bough_str body; /* counts, totals, previews */
};

/* Bytes that are kept once, however many entries show them. */
enum blob_state {
    BLOB_WRITING = 0, /* nobody sees it */
    BLOB_LOOSE = 1,   /* whole; the sweep looks whether anybody links it */
    BLOB_LINKED = 2,  /* it was linked; a purge that removes a link makes it loose again */
};

struct blob_row {
    int64_t bno;
    int64_t state;
    int64_t size;
    int64_t since; /* when somebody last stored it who may still link it; 0: long ago */
    unsigned char hash[32];
};

struct chunk_row {
    int64_t bno, index;
    int64_t sum; /* CRC-32C of the body */
    struct bough_str body;
};

/* An entry shows a blob. */
struct link_row {
    int64_t bid, depth, bno;
};

/* Derived: a document of the full text. Backends keep what they find words by; the words of an
 * entry are made again from its body when they are needed, those of a title are kept. */
struct search_words; /* core/search.h */
struct text_row {
    int64_t no;         /* the entry's number; of a title: that of the change that set it */
    int64_t bid, depth; /* the entry; of a title: 0, and the session's number */
    int64_t time;
    int64_t role, kind;               /* of an entry; only when writing */
    const struct search_words *words; /* NULL: there are none. Of an entry: only when writing */
};

/* What documents are ordered by, newest first. A change may set a title and add an entry. */
static inline int64_t text_order(const struct text_row *row)
{
    return 2 * row->no + (row->bid == 0);
}

enum raw_table {
    RAW_SESSION,
    RAW_HEAD,
    RAW_BRANCH,
    RAW_ENTRY,
    RAW_RECORD,
    RAW_ALIAS,
    RAW_KEY,
    RAW_LOG,
    RAW_LIST,
    RAW_OPEN,
    RAW_DRAFT,
    RAW_BLOB,
    RAW_CHUNK,
    RAW_LINK,
    RAW_TEXT,
    RAW_TABLES, /* how many there are */
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
        struct log_row log;
        struct list_row list;
        struct open_row open;
        struct draft_row draft;
        struct blob_row blob;
        struct chunk_row chunk;
        struct link_row link;
        struct text_row text;
    } u;
};

#endif
