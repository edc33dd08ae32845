/*
 * Sessions: create, read, list, change, fork, delete.
 *
 * An `id` or `session` argument is one of: an id, the id that the caller gave at creation, a slug,
 * "#number", the number alone if no session is named so, or the first 8 or more characters of an
 * id. BOUGH_NOT_FOUND: there is none.
 * BOUGH_GONE: it was purged. BOUGH_AMBIGUOUS: several ids begin like this. BOUGH_INVALID: NULL or
 * "". Functions do not repeat this.
 *
 * An archived session can be read, listed, forked, deleted and purged. Appending to it, editing it
 * and moving its head are BOUGH_ARCHIVED.
 */
#ifndef BOUGH_SESSION_H
#define BOUGH_SESSION_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bits of bough_session_create_options.require. */
enum { BOUGH_REQUIRE_PROJECT = 1, BOUGH_REQUIRE_MODEL = 2 };

/* Everything is optional. Text is copied. */
struct bough_session_create_options {
    /* Of the caller's choice. BOUGH_EXISTS: it is a name of another session. BOUGH_INVALID: it
       begins with '#', or reads as an id of this store or the beginning of one. */
    const char *id;
    enum bough_session_kind kind;
    const char *parent;     /* with fork_entry: a fork of it; alone: a subagent of it */
    const char *fork_entry; /* the last inherited entry, on a path of `parent` */
    const char *parent_tool_use_id;
    const char *title; /* the slug is made from it, or from random words without one */
    const char *slug;  /* a slug of the caller's choice; BOUGH_EXISTS when it is taken */
    const char *project, *workspace, *account; /* groups; created when they are new */
    const char *provider_path, *role_name, *model_provider, *model_name;
    const char *system_prompt, *user_name, *version;
    struct bough_str data, metadata; /* raw JSON objects */
    enum bough_totals_mode totals_mode;
    int64_t created;      /* 0: now */
    unsigned require;     /* BOUGH_REQUIRE_* bits: BOUGH_INVALID when one of these is not given */
    const char *key;      /* idempotency key, at most 256 bytes */
    uint64_t reserved[7]; /* room to grow: must be 0 */
};

/* Create a session. `in` may be NULL. BOUGH_INVALID: a parent without fork_entry and not a
 * subagent, or a slug that is not 1 to 64 of a-z, 0-9 and hyphens. BOUGH_EXISTS: the id or the slug
 * is taken. BOUGH_CONFLICT: an open message is on the inherited path. With a key, an equal request
 * by the same principal gives the session of the first one, as it is now, and a different request
 * is BOUGH_KEY_CONFLICT; keys are kept for 7 days. */
BOUGH_MUST_CHECK enum bough_rc bough_session_create(struct bough_store *s, struct bough_arena *a,
                                                    const struct bough_session_create_options *in,
                                                    struct bough_session **out,
                                                    struct bough_error *err);

/* Read one session, also a deleted one. */
BOUGH_MUST_CHECK enum bough_rc bough_session_get(struct bough_store *s, struct bough_arena *a,
                                                 const char *id, struct bough_session **out,
                                                 struct bough_error *err);

/* What a list is ordered by: a time, newest first, or the cost with subagents, highest first. */
enum bough_session_order { BOUGH_BY_CREATED, BOUGH_BY_UPDATED, BOUGH_BY_MODIFIED, BOUGH_BY_COST };
/* Which kinds of sessions a list shows. */
enum bough_session_kinds { BOUGH_KINDS_ALL, BOUGH_KINDS_PRIMARY, BOUGH_KINDS_SUBAGENT };

/* Filters: a session is listed when all that are given match. */
struct bough_session_list_options {
    const char *project, *workspace, *account; /* names; a name that does not exist matches none */
    const char *parent;                        /* forks and subagents of this session */
    enum bough_session_kinds kinds;
    bool roots;         /* only sessions without a parent */
    const char *status; /* one or more words, "idle busy"; BOUGH_INVALID for an unknown word */
    bool active;        /* only sessions that are not archived */
    bool archived;      /* only archived sessions */
    const char *role_name, *provider_path, *model_provider;
    const char *model_name; /* the session's model, or the model that answered its last call */
    int64_t created_from, created_to, updated_from, updated_to; /* from <= t < to; 0: no bound */
    bool include_deleted;                                       /* deleted sessions too */
    bool only_deleted;                                          /* only deleted sessions */
    const char *query; /* part of slug, title, project or first user message; case does
                          not matter */
    enum bough_session_order order;
    int64_t limit;                 /* 0: 50; at most 10,000 */
    const char *cursor;            /* `next` of the previous page; NULL or "": the first page */
    int64_t cost_from;             /* nano-USD: sessions that cost at least this, with subagents */
    enum bough_outcome last_state; /* of the last message; BOUGH_OUTCOME_NONE: any */
    bool errors;                   /* only sessions with errors */
    bool count; /* count all that match, whatever page this is. Given up after 100,000 sessions */
    uint64_t reserved[6]; /* room to grow: must be 0 */
};

