/* Repair: rebuild derived rows and quarantine damaged ones. */
#ifndef STORE_CARE_REPAIR_H
#define STORE_CARE_REPAIR_H

#include "store/engine/engine.h"
#include "store/project/rebuild.h"

struct repair {
    struct bough_store *s;
    void (*did)(void *user, const struct bough_finding *what);
    void *user;
    struct bough_store_repair_result *report;
    struct bough_arena *a; /* reset before every finding */
    int64_t now;
    int64_t done; /* repairs in this round */
    bool again;   /* run the same finding again in a new snapshot */
    struct repair_row {
        struct raw_row row;
        bool remove;
    } * rows; /* written after the snapshot ends: in the memory backend a snapshot blocks writers */
    size_t nrows;
    struct bough_error *err;
};

/* ---- repair_common.c ---- */

/* Report and count a repair. */
void repair_report(struct repair *r, const char *code, const char *where, const char *fmt, ...)
    BOUGH_PRINTF(4, 5);
/* Queue a row to be written or removed, in order, after the snapshot. Its pointers must point into
 * r->a or to constants. */
void repair_write(struct repair *r, const struct raw_row *row, bool remove);

/* Parse the numbers after `word` in a finding's location, such as "#1.2", "#1", "record 1.2.3" or
 * "log 7". Returns how many; 0 if `where` does not start with `word`. */
int repair_numbers(const char *where, const char *word, int64_t out[3]);

/* ---- repair_rows.c, repair_open.c, repair_names.c: fix one finding ---- */

/* Can the entry be read, with valid parts and all of its attachments? */
bool repair_reads(struct snap *snap, struct bough_arena *a, const struct entry_row *row);
/* Fix the entry's columns, or quarantine it if it cannot be read. */
enum bough_rc repair_entry(struct repair *r, struct snap *snap, const struct bough_finding *f,
                           int64_t bid, int64_t depth);
/* Entries are missing before this one. If its body says another depth, its key is damaged: it is
 * moved back, or quarantined when that slot is taken. Otherwise the gap is filled. */
enum bough_rc repair_gap(struct repair *r, struct snap *snap, const struct bough_finding *f,
                         int64_t bid, int64_t depth);
/* Fill in one missing entry up to depth `to`; sets r->again while more are missing. */
enum bough_rc repair_fill_gap(struct repair *r, struct snap *snap, const struct bough_finding *f,
                              int64_t bid, int64_t to);
/* Fill in one missing entry up to the one that the branch hangs on; sets r->again likewise. */
enum bough_rc repair_base(struct repair *r, struct snap *snap, const struct bough_finding *f,
                          int64_t bid);
/* Quarantine a damaged record; `at` is its session, kind and ordinal. */
enum bough_rc repair_record(struct repair *r, struct snap *snap, const struct bough_finding *f,
                            const int64_t at[3]);
/* Fill the missing ordinals just below record `at` with empty records. */
enum bough_rc repair_fill_records(struct repair *r, struct snap *snap,
                                  const struct bough_finding *f, const int64_t at[3]);
/* Quarantine an unreadable session body, or repair its head. */
enum bough_rc repair_session(struct repair *r, struct snap *snap, const struct bough_finding *f,
                             int64_t sid);
/* Make mask, lease and drafts of an open message consistent. */
enum bough_rc repair_open(struct repair *r, struct snap *snap, const struct bough_finding *f,
                          int64_t bid, int64_t depth);
/* Add the missing blob links of an entry. */
enum bough_rc repair_links(struct repair *r, struct snap *snap, const struct bough_finding *f,
                           int64_t bid, int64_t depth);
/* Let the sweep check a blob that is marked as linked but is not. */
enum bough_rc repair_loosen(struct repair *r, struct snap *snap, const struct bough_finding *f,
                            int64_t bno);
/* Add the missing alias of an entry's or session's foreign id. */
enum bough_rc repair_add_names(struct repair *r, struct snap *snap, const struct bough_finding *f);
/* Remove all links that entries do not show, and all names of rows that do not exist. At most 64
 * per call. */
enum bough_rc repair_drop_links(struct repair *r, struct snap *snap);
enum bough_rc repair_drop_names(struct repair *r, struct snap *snap);

/* ---- quarantine.c ---- */

/* Save the row's bytes as a new quarantine record of session `sid` (0: the store), with the reason.
 * *ord is the record's ordinal. */
enum bough_rc quarantine_row(struct repair *r, struct snap *snap, int64_t sid,
                             const struct raw_row *row, const char *where, const char *why,
                             int64_t *ord);
/* Write a stub for an unreadable or (was == NULL) missing entry, with what other rows tell about
 * it. */
enum bough_rc quarantine_stub(struct repair *r, struct snap *snap, const struct branch_row *b,
                              int64_t depth, const struct entry_row *was, int64_t ord);
/* Replace an unreadable session body by what other rows tell about it. */
enum bough_rc quarantine_session(struct repair *r, struct snap *snap,
                                 const struct session_row *was);
/* Replace a record by an empty one, so that its ordinal stays taken. */
enum bough_rc quarantine_record(struct repair *r, struct snap *snap, const struct record_row *was);

#endif
