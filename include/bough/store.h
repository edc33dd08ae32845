/* A store: open, close, what it is, and how a call is bounded in time. */
#ifndef BOUGH_STORE_H
#define BOUGH_STORE_H

#include <bough/model.h>

#ifdef __cplusplus
extern "C" {
#endif

#define BOUGH_VERSION_TEXT "0.1.0"

struct bough_store; /* safe to use from many threads */

/* Where time and randomness come from; tests steer them. */
struct bough_env {
    int64_t (*now)(void *user); /* ms since 1970 */
    void (*random)(void *user, void *out, size_t n);
    void *user;
};

struct bough_options {
    bool read_only;      /* never write; also the way to open read-only media */
    bool create_not;     /* BOUGH_NOT_FOUND instead of creating a missing store */
    bool no_compress;    /* SQLite: keep large messages as they are */
    bool no_indexing;    /* never bring the full text up to date in the background; a search does */
    int64_t cache_bytes; /* SQLite: pages the writer holds; 0: 64 MB. Readers hold a quarter. */
    const struct bough_env *env; /* NULL: the system's */
};

/* A store's URL as it may be shown: with *** for a password in it. */
const char *bough_url_shown(struct bough_arena *a, const char *url);

/* Open or create the store at `url`: sqlite:PATH, postgres://..., memory:, or a plain path.
 * `options` may be NULL. */
BOUGH_MUST_CHECK enum bough_rc bough_store_open(struct bough_store **out, const char *url,
                                                const struct bough_options *options,
                                                struct bough_error *err);

/* Everything acknowledged is on disk already. Sets *s to NULL; again is a no-op. */
void bough_store_close(struct bough_store **s);

/* What bounds the calls made through a handle. */
struct bough_scope {
    int64_t deadline_ms;   /* per call; 0: the default of 10 s */
    const bool *cancel;    /* a call that has not committed yet gives up when it becomes true */
    const char *principal; /* whose idempotency keys these are; NULL: the store's owner */
};

/* Another handle on the same store, with its own bounds. Close it like any other. */
struct bough_store *bough_store_scoped(struct bough_store *s, const struct bough_scope *scope);

struct bough_info {
    const char *backend;  /* "sqlite" */
    const char *path;     /* of its file, as it was opened; "" when it has none */
    const char *store_id; /* made when the store was created */
    int64_t epoch;        /* changes when a backup is restored */
    int64_t schema;       /* number of the last migration */
    int64_t last_no;      /* number of the last change */
    int64_t pending;      /* changes not yet folded into the lists */
    /* How this handle's process is doing. */
    int64_t text_pending;     /* changes not yet in the full text, as far as it knows */
    int64_t batches, batched; /* commits, and the requests they took along */
    int64_t commit_us;        /* spent in them, syncs included */
    int64_t log_bytes;        /* of the write-ahead log; 0 when it has none */
    int64_t oldest_read_ms;   /* since when somebody reads one moment; 0: nobody */
};

BOUGH_MUST_CHECK enum bough_rc bough_store_info(struct bough_store *s, struct bough_arena *a,
                                                struct bough_info *out, struct bough_error *err);

struct bough_stats {
    int64_t sessions, deleted_sessions, branches, entries, messages, calls, records, log_rows;
    int64_t content_bytes, file_bytes;
    int64_t attachments, attachment_bytes; /* each once, however many messages show it */
    struct bough_totals spent;             /* all calls and adjustments */
};

/* Counts everything: costs a walk over the store. */
BOUGH_MUST_CHECK enum bough_rc bough_store_stats(struct bough_store *s, struct bough_stats *out,
                                                 struct bough_error *err);

enum bough_fsck_level {
    BOUGH_FSCK_QUICK, /* what can be seen without reading every entry */
    BOUGH_FSCK_FULL,
    BOUGH_FSCK_DEEP, /* and every attachment hashed again, every entry read as callers read it */
};

struct bough_finding {
    const char *code; /* stable for ever: "I-11" */
    bool error;       /* false: a warning */
    char where[64];   /* "#branch.depth", "#session", "record 3.1" */
    char text[192];
};

struct bough_fsck_report {
    int64_t errors, warnings;
    int64_t sessions, branches, entries, records, attachments; /* how much was looked at */
};

/* Prove the invariants with readers of its own; `found` is called for each violation. */
BOUGH_MUST_CHECK enum bough_rc
bough_store_fsck(struct bough_store *s, enum bough_fsck_level level,
                 void (*found)(void *user, const struct bough_finding *f), void *user,
                 struct bough_fsck_report *report, struct bough_error *err);

struct bough_repair_report {
    int64_t fixed;                 /* rows written or removed; lists count as one */
    int64_t quarantined;           /* rows moved aside */
    struct bough_fsck_report left; /* what a check finds afterwards */
};

/*
 * Repair what a check at this level finds: lists and totals are built again from the rows they
 * stand for, names and links that lead nowhere are removed, rows that cannot be read are moved
 * aside with their bytes. No message is ever rewritten. A quarantined entry answers BOUGH_CORRUPT
 * by its id and stands on its path as an entry with the error bough.quarantined; all others work.
 * `did` hears what was done about which finding, `left` what remains; both may be NULL. A store
 * without findings is left alone.
 */
BOUGH_MUST_CHECK enum bough_rc
bough_store_repair(struct bough_store *s, enum bough_fsck_level level,
                   void (*did)(void *user, const struct bough_finding *f),
                   void (*left)(void *user, const struct bough_finding *f), void *user,
                   struct bough_repair_report *report, struct bough_error *err);

/* Fold what is pending into the lists and the full text, finish purges, and let the backend tidy
 * up. Never needed. */
BOUGH_MUST_CHECK enum bough_rc bough_store_upkeep(struct bough_store *s, struct bough_error *err);

/* One change of the store, in order. */
struct bough_change {
    int64_t no;    /* its last number */
    int64_t count; /* how many numbers it took */
    int64_t time;
    const char *kind;             /* "append", "rename", ... */
    const char *session;          /* id, or "" */
    char entry[BOUGH_ID_LEN + 1]; /* the last entry it appended, or the one it is about; or "" */
    const char *record;           /* of "record": "label", "queue", "todo", ...; or "" */
    const char **calls;           /* ids of the calls it brought that are still there */
    size_t ncalls;
};

struct bough_changes {
    struct bough_change *at;
    size_t n;
    bool more;
};

/* The log after number `after`, at most `limit` rows (0: 100). */
BOUGH_MUST_CHECK enum bough_rc bough_store_log(struct bough_store *s, struct bough_arena *a,
                                               int64_t after, int64_t limit,
                                               struct bough_changes *out, struct bough_error *err);

const char *bough_version(void);
const char *bough_sqlite_version(void); /* version and source id of the SQLite inside */

#ifdef __cplusplus
}
#endif
#endif
