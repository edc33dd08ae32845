/*
 * Internals of fsck: what its passes share. Each pass reads one raw table in key order. The store's
 * other readers are not used, so that a mistake in them is found and not repeated.
 *
 * Memory grows with sessions, branches, groups, notes, deleted entries and (8 bytes each) calls,
 * never with all entries.
 * Entries are streamed, and what must agree with another table is summed up per branch on both
 * sides. Only when two sums differ, the damaged branch is read again row by row (locate.c).
 */
#ifndef STORE_CARE_FSCK_FSCK_H
#define STORE_CARE_FSCK_FSCK_H

#include "base/hash/hash.h"
#include "core/pack/bodies.h"
#include "core/pack/pack.h"
#include "store/engine/engine.h"

/* The rules. Their codes, severities and sentences are in rules.c, in the same order. */
enum fsck_rule {
    RULE_ENGINE,
    RULE_VALUE,
    RULE_ORPHAN,
    RULE_GROUP,
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
    RULE_SPEND,
    RULE_SEEN,
    RULE_TEXT,
    RULE_LIST,
    RULE_LOG,
    RULE_KEY,
    RULE_ALIAS,
    RULE_OPEN,
    RULE_RUN,
    RULE_BLOB,
    RULE_LINK,
    RULE_QUARANTINE,
    RULES,
};

struct fsck_rule_row {
    const char *code; /* never changes */
    bool error;       /* false: a warning */
    const char *sentence;
};

extern const struct fsck_rule_row fsck_rules[RULES];

/* A preview: the entry's number and a hash of the text. */
struct fsck_preview {
    int64_t no; /* 0: no preview */
    uint64_t text;
};

struct fsck_session {
    int64_t sid, parent, kind;
    int64_t made, chk; /* the time and the check bits in its id */
    bool purged;
    bool came;         /* it may be an import, whose changes have the time of the conversation */
    bool purge_logged; /* the changelog pass has reached its purge */
    bool has_head, has_list;
    bool aliased;   /* its origin has an alias */
    bool leftover;  /* purged but rows remain; already reported */
    bool exchanged; /* it has calls of exchanges, or a client's key */
    bool pending;   /* changed after the watermark: its list row is not up to date */
    /* Its totals cannot be compared: it or a session below it is pending or damaged. */
    bool totals_unknown;
    bool damaged;       /* its own rows are damaged: skip comparisons with derived data */
    size_t first, last; /* first and last of its branches, index + 1; chained by fsck_branch.next */

    /* From the head row. */
    int64_t bid, depth, status, deleted;
    int64_t run; /* ordinal of the run that holds it; -1: no run does */
    /* From the body. */
    int64_t fork_bid, fork_depth, project, workspace, account, created, totals_mode;
    bool forked, fork_id; /* fork_id: the id of the fork point names the same entry */
    uint64_t origin;      /* hash; 0: none */
    uint64_t names;       /* hash of role, provider path and model */
    uint64_t title;       /* hash of the folded slug and title, which begin the list row's hay */
    size_t title_n;
    uint64_t title_words; /* hash of the title's words in the full text; 0: none */
    bool title_found;     /* the title has a document */

    /* Derived values, computed again from the rows. */
    struct bough_totals own, below, adjust, rolls;
    int64_t messages, calls, modified, updated, rev, errors, last_no, last_state;
    int64_t call_time, call_ord, call_cost;
    uint64_t call_names;
    uint64_t spend, spend_stored; /* sums over what its calls spent, and over its spend rows */
    bool spend_unknown;           /* they cannot be compared */
    struct fsck_preview first_user, last_user, last_agent;
};

struct fsck_branch {
    struct branch_row row;
    size_t next;               /* the session's next branch, index + 1 */
    bool hangs;                /* its parent exists and may own its base */
    bool damaged;              /* an entry is missing or unreadable: skip the comparison of sums */
    bool log_damaged;          /* the changelog rows of this branch have a gap */
    bool copied_deleted;       /* entries were copied into it that were already deleted */
    int64_t tip;               /* its base when it has no entries */
    int64_t base_no, base_mno; /* of the entry it hangs on; -1: not known */
    int64_t logged;            /* last depth that a changelog row has appended */
    uint64_t entry_sum, log_sum, origin_sum, alias_sum;
    uint64_t words_sum, text_sum; /* sums over entries with words, and over documents */
    bool text_damaged;            /* an entry is damaged: skip the comparison with documents */
};

