/* Backup: copy an open store to a file, and put such a file in the place of a store. For SQLite
 * stores. */
#ifndef BOUGH_BACKUP_H
#define BOUGH_BACKUP_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_backup_options {
    /* Bytes copied so far, and in all; false: give up, which is BOUGH_CANCELLED. May be NULL. */
    bool (*progress)(void *user, int64_t done, int64_t total);
    void *user;           /* passed to `progress` */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

struct bough_backup_result {
    int64_t bytes; /* of the file */
    int64_t sessions, entries;
    int64_t last_no;      /* number of the last change in it */
    uint64_t reserved[4]; /* room to grow */
};

/*
 * Copy the store as it is now to the new file `path` on a local disk, while others read and write.
 * The copy is checked in full (bough_store_fsck()) before it gets its name; when anything fails, no
 * file remains. It is a store like any other. `how` and `out` may be NULL. The handle's `cancel`
 * counts, its deadline does not.
 *
 * BOUGH_EXISTS: there is something at `path`. BOUGH_INVALID: the store has no file, or `path` is
 * not a path. BOUGH_CORRUPT: the copy does not pass the check.
 */
BOUGH_MUST_CHECK enum bough_rc bough_backup(struct bough_store *s, const char *path,
                                            const struct bough_backup_options *how,
                                            struct bough_backup_result *out,
                                            struct bough_error *err);

/* Remember in the store that it was copied to `path`: bough_store_info() tells it. A backup does
 * not do so by itself, because it can be made from a handle that only reads. */
BOUGH_MUST_CHECK enum bough_rc bough_backup_note(struct bough_store *s, const char *path,
                                                 const struct bough_backup_result *made,
                                                 struct bough_error *err);

struct bough_restore_options {
    bool force; /* remove the store that was there, instead of keeping it under another name */
    bool (*progress)(void *user, int64_t done, int64_t total); /* as in bough_backup_options */
    void *user;
    const struct bough_env *env; /* NULL: the system's */
    uint64_t reserved[4];        /* room to grow: must be 0 */
};

struct bough_restore_result {
    struct bough_backup_result copied;
    int64_t epoch;        /* the new one */
    const char *kept;     /* where the store that was there is now, in the arena; or "" */
    uint64_t reserved[4]; /* room to grow */
};

/*
 * Put the file `backup`, which may be any SQLite store, in the place of the store at `url`. The
 * backup is copied, migrated if it is of an older version, and checked in full first. The store
 * that was there is kept as <path>.before-restore-<time>. The new epoch is larger than those of
 * both, so that followers of the changelog notice. `how` and `out` may be NULL; without `out`, so
 * may `a`.
 *
 * BOUGH_BUSY: a process has the store open. BOUGH_CORRUPT: the backup does not pass the check.
 * BOUGH_INVALID: `url` is not a file, or is the backup itself. After a failure the store is as it
 * was, except for BOUGH_UNKNOWN: it was replaced, but a power failure may undo that.
 */
BOUGH_MUST_CHECK enum bough_rc
bough_restore(const char *backup, const char *url, const struct bough_restore_options *how,
              struct bough_arena *a, struct bough_restore_result *out, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
