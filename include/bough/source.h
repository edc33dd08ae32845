/* Import sources: files of other tools, how far each was read, and who is reading it. */
#ifndef BOUGH_SOURCE_H
#define BOUGH_SOURCE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_source {
    const char *path;    /* unique */
    const char *format;  /* "pi", "claude-code", ... */
    const char *hash;    /* of what was read, as the importer makes it */
    const char *session; /* id of the session it became, or "" */
    int64_t size, offset;
    const char *owner; /* who claimed it last, or "" */
    int64_t expires;   /* end of that claim; 0: given back */
    int64_t updated;
    int64_t ver; /* +1 at every change, claims included */
};

struct bough_sources {
    struct bough_source *at;
    size_t n;
};

/* BOUGH_NOT_FOUND when nothing is known of that path. */
BOUGH_MUST_CHECK enum bough_rc bough_source_get(struct bough_store *s, struct bough_arena *a,
                                                const char *path, struct bough_source **out,
                                                struct bough_error *err);

/* Write down how far `in->path` was read. `in->ver` is the version that was read, 0 when there was
 * none: BOUGH_CONFLICT when it is another by now. `in->owner` is who writes: BOUGH_BUSY while
 * somebody else's claim lives. The claim itself stays as it is. `out` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_source_put(struct bough_store *s, struct bough_arena *a,
                                                const struct bough_source *in,
                                                struct bough_source **out, struct bough_error *err);

/* Be the only reader of a path for `ms` milliseconds, at most a day: BOUGH_BUSY while somebody
 * else's claim lives. One's own is renewed; 0 gives it back. A path that nobody knows is made
 * known. `out`, which may be NULL, says how far it was read. */
BOUGH_MUST_CHECK enum bough_rc bough_source_claim(struct bough_store *s, struct bough_arena *a,
                                                  const char *path, const char *owner, int64_t ms,
                                                  struct bough_source **out,
                                                  struct bough_error *err);

/* All of them, in the order in which they became known. */
BOUGH_MUST_CHECK enum bough_rc bough_source_list(struct bough_store *s, struct bough_arena *a,
                                                 struct bough_sources *out,
                                                 struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
