/* Loading a session's rows through a snapshot. */
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

/* Fails with BOUGH_GONE and names the session's id. Never returns BOUGH_OK. */
enum bough_rc session_gone(struct snap *snap, int64_t sid, struct bough_error *err);

/* As session_load(), for writing: BOUGH_ARCHIVED when the session is archived. */
enum bough_rc session_load_writable(struct snap *snap, struct bough_arena *a, int64_t sid,
                                    struct session_loaded *out, struct bough_error *err);
enum bough_rc check_writable(const struct head_row *head, struct bough_error *err);

#endif
