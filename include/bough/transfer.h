/* Import and export: sessions of other tools, in and out. docs/formats.md describes the formats. */
#ifndef BOUGH_TRANSFER_H
#define BOUGH_TRANSFER_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_format {
    const char *name;     /* "pi", "claude-code", ... */
    const char *about;    /* one line */
    const char *suffix;   /* of the files that it writes */
    bool reads, writes;   /* can it be imported, exported? */
    uint64_t reserved[4]; /* room to grow */
};

/* All formats; *n is how many. */
struct bough_format *bough_format_list(struct bough_arena *a, size_t *n);

/* The name of the format of a file that begins with these bytes (4 KB are enough), or NULL. */
const char *bough_format_detect(struct bough_str first);

enum bough_import_status {
    BOUGH_IMPORT_NEW,       /* it was not known */
    BOUGH_IMPORT_GREW,      /* it was known, and has more now */
    BOUGH_IMPORT_UNCHANGED, /* nothing was written */
    BOUGH_IMPORT_EDITED,    /* what was read before has changed: it became a branch */
};

/* Something that could not be imported as it is. */
struct bough_import_problem {
    int64_t line;         /* of the file; 0: the file as a whole */
    const char *text;     /* a sentence */
    uint64_t reserved[4]; /* room to grow */
};

struct bough_import_file_result {
    const char *path;   /* absolute */
    const char *format; /* its name */
    enum bough_import_status status;
    const char *session;  /* id of the session, of the last one if there are several; "": none */
    int64_t bytes, lines; /* read */
    int64_t sessions;     /* created */
    int64_t added, known; /* entries read that were added, and that were there already */
    struct bough_import_problem *problems;
    size_t nproblems;      /* in the list; at most 1,000 */
    int64_t more;          /* problems that are not in the list */
    const char *waits_for; /* with parent_first: the parent that is not in the store; else NULL */
    uint64_t reserved[7];  /* room to grow */
};

struct bough_import_file_options {
    const char *format;  /* NULL: found by the first bytes */
    const char *project; /* in place of the one that the file names */
    const char *name;    /* that later imports know it by; NULL: its path */
    const char *owner;   /* of the claim on the file; NULL: this process. See source.h */
    bool dry;            /* write nothing; only say what would be done */
    bool follow;         /* if the format allows it, read only what was added since the last import,
                            without comparing the bytes before it */
    /* Bytes read so far, and in all; false: stop, which is BOUGH_CANCELLED. May be NULL. */
    bool (*progress)(void *user, int64_t done, int64_t total);
    void *user;            /* passed to `progress` */
    uint64_t parent_first; /* 1: a new session whose parent is not in the store is left for later;
                              0: a subagent gets an empty parent, which is filled when it comes, and
                              a fork stands alone */
    uint64_t reserved[7];  /* room to grow: must be 0 */
};

/*
 * Import one file. Importing it again writes nothing new; a file that grew adds what is new; an
 * edited one becomes a branch. The file is never written. What can be read of a damaged file is
 * imported, and the problems say what cannot. `how` may be NULL. When the call fails half way, what
 * was read so far is imported; calling again continues.
 *
 * BOUGH_NOT_FOUND: there is no such file, or with parent_first no parent: out->waits_for names it.
 * BOUGH_INVALID: its format is not known, it is not a file,
 * or it is this store. BOUGH_BUSY: another owner is reading it.
 */
BOUGH_MUST_CHECK enum bough_rc bough_import_file(struct bough_store *s, struct bough_arena *a,
                                                 const char *path,
                                                 const struct bough_import_file_options *how,
                                                 struct bough_import_file_result *out,
                                                 struct bough_error *err);

/* The name of the format whose import created a session; "" if it was created in another way, by an
 * import of bough 0.1, or from a file without an id. */
BOUGH_MUST_CHECK enum bough_rc bough_import_format(struct bough_store *s,
                                                   const struct bough_session *session,
                                                   const char **format, struct bough_error *err);

struct bough_export_options {
    const char *format; /* required */
    const char *at;     /* the path to this entry; NULL or "": the path to the head, or all branches
                           in formats that can hold them */
    bool alone;         /* format bough: without the sessions that it was forked from or spawned by,
                           for a file that has them already */
    bool (*write)(void *user, struct bough_str bytes); /* takes the next bytes; false: stop, which
                                                          is BOUGH_IO; required */
    void *user;                                        /* passed to `write` */
    uint64_t reserved[4];                              /* room to grow: must be 0 */
};

/* Export one session. BOUGH_CONFLICT: it has an open message. BOUGH_INVALID: the format does not
 * exist or cannot be written. What was written before a failure is incomplete. */
BOUGH_MUST_CHECK enum bough_rc bough_export_session(struct bough_store *s, const char *session,
                                                    const struct bough_export_options *how,
                                                    struct bough_error *err);

/* Export several sessions into one file, each once, after those that they were forked from or
 * spawned by. `sessions` NULL: all of the store, deleted ones included, after what
 * bough_export_notes() writes; `n` is then ignored. Only for format bough: BOUGH_INVALID for
 * others, and with how->at. Fails as bough_export_session() does. */
BOUGH_MUST_CHECK enum bough_rc bough_export_sessions(struct bough_store *s,
                                                     const char *const *sessions, size_t n,
                                                     const struct bough_export_options *how,
                                                     struct bough_error *err);

/* Export what belongs to no session: the memories of the store and of its projects. For the
 * beginning of a file with all sessions. Formats that cannot hold it write nothing. */
BOUGH_MUST_CHECK enum bough_rc bough_export_notes(struct bough_store *s,
                                                  const struct bough_export_options *how,
                                                  struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
