/*
 * Entries: append them, read them along a path, move the head, compact.
 *
 * An `entry` argument is one of: an id, the id that the caller gave the entry, "#branch.depth", or
 * the id of one of its parts. It must be on a path of the session. BOUGH_NOT_FOUND: there is none.
 * BOUGH_GONE: it was purged. BOUGH_INVALID: it is on no path of this session. BOUGH_AMBIGUOUS:
 * several entries came with this id. Functions do not repeat this, nor what session.h says about
 * `session`.
 */
#ifndef BOUGH_ENTRY_H
#define BOUGH_ENTRY_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An entry to append. Everything is copied. */
struct bough_entry_new {
    enum bough_entry_kind kind;
    const char *kind_name;         /* the kind as a word; only with BOUGH_ENTRY_OTHER */
    enum bough_role role;          /* a message needs one */
    const char *text;              /* one text part more, behind `parts`; NULL: none */
    const struct bough_str *parts; /* raw JSON objects, each with a "type"; see part.h */
    size_t nparts;                 /* at most 4,096 */
    int64_t time;                  /* 0: now */
    const char *id;                /* of the caller's choice; unique on the session's paths */
    const char *finish;            /* why the model stopped */
    struct bough_str error;        /* raw JSON */
    struct bough_str data;         /* raw JSON object */
    struct bough_str metadata;     /* raw JSON object */
    int64_t keep_from; /* compaction: first depth that is kept, at most its own; 0: found by
                          data.firstKeptEntryId */
    const struct bough_totals *usage; /* what it spent; NULL: none */
    int64_t duration;                 /* milliseconds */
    bool by_call;                     /* the call of this append produced it */
    const char *call;                 /* or this earlier call of the session */
    /* With usage and without either of these, a call is made for it, by this model: */
    const char *call_provider, *call_model, *call_request_id;
    enum bough_cost_source call_cost_source; /* of usage->cost */
    uint64_t reserved[7];                    /* room to grow: must be 0 */
};

/* A call to store; see struct bough_call. */
struct bough_call_new {
    const char *id; /* of the caller's choice; unique in the session */
    const char *request_id, *want_provider, *want_model, *want_kind, *provider, *model, *kind,
        *status;
    struct bough_str error, usage;        /* raw JSON */
    struct bough_totals used;             /* counts towards the totals of the session */
    int64_t total_tokens, duration, time; /* time 0: now */
    enum bough_cost_source cost_source;
    int attempt;
    const char *exchange;
    int64_t first_byte;
    const char *purpose;
    struct bough_str notes; /* raw JSON object */
    uint64_t reserved[2];   /* room to grow: must be 0 */
};

struct bough_append_options {
    const struct bough_entry_new *entries;
    size_t n;                             /* 1 to 4,096; 0 is allowed with a call */
    const struct bough_call_new *call;    /* NULL: none */
    const char *at;                       /* append behind this entry; NULL or "": the head */
    bool at_root;                         /* append behind nothing: a new root; not with `at` */
    bool keep_head;                       /* leave the head where it is */
    const struct bough_head *expect_head; /* BOUGH_CONFLICT unless the head is here; NULL: any.
                                             Branch 0 expects an empty path */
    const char *key;                      /* idempotency key, at most 256 bytes */
    const char *owner;    /* BOUGH_LEASE_LOST unless this owner holds the session's lease; NULL or
                             "": BOUGH_BUSY while somebody holds it */
    int64_t epoch;        /* with `owner`: BOUGH_LEASE_LOST unless the lease has it; 0: any */
    uint64_t reserved[7]; /* room to grow: must be 0 */
};

struct bough_append_result {
    char (*ids)[BOUGH_ID_LEN + 1]; /* of the entries, in order */
    size_t n;
    char call[BOUGH_ID_LEN + 1]; /* id of the first call that was stored, or "" */
    struct bough_head head;      /* after the append */
    int64_t no;                  /* changelog number of the last entry */
    int64_t first_mno;           /* message number of the first entry */
    bool replayed;               /* the key was known: this is the answer of the first call */
    uint64_t reserved[4];        /* room to grow */
};

/*
 * Append entries and a call in one transaction: all or nothing. Behind an entry that is not the
 * last of a branch, a new branch begins.
 *
 * With a key, an equal request by the same principal gives the first answer again, and a different
 * request is BOUGH_KEY_CONFLICT. BOUGH_CONFLICT: the head is not `expect_head`; err->head says
 * where it is. BOUGH_EXISTS: an id is taken. BOUGH_INVALID_PART: a part is malformed.
 * BOUGH_NOT_FOUND: a part names an attachment that was not stored, or `call` does not exist.
 * BOUGH_ARCHIVED: the session is archived. BOUGH_BUSY: an owner holds the session's lease.
 * BOUGH_FULL: the path would be too long.
 */
BOUGH_MUST_CHECK enum bough_rc bough_append(struct bough_store *s, struct bough_arena *a,
                                            const char *session,
                                            const struct bough_append_options *in,
                                            struct bough_append_result *out,
                                            struct bough_error *err);

