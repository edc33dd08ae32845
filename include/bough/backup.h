/* Backup: copy an open store into a file of its own, and put such a file back. */
#ifndef BOUGH_BACKUP_H
#define BOUGH_BACKUP_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_backup_report {
    int64_t bytes; /* of the file */
    int64_t sessions, entries, last_no;
};

/*
 * Copy the store as it is at this moment into the new file `path`, on a local disk, while others
 * go on reading and writing. BOUGH_EXISTS when something is there already. The copy is read back
 * and checked in full before it gets its name; when anything fails, nothing stays behind. It is a
 * store like any other. `progress` (or NULL) hears how many bytes are copied and returns false to
 * give up, which is BOUGH_TIMEOUT. The handle's deadline does not count, its `cancel` does.
 */
BOUGH_MUST_CHECK enum bough_rc
bough_backup(struct bough_store *s, const char *path,
             bool (*progress)(void *user, int64_t done, int64_t total), void *user,
             struct bough_backup_report *report, struct bough_error *err);

struct bough_restore {
    bool force; /* do not keep what was there */
    bool (*progress)(void *user, int64_t done, int64_t total);
    void *user;
    const struct bough_env *env; /* NULL: the system's */
};

struct bough_restored {
    struct bough_backup_report copied;
    int64_t epoch;    /* the new one */
    const char *kept; /* where the store that was there is now, or "" */
};

/*
 * Put the backup (any store file) in the place of the store at `url`. BOUGH_BUSY when anybody has
 * that store open. The backup is copied, brought up to date and checked in full first: when that or
 * anything else fails, the store is as it was. A store of an older format is taken too. What was
 * there is kept as <path>.before-restore-<time>, with what its log still held. The epoch becomes
 * one more than the larger of both, so that whoever follows the log notices. `how` and `out` may be
 * NULL.
 */
BOUGH_MUST_CHECK enum bough_rc bough_restore(const char *backup, const char *url,
                                             const struct bough_restore *how, struct bough_arena *a,
                                             struct bough_restored *out, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
