/* Small things kept beside a conversation: labels, memories, todos, calls, totals, audit. */
#ifndef BOUGH_NOTES_H
#define BOUGH_NOTES_H

#include <bough/entry.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Session-wide, the latest wins, "" clears. A fork's label on an inherited entry shows in that fork
 * only. */
struct bough_label {
    char entry[BOUGH_ID_LEN + 1];
    const char *text;
    int64_t time;
};

struct bough_labels {
    struct bough_label *at;
    size_t n;
};

BOUGH_MUST_CHECK enum bough_rc bough_label_set(struct bough_store *s, const char *session,
                                               const char *entry, const char *text,
                                               struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_label_get(struct bough_store *s, struct bough_arena *a,
                                               const char *session, const char *entry,
                                               const char **text, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_label_list(struct bough_store *s, struct bough_arena *a,
                                                const char *session, struct bough_labels *out,
                                                struct bough_error *err);

enum bough_scope_of { BOUGH_OF_SESSION, BOUGH_OF_PROJECT, BOUGH_OF_ALL };

struct bough_memory {
    char id[BOUGH_ID_LEN + 1];
    enum bough_scope_of scope;
    const char *of; /* id of the session, name of the project, "" */
    const char *title, *body, *content, *source, *path;
    int64_t created, updated, deleted;
};

struct bough_memories {
    struct bough_memory *at;
    size_t n;
};

/* Content is trimmed and must not be empty. `of` is a session or a project's name, by scope;
 * `created` is now unless it is given. */
BOUGH_MUST_CHECK enum bough_rc bough_memory_add(struct bough_store *s, struct bough_arena *a,
                                                const struct bough_memory *in,
                                                struct bough_memory **out, struct bough_error *err);
/* The active ones in order of creation. */
BOUGH_MUST_CHECK enum bough_rc bough_memory_list(struct bough_store *s, struct bough_arena *a,
                                                 enum bough_scope_of scope, const char *of,
                                                 struct bough_memories *out,
                                                 struct bough_error *err);
/* Soft; again, or of another scope, is BOUGH_MEMORY_NOT_FOUND. */
BOUGH_MUST_CHECK enum bough_rc bough_memory_forget(struct bough_store *s, struct bough_arena *a,
                                                   enum bough_scope_of scope, const char *of,
                                                   const char *id, struct bough_memory **out,
                                                   struct bough_error *err);

struct bough_todo {
    const char *content, *status, *priority; /* pending, in_progress, completed, cancelled */
};

struct bough_todos {
    struct bough_todo *at;
    size_t n;
    int64_t total, incomplete, in_progress, completed, cancelled;
    int64_t updated;
};

/* The whole list at once; `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_todo_replace(struct bough_store *s, struct bough_arena *a,
                                                  const char *session,
                                                  const struct bough_todo *items, size_t n,
                                                  struct bough_todos *out, struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_todo_get(struct bough_store *s, struct bough_arena *a,
                                              const char *session, struct bough_todos *out,
                                              struct bough_error *err);

/* Calls in order of time. */
BOUGH_MUST_CHECK enum bough_rc bough_call_list(struct bough_store *s, struct bough_arena *a,
                                               const char *session, struct bough_calls *out,
                                               struct bough_error *err);
BOUGH_MUST_CHECK enum bough_rc bough_call_get(struct bough_store *s, struct bough_arena *a,
                                              const char *id, struct bough_call **out,
                                              struct bough_error *err);
/* Links to it become empty; what was spent stays, as an adjustment. */
BOUGH_MUST_CHECK enum bough_rc bough_call_delete(struct bough_store *s, const char *id,
                                                 struct bough_error *err);

/* Adjust the rolled-up totals of one session. */
BOUGH_MUST_CHECK enum bough_rc bough_totals_add(struct bough_store *s, const char *session,
                                                const struct bough_totals *delta,
                                                struct bough_error *err);

struct bough_propagated {
    char id[BOUGH_ID_LEN + 1];
    struct bough_totals rolled; /* after it */
};

/* The same for the session and every parent of it, leaf first, each once, at most 33. */
BOUGH_MUST_CHECK enum bough_rc bough_totals_propagate(struct bough_store *s, struct bough_arena *a,
                                                      const char *session,
                                                      const struct bough_totals *delta,
                                                      struct bough_propagated **out, size_t *n,
                                                      bool *truncated, struct bough_error *err);

struct bough_audit {
    int64_t no, time;
    const char *action, *target, *detail, *principal;
};

struct bough_audits {
    struct bough_audit *at;
    size_t n;
};

/* Deletes, purges and exports, oldest first. */
BOUGH_MUST_CHECK enum bough_rc bough_audit_list(struct bough_store *s, struct bough_arena *a,
                                                struct bough_audits *out, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
