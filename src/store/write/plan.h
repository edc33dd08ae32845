/* Plans: entries and calls, checked and packed before any lock is taken. */
#ifndef STORE_WRITE_PLAN_H
#define STORE_WRITE_PLAN_H

#include <bough/entry.h>

#include "store/lookup/blob.h"

struct plan_entry {
    struct bough_entry e;    /* at and mno are set in prepare(), when the position is known */
    struct blob_parts blobs; /* parts as stored, and the blobs they show */
    struct squeezed tail;
    struct pack_extra x;
    int64_t mask;
    const char *id;                 /* id that the caller supplied; "" or NULL: none */
    int call_new;                   /* k > 0: produced by the k-th call of the plan */
    const char *call;               /* id of the existing call that produced it */
    int64_t given_time;             /* time the caller gave; 0: none */
    struct bough_head kept;         /* BOUGH_ENTRY_COMPACTION: first kept entry, if one is named */
    struct bough_head label_target; /* BOUGH_ENTRY_LABEL */
    const char *label;
    const char *title; /* BOUGH_ENTRY_SESSION_INFO: the session's new title; NULL: none */
};

/* An entry that was checked and packed before its append; see import_pack(). */
struct packed_entry {
    struct squeezed tail;
    int64_t mask;
};

struct plan_call {
    struct call_body body;
    int64_t given_time;
};

struct plan {
    struct plan_entry *entries;
    size_t n;
    struct plan_call *calls;
    size_t ncalls;
    bool resolve; /* some entry refers to other rows: plan_resolve() is needed */
};

/* Check everything that does not depend on the session, and pack it. The plan lives in `a` and
 * borrows from `entries` and `call`. Fails with BOUGH_INVALID, BOUGH_TOO_LARGE, or BOUGH_EXISTS
 * when two entries have the same id. */
enum bough_rc plan_build(struct bough_store *s, struct bough_arena *a,
                         const struct bough_entry_new *entries, size_t n,
                         const struct bough_call_new *call, struct plan *out,
                         struct bough_error *err);

struct plan_how {
    const struct packed_entry *const *packed; /* one for each entry, packed ahead; one that is NULL
                                                 is not, and NULL: none is */
    bool uncounted; /* usage without a call gets none: it is counted elsewhere */
    bool copies;    /* of entries that the caller may read: their attachments may be shown */
};

/* The same for the entries and the call of an append. */
enum bough_rc plan_build_how(struct bough_store *s, struct bough_arena *a,
                             const struct bough_append_options *in, const struct plan_how *how,
                             struct plan *out, struct bough_error *err);

/* Look up existing calls, label targets and first kept entries. Call it when plan->resolve is set.
 * BOUGH_NOT_FOUND when a call or a label target does not exist. */
enum bough_rc plan_resolve(struct snap *snap, struct bough_arena *a, int64_t sid, struct plan *plan,
                           struct bough_error *err);

/* In prepare(): add the changes that create the plan's calls in session `sid`, whose groups are
 * those of session_groups(). The k-th call becomes NEW_RECORD(k), so these must be the txn's first
 * records. */
void plan_add_calls(struct prep *p, const struct plan *plan, int64_t sid, const int64_t groups[2]);

/*
 * Store the bytes that were moved out of the parts, then run the request that links them. The sweep
 * may remove stored bytes before they are linked: prepare() then sets *restore and fails with
 * BOUGH_NOT_FOUND, and both steps are repeated.
 */
enum bough_rc plan_write(struct bough_store *s, struct bough_arena *a, const struct plan *plan,
                         struct request *r, bool *restore, struct bough_error *err);

/* SHA-256 of the request, for idempotency keys. `in` may be NULL. */
void plan_hash(struct bough_arena *a, const struct plan *plan,
               const struct bough_append_options *in, unsigned char out[32]);

/* Check and pack an entry ahead, as plan_build() does; false: only plan_build() can. The result
 * borrows from `in`. */
bool plan_pack_ahead(const struct bough_store *s, struct bough_arena *a,
                     const struct bough_entry_new *in, struct packed_entry *out);

/* Pack an entry again after changing it. */
void plan_repack(struct bough_store *s, struct bough_arena *a, struct plan_entry *pe);

#endif
