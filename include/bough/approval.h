/*
 * Approvals and grants. An approval asks a person about one tool call of a run (run.h) and is
 * settled once; a grant is an approval that lasts. BOUGH_NOT_FOUND: there is no such run, approval
 * or grant.
 */
#ifndef BOUGH_APPROVAL_H
#define BOUGH_APPROVAL_H

#include <bough/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers of the enums in this file are stored: add at the end, never renumber. */

enum bough_approval_status {
    BOUGH_APPROVAL_PENDING = 0,
    BOUGH_APPROVAL_APPROVED = 1,
    BOUGH_APPROVAL_REJECTED = 2,
    BOUGH_APPROVAL_CANCELLED = 3,
    BOUGH_APPROVAL_TIMED_OUT = 4,
    BOUGH_APPROVAL_LAST = BOUGH_APPROVAL_TIMED_OUT,
};

/* How far an approval reaches; all but ONCE also make a grant. */
enum bough_approval_scope {
    BOUGH_SCOPE_ONCE = 0,
    BOUGH_SCOPE_SESSION = 1,   /* the tool in this session */
    BOUGH_SCOPE_WORKSPACE = 2, /* the tool in this workspace */
    BOUGH_SCOPE_ALWAYS = 3,    /* the tool everywhere */
    BOUGH_SCOPE_LAST = BOUGH_SCOPE_ALWAYS,
};

/* What settled it. */
enum bough_approval_path {
    BOUGH_PATH_NONE = 0, /* it is pending */
    BOUGH_PATH_PERSON = 1,
    BOUGH_PATH_GRANT = 2,
    BOUGH_PATH_POLICY = 3,
    BOUGH_PATH_TIMEOUT = 4,
    BOUGH_PATH_RUN_ENDED = 5,
    BOUGH_PATH_LAST = BOUGH_PATH_RUN_ENDED,
};

const char *bough_approval_status_name(enum bough_approval_status status);
const char *bough_approval_scope_name(enum bough_approval_scope scope);
const char *bough_approval_path_name(enum bough_approval_path path);
bool bough_approval_status_parse(const char *name, enum bough_approval_status *out);
bool bough_approval_scope_parse(const char *name, enum bough_approval_scope *out);

struct bough_approval {
    char id[BOUGH_ID_LEN + 1];
    const char *session, *run; /* ids */
    const char *entry;         /* id of the message with the tool call; its arguments are there */
    int64_t part;              /* index of the tool part */
    const char *tool;          /* as grants and rules name it: "server/tool" */
    const char *kind, *title;  /* or "" */
    struct bough_str options;  /* raw JSON array of what can be answered; "[]" */
    struct bough_str data;     /* raw JSON object; "{}" */
    enum bough_approval_status status;
    enum bough_approval_scope scope;
    enum bough_approval_path path;
    const char *option, *note, *by;    /* as it was settled, or "" */
    bool stop;                         /* the rejection ends the run */
    int64_t created, expires, settled; /* times; 0: never, not yet */
    uint64_t reserved[6];              /* room to grow */
};

