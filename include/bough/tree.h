/* The tree of a session: branches, children, common ancestor, comparison. */
#ifndef BOUGH_TREE_H
#define BOUGH_TREE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A straight run of entries: depths base+1 to tip. */
struct bough_branch {
    int64_t number;
    const char *session;    /* id of its owner */
    struct bough_head base; /* what it hangs on; branch 0: a root */
    int64_t tip;
};

struct bough_branches {
    struct bough_branch *at;
    size_t n;
};

/* The branches a session wrote, in order of creation; then those its paths run through. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_branches(struct bough_store *s, struct bough_arena *a,
                                                   const char *session, struct bough_branches *out,
                                                   struct bough_error *err);

/* All entries of the session's own branches in order of time (file order), paged by `after` (a
 * `no`). */
BOUGH_MUST_CHECK enum bough_rc bough_tree_entries(struct bough_store *s, struct bough_arena *a,
                                                  const char *session, int64_t after, int64_t limit,
                                                  struct bough_entries *out,
                                                  struct bough_error *err);

/* What directly follows an entry in this session, oldest first; NULL or "": the roots. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_children(struct bough_store *s, struct bough_arena *a,
                                                   const char *session, const char *entry,
                                                   struct bough_entries *out,
                                                   struct bough_error *err);

/* The deepest entry on both paths; BOUGH_NOT_FOUND when they share none. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_common(struct bough_store *s, struct bough_arena *a,
                                                 const char *session, const char *one,
                                                 const char *other, struct bough_entry **out,
                                                 struct bough_error *err);

struct bough_diff {
    struct bough_entry *common;      /* NULL: nothing in common */
    struct bough_entries one, other; /* what each adds behind it */
    struct bough_totals one_used, other_used;
};

/* `one` and `other` may be entries of two sessions: then give both sessions. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_diff(struct bough_store *s, struct bough_arena *a,
                                               const char *session_one, const char *one,
                                               const char *session_other, const char *other,
                                               struct bough_diff *out, struct bough_error *err);

/* Move the head to `target` (NULL: to nothing) and append a branch_summary there; both the target
 * and the abandoned head are kept in its data. */
BOUGH_MUST_CHECK enum bough_rc bough_branch_with_summary(struct bough_store *s, const char *session,
                                                         const char *target, const char *summary,
                                                         struct bough_str details, bool from_hook,
                                                         char id[BOUGH_ID_LEN + 1],
                                                         struct bough_error *err);

/* SHA-256 over the path in its normal form: equal conversations hash equal, wherever they are
 * stored. */
BOUGH_MUST_CHECK enum bough_rc bough_path_hash(struct bough_store *s, const char *session,
                                               const char *at, char out[65],
                                               struct bough_error *err);

/* Two sessions over subagent links: the chain from the session up to its root, leaf first. */
BOUGH_MUST_CHECK enum bough_rc bough_tree_lineage(struct bough_store *s, struct bough_arena *a,
                                                  const char *session, struct bough_sessions *out,
                                                  struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
