/* Finding things by what people and other tools call them. */
#ifndef STORE_FIND_H
#define STORE_FIND_H

#include "store/engine.h"

/* An id, the id it was created with, "#number", a slug, or a unique prefix of an id. */
enum bough_rc find_session(struct snap *snap, const char *text, int64_t *sid,
                           struct bough_error *err);

/* As find_session, from the cache alone when possible: the hot path of an append. */
enum bough_rc find_session_fast(struct bough_store *s, const char *text, int64_t *sid,
                                struct bough_error *err);

/* An id, the id it came with, "#branch.depth", or a part's id. `sid` > 0: it must be on a path of
 * that session (BOUGH_INVALID when it is somebody else's). */
enum bough_rc find_entry(struct snap *snap, int64_t sid, const char *text, struct bough_head *out,
                         struct bough_error *err);

/* Is the entry on a path of the session? Its own branches, or what they hang on. */
enum bough_rc entry_visible(struct snap *snap, int64_t sid, struct bough_head at, bool *visible,
                            struct bough_error *err);

/* A record of ours by id: its session, kind and ordinal. `missing` is the code when there is none.
 */
enum bough_rc find_record(struct snap *snap, const char *text, enum record_kind kind,
                          enum bough_rc missing, int64_t *sid, int64_t *ord,
                          struct bough_error *err);

/* Projects, workspaces, accounts. */
enum record_kind place_kind(const char *name); /* 0: no such kind of place */
enum bough_rc find_place(struct snap *snap, enum record_kind kind, const char *name, int64_t *ord,
                         struct bough_error *err);
/* The same, made when it is not there. An empty name is 0. */
enum bough_rc place_ensure(struct bough_store *s, enum record_kind kind, const char *name,
                           int64_t *ord, struct bough_error *err);

#endif
