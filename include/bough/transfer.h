/* Import and export: other tools' sessions in and out. */
#ifndef BOUGH_TRANSFER_H
#define BOUGH_TRANSFER_H

#include <bough/store.h>

#ifdef __cplusplus
extern "C" {
#endif

struct bough_format {
    const char *name, *about;
    const char *suffix; /* of files it writes */
    bool reads, writes;
};

/* The formats there are, in `a`. */
struct bough_format *bough_format_list(struct bough_arena *a, size_t *n);
/* The format of a file that begins with these bytes, or NULL. */
const char *bough_format_detect(struct bough_str first);

enum bough_import_status {
    BOUGH_IMPORT_NEW,       /* it was not known */
    BOUGH_IMPORT_GREW,      /* it was, and has more now */
    BOUGH_IMPORT_UNCHANGED, /* nothing was written */
    BOUGH_IMPORT_EDITED,    /* what was read before is different now: it became a branch */
};

struct bough_import_problem {
    int64_t line; /* of the file; 0: of all of it */
    const char *text;
};

struct bough_imported {
    const char *path, *format;
    enum bough_import_status status;
    const char *session;  /* id of the session, or of the last one of several; "" when none */
    int64_t bytes, lines; /* read */
    int64_t sessions;     /* made */
    int64_t added, known; /* entries */
    struct bough_import_problem *problems;
    size_t nproblems; /* listed; at most 1,000 */
    int64_t more;     /* problems that are not listed */
};

struct bough_import {
    const char *format;  /* NULL: found out from its first bytes */
    const char *project; /* instead of the one the file names */
    const char *name;    /* what it is known by to later imports; NULL: its path */
    const char *owner;   /* who claims the file while reading; NULL: this process */
    bool dry;            /* only say what would be done */
    bool follow; /* trust that what was read before is as it was, and read on behind it where
                    the format allows that; without it all bytes are looked at */
    /* Bytes read, of how many; false: stop. May be NULL. */
    bool (*progress)(void *user, int64_t done, int64_t total);
    void *user;
};

/*
 * Import one file. Again writes nothing new; a file that grew adds what is new; an edited one
 * becomes a branch. The file is never written. What can be read of a damaged file is imported, the
 * rest is in the problems. `how` may be NULL.
 */
BOUGH_MUST_CHECK enum bough_rc bough_import_file(struct bough_store *s, struct bough_arena *a,
                                                 const char *path, const struct bough_import *how,
                                                 struct bough_imported *out,
                                                 struct bough_error *err);

struct bough_export {
    const char *format;
    const char *at; /* the path to this entry instead of the head */
    bool alone;     /* bough: without the sessions it was forked from or spawned by, for a file
                       that has them already */
    /* Takes a piece of the output; false: stop. */
    bool (*write)(void *user, struct bough_str bytes);
    void *user;
};

/* Export one session in order. BOUGH_CONFLICT while a message of it is still being written. */
BOUGH_MUST_CHECK enum bough_rc bough_export_session(struct bough_store *s, const char *session,
                                                    const struct bough_export *how,
                                                    struct bough_error *err);

/* What belongs to no session, memories of the store and of its projects, for the beginning of a
 * backup. Nothing is written in formats that have no place for it. */
BOUGH_MUST_CHECK enum bough_rc
bough_export_notes(struct bough_store *s, const struct bough_export *how, struct bough_error *err);

#ifdef __cplusplus
}
#endif
#endif
