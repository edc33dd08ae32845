/*
 * Runs, inside. A run, an approval or a grant is a state record (RECORD_STATE) with the name "run",
 * "approval" or "grant" of its session; grants beyond a session are those of session 0. A record of
 * session 0 of the kind RECORD_ORDER names each run and approval, so that lists of the whole store
 * are in order.
 *
 * The ordinal of a new run or approval must be known before the commit, because entries name its
 * id. So every txn that adds a state record to a session also changes the session's head row: a txn
 * that was prepared with the same last ordinal loses its guard.
 */
#ifndef STORE_RUN_RUN_H
#define STORE_RUN_RUN_H

#include <bough/approval.h>

#include "store/engine/lease.h"
#include "store/lookup/session_load.h"
#include "store/write/append.h"

#define RUN_NAME "run" /* the names are stored */
#define APPROVAL_NAME "approval"
#define GRANT_NAME "grant"

enum {
    RUN_LEASE_MS = 30000,
    RUN_SCAN_MOST = 10000, /* records that one page of a list of the store looks at */
    GRANTS_MOST = 1000,    /* of a session, or of the store */
};
#define RUN_NO_END INT64_C(253402300799000) /* the end of year 9999: a lease without end */

/* ---- record.c ---- */

/* A run and its session, as prepare() has read them. */
struct run_at {
    struct snap *snap;
    struct session_loaded l;
    struct record_row row;
    struct run_body b;
    char id[BOUGH_ID_LEN + 1];
};

/* Read a state record with this name and check its id. `body` is of the table's struct.
 * BOUGH_NOT_FOUND. */
enum bough_rc named_load(struct snap *snap, struct bough_arena *a, const char *id, const char *name,
                         struct record_row *row, void *body, struct bough_error *err);
/* In prepare(): read the run with this id, and its session. */
enum bough_rc run_load(struct prep *p, const char *id, struct run_at *out, struct bough_error *err);

/* Does a process work on it: is the lease that of "run:ID@host"? */
bool run_owned(const struct run_at *x);
/* BOUGH_LEASE_LOST unless the run is owned with this epoch, and the lease has not expired.
 * BOUGH_CONFLICT: the run has ended. */
enum bough_rc run_check_owner(const struct prep *p, const struct run_at *x, int64_t epoch,
                              struct bough_error *err);
/* Give the lease in the head row to the run: to `host`, or (NULL) to the run itself, without end.
 */
void run_take_lease(const struct prep *p, struct head_row *head, const char *id, const char *host,
                    int64_t lease_ms);

/* In prepare(): write the head row. Appends read the session again, instead of losing their guard.
 */
void run_head_put(struct prep *p, const struct head_row *head);

/* Update the run's entries from the head, which the owner's appends have moved. */
enum bough_rc run_depths(struct run_at *x, struct bough_error *err);
/* In prepare(): write the run's record, with the time of this change; and with `head` the head row,
 * else a guard on it. */
enum bough_rc run_put(struct prep *p, struct run_at *x, bool head, struct bough_error *err);
void run_log(struct prep *p, const struct run_at *x);

/* The last state record of a session and its last run. */
struct run_last {
    int64_t ord;    /* of the last state record; 0: none */
    int64_t number; /* of the last run; 0: none */
};
enum bough_rc run_last(struct snap *snap, int64_t sid, struct run_last *out,
                       struct bough_error *err);
/* In prepare(): add the record of session 0 that puts a new run or approval in order. */
void order_put(struct prep *p, enum order_what what, int64_t sid, int64_t ord);

/* A record as callers see it; everything is copied into `a`. */
enum bough_rc run_fill(struct snap *snap, struct bough_arena *a, const struct record_row *row,
                       int64_t now, struct bough_run *out, struct bough_error *err);
enum bough_rc approval_fill(struct snap *snap, struct bough_arena *a, const struct record_row *row,
                            struct bough_approval *out, struct bough_error *err);
/* Read a run that was just written. */
enum bough_rc run_read(struct bough_store *s, struct bough_arena *a, int64_t sid, int64_t ord,
                       struct bough_run **out, struct bough_error *err);

/* ---- new_run.c ---- */

/* A new run, which prepare() makes. */
struct run_new {
    struct bough_store *s;
    struct run_body b;
    int64_t ord;
    char id[BOUGH_ID_LEN + 1];
    const char *claim; /* host; NULL: queued */
    int64_t lease_ms;
    int64_t ended; /* ordinal of the run that ends in the same txn; 0: none */
    struct append_extra extra;
};

/* In prepare(): fill the txn with the new run of the session, whose prompt `job` appends; without a
 * plan the head moves to job->at if that is set. The head row `now` is as it was read, with its
 * lease. */
enum bough_rc run_new_put(struct prep *p, struct snap *snap, struct run_new *n,
                          struct append_job *job, const struct head_now *now,
                          struct bough_error *err);

/* ---- end.c ---- */

struct run_ending {
    struct bough_store *s;
    enum bough_run_status status;
    const char *error_code, *error;
    bool keep_queue;

    struct run_new next; /* set: ord 0: the session became idle */
};

/* In prepare(): end the run. Fills the txn. */
enum bough_rc run_finish(struct prep *p, struct run_at *x, struct run_ending *e,
                         struct bough_error *err);

/* ---- set.c ---- */

enum bough_rc run_set_check(const struct bough_run_set_options *in, struct bough_error *err);
void run_set_apply(struct run_body *b, const struct bough_run_set_options *in);
void run_wait_over(struct run_body *b, int64_t now); /* it does not wait any more */

/* ---- recover.c ---- */

/* Recover the run of a session, if its owner is gone. */
enum bough_rc run_recover_session(struct bough_store *s, int64_t sid, bool *done,
                                  struct bough_error *err);

/* ---- approval.c, grant.c ---- */

/* In prepare(): call `each` with the approvals of the run, in order, until it returns false. */
struct approval_scan {
    struct bough_arena *a;
    bool (*each)(void *user, const struct record_row *row, const struct approval_body *b);
    void *user;
    enum bough_rc rc;
    struct bough_error *err;
};
enum bough_rc approvals_of(struct snap *snap, int64_t sid, int64_t run, struct approval_scan *scan,
                           struct bough_error *err);
/* In prepare(): cancel the pending approvals of a run that ends. *n: how many. */
enum bough_rc approvals_cancel(struct prep *p, struct run_at *x, int64_t *n,
                               struct bough_error *err);
/* In prepare(): add the grant unless it is there. The head row of the session must change, too. */
enum bough_rc grant_put(struct prep *p, struct snap *snap, int64_t sid, struct grant_body *b,
                        struct bough_error *err);

/* ---- words.c ---- */

/* Bits of the words of `text` ("queued running"), by `parse`. BOUGH_INVALID names `what`. */
enum bough_rc words_read(const char *what, const char *text, bool (*parse)(const char *, int *),
                         int64_t *bits, struct bough_error *err);
bool status_word(const char *name, int *out);
bool approval_word(const char *name, int *out);

#endif
