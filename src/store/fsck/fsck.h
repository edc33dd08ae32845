/*
 * fsck inside: what its passes share. Each pass reads one raw table in key order; nothing here uses
 * the store's other readers, so that a mistake in them is found and not repeated.
 *
 * Memory grows with sessions, branches, places, notes and (8 bytes each) calls, never with
 * entries: entries are streamed, and what must be compared with another table is summed up per
 * branch on both sides. Only when two sums differ is the damaged branch read again, row by row
 * (locate.c).
 */
#ifndef STORE_FSCK_H
#define STORE_FSCK_H

#include "base/hash.h"
#include "core/bodies.h"
#include "core/pack.h"
#include "store/engine.h"

/* One rule each; codes, severities and sentences are in rules.c, in this order. */
enum fsck_rule {
    RULE_ENGINE,
    RULE_VALUE,
    RULE_GHOST,
    RULE_PLACE,
    RULE_DEPTH,
    RULE_GAP,
    RULE_HEAD,
    RULE_TIME,
    RULE_MNO,
    RULE_PURGE,
    RULE_PARENT,
    RULE_CYCLE,
    RULE_BRANCH,
    RULE_FORK,
    RULE_FORK_PARENT,
    RULE_KEPT,
    RULE_MARKER,
    RULE_NOTE,
    RULE_TOTALS,
    RULE_CALL,
    RULE_TEXT,
    RULE_LIST,
    RULE_LOG,
    RULE_KEY,
    RULE_ALIAS,
    RULE_OPEN,
    RULE_BLOB,
    RULE_LINK,
    RULE_QUARANTINE,
    RULES,
};

struct fsck_rule_row {
    const char *code; /* stable for ever */
    bool error;       /* false: a warning */
    const char *sentence;
};

extern const struct fsck_rule_row fsck_rules[RULES];

/* A preview: of which entry it is, and what it says. */
struct fsck_preview {
    int64_t no; /* 0: there is none */
    uint64_t text;
};

struct fsck_session {
    int64_t sid, parent, kind;
    bool purged, gone; /* gone: the log has come to its purge */
    bool has_head, has_list;
    bool aliased;  /* its origin has an alias */
    bool leftover; /* purged, and rows of it are still there: said once */
    bool pending;  /* the log goes on behind the watermark: its list row is behind, too */
    bool shaky;    /* the same for its totals: it, or a session below it, is pending or damaged */
    bool doubt;    /* its own rows are damaged: what is derived from them is not compared */
    size_t first, last; /* its branches, index + 1; they are chained by fsck_branch.next */

    /* head row */
    int64_t bid, depth, status, deleted;
    /* body */
    int64_t fork_bid, fork_depth, project, workspace, account, created, totals_mode;
    bool forked, fork_id; /* fork_id: the fork point's id says the same */
    uint64_t origin;      /* hash, 0: none */
    uint64_t names;       /* hash of role, provider path and model */
    uint64_t title;       /* hash of the folded slug and title, as they begin the list row's hay */
    size_t title_n;
    uint64_t title_words; /* hash of what a search finds it by, 0: nothing */
    bool title_found;     /* it has a document */

    /* what is derived, recomputed */
    struct bough_totals own, below, adjust, rolls;
    int64_t messages, calls, modified, updated, rev;
    int64_t call_time, call_ord, call_cost;
    uint64_t call_names;
    struct fsck_preview first_user, last_user, last_agent;
};

struct fsck_branch {
    struct branch_row row;
    size_t next;               /* the session's next branch, index + 1 */
    bool hangs;                /* its parent is there and may own its base */
    bool doubt;                /* an entry is missing or cannot be read: sums are not compared */
    bool log_doubt;            /* the log's rows of it do not continue each other */
    bool said;                 /* that it still has entries above the cut */
    int64_t tip;               /* its base when it has no entries */
    int64_t base_no, base_mno; /* of what it hangs on; -1: not known */
    int64_t logged;            /* up to here log rows have appended */
    uint64_t entry_sum, log_sum, origin_sum, alias_sum;
    uint64_t words_sum, text_sum; /* entries with words, and documents */
    bool text_doubt;              /* an entry is not what it should be: neither are its words */
};

