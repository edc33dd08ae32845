/* A txn while it is applied; shared by apply.c (numbers) and change.c (rows). */
#ifndef STORE_SQLITE_APPLY_H
#define STORE_SQLITE_APPLY_H

#include "store/sqlite/db.h"

struct made_record {
    int64_t sid, kind, ord;
};

struct apply {
    struct sqlite *s;
    struct conn *c;
    struct txn *t;
    int64_t sid; /* of the session it makes */
    int64_t *bids;
    size_t nbids;
    struct made_record *records;
    size_t nrecords;
    size_t branches_used, records_used; /* by the changes so far */
    int64_t entry_no;                   /* of the next entry */
    int64_t no;                         /* of the log row */
};

/* Numbers that did not exist before. */
static inline int64_t session_of(const struct apply *ap, int64_t sid)
{
    return sid == NEW_SESSION ? ap->sid : sid;
}

static inline int64_t branch_of(const struct apply *ap, int64_t bid)
{
    if (bid >= 0)
        return bid;
    return (size_t)(-1 - bid) < ap->nbids ? ap->bids[-1 - bid] : 0;
}

static inline const struct made_record *record_of(const struct apply *ap, int64_t ref)
{
    return ref < 0 && (size_t)(-1 - ref) < ap->nrecords ? &ap->records[-1 - ref] : NULL;
}

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
