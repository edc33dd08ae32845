/*
 * A store: open it, close it, what it holds, check and repair it, read its changelog.
 *
 * Calls on a store share some failures, which the functions below do not repeat:
 *
 * - BOUGH_TIMEOUT: the deadline passed. Nothing was written.
 * - BOUGH_CANCELLED: the handle was cancelled. Nothing was written.
 * - BOUGH_NOT_DONE, BOUGH_OVERLOADED: nothing was written; the call can be tried again.
 * - BOUGH_UNKNOWN: the connection broke during a commit. Try again with the same idempotency key.
 * - BOUGH_IO, BOUGH_DENIED, BOUGH_FULL: the disk or the server failed, refused, or is full.
 * - BOUGH_CORRUPT: a row that the call needs is damaged; see bough_store_fsck().
 * - BOUGH_READ_ONLY: a write to a store that was opened or is stored read-only.
 * - BOUGH_INVALID, BOUGH_TOO_LARGE: an argument is malformed or over its limit. Text must be UTF-8.
 *   Also BOUGH_INVALID: a handle that was opened before a fork(), used in the child.
 *
 * A write that returned BOUGH_OK is on disk. A call that failed has written nothing, unless its
 * comment says otherwise.
 */
#ifndef BOUGH_STORE_H
#define BOUGH_STORE_H

#include <bough/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BOUGH_VERSION_TEXT "0.2.0"

/* An open store. Many threads may use one handle at the same time. */
struct bough_store;

/* Sources of time and randomness, for tests. Both functions are called from several threads. */
struct bough_env {
    int64_t (*now)(void *user);                      /* milliseconds since 1970 */
    void (*random)(void *user, void *out, size_t n); /* fill `out` with n random bytes */
    void *user;                                      /* passed to both */
    uint64_t reserved[4];                            /* room to grow: must be 0 */
};

/* SQLite: which messages are compressed on disk. Reading does not depend on it. */
enum bough_compression {
    BOUGH_COMPRESS_LARGE = 0, /* messages of 1 KB or more, if they shrink */
    BOUGH_COMPRESS_NEVER,
};

/* When the full text is updated. */
enum bough_indexing {
    BOUGH_INDEX_IN_BACKGROUND = 0, /* while no writes arrive, and by searches */
    BOUGH_INDEX_ON_SEARCH,         /* only by searches */
};

struct bough_store_open_options {
    bool read_only;                     /* never write; works on read-only media */
    bool must_exist;                    /* BOUGH_NOT_FOUND instead of creating the store */
    enum bough_compression compression; /* 0: large messages */
    enum bough_indexing indexing;       /* 0: in the background */
    int64_t cache_bytes; /* SQLite: page cache of the writer; 0: 64 MB. Readers: a quarter */
    const struct bough_env *env; /* NULL: the system's. Must live until the store is closed */
    uint64_t reserved[8];        /* room to grow: must be 0 */
};

/* The URL with *** in place of a password. In the arena, or `url` itself if it holds none. */
const char *bough_url_shown(struct bough_arena *a, const char *url);

/*
 * Open the store at `url`, and create it if it does not exist: sqlite:PATH, a plain path,
 * postgres://..., or memory:, which lives until its last handle is closed. A store of an older
 * version is migrated. Open messages of dead processes are sealed as interrupted, and interrupted
 * purges are finished. `options` may be NULL. On success *out must be closed; on failure it is not
 * written.
 *
 * BOUGH_NOT_FOUND: it does not exist, and must_exist or read_only is set. BOUGH_VERSION: a newer
 * bough wrote it. BOUGH_READ_ONLY: read_only is set and the store must be migrated first.
 * BOUGH_BUSY: it is the target of an unfinished bough_migrate(). BOUGH_INVALID: no such scheme.
 */
BOUGH_MUST_CHECK enum bough_rc bough_store_open(struct bough_store **out, const char *url,
                                                const struct bough_store_open_options *options,
                                                struct bough_error *err);

/* Close a handle and set *s to NULL. The store itself closes with its last handle. No call may be
 * using the handle. NULL and a pointer to NULL are allowed. */
void bough_store_close(struct bough_store **s);

/* Bounds of the calls that are made through a handle. */
struct bough_store_scoped_options {
    int64_t deadline_ms;   /* of each call; 0: 10 seconds. Below 0: every call is BOUGH_TIMEOUT */
    const bool *cancel;    /* NULL, or: once true, calls that have not committed give up. Must live
                              until the handle is closed */
    const char *principal; /* owner of the idempotency keys, named in the audit; NULL: "" */
    uint64_t reserved[4];  /* room to grow: must be 0 */
};

