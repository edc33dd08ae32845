/* Appending: where entries go, and the one txn that puts them there. */
#ifndef STORE_APPEND_H
#define STORE_APPEND_H

#include "store/plan.h"

struct append_job {
    struct bough_store *s;
    int64_t sid;
    struct plan plan;
    const char *key; /* full key row text, NULL: none */
    unsigned char hash[32];

    /* where: behind the head, behind `at`, or behind nothing */
    bool at_set;
    struct bough_head at; /* branch 0: a new root */
    bool keep_head;
    bool has_expect;
    struct bough_head expect;
    const char *owner;
    const struct open_row *open; /* its one entry is only begun, and this is who writes it */

    /* answers of prepare */
    struct bough_head first;  /* of the first entry; branch may be NEW_BRANCH(0) */
    struct bough_head before; /* the head before it */
    int64_t first_mno;
    bool restore; /* what was moved out of its parts was swept: store it again */
};

enum bough_rc append_prepare(struct prep *p, void *job, struct bough_error *err);
void append_done(struct engine *e, const struct txn *t, void *job);

/* The public call; `open` as in the job, or NULL. */
enum bough_rc append_all(struct bough_store *s, struct bough_arena *a, const char *session,
                         const struct bough_append *in, const struct open_row *open,
                         struct bough_appended *out, struct bough_error *err);

/* Run it, with its key looked up when something is in the way. */
enum bough_rc append_run(struct bough_store *s, struct bough_arena *a, struct append_job *job,
                         struct bough_appended *out, struct bough_error *err);

/* Was its key used before? *known, and then rc and `out` are the answer. */
enum bough_rc append_known(struct bough_store *s, struct bough_arena *a, struct append_job *j,
                           bool *known, struct bough_appended *out, struct bough_error *err);

/* BOUGH_EXISTS when an id that an entry or a call comes with is taken in the session. */
enum bough_rc append_taken(struct prep *p, const struct append_job *j, struct bough_error *err);

/* The key row's text: principal, session, key. */
const char *append_key(struct bough_store *s, struct bough_arena *a, int64_t sid, const char *key,
                       struct bough_error *err);

/* The current state of a session, from the cache or from a snapshot. The writer's role only. */
enum bough_rc state_load(struct prep *p, int64_t sid, struct state **out, struct bough_error *err);

#endif
