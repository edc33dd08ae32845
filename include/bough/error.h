/* Errors: one table of codes, and the struct that carries a code and a sentence to the caller. */
#ifndef BOUGH_ERROR_H
#define BOUGH_ERROR_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define BOUGH_MUST_CHECK __attribute__((warn_unused_result))
#define BOUGH_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define BOUGH_MUST_CHECK
#define BOUGH_PRINTF(fmt, args)
#endif

/*
 * Every code once: name, HTTP status, exit code of the command line, what the caller can do. A code
 * exists where callers react differently to it. New codes are added at the end.
 */
#define BOUGH_CODES(X)                                                                             \
    X(OK, ok, 200, 0, "")                                                                          \
    X(NOT_FOUND, not_found, 404, 1, "check the id, the name or the path")                          \
    X(MEMORY_NOT_FOUND, memory_not_found, 404, 1, "check the id and the scope it was kept in")     \
    X(GONE, gone, 410, 1, "restore a backup, if it is needed again")                               \
    X(AMBIGUOUS, ambiguous, 409, 1, "give more characters, or name the session too")               \
    X(EXISTS, exists, 409, 1, "choose another id, name or place")                                  \
    X(INVALID, invalid, 422, 2, "correct the value named in the message")                          \
    X(INVALID_PART, invalid_part, 422, 2, "correct the part named in the message")                 \
    X(UNKNOWN_PART, unknown_part, 422, 2, "use one of the listed part types")                      \
    X(CONFLICT, conflict, 409, 1, "read the current state and try again")                          \
    X(KEY_CONFLICT, key_conflict, 409, 1, "use a new idempotency key for a new request")           \
    X(BUSY, busy, 409, 1, "wait until the session is idle, or queue the prompt")                   \
    X(LEASE_LOST, lease_lost, 409, 1, "another writer took over; start again")                     \
    X(ARCHIVED, archived, 409, 1, "unarchive it first, or fork it")                                \
    X(READ_ONLY, read_only, 403, 1, "open the store where it can be written, or copy it")          \
    X(DENIED, denied, 403, 1, "check the permissions of the file, or the server's role")           \
    X(TOO_DEEP, too_deep, 422, 1, "nest it less deeply, or raise the limit you passed")            \
    X(TOO_LARGE, too_large, 413, 1, "split it, or store it as an attachment")                      \
    X(FULL, full, 507, 1, "free disk space, or start a new store")                                 \
    X(TIMEOUT, timeout, 504, 1, "try again, or allow more time")                                   \
    X(OVERLOADED, overloaded, 503, 1, "try again in a moment")                                     \
    X(NOT_DONE, not_done, 503, 1, "nothing was written; it is safe to try again")                  \
    X(UNKNOWN, unknown, 503, 1, "try again with the same idempotency key to settle it")            \
    X(CORRUPT, corrupt, 500, 1, "run `bough fsck`; do not delete the file")                        \
    X(VERSION, version, 409, 1, "use a newer bough for this store")                                \
    X(IO, io, 500, 1, "look at the disk, the file or the server named in the message")             \
    X(CANCELLED, cancelled, 504, 1, "it was stopped by its caller; call again to go on")           \
    X(BUDGET_EXCEEDED, budget_exceeded, 402, 1, "raise the budget, or wait until its window ends") \
    X(PRICE_UNKNOWN, price_unknown, 402, 1,                                                        \
      "give the model a price, or let the budget allow unknown prices")                            \
    X(NOT_READY, not_ready, 422, 1, "set up what the message names, then try again")               \
    X(LIMIT, limit, 422, 1, "raise the limit, then resume")

enum bough_rc {
#define BOUGH_CODE_ENUM(NAME, name, http, code, hint) BOUGH_##NAME,
    BOUGH_CODES(BOUGH_CODE_ENUM)
#undef BOUGH_CODE_ENUM
};

/* A position in a session: the entry at `depth` on the path of `branch`. Branch 0 is no position:
 * an empty session, or a parent that does not exist. A value of two numbers that will never grow.
 */
struct bough_head {
    int64_t branch;
    int64_t depth;
};

/*
 * What went wrong. It belongs to the caller, usually lives on the stack, and holds nothing to free.
 * It needs no initialisation, and means something only after a call that failed.
 */
struct bough_error {
    enum bough_rc rc;       /* the code that the call returned */
    char msg[256];          /* one sentence, without a full stop; cut at 255 bytes */
    struct bough_head head; /* with BOUGH_CONFLICT about a head: where the head is now */
    const char *hint;       /* what can be done about this error, a constant; "": nothing; NULL: see
                               bough_rc_hint() */
    uint64_t reserved[3];   /* room to grow */
};

/* Write the code and the sentence to `err`, which may be NULL, and return the code. For programs
 * that report their own errors in the same way. */
enum bough_rc bough_fail(struct bough_error *err, enum bough_rc rc, const char *fmt, ...)
    BOUGH_PRINTF(3, 4);

/* Say what can be done about the error that was just written to `err`, which may be NULL. `hint` is
 * kept, not copied. Returns `rc`. */
enum bough_rc bough_hint(struct bough_error *err, enum bough_rc rc, const char *hint);

/* A code's columns in the table above: its name ("not_found"), the HTTP status (404), the exit code
 * of the command line (1), and what the caller can do ("" when there is nothing). Constants, never
 * NULL. A code that this version does not know is "unknown_code", 500, 1 and "". */
const char *bough_rc_name(enum bough_rc rc);
int bough_rc_http(enum bough_rc rc);
int bough_rc_exit(enum bough_rc rc);
const char *bough_rc_hint(enum bough_rc rc);

#ifdef __cplusplus
}
#endif
#endif
