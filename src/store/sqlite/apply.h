/* A txn while it is applied; shared by apply.c (numbers) and change.c (rows). */
#ifndef STORE_SQLITE_APPLY_H
#define STORE_SQLITE_APPLY_H

#include "store/made.h"
#include "store/sqlite/db.h"

struct apply {
    struct sqlite *s;
    struct conn *c;
    struct txn *t;
    struct made made;
    size_t branches_used, records_used; /* by the changes so far */
    int64_t entry_no;                   /* of the next entry */
    int64_t no;                         /* of the log row */
};

/* A write that must not collide: a broken uniqueness loses the txn, anything else is an error. */
enum bough_rc apply_put(struct apply *ap, sqlite3_stmt *st, const char *lost,
                        struct bough_error *err);
/* A write that must change a row: `lost` when it changed none. */
enum bough_rc apply_set(struct apply *ap, sqlite3_stmt *st, const char *unique, const char *lost,
                        struct bough_error *err);
/* One number by one or two (b >= 0) others. */
enum bough_rc apply_seek(struct conn *c, enum sql id, int64_t a, int64_t b, int64_t none,
                         int64_t *out, struct bough_error *err);
/* The changes of open messages. */
enum bough_rc apply_draft(struct apply *ap, struct change *c, struct bough_error *err);
enum bough_rc apply_link(struct apply *ap, const struct change *c, struct bough_error *err);
enum bough_rc apply_change(struct apply *ap, struct change *c, struct bough_error *err);

#endif
