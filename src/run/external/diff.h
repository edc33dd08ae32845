/*
 * What a run has changed in its workspace: trees of git before and after, made with an index of
 * their own. Untracked files are included; the user's index, refs and files are not touched.
 */
#ifndef RUN_EXTERNAL_DIFF_H
#define RUN_EXTERNAL_DIFF_H

#include <bough/run.h>

/* The state of a folder, raw JSON {"root","head","branch","before"}; empty: it is in no repository,
 * or git is not there. */
struct bough_str diff_begin(struct bough_arena *a, const char *folder);

struct diff_turn {
    struct bough_str git;   /* the state with "after" */
    struct bough_str patch; /* a `patch` part; empty: nothing has changed */
    struct bough_str text;  /* the diff; empty: nothing has changed, or it is over DIFF_KEPT_MOST */
};

/* False: the tree cannot be made. */
bool diff_end(struct bough_arena *a, const char *folder, struct bough_str before,
              struct diff_turn *out);

/* ---- of a run that has ended ---- */

struct diff_file {
    const char *path;   /* from the root of the workspace's repository */
    const char *status; /* modified, added, deleted, renamed, binary */
    int64_t additions, deletions;
};

struct diff_files {
    struct diff_file *at; /* by path */
    size_t n;
};

enum { DIFF_FILES_MOST = 10000, DIFF_BYTES_MOST = 16 << 20, DIFF_KEPT_MOST = 4 << 20 };

/* The files that a run has changed; none without a repository. BOUGH_TOO_LARGE: more than
 * DIFF_FILES_MOST. BOUGH_NOT_READY: the repository is not here. */
BOUGH_MUST_CHECK enum bough_rc diff_list(struct bough_arena *a, const struct bough_run *run,
                                         struct diff_files *out, struct bough_error *err);
/* The diff of one file, or of all (`path` NULL). BOUGH_NOT_FOUND: the run has not changed it. */
BOUGH_MUST_CHECK enum bough_rc diff_text(struct bough_arena *a, const struct bough_run *run,
                                         const char *path, struct bough_str *out,
                                         struct bough_error *err);
/* Take the changes back, of these paths or of all (n 0). Nothing is changed unless all of it can
 * be: BOUGH_CONFLICT when a file has moved on. BOUGH_NOT_FOUND: the run has not changed a path. */
BOUGH_MUST_CHECK enum bough_rc diff_revert(struct bough_arena *a, const struct bough_run *run,
                                           const char *const *paths, size_t n,
                                           struct bough_error *err);

/* Say in the session that changes of a run were taken back; n 0: all of them. */
BOUGH_MUST_CHECK enum bough_rc run_tell_reverted(struct bough_store *s, struct bough_arena *a,
                                                 const struct bough_run *run, size_t n,
                                                 struct bough_error *err);

#endif