/* The calls of a session are a run of f->calls, by ordinal. */
struct fsck_call {
    uint32_t id; /* fsck_call_id(); 0: it cannot be read */
    uint32_t ord : 31, deleted : 1;
};

/* What a record points to, looked at when everything has been read. */
struct fsck_note {
    int64_t sid, kind, ord;
    int64_t a, b; /* label: branch, depth; memory: project */
};

struct fsck_place {
    int64_t kind, ord, over;
    const char *name;
};

/* A lease on a message; there are few. */
struct fsck_open {
    int64_t bid, depth;
    bool met; /* the entry says that it is open */
};

struct fsck_blob {
    struct blob_row row;
    int64_t next, bytes; /* of its pieces */
    bool doubt, linked;
};

struct fsck_key {
    int64_t no, sid;
};

struct fsck {
    const struct backend_ops *ops;
    struct view *v;
    enum bough_fsck_level level;
    void (*found)(void *user, const struct bough_finding *finding);
    void *user;
    struct bough_fsck_report *report;
    struct bough_error *err;
    int64_t now;
    int64_t watermark, text_mark, last_no;
    bool log_doubt; /* the log is damaged: what is derived from it is not compared */

    struct bough_arena *keep, *tmp; /* tmp is emptied at every row */
    struct fsck_session *sessions;
    size_t nsessions, sessions_cap;
    struct map by_sid; /* sid -> index */
    struct smap slugs;
    struct fsck_branch *branches;
    size_t nbranches, branches_cap;
    struct map by_bid;
    struct fsck_call *calls;
    size_t ncalls, calls_cap;
    struct map calls_of; /* sid -> first index << 32 | how many */
    struct fsck_note *notes;
    size_t nnotes, notes_cap;
    struct map places;       /* kind << 32 | ordinal -> struct fsck_place *; sources too */
    int64_t waits_of, waits; /* a session, and the first prompt that waits in its queue */
    struct fsck_key *keys;
    size_t nkeys, keys_cap;
    struct fsck_open *opens; /* by place */
    size_t nopens, opens_cap;
    struct fsck_blob *blobs;
    size_t nblobs, blobs_cap;
    struct map by_bno;
    struct smap by_hash; /* of whole ones -> bno */
    struct map shown;    /* entry and attachment -> entry, until its link passes */
    struct map unread;   /* entries whose parts are not known */
};

/* ---- rules.c ---- */

/* Said only when there is something to say: this is made for every row that is looked at. */
struct fsck_where {
    const char *before, *text; /* what it is; its name, or NULL: its numbers, with dots between */
    int64_t numbers[3];
    int n;
};

struct fsck_where at_engine(void);
struct fsck_where at_session(int64_t sid);
struct fsck_where at_branch(int64_t bid);
struct fsck_where at_entry(int64_t bid, int64_t depth);
struct fsck_where at_record(int64_t sid, int64_t kind, int64_t ord);
struct fsck_where at_log(int64_t no);
struct fsck_where at_number(const char *what, int64_t n);      /* "attachment 7" */
struct fsck_where at_text(const char *what, const char *text); /* "alias abc" */
void fsck_where_text(const struct fsck_where *w, char *to, size_t cap);

/* A finding: where, and a sentence about it. */
void fsck_say(struct fsck *f, enum fsck_rule rule, struct fsck_where where, const char *fmt, ...)
    BOUGH_PRINTF(4, 5);

/* What a search finds a title by, hashed; 0: nothing. */
uint64_t fsck_title_words(struct fsck *f, const char *title);
/* An entry that a search should find. */
void fsck_words(struct fsck *f, struct fsck_branch *b, const struct entry_row *row,
                const struct bough_entry *e);

/* Texts of a packed struct are UTF-8, its raw JSON is JSON. False: said so. */
bool fsck_texts(struct fsck *f, struct fsck_where where, const struct body_field *table,
                const void *body);