/* The calls of a session are consecutive in f->calls, ordered by ordinal. */
struct fsck_call {
    uint32_t id; /* fsck_call_id(); 0: unreadable */
    uint32_t ord : 31, deleted : 1;
};

/* A record that refers to another row. Checked when all tables have been read. */
struct fsck_note {
    int64_t sid, kind, ord;
    int64_t a, b; /* label: branch, depth; memory: project */
};

/* A group (project, workspace or account) or a source. */
struct fsck_group {
    int64_t kind, ord, over;
    const char *name;
};

/* A lease on an open message. Few exist, so lookup is a linear search. */
struct fsck_open {
    int64_t bid, depth;
    bool matched; /* its entry is marked as open */
};

struct fsck_blob {
    struct blob_row row;
    int64_t next, bytes; /* index of the next piece, and bytes so far */
    bool damaged, linked;
};

struct fsck_key {
    int64_t no, sid;
};

struct fsck {
    struct snap *snap;
    const struct backend_ops *ops; /* of it, like v */
    struct snapshot *v;
    enum bough_fsck_level level;
    void (*found)(void *user, const struct bough_finding *finding);
    void *user;
    struct bough_store_fsck_result *report;
    struct bough_error *err;
    int64_t now;
    int64_t watermark, fulltext_mark, last_no;
    bool log_damaged; /* the changelog is damaged: skip comparisons with derived data */

    struct bough_arena *keep, *tmp; /* tmp is reset at every row */
    struct fsck_session store;      /* the store itself: only its spending */
    struct fsck_session *sessions;
    size_t nsessions, sessions_cap;
    struct map by_sid; /* sid -> index */
    struct smap slugs;
    struct fsck_branch *branches;
    size_t nbranches, branches_cap;
    struct map by_bid;
    struct fsck_call *calls;
    size_t ncalls, calls_cap;
    struct map calls_of; /* sid -> first index << 32 | count */
    struct fsck_note *notes;
    size_t nnotes, notes_cap;
    struct map groups;       /* kind << 32 | ordinal -> struct fsck_group *; includes sources */
    int64_t waits_of, waits; /* a session, and the first waiting prompt in its queue */
    struct fsck_run *runs;   /* by session and ordinal */
    size_t nruns, runs_cap;
    struct map order; /* sid << 28 | ordinal -> order_what; removed when the record is found */
    struct fsck_key *keys;
    size_t nkeys, keys_cap;
    struct fsck_open *opens; /* in scan order: branch, depth */
    size_t nopens, opens_cap;
    struct fsck_blob *blobs;
    size_t nblobs, blobs_cap;
    struct map by_bno;
    struct smap by_hash; /* hash -> bno, complete blobs only */
    /* link_key() -> entry that shows the attachment; removed when its link is found. */
    struct map shown;
    struct map unread; /* entries whose parts are not known */
    /* By slot (bid << 32 | depth). Deleted entries -> 1 if that was before they were made, else 0;
     * and entries whose last deletion or restoration in the changelog is a deletion. */
    struct map deleted, log_deleted;
};

/* ---- rules.c ---- */

