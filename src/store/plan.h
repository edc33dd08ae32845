/* Plans: entries and calls checked and packed before any lock is taken. */
#ifndef STORE_PLAN_H
#define STORE_PLAN_H

#include <bough/entry.h>

#include "store/blob.h"

struct plan_entry {
    struct bough_entry e;    /* at and mno are filled in when its place is known */
    struct blob_parts blobs; /* its parts as stored, and what they show */
    struct squeezed tail;
    struct pack_extra x;
    int64_t mask;
    const char *id;         /* the id it comes with */
    int call_new;           /* k > 0: produced by the plan's k-th call */
    const char *call;       /* or by an older one */
    int64_t given_time;     /* 0: none was given */
    struct bough_head kept; /* BOUGH_ENTRY_COMPACTION: its first kept entry, if one was named */
    struct bough_head label_target; /* BOUGH_ENTRY_LABEL */
    const char *label;
    const char *title; /* BOUGH_ENTRY_SESSION_INFO: the session's new title; NULL: none */
};

struct plan_call {
    struct call_body body;
    int64_t given_time;
    struct bough_str packed;
};

struct plan {
    struct plan_entry *entries;
    size_t n;
    struct plan_call *calls;
    size_t ncalls;
    bool resolve; /* something in it names other things: plan_resolve() is needed */
};

/* Check everything that can be checked without looking at the session, and pack it. */
enum bough_rc plan_build(struct bough_store *s, struct bough_arena *a,
                         const struct bough_entry_new *entries, size_t n,
                         const struct bough_call_new *call, struct plan *out,
                         struct bough_error *err);

/* Look up what the entries name: older calls, label targets, first kept entries. */
enum bough_rc plan_resolve(struct snap *snap, struct bough_arena *a, int64_t sid, struct plan *plan,
                           struct bough_error *err);

/* The changes that put its calls into session `sid`: NEW_RECORD(0) is the first. */
void plan_add_calls(struct prep *p, const struct plan *plan, int64_t sid);

/* SHA-256 of what was asked, for idempotency keys. `in` may be NULL. */
void plan_hash(struct bough_arena *a, const struct plan *plan, const struct bough_append *in,
               unsigned char out[32]);

/* Pack again after a late change of an entry. */
void plan_repack(struct bough_store *s, struct bough_arena *a, struct plan_entry *pe);

#endif
