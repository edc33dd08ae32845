/* Migration: copy a whole store to an empty one, usually of another backend, with all its numbers.
 */
#ifndef BOUGH_MIGRATE_H
#define BOUGH_MIGRATE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Whether both stores are compared at the end. */
enum bough_verify {
    BOUGH_VERIFY_ALL = 0, /* the path hash and the totals of every session */
    BOUGH_VERIFY_NONE,
};

struct bough_migrate_options {
    /* Rows copied so far, and in all; false: give up, which is BOUGH_CANCELLED. May be NULL. */
    bool (*progress)(void *user, int64_t done, int64_t total);
    void *user; /* passed to `progress` */
    enum bough_verify verify;
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_migrate_result {
    int64_t rows, entries; /* copied by this call */
    int64_t sessions;      /* in the store */
    int64_t last_no;       /* number of the last change that was copied */
    int64_t compared;      /* sessions that are equal in both stores */
    bool resumed;          /* an earlier call had copied a part */
    uint64_t reserved[4];  /* room to grow */
};

/*
 * Copy what `from` holds now to the empty store `to`, which is created if it does not exist. Both
 * are URLs. Ids, order, totals and changelog numbers stay, so that followers can go on. `from` is
 * only read; later changes to it are not copied. The full text is not copied: it is built when `to`
 * is used. `how` and `out` may be NULL.
 *
 * When the call fails half way, `to` cannot be opened (BOUGH_BUSY); the same call continues where
 * it stopped. BOUGH_CONFLICT: `from` has changed since; empty `to` and begin again. BOUGH_EXISTS:
 * `to` holds something else. BOUGH_BUSY: `from` is itself the target of an unfinished migration.
 * BOUGH_CORRUPT: the message names the first session that differs.
 */
BOUGH_MUST_CHECK enum bough_rc bough_migrate(const char *from, const char *to,
                                             const struct bough_migrate_options *how,
                                             struct bough_migrate_result *out,
                                             struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
