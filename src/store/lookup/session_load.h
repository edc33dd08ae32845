/* Loading a session's rows and its calls through a snapshot. */
#ifndef STORE_LOOKUP_SESSION_LOAD_H
#define STORE_LOOKUP_SESSION_LOAD_H

#include "store/engine/engine.h"

/* Begin a snapshot and find a session in it. On failure the snapshot is ended. */
enum bough_rc snap_session(struct bough_store *s, const char *session, struct snap *snap,
                           int64_t *sid, struct bough_error *err);

/* A session's rows and unpacked body. */
struct session_loaded {
    struct session_row row;
    struct session_body body;
    struct head_now head;
};

/* Load a session into `a`. BOUGH_NOT_FOUND when it does not exist, BOUGH_GONE when it was
 * purged. */
enum bough_rc session_load(struct snap *snap, struct bough_arena *a, int64_t sid,
                           struct session_loaded *out, struct bough_error *err);

/* What the body of a call keeps of its session: the ordinals of project and account, each plus 1.
 * Zeros when the session's body cannot be read. BOUGH_GONE when it was purged. A change of either
 * raises the version of the head row, so a cached state is valid as long as its version. */
enum bough_rc session_groups(struct snap *snap, struct bough_arena *a, int64_t sid,
                             int64_t groups[2], struct bough_error *err);

/* Fails with BOUGH_GONE and names the session's id. Never returns BOUGH_OK. */
enum bough_rc session_gone(struct snap *snap, int64_t sid, struct bough_error *err);

/* As session_load(), for writing: BOUGH_ARCHIVED when the session is archived. */
enum bough_rc session_load_writable(struct snap *snap, struct bough_arena *a, int64_t sid,
                                    struct session_loaded *out, struct bough_error *err);
enum bough_rc check_writable(const struct head_row *head, struct bough_error *err);

/* Leases of runs: the owner is "run:ID", or "run:ID@host" while a process works on it. They are
 * taken and given back by the functions of <bough/run.h> alone. */
#define RUN_OWNER "run:"
bool held_by_run(const struct head_row *head);
/* BOUGH_BUSY while a run has the session, also when its lease has expired. */
enum bough_rc check_no_run(const struct head_row *head, struct bough_error *err);

/* The id of a session, in the arena. */
enum bough_rc session_id(struct snap *snap, struct bough_arena *a, int64_t sid, const char **id,
                         struct bough_error *err);

/* The session and its subagents at any depth, by number, purged ones included: their own subagents
 * may live. In the arena. */
enum bough_rc session_tree(struct snap *snap, struct bough_arena *a, int64_t sid,
                           const int64_t **sids, size_t *n, struct bough_error *err);

/* A call as callers see it. `session` is the id of its session and stored as given. */
void call_fill(const char *session, const struct record_row *row, const struct call_body *b,
               struct bough_call *out);

/* The calls of these entries, each once, in order of first use. Deleted calls are left out. */
enum bough_rc calls_load(struct snap *snap, struct bough_arena *a,
                         const struct bough_entries *entries, struct bough_calls **out,
                         struct bough_error *err);

#endif
