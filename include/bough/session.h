/* Sessions: create, read, list, change, fork, delete. An `id` argument is an id, a slug, "#number"
 * or a unique prefix of an id of at least 8 characters. */
#ifndef BOUGH_SESSION_H
#define BOUGH_SESSION_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BOUGH_REQUIRE_PROJECT = 1, BOUGH_REQUIRE_MODEL = 2 };

/* Everything is optional; NULL and "" mean not given. */
struct bough_session_new {
    const char *id; /* the caller's own; BOUGH_EXISTS when taken */
    enum bough_session_kind kind;
    const char *parent;     /* with fork_entry: a fork; alone: a subagent's parent */
    const char *fork_entry; /* the last inherited entry, on a path of the parent */
    const char *parent_tool_use_id;
    const char *title; /* also where the slug comes from */
    const char *slug;  /* asked for by name; BOUGH_EXISTS when taken */
    const char *project, *workspace, *account;
    const char *provider_path, *role_name, *model_provider, *model_name;
    const char *system_prompt, *user_name, *version;
    struct bough_str data, metadata;
    enum bough_totals_mode totals_mode;
    int64_t created;  /* 0: now */
    unsigned require; /* BOUGH_REQUIRE_*: refuse when missing */
};

BOUGH_MUST_CHECK enum bough_rc bough_session_create(struct bough_store *s, struct bough_arena *a,
                                                    const struct bough_session_new *in,
                                                    struct bough_session **out,
                                                    struct bough_error *err);

/* Deleted sessions are given too; purged ones are BOUGH_GONE. */
BOUGH_MUST_CHECK enum bough_rc bough_session_get(struct bough_store *s, struct bough_arena *a,
                                                 const char *id, struct bough_session **out,
                                                 struct bough_error *err);

enum bough_order { BOUGH_BY_CREATED, BOUGH_BY_UPDATED, BOUGH_BY_MODIFIED };
enum bough_only { BOUGH_ANY, BOUGH_ONLY, BOUGH_NOT };

struct bough_list {
    const char *project, *workspace, *account, *parent;
    enum bough_only kind_primary; /* BOUGH_ONLY: primary, BOUGH_NOT: subagents */
    bool roots;                   /* without a parent */
    const char *status;           /* "idle busy": any of these words */
    bool active;                  /* not archived */
    bool archived;                /* only archived */
    const char *role_name, *provider_path, *model_provider, *model_name;
    int64_t created_from, created_to, updated_from, updated_to; /* from <= t < to; 0: open */
    bool include_deleted;
    bool only_deleted;
    const char *query;      /* case-insensitive part of slug, title, directory or first user text */
    enum bough_order order; /* newest first */
    int64_t limit;          /* 0: 50 */
    const char *cursor;     /* `next` of the page before */
};

BOUGH_MUST_CHECK enum bough_rc bough_session_list(struct bough_store *s, struct bough_arena *a,
                                                  const struct bough_list *filter,
                                                  struct bough_sessions *out,
                                                  struct bough_error *err);

/* The most recently modified living session of a project, BOUGH_NOT_FOUND when there is none. */
BOUGH_MUST_CHECK enum bough_rc bough_session_continue(struct bough_store *s, struct bough_arena *a,
                                                      const char *project,
                                                      struct bough_session **out,
                                                      struct bough_error *err);

/* The ancestor without a parent; the session itself when it has none. */
BOUGH_MUST_CHECK enum bough_rc bough_session_root(struct bough_store *s, const char *id,
                                                  char out[BOUGH_ID_LEN + 1],
                                                  struct bough_error *err);

/* The same title changes nothing; an empty one clears it. */
BOUGH_MUST_CHECK enum bough_rc bough_session_rename(struct bough_store *s, const char *id,
                                                    const char *title, struct bough_error *err);

/* Set what is not NULL (and spans that are not empty). */
struct bough_session_edit {
    const char *title, *project, *workspace, *account;
    const char *provider_path, *role_name, *model_provider, *model_name;
    const char *system_prompt, *user_name, *version;
    struct bough_str data, metadata;
};

BOUGH_MUST_CHECK enum bough_rc bough_session_update(struct bough_store *s, const char *id,
                                                    const struct bough_session_edit *edit,
                                                    struct bough_error *err);

/* idle -> busy takes a lease for `lease_ms`; busy -> busy by the same owner renews it. Another
 * owner's living lease is BOUGH_BUSY, a transition the lifecycle does not know BOUGH_CONFLICT. */
BOUGH_MUST_CHECK enum bough_rc bough_session_status(struct bough_store *s, const char *id,
                                                    enum bough_status status, const char *owner,
                                                    int64_t lease_ms, int64_t *epoch,
                                                    struct bough_error *err);

BOUGH_MUST_CHECK enum bough_rc bough_session_archive(struct bough_store *s, const char *id,
                                                     struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_session_unarchive(struct bough_store *s, const char *id,
                                                       struct bough_error *err);

/* Soft and idempotent: the first time is kept. */
BOUGH_MUST_CHECK enum bough_rc bough_session_delete(struct bough_store *s, const char *id,
                                                    struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_session_restore(struct bough_store *s, const char *id,
                                                     struct bough_error *err);

/* The head goes to nothing; the next append starts a new root. Nothing is removed. */
BOUGH_MUST_CHECK enum bough_rc bough_session_clear(struct bough_store *s, const char *id,
                                                   struct bough_error *err);

struct bough_purge_report {
    int64_t entries, records; /* removed */
    int64_t kept;             /* entries that forks still show */
    const char **keepers;     /* ids of the sessions that show them */
    size_t nkeepers;
    const char **detached; /* ids of children that lost their parent link */
    size_t ndetached;
};

/* Hard: nothing brings it back. What forks still show stays until they are purged too. */
BOUGH_MUST_CHECK enum bough_rc bough_session_purge(struct bough_store *s, struct bough_arena *a,
                                                   const char *id, struct bough_purge_report *out,
                                                   struct bough_error *err);

struct bough_fork {
    const char *entry; /* where; "" or NULL: at the head */
    bool before;       /* exclusive: the entry itself is not inherited */
    bool copy;         /* an independent session: entries, labels and their ids are copied */
    const char *id, *title, *model_provider, *model_name;
};

/* A new session that shows history up to the entry and shares nothing after it. */
BOUGH_MUST_CHECK enum bough_rc bough_session_fork(struct bough_store *s, struct bough_arena *a,
                                                  const char *id, const struct bough_fork *how,
                                                  struct bough_session **out,
                                                  struct bough_error *err);

/* Projects, workspaces and accounts are made by naming them; `kind` is "project", "workspace",
 * "account". */
struct bough_place {
    char id[BOUGH_ID_LEN + 1];
    const char *name; /* the directory, or the id that was given */
    int64_t created, sessions;
};

struct bough_places {
    struct bough_place *at;
    size_t n;
};

BOUGH_MUST_CHECK enum bough_rc bough_place_list(struct bough_store *s, struct bough_arena *a,
                                                const char *kind, struct bough_places *out,
                                                struct bough_error *err);

/* Deleting a project purges its sessions; a workspace or an account is only unlinked. */
BOUGH_MUST_CHECK enum bough_rc bough_place_delete(struct bough_store *s, const char *kind,
                                                  const char *name, int64_t *sessions,
                                                  struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
