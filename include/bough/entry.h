/* Entries: append them, read them along a path, move the head. An `entry` argument is an id of
 * ours, an id it came with (looked up on the session's paths), "#branch.depth", or a part's id. */
#ifndef BOUGH_ENTRY_H
#define BOUGH_ENTRY_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_entry_new {
    enum bough_entry_kind kind;
    const char *kind_name;         /* with BOUGH_ENTRY_OTHER */
    enum bough_role role;          /* messages need one */
    const char *text;              /* short for one text part */
    const struct bough_str *parts; /* raw JSON objects, each with a "type" */
    size_t nparts;
    int64_t time;   /* 0: now */
    const char *id; /* the id it comes with; unique on the session's paths */
    const char *finish;
    struct bough_str error, data, metadata; /* raw JSON */
    int64_t keep_from; /* compaction: a depth, instead of data.firstKeptEntryId */
    bool has_usage;
    struct bough_totals usage;
    int64_t duration;
    bool by_call;     /* produced by the call of this append */
    const char *call; /* or by an older call of this session */
    /* With usage and neither of the two a call is made: who answered it. */
    const char *call_provider, *call_model, *call_request_id;
};

struct bough_call_new {
    const char *id;
    const char *request_id, *want_provider, *want_model, *want_kind, *provider, *model, *kind,
        *status;
    struct bough_str error, usage;
    struct bough_totals used;
    int64_t total_tokens, duration, time;
};

struct bough_append {
    const struct bough_entry_new *entries;
    size_t n; /* may be 0 with a call */
    const struct bough_call_new *call;
    const char *at;  /* append behind this entry instead of the head */
    bool at_root;    /* append behind nothing: a new root */
    bool keep_head;  /* do not move the head */
    bool has_expect; /* refuse unless the head is `expect` */
    struct bough_head expect;
    const char *key; /* idempotency key: the same request gives the same answer again */
    const char
        *owner; /* refuse with BOUGH_LEASE_LOST unless this owner holds the session's lease */
};

struct bough_appended {
    char (*ids)[BOUGH_ID_LEN + 1]; /* one an entry */
    size_t n;
    char call[BOUGH_ID_LEN + 1];
    struct bough_head head; /* after it */
    int64_t no;             /* of its last entry */
    int64_t first_mno;      /* of its first entry */
    bool replayed;          /* the key was known: this is the first answer again */
};

/* All or nothing, and on disk when it returns. */
BOUGH_MUST_CHECK enum bough_rc bough_append(struct bough_store *s, struct bough_arena *a,
                                            const char *session, const struct bough_append *in,
                                            struct bough_appended *out, struct bough_error *err);

/* The whole history a client sent, the reply and the call. The overlap with what is stored is
 * matched, only what is new is appended, and an edited history becomes a branch. */
struct bough_record {
    const struct bough_entry_new *history;
    size_t nhistory;
    const struct bough_entry_new *reply; /* NULL: none came */
    const struct bough_call_new *call;
    const char *key;
};

struct bough_recorded {
    struct bough_appended appended; /* ids of the new entries */
    size_t matched;                 /* messages of the history that were there already */
    bool branched;                  /* the history was edited: a branch was opened */
};

BOUGH_MUST_CHECK enum bough_rc bough_record(struct bough_store *s, struct bough_arena *a,
                                            const char *session, const struct bough_record *in,
                                            struct bough_recorded *out, struct bough_error *err);

/* `session` may be NULL: ids of ours need none, an id found in several sessions is BOUGH_AMBIGUOUS.
 */
BOUGH_MUST_CHECK enum bough_rc bough_entry_get(struct bough_store *s, struct bough_arena *a,
                                               const char *session, const char *entry,
                                               struct bough_entry **out, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_part_get(struct bough_store *s, struct bough_arena *a,
                                              const char *part, struct bough_part *out,
                                              struct bough_error *err);

/* Soft, by the owning session only; the entry keeps its depth and vanishes from every fork. */
BOUGH_MUST_CHECK enum bough_rc bough_entry_delete(struct bough_store *s, const char *session,
                                                  const char *entry, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_entry_restore(struct bough_store *s, const char *session,
                                                   const char *entry, struct bough_error *err);

enum bough_path_of {
    BOUGH_PATH,         /* from the root to the head, through every fork */
    BOUGH_DIRECT,       /* only what this session wrote itself, in order of time */
    BOUGH_SINCE_MARKER, /* from what the latest marker keeps; see `inherit` */
};

struct bough_read {
    enum bough_path_of what;
    const char *at;         /* the path to this entry instead of the head */
    bool messages;          /* only messages */
    bool user;              /* only messages of the user */
    bool tool;              /* only entries with a tool part */
    bool deleted;           /* deleted ones too */
    bool newest;            /* the last page first; entries inside a page stay oldest first */
    bool inherit;           /* SINCE_MARKER: markers of the sessions it was forked from count too */
    int64_t limit;          /* 0: all */
    int64_t max_forks;      /* more forks on the path are BOUGH_TOO_DEEP; 0: any */
    struct bough_head from; /* `next` of the page before */
};

struct bough_path {
    struct bough_entries entries;
    struct bough_entry *marker; /* SINCE_MARKER: the marker in force, or NULL */
};

BOUGH_MUST_CHECK enum bough_rc bough_entries_read(struct bough_store *s, struct bough_arena *a,
                                                  const char *session, const struct bough_read *how,
                                                  struct bough_path *out, struct bough_error *err);

/* The newest own, alive user message, "" when there is none. */
BOUGH_MUST_CHECK enum bough_rc bough_latest_user_entry(struct bough_store *s, const char *session,
                                                       char out[BOUGH_ID_LEN + 1],
                                                       struct bough_error *err);

/* The message with the given number on the head's path (1 is the first). */
BOUGH_MUST_CHECK enum bough_rc bough_entry_by_number(struct bough_store *s, struct bough_arena *a,
                                                     const char *session, int64_t mno,
                                                     struct bough_entry **out,
                                                     struct bough_error *err);

/* The head: where it is, put it on an entry of one of the session's paths, put it at nothing. */
BOUGH_MUST_CHECK enum bough_rc bough_head_get(struct bough_store *s, struct bough_arena *a,
                                              const char *session, struct bough_head *at,
                                              struct bough_entry **entry, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_head_move(struct bough_store *s, const char *session,
                                               const char *entry, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_head_reset(struct bough_store *s, const char *session,
                                                struct bough_error *err);

struct bough_compaction {
    const char *summary;
    const char *before;     /* the last summarised entry: everything after it is kept */
    const char *first_kept; /* or the first kept one; neither: nothing before the marker is kept */
    int64_t tokens_before, tokens_saved;
    struct bough_str details; /* raw JSON */
    bool from_hook;
    const char *key;
};

/* Append a marker behind the head. BOUGH_INVALID when the entry is not on the head's path. */
BOUGH_MUST_CHECK enum bough_rc bough_compact(struct bough_store *s, const char *session,
                                             const struct bough_compaction *in,
                                             char id[BOUGH_ID_LEN + 1], struct bough_error *err);

/* All markers the session wrote, oldest first; the latest one, or NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_marker_list(struct bough_store *s, struct bough_arena *a,
                                                 const char *session, struct bough_entries *out,
                                                 struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_marker_latest(struct bough_store *s, struct bough_arena *a,
                                                   const char *session, bool inherit,
                                                   struct bough_entry **out,
                                                   struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
