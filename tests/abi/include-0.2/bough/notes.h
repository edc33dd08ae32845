/* Records beside a conversation: labels, memories, todos, calls, totals, audit. `session` and
 * `entry` arguments are those of session.h and entry.h, and fail in the same ways. */
#ifndef BOUGH_NOTES_H
#define BOUGH_NOTES_H

#include <bough/entry.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A short text on an entry. A fork inherits labels; setting or clearing one there does not change
 * the original. */
struct bough_label {
    char entry[BOUGH_ID_LEN + 1];
    const char *text;     /* never empty in a list */
    int64_t time;         /* when it was set */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_labels {
    struct bough_label *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* Set the label of an entry in this session, in place of an earlier one; NULL and "" clear it. */
BOUGH_MUST_CHECK enum bough_rc bough_label_set(struct bough_store *s, const char *session,
                                               const char *entry, const char *text,
                                               struct bough_error *err);

/* The label of an entry as this session shows it; *text is "" when there is none. */
BOUGH_MUST_CHECK enum bough_rc bough_label_get(struct bough_store *s, struct bough_arena *a,
                                               const char *session, const char *entry,
                                               const char **text, struct bough_error *err);

/* All labels that this session shows: its own in the order in which they were first set, then
 * inherited ones. */
BOUGH_MUST_CHECK enum bough_rc bough_label_list(struct bough_store *s, struct bough_arena *a,
                                                const char *session, struct bough_labels *out,
                                                struct bough_error *err);

/* What a memory belongs to. Stored: add at the end, never renumber. */
enum bough_memory_scope {
    BOUGH_MEMORY_OF_SESSION = 0,
    BOUGH_MEMORY_OF_PROJECT = 1,
    BOUGH_MEMORY_OF_STORE = 2
};

struct bough_memory {
    char id[BOUGH_ID_LEN + 1];
    enum bough_memory_scope scope;
    const char *of; /* id of the session, name of the project, or "" */
    const char *title, *body, *content, *source, *path;
    int64_t created, updated;
    int64_t deleted;      /* when it was forgotten; 0: it is not */
    uint64_t reserved[8]; /* room to grow: must be 0 */
};

struct bough_memories {
    struct bough_memory *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* Add a memory. Of `in` count scope, of (a session argument, or a project's name, which is created
 * when it is new), the five texts, and `created` (0: now). `content` is trimmed; BOUGH_INVALID when
 * nothing is left. `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_memory_add(struct bough_store *s, struct bough_arena *a,
                                                const struct bough_memory *in,
                                                struct bough_memory **out, struct bough_error *err);

/* The memories of one session, one project or the store that are not forgotten, in order of
 * creation. A project that does not exist has none. */
BOUGH_MUST_CHECK enum bough_rc bough_memory_list(struct bough_store *s, struct bough_arena *a,
                                                 enum bough_memory_scope scope, const char *of,
                                                 struct bough_memories *out,
                                                 struct bough_error *err);

/* Hide a memory for ever. BOUGH_MEMORY_NOT_FOUND: it does not exist, was forgotten already, or
 * belongs to something else. `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_memory_forget(struct bough_store *s, struct bough_arena *a,
                                                   enum bough_memory_scope scope, const char *of,
                                                   const char *id, struct bough_memory **out,
                                                   struct bough_error *err);

struct bough_todo {
    const char *content;
    const char *status;   /* pending, in_progress, completed or cancelled */
    const char *priority; /* free text */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_todos {
    struct bough_todo *at;
    size_t n;
    int64_t total, incomplete, in_progress, completed, cancelled; /* counts by status */
    int64_t updated;                                              /* 0: never set */
    uint64_t reserved[4];                                         /* room to grow */
};

/* Replace the todo list of a session; 10,000 items at most. BOUGH_INVALID: an unknown status. `out`
 * may be NULL: else the new list. */
BOUGH_MUST_CHECK enum bough_rc bough_todo_replace(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  const struct bough_todo *items, size_t n,
                                                  struct bough_todos *out, struct bough_error *err);

/* The todo list of a session, empty when it was never set. */
BOUGH_MUST_CHECK enum bough_rc bough_todo_get(struct bough_store *s, struct bough_arena *a,
                                              const char *session, struct bough_todos *out,
                                              struct bough_error *err);

/* All calls that a session made, in order of time. */
BOUGH_MUST_CHECK enum bough_rc bough_call_list(struct bough_store *s, struct bough_arena *a,
                                               const char *session, struct bough_calls *out,
                                               struct bough_error *err);

/* Read one call by its id. BOUGH_NOT_FOUND: there is none, or it was deleted. */
BOUGH_MUST_CHECK enum bough_rc bough_call_get(struct bough_store *s, struct bough_arena *a,
                                              const char *id, struct bough_call **out,
                                              struct bough_error *err);

/* Delete a call. Entries that it produced lose their link to it. What it spent stays in the rolled
 * totals, as an adjustment. BOUGH_NOT_FOUND: there is none. */
BOUGH_MUST_CHECK enum bough_rc bough_call_delete(struct bough_store *s, const char *id,
                                                 struct bough_error *err);

/* Add `delta`, whose numbers may be negative, to the rolled totals of one session. BOUGH_INVALID: a
 * number beyond 2^53, or the sum would overflow. */
BOUGH_MUST_CHECK enum bough_rc bough_totals_add(struct bough_store *s, const char *session,
                                                const struct bough_totals *delta,
                                                struct bough_error *err);

/* The rolled totals of one session. */
struct bough_session_totals {
    char id[BOUGH_ID_LEN + 1];
    struct bough_totals rolled;
    uint64_t reserved[4]; /* room to grow */
};

struct bough_totals_propagate_result {
    struct bough_session_totals *at; /* after the change: the session, then its ancestors */
    size_t n;
    bool truncated;       /* there are more ancestors; they were not changed */
    uint64_t reserved[4]; /* room to grow */
};

/* The same for the session and its ancestors, purged ones left out, 33 sessions at most, in one
 * transaction. */
BOUGH_MUST_CHECK enum bough_rc bough_totals_propagate(struct bough_store *s, struct bough_arena *a,
                                                      const char *session,
                                                      const struct bough_totals *delta,
                                                      struct bough_totals_propagate_result *out,
                                                      struct bough_error *err);

struct bough_audit {
    int64_t no, time;      /* no: counted from 1 in the audit */
    const char *action;    /* "delete", "purge", "delete entry", ... */
    const char *target;    /* an id or a name */
    const char *detail;    /* or "" */
    const char *principal; /* of the handle that did it; "" for the owner of the store */
    uint64_t reserved[4];  /* room to grow */
};

struct bough_audits {
    struct bough_audit *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* All deletions, restorations and purges, and all tokens that were created or revoked, oldest
 * first.
 */
BOUGH_MUST_CHECK enum bough_rc bough_audit_list(struct bough_store *s, struct bough_arena *a,
                                                struct bough_audits *out, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