/* Another handle on the same store, with bounds of its own; `scope` may be NULL. Close it like any
 * other. NULL only when scope->reserved is not zero. */
struct bough_store *bough_store_scoped(struct bough_store *s,
                                       const struct bough_store_scoped_options *scope);

/* The last backup that was noted with bough_backup_note(); `time` 0: none. */
struct bough_last_backup {
    int64_t time;
    const char *file; /* its name, without folders; or "" */
    const char *by;   /* the principal that noted it, or "" */
    int64_t bytes, sessions, entries;
    bool verified;        /* it was read back and checked in full */
    uint64_t reserved[4]; /* room to grow */
};

/* The last check that was noted with bough_store_fsck_note(); `time` 0: none. */
struct bough_last_fsck {
    int64_t time;
    const char *level; /* "quick", "full", "deep", or "" */
    const char *by;    /* the principal that noted it, or "" */
    int64_t errors, warnings;
    uint64_t reserved[4]; /* room to grow */
};

struct bough_store_info_result {
    const char *backend;  /* "sqlite", "postgres", "memory" */
    const char *path;     /* of its file, as it was opened; "" when it has none */
    const char *store_id; /* made when the store was created; a backup has the same */
    int64_t epoch;        /* grows when a backup is restored */
    int64_t schema;       /* number of the last migration */
    int64_t last_no;      /* number of the last change */
    int64_t pending;      /* changes that are not yet folded into the lists */
    /* Figures of this process. */
    int64_t text_pending;     /* changes that are not yet in the full text, as far as it knows */
    int64_t batches, batched; /* commits, and the requests that they contained */
    int64_t commit_us;        /* time spent in commits, with their syncs */
    int64_t log_bytes;        /* size of the write-ahead log; 0 when there is none */
    int64_t oldest_read_ms;   /* age of the oldest open snapshot; 0: none is open */
    int64_t file_bytes;       /* size of the store's file or database; 0: it has none */
    const struct bough_last_backup *last_backup; /* never NULL */
    const struct bough_last_fsck *last_fsck;     /* never NULL */
    uint64_t reserved[5];                        /* room to grow */
};

/* What the store is, and how it is doing. */
BOUGH_MUST_CHECK enum bough_rc bough_store_info(struct bough_store *s, struct bough_arena *a,
                                                struct bough_store_info_result *out,
                                                struct bough_error *err);

struct bough_store_stats_result {
    int64_t sessions, deleted_sessions, branches, entries, messages, calls, records, log_rows;
    int64_t content_bytes;                 /* of stored entries */
    int64_t file_bytes;                    /* of the store's file */
    int64_t attachments, attachment_bytes; /* each attachment counts once */
    struct bough_totals spent;             /* all calls and adjustments; capped at INT64_MAX */
    uint64_t reserved[8];                  /* room to grow */
};

/* Count everything. Reads the whole store. */
BOUGH_MUST_CHECK enum bough_rc bough_store_stats(struct bough_store *s,
                                                 struct bough_store_stats_result *out,
                                                 struct bough_error *err);

enum bough_fsck_level {
    BOUGH_FSCK_QUICK, /* what can be checked without reading every entry */
    BOUGH_FSCK_FULL,  /* every row */
    BOUGH_FSCK_DEEP,  /* also hash every attachment, and read every entry as callers do */
};

