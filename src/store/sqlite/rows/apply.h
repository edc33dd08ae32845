/* The state of a txn while it is applied. apply.c assigns new numbers, change.c writes rows, step.c
 * runs single statements. */
#ifndef STORE_SQLITE_ROWS_APPLY_H
#define STORE_SQLITE_ROWS_APPLY_H

#include "store/contract/new_numbers.h"
#include "store/sqlite/conn/db.h"

struct apply {
    struct sqlite *s;
    struct conn *c;
    struct txn *t;
    struct new_numbers made;
    size_t branches_used, records_used; /* new numbers taken by the changes applied so far */
    int64_t entry_no;                   /* number of the next entry */
    int64_t no;                         /* number of the changelog row */
};

/* Step an insert. A uniqueness violation sets t->lost to `lost` and returns BOUGH_OK; any other
 * failure is an error. */
enum bough_rc apply_put(struct apply *ap, sqlite3_stmt *st, const char *lost,
                        struct bough_error *err);
/* Like apply_put() with `unique`, for an update. Sets t->lost to `lost` when no row was changed. */
enum bough_rc apply_set(struct apply *ap, sqlite3_stmt *st, const char *unique, const char *lost,
                        struct bough_error *err);
/* Read one number by a key of one (b < 0) or two values; *out is `none` when there is no row. */
enum bough_rc apply_seek(struct conn *c, enum sql id, int64_t a, int64_t b, int64_t none,
                         int64_t *out, struct bough_error *err);
/* Apply one change. A lost txn returns BOUGH_OK with t->lost set. apply_draft() handles the changes
 * of open messages, apply_link() CHANGE_BLOB_LINK; apply_change() dispatches all of them. */
enum bough_rc apply_draft(struct apply *ap, struct change *c, struct bough_error *err);
enum bough_rc apply_link(struct apply *ap, const struct change *c, struct bough_error *err);
enum bough_rc apply_seen(struct apply *ap, const struct seen_row *row, struct bough_error *err);
/* The number of the newest seen row of a key; 0: none. */
enum bough_rc seen_last(struct conn *c, const unsigned char *key, int64_t *no,
                        struct bough_error *err);
enum bough_rc apply_change(struct apply *ap, struct change *c, struct bough_error *err);

#endif
