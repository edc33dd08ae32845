/* Session helpers shared by the files of the store. */
#ifndef STORE_SESSIONS_SESSION_H
#define STORE_SESSIONS_SESSION_H

#include "store/lookup/session_load.h"
#include "store/project/projector.h"

/* Convert a session for the caller. `out` borrows from `l` and `shown`; session_give() loads all of
 * it into `a`. */
enum bough_rc session_fill(struct snap *snap, struct bough_arena *a, const struct session_loaded *l,
                           const struct summary *shown, struct bough_session *out,
                           struct bough_error *err);
enum bough_rc session_give(struct bough_store *s, struct bough_arena *a, int64_t sid,
                           struct bough_session **out, struct bough_error *err);

/* A session to create, starting at `base` (branch 0: with an empty history). */
struct session_make {
    struct session_body body;
    const char *slug; /* requested slug; "" or NULL: derived from the title, or random words */
    int64_t kind, parent;
    struct bough_head base;
    bool on_branch;  /* create a first branch whose parent slot is `base` */
    int64_t from;    /* origin_from: who gave body.origin */
    const char *key; /* text of the key row (session_key()); NULL: none */
    unsigned char hash[32];
};

/* In prepare(): add the changes that create the session, for a txn that does more. BOUGH_EXISTS
 * when the slug or the foreign id is taken. */
enum bough_rc session_make_prepare(struct prep *p, struct session_make *m, struct bough_error *err);
enum bough_rc session_make(struct bough_store *s, struct bough_arena *a, struct session_make *m,
                           int64_t *sid, struct bough_error *err);

/* session_replay.c: idempotency keys of bough_session_create() and bough_session_fork().
 * session_key() and session_fork_key() fill key and hash from what the caller gave.
 * session_key_prepare() adds the key's row first, so that a used key loses before any other change
 * does. session_known() finds the session that a used key made; *known is false when it was not
 * used. */
enum bough_rc session_key(struct bough_store *s, struct bough_arena *a,
                          const struct bough_session_create_options *in, struct session_make *m,
                          struct bough_error *err);
enum bough_rc session_fork_key(struct bough_store *s, struct bough_arena *a,
                               const struct bough_session_fork_options *how, struct session_make *m,
                               struct bough_error *err);
enum bough_rc session_key_prepare(struct prep *p, struct snap *snap, const struct session_make *m,
                                  struct bough_error *err);
enum bough_rc session_known(struct bough_store *s, struct bough_arena *a,
                            const struct session_make *m, bool *known, int64_t *sid,
                            struct bough_error *err);

/* session_name.c: names are unique across slugs and given ids, so that none can stand for another
 * session. session_slug_choose() finds a slug for the new session; BOUGH_EXISTS when the requested
 * one is taken. session_origin_put() adds the alias of a given id; BOUGH_INVALID when it reads as a
 * number or as an id of ours, BOUGH_EXISTS when it is another session's name. */
enum bough_rc session_slug_choose(struct prep *p, struct snap *snap, const struct session_make *m,
                                  const char **slug, struct bough_error *err);
enum bough_rc session_origin_put(struct prep *p, struct snap *snap, const struct session_make *m,
                                 struct bough_error *err);

/* Detach a session from a group, even if the session is archived. */
enum bough_rc session_unlink(struct bough_store *s, const char *id,
                             const struct bough_session_update_options *edit,
                             struct bough_error *err);

/* How many messages are on the path to the head of each session and not deleted, open ones
 * included; head.c. Costs the length of the path only for sessions with branches or deleted
 * messages. */
enum bough_rc session_path_messages(struct bough_store *s, const struct bough_session *x, size_t n,
                                    int64_t *out, struct bough_error *err);

/* Is the session busy, with a lease that has not expired? */
bool session_held(const struct bough_store *s, const struct bough_session *x);

#endif
