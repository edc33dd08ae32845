/* Import sources: files of other tools, how far each was read, and who is reading it. */
#ifndef BOUGH_SOURCE_H
#define BOUGH_SOURCE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_source {
    const char *path;     /* unique */
    const char *format;   /* "pi", "claude-code", ... */
    const char *hash;     /* of what was read, as the importer computes it */
    const char *session;  /* id of the session that it became, or "" */
    int64_t size, offset; /* of the file, and how far it was read */
    const char *owner;    /* of the last claim, or "" */
    int64_t expires;      /* when that claim ends; 0: it was given back */
    int64_t updated;      /* last change */
    int64_t ver;          /* version: 1 more with every change, claims included */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_sources {
    struct bough_source *at;
    size_t n;
    uint64_t reserved[4]; /* room to grow */
};

/* What is known about a path. BOUGH_NOT_FOUND: nothing. */
BOUGH_MUST_CHECK enum bough_rc bough_source_get(struct bough_store *s, struct bough_arena *a,
                                                const char *path, struct bough_source **out,
                                                struct bough_error *err);

/* Store how far in->path was read. in->ver must be the version that was read, 0 for a new path:
 * BOUGH_CONFLICT when it has changed since. in->owner is who writes: BOUGH_BUSY while the claim of
 * another owner has not expired. The claim stays as it is. `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_source_put(struct bough_store *s, struct bough_arena *a,
                                                const struct bough_source *in,
                                                struct bough_source **out, struct bough_error *err);

/* Claim a path for `ms` milliseconds, at most a day, so that only one importer reads it. The same
 * owner renews its claim; 0 gives it back. A path that is not known is stored. `out`, which may be
 * NULL, says how far it was read. BOUGH_BUSY: the claim of another owner has not expired.
 * BOUGH_INVALID: no path or no owner, or more than a day. */
BOUGH_MUST_CHECK enum bough_rc bough_source_claim(struct bough_store *s, struct bough_arena *a,
                                                  const char *path, const char *owner, int64_t ms,
                                                  struct bough_source **out,
                                                  struct bough_error *err);

/* All sources, in the order in which they became known. */
BOUGH_MUST_CHECK enum bough_rc bough_source_list(struct bough_store *s, struct bough_arena *a,
                                                 struct bough_sources *out,
                                                 struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
