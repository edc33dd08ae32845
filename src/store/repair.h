/* Repair: what is derived is built again, what is broken is moved aside. */
#ifndef STORE_REPAIR_H
#define STORE_REPAIR_H

#include "store/engine.h"

/* A projection, built again from the rows it stands for: fills a txn that replaces all of it. */
struct projection {
    const char *name;
    enum bough_rc (*rebuild)(struct prep *p, void *unused, struct bough_error *err);
};

extern const struct projection all_projections[]; /* ends with a NULL name */

enum bough_rc rebuild_lists(struct prep *p, void *unused, struct bough_error *err);

struct repair {
    struct bough_store *s;
    void (*did)(void *user, const struct bough_finding *what);
    void *user;
    struct bough_repair_report *report;
    struct bough_arena *a; /* emptied after every finding */
    int64_t now;
    int64_t done; /* in this round */
    bool again;   /* the same finding once more, with what was written now */
    struct repair_row {
        struct raw_row row;
        bool remove;
    } * rows; /* to be written when the snapshot is over: in memory one keeps the other waiting */
    size_t nrows, rows_cap;
    struct bough_error *err;
};

/* Say what was done about a finding. */
void repair_say(struct repair *r, const char *code, const char *where, const char *fmt, ...)
    BOUGH_PRINTF(4, 5);
/* Write or remove a row, in order, after the snapshot. What it points to is in r->a, or constant.
 */
void repair_write(struct repair *r, const struct raw_row *row, bool remove);

/* ---- quarantine.c ---- */

/* Keep the row's bytes under a number of session `sid` (0: the store), with the reason. */
enum bough_rc quarantine_row(struct repair *r, struct snap *snap, int64_t sid,
                             const struct raw_row *row, const char *where, const char *why,
                             int64_t *ord);
/* In the place of an entry that cannot be read, or is not there: what is known of it. */
enum bough_rc quarantine_stub(struct repair *r, struct snap *snap, const struct branch_row *b,
                              int64_t depth, const struct entry_row *was, int64_t ord);
/* The session's body as far as it can be told from other rows. */
enum bough_rc quarantine_session(struct repair *r, struct snap *snap,
                                 const struct session_row *was);
/* In the place of a record: nothing, but its number is taken. */
enum bough_rc quarantine_record(struct repair *r, struct snap *snap, const struct record_row *was);

#endif
