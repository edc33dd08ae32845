/* Sessions inside the store: what several files need of them. */
#ifndef STORE_SESSION_H
#define STORE_SESSION_H

#include "store/engine.h"
#include "store/projector.h"

/* A living session's row and body; BOUGH_GONE when it was purged. */
struct session_loaded {
    struct session_row row;
    struct session_body body;
    struct head_now head;
};

enum bough_rc session_load(struct snap *snap, struct bough_arena *a, int64_t sid,
                           struct session_loaded *out, struct bough_error *err);

/* BOUGH_GONE, by its id. */
enum bough_rc session_gone(struct snap *snap, int64_t sid, struct bough_error *err);

/* The same, for writing to it: BOUGH_ARCHIVED when that is refused. */
enum bough_rc session_load_writable(struct snap *snap, struct bough_arena *a, int64_t sid,
                                    struct session_loaded *out, struct bough_error *err);
enum bough_rc check_writable(const struct head_row *head, struct bough_error *err);

/* As callers see it. */
enum bough_rc session_fill(struct snap *snap, struct bough_arena *a, const struct session_loaded *l,
                           const struct shown *shown, struct bough_session *out,
                           struct bough_error *err);
enum bough_rc session_give(struct bough_store *s, struct bough_arena *a, int64_t sid,
                           struct bough_session **out, struct bough_error *err);

/* A snapshot and the session in it; on failure the snapshot is ended. */
enum bough_rc snap_session(struct bough_store *s, const char *session, struct snap *snap,
                           int64_t *sid, struct bough_error *err);
/* write_run() for an operation that needs nothing of the txn's memory afterwards. */
enum bough_rc write_once(struct bough_store *s, struct request *r, struct bough_error *err);

/* Limits and UTF-8 of a text argument. NULL is fine. */
enum bough_rc check_text(const char *what, const char *text, int64_t most, struct bough_error *err);
/* A raw JSON argument: any value, or an object; nothing at all is fine. */
enum bough_rc check_json(const char *what, struct bough_str json, int64_t most,
                         struct bough_error *err);
enum bough_rc check_object(const char *what, struct bough_str json, int64_t most,
                           struct bough_error *err);

/* A new session that starts at `base` (branch 0: at nothing). */
struct session_make {
    struct session_body body;
    const char *slug; /* asked for; "" : from the title, or two random words */
    int64_t kind, parent;
    struct bough_head base;
    bool on_branch; /* begins with a branch of its own at `base` */
};

/* The changes that make it, for a txn that does more. */
enum bough_rc session_make_prepare(struct prep *p, struct session_make *m, struct bough_error *err);
enum bough_rc session_make(struct bough_store *s, struct bough_arena *a, struct session_make *m,
                           int64_t *sid, struct bough_error *err);

/* Let go of a place, archived or not. */
enum bough_rc session_unlink(struct bough_store *s, const char *id,
                             const struct bough_session_edit *edit, struct bough_error *err);

/* A row of the audit log, in the same txn. */
void audit_put(struct prep *p, const char *principal, const char *action, const char *target,
               const char *detail);

/* Is somebody working in it, by a lease that is not over? */
bool session_held(const struct bough_store *s, const struct bough_session *x);

#endif
