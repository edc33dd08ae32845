/* Look up sessions, entries, records and groups by their external names. */
#ifndef STORE_LOOKUP_FIND_H
#define STORE_LOOKUP_FIND_H

#include "store/engine/engine.h"

enum { FIND_PREFIX_LEAST = 8 }; /* characters of an id that are looked up as its prefix */

/* Find a session by id, by the id it was created with, "#number", slug, number, or unique prefix of
 * an id (at least FIND_PREFIX_LEAST characters). Fails with BOUGH_NOT_FOUND, BOUGH_GONE (purged),
 * BOUGH_AMBIGUOUS, BOUGH_INVALID (empty) or BOUGH_TOO_LARGE. */
enum bough_rc find_session(struct snap *snap, const char *text, int64_t *sid,
                           struct bough_error *err);

/* Only by the full id that this store gave it, purged or not; *sid is 0 when no session has it. */
enum bough_rc find_session_by_id(struct snap *snap, const char *text, int64_t *sid,
                                 struct bough_error *err);

/* As find_session, but from the cache alone when possible: the hot path of an append. A purged
 * session may still be found, because the cache does not see purges. */
enum bough_rc find_session_fast(struct bough_store *s, const char *text, int64_t *sid,
                                struct bough_error *err);

/* Find an entry by id, by the id it came with, "#branch.depth", or the id of one of its parts.
 * `sid` > 0: the entry must be on a path of that session, else BOUGH_INVALID, or BOUGH_NOT_FOUND
 * for
 * "#branch.depth". Also fails with BOUGH_NOT_FOUND, BOUGH_GONE (purged) or BOUGH_AMBIGUOUS. */
enum bough_rc find_entry(struct snap *snap, int64_t sid, const char *text, struct bough_head *out,
                         struct bough_error *err);

/* Is the entry on a path of the session, that is, on one of its branches or their ancestors? */
enum bough_rc entry_visible(struct snap *snap, int64_t sid, struct bough_head at, bool *visible,
                            struct bough_error *err);

/* Decode a record id into session and ordinal. Does not check that the record exists. `missing` is
 * the error code when `text` is not the id of a record of this kind. */
enum bough_rc find_record(struct snap *snap, const char *text, enum record_kind kind,
                          enum bough_rc missing, int64_t *sid, int64_t *ord,
                          struct bough_error *err);

/* Groups: projects, workspaces, accounts. */
enum record_kind group_kind(const char *name); /* 0: not a kind of group */
/* The ordinal of a group; BOUGH_NOT_FOUND when there is none. */
enum bough_rc find_group(struct snap *snap, enum record_kind kind, const char *name, int64_t *ord,
                         struct bough_error *err);
/* As find_group, but creates the group if it is missing. An empty name gives *ord 0. */
enum bough_rc group_ensure(struct bough_store *s, enum record_kind kind, const char *name,
                           int64_t *ord, struct bough_error *err);

#endif
