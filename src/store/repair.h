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

/* "#1.2", "#1", "record 1.2.3", "log 7": how many numbers follow the word, in `out`. */
int repair_numbers(const char *where, const char *word, int64_t out[3]);

/* ---- repair_rows.c, repair_open.c, repair_names.c: what can be done about one finding ---- */

/* Can it be read, with everything it shows? */
bool repair_reads(struct snap *snap, struct bough_arena *a, const struct entry_row *row);
enum bough_rc repair_entry(struct repair *r, struct snap *snap, const struct bough_finding *f,
                           int64_t bid, int64_t depth);
/* Entries that are missing up to depth `to`. */
enum bough_rc repair_fill_gap(struct repair *r, struct snap *snap, const struct bough_finding *f,
                              int64_t bid, int64_t to);
enum bough_rc repair_record(struct repair *r, struct snap *snap, const struct bough_finding *f,
                            const int64_t at[3]);
enum bough_rc repair_fill_records(struct repair *r, struct snap *snap,
                                  const struct bough_finding *f, const int64_t at[3]);
enum bough_rc repair_session(struct repair *r, struct snap *snap, const struct bough_finding *f,
                             int64_t sid);
enum bough_rc repair_open(struct repair *r, struct snap *snap, const struct bough_finding *f,
                          int64_t bid, int64_t depth);
enum bough_rc repair_links(struct repair *r, struct snap *snap, const struct bough_finding *f,
                           int64_t bid, int64_t depth);
enum bough_rc repair_loosen(struct repair *r, struct snap *snap, const struct bough_finding *f,
                            int64_t bno);
enum bough_rc repair_add_names(struct repair *r, struct snap *snap, const struct bough_finding *f);
/* Everywhere: links of what is not shown, names of what is not there. */
enum bough_rc repair_drop_links(struct repair *r, struct snap *snap);
enum bough_rc repair_drop_names(struct repair *r, struct snap *snap);

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