struct bough_record_options {
    const struct bough_entry_new *history; /* all messages that the client sent */
    size_t nhistory;
    const struct bough_entry_new *reply; /* the answer; NULL: none came */
    const struct bough_call_new *call;   /* NULL: none */
    const char *key;                     /* idempotency key, as in bough_append() */
    const char *owner;    /* who writes: BOUGH_BUSY while another owner holds the session's lease */
    uint64_t reserved[3]; /* room to grow: must be 0 */
};

struct bough_record_result {
    struct bough_append_result appended; /* the new entries; n is 0 when all were stored already */
    size_t matched;                      /* messages of the history that were stored already */
    bool branched;                       /* the history was edited: a branch was opened */
    uint64_t reserved[4];                /* room to grow */
};

/* Store a whole conversation as a client sent it. Messages are matched by content with the stored
 * path; only new ones are appended, behind the last match. An edited history becomes a branch.
 * Fails as bough_append() does; when the head moves meanwhile, it matches again until the deadline.
 */
BOUGH_MUST_CHECK enum bough_rc bough_record(struct bough_store *s, struct bough_arena *a,
                                            const char *session,
                                            const struct bough_record_options *in,
                                            struct bough_record_result *out,
                                            struct bough_error *err);

/* Read one entry, also a deleted one. `session` may be NULL: an id needs none, and an id that
 * entries of several sessions came with is BOUGH_AMBIGUOUS. */
BOUGH_MUST_CHECK enum bough_rc bough_entry_get(struct bough_store *s, struct bough_arena *a,
                                               const char *session, const char *entry,
                                               struct bough_entry **out, struct bough_error *err);

/* Read one part by its id, "<entry id>.<4 hex digits>"; anything else is BOUGH_INVALID.
 * BOUGH_NOT_FOUND: the entry has no such part. */
BOUGH_MUST_CHECK enum bough_rc bough_part_get(struct bough_store *s, struct bough_arena *a,
                                              const char *part, struct bough_part *out,
                                              struct bough_error *err);

/* Hide an entry, in its session and in every fork. It keeps its depth. A second call changes
 * nothing. BOUGH_DENIED: another session wrote it. BOUGH_CONFLICT: it is an open message. */
BOUGH_MUST_CHECK enum bough_rc bough_entry_delete(struct bough_store *s, const char *session,
                                                  const char *entry, struct bough_error *err);

/* Undo bough_entry_delete(); fails in the same cases. */
BOUGH_MUST_CHECK enum bough_rc bough_entry_restore(struct bough_store *s, const char *session,
                                                   const char *entry, struct bough_error *err);

/*
 * Correct a sealed message: append a `custom` entry behind the head that adds `parts` to it. The
 * message stays as it is; contexts show its own parts and then these, with a note, where the
 * correction is on the path too. Write its id. BOUGH_CONFLICT: the message is open. BOUGH_INVALID:
 * it is not a message, or there is no part. BOUGH_INVALID_PART: a part is malformed. The entry's
 * data is {"customType":"bough.amend","data":{"target":id,"parts":[...]}}.
 */
BOUGH_MUST_CHECK enum bough_rc bough_entry_amend(struct bough_store *s, const char *session,
                                                 const char *entry, const struct bough_str *parts,
                                                 size_t n, char id[BOUGH_ID_LEN + 1],
                                                 struct bough_error *err);

/*
 * Mark outputs of tools in a sealed message as compacted: append a `custom` entry behind the head,
 * from which on contexts show a short text in place of the output of part number `part`, from 0,
 * or of all parts (-1). Nothing is removed. Write its id. BOUGH_CONFLICT: the message is open.
 * BOUGH_INVALID: there is no output. The entry's data is
 * {"customType":"bough.compacted","data":{"target":id,"part":0}}.
 */
BOUGH_MUST_CHECK enum bough_rc bough_entry_compact(struct bough_store *s, const char *session,
                                                   const char *entry, int64_t part,
                                                   char id[BOUGH_ID_LEN + 1],
                                                   struct bough_error *err);

/* Which entries bough_entries_read() gives. */
enum bough_entries_what {
    BOUGH_ENTRIES_PATH,         /* from the root to the head, through every fork */
    BOUGH_ENTRIES_OWN,          /* all that this session wrote, on every branch, in order of time */
    BOUGH_ENTRIES_SINCE_MARKER, /* the path from the first entry that the latest marker keeps */
};

struct bough_entries_read_options {
    enum bough_entries_what what;
    const char *at;       /* the path to this entry; NULL or "": to the head. Not for _OWN */
    bool messages;        /* only messages */
    bool user;            /* only messages of the user */
    bool tool;            /* only entries with a tool part */
    bool deleted;         /* deleted entries too */
    bool newest;          /* the last page first; entries in a page stay oldest first */
    bool inherit;         /* SINCE_MARKER: markers of sessions that it was forked from count too */
    int64_t limit;        /* 0: all */
    int64_t max_forks;    /* BOUGH_TOO_DEEP when the path runs through more forks; 0: any number */
    const char *from;     /* begin with this entry, BOUGH_INVALID when it is not on the path */
    const char *cursor;   /* `next` of the previous page; NULL or "": the first page */
    int64_t from_depth;   /* begin at this depth of the path; 0: at its beginning. Not for _OWN */
    bool calls;           /* read the calls of the entries, too */
    uint64_t reserved[6]; /* room to grow: must be 0 */
};