struct bough_approvals {
    struct bough_approval *at;
    size_t n;
    const char *next;     /* cursor of the next page, "" at the end */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_approval_add_options {
    const char *entry; /* of this run */
    int64_t part;
    const char *tool; /* not empty */
    const char *kind, *title;
    struct bough_str options, data; /* raw JSON */
    int64_t expires;                /* time; 0: never */
    /* PENDING, or APPROVED or REJECTED with the path GRANT or POLICY: it is settled as it is made.
     */
    enum bough_approval_status status;
    enum bough_approval_path path;
    const char *note;
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

/* Ask for approval, as the owner of the run. BOUGH_INVALID: the entry is not of this run or has no
 * such part, or there is no tool. */
BOUGH_MUST_CHECK enum bough_rc bough_approval_add(struct bough_store *s, struct bough_arena *a,
                                                  const char *run, int64_t epoch,
                                                  const struct bough_approval_add_options *in,
                                                  struct bough_approval **out,
                                                  struct bough_error *err);

struct bough_approval_resolve_options {
    enum bough_approval_status status; /* any but PENDING */
    enum bough_approval_scope scope;   /* of APPROVED */
    enum bough_approval_path path;     /* 0: PERSON */
    const char *option, *note;
    bool stop;            /* of REJECTED: ends the run */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

/* Settle a pending approval, from any process; a scope beyond ONCE makes a grant in the same
 * commit. `by` is the handle's principal. BOUGH_CONFLICT: it is settled; the message says by whom
 * and when, and *out is the approval as it is. BOUGH_INVALID: a scope of a workspace that the run
 * does not have. `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc
bough_approval_resolve(struct bough_store *s, struct bough_arena *a, const char *id,
                       const struct bough_approval_resolve_options *in, struct bough_approval **out,
                       struct bough_error *err);

BOUGH_MUST_CHECK enum bough_rc bough_approval_get(struct bough_store *s, struct bough_arena *a,
                                                  const char *id, struct bough_approval **out,
                                                  struct bough_error *err);

struct bough_approval_list_options {
    const char *session, *run; /* of these; NULL or "": of all */
    const char *status;        /* one or more words; BOUGH_INVALID for an unknown word */
    int64_t limit;             /* 0: 50; at most 10,000 */
    const char *cursor;        /* `next` of the previous page; NULL or "": the first page */
    uint64_t reserved[6];      /* room to grow: must be 0 */
};

/* A page of approvals, newest first; pages of the whole store as in bough_run_list(). `filter` may
 * be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_approval_list(struct bough_store *s, struct bough_arena *a,
                                                   const struct bough_approval_list_options *filter,
                                                   struct bough_approvals *out,
                                                   struct bough_error *err);

struct bough_grant {
    char id[BOUGH_ID_LEN + 1];
    enum bough_approval_scope scope; /* any but ONCE */
    const char *session;             /* id, of SESSION; else "" */
    const char *workspace;           /* of WORKSPACE; else "" */
    const char *tool;
    const char *approval, *by; /* id of the approval it came from, and who gave it; or "" */
    int64_t created;
    uint64_t reserved[4]; /* room to grow */
};

struct bough_grants {
    struct bough_grant *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

struct bough_grant_add_options {
    enum bough_approval_scope scope; /* any but ONCE */
    const char *session;             /* of SESSION */
    const char *workspace;           /* of WORKSPACE */
    const char *tool;
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

/* Let a tool be used without asking. A grant that is there already is given again.
 * BOUGH_OVERLOADED: 1,000 grants are there. */
BOUGH_MUST_CHECK enum bough_rc bough_grant_add(struct bough_store *s, struct bough_arena *a,
                                               const struct bough_grant_add_options *in,
                                               struct bough_grant **out, struct bough_error *err);

struct bough_grant_list_options {
    const char *session;   /* grants of this session; NULL or "": none of a session */
    bool whole_store;      /* and those of workspaces and of all */
    const char *workspace; /* of these only this one's; NULL: of all workspaces */
    const char *tool;      /* for this tool; NULL or "": for any */
    uint64_t reserved[4];  /* room to grow: must be 0 */
};

/* Grants, newest first, those of the session before the others. */
BOUGH_MUST_CHECK enum bough_rc bough_grant_list(struct bough_store *s, struct bough_arena *a,
                                                const struct bough_grant_list_options *filter,
                                                struct bough_grants *out, struct bough_error *err);

/* One grant. BOUGH_NOT_FOUND: there is none, or not any more. */
BOUGH_MUST_CHECK enum bough_rc bough_grant_get(struct bough_store *s, struct bough_arena *a,
                                               const char *id, struct bough_grant **out,
                                               struct bough_error *err);

/* Take a grant back. BOUGH_NOT_FOUND: there is none, or not any more. */
BOUGH_MUST_CHECK enum bough_rc bough_grant_remove(struct bough_store *s, const char *id,
                                                  struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
