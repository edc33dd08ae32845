/* The tree of a session: branches, children, common ancestors, differences, picks. `session` and
 * `entry` arguments are those of session.h and entry.h, and fail in the same ways. */
#ifndef BOUGH_TREE_H
#define BOUGH_TREE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A straight run of entries: depths base.depth + 1 to tip. */
struct bough_branch {
    int64_t number;         /* counted from 1 in the store */
    const char *session;    /* id of the session that wrote it */
    struct bough_head base; /* the entry that it hangs on; branch 0: it begins at a root */
    int64_t tip;            /* depth of its last entry; base.depth when it has none */
    uint64_t reserved[4];   /* room to grow */
};

struct bough_branches {
    struct bough_branch *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* The branches that a session wrote, in order of creation, then the branches of other sessions that
 * its paths run through. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_branches(struct bough_store *s, struct bough_arena *a,
                                                   const char *session, struct bough_branches *out,
                                                   struct bough_error *err);

/* A branch as a lane of an outline. */
struct bough_outline_branch {
    int64_t number;           /* counted from 1 in the store */
    const char *session;      /* id of the session that wrote it */
    struct bough_head base;   /* the entry that it hangs on; branch 0: it begins at a root */
    int64_t first, tip;       /* depths of its first and last entry that this session shows; tip <
                                 first: it has none */
    int64_t messages;         /* from first to tip, deleted ones included */
    enum bough_role role;     /* of its first message that is not deleted, among its first four
                                 entries; BOUGH_ROLE_NONE: there is none */
    const char *preview;      /* at most 120 bytes of its text, or "" */
    int64_t created, updated; /* times of the first and the last entry; 0: it has none */
    bool head;                /* the head is on it */
    uint64_t reserved[4];     /* room to grow */
};

enum bough_outline_kind {
    BOUGH_OUTLINE_LABEL,
    BOUGH_OUTLINE_COMPACTION,
    BOUGH_OUTLINE_BRANCH_SUMMARY,
    BOUGH_OUTLINE_FORK,     /* another session was forked here */
    BOUGH_OUTLINE_SUBAGENT, /* a tool call of the entry spawned a session */
};

/* Something that stands on an entry. */
struct bough_outline_mark {
    enum bough_outline_kind kind;
    struct bough_head at; /* the entry. Branch 0: the tool call that spawned a subagent was not
                             found near the time of its creation */
    char entry[BOUGH_ID_LEN + 1]; /* its id, or "" */
    const char *text; /* the label; at most 120 bytes of the summary; the child's title, or the
                         beginning of its first message */
    int64_t time;     /* the label was set, the entry written, the child created */
    const struct bough_session *child; /* FORK, SUBAGENT: the session; else NULL */
    uint64_t reserved[4];              /* room to grow */
};

struct bough_tree_outline_options {
    int64_t limit;        /* branches in a page, at most 10,000; 0: 10,000 */
    const char *cursor;   /* `next` of the previous page; NULL or "": the first page */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_tree_outline_result {
    struct bough_outline_branch *branches;
    size_t nbranches;
    struct bough_outline_mark *marks; /* those on the branches of this page; without a place: on the
                                         last page */
    size_t nmarks;
    struct bough_head head; /* branch 0: the path is empty */
    const char *next;       /* cursor of the next page, "" at the end */
    uint64_t reserved[4];   /* room to grow */
};

/* A page of the branches of a session and of what stands on them, without reading whole entries:
 * enough to draw the session as lanes. Branches come in the order of bough_tree_branches(), an
 * inherited one ends where the paths of this session leave it. Deleted children are left out, and
 * of more than 10,000 children the oldest. `how` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_outline(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  const struct bough_tree_outline_options *how,
                                                  struct bough_tree_outline_result *out,
                                                  struct bough_error *err);

/* "label", "compaction", "branch_summary", "fork", "subagent". */
const char *bough_outline_kind_name(enum bough_outline_kind kind);

/* A message of the user or a compaction on a path. */
struct bough_tree_prompt {
    char entry[BOUGH_ID_LEN + 1];
    struct bough_head at;
    enum bough_entry_kind kind;
    int64_t time;
    int64_t mno;          /* messages on the path up to and including it */
    const char *preview;  /* at most 120 bytes of the text or of the summary, or "" */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_tree_prompts_options {
    const char *at;       /* the path to this entry; NULL or "": to the head */
    int64_t limit;        /* 0: all */
    bool newest;          /* the last page first; in a page the oldest comes first */
    const char *cursor;   /* `next` of the previous page; NULL or "": the first page */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_tree_prompts_result {
    struct bough_tree_prompt *at;
    size_t n;
    const char *next;     /* cursor of the next page, "" at the end */
    uint64_t reserved[4]; /* room to grow */
};

/* A page of the places on a path that people jump to: the user's messages and the compactions that
 * are not deleted. `how` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_prompts(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  const struct bough_tree_prompts_options *how,
                                                  struct bough_tree_prompts_result *out,
                                                  struct bough_error *err);

struct bough_tree_entries_options {
    int64_t limit;        /* 0: all */
    const char *cursor;   /* `next` of the previous page; NULL or "": the first page */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

/* A page of the entries of all branches that the session wrote, in order of time, deleted ones
 * included. `how` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_entries(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  const struct bough_tree_entries_options *how,
                                                  struct bough_entries *out,
                                                  struct bough_error *err);

/* The entries that directly follow an entry in this session, oldest first; without an entry (NULL
 * or ""), the roots. Not in pages. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_children(struct bough_store *s, struct bough_arena *a,
                                                   const char *session, const char *entry,
                                                   struct bough_entries *out,
                                                   struct bough_error *err);

/* The deepest entry on the paths to both entries. BOUGH_NOT_FOUND: they share none. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_common(struct bough_store *s, struct bough_arena *a,
                                                 const char *session, const char *one,
                                                 const char *other, struct bough_entry **out,
                                                 struct bough_error *err);

struct bough_tree_diff_options {
    const char *session, *one; /* the path to entry `one`; NULL or "": to the head */
    const char *other_session; /* NULL or "": the same session */
    const char *other;         /* the path to this entry; NULL or "": to the head */
    uint64_t reserved[4];      /* room to grow: must be 0 */
};

struct bough_tree_diff_result {
    struct bough_entry *common;               /* the deepest shared entry; NULL: none is shared */
    struct bough_entries one, other;          /* what each path has behind it, without deleted
                                                 entries; not in pages */
    struct bough_totals one_used, other_used; /* the sum of their usage */
    uint64_t reserved[4];                     /* room to grow */
};

/* Compare two paths, of one session or of two. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_diff(struct bough_store *s, struct bough_arena *a,
                                               const struct bough_tree_diff_options *how,
                                               struct bough_tree_diff_result *out,
                                               struct bough_error *err);

struct bough_branch_with_summary_options {
    const char *target;       /* the entry to go to; NULL or "": nothing, a new root */
    const char *summary;      /* of the branch that is left; NULL: "" */
    struct bough_str details; /* raw JSON, or empty */
    bool from_hook;           /* a hook wrote the summary */
    uint64_t reserved[4];     /* room to grow: must be 0 */
};

/* Move the head to an entry and append a branch_summary there, in one transaction, and write its
 * id. Its data names the target and the entry that was left. When others move the head meanwhile,
 * it tries again until the deadline, then it is BOUGH_CONFLICT. */
BOUGH_MUST_CHECK enum bough_rc
bough_branch_with_summary(struct bough_store *s, const char *session,
                          const struct bough_branch_with_summary_options *how,
                          char id[BOUGH_ID_LEN + 1], struct bough_error *err);

struct bough_pick_options {
    const char *from;           /* the session with the entries; NULL or "": the same session */
    const char *const *entries; /* on one path of it, in any order, each once */
    size_t n;                   /* 1 to 4,096 */
    const char *at;             /* put them behind this entry; NULL or "": behind the head */
    bool at_root;               /* put them behind nothing: a new root; not with `at` */
    bool keep_head;             /* leave the head where it is */
    const struct bough_head *expect_head; /* BOUGH_CONFLICT unless the head is here; NULL: any */
    uint64_t reserved[4];                 /* room to grow: must be 0 */
};

struct bough_pick_result {
    char (*ids)[BOUGH_ID_LEN + 1]; /* of the entries where they are now, in the order of the path */
    size_t n;                      /* may be more than were asked for: results come with calls */
    size_t shared;                 /* so many of them, from the first on, are no copies */
    struct bough_head head;        /* after the pick */
    uint64_t reserved[4];          /* room to grow */
};

/*
 * Cherry-pick: put entries of one branch onto another, or of another session onto this one, in one
 * transaction. Entries at the beginning that follow the target there already, on another branch of
 * the session, are taken by reference: the head moves to them. The others are copied: with their
 * times, with attachments shared, and with the id of the original as "bough.picked" in `data`. A
 * copy names the call of its original if the session made that call; it never adds one, so nothing
 * is counted twice.
 *
 * Results of tools come along with their calls, from the path of the entries and from the branch
 * that the last of them is on. BOUGH_INVALID: a result has its call neither among the entries nor
 * on the path of the target; the entries are on no common path; one is given twice or is deleted;
 * or one says something about its own branch (a compaction, a label, an overlay, a title) and would
 * have to be copied. BOUGH_CONFLICT: one is an open message. Otherwise it fails as bough_append()
 * and bough_head_move() do.
 */
BOUGH_MUST_CHECK enum bough_rc bough_pick(struct bough_store *s, struct bough_arena *a,
                                          const char *session, const struct bough_pick_options *how,
                                          struct bough_pick_result *out, struct bough_error *err);

/* The SHA-256 of the path to entry `at` (NULL or "": to the head) in its normal form, as 64 hex
 * digits. Equal conversations have equal hashes in every store; ids, times and usage do not count.
 */
BOUGH_MUST_CHECK enum bough_rc bough_path_hash(struct bough_store *s, const char *session,
                                               const char *at, char out[65],
                                               struct bough_error *err);

/* The session and its ancestors, leaf first. A purged parent ends the list. Not in pages. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_lineage(struct bough_store *s, struct bough_arena *a,
                                                  const char *session, struct bough_sessions *out,
                                                  struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
