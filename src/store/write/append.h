/* Appending: choose the position of new entries and write them in one txn. */
#ifndef STORE_WRITE_APPEND_H
#define STORE_WRITE_APPEND_H

#include "store/write/plan.h"

enum { SEEN_OF_ENTRY = -1000 };

struct append_job;

/* What else the txn of an append does; see store/run. */
struct append_extra {
    /* In prepare(), before the entries are added, which begin at depth `first`: add changes, and
     * fill in the members below. May change the entries of the plan. */
    enum bough_rc (*add)(struct prep *p, struct append_job *j, int64_t first,
                         struct bough_error *err);
    void *user;

    struct head_row lease; /* the status and the lease that the session gets */
    enum changelog_kind log;
    int64_t record, aux; /* of the changelog row */
};

/* One append: the caller fills it and plan_build() fills `plan`; append_run() does the rest. */
struct append_job {
    struct bough_store *s;
    int64_t sid;
    struct plan plan;
    const char *key; /* text of the key row (append_key()); NULL: none */
    unsigned char hash[32];

    /* position: after the head, after `at`, or a new root */
    bool at_set;
    struct bough_head at; /* branch 0: a new root */
    bool keep_head;
    bool touch_head; /* change the head row's version in any case: others must look again */
    const struct bough_head *expect_head; /* NULL: any */
    const char *owner;           /* must hold the lease of the session; NULL or "": nobody must */
    int64_t epoch;               /* `owner`, or `as`, must hold it with this epoch; 0: any */
    bool heed_lease;             /* BOUGH_BUSY while another owner than `as` holds the lease */
    const char *as;              /* who writes; NULL: unnamed */
    const struct open_row *open; /* the last entry is an open message; this is its lease */

    const struct seen_row *seen; /* to add; bid SEEN_OF_ENTRY: about the last entry */
    size_t nseen;
    struct append_extra *extra; /* NULL: nothing */

    /* set by prepare */
    struct bough_head first;  /* slot of the first entry; branch may be NEW_BRANCH(0) */
    struct bough_head before; /* head before the append */
    int64_t first_mno;
    bool restore; /* a moved blob was swept: store it again */
};

/* The request callbacks of an append; `job` is a struct append_job. */
enum bough_rc append_prepare(struct prep *p, void *job, struct bough_error *err);
void append_done(struct engine *e, const struct txn *t, void *job);

/* Beside the options of an append; see struct append_job. */
struct append_how {
    const struct open_row *open; /* in->n must be 1 */
    bool heed_lease;
    const char *as;
    struct plan_how plan;
};

/* bough_append(), with `how`. */
enum bough_rc append_all(struct bough_store *s, struct bough_arena *a, const char *session,
                         const struct bough_append_options *in, const struct append_how *how,
                         struct bough_append_result *out, struct bough_error *err);

/* Run the job, retrying lost guards. If it fails and its idempotency key was used before, the
 * earlier answer is returned instead. */
enum bough_rc append_run(struct bough_store *s, struct bough_arena *a, struct append_job *job,
                         struct bough_append_result *out, struct bough_error *err);

/* Move the head of job->sid to an entry on a path of the session, or to nothing (branch 0), if it
 * is at job->expect_head; BOUGH_CONFLICT otherwise. */
enum bough_rc append_head_to(struct bough_store *s, struct bough_arena *a, struct append_job *job,
                             struct bough_head to, struct bough_error *err);

/* Look up the job's idempotency key. *known: it was used before; rc and `out` then repeat the
 * earlier answer. BOUGH_KEY_CONFLICT when it was used for a different request. */
enum bough_rc append_known(struct bough_store *s, struct bough_arena *a, struct append_job *j,
                           bool *known, struct bough_append_result *out, struct bough_error *err);

/* BOUGH_EXISTS when the session already has an id that an entry or call of the job brings along. */
enum bough_rc append_taken(struct prep *p, const struct append_job *j, struct bough_error *err);

/* Text of the key row: principal, session, key. NULL (with `err` set) when the key is invalid. */
const char *append_key(struct bough_store *s, struct bough_arena *a, int64_t sid, const char *key,
                       struct bough_error *err);

/* The current state of a session, from the cache or from a snapshot. Needs the writer role. */
enum bough_rc state_load(struct prep *p, int64_t sid, struct session_state **out,
                         struct bough_error *err);

#endif