/* One violation of an invariant. */
struct bough_finding {
    const char *code;     /* names the invariant, and never changes: "I-11" */
    bool error;           /* false: a warning */
    char where[64];       /* "#branch.depth", "#session", "record 3.1" */
    char text[192];       /* what is wrong */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_store_fsck_result {
    int64_t errors, warnings;
    int64_t sessions, branches, entries, records, attachments; /* how many were checked */
    int64_t bad_pages;    /* errors in the pages of the file: only bough_rescue() can repair it */
    uint64_t reserved[3]; /* room to grow */
};

/* Check the invariants of the store in one snapshot, with readers of its own. `found` is called for
 * each finding and must not keep the pointer; it may be NULL, and so may `report`. Findings are not
 * a failure of the call. */
BOUGH_MUST_CHECK enum bough_rc
bough_store_fsck(struct bough_store *s, enum bough_fsck_level level,
                 void (*found)(void *user, const struct bough_finding *f), void *user,
                 struct bough_store_fsck_result *report, struct bough_error *err);

/* Remember that the store was checked, and what was found: bough_store_info() tells it. A check
 * does not do so by itself, because it does not write. */
BOUGH_MUST_CHECK enum bough_rc bough_store_fsck_note(struct bough_store *s,
                                                     enum bough_fsck_level level,
                                                     const struct bough_store_fsck_result *report,
                                                     struct bough_error *err);

struct bough_store_repair_result {
    int64_t fixed;                       /* rows written or removed; all lists count as one */
    int64_t quarantined;                 /* rows moved aside */
    struct bough_store_fsck_result left; /* what a check finds afterwards */
    uint64_t reserved[4];                /* room to grow */
};

/*
 * Repair what a check of this level finds. Lists and totals are rebuilt from the rows that they sum
 * up, names and links without a target are removed, and rows that cannot be read are moved aside
 * with their bytes. Messages are never rewritten. A quarantined entry is BOUGH_CORRUPT when it is
 * read by its id; on a path it is an entry without parts and with the error bough.quarantined.
 *
 * `did` is called for each finding that was acted on, `left` for each that remains. Both and
 * `report` may be NULL. A store without findings is not changed. When the call fails, repairs that
 * were already committed stay.
 *
 * BOUGH_CORRUPT: pages of the file are damaged, and nothing was written, because a write could
 * destroy what can still be read. Close the store and call bough_rescue().
 */
BOUGH_MUST_CHECK enum bough_rc
bough_store_repair(struct bough_store *s, enum bough_fsck_level level,
                   void (*did)(void *user, const struct bough_finding *f),
                   void (*left)(void *user, const struct bough_finding *f), void *user,
                   struct bough_store_repair_result *report, struct bough_error *err);

/* Do now what happens in the background anyway: fold pending changes into the lists, update the
 * full text (unless indexing is BOUGH_INDEX_ON_SEARCH), remove attachments that are due, and let
 * the backend tidy up. The full text is updated until the deadline: text_pending of
 * bough_store_info() says what is left. */
BOUGH_MUST_CHECK enum bough_rc bough_store_upkeep(struct bough_store *s, struct bough_error *err);

/*
 * One row of the changelog. Its kind is "create", "update" (title and other fields), "status",
 * "head", "delete", "restore" or "purge" of a session; "append", "entry_delete" or "entry_restore"
 * of entries; "open" (of the last of the entries that were appended) or "seal" of an open message;
 * "record" (a label, memory, todo list, prompt or grant); "run" (one that started, with its prompt,
 * or changed) or "approval"; "adjust" of totals; "call_delete"; or "reprice" of a call. Later
 * versions may add kinds.
 */
struct bough_change {
    int64_t no;                   /* its number, the last one if it took several */
    int64_t count;                /* how many numbers it took: one for each appended entry */
    int64_t time;                 /* when it was committed; of an import: when the conversation
                                     moved, so it may be earlier than that of the change before */
    const char *kind;             /* see above */
    const char *session;          /* id, or "" */
    char entry[BOUGH_ID_LEN + 1]; /* the last entry it appended, or the entry it is about, or "" */
    const char *record; /* of "record": "label", "memory", "todo", "queue" or "grant"; without a
                           session "memory" (of a project or of all), "token", "source",
                           "project", "workspace", "account" or "state" (what the store
                           remembers of itself); or "" */
    const char **calls; /* ids of the calls that it brought and that still exist */
    size_t ncalls;
    const char *project;  /* without a session: the project that it is about, or "" */
    const char *about;    /* id of the run, the approval or the grant that changed, or "" */
    const char *ended;    /* of "run": id of the run that ended in the same commit, or "" */
    uint64_t reserved[1]; /* room to grow */
};

struct bough_changes {
    struct bough_change *at;
    size_t n;
    const char *next;     /* cursor of the next page, "" at the end */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_store_log_options {
    int64_t after;        /* only changes with a larger number; 0: all */
    int64_t limit;        /* 0: 100; at most 10,000 */
    const char *cursor;   /* `next` of the previous page; NULL or "": the first page */
    uint64_t reserved[4]; /* room to grow: must be 0 */
};

/* A page of the changelog, oldest first. `how` may be NULL. To follow it, see feed.h. */
BOUGH_MUST_CHECK enum bough_rc bough_store_log(struct bough_store *s, struct bough_arena *a,
                                               const struct bough_store_log_options *how,
                                               struct bough_changes *out, struct bough_error *err);

/* The version of this library, "0.2.0". A constant. */
const char *bough_version(void);

/* Version and source id of the SQLite that is built into this library. A constant. */
const char *bough_sqlite_version(void);

#ifdef __cplusplus
}
#endif
#endif
