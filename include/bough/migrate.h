/* Migration: a whole store into an empty one of another kind, nothing renumbered. */
#ifndef BOUGH_MIGRATE_H
#define BOUGH_MIGRATE_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_migrate {
    bool (*progress)(void *user, int64_t done, int64_t total); /* may be NULL; false: give up */
    void *user;
    bool no_verify; /* do not compare both stores afterwards */
};

struct bough_migrated {
    int64_t rows, entries, sessions; /* rows and entries: of this run, when it went on */
    int64_t last_no;                 /* the last change that came along */
    int64_t compared;                /* sessions whose path and totals are the same in both */
    bool resumed;
};

/*
 * Move what `from` holds at this moment into the empty store `to`, which is made if need be. Ids,
 * order, totals and feed numbers stay: whoever follows the log goes on. `from` is only read; what
 * is written to it meanwhile does not come along. When it stops half way, `to` is no store yet;
 * the same call goes on where it stopped, as long as `from` did not change (BOUGH_CONFLICT
 * otherwise: empty `to` and begin again). BOUGH_EXISTS when `to` holds something of its own. The
 * full text is not moved but made again, by the first who opens `to`. At the end every session's
 * path hash and totals are compared; BOUGH_CORRUPT names the first that differs.
 */
BOUGH_MUST_CHECK enum bough_rc bough_migrate(const char *from, const char *to,
                                             const struct bough_migrate *how,
                                             struct bough_migrated *out, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