bool fsck_text(struct fsck *f, struct fsck_where where, const char *what, struct bough_str s);
bool fsck_json(struct fsck *f, struct fsck_where where, const char *what, struct bough_str s);
/* A number within what it may be. False: said so. */
bool fsck_range(struct fsck *f, struct fsck_where where, const char *what, int64_t v, int64_t min,
                int64_t max);

/* ---- fsck.c ---- */

/* NULL: no such row. */
struct fsck_session *fsck_session_of(const struct fsck *f, int64_t sid);
struct fsck_branch *fsck_branch_of(const struct fsck *f, int64_t bid);
const struct fsck_call *fsck_call_of(const struct fsck *f, int64_t sid, int64_t ord);
const struct fsck_place *fsck_place_of(const struct fsck *f, int64_t kind, int64_t ord);

/* Is there such an entry, as far as tips tell? Gaps are another rule's business. */
bool fsck_entry_there(const struct fsck *f, int64_t bid, int64_t depth);
/* Does a path of the session run through it? */
bool fsck_visible(const struct fsck *f, const struct fsck_session *s, int64_t bid, int64_t depth);

/* A purged session that still has rows: the next upkeep removes them. Said once. */
void fsck_leftover(struct fsck *f, struct fsck_session *s);

/* Room for one more element; the new one is zero. */
void *fsck_push(void *at, size_t *n, size_t *cap, size_t size);

/* What an entry or a call adds to its branch's or session's sum. */
static inline uint64_t fsck_mix(uint64_t a, uint64_t b)
{
    return hash_u64(hash_u64(a) + b);
}

static inline uint32_t fsck_call_id(int64_t made, int64_t chk)
{
    return (uint32_t)fsck_mix((uint64_t)made, (uint64_t)chk) | 1;
}

/* ---- the passes ---- */

enum bough_rc fsck_sessions(struct fsck *f); /* session and head rows */
enum bough_rc fsck_branches(struct fsck *f); /* branch rows */
enum bough_rc fsck_records(struct fsck *f);  /* records, sums of calls and adjustments */
enum bough_rc fsck_entries(struct fsck *f);  /* entries: numbers, order, tips */
enum bough_rc fsck_opens(struct fsck *f);    /* leases and steps of open messages */
void fsck_unmet(struct fsck *f);           /* leases of messages that are not open: needs entries */
enum bough_rc fsck_tips(struct fsck *f);   /* only the tips */
enum bough_rc fsck_blobs(struct fsck *f);  /* attachments and their pieces: before the entries */
enum bough_rc fsck_links(struct fsck *f);  /* what entries show: after them */
void fsck_relations(struct fsck *f);       /* heads, forks, bases, places, labels: needs tips */
enum bough_rc fsck_names(struct fsck *f);  /* aliases and keys */
enum bough_rc fsck_log(struct fsck *f);    /* the log against branches, records and keys */
enum bough_rc fsck_locate(struct fsck *f); /* rows behind sums that differ */
enum bough_rc fsck_lists(struct fsck *f);  /* what is derived */
enum bough_rc fsck_documents(struct fsck *f); /* documents of the full text, and its index */

/* ---- opens.c ---- */

/* The lease of a message, or NULL. */
struct fsck_open *fsck_open_of(const struct fsck *f, int64_t bid, int64_t depth);

/* ---- entry.c ---- */

/* Everything one entry says by itself. False: its body cannot be read; `e` and `x` are not filled.
 */
bool fsck_entry(struct fsck *f, const struct entry_row *row, const struct fsck_branch *b,
                struct bough_entry *e, struct pack_extra *x);

/* ---- blobs.c ---- */

/* The attachments an entry shows; one that cannot be read may show any. */
void fsck_shows(struct fsck *f, const struct entry_row *row, const struct bough_entry *e,
                const struct pack_extra *x);
void fsck_unread(struct fsck *f, const struct entry_row *row);

#endif