struct bough_entries_read_result {
    struct bough_entries entries;
    struct bough_entry *marker; /* SINCE_MARKER: the marker in force, or NULL */
    int64_t depth; /* of the last entry of the path, whichever page this is; 0: it is empty. For
                      _OWN: of the head */
    struct bough_calls *calls; /* of `entries`, each once, without deleted ones; NULL: not asked */
    uint64_t reserved[2];      /* room to grow */
};

/* A page of entries, oldest first. `how` may be NULL: the whole path to the head. Pages follow the
 * head: give `at` to read one path while others move it. */
BOUGH_MUST_CHECK enum bough_rc bough_entries_read(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  const struct bough_entries_read_options *how,
                                                  struct bough_entries_read_result *out,
                                                  struct bough_error *err);

/* The id of the newest message of the user that this session wrote and that is not deleted; ""
 * when there is none. */
BOUGH_MUST_CHECK enum bough_rc bough_latest_user_entry(struct bough_store *s, const char *session,
                                                       char out[BOUGH_ID_LEN + 1],
                                                       struct bough_error *err);

/* The message with number `mno` on the path to the head, counted from 1. BOUGH_NOT_FOUND: the path
 * has fewer messages. */
BOUGH_MUST_CHECK enum bough_rc bough_entry_by_number(struct bough_store *s, struct bough_arena *a,
                                                     const char *session, int64_t mno,
                                                     struct bough_entry **out,
                                                     struct bough_error *err);

/* Where the head is: *at, and the entry there. *entry becomes NULL when the path is empty; the
 * pointer `entry` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_head_get(struct bough_store *s, struct bough_arena *a,
                                              const char *session, struct bough_head *at,
                                              struct bough_entry **entry, struct bough_error *err);

/* Move the head to an entry on any path of the session. The next append continues from there, on a
 * new branch if the entry is not the last of its branch. */
BOUGH_MUST_CHECK enum bough_rc bough_head_move(struct bough_store *s, const char *session,
                                               const char *entry, struct bough_error *err);

/* Move the head to nothing, as bough_session_clear() does. */
BOUGH_MUST_CHECK enum bough_rc bough_head_reset(struct bough_store *s, const char *session,
                                                struct bough_error *err);

struct bough_compact_options {
    const char *summary;    /* of what is no longer shown */
    const char *before;     /* the last summarised entry: entries behind it are kept */
    const char *first_kept; /* or the first entry that is kept. Neither: none is kept */
    int64_t tokens_before, tokens_saved;
    struct bough_str details; /* raw JSON */
    bool from_hook;           /* a hook wrote the summary */
    const char *key;          /* idempotency key, as in bough_append() */
    uint64_t reserved[4];     /* room to grow: must be 0 */
};

/* Append a compaction marker behind the head, and write its id. Contexts then begin at the marker;
 * no entry is removed. BOUGH_INVALID: both `before` and `first_kept` are given, or the entry is not
 * on the path to the head. */
BOUGH_MUST_CHECK enum bough_rc bough_compact(struct bough_store *s, const char *session,
                                             const struct bough_compact_options *in,
                                             char id[BOUGH_ID_LEN + 1], struct bough_error *err);

/* The fields of a compaction marker. Text that is not set is "". */
struct bough_marker {
    const char *summary;
    const char *first_kept; /* id of the first entry that is kept, as its writer named it, or "" */
    const char *before;     /* or of the last one that is summarised, or "" */
    int64_t keep_from;      /* first depth that is still shown; 0: none before the marker */
    int64_t tokens_before, tokens_saved; /* 0 when not given */
    struct bough_str details;            /* raw JSON or empty */
    bool from_hook;                      /* a hook wrote the summary */
    uint64_t reserved[4];                /* room to grow */
};

/* Read the fields of a marker, in the arena, whichever tool wrote it. BOUGH_INVALID: the entry is
 * not a compaction. */
BOUGH_MUST_CHECK enum bough_rc bough_marker_read(struct bough_arena *a,
                                                 const struct bough_entry *entry,
                                                 struct bough_marker *out, struct bough_error *err);

/* All markers that the session wrote, on every branch, oldest first. Not in pages. */
BOUGH_MUST_CHECK enum bough_rc bough_marker_list(struct bough_store *s, struct bough_arena *a,
                                                 const char *session, struct bough_entries *out,
                                                 struct bough_error *err);

/* The last marker on the path to the head that the session wrote, with `inherit` also one of the
 * sessions that it was forked from. *out becomes NULL when there is none. */
BOUGH_MUST_CHECK enum bough_rc bough_marker_latest(struct bough_store *s, struct bough_arena *a,
                                                   const char *session, bool inherit,
                                                   struct bough_entry **out,
                                                   struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