/* A location in the store. It is built for every row checked, and formatted only for a finding. */
struct fsck_where {
    const char *before, *text; /* prefix; then a name, or if NULL the numbers, separated by dots */
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
/* Format a location; truncated to `cap` bytes. */
void fsck_where_text(const struct fsck_where *w, char *to, size_t cap);

/* Report a finding: the rule, the location, and a sentence. */
void fsck_report(struct fsck *f, enum fsck_rule rule, struct fsck_where where, const char *fmt, ...)
    BOUGH_PRINTF(4, 5);

/* Hash of a title's words in the full text; 0: it has none. */
uint64_t fsck_title_words(struct fsck *f, const char *title);
/* Add an entry that a search should find to b->words_sum. */
void fsck_words(struct fsck *f, struct fsck_branch *b, const struct entry_row *row,
                const struct bough_entry *e);

/* Check the fields of a body: texts must be UTF-8, raw JSON must be JSON. False: reported. */
bool fsck_texts(struct fsck *f, struct fsck_where where, const struct body_field *table,
                const void *body);
bool fsck_text(struct fsck *f, struct fsck_where where, const char *what, struct bough_str s);
bool fsck_json(struct fsck *f, struct fsck_where where, const char *what, struct bough_str s);
/* Is a number in its range? False: reported. */
bool fsck_range(struct fsck *f, struct fsck_where where, const char *what, int64_t v, int64_t min,
                int64_t max);

/* Find a row that a pass has read; NULL: there is none. */
struct fsck_session *fsck_session_of(const struct fsck *f, int64_t sid);
struct fsck_branch *fsck_branch_of(const struct fsck *f, int64_t bid);
const struct fsck_call *fsck_call_of(const struct fsck *f, int64_t sid, int64_t ord);
const struct fsck_group *fsck_group_of(const struct fsck *f, int64_t kind, int64_t ord);
struct fsck_open *fsck_open_of(const struct fsck *f, int64_t bid, int64_t depth);

/* Is (bid, depth) within the branch's base and tip? Gaps are checked by another rule. */
bool fsck_entry_there(const struct fsck *f, int64_t bid, int64_t depth);
/* Is the entry on a path of the session? */
bool fsck_visible(const struct fsck *f, const struct fsck_session *s, int64_t bid, int64_t depth);

/* Report, once per session, that a purged session still has rows. The next upkeep removes them. */
void fsck_leftover(struct fsck *f, struct fsck_session *s);

/* Append a zeroed element. Returns the array, which may have moved. */
void *fsck_push(void *at, size_t *n, size_t *cap, size_t size);

/* The value that an entry or a call adds to a sum; rules.c. */
uint64_t fsck_mix(uint64_t a, uint64_t b);
uint32_t fsck_call_id(int64_t made, int64_t chk);

void fsck_order(struct fsck *f, const struct record_row *row);
void fsck_run(struct fsck *f, const struct record_row *row, const struct run_body *b);
void fsck_approval(struct fsck *f, const struct record_row *row, const struct approval_body *b);
void fsck_runs(struct fsck *f); /* against sessions and branches; needs the tips */

/* ---- the passes; all return BOUGH_OK unless a table cannot be scanned ---- */

enum bough_rc fsck_sessions(struct fsck *f); /* session and head rows */
enum bough_rc fsck_branches(struct fsck *f); /* branch rows */
enum bough_rc fsck_records(struct fsck *f);  /* records, sums of calls and adjustments */
enum bough_rc fsck_entries(struct fsck *f);  /* entries: numbers, order, tips */
enum bough_rc fsck_opens(struct fsck *f);    /* leases and steps of open messages */
void fsck_unmatched(struct fsck *f);         /* leases without an open message; needs the entries */
enum bough_rc fsck_tips(struct fsck *f);     /* tips only, for the quick level */
enum bough_rc fsck_blobs(struct fsck *f);    /* attachments and their pieces; before the entries */
enum bough_rc fsck_links(struct fsck *f); /* links of entries to attachments; after the entries */
void fsck_relations(struct fsck *f);      /* heads, forks, bases, groups, labels; needs the tips */
enum bough_rc fsck_names(struct fsck *f); /* aliases and keys */
enum bough_rc fsck_changelog(struct fsck *f); /* the changelog against branches, records and keys */
enum bough_rc fsck_locate(struct fsck *f);    /* find the rows behind sums that differ */
enum bough_rc fsck_lists(struct fsck *f);     /* list rows and spend rows */
bool fsck_spend(void *user, const struct spend_row *row); /* `user`: the sum to add it to */
/* Documents of the full text, and a sample of searches. */
enum bough_rc fsck_documents(struct fsck *f);
enum bough_rc fsck_seen(struct fsck *f); /* seen rows */

/* ---- blobs.c ---- */

/* Note the attachments that an entry shows. fsck_unread(): the entry's parts are not known, so its
 * links are not checked. */
void fsck_shows(struct fsck *f, const struct entry_row *row, const struct bough_entry *e,
                const struct pack_extra *x);
void fsck_unread(struct fsck *f, const struct entry_row *row);

#endif