/* A page of sessions. Filters, counts and totals are exact as of the snapshot of the call. `filter`
 * may be NULL: all living sessions, newest created first. */
BOUGH_MUST_CHECK enum bough_rc bough_session_list(struct bough_store *s, struct bough_arena *a,
                                                  const struct bough_session_list_options *filter,
                                                  struct bough_sessions *out,
                                                  struct bough_error *err);

/* A value that sessions have, for a menu of filters. */
struct bough_facet {
    const char *name;     /* "" is left out of every list */
    const char *provider; /* of a model; else "" */
    int64_t sessions;     /* that have it */
    int64_t cost;         /* of these sessions, without their subagents, in nano-USD */
    int64_t last;         /* when the last of them was updated */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_facets {
    struct bough_facet *at; /* the last used first, at most 200 */
    size_t n;
    bool cut;             /* there are more */
    uint64_t reserved[2]; /* room to grow */
};

struct bough_session_facets_result {
    struct bough_facets projects, accounts;
    struct bough_facets models; /* of sessions, and models that answered their last call */
    struct bough_facets statuses, kinds, last_states, roles;
    struct bough_facets tools; /* formats of the 20,000 last imported files; not for one project */
    int64_t sessions;          /* that were looked at */
    bool complete;             /* these are all */
    uint64_t reserved[6];      /* room to grow */
};

/* The values that the 20,000 last updated living sessions have, of one project or (NULL, "") of
 * all. A project that does not exist has none. */
BOUGH_MUST_CHECK enum bough_rc bough_session_facets(struct bough_store *s, struct bough_arena *a,
                                                    const char *project,
                                                    struct bough_session_facets_result *out,
                                                    struct bough_error *err);

/* The primary session of a project with the newest message that is neither deleted nor archived.
 * `project` may be NULL: of all projects. BOUGH_NOT_FOUND: there is none. */
BOUGH_MUST_CHECK enum bough_rc bough_session_continue(struct bough_store *s, struct bough_arena *a,
                                                      const char *project,
                                                      struct bough_session **out,
                                                      struct bough_error *err);

/* The id of the last ancestor: parent of parent, up to a session without a parent, or whose parent
 * was purged. */
BOUGH_MUST_CHECK enum bough_rc bough_session_root(struct bough_store *s, const char *id,
                                                  char out[BOUGH_ID_LEN + 1],
                                                  struct bough_error *err);

/* Set the title; NULL and "" clear it. The slug stays. An equal title changes nothing. */
BOUGH_MUST_CHECK enum bough_rc bough_session_rename(struct bough_store *s, const char *id,
                                                    const char *title, struct bough_error *err);

/* NULL, and a bough_str of length 0, leave a field as it is; "" clears it. */
struct bough_session_update_options {
    const char *title, *project, *workspace, *account;
    const char *provider_path, *role_name, *model_provider, *model_name;
    const char *system_prompt, *user_name, *version;
    struct bough_str data, metadata; /* raw JSON objects, replaced as a whole */
    uint64_t reserved[8];            /* room to grow: must be 0 */
};

/* Change fields of a session, all or none. Equal values change nothing. */
BOUGH_MUST_CHECK enum bough_rc bough_session_update(struct bough_store *s, const char *id,
                                                    const struct bough_session_update_options *edit,
                                                    struct bough_error *err);

/*
 * Change the status. From idle or retry to busy, `owner` takes a lease of `lease_ms` (0: a minute;
 * negative or more than a day: BOUGH_INVALID); from busy to busy the same owner renews it. While
 * the lease lives, appends of others are BOUGH_BUSY. Every new lease has a larger epoch, written to
 * *epoch (may be NULL). With `owner` NULL the session is busy without a lease, and every caller may
 * append. Any caller can take an expired lease. BOUGH_BUSY: another owner's lease has not expired.
 * BOUGH_CONFLICT: the status cannot change like this; idle becomes busy or archived, busy becomes
 * idle or retry, retry becomes busy, idle or archived, archived becomes idle. A session that a run
 * has is BOUGH_BUSY until the run has ended, whatever its lease: see run.h. BOUGH_INVALID: `owner`
 * begins with "run:".
 */
BOUGH_MUST_CHECK enum bough_rc bough_session_status(struct bough_store *s, const char *id,
                                                    enum bough_status status, const char *owner,
                                                    int64_t lease_ms, int64_t *epoch,
                                                    struct bough_error *err);

/* Archive a session that is idle, in retry, or archived already; BOUGH_CONFLICT or BOUGH_BUSY
 * otherwise. */
BOUGH_MUST_CHECK enum bough_rc bough_session_archive(struct bough_store *s, const char *id,
                                                     struct bough_error *err);

/* Make an archived session idle. BOUGH_CONFLICT: it is not archived. */
BOUGH_MUST_CHECK enum bough_rc bough_session_unarchive(struct bough_store *s, const char *id,
                                                       struct bough_error *err);

/* Hide a session from lists and searches. It can still be read, and restored. A second call changes
 * nothing and keeps the first time. */
BOUGH_MUST_CHECK enum bough_rc bough_session_delete(struct bough_store *s, const char *id,
                                                    struct bough_error *err);

/* Undo bough_session_delete(). Changes nothing if it is not deleted. */
BOUGH_MUST_CHECK enum bough_rc bough_session_restore(struct bough_store *s, const char *id,
                                                     struct bough_error *err);

/* Move the head to nothing: the path is empty, and the next append begins a new root. No entry is
 * removed. The same as bough_head_reset(). */
BOUGH_MUST_CHECK enum bough_rc bough_session_clear(struct bough_store *s, const char *id,
                                                   struct bough_error *err);

struct bough_session_purge_result {
    int64_t entries, records; /* removed */
    int64_t kept;             /* entries that forks still show */
    const char **keepers;     /* ids of those forks */
    size_t nkeepers;
    const char **detached; /* ids of children that lost their parent */
    size_t ndetached;
    uint64_t reserved[4]; /* room to grow */
};

/* Remove a session for ever. Entries that forks show stay until these are purged too. What its
 * calls spent becomes an adjustment of its parent, or of the store. `out` may be NULL. A purge that
 * fails after the session is gone is finished when the store is opened again. */
BOUGH_MUST_CHECK enum bough_rc bough_session_purge(struct bough_store *s, struct bough_arena *a,
                                                   const char *id,
                                                   struct bough_session_purge_result *out,
                                                   struct bough_error *err);

/* A session that a purge concerns. */
struct bough_purge_concern {
    const struct bough_session *session;
    int64_t entries;      /* of the purged session that it shows; 0 for a child that shows none */
    uint64_t reserved[2]; /* room to grow */
};

struct bough_session_purge_preview_result {
    int64_t entries, records; /* that would be removed, here and in purged sessions above it */
    int64_t kept;             /* entries that forks still show */
    int64_t bytes;            /* of the entries, as stored, estimated from a sample of them */
    struct bough_purge_concern *keepers; /* those forks, at most 64 */
    size_t nkeepers;
    struct bough_purge_concern *detached; /* children that would lose their parent */
    size_t ndetached;
    struct bough_totals cost; /* of its calls: it stays spent ... */
    const char *cost_to;      /* ... as an adjustment of this session, "": of the store */
    uint64_t reserved[6];     /* room to grow */
};

/* What bough_session_purge() would do, without doing it. */
BOUGH_MUST_CHECK enum bough_rc
bough_session_purge_preview(struct bough_store *s, struct bough_arena *a, const char *id,
                            struct bough_session_purge_preview_result *out,
                            struct bough_error *err);

struct bough_session_fork_options {
    const char *entry; /* where, on any path of the session; NULL or "": at the head */
    bool before;       /* inherit what is before `entry`, without it */
    bool copy;         /* copy entries and labels instead: independent, and without a parent */
    const char *id;    /* of the caller's choice; BOUGH_EXISTS when it is taken */
    const char *title; /* not inherited */
    const char *model_provider, *model_name; /* NULL or "": inherited */
    const char *key;                         /* idempotency key, as in bough_session_create() */
    uint64_t reserved[3];                    /* room to grow: must be 0 */
};

/* A new session that inherits the path up to an entry. No entry is copied unless `copy` is set.
 * `how` may be NULL. BOUGH_CONFLICT: an open message is on that path. */
BOUGH_MUST_CHECK enum bough_rc bough_session_fork(struct bough_store *s, struct bough_arena *a,
                                                  const char *id,
                                                  const struct bough_session_fork_options *how,
                                                  struct bough_session **out,
                                                  struct bough_error *err);

/* A group of sessions: a project, a workspace or an account. Naming one in a session creates it. */
struct bough_group {
    char id[BOUGH_ID_LEN + 1];
    const char *name; /* a directory, or any other name */
    int64_t created;
    int64_t sessions;     /* how many are in it, deleted ones included */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_groups {
    struct bough_group *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* The groups of a kind in order of creation. `kind` is "project", "workspace" or "account";
 * anything else is BOUGH_INVALID. */
BOUGH_MUST_CHECK enum bough_rc bough_group_list(struct bough_store *s, struct bough_arena *a,
                                                const char *kind, struct bough_groups *out,
                                                struct bough_error *err);

/* Delete a group. The sessions of a project are purged; those of a workspace or an account leave
 * it. *sessions (may be NULL) is how many. BOUGH_NOT_FOUND: there is no such group. A call that
 * fails may have purged some sessions; calling again goes on. */
BOUGH_MUST_CHECK enum bough_rc bough_group_delete(struct bough_store *s, const char *kind,
                                                  const char *name, int64_t *sessions,
                                                  struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
